"""What evidence costs a running game: `OMP_NUM_THREADS=1 python benchmarks/evidence.py --seconds 30`.

Frames of a rendered table (1280×720, 30 a second, paced by the clock) and a totem's scans are handed to the child as
a session hands them, with a ruling every few seconds. Printed are milliseconds a frame in the session's thread (on the
clock, and in processor time), beside a bare copy of the same frame, which is the least it can cost; the child's share
of a core while it only holds and over the whole, its memory, the bytes a ruling takes, and what was dropped.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import Mark, Wanted
from referee.evidence.witness import Witness
from referee.sim.camera import PulledCamera
from referee.sim.scenes import NAMES
from referee.sim.settings import Settings, set_up
from referee.totem.scans import Layout, ScanBatch
from referee.vision.camera import Frame

FPS = 30.0
FRAMES = 90


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    ticks = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Memory of its own that a process holds."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")) / 1e3


def scans(from_us: int, to_us: int) -> ScanBatch:
    """Scans of the recommended totem, 500 a second."""
    t_us = np.arange(from_us, to_us, 2_000, dtype=np.int64)
    counts = np.random.default_rng(from_us).integers(90, 110, (len(t_us), 48)).astype(np.int32)
    layout = Layout(12, 4, tuple(5.0 + 10 * ring for ring in range(12)), 30.0, 120.0)
    return ScanBatch(layout, 1, t_us, counts, np.zeros(len(t_us), np.float32))


def spread(seconds: list[float]) -> str:
    """Mean, median, 95 % and 99 %, in milliseconds."""
    ms = np.array(seconds) * 1e3
    return ", ".join([f"mean {ms.mean():.2f}", *(f"{p} % {np.percentile(ms, p):.2f}" for p in (50, 95, 99))]) + " ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between rulings")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    settings = Settings(tuple(NAMES[:4]), 20.0, 4, size=(1280, 720), fps=FPS)
    camera = PulledCamera(set_up(settings).film(), settings)
    pictures = [frame.picture for frame, _ in zip(camera.frames(), range(FRAMES), strict=False)]
    into = np.empty_like(pictures[0])
    with tempfile.TemporaryDirectory() as folder:
        witness = Witness(Path(folder), EvidenceSettings(area="whole"), (1280, 720), complete=False, tell=print)
        time.sleep(3.0)  # its imports are done before a game begins
        pid = witness.process_id or 0
        wall: list[float] = []
        own: list[float] = []
        bare: list[float] = []
        holding = 0.0
        items = []
        before_s, start_s, rulings = cpu_s(pid), time.monotonic(), 0
        for number in range(round(arguments.seconds * FPS)):
            t_us = round(number * 1e6 / FPS)
            time.sleep(max(0.0, start_s + t_us / 1e6 - time.monotonic()))
            picture = pictures[number % FRAMES]
            witness.scans(scans_at(t_us))
            scan_wall, scan_own = time.perf_counter(), time.thread_time()
            witness.frame(Frame(t_us, None, number, picture), None)
            items += witness.take()
            wall.append(time.perf_counter() - scan_wall)
            own.append(time.thread_time() - scan_own)
            begun = time.perf_counter()
            np.copyto(into, picture)
            bare.append(time.perf_counter() - begun)
            if t_us / 1e6 > (rulings + 1) * arguments.every:
                if not rulings:
                    holding = (cpu_s(pid) - before_s) / (time.monotonic() - start_s)
                rulings += 1
                witness.want(Wanted(t_us - 4_000_000, t_us + 2_000_000, (rulings,), (Mark(t_us, "contact"),)))
        whole = (cpu_s(pid) - before_s) / (time.monotonic() - start_s)
        memory = memory_mb(pid)
        items += witness.finish()
    kept = sum(item.bytes for item in items) / max(1, rulings) / 1e6
    print(f"a frame in the session's thread, on the clock:       {spread(wall)}")
    print(f"a frame in the session's thread, in processor time:  {spread(own)}")
    print(f"a bare copy of the frame, on the clock:              {spread(bare)}")
    print(f"child: {holding:.0%} of a core while it holds, {whole:.0%} over the whole, {memory:.0f} MB of its own")
    print(f"a ruling every {arguments.every:g} s: {kept:.1f} MB each; dropped {witness.tally.frames_dropped} frames")


_SCANS: list[ScanBatch] = []


def scans_at(t_us: int) -> ScanBatch:
    """A thirtieth of a second of scans before a frame, made once and shifted."""
    if not _SCANS:
        _SCANS.append(scans(0, 32_000))
    return _SCANS[0].later(t_us)


if __name__ == "__main__":
    main()
