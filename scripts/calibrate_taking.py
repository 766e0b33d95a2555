"""How sure a taker must be before it is told, and how far first contacts are off (`taking.py`, `moments.py`).

    python scripts/calibrate_taking.py --first 7030000 --count 1800 [--pads]

Simulated scrambles that no lesson had, half with the usual settings of hands, half with settings from the bands for
lessons (the held-out bands stay for the report). Prints how often first contacts are told much too late or too early by
the doubt about the hand's skin, beside what `told_wrong` says; how often the likeliest taker is the right one, by its
chance; and what each choice of thresholds would do. The constants are set by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from totem_lessons import felt_touches

import referee.totem.taking as taking
from referee.sim.manner import LESSONS, USUAL, random_manner
from referee.sim.totem import simulate
from referee.totem.finding import find_hands
from referee.totem.grid import make_grid
from referee.totem.hands import Evidence, evidence, first_contacts, own_electrodes
from referee.totem.moments import told_wrong
from referee.totem.seats import answers
from referee.totem.trace import trace_of

KINDS = ("far", "near", "verynear", "ties", "stacked", "handonhand", "multi", "sequence", "single", "fall_scramble")
LAYOUTS = ((12, 4), (8, 6))
CHANCES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.01)
DOUBTS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 9.0)
SURE = (0.8, 0.85, 0.88, 0.9, 0.92, 0.95)
KEEPS = (0.8, 0.85, 0.88, 0.92)
FAR_US = 3_000
ON_IT = 0.02


@dataclass(frozen=True)
class Case:
    """One touch: what is known of its hands, the true hand of each (None: somebody's), and which of them takes it
    (None: one that was not found)."""

    known: Evidence
    truths: list[Any]
    taker: int | None


def cases_of(seed: int, kind: str, pads: bool) -> Iterator[Case]:
    """The touches of one recording in which somebody holds the totem."""
    random = np.random.default_rng([seed, 12])
    layout = LAYOUTS[int(random.integers(len(LAYOUTS)))]
    manner = USUAL if seed % 2 == 0 else random_manner(np.random.default_rng([seed, 13]), LESSONS)
    noisy, wet = bool(random.random() < 0.2), bool(random.random() < 0.15)
    made = simulate(seed, kind, layout, 1000.0, pads, noisy=noisy, wet=wet, manner=manner)
    trace = trace_of(Path("simulated"), made.arrays)
    for touch, felt, parts in felt_touches(trace, made):
        holding = [
            k for k, (hand, truth) in enumerate(made.hands)
            if truth is not None and hand.grip and parts[k].max() > ON_IT
        ]  # fmt: skip
        seats = answers(touch, felt)
        found = find_hands(touch, felt, seats, make_grid(trace.layout))
        found = [one for one in found if bool((felt.active & (one.answer.share > 0.5)).any())]
        if not found or not holding:
            continue
        contacts = first_contacts(touch, felt, found, own_electrodes(felt, found))
        owners = [max(holding, key=lambda k: float((parts[k] * one.answer.share).sum())) for one in found]
        truths = [made.hands[k][1] for k in holding]
        true = [
            taking.Printed(truth.t_us, (truth.fingers, truth.fingers), (truth.lowest_mm, truth.lowest_mm))
            for truth in truths
            if truth is not None
        ]
        best = holding[min(taking.may_take(true), key=lambda k: true[k].t_us)]
        yield Case(
            evidence(touch, felt, found, contacts, seats),
            [made.hands[k][1] for k in owners],
            owners.index(best) if best in owners else None,
        )


def print_contacts(cases: list[Case]) -> None:
    """First contacts told too late and too early, by the doubt about the hand's skin."""
    rows = np.array(
        [
            (
                hand.divided.in_doubt + hand.divided.contested,
                hand.contact.t_us - truth.t_us,
                *told_wrong(hand.divided),
            )
            for case in cases
            for hand, truth in zip(case.known.weighed, case.truths, strict=True)
            if truth is not None
        ]
    )
    for low, high in pairwise(DOUBTS):
        own = rows[(rows[:, 0] >= low) & (rows[:, 0] < high)]
        if len(own):
            print(
                f"  doubt {low} to {high}: {len(own)} hands, late {np.mean(own[:, 1] > FAR_US):.3f} (said "
                f"{own[:, 2].mean():.3f}), early {np.mean(own[:, 1] < -FAR_US):.3f} (said {own[:, 3].mean():.3f})"
            )


def print_chances(cases: list[Case]) -> None:
    """How often the likeliest taker is the right one, by its chance, where a hand was overlooked and where none was."""
    rows = []
    for case in cases:
        chances = taking.chances_to_take(case.known.weighed)
        best = int(np.argmax(chances))
        rows.append((chances[best], best == case.taker))
    told = np.array(rows, float)
    for low, high in pairwise(CHANCES):
        own = told[(told[:, 0] >= low) & (told[:, 0] < high)]
        if len(own):
            print(f"  chance {low} to {high}: {len(own)}, said {own[:, 0].mean():.3f}, right {own[:, 1].mean():.3f}")


def print_choices(cases: list[Case]) -> None:
    """What each choice of thresholds tells."""
    for sure, keeps in product(SURE, KEEPS):
        taking.CUT_KEEPS = keeps
        right = wrong = inside = one = hands = 0
        for case in cases:
            said = taking.told(case.known.weighed, case.known.alone, case.known.overlooked, sure)
            takers = taking.may_take(said.hands)
            if len(takers) == 1 and said.doubt != taking.OVERLOOKED:
                right += takers[0] == case.taker
                wrong += takers[0] != case.taker
            for printed, truth in zip(said.hands, case.truths, strict=True):
                low, high = printed.fingers
                hands += 1
                inside += low <= truth.fingers <= high
                one += low == high == truth.fingers
        print(
            f"  sure {sure}, keeps {keeps}: taker right {right / len(cases):.3f}, wrong {wrong / len(cases):.4f}; of "
            f"the hands found inside {inside / hands:.3f}, one number and right {one / hands:.3f}"
        )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=7_030_000)
    parser.add_argument("--count", type=int, default=1800)
    parser.add_argument("--pads", action="store_true", help="with seat pads")
    options = parser.parse_args()
    cases = [
        case
        for number in range(options.count)
        for case in cases_of(options.first + number, KINDS[number % len(KINDS)], options.pads)
    ]
    print(f"{len(cases)} touches")
    print_contacts(cases)
    print_chances(cases)
    print_choices(cases)


if __name__ == "__main__":
    main()
