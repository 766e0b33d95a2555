"""The host's side of the totem's wire: bytes in, messages out; commands in, bytes out.

Belongs here: frames, checksums, the meaning of every field (docs/protocol.md is the specification).
Does not belong here: ports, clocks, asking again (`receiver`), what the readings mean.

Written rules:
- Sans-IO: nothing here waits, reads a clock or opens anything.
- Whatever bytes come in, `Decoder.feed` gives messages or a `Fault`, never anything else, and never keeps
  more than one frame of `MAX_FRAME` bytes.
- A fault costs the frame it is in and nothing more.
- Stamps in messages are the totem's own microseconds.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import numpy as np

from referee.errors import EngineError, TraceError
from referee.totem import cobs
from referee.totem.messages import (
    PROTOCOL_VERSION,
    SEQUENCES,
    Cause,
    Fault,
    Feature,
    FromTotem,
    Gone,
    Health,
    Hello,
    LampSwitched,
    Message,
    PadState,
    Pause,
    Pong,
    Refused,
    Scans,
    ScanState,
    SelfTest,
    ToTotem,
)
from referee.totem.scans import Layout, ScanBatch

MAX_FRAME = 8192
DELIMITER = b"\x00"


class _BadFrameError(Exception):
    """Inside this module only: the frame being read cannot be."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(detail)
        self.fault = Fault(cause, detail)


# -- commands


def _frame(payload: bytes) -> bytes:
    checked = payload + struct.pack("<I", zlib.crc32(payload))
    # The zero in front ends whatever rubbish the totem may have received before.
    return DELIMITER + cobs.encode(checked) + DELIMITER


def ask_hello() -> bytes:
    """Who are you?"""
    return _frame(bytes([ToTotem.ASK_HELLO]))


def ping(token: int) -> bytes:
    """What time is it? `token` (32 bits) comes back in the pong."""
    return _frame(struct.pack("<BI", ToTotem.PING, token))


def resend(sequence: int, count: int) -> bytes:
    """Send `count` numbered frames again, from `sequence` on."""
    return _frame(struct.pack("<BIH", ToTotem.RESEND, sequence, count))


def stream(on: bool, from_sequence: int = 0) -> bytes:
    """Send scans, from `from_sequence` on as far as the window reaches back; or stop."""
    return _frame(struct.pack("<BBI", ToTotem.STREAM, on, from_sequence))


def ask_health() -> bytes:
    """How are you?"""
    return _frame(bytes([ToTotem.ASK_HEALTH]))


def ask_self_test() -> bytes:
    """Test your pads and sensors; the scanning pauses for it."""
    return _frame(bytes([ToTotem.ASK_SELF_TEST]))


def set_lamp(on: bool) -> bytes:
    """Switch the lamp."""
    return _frame(struct.pack("<BB", ToTotem.SET_LAMP, on))


def collect() -> bytes:
    """No round is live: collect your garbage now."""
    return _frame(bytes([ToTotem.COLLECT]))


def leave() -> bytes:
    """Stop the program, so that another can be installed."""
    return _frame(bytes([ToTotem.LEAVE]))


# -- frames


def record_type(layout: Layout) -> np.dtype[np.void]:
    """One scan as it stands on the wire."""
    fields: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]] = [
        ("step_us", "<u2"),
        ("tilt", "<u2"),
        ("yaw", "<i2"),
        ("state", "u1"),
    ]
    if layout.seats:
        fields.append(("seat", "i1"))
    fields.append(("counts", "<u2", (layout.pads,)))
    if layout.seats:
        fields.append(("deltas", "<i2", (layout.pads,)))
    return np.dtype(fields)


_HELLO = struct.Struct("<BBBBIcBBBBBHHIIHH")
_SCANS = struct.Struct("<HIQBB")
_PAUSE = struct.Struct("<HIQIB")
_PONG = struct.Struct("<IQQ")
_HEALTH = struct.Struct("<Q10I")
_LAMP = struct.Struct("<BQ")
_GONE = struct.Struct("<III")


class Decoder:
    """Bytes of one totem to messages; keeps the last hello, because scans are read with its layout."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skipping = False
        self._hello: Hello | None = None
        self._record: np.dtype[np.void] | None = None

    @property
    def hello(self) -> Hello | None:
        """The last hello, if there was one."""
        return self._hello

    @property
    def buffered(self) -> int:
        """Bytes kept of a frame that has not ended yet; never over `MAX_FRAME`."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Message | Fault]:
        """Take in any number of bytes; gives the messages and faults of the frames that end in them."""
        found: list[Message | Fault] = []
        at = 0
        while (end := data.find(DELIMITER, at)) >= 0:
            self._keep(data[at:end], found)
            if self._buffer and not self._skipping:
                found.append(self._read(bytes(self._buffer)))
            self._buffer.clear()
            self._skipping = False
            at = end + 1
        self._keep(data[at:], found)
        return found

    def forget(self) -> None:
        """The line was cut: drop the half frame and the hello."""
        self._buffer.clear()
        self._skipping = False
        self._hello = None
        self._record = None

    def _keep(self, data: bytes, found: list[Message | Fault]) -> None:
        if self._skipping:
            return
        if len(self._buffer) + len(data) > MAX_FRAME:
            self._buffer.clear()
            self._skipping = True
            found.append(Fault(Cause.TOO_LONG))
            return
        self._buffer += data

    def _read(self, frame: bytes) -> Message | Fault:
        payload = cobs.decode(frame)
        if payload is None or len(payload) < 5:
            return Fault(Cause.BROKEN)
        body, kind = payload[1:-4], payload[0]
        if zlib.crc32(payload[:-4]) != int.from_bytes(payload[-4:], "little"):
            return Fault(Cause.CHECKSUM)
        reader = _READERS.get(kind)
        if reader is None:
            return Fault(Cause.UNKNOWN_KIND, f"0x{kind:02x}")
        try:
            message = reader(self, body)
        except _BadFrameError as bad:
            return bad.fault
        except struct.error:
            return Fault(Cause.LENGTH, FromTotem(kind).name)
        except TraceError as error:
            return Fault(Cause.VALUE, str(error))
        return message

    def _read_hello(self, body: bytes) -> Hello:
        if body[:1] != bytes([PROTOCOL_VERSION]):
            raise _BadFrameError(
                Cause.VERSION, f"protocol {body[0] if body else 'missing'}: expected {PROTOCOL_VERSION}"
            )
        (
            _,
            major,
            minor,
            patch,
            boot_id,
            build,
            rings,
            sectors,
            seats,
            features,
            batch,
            period_us,
            window,
            oldest,
            next_sequence,
            diameter,
            height,
        ) = _HELLO.unpack_from(body)
        tail = body[_HELLO.size :]
        if len(tail) != 2 * rings:
            raise _BadFrameError(Cause.LENGTH, "HELLO")
        ring_mm = tuple(tenths / 10.0 for tenths in struct.unpack(f"<{rings}H", tail))
        layout = Layout(rings, sectors, ring_mm, diameter / 10.0, height / 10.0, seats)
        if not build.isalpha() or not batch or not window or max(oldest, next_sequence) >= SEQUENCES:
            raise _BadFrameError(Cause.VALUE, "HELLO")
        if 22 + batch * record_type(layout).itemsize > MAX_FRAME - MAX_FRAME // 254:
            raise _BadFrameError(Cause.VALUE, f"{batch} scans of {layout.pads} pads do not fit a frame")
        hello = Hello(
            (major, minor, patch),
            boot_id,
            build.decode("ascii"),
            layout,
            Feature(features & 0x0F),
            batch,
            period_us,
            window,
            oldest,
            next_sequence,
        )
        self._hello = hello
        self._record = record_type(layout)
        return hello

    def _numbered(self, boot_tag: int, sequence: int) -> Hello:
        if self._hello is None:
            raise _BadFrameError(Cause.NO_HELLO)
        if boot_tag != self._hello.boot_id & 0xFFFF:
            raise _BadFrameError(Cause.OTHER_START)
        if sequence >= SEQUENCES:
            raise _BadFrameError(Cause.VALUE, "sequence")
        return self._hello

    def _read_scans(self, body: bytes) -> Scans:
        boot_tag, sequence, first_us, count, shape = _SCANS.unpack_from(body)
        hello = self._numbered(boot_tag, sequence)
        layout, record = hello.layout, self._record
        if record is None:
            raise EngineError("a hello was kept without its record type")
        if shape != (1 if layout.seats else 0) or not count:
            raise _BadFrameError(Cause.VALUE, "SCANS")
        if len(body) != _SCANS.size + count * record.itemsize:
            raise _BadFrameError(Cause.LENGTH, "SCANS")
        if first_us >= 1 << 60:
            raise _BadFrameError(Cause.VALUE, "SCANS: stamp")
        rows = np.frombuffer(body, dtype=record, count=count, offset=_SCANS.size)
        steps = rows["step_us"].astype(np.int64)
        if steps[0] != 0:
            raise _BadFrameError(Cause.VALUE, "SCANS: first step")
        state = rows["state"]
        seat = rows["seat"].copy() if layout.seats else None
        if seat is not None and bool(((seat < -1) | (seat >= layout.seats)).any()):
            raise _BadFrameError(Cause.VALUE, "SCANS: seat")
        batch = ScanBatch(
            layout=layout,
            boot_id=hello.boot_id,
            t_us=first_us + np.cumsum(steps),
            counts=rows["counts"].astype(np.int32),
            tilt_deg=rows["tilt"].astype(np.float32) / np.float32(100),
            yaw_deg=(rows["yaw"].astype(np.float32) / np.float32(100) if Feature.YAW in hello.features else None),
            seated=(state & ScanState.SEATED) != 0 if Feature.BASE in hello.features else None,
            seat_index=seat,
            seat_delta=rows["deltas"].astype(np.int16) if layout.seats else None,
        )
        return Scans(sequence, batch, bool(state[-1] & ScanState.LAMP_ON))

    def _read_pause(self, body: bytes) -> Pause:
        boot_tag, sequence, t_us, lasted_us, reason = _PAUSE.unpack(body)
        self._numbered(boot_tag, sequence)
        return Pause(sequence, t_us, lasted_us, reason)

    def _read_pong(self, body: bytes) -> Pong:
        pong = Pong(*_PONG.unpack(body))
        if not pong.received_us <= pong.sent_us < 1 << 60:
            raise _BadFrameError(Cause.VALUE, "PONG: stamps")
        return pong

    def _read_health(self, body: bytes) -> Health:
        return Health(*_HEALTH.unpack(body))

    def _read_self_test(self, body: bytes) -> SelfTest:
        if len(body) < 2 or len(body) != 2 + body[1]:
            raise _BadFrameError(Cause.LENGTH, "SELF_TEST")
        if max(body[2:], default=0) > PadState.JOINED:
            raise _BadFrameError(Cause.VALUE, "SELF_TEST: pad state")
        state = ScanState(body[0] & 0x0F)
        return SelfTest(
            tuple(PadState(pad) for pad in body[2:]),
            ScanState.SEATED in state,
            ScanState.TILT_VALID in state,
            ScanState.YAW_VALID in state,
        )

    def _read_lamp(self, body: bytes) -> LampSwitched:
        on, t_us = _LAMP.unpack(body)
        if on > 1:
            raise _BadFrameError(Cause.VALUE, "LAMP")
        return LampSwitched(bool(on), t_us)

    def _read_gone(self, body: bytes) -> Gone:
        return Gone(*_GONE.unpack(body))

    def _read_refused(self, body: bytes) -> Refused:
        return Refused(*struct.unpack("<BB", body))


_READERS: dict[int, Callable[[Decoder, bytes], Message]] = {
    FromTotem.HELLO: Decoder._read_hello,
    FromTotem.SCANS: Decoder._read_scans,
    FromTotem.PAUSE: Decoder._read_pause,
    FromTotem.PONG: Decoder._read_pong,
    FromTotem.HEALTH: Decoder._read_health,
    FromTotem.SELF_TEST: Decoder._read_self_test,
    FromTotem.LAMP: Decoder._read_lamp,
    FromTotem.GONE: Decoder._read_gone,
    FromTotem.REFUSED: Decoder._read_refused,
}
