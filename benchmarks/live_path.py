"""The whole live path on one core: `OMP_NUM_THREADS=1 python benchmarks/live_path.py --seconds 60`.

Every frame and every batch of scans of a simulated table goes through a session that keeps its record on disk. Timed is
what the session does with a datum, in processor time, which other programs do not lengthen; rendering is not timed.
Printed are milliseconds a frame (mean, median, 95 %, 99 %, worst), what the totem's scans cost a second, how long the
calls took in which a ruling was kept (`--wall` for the time on the clock, commit to disk included), and the process's
memory after each game. `--loops N` plays N games on end in one process, to see memory stay flat.

For scale the same frames are also shrunk and compared once each, which is the least anybody could do with them.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.keeping import RecordFile
from referee.ledger import Given, Ledger
from referee.profile import read_profile
from referee.session import Session, Snapshot, header_of, make_session
from referee.sim.camera import PulledCamera
from referee.sim.recorded_table import write_profile
from referee.sim.scenes import NAMES
from referee.sim.settings import Settings, set_up
from referee.sim.touches import scans, trace_arrays
from referee.table.calls import Notice
from referee.totem.links.recorded import RecordedLink
from referee.vision.change import still

now_s = time.thread_time


class Counting:
    """Counts the rulings given since the last look."""

    def __init__(self) -> None:
        self.count = 0

    def given(self, given: Sequence[Given]) -> None:
        """Count them."""
        self.count += len(given)

    def noticed(self, notice: Notice) -> None:
        """Nothing."""

    def stands(self, snapshot: Snapshot) -> None:
        """Nothing."""


class Times:
    """Seconds, by what they were spent on."""

    def __init__(self) -> None:
        self.frame: list[float] = []
        self.scan_s = 0.0
        self.kept: list[float] = []
        self.least: list[float] = []
        self.table_s = 0.0


def play(settings: Settings, folder: Path, times: Times) -> None:
    """Play one game through a session and take the times."""
    table = set_up(settings)
    profile = read_profile(write_profile(table, folder))
    header = header_of(profile)
    counting = Counting()
    path = folder / "record.jsonl"
    path.unlink(missing_ok=True)
    camera = PulledCamera(table.film(), settings)
    link = RecordedLink(scans(trace_arrays(table.game.touching, table.totem, settings.seed), table.totem.cylinder))
    with RecordFile(path, header) as kept:
        session = make_session(
            profile,
            resolve_deck(profile.deck),
            Ledger(header),
            kept,
            fps=settings.fps,
            totem=True,
            listeners=[counting],
        )
        before: NDArray[np.float32] | None = None
        waiting = link.poll(0.0)
        for frame in camera.frames():
            while waiting and int(waiting[-1].t_us[-1]) <= frame.t_us:
                begun = now_s()
                session.scans(waiting)
                times.scan_s += now_s() - begun
                waiting = [] if link.ended else link.poll(0.0)
            _frame(session, frame, counting, times)
            begun = now_s()
            now = still(frame.picture).cells
            if before is not None:
                float(np.abs(now - before).max())
            before = now
            times.least.append(now_s() - begun)
        times.table_s += table.game.timeline.end_us / 1e6
        session.finish()


def _frame(session: Session, frame: object, counting: Counting, times: Times) -> None:
    counted = counting.count
    begun = now_s()
    session.frame(frame)  # type: ignore[arg-type]
    took = now_s() - begun
    times.frame.append(took)
    if counting.count > counted:
        times.kept.append(took)


def spread(seconds: Sequence[float]) -> str:
    """Mean, median, 95 %, 99 % and worst, in milliseconds."""
    if not seconds:
        return "none"
    ms = np.array(seconds) * 1e3
    parts = {"mean": ms.mean(), **{f"{p} %": np.percentile(ms, p) for p in (50, 95, 99)}, "worst": ms.max()}
    return ", ".join(f"{name} {value:.1f}" for name, value in parts.items()) + f" ms ({len(ms)})"


def memory_mb() -> float:
    """Resident memory now, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
    return pages * resource.getpagesize() / 1e6


def main() -> int:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=70)
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="time on the clock instead of processor time")
    arguments = parser.parse_args()
    if arguments.wall:
        globals()["now_s"] = time.perf_counter
    cv2.setNumThreads(1)
    width, height = (int(part) for part in arguments.size.split("x"))
    times, memory = Times(), [memory_mb()]
    with tempfile.TemporaryDirectory() as folder:
        for loop in range(arguments.loops):
            settings = Settings(
                tuple(NAMES[: arguments.players]),
                arguments.seconds,
                arguments.seed + loop,
                fps=arguments.fps,
                size=(width, height),
            )
            play(settings, Path(folder), times)
            memory.append(memory_mb())
    print(
        f"{arguments.players} players, {arguments.size} at {arguments.fps:g}/s, {times.table_s:.0f} s of play, one core"
    )
    print(f"a frame:                     {spread(times.frame)}")
    print(f"the least (shrink, compare): {spread(times.least)}")
    print(f"a frame takes {sum(times.frame) / sum(times.least):.1f} times the least")
    print(f"frames a second on one core: {len(times.frame) / (sum(times.frame) + times.scan_s):.0f}")
    print(f"scans of the totem:          {100 * times.scan_s / times.table_s:.1f} % of a core")
    print(f"a frame that gave a ruling:  {spread(times.kept)}")
    print(f"memory after each game:      {', '.join(f'{mb:.0f}' for mb in memory)} MB (rendering included)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
