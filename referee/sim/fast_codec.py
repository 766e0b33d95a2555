"""The byte loops of the firmware's `codec`, with the standard library's speed, for the simulated totem.

Belongs here: the same functions with the same results (tests/firmware/test_codec.py holds them equal). On a
board they are machine code; as plain Python they would cost more than everything else of a simulation
together.
"""

from __future__ import annotations

import sys
import zlib
from array import array

from referee.totem import cobs

CRC_TABLES: array[int] = array("H")


def crc_append(buffer: bytearray, end: int, _tables: object) -> int:
    """Write the CRC-32 of buffer[:end] behind it."""
    buffer[end : end + 4] = zlib.crc32(memoryview(buffer)[:end]).to_bytes(4, "little")
    return end + 4


def crc_agrees(buffer: bytearray, end: int, _tables: object) -> int:
    """1 when the last four of buffer[:end] are the CRC-32 of what stands before them."""
    if end < 4:
        return 0
    return int(zlib.crc32(buffer[: end - 4]).to_bytes(4, "little") == buffer[end - 4 : end])


def cobs_encode(target: bytearray, at: int, source: bytearray, count: int) -> int:
    """Write source[:count] as one frame with its closing zero at target[at:]."""
    frame = cobs.encode(bytes(source[:count])) + b"\x00"
    target[at : at + len(frame)] = frame
    return at + len(frame)


def cobs_decode(buffer: bytearray, count: int) -> int:
    """Undo COBS in place on buffer[:count]; -1 if it cannot be."""
    payload = cobs.decode(bytes(buffer[:count]))
    if payload is None:
        return -1
    buffer[: len(payload)] = payload
    return len(payload)


def copy(target: bytearray, at: int, source: bytes | bytearray, start: int, count: int) -> int:
    """target[at:at+count] = source[start:start+count]."""
    target[at : at + count] = source[start : start + count]
    return at + count


def put_words(target: bytearray, at: int, words: array[int], count: int) -> int:
    """Write 16-bit numbers little-endian."""
    data = words if len(words) == count else words[:count]
    if sys.byteorder == "big":
        data = array(data.typecode, data)
        data.byteswap()
    target[at : at + 2 * count] = data.tobytes()
    return at + 2 * count


def fill(target: bytearray, at: int, end: int) -> None:
    """target[at:end] = zeros."""
    target[at:end] = bytes(max(end - at, 0))


def put_u16(target: bytearray, at: int, value: int) -> int:
    """The low 16 bits of a number."""
    target[at : at + 2] = (value & 0xFFFF).to_bytes(2, "little")
    return at + 2


def put_u32(target: bytearray, at: int, value: int) -> int:
    """A number from 0 to 2^30 - 1 in four bytes."""
    target[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
    return at + 4


def get_u30(source: bytearray, at: int) -> int:
    """The low 30 bits of a little-endian 32-bit number."""
    return int.from_bytes(source[at : at + 4], "little") & 0x3FFFFFFF
