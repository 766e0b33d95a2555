"""The figures of docs/accuracy-deck.md: `python benchmarks/deck_figures.py twins|enrol`.

`twins`: how often a plain reader takes one card of a near pair for the other, by the card's size in the
picture and by how far off its corners are found. `enrol`: single cards photographed (rendered) on four kinds
of table: found, corners, which looks are refused. Run from the top of the repository.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from calibration.card_finder import find_plain
from calibration.card_photo import Refused, look_at
from referee.deck.census import check
from referee.deck.folder import BUILTIN, picture, resolve_deck, shape_and_colour
from referee.deck.looks import Look, at_size, looks
from referee.deck.near import distance
from tests.calibration.tables import TABLES, photograph
from tests.deck.views import seen_badly

SIZES_PX = (24, 36, 50, 70, 100)
CORNERS_PX = (0.5, 1.0)


def twins(seed: int, trials: int) -> None:
    """Errors of the reader that takes the nearer of the two pictures, for the hardest pairs of each deck."""
    rng = np.random.default_rng(seed)
    sizes = " | ".join(f"{size} px" for size in SIZES_PX)
    print(f"| deck | pair | `deck check` says | corners off (sd) | {sizes} |")
    print("|---" * (4 + len(SIZES_PX)) + "|")
    for name in BUILTIN:
        deck = resolve_deck(f"builtin:{name}")
        by_name: dict[str, Look] = {}
        for look in looks(deck):
            key = shape_and_colour(look.card)[0] if deck.read == "symbol" else look.card
            by_name.setdefault(key, look)
        for pair in check(deck, 4 if deck.read == "symbol" else 1).pairs:
            cards = by_name[pair.first], by_name[pair.second]
            for corner_px in CORNERS_PX:
                shares = [f"{errors(cards, size, corner_px, rng, trials):.1%}" for size in SIZES_PX]
                who = f"{name} | {pair.first} – {pair.second} | {pair.needs_px} px | {corner_px} px"
                print(f"| {who} | {' | '.join(shares)} |", flush=True)


def errors(cards: tuple[Look, Look], size: int, corner_px: float, rng: np.random.Generator, trials: int) -> float:
    """The share of views of either card that are nearer to the other."""
    goals = [at_size(card.map, size) for card in cards]
    wrong = 0
    for trial in range(trials):
        view = seen_badly(cards[trial % 2], size, rng, corner_px)
        wrong += int(np.argmin([distance(view, goal) for goal in goals])) != trial % 2
    return wrong / trials


def enrol(seed: int, trials: int) -> None:
    """Single cards on tables: found or not, the corners' error, and which looks are refused."""
    rng = np.random.default_rng(seed)
    decks = [resolve_deck(f"builtin:{name}") for name in BUILTIN]
    for kind in TABLES:
        found, off = Counter[int](), []
        for _ in range(trials):
            deck = decks[int(rng.integers(len(decks)))]
            card = deck.cards[int(rng.integers(len(deck.cards)))]
            size, turn = float(rng.uniform(215, 430)), float(rng.uniform(0, 360))
            photo, true = photograph(picture(card), deck.card_mm, rng, kind, size, turn)
            quads = find_plain(photo, deck.card_mm)
            found[len(quads)] += 1
            if len(quads) == 1:
                off.append(min(float(np.abs(np.roll(quads[0], start, axis=0) - true).max()) for start in range(4)))
        worst = np.percentile(off, (50, 95, 100))
        shares = ", ".join(f"{count / trials:.1%} found {number}" for number, count in sorted(found.items()))
        corners = ", ".join(f"{px:.2f}" for px in worst)
        print(f"{kind}: {shares} cards; worst corner off by (median, 95 %, all) {corners} px")
    for what in ("blur", "glare"):
        for amount in (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 1.0) if what == "blur" else (0.0, 5.0, 10.0, 15.0, 25.0):
            said = Counter[str]()
            for _ in range(trials // 2):
                deck = decks[int(rng.integers(len(decks)))]
                card = deck.cards[int(rng.integers(len(deck.cards)))]
                size, turn = float(rng.uniform(215, 430)), float(rng.uniform(0, 360))
                blur_px = amount * size / min(deck.card_mm) if what == "blur" else 0.5
                glare_mm = amount if what == "glare" else 0.0
                photo, _ = photograph(
                    picture(card),
                    deck.card_mm,
                    rng,
                    "dark wood",
                    size,
                    turn,
                    blur_px=blur_px,
                    glare_mm=glare_mm,
                )
                look = look_at(photo, deck.card_mm, find_plain)
                said[look.why.split()[0].rstrip(":") if isinstance(look, Refused) else "taken"] += 1
            print(f"{what} {amount} mm: {dict(said)}", flush=True)


def main() -> None:
    """Print the figures asked for."""
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("twins", "enrol"))
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=200)
    arguments = parser.parse_args()
    (twins if arguments.what == "twins" else enrol)(arguments.seed, arguments.trials)


if __name__ == "__main__":
    main()
