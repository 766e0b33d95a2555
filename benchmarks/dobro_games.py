"""How right the rulings of Dobro are when the camera errs as it does: whole games without pictures.

    python benchmarks/dobro_games.py [--games 500] [--first-seed 30000] [--seconds 100] [--show]

Simulated people play (`referee.sim.dobro_people`) with two to six at the table; what the camera says is drawn from
where their hands and cards are and from the rates in `referee.sim.senses_errors`, and put together by Dobro's table. A
person answers what is undecided, three seconds later. Every ruling that stands in the end is compared with the true
one; how often a person was asked is counted beside it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from referee.deck.folder import resolve_deck
from referee.sim import dobro_people
from referee.sim.dobro_fused_games import play_through
from referee.sim.played import Wish
from referee.sim.scenes import NAMES
from referee.sim.scoring import Score
from referee.sim.senses_errors import Errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=30_000)
    parser.add_argument("--seconds", type=float, default=100.0)
    parser.add_argument("--show", action="store_true", help="say what was not right")
    arguments = parser.parse_args()
    deck, begin = resolve_deck("builtin:dobro"), time.perf_counter()
    whole, asked, warnings = Score(), 0, Counter[str]()
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.games):
        wish = Wish(tuple(NAMES[: 2 + seed % 5]), deck, seed, arguments.seconds)
        refereed = play_through(dobro_people.play(wish, np.random.default_rng([seed, 1])), Errors(), seed)
        if arguments.show and (refereed.score.notes or refereed.warnings["wrong"] or refereed.warnings["not given"]):
            print(f"seed {seed}: {refereed.score.notes} {dict(refereed.warnings)}", flush=True)
        refereed.score.notes.clear()
        whole.add(refereed.score)
        asked += refereed.asked
        warnings += refereed.warnings
    print(f"{whole.games} games, {time.perf_counter() - begin:.0f} s")
    for name, count in whole.counts().items():
        if count:
            print(f"{name.replace('_', ' '):20s} {count:7d}")
    print(f"{'a person was asked':20s} {asked:7d}   {100.0 * asked / max(1, whole.rulings):.2f} % of rulings")
    for name, count in sorted(warnings.items()):
        print(f"{'warnings ' + name:20s} {count:7d}")


if __name__ == "__main__":
    main()
