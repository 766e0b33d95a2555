"""What every door for frames promises.

Belongs here: a frame, the contract of a source and the words of its health. Does not belong here: any device,
any file, what is in a picture.

The contract (tests/vision/cameras/contract.py holds every source to it):
- `poll` waits at most about as long as it is told and returns the next frame, or None when none has come;
  `frames` is `poll` in a loop until the source has ended.
- `t_us` is the middle of the exposure on the table clock and never goes back; `number` rises, and a gap in it
  is that many frames dropped.
- A recorded source gives every frame, in order, as fast as it is asked. A live one gives frames in order while
  it is asked in time; when it is not, older frames make way for newer ones and are counted in `health`.
- A live device that is missing, busy or gone is a state of `health`, never an exception of `poll`; the source
  opens it again by itself. A broken file is a `PictureError` of one sentence.
- A picture is read-only and belongs to whoever got it: no later frame changes it.
- `close` may be called twice; a closed source gives no more frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.health import Freshness
from referee.vision.halves import halved

Clock = Callable[[], int]
"""Microseconds on the table clock, now."""

POLL_S = 0.1


@dataclass(frozen=True)
class Frame:
    """One picture of the table: H×W×3 uint8, BGR, read-only.

    `t_us` is its mid-exposure on the table clock, `exposure_us` how long it was exposed (None: not known),
    `number` counts up from 0; a gap means frames dropped.
    """

    t_us: int
    exposure_us: int | None
    number: int
    picture: NDArray[np.uint8]

    @cached_property
    def half(self) -> NDArray[np.uint8] | None:
        """The picture at half its size, made once a frame; None where a side is no even number of pixels."""
        return halved(self.picture)


@dataclass(frozen=True, slots=True)
class CameraHealth:
    """The state of a source; `age_us` of its newest frame (None: none yet), `problem` in words if any.

    `frames` were given, `dropped` came and were never given. `clock_error_us` is how far a frame's `t_us` may
    be off (0 for recordings, whose times are taken as they stand). `starts` counts openings of the device.
    """

    freshness: Freshness
    age_us: int | None
    problem: str | None = None
    frames: int = 0
    dropped: int = 0
    starts: int = 1
    clock_error_us: int = 0


class FrameSource(Protocol):
    """A door for frames. Whoever writes one may inherit `frames` from here and write the rest."""

    @property
    def name(self) -> str:
        """What a person calls it: a device, a file."""
        ...

    @property
    def width(self) -> int:
        """Pixels across; of a live camera what was asked for until its first frame."""
        ...

    @property
    def height(self) -> int:
        """Pixels down, likewise."""
        ...

    @property
    def fps(self) -> float:
        """Frames a second it is meant to give."""
        ...

    @property
    def ended(self) -> bool:
        """True when no frame will ever come again: the source is closed or its recording is over."""
        ...

    def poll(self, timeout_s: float) -> Frame | None:
        """Wait up to `timeout_s` for the next frame; returns it at once when it is there."""
        ...

    def frames(self) -> Iterator[Frame]:
        """Every frame until the source has ended."""
        while not self.ended:
            frame = self.poll(POLL_S)
            if frame is not None:
                yield frame

    def health(self) -> CameraHealth:
        """How the source is right now."""
        ...

    def close(self) -> None:
        """Let go of the device or file."""
        ...


def read_only(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same picture, locked against writing."""
    picture.flags.writeable = False
    return picture
