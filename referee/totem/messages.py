"""The words of the totem's wire: kinds of frames, and what each message says.

Belongs here: the values that `protocol` reads from bytes and the arithmetic of frame numbers.
Does not belong here: bytes (`protocol`), what to do about a message (`receiver`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from referee.totem.scans import Layout, ScanBatch

PROTOCOL_VERSION = 1
SEQUENCES = 1 << 30


class FromTotem(enum.IntEnum):
    """Kinds of frames that a totem sends."""

    HELLO = 0x01
    SCANS = 0x02
    PAUSE = 0x03
    PONG = 0x04
    HEALTH = 0x05
    SELF_TEST = 0x06
    LAMP = 0x07
    GONE = 0x08
    REFUSED = 0x09


class ToTotem(enum.IntEnum):
    """Kinds of frames that a host sends."""

    ASK_HELLO = 0x81
    PING = 0x82
    RESEND = 0x83
    ASK_HEALTH = 0x84
    ASK_SELF_TEST = 0x85
    STREAM = 0x86
    SET_LAMP = 0x87
    COLLECT = 0x88
    LEAVE = 0x89


class Feature(enum.IntFlag):
    """What a totem has besides pads."""

    TILT = 0x01
    YAW = 0x02
    BASE = 0x04
    LAMP = 0x08


class ScanState(enum.IntFlag):
    """What held during one scan."""

    SEATED = 0x01
    LAMP_ON = 0x02
    TILT_VALID = 0x04
    YAW_VALID = 0x08


class PadState(enum.IntEnum):
    """What a self-test says of one pad."""

    FINE = 0
    LOW = 1  # never fills: short to ground
    HIGH = 2  # fills at once: wire or pad missing
    JOINED = 3  # moves with another pad: short between two


class Cause(enum.Enum):
    """Why a frame was thrown away."""

    TOO_LONG = "frame longer than any totem sends"
    BROKEN = "frame is not COBS"
    CHECKSUM = "checksum differs"
    UNKNOWN_KIND = "unknown kind of frame"
    LENGTH = "length does not fit the kind of frame"
    VALUE = "a field has a value that cannot be"
    VERSION = "the totem speaks another version of the protocol"
    NO_HELLO = "scans before the totem said hello"
    OTHER_START = "scans of another start of the totem than its hello"


@dataclass(frozen=True, slots=True)
class Fault:
    """A frame that was thrown away; `detail` says more where there is more to say."""

    cause: Cause
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who speaks: `window` frames are kept by the totem, from `oldest` to just before `next_sequence`."""

    firmware: tuple[int, int, int]
    boot_id: int
    build: str
    layout: Layout
    features: Feature
    batch: int
    period_us: int
    window: int
    oldest: int
    next_sequence: int


@dataclass(frozen=True, slots=True)
class Scans:
    """One numbered frame of scans; stamps are the totem's own time."""

    sequence: int
    batch: ScanBatch
    lamp_on: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """The totem did not scan from `t_us` for `lasted_us`, and says why: 1 garbage collection, 2 self-test."""

    sequence: int
    t_us: int
    lasted_us: int
    reason: int


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to a ping: when the totem noticed it and when it answered."""

    token: int
    received_us: int
    sent_us: int


@dataclass(frozen=True, slots=True)
class Health:
    """Counters since the totem started."""

    t_us: int
    scans: int
    scans_missed: int
    frames_pushed_out: int
    frames_sent_again: int
    replies_dropped: int
    bad_commands: int
    short_writes: int
    motion_errors: int
    longest_gap_us: int
    longest_collect_us: int


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the totem found when it tested itself."""

    pads: tuple[PadState, ...]
    seated: bool
    tilt_valid: bool
    yaw_valid: bool

    @property
    def faulty(self) -> tuple[int, ...]:
        """The pads that are not fine."""
        return tuple(pad for pad, state in enumerate(self.pads) if state is not PadState.FINE)


@dataclass(frozen=True, slots=True)
class LampSwitched:
    """The lamp changed at `t_us`, for the calibration of the camera's time."""

    on: bool
    t_us: int


@dataclass(frozen=True, slots=True)
class Gone:
    """Frames asked for have left the window; what is left starts at `oldest`."""

    asked: int
    oldest: int
    next_sequence: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The totem did not understand a command: reason 1 unknown, 2 wrong length."""

    kind: int
    reason: int


Message = Hello | Scans | Pause | Pong | Health | SelfTest | LampSwitched | Gone | Refused


def after(sequence: int, steps: int = 1) -> int:
    """The number `steps` frames later."""
    return (sequence + steps) % SEQUENCES


def distance(sequence: int, reference: int) -> int:
    """How many frames `sequence` comes after `reference` (negative: before), across a wrap of the numbers."""
    ahead = (sequence - reference) % SEQUENCES
    return ahead if ahead < SEQUENCES // 2 else ahead - SEQUENCES
