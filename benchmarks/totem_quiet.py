"""Hours in which nobody takes the totem: how often does the detector say that somebody did?

    python benchmarks/totem_quiet.py --hours 3 [--rate 250] [--kinds quiet,wobble] [--first 700000]

Each recording is simulated, read and forgotten, so that hours take minutes and no disk. Scrambles (a hand with a
grip) and falls that are printed are false ones; brushes are counted where none was simulated.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from referee.sim.manner import HELD_OUT, USUAL, random_manner
from referee.sim.totem import simulate
from referee.totem.scrambles import Grab, detect
from referee.totem.trace import trace_of


def main() -> None:
    """Print what was said falsely."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=3.0)
    parser.add_argument("--rate", type=float, default=250.0, help="scans a second")
    parser.add_argument("--kinds", default="quiet,wobble", help="kinds of scenes, with commas, taken in turn")
    parser.add_argument("--first", type=int, default=700_000, help="first seed")
    parser.add_argument("--held-out", action="store_true", help="hands' settings from the bands no lesson had")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    heard_us, seed = 0, options.first
    scrambles, falls, brushes = [], [], []
    start = time.monotonic()
    while heard_us < options.hours * 3.6e9:
        random = np.random.default_rng([seed, 12])
        layout = ((12, 4), (8, 6))[int(random.integers(2))]
        noisy, wet = bool(random.random() < 0.2), bool(random.random() < 0.15)
        manner = random_manner(random, HELD_OUT) if options.held_out else USUAL
        kind = kinds[seed % len(kinds)]
        made = simulate(seed, kind, layout, options.rate, noisy=noisy, wet=wet, manner=manner)
        heard_us += made.truth["duration_us"]
        for event in detect(trace_of(Path(str(seed)), made.arrays), made.truth["seats"]):
            if not isinstance(event, Grab):
                falls.append(seed)
            elif any(hand.grip for hand in event.hands):
                scrambles.append(seed)
            elif not made.truth["brushes"]:
                brushes.append(seed)
        seed += 1
    hours = heard_us / 3.6e9
    print(
        f"{hours:.2f} h in {seed - options.first} recordings ({options.kinds}; {options.rate:g} scans a second): "
        f"{len(scrambles)} false scrambles ({len(scrambles) / hours:.1f} an hour), {len(falls)} false falls, "
        f"{len(brushes)} false brushes; {time.monotonic() - start:.0f} s"
    )
    for name, seeds in (("scrambles", scrambles), ("falls", falls), ("brushes", brushes)):
        if seeds:
            print(f"  {name}: seeds {seeds}")


if __name__ == "__main__":
    main()
