"""Make the weights of `referee/totem/overlooked.py`: how likely a touch has a hand that was not found.

    python scripts/calibrate_overlooked.py --first 7100000 --count 3000

Simulated recordings that no lesson had (their settings drawn from the bands for lessons, so that the held-out bands
stay for the report) are read until the hands that lie apart are found. Whether a hand that holds the totem then is none
of those is what the signs are weighed for, by logistic regression. Printed are the weights, how often a chance comes
true on recordings held out of the regression, and what came of asking for the hidden hand; the weights are set by hand.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from totem_lessons import felt_touches, recording_of

from referee.totem.finding import HIDDEN_ELECTRODES, Asking, ask_hidden, hands_apart, look_again
from referee.totem.grid import make_grid
from referee.totem.overlooked import SIGNS, signs
from referee.totem.seats import answers
from referee.totem.trace import trace_of

BANDS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
PENALTY = 1e-3
ON_IT = 0.02


@dataclass(frozen=True)
class Case:
    """One touch: the signs of another hand, whether one was missing, and of the hand then asked for its `grip` (None:
    nowhere to ask) and whether it was one that had been missing."""

    pads: bool
    signs: np.ndarray
    missing: bool
    grip: float | None
    right: bool


def cases_of(seed: int) -> list[Case]:
    """The touches of one recording."""
    made, _ = recording_of(seed)
    trace = trace_of(Path("simulated"), made.arrays)
    rows: list[Case] = []
    if trace.layout.electrodes < HIDDEN_ELECTRODES:
        return rows
    for touch, felt, parts in felt_touches(trace, made):
        holding = {
            k for k, (hand, truth) in enumerate(made.hands)
            if truth is not None and hand.grip and parts[k].max() > ON_IT
        }  # fmt: skip
        seats, asking = answers(touch, felt), Asking(felt, make_grid(trace.layout))
        found = hands_apart(asking, touch, seats)
        if not found or not holding:
            continue
        told = [one.answer for one in found]
        owners = {int(np.argmax((parts * answer.share).sum(axis=1))) for answer in told}
        hidden = ask_hidden(asking, seats, found)
        grip, right = None, False
        if hidden is not None:
            hidden = look_again(asking, seats, [*found, hidden], len(found))
            grip = hidden.answer.grip
            right = int(np.argmax((parts * hidden.answer.share).sum(axis=1))) in holding - owners
        rows.append(
            Case(seats is not None, signs(felt, trace.layout, told, seats), bool(holding - owners), grip, right)
        )
    return rows


def fitted(rows: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression of `true` (n) on `rows` (n, signs), the constant last."""
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    inputs = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    weights = np.zeros(inputs.shape[1])
    hold = np.diag(np.r_[np.full(len(weights) - 1, PENALTY * len(rows)), 1e-6])
    for _ in range(60):
        chance = 1.0 / (1.0 + np.exp(-inputs @ weights))
        slope = inputs.T @ (chance - true) + hold @ weights
        weights -= np.linalg.solve((inputs * (chance * (1.0 - chance))[:, None]).T @ inputs + hold, slope)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ middle)


def chances(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The chance of each of `rows` (n, signs)."""
    return np.asarray(1.0 / (1.0 + np.exp(-(rows @ weights[:-1] + weights[-1]))))


def report(cases: list[Case]) -> None:
    """Print the weights, how often they come true, and what asking for the hidden hand gave."""
    rows = np.array([case.signs for case in cases])
    true = np.array([case.missing for case in cases], float)
    print(f"{len(cases)} touches, a hand is missing in {int(true.sum())}")
    half = np.arange(len(cases)) % 2 == 0
    said = np.zeros(len(cases))
    for learnt, asked in ((half, ~half), (~half, half)):
        said[asked] = chances(fitted(rows[learnt], true[learnt]), rows[asked])
    loss = -np.mean(np.log(np.where(true == 1.0, said, 1.0 - said) + 1e-9))
    print(f"log-loss on the other half {loss:.4f} (knowing only how often: {_entropy(float(true.mean())):.4f})")
    for low, high in pairwise(BANDS):
        inside = (said >= low) & (said < high)
        asked = [case for case, one in zip(cases, inside, strict=True) if one and case.grip is not None]
        if inside.any():
            told = [
                f"{sum(a <= case.grip < b for case in asked if case.grip is not None)}"
                f" ({sum(case.right for case in asked if case.grip is not None and a <= case.grip < b)} right)"
                for a, b in ((0.0, 0.2), (0.2, 0.35), (0.35, 0.6), (0.6, 0.9), (0.9, 1.01))
            ]
            print(
                f"  chance {low:.2f} to {high:.2f}: {int(inside.sum())}, missing in {true[inside].mean():.3f}; hidden "
                f"hands with grip below .2, .35, .6, .9, above: {', '.join(told)}"
            )
    weights = fitted(rows, true)
    print("  " + ", ".join(f"{name} {weight:.3f}" for name, weight in zip((*SIGNS, "else"), weights, strict=True)))


def _entropy(chance: float) -> float:
    if not 0.0 < chance < 1.0:
        return 0.0
    return float(-chance * np.log(chance) - (1.0 - chance) * np.log(1.0 - chance))


def main() -> None:
    """Print the weights without and with seat pads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=7_100_000)
    parser.add_argument("--count", type=int, default=3000)
    options = parser.parse_args()
    cases = [case for seed in range(options.first, options.first + options.count) for case in cases_of(seed)]
    for pads in (False, True):
        print(f"seat pads {pads}:")
        report([case for case in cases if case.pads is pads])


if __name__ == "__main__":
    main()
