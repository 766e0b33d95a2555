"""Traces of our own simulator to be scored on, with seeds that no lesson and no threshold has seen.

    python benchmarks/totem_traces.py FOLDER --count 300 [--held-out] [--pads] [--rate 1000] [--kinds near,far]

Writes NAME.npz and NAME.json (the truth) in the form of the sample traces, which their score program reads.
Lessons (scripts/train_hand_net.py) use seeds below 300,000; thresholds were looked at on 900,000 and above,
single failures on 500,000 to 520,300; these begin at 600,000 (`--first`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from referee.sim.manner import HELD_OUT, USUAL, random_manner
from referee.sim.scenes import KINDS
from referee.sim.totem import Recording, simulate


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which recordings are wanted."""
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=600_000)
    parser.add_argument("--pads", action="store_true", help="with seat pads")
    parser.add_argument("--rate", type=float, default=1000.0, help="scans a second")
    parser.add_argument("--layouts", default="12x4,8x6", help="rings x sectors, with commas")
    parser.add_argument("--held-out", action="store_true", help="hands' settings from the bands no lesson had")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of scenes, with commas, taken in turn")


def recordings(options: argparse.Namespace) -> Iterator[tuple[str, Recording]]:
    """The recordings that the options ask for, with their names."""
    layouts = [tuple(int(side) for side in text.split("x")) for text in options.layouts.split(",")]
    kinds = options.kinds.split(",")
    for number in range(options.count):
        seed = options.first + number
        random = np.random.default_rng([seed, 12])
        rings, sectors = layouts[int(random.integers(len(layouts)))]
        kind = kinds[number % len(kinds)]
        made = simulate(
            seed,
            kind,
            (rings, sectors),
            options.rate,
            options.pads,
            noisy=bool(random.random() < 0.2),
            wet=bool(random.random() < 0.15),
            manner=random_manner(np.random.default_rng([seed, 13]), HELD_OUT) if options.held_out else USUAL,
        )
        yield f"{seed}-{kind}", made


def main() -> None:
    """Write the traces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    add_options(parser)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, made in recordings(options):
        made.save(options.folder / f"{name}.npz")


if __name__ == "__main__":
    main()
