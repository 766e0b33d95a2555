"""How right the rulings are when camera and totem err as they do: whole games without pictures and electrodes.

    python benchmarks/fusion_games.py [--games 2000] [--first-seed 100000] [--totem pads|no-pads|wooden] [--fps 30]
                                      [--contact-ms 8] [--show]

Games are played by chance (`referee.sim.games`), their sightings and scrambles drawn from the rates in
`referee.sim.senses_errors`, put together by the table and judged; every ruling is compared with the true one when
it is given. Prints one table: rulings that fingers or height decide, all others, and those withheld beside a card that
nobody had read yet. `--show` prints every wrong ruling.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace

from referee.sim.fused_games import Tally, play_through
from referee.sim.games import play
from referee.sim.senses_errors import NO_PADS, PADS, WOODEN, Errors
from referee.table.settings import CONTACT_PADS_US, CONTACT_US, FusionSettings

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaëlle", "Hugo")
OUTCOMES = ("right", "wrong", "undecided", "unread", "beside")
TOTEMS: dict[str, Errors] = {"pads": PADS, "no-pads": NO_PADS, "wooden": WOODEN}


def one_game(seed: int, totem: str, fps: float, contact_us: int | None) -> Tally:
    """One game of 3 to 8 players; `contact_us` None: as a session has it."""
    errors = replace(TOTEMS[totem], fps=fps)
    if contact_us is None:
        contact_us = CONTACT_PADS_US if totem == "pads" else CONTACT_US
    settings = FusionSettings(frame_us=round(1e6 / fps), contact_us=contact_us)
    game = play(seed, NAMES[: 3 + seed % 6])
    return play_through(game, errors, seed, settings, seat_pads=totem == "pads", plain_totem=totem == "wooden")


def row(name: str, counts: Counter[str]) -> str:
    """One line of the table: numbers and shares."""
    total = sum(counts.values())
    cells = [f"{counts[outcome]:7d} {100.0 * counts[outcome] / max(total, 1):6.2f} %" for outcome in OUTCOMES]
    return f"{name:24s} {total:8d} " + " ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=100_000)
    parser.add_argument("--totem", choices=tuple(TOTEMS), default="pads")
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--contact-ms", type=float, help="how far contacts may be off (a session's where not given)")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    whole, begin = Tally(), time.perf_counter()
    for place in range(arguments.games):
        seed = arguments.first_seed + place
        contact_us = None if arguments.contact_ms is None else round(arguments.contact_ms * 1000)
        tally = one_game(seed, arguments.totem, arguments.fps, contact_us)
        whole.add(tally)
        if arguments.show:
            for _, event, ours, true in tally.wrong:
                print(f"\nseed {seed}: {event}\n  ruled {ours}\n  true  {true}")
        if (place + 1) % 20 == 0:
            print(f"\r{place + 1} of {arguments.games} games", end="", flush=True)
    print(f"\r{whole.games} games, {time.perf_counter() - begin:.0f} s, {whole.abandoned} left unfinished;")
    print(f"{whole.corrections} corrections, {whole.settled_by_sensors} undecided ones settled by later evidence\n")
    print(f"{'rulings':24s} {'all':>8s} " + " ".join(f"{name:>16s}" for name in OUTCOMES))
    print(row("not by fingers or height", whole.plain))
    print(row("by fingers or height", whole.by_hands))
    for name, reasons in (("not by fingers or height", whole.reasons), ("by fingers or height", whole.hand_reasons)):
        print(f"\nwhy not right, {name}:")
        for reason, count in reasons.most_common():
            print(f"{count:8d}  {reason}")


if __name__ == "__main__":
    main()
