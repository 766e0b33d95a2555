"""How fast the totem's readings are read: a recorded trace at once, and live in small batches.

    python benchmarks/totem_speed.py

Prints seconds for a 20 s trace of 48 electrodes at 1,000 scans a second (file included), and the share of
one core
that the same scans take when they come 10 ms at a time, as they do live. Best of three, since the machine has
other things to do.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tempfile
import time
from pathlib import Path

import numpy as np

from referee.sim.totem import simulate
from referee.totem.scrambles import Detector, detect, scans_of
from referee.totem.trace import Trace, load_trace

SECONDS = 20


def long_recording(path: Path, seat_pads: bool) -> dict[str, int]:
    """A 20 s trace with several scrambles: recordings one after the other."""
    parts: dict[str, list[np.ndarray]] = {}
    seats: dict[str, int] = {}
    end, seed = 0, 11
    while end < SECONDS * 1_000_000:
        made = simulate(seed, "near", (12, 4), 1000.0, seat_pads)
        if seat_pads and seats and len(made.arrays["seat_names"]) != len(seats):
            seed += 1
            continue
        seats = seats or made.truth["seats"]
        arrays = dict(made.arrays)
        arrays["t_us"] = arrays["t_us"] + end
        end = int(arrays["t_us"][-1])
        for name, array in arrays.items():
            parts.setdefault(name, []).append(array)
        seed += 1
    per_scan = {"t_us", "counts", "tilt_deg", "seat_index", "seat_delta"}
    whole = {name: np.concatenate(p) if name in per_scan else p[0] for name, p in parts.items()}
    keep = whole["t_us"] <= SECONDS * 1_000_000
    np.savez(path, **{name: a[keep] if name in per_scan else a for name, a in whole.items()})
    return seats


def at_once(path: Path, seats: dict[str, int]) -> float:
    """Seconds to read and judge the file."""
    start = time.perf_counter()
    detect(load_trace(path), seats)
    return time.perf_counter() - start


def live(trace: Trace, seats: dict[str, int]) -> tuple[float, float]:
    """(share of one core, longest single feed in ms) when scans come 10 at a time."""
    pads = trace.seats
    detector = Detector(trace.layout, seats, seat_names=None if pads is None else pads.names, provisional=True)
    whole = scans_of(trace)
    longest, busy = 0.0, time.process_time()
    for begin in range(0, len(trace.t_us), 10):
        start = time.perf_counter()
        detector.feed(whole.rows(begin, begin + 10))
        longest = max(longest, time.perf_counter() - start)
    detector.finish()
    return (time.process_time() - busy) / SECONDS, longest * 1000


def main() -> None:
    """Measure with and without seat pads."""
    for seat_pads in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.npz"
            seats = long_recording(path, seat_pads)
            read = min(at_once(path, seats) for _ in range(3))
            trace = load_trace(path)
            share, longest = min(live(trace, seats) for _ in range(3))
        print(
            f"{'with' if seat_pads else 'no'} seat pads: {SECONDS} s of 48 electrodes at 1000 scans/s "
            f"read in {read:.2f} s; live {100 * share:.1f} % of one core, longest feed {longest:.0f} ms"
        )


if __name__ == "__main__":
    main()
