"""The ring between the capture process and the referee, beside a pipe and a queue of the standard library.

    python benchmarks/camera_ring.py [SECONDS]

1280×720 pictures go from one process to another. "Flat out": the writer writes as fast as it can; frames a
second that reach the reader. "At 30 a second": the time from the picture in the writer's hands to the picture
in the reader's, and the share of a core of both processes together. All ways in one run, with ratios.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.vision.cameras.devices import Shot, Wanted
from referee.vision.cameras.live import LiveCamera
from referee.vision.cameras.stamps import Exposure, monotonic_us

WIDTH, HEIGHT = 1280, 720
CONTEXT = multiprocessing.get_context("spawn")
Take = Callable[[], tuple[int, NDArray[np.uint8]] | None]
"""The next picture and when the writer had it, in microseconds."""


class Made:
    """A device whose pictures cost nothing to make; `fps` 0 is flat out."""

    def __init__(self, fps: float) -> None:
        self._picture = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
        self._paced = fps
        self._next_s = time.monotonic()

    @property
    def fps(self) -> float:
        return self._paced or 1000.0

    def read(self) -> Shot:
        if self._paced:
            self._next_s += 1 / self._paced
            time.sleep(max(0.0, self._next_s - time.monotonic()))
        return Shot(self._picture, Exposure(monotonic_us(), None, 0))

    def close(self) -> None:
        """Nothing to let go of."""


@contextmanager
def ring(fps: float) -> Iterator[tuple[Take, int]]:
    """Our way."""
    wanted = Wanted(WIDTH, HEIGHT, fps or None)
    camera = LiveCamera("benchmark", partial(Made, fps), wanted, monotonic_us)

    def take() -> tuple[int, NDArray[np.uint8]] | None:
        frame = camera.poll(1.0)
        return None if frame is None else (frame.t_us, frame.picture)

    try:
        yield take, camera.process_id or 0
    finally:
        camera.close()


def _send(line: Connection, fps: float) -> None:
    device = Made(fps)
    while True:
        shot = device.read()
        try:
            line.send((shot.exposure.middle_us, shot.picture))
        except OSError:
            return


@contextmanager
def pipe(fps: float) -> Iterator[tuple[Take, int]]:
    """`Connection.send` of the array."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_send, args=(theirs, fps), daemon=True)
    process.start()
    theirs.close()
    yield ours.recv, process.pid or 0
    process.kill()
    process.join()


def _queue(queue: Any, fps: float) -> None:
    device = Made(fps)
    while True:
        shot = device.read()
        queue.put((shot.exposure.middle_us, shot.picture))


@contextmanager
def queue(fps: float) -> Iterator[tuple[Take, int]]:
    """`multiprocessing.Queue` of four places."""
    made: Any = CONTEXT.Queue(4)
    process = CONTEXT.Process(target=_queue, args=(made, fps), daemon=True)
    process.start()
    yield made.get, process.pid or 0
    process.kill()
    process.join()


def _cpu_s(pid: int) -> float:
    ticks = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def measure(way: Callable[[float], Any], fps: float, seconds: float) -> tuple[float, NDArray[np.float64], float]:
    """Frames a second that arrived, their delays in ms, share of a core of both sides."""
    with way(fps) as (take, pid):
        for _ in range(10):  # the other process starts
            take()
        delays: list[float] = []
        own_s, other_s, start_s = time.process_time(), _cpu_s(pid), time.monotonic()
        while time.monotonic() - start_s < seconds:
            taken = take()
            if taken is not None:
                delays.append((monotonic_us() - taken[0]) / 1000)
        took_s = time.monotonic() - start_s
        busy_s = time.process_time() - own_s + _cpu_s(pid) - other_s
        return len(delays) / took_s, np.array(delays), busy_s / took_s


def main() -> None:
    """Measure, print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    ways = {"this ring": ring, "Pipe": pipe, "Queue": queue}
    print(f"{WIDTH}×{HEIGHT}, {seconds:g} s each")
    print(f"{'':>10} | flat out   ratio | at 30 a second: mean    p99 ms   ratio   of a core")
    first: tuple[float, float] | None = None
    for name, way in ways.items():
        rate, _, _ = measure(way, 0.0, seconds)
        _, delays, share = measure(way, 30.0, seconds)
        first = first or (rate, float(delays.mean()))
        print(
            f"{name:>10} | {rate:6.0f} /s {rate / first[0]:6.2f}× | "
            f"{delays.mean():20.2f} {np.percentile(delays, 99):9.2f} {delays.mean() / first[1]:6.1f}× {share:10.1%}"
        )


if __name__ == "__main__":
    main()
