"""Whole games of Jungle Bluff through the table, on drawn words: `python -m benchmarks.bluff_games --games 500`."""

from __future__ import annotations

import argparse

from referee.sim.bluff_fused import Tally, play_through
from referee.sim.bluff_games import play
from referee.sim.bluff_senses import BluffErrors
from referee.table.settings import FusionSettings

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaël", "Hugo", "Inès", "Jules")


def main() -> None:
    """Print the tally."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1000)
    arguments = parser.parse_args()
    total = Tally()
    for seed in range(arguments.seed, arguments.seed + arguments.games):
        names = NAMES[: 2 + seed % 9]
        one = play_through(
            play(seed, names, {"advanced": seed % 2 == 0}), BluffErrors(), seed, FusionSettings(frame_us=33_333)
        )
        if one.wrong:
            print(f"seed {seed}: {one.wrong[0]}")
        elif not one.ended:
            print(f"seed {seed}: did not end")
        total.add(one)
    print(f"{total.games} games, {total.ended} played to their end")
    for name, count in sorted(total.rulings.items()):
        print(f"  rulings {name}: {count}")
    for name, count in total.reasons.most_common():
        print(f"  undecided, {name}: {count}")
    for name, count in total.notices.most_common():
        print(f"  noticed, {name}: {count}")


if __name__ == "__main__":
    main()
