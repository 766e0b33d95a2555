"""The last seconds, in bounded memory: encoded frames and the totem's scans.

Written rules of this module:
- a ring forgets what is older than its span, but for what is still held for an open window;
- whatever is held, a ring is never larger than its bytes: then the oldest go, held or not.
Does not belong here: encoding, windows, files.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from referee.totem.scans import ScanBatch

SPAN_US = 10_000_000
MOST_FRAME_BYTES = 160_000_000
MOST_COUNT_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class KeptFrame:
    """An encoded frame: JPEG bytes, the middle of its exposure on the table clock, how long it was exposed."""

    number: int
    t_us: int
    exposure_us: int | None
    jpeg: bytes


class FrameRing:
    """The newest frames, in order."""

    def __init__(self, span_us: int = SPAN_US, most_bytes: int = MOST_FRAME_BYTES) -> None:
        self._span_us, self._most = span_us, most_bytes
        self._frames: deque[KeptFrame] = deque()
        self.bytes = 0

    @property
    def newest_us(self) -> int | None:
        """The time of the newest frame."""
        return self._frames[-1].t_us if self._frames else None

    def add(self, frame: KeptFrame, hold_us: int | None = None) -> None:
        """One more frame; what is later than `hold_us` is kept beyond the span."""
        self._frames.append(frame)
        self.bytes += len(frame.jpeg)
        limit_us = frame.t_us - self._span_us
        if hold_us is not None:
            limit_us = min(limit_us, hold_us)
        while self._frames[0].t_us < limit_us or (self.bytes > self._most and len(self._frames) > 1):
            self.bytes -= len(self._frames.popleft().jpeg)

    def between(self, from_us: int, to_us: int) -> list[KeptFrame]:
        """The frames of a stretch, both ends included."""
        return [frame for frame in self._frames if from_us <= frame.t_us <= to_us]

    def near(self, t_us: int, within_us: int) -> KeptFrame | None:
        """The frame nearest to a time; None where none is so near."""
        found = min(self._frames, key=lambda frame: abs(frame.t_us - t_us), default=None)
        return found if found is not None and abs(found.t_us - t_us) <= within_us else None


class CountRing:
    """The newest scans, in order."""

    def __init__(self, span_us: int = SPAN_US, most_bytes: int = MOST_COUNT_BYTES) -> None:
        self._span_us, self._most = span_us, most_bytes
        self._batches: deque[ScanBatch] = deque()
        self.bytes = 0

    @property
    def newest_us(self) -> int | None:
        """The time of the newest scan."""
        return int(self._batches[-1].t_us[-1]) if self._batches else None

    def add(self, batch: ScanBatch, hold_us: int | None = None) -> None:
        """More scans; what is later than `hold_us` is kept beyond the span."""
        if not len(batch):
            return
        self._batches.append(batch)
        self.bytes += _bytes_of(batch)
        limit_us = int(batch.t_us[-1]) - self._span_us
        if hold_us is not None:
            limit_us = min(limit_us, hold_us)
        while int(self._batches[0].t_us[-1]) < limit_us or (self.bytes > self._most and len(self._batches) > 1):
            self.bytes -= _bytes_of(self._batches.popleft())

    def between(self, from_us: int, to_us: int) -> list[ScanBatch]:
        """The batches that hold scans of a stretch."""
        return [one for one in self._batches if int(one.t_us[-1]) >= from_us and int(one.t_us[0]) <= to_us]


def _bytes_of(batch: ScanBatch) -> int:
    arrays = (batch.t_us, batch.counts, batch.tilt_deg, batch.yaw_deg, batch.seated, batch.seat_index, batch.seat_delta)
    return sum(array.nbytes for array in arrays if array is not None)
