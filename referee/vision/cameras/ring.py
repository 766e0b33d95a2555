"""A bounded ring of pictures in shared memory: one process writes, one reads, the newest frame wins.

Written rules of this module:
- the writer never waits for the reader: with no slot free it takes back the oldest picture not yet read;
- the reader gets pictures in order; once one was taken back it is too slow, and jumps to the newest;
- a slot belongs to one side at a time and changes hands under a lock, so no picture is ever torn;
- a process killed with the lock in its hands must not stop the other: waits for it have a limit, and a ring is
  thrown away with the process that wrote it.
Does not belong here: processes, cameras, table time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import SpawnContext
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.synchronize import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.errors import HardwareError
from referee.vision.cameras.devices import Shot
from referee.vision.cameras.stamps import Exposure

SLOTS = 4  # one being written, one being read, two waiting: a reader may hiccup for two frames and lose none
LOCK_LIMIT_S = 1.0
_FREE, _WRITING, _READY, _HELD = range(4)
_NOT_KNOWN = -1
_PROBLEM_BYTES = 480
_HEAD = np.dtype([("captured", "i8"), ("newest_us", "i8"), ("fps", "f8"), ("problem", f"S{_PROBLEM_BYTES}")])
_SLOT = np.dtype(
    [(name, "i8") for name in ("state", "number", "middle_us", "exposure_us", "error_us", "width", "height")]
)


class RingError(HardwareError):
    """The other side died while it held the lock."""


@dataclass(frozen=True)
class RingPlace:
    """What a process needs to join a ring; goes to a child as an argument of its start."""

    name: str
    slots: int
    capacity_bytes: int
    lock: Lock


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture copied out of the ring, and its number since the writer began."""

    number: int
    shot: Shot


@dataclass(frozen=True, slots=True)
class RingState:
    """How many pictures came, when the newest was exposed (None: none yet), and what the writer complains of."""

    captured: int
    newest_us: int | None
    fps: float
    problem: str | None


class Ring:
    """One side of a ring."""

    def __init__(self, place: RingPlace, memory: SharedMemory, owner: bool) -> None:
        self.place = place
        self._memory = memory
        self._owner = owner
        table_bytes = _SLOT.itemsize * place.slots
        self._head: NDArray[Any] = np.ndarray(1, _HEAD, memory.buf)
        self._table: NDArray[Any] = np.ndarray(place.slots, _SLOT, memory.buf, _HEAD.itemsize)
        start = _HEAD.itemsize + table_bytes
        self._pixels: NDArray[np.uint8] = np.ndarray((place.slots, place.capacity_bytes), np.uint8, memory.buf, start)
        self._next_number = 0
        self._closed = False

    @classmethod
    def create(cls, context: SpawnContext, capacity_bytes: int, slots: int = SLOTS) -> Ring:
        """A new ring with room for pictures of so many bytes; whoever creates it removes it by `close`."""
        if slots < 3:
            raise ValueError("a ring needs three slots: one being written, one being read, one waiting")
        size = _HEAD.itemsize + slots * (_SLOT.itemsize + capacity_bytes)
        memory = SharedMemory(create=True, size=size)
        return cls(RingPlace(memory.name, slots, capacity_bytes, context.Lock()), memory, owner=True)

    @classmethod
    def join(cls, place: RingPlace) -> Ring:
        """The same ring in another process."""
        return cls(place, SharedMemory(place.name), owner=False)

    def put(self, number: int, shot: Shot) -> None:
        """Write a picture; for the writer. Takes back the oldest unread one when no slot is free."""
        with self._locked():
            states = self._table["state"]
            free = np.flatnonzero(states == _FREE)
            ready = np.flatnonzero(states == _READY)
            # Of three slots or more at most one is held by the reader, so one of these is there.
            slot = int(free[0]) if len(free) else int(ready[np.argmin(self._table["number"][ready])])
            states[slot] = _WRITING
        picture, exposure = shot.picture, shot.exposure
        np.copyto(self._pixels[slot, : picture.nbytes].reshape(picture.shape), picture)
        with self._locked():
            length_us = _NOT_KNOWN if exposure.exposure_us is None else exposure.exposure_us
            height, width = picture.shape[:2]
            self._table[slot] = (_READY, number, exposure.middle_us, length_us, exposure.error_us, width, height)
            self._head["captured"] += 1
            self._head["newest_us"] = exposure.middle_us
            self._head["problem"] = b""

    def take(self) -> Taken | None:
        """Copy the next picture out; for the reader. None when there is none."""
        with self._locked():
            states = self._table["state"]
            ready = np.flatnonzero(states == _READY)
            if not len(ready):
                return None
            numbers = self._table["number"][ready]
            fell_behind = int(numbers.min()) != self._next_number
            slot = int(ready[np.argmax(numbers) if fell_behind else np.argmin(numbers)])
            if fell_behind:
                states[ready] = _FREE
            states[slot] = _HELD
            _, number, middle_us, length_us, error_us, width, height = (int(v) for v in self._table[slot])
            self._next_number = number + 1
        picture = self._pixels[slot, : width * height * 3].reshape(height, width, 3).copy()
        with self._locked():
            self._table["state"][slot] = _FREE
        exposure = Exposure(middle_us, None if length_us == _NOT_KNOWN else length_us, error_us)
        return Taken(number, Shot(picture, exposure))

    def state(self) -> RingState:
        """What the writer has said so far."""
        with self._locked():
            head = self._head[0]
            captured, problem = int(head["captured"]), bytes(head["problem"]).decode("utf-8", "replace")
            return RingState(
                captured, int(head["newest_us"]) if captured else None, float(head["fps"]), problem or None
            )

    def say(self, fps: float | None = None, problem: str | None = None) -> None:
        """Leave word of the rate or of a problem; for the writer."""
        with self._locked():
            if fps is not None:
                self._head["fps"] = fps
            if problem is not None:
                self._head["problem"] = problem.encode("utf-8", "replace")[:_PROBLEM_BYTES]

    def close(self) -> None:
        """Leave the ring; its creator removes it."""
        if self._closed:
            return
        self._closed = True
        # Views into the memory must go before it can be closed.
        del self._head, self._table, self._pixels
        self._memory.close()
        if self._owner:
            self._memory.unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if not self.place.lock.acquire(timeout=LOCK_LIMIT_S):
            raise RingError("the capture process died while it wrote")
        try:
            yield
        finally:
            self.place.lock.release()
