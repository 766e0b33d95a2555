"""How sure the network must be before one finger count is printed, and how much an interval must hold.

    python scripts/calibrate_doubt.py --first 960000 --count 800

Split conformal prediction: on simulated recordings that no lesson had (their settings drawn from the bands for
lessons, so that the held-out bands stay for the report), each hand that was found is compared with the truth, and the
thresholds of `referee/totem/doubt.py` are those that print the most single numbers while the printed values still
hold the truth in the wanted share of the hands found. Prints tables and the choice; the constants are set by hand.

(Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005.)
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from totem_lessons import felt_touches, recording_of

from referee.totem.doubt import LEAST_POWER, MOST_POWER, Division, decided, division, fingers_interval, honest
from referee.totem.finding import find_hands
from referee.totem.grid import make_grid
from referee.totem.seats import answers
from referee.totem.trace import trace_of

SURE = (0.65, 0.7, 0.74, 0.78, 0.81, 0.83, 0.86, 0.9)
INSIDE = (0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995)
ORDER = (0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 1.01)
SHARPERS = (1.0, 1.2, 1.35, 1.45, 1.55, 1.65, 1.8)
LESS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)


@dataclass(frozen=True)
class Told:
    """The hands found in one touch: chances of each finger count, and the true count (None: no such hand)."""

    chances: tuple[np.ndarray, ...]
    divided: tuple[Division, ...]
    truths: tuple[int | None, ...]
    pads: bool


def told_of(seed: int) -> list[Told]:
    """What the finder tells of one recording."""
    made, _ = recording_of(seed)
    trace = trace_of(Path("simulated"), made.arrays)
    rows = []
    for touch, felt, parts in felt_touches(trace, made):
        chances, truths, divided = [], [], []
        found = find_hands(touch, felt, answers(touch, felt), make_grid(trace.layout))
        shares = [one.answer.share for one in found]
        for which, one in enumerate(found):
            truth = made.hands[int(np.argmax((parts * one.answer.share).sum(axis=1)))][1]
            chances.append(one.answer.fingers)
            divided.append(division(np.asarray(felt.final * felt.active, np.float32), shares, which))
            truths.append(min(truth.fingers, 5) if truth is not None and truth.grip else None)
        rows.append(Told(tuple(chances), tuple(divided), tuple(truths), trace.seats is not None))
    return rows


def print_sharpness(told: list[Told]) -> None:
    """How far the mean chances are to be trusted: the best powers (`doubt.honest`) by their log-loss."""
    known = [
        (own, divided, truth)
        for one in told
        for own, divided, truth in zip(one.chances, one.divided, one.truths, strict=True)
        if truth is not None
    ]
    right = np.mean([int(np.argmax(own)) == truth for own, _, truth in known])
    print(f"{len(known)} hands, likeliest count right {right:.3f}")
    logs = np.log(np.array([own for own, _, _ in known]) + 1e-7)
    true = np.array([truth for _, _, truth in known])
    doubt = np.array([(divided.in_doubt, divided.contested) for _, divided, _ in known])
    losses = []
    for sharper, in_doubt, contested in product(SHARPERS, LESS, LESS):
        power = np.clip(sharper - doubt @ (in_doubt, contested), LEAST_POWER, MOST_POWER)
        raised = np.exp(logs * power[:, None])
        chances = raised[np.arange(len(true)), true] / raised.sum(axis=1)
        losses.append((-np.log(chances + 1e-6).mean(), sharper, in_doubt, contested))
    for loss, sharper, in_doubt, contested in sorted(losses)[:5]:
        print(f"  log-loss {loss:.4f}: power {sharper} less {in_doubt} in doubt, less {contested} contested")


def printed(one: Told, sure: float, inside: float, order: float) -> tuple[list[tuple[int, int]], int]:
    """What would be printed of a touch's hands; 1 if it says wrongly who has more (two hands), else 0."""
    chances = [honest(own, divided) for own, divided in zip(one.chances, one.divided, strict=True)]
    spans = decided(chances, [fingers_interval(own, sure, inside) for own in chances], order)
    if len(spans) != 2 or None in one.truths:
        return spans, 0
    (first, second), (a, b) = spans, one.truths
    return spans, int((first[0] > second[1] and a < b) or (second[0] > first[1] and b < a))


def main() -> None:
    """Print what each choice of thresholds would do, and the best."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=960_000)
    parser.add_argument("--count", type=int, default=800)
    parser.add_argument("--hold", type=float, default=0.97, help="share of hands whose count must be inside")
    options = parser.parse_args()
    told = [one for seed in range(options.first, options.first + options.count) for one in told_of(seed)]
    for pads in (False, True):
        mine = [one for one in told if one.pads is pads]
        print(f"seat pads {pads}:")
        print_sharpness(mine)
        choices = []
        for sure, inside, order in product(SURE, INSIDE, ORDER):
            spans = [printed(one, sure, inside, order) for one in mine]
            rows = [
                (low, high, truth)
                for (said, _), one in zip(spans, mine, strict=True)
                for (low, high), truth in zip(said, one.truths, strict=True)
                if truth is not None
            ]
            holds = sum(low <= truth <= high for low, high, truth in rows)
            single = sum(low == high == truth for low, high, truth in rows) / len(rows)
            pairs = [said for said, _ in spans if len(said) == 2]
            parted = sum(a[0] > b[1] or b[0] > a[1] for a, b in pairs) / max(len(pairs), 1)
            opposite = sum(wrong for _, wrong in spans) / max(len(pairs), 1)
            # A finite sample: (n + 1) hold of n hands must be inside.
            if holds >= options.hold * (len(rows) + 1):
                choices.append((single + parted, sure, inside, order, holds / len(rows), single, parted, opposite))
        for _, sure, inside, order, holds_share, single, parted, opposite in sorted(choices, reverse=True)[:12]:
            print(
                f"  sure {sure}, inside {inside}, order {order}: holds {holds_share:.3f}, one number and right "
                f"{single:.3f}, of two hands parted {parted:.3f}, the wrong way {opposite:.4f}"
            )


if __name__ == "__main__":
    main()
