"""The simulated camera as a door for frames: live at any pace, or as fast as they are pulled.

Belongs here: when a frame comes, which are dropped, the process that renders ahead. Does not belong here: what
is in a frame (`film`).

Frames are rendered in a process of their own, as a real camera takes none of the referee's time; it works a few
frames ahead, since the future of a simulated table is known.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.synchronize import Semaphore
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.health import Freshness, freshness
from referee.sim.film import Film
from referee.sim.settings import Settings, frame_times, set_up
from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource, read_only

SLOTS = 6
READOUT_US = 8_000  # from the end of an exposure to the picture being there
STALE_US, LOST_US = 500_000, 3_000_000
CLOSE_S = 3.0


class PulledCamera(FrameSource):
    """Every frame of a film, rendered when it is asked for; times are those of the table's own clock."""

    def __init__(self, film: Film, settings: Settings) -> None:
        self._film, self._settings = film, settings
        self._times = frame_times(film.timeline.end_us, settings.fps, settings.seed)
        self._next = 0

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "the simulated camera"

    @property
    def width(self) -> int:
        """Pixels across."""
        return self._settings.size[0]

    @property
    def height(self) -> int:
        """Pixels down."""
        return self._settings.size[1]

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self._settings.fps

    @property
    def ended(self) -> bool:
        """True after the last frame."""
        return self._next >= len(self._times)

    def poll(self, timeout_s: float) -> Frame | None:
        """The next frame; never waits."""
        if self.ended:
            return None
        t_us = int(self._times[self._next])
        self._next += 1
        picture = read_only(self._film.frame(t_us))
        return Frame(t_us, self._film.scenery.light.exposure_us, self._next - 1, picture)

    def health(self) -> CameraHealth:
        """Always fresh: it is as old as it is asked for."""
        return CameraHealth(Freshness.FRESH, 0, None, self._next)

    def close(self) -> None:
        """No more frames."""
        self._next = len(self._times)


class LiveCamera(FrameSource):
    """The frames of a simulated table at the pace of a clock: `t_us` is `start_us` plus the table's own time.

    What comes too late is dropped and counted. `stall` holds the camera up, as a cable or a driver does.
    """

    def __init__(self, settings: Settings, end_us: int, exposure_us: int, clock: Clock, pace: float = 1.0) -> None:
        self._settings, self._clock, self._pace = settings, clock, pace
        self._exposure_us = exposure_us
        self._times = frame_times(end_us, settings.fps, settings.seed)
        self._next = 0
        self._given = self._dropped = 0
        self._start_us: int | None = None
        self._stalled_from_us = self._stalled_until_us = 0
        self._closed = False
        self._renderer = _Renderer(settings)

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "the simulated camera"

    @property
    def width(self) -> int:
        """Pixels across."""
        return self._settings.size[0]

    @property
    def height(self) -> int:
        """Pixels down."""
        return self._settings.size[1]

    @property
    def fps(self) -> float:
        """Frames a second, as the referee's clock counts them."""
        return self._settings.fps

    @property
    def ended(self) -> bool:
        """True when it is closed or the game is over."""
        return self._closed or self._next >= len(self._times)

    def ready(self, timeout_s: float) -> bool:
        """Wait until the first frames are rendered; False when that takes longer."""
        return self._renderer.wait(timeout_s)

    def start(self, start_us: int) -> None:
        """The table's time 0 is `start_us` on the clock."""
        self._start_us = start_us

    def stall(self, seconds: float) -> None:
        """No frame comes for a while; what was exposed in between is lost."""
        self._stalled_from_us = self._clock()
        self._stalled_until_us = self._stalled_from_us + int(seconds * 1e6)

    def poll(self, timeout_s: float) -> Frame | None:
        """The next frame that is due; waits up to `timeout_s` for it."""
        deadline = time.monotonic() + timeout_s
        while not self.ended and self._start_us is not None:
            now = self._clock()
            if now >= self._stalled_until_us:
                self._drop_late(now)
                t_us = self._start_us + int(self._times[self._next])
                wait_us = t_us + self._exposure_us // 2 + READOUT_US - now
                if wait_us <= 0:
                    return self._take(t_us, deadline)
            else:
                wait_us = self._stalled_until_us - now
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(left, wait_us / 1e6 / self._pace + 1e-4))
        if self._start_us is None and not self.ended:
            time.sleep(max(0.0, deadline - time.monotonic()))
        return None

    def _drop_late(self, now: int) -> None:
        """Frames that came more than two frame times ago are gone."""
        assert self._start_us is not None
        oldest = now - self._start_us - int(2e6 / self._settings.fps) - READOUT_US - self._exposure_us
        while self._next < len(self._times) - 1 and self._times[self._next + 1] < oldest:
            self._next += 1
            self._dropped += 1
        self._renderer.want(self._next)

    def _take(self, t_us: int, deadline: float) -> Frame | None:
        picture = self._renderer.take(self._next, max(0.0, deadline - time.monotonic()))
        if picture is None:
            return None
        self._next += 1
        self._given += 1
        return Frame(t_us, self._exposure_us, self._next - 1, read_only(picture))

    def health(self) -> CameraHealth:
        """How old its newest frame is, whether it was taken or not."""
        age = self._age_us()
        return CameraHealth(freshness(age, None, STALE_US, LOST_US), age, None, self._given, self._dropped)

    def _age_us(self) -> int | None:
        if self._start_us is None:
            return None
        now = self._clock()
        last = self._stalled_from_us if now < self._stalled_until_us else now
        due = last - self._start_us - self._exposure_us // 2 - READOUT_US
        came = int(np.searchsorted(self._times, due, side="right"))
        return now - self._start_us - int(self._times[came - 1]) if came else None

    def close(self) -> None:
        """Stop rendering; may be called twice."""
        if not self._closed:
            self._closed = True
            self._renderer.close()


class _Renderer:
    """A process that renders ahead into shared memory, in order, leaving out what is no longer wanted."""

    def __init__(self, settings: Settings) -> None:
        context = multiprocessing.get_context("spawn")
        width, height = settings.size
        self._shape = (height, width, 3)
        self._memory = SharedMemory(create=True, size=SLOTS * width * height * 3)
        self._free = context.Semaphore(SLOTS)
        self._wanted: Any = context.Value("q", 0)
        self._frames, child = context.Pipe(duplex=False)
        self._taken = 0
        self._came: tuple[int, int] | None = None
        self._process = _start(context, settings, self._memory.name, self._free, self._wanted, child)
        child.close()

    def wait(self, timeout_s: float) -> bool:
        return self._look(timeout_s)

    def want(self, number: int) -> None:
        """Nobody needs frames before this one."""
        self._wanted.value = number

    def take(self, number: int, timeout_s: float) -> NDArray[np.uint8] | None:
        """The picture of a frame, or None when it is not there in time."""
        deadline = time.monotonic() + timeout_s
        while self._look(max(0.0, deadline - time.monotonic())):
            assert self._came is not None
            came, slot = self._came
            if came > number:
                return None
            picture = np.array(self._slots()[slot]) if came == number else None
            self._came = None
            self._free.release()
            if picture is not None:
                return picture
        return None

    def _look(self, timeout_s: float) -> bool:
        if self._came is None:
            with contextlib.suppress(EOFError, OSError):
                if self._frames.poll(timeout_s):
                    self._came = self._frames.recv()
        return self._came is not None

    def _slots(self) -> NDArray[np.uint8]:
        return np.ndarray((SLOTS, *self._shape), np.uint8, self._memory.buf)

    def close(self) -> None:
        self._process.terminate()
        self._process.join(CLOSE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(CLOSE_S)
        self._frames.close()
        self._memory.close()
        with contextlib.suppress(FileNotFoundError):
            self._memory.unlink()


def _start(
    context: SpawnContext, settings: Settings, memory: str, free: Semaphore, wanted: object, frames: Connection
) -> Any:
    process = context.Process(
        target=_render, args=(settings, memory, free, wanted, frames), name="simulated camera", daemon=True
    )
    process.start()
    return process


def _render(settings: Settings, memory_name: str, free: Semaphore, wanted: Any, frames: Connection) -> None:
    """Render the table of these settings, frame after frame, until nobody takes them any more."""
    cv2.setNumThreads(1)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        film = set_up(settings).film()
        memory = SharedMemory(memory_name)
        width, height = settings.size
        slots: NDArray[np.uint8] = np.ndarray((SLOTS, height, width, 3), np.uint8, memory.buf)
        for slot, (number, t_us) in enumerate(_wanted_frames(film, settings, wanted)):
            if not free.acquire(timeout=600):
                return
            slots[slot % SLOTS] = film.frame(t_us)
            frames.send((number, slot % SLOTS))
        frames.close()
        # The memory stays until whoever reads has read the last frame; then this process is ended.
        time.sleep(600)


def _wanted_frames(film: Film, settings: Settings, wanted: Any) -> Iterator[tuple[int, int]]:
    for number, t_us in enumerate(frame_times(film.timeline.end_us, settings.fps, settings.seed).tolist()):
        if number >= wanted.value:
            yield number, t_us
