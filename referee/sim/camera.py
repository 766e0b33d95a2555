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
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.synchronize import Semaphore
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.health import Freshness, freshness
from referee.sim.film import Film, frame_truth
from referee.sim.settings import Settings, frame_times, set_up
from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource, read_only

SLOTS = 6
READOUT_US = 8_000  # from the end of an exposure to the picture being there
STALE_US, LOST_US = 500_000, 3_000_000
CLOSE_S = 3.0
OLDEST_FRAMES = 2  # a frame that many frame times late makes way for a newer one
PATIENCE_S = 600.0  # of the process that renders, for somebody to take a frame


class _SimulatedCamera(FrameSource):
    """What every simulated camera says of itself."""

    _settings: Settings

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


class PulledCamera(_SimulatedCamera):
    """Every frame of a film, rendered when it is asked for; times are those of the table's own clock.

    `shown` keeps the truth of each frame given, as `truth.json` has it: for whoever scores, not for the referee.
    """

    def __init__(self, film: Film, settings: Settings) -> None:
        self._film, self._settings = film, settings
        self._times = frame_times(film.timeline.end_us, settings.fps, settings.seed)
        self._next = 0
        self.shown: list[dict[str, Any]] = []

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
        self.shown.append({"t_us": t_us, "tops": frame_truth(self._film, t_us)})
        return Frame(t_us, self._film.scenery.light.exposure_us, self._next - 1, picture)

    def health(self) -> CameraHealth:
        """Always fresh: it is as old as it is asked for."""
        return CameraHealth(Freshness.FRESH, 0, None, self._next)

    def close(self) -> None:
        """No more frames."""
        self._next = len(self._times)


class LiveCamera(_SimulatedCamera):
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
        self._ended = False
        self._renderer = _Renderer(settings, pace)

    @property
    def ended(self) -> bool:
        """True when it is closed or the game is over."""
        return self._closed or self._ended or self._next >= len(self._times)

    def ready(self, timeout_s: float) -> bool:
        """Wait until the first frames are rendered; False when that takes longer."""
        return self._renderer.look(timeout_s) is not None

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
        while not self.ended:
            left = deadline - time.monotonic()
            wait_us = self._wait_us(max(0.0, left))
            if wait_us is not None and wait_us <= 0:
                return self._give()
            if left <= 0:
                return None
            time.sleep(max(0.0, min(left, 0.001 if wait_us is None else wait_us / 1e6 / self._pace)))
        return None

    def _wait_us(self, patience_s: float) -> int | None:
        """How long until the next frame is due (0: it is); None when nobody knows yet."""
        now = self._clock()
        if self._start_us is None:
            return None
        if now < self._stalled_until_us:
            return self._stalled_until_us - now
        self._renderer.want(int(np.searchsorted(self._times, now - self._start_us)))
        number = self._renderer.look(patience_s)
        while number is not None and self._is_lost(number) and self._renderer.more():
            self._renderer.skip()
            number = self._renderer.look(0.0)
        if number is None:
            self._ended = self._renderer.ended
            return None
        return max(0, self._due_us(number) - self._clock())

    def _due_us(self, number: int) -> int:
        """When a frame is there: exposed and read out."""
        return (self._start_us or 0) + int(self._times[number]) + self._exposure_us // 2 + READOUT_US

    def _is_lost(self, number: int) -> bool:
        """Whether a newer frame would do better, or the cable was out when this one came."""
        due = self._due_us(number)
        old = self._clock() - due > OLDEST_FRAMES * 1e6 / self._settings.fps
        return old or self._stalled_from_us <= due < self._stalled_until_us

    def _give(self) -> Frame:
        number, picture = self._renderer.take()
        self._dropped += number - self._next
        self._next = number + 1
        self._given += 1
        t_us = (self._start_us or 0) + int(self._times[number])
        return Frame(t_us, self._exposure_us, number, read_only(picture))

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
    """A process that renders ahead into shared memory, in order; what is no longer wanted it leaves out."""

    def __init__(self, settings: Settings, pace: float) -> None:
        context = multiprocessing.get_context("spawn")
        width, height = settings.size
        self._shape = (height, width, 3)
        self._memory = SharedMemory(create=True, size=SLOTS * width * height * 3)
        self._free = context.Semaphore(SLOTS)
        self._wanted: Any = context.Value("q", 0)
        self._frames, child = context.Pipe(duplex=False)
        self._came: tuple[int, int] | None = None
        self.ended = False
        place = _Place(self._memory.name, self._free, self._wanted, child)
        self._process = context.Process(
            target=_render, args=(settings, pace, place), name="simulated camera", daemon=True
        )
        self._process.start()
        child.close()

    def want(self, number: int) -> None:
        """Nobody needs frames before this one."""
        self._wanted.value = number

    def look(self, timeout_s: float) -> int | None:
        """The number of the next frame that is rendered; None when there is none in time, or never will be."""
        if self._came is None and not self.ended:
            try:
                if self._frames.poll(timeout_s):
                    self._came = self._frames.recv()
            except (EOFError, OSError):
                self.ended = True
        return self._came[0] if self._came is not None else None

    def more(self) -> bool:
        """Whether another frame is rendered already."""
        try:
            return not self.ended and self._frames.poll(0)
        except (EOFError, OSError):
            return False

    def skip(self) -> None:
        """Let the next frame go."""
        self._came = None
        self._free.release()

    def take(self) -> tuple[int, NDArray[np.uint8]]:
        """The next frame's number and picture; it must have been looked at."""
        assert self._came is not None
        number, slot = self._came
        picture = np.array(np.ndarray((SLOTS, *self._shape), np.uint8, self._memory.buf)[slot])
        self.skip()
        return number, picture

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


@dataclass(frozen=True)
class _Place:
    """Where the process puts its pictures, and how it hears which are wanted."""

    memory: str
    free: Semaphore
    wanted: Any
    frames: Connection


def _render(settings: Settings, pace: float, place: _Place) -> None:
    """Render the table of these settings, frame after frame, until nobody takes them any more."""
    cv2.setNumThreads(1)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        film = set_up(settings).film()
        memory = SharedMemory(place.memory)
        width, height = settings.size
        slots: NDArray[np.uint8] = np.ndarray((SLOTS, height, width, 3), np.uint8, memory.buf)
        times = frame_times(film.timeline.end_us, settings.fps, settings.seed)
        number, count, takes_s = 0, 0, 0.0
        while number < len(times):
            if not place.free.acquire(timeout=PATIENCE_S):
                return
            wanted = int(place.wanted.value)
            if number < wanted:
                # Behind: go on with the frame that will be wanted when it is done.
                number = min(len(times) - 1, wanted + int(takes_s * pace * settings.fps) + 1)
            start = time.monotonic()
            slots[count % SLOTS] = film.frame(int(times[number]))
            takes_s += 0.2 * (time.monotonic() - start - takes_s)
            place.frames.send((number, count % SLOTS))
            number, count = number + 1, count + 1
        place.frames.close()
        # The memory stays until whoever reads has read the last frame; then this process is ended.
        time.sleep(PATIENCE_S)
