"""Consistent Overhead Byte Stuffing: frames that hold no zero, so that a zero can end each of them.

Belongs here: the two directions of the code. Does not belong here: what is in a frame.
Source: Cheshire and Baker, IEEE/ACM Transactions on Networking 7(2), 1999.
"""

from __future__ import annotations

_LONGEST_BLOCK = 254


def encode(payload: bytes) -> bytes:
    """One frame without its closing zero; never longer than payload + 1 + payload // 254 bytes."""
    out = bytearray()
    runs = payload.split(b"\x00")
    for place, run in enumerate(runs):
        at = 0
        while len(run) - at > _LONGEST_BLOCK or (
            # A full block needs a follower when a zero is still to come after it.
            len(run) - at == _LONGEST_BLOCK and place + 1 < len(runs)
        ):
            out.append(0xFF)
            out += run[at : at + _LONGEST_BLOCK]
            at += _LONGEST_BLOCK
        out.append(len(run) - at + 1)
        out += run[at:]
    return bytes(out)


def decode(frame: bytes) -> bytes | None:
    """The payload of a frame (without its closing zero), or None for a frame that cannot be."""
    if 0 in frame:
        return None
    out = bytearray()
    at, end = 0, len(frame)
    while at < end:
        code = frame[at]
        following = at + code
        if following > end:
            return None
        out += frame[at + 1 : following]
        if code != 0xFF and following < end:
            out.append(0)
        at = following
    return bytes(out)
