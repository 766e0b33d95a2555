"""A live camera as a source: starts the capture process, watches it, kills it and starts it again.

Written rules of this module:
- health is the age of the newest frame, never "the process is alive": a driver can hang for ever;
- a device that was silent for too long is killed with its process and opened anew;
- frames go on counting through a restart, with at least one number left out for what was missed;
- nothing here waits longer than it is told, and no thread is needed: `poll` does the watching.
Does not belong here: how a device is read (`devices`), shared memory (`ring`).
"""

from __future__ import annotations

import multiprocessing
import os
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from referee.health import Freshness, freshness
from referee.vision.cameras import capture
from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource, read_only
from referee.vision.cameras.devices import Wanted
from referee.vision.cameras.ring import SLOTS, Ring, RingError, Taken
from referee.vision.cameras.stamps import monotonic_us


@dataclass(frozen=True)
class Patience:
    """How long a live camera may be silent, in seconds.

    `stale_s` and `lost_s` are the ages at which its health turns; of a slow camera no less than `stale_frames`
    frame periods. `open_s` is the time an opening may take, `reopen_s` the pause before another try.
    """

    stale_s: float = 0.3
    stale_frames: int = 5
    lost_s: float = 2.0
    open_s: float = 10.0
    reopen_s: float = 0.5


@dataclass
class _Run:
    """One life of the capture process, with the ring it alone wrote."""

    process: SpawnProcess
    line: Connection
    ring: Ring
    heard_s: float  # monotonic time at which it last gave a sign of life
    captured: int = 0
    first_number: int | None = None  # what its frame 0 counts as


class LiveCamera(FrameSource):
    """A device in a process of its own; `make_device` opens it there."""

    def __init__(
        self,
        name: str,
        make_device: capture.MakeDevice,
        wanted: Wanted,
        clock: Clock,
        offset_us: int = 0,
        patience: Patience | None = None,
        slots: int = SLOTS,
    ) -> None:
        """Start opening at once; a device that is not there is a state of `health`."""
        self._name = name
        self._make_device = make_device
        self._wanted = wanted
        self._clock = clock
        self._patience = patience or Patience()
        self._slots = slots
        self._context = multiprocessing.get_context("spawn")  # fork would copy locks that other threads hold
        self._to_table_us = _to_table_us(clock) + offset_us
        self._size = wanted.size
        self._fps = wanted.rate
        self._last: Frame | None = None
        self._error_us = 0
        self._given = self._dropped = self._starts = 0
        self._problem: str | None = None
        self._reopen_s = 0.0
        self._closed = False
        self._run: _Run | None = None
        self._tend()

    @property
    def name(self) -> str:
        return self._name

    @property
    def width(self) -> int:
        return self._size[0]

    @property
    def height(self) -> int:
        return self._size[1]

    @property
    def fps(self) -> float:
        return self._fps

    @property
    def ended(self) -> bool:
        return self._closed

    @property
    def process_id(self) -> int | None:
        """The capture process of this moment."""
        return self._run.process.pid if self._run is not None else None

    def poll(self, timeout_s: float) -> Frame | None:
        end_s = time.monotonic() + timeout_s
        while not self._closed:
            frame = self._take()
            if frame is not None:
                return frame
            self._tend()
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                break
            self._wait(left_s)
        return None

    def health(self) -> CameraHealth:
        newest_us = None if self._last is None else self._last.t_us
        problem = "closed" if self._closed else self._problem
        try:
            state = self._run.ring.state() if self._run is not None else None
        except RingError as error:
            state, problem = None, str(error)
        if state is not None and state.newest_us is not None:
            newest_us, problem = state.newest_us + self._to_table_us, state.problem
        age_us = None if newest_us is None else max(0, self._clock() - newest_us)
        patience = self._patience
        stale_us = round(1e6 * max(patience.stale_s, patience.stale_frames / self._fps))
        lost_us = max(round(1e6 * patience.lost_s), stale_us)
        fresh = freshness(age_us, problem, stale_us, lost_us)
        if fresh is Freshness.LOST and problem is None:
            problem = f"camera {self._name}: silent"
        return CameraHealth(fresh, age_us, problem, self._given, self._dropped, self._starts, self._error_us)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._end_run()

    def _take(self) -> Frame | None:
        run = self._run
        if run is None:
            return None
        try:
            taken = run.ring.take()
        except RingError as error:
            self._lose(str(error))
            return None
        return None if taken is None else self._frame(run, taken)

    def _frame(self, run: _Run, taken: Taken) -> Frame:
        exposure = taken.shot.exposure
        t_us = exposure.middle_us + self._to_table_us
        last = self._last
        if run.first_number is None:
            self._fps = run.ring.state().fps or self._fps
            if last is None:
                run.first_number = -taken.number  # what came before anybody looked is not missed
            else:
                missed = max(1, round((t_us - last.t_us) * self._fps / 1e6) - 1)
                run.first_number = last.number + 1 + missed - taken.number
        number = run.first_number + taken.number
        if last is not None:
            self._dropped += number - last.number - 1
            t_us = max(t_us, last.t_us)
        picture = read_only(taken.shot.picture)
        self._size = (picture.shape[1], picture.shape[0])
        self._error_us = exposure.error_us
        self._given += 1
        self._problem = None
        self._last = Frame(t_us, exposure.exposure_us, number, picture)
        return self._last

    def _wait(self, left_s: float) -> None:
        """Wait for the bell, or until something has to be done."""
        run, now_s = self._run, time.monotonic()
        if run is None:
            time.sleep(max(0.0, min(left_s, self._reopen_s - now_s)))
            return
        due_s = run.heard_s + self._limit_s(run) - now_s
        if wait([run.line], max(0.0, min(left_s, due_s))):
            try:
                rung = os.read(run.line.fileno(), 4096)
            except ConnectionResetError:
                rung = b""
            if not rung:
                # The last pictures and the last words are in the ring.
                run.process.join(1.0)

    def _tend(self) -> None:
        """Start, give up on, or start again the capture process."""
        run, now_s = self._run, time.monotonic()
        if run is None:
            if now_s >= self._reopen_s:
                self._start()
            return
        try:
            state = run.ring.state()
        except RingError as error:
            self._lose(str(error))
            return
        if state.captured != run.captured:
            run.captured, run.heard_s = state.captured, now_s
        if not run.process.is_alive():
            if state.captured == 0 or not self._unread(run):
                self._lose(state.problem or f"camera {self._name}: the capture process was killed")
        elif now_s - run.heard_s >= self._limit_s(run):
            self._lose(f"camera {self._name}: silent for {now_s - run.heard_s:.1f} s, opened again")

    def _unread(self, run: _Run) -> bool:
        last = -1 if run.first_number is None or self._last is None else self._last.number - run.first_number
        return last + 1 < run.captured

    def _limit_s(self, run: _Run) -> float:
        slowest_s = self._patience.stale_frames / self._fps
        return max(self._patience.lost_s, slowest_s) if run.captured else self._patience.open_s

    def _start(self) -> None:
        ring = Ring.create(self._context, self._wanted.capacity_bytes, self._slots)
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=capture.run, args=(self._make_device, ring.place, theirs), name=f"camera {self._name}", daemon=True
        )
        process.start()
        theirs.close()
        self._starts += 1
        if self._problem is None:
            self._problem = f"camera {self._name}: is being opened"
        self._run = _Run(process, ours, ring, time.monotonic())

    def _lose(self, problem: str) -> None:
        self._problem = problem
        self._reopen_s = time.monotonic() + self._patience.reopen_s
        self._end_run()

    def _end_run(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        if self._closed:
            run.line.close()  # the child lets go of its device and ends
            run.process.join(1.0)
        if run.process.is_alive():
            run.process.kill()
            run.process.join()
        run.line.close()
        run.process.close()
        run.ring.close()


def _to_table_us(clock: Clock) -> int:
    """What brings CLOCK_MONOTONIC onto the table clock; the best of a few looks, one may be interrupted."""
    looks = []
    for _ in range(5):
        before_us = monotonic_us()
        table_us = clock()
        after_us = monotonic_us()
        looks.append((after_us - before_us, table_us - (before_us + after_us) // 2))
    return min(looks)[1]
