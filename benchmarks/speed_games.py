"""How right Speed is refereed, strictly: everything that was ever said counts (`referee.sim.speed_scoring`).

    python benchmarks/speed_games.py [--games 500] [--first-seed 30000] [--seconds 60] [--pictures] [--show]

Without pictures the camera's words are drawn from the rates in `referee.sim.speed_senses`; with `--pictures` each match
is rendered, watched and refereed as `scripts/demo --game speed --headless` does it. Prints one line a match with
pictures, and the counts of all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import cv2
import orjson

from referee.deck.folder import Deck, resolve_deck
from referee.demo import play_demo_fast
from referee.sim.settings import Settings
from referee.sim.speed_fused import NAMES, play_through
from referee.sim.speed_scoring import SpeedTally, tally


def with_pictures(seed: int, seconds: float) -> SpeedTally:
    """One match, rendered and watched."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(NAMES, seconds, seed, game="speed")
        played = play_demo_fast(settings, Path(folder), lambda *_: [])
        lines = [orjson.loads(line) for line in played.record.read_bytes().splitlines()[1:]]
    return tally(played.events, played.rulings, lines, played.asked)


def said(what: str, one: SpeedTally) -> str:
    """A line of counts."""
    return (
        f"{what}: {one.cards_right} of {one.cards} cards right, {one.cards_undecided} undecided, "
        f"{one.cards_wrong} wrong; "
        f"{one.rulings_right} of {one.rulings} rulings right, {one.rulings_open} open, "
        f"{one.rulings_wrong + one.rulings_missing} wrong or missing; a person was asked {one.asked} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=30_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    deck: Deck = resolve_deck("builtin:52")
    whole, begin = SpeedTally(), time.perf_counter()
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.games):
        one = (
            with_pictures(seed, arguments.seconds)
            if arguments.pictures
            else play_through(deck, seed, arguments.seconds)
        )
        whole.add(one)
        if arguments.pictures:
            print(said(f"seed {seed}", one), flush=True)
        for note in one.notes if arguments.show else ():
            print(f"  seed {seed}, {note}", flush=True)
    print(said(f"{whole.games} games in {time.perf_counter() - begin:.0f} s", whole))
    judged = max(1, whole.judged)
    share = f"{whole.wrong} wrong ({whole.wrong / judged:.5f}), {whole.undecided / judged:.2%} undecided"
    print(f"of {judged} judged: {share}")


if __name__ == "__main__":
    main()
