"""How sure the network must be before one finger count is printed, and how much an interval must hold.

    python scripts/calibrate_doubt.py --first 960000 --count 600

Split conformal prediction: on simulated recordings that no lesson had (their settings drawn from the bands for
lessons, so that the held-out bands stay for the report), each hand that was found is compared with the truth, and the
two thresholds of `referee/totem/doubt.py` are those that print the most single numbers while the printed values still
hold the truth in the wanted share of the hands found. Prints a table and the choice; the constants are set by hand.

(Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005.)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from train_hand_net import recording_of, touches_of

from referee.totem.contacts import feel
from referee.totem.doubt import fingers_interval
from referee.totem.grid import make_grid
from referee.totem.hands import find_hands
from referee.totem.seats import answers
from referee.totem.trace import trace_of

SURE = np.array([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
INSIDE = np.array([0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998])


def chances_and_truth(seed: int) -> list[tuple[np.ndarray, int, bool]]:
    """(chances of each finger count, the true count, whether there are seat pads) of each hand found."""
    made, _ = recording_of(seed)
    trace = trace_of(Path("simulated"), made.arrays)
    rows = []
    for touch in touches_of(trace, made.truth):
        felt = feel(touch)
        scans = (trace.t_us > felt.settle_us - 24_000) & (trace.t_us <= felt.settle_us)
        if (touch.held_us < 80_000 and felt.lifted_us is None) or not scans.any():
            continue
        parts = np.stack([skin[scans].mean(axis=0) for skin in made.skin])
        for one in find_hands(touch, felt, answers(touch, felt), make_grid(trace.layout)):
            owner = int(np.argmax((parts * one.answer.share).sum(axis=1)))
            truth = made.hands[owner][1]
            if truth is not None and truth.grip:
                rows.append((one.answer.fingers, min(truth.fingers, 5), trace.seats is not None))
    return rows


def main() -> None:
    """Print what each pair of thresholds would do, and the best pair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=960_000)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--hold", type=float, default=0.975, help="share of hands whose count must be inside")
    parser.add_argument("--hold-pads", type=float, default=0.98, help="the same where there are seat pads")
    options = parser.parse_args()
    rows = [row for seed in range(options.first, options.first + options.count) for row in chances_and_truth(seed)]
    for pads, hold in ((False, options.hold), (True, options.hold_pads)):
        mine = [(chances, truth) for chances, truth, with_pads in rows if with_pads is pads]
        likeliest = sum(int(np.argmax(chances)) == truth for chances, truth in mine) / len(mine)
        print(f"seat pads {pads}: {len(mine)} hands, likeliest count right {likeliest:.3f}")
        best = (-1.0, 1.0, 1.0, 0.0, 0.0)
        for sure in SURE:
            line = []
            for inside in INSIDE:
                printed = [(fingers_interval(chances, sure, inside), truth) for chances, truth in mine]
                holds = sum(low <= truth <= high for (low, high), truth in printed) / len(mine)
                single = sum(low == high == truth for (low, high), truth in printed) / len(mine)
                width = float(np.mean([high - low for (low, high), _ in printed]))
                line.append(f"{holds:.3f}/{single:.2f}/{width:.1f}")
                # A finite sample: (n + 1) hold of n hands must be inside.
                if holds * len(mine) >= hold * (len(mine) + 1) and (single, -width) > (best[0], -best[4]):
                    best = (single, float(sure), float(inside), holds, width)
            print(f"  sure {sure:.2f}: " + "  ".join(line))
        print(
            f"  chosen for {hold}: sure {best[1]}, inside {best[2]}: holds {best[3]:.3f}, one number and right "
            f"{best[0]:.3f}, mean width {best[4]:.2f}"
        )


if __name__ == "__main__":
    main()
