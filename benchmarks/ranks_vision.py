"""How well ranks are read from corners and pips of drawn cards, and what the networks' chances are worth.

    python benchmarks/ranks_vision.py CHOOSE.npz --fit         (temperatures, on the split that is not reported)
    python benchmarks/ranks_vision.py REPORT.npz               (figures, on typefaces nothing was chosen on)

The files come from `scripts/rank_lessons.py`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from referee.deck.folder import resolve_deck
from referee.vision import ranks
from referee.vision.cards import SURE
from referee.vision.rank_net import LAYOUTS, NO_SIGN, SIGNS, SUITS, Floats, ask

BATCH = 256


def answers(parts: Floats, which: str) -> tuple[Floats, Floats]:
    """The network's logits for many parts."""
    both = [ask((parts[i : i + BATCH].astype(np.float32) - 55) / 200, which) for i in range(0, len(parts), BATCH)]
    return np.concatenate([a for a, _ in both]), np.concatenate([b for _, b in both])


def unlikeliness(logits: Floats, truth: np.ndarray, temperature: float) -> float:
    """Mean negative logarithm of the chance given to the truth; where nobody was asked it does not count."""
    asked = truth >= 0
    chance = ranks.chances(logits[asked], temperature)[np.arange(int(asked.sum())), truth[asked]]
    return float(-np.log(np.maximum(chance, 1e-9)).mean())


def main() -> None:
    """Measure one file of lessons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", type=Path)
    parser.add_argument("--fit", action="store_true", help="say which temperatures suit these lessons best")
    arguments = parser.parse_args()
    with np.load(arguments.lessons) as data:
        lessons = {key: data[key] for key in data.files}
    start = time.process_time()
    signs, suits = answers(lessons["corners"].reshape(-1, *lessons["corners"].shape[2:]), "corner")
    layouts, pips = answers(lessons["face"], "face")
    count = len(lessons["face"])
    print(f"{count} cards, {1e3 * (time.process_time() - start) / count:.2f} ms of the processor each")
    truth = lessons["signs"].ravel().astype(np.intp)
    real = (truth >= 0) & (truth < NO_SIGN)
    none = truth == NO_SIGN
    best = signs.argmax(1)
    print(f"corners with a sign: {100 * np.mean(best[real] == truth[real]):.2f} % right; "
          f"without: {100 * np.mean(best[none] == NO_SIGN):.2f} % so said")  # fmt: skip
    asked = lessons["layout"] >= 0
    print(f"faces: {100 * np.mean(layouts.argmax(1)[asked] == lessons['layout'][asked]):.2f} % right")
    if arguments.fit:
        steps = np.arange(0.5, 2.55, 0.1)
        for name, logits, said in (
            ("CORNER_TEMPERATURE", signs, truth),
            ("FACE_TEMPERATURE", layouts, lessons["layout"].astype(np.intp)),
            ("SUIT_TEMPERATURE of corners", suits, lessons["suits"].ravel().astype(np.intp)),
            ("SUIT_TEMPERATURE of faces", pips, lessons["pips"].astype(np.intp)),
        ):
            losses = [unlikeliness(logits, said, t) for t in steps]
            print(f"{name}: {steps[int(np.argmin(losses))]:.1f} ({min(losses):.4f}; at 1 {losses[5]:.4f})")
    standard = resolve_deck("builtin:52")
    corner = ranks.chances(signs, ranks.CORNER_TEMPERATURE).reshape(count, 2, -1)
    mark = ranks.chances(suits, ranks.SUIT_TEMPERATURE).reshape(count, 2, -1)
    layout, pip = ranks.chances(layouts, ranks.FACE_TEMPERATURE), ranks.chances(pips, ranks.SUIT_TEMPERATURE)
    for name, sides in (
        ("all", (0, 999)),
        ("under 70 px", (0, 70)),
        ("70-110 px", (70, 110)),
        ("over 110 px", (110, 999)),
    ):
        tally = dict.fromkeys(
            ("cards", "rank", "card", "wrong rank", "wrong suit", "withheld", "no card", "phantom"), 0
        )
        for i in range(count):
            if not sides[0] <= lessons["side"][i] < sides[1]:
                continue
            reading = ranks.together(corner[i], mark[i], layout[i], pip[i])
            said = ranks.said(reading, standard, SURE).card
            pair = {int(v) for v in lessons["signs"][i]}
            truths = {SIGNS[v] for v in pair if 0 <= v < NO_SIGN}
            if not truths or not truths <= set(ranks.signs_of(standard)):
                # A corner half hidden is no card for sure and no other for sure.
                if pair == {NO_SIGN} and lessons["layout"][i] == len(LAYOUTS) - 1:
                    tally["no card"] += 1
                    tally["phantom"] += said != "?"
                continue
            suit = {SUITS[int(v)] for v in lessons["suits"][i] if 0 <= v < len(SUITS) - 1}
            tally["cards"] += 1
            rank, mine = said[:-1], said[-1]
            if said == "?":
                tally["withheld"] += 1
            elif rank not in truths:
                tally["wrong rank"] += 1
            else:
                tally["rank"] += 1
                tally["card"] += mine in suit
                tally["wrong suit"] += mine != "?" and bool(suit) and mine not in suit
        print(f"{name}: {tally}")


if __name__ == "__main__":
    main()
