"""Fit what a look's nats are worth (`referee.vision.confidence`) to cards whose answer is known.

    python benchmarks/accuracy_vision.py --harder --first-seed 110000 --pictures 160 --sides 32 75 --out a.jsonl
    python benchmarks/calibrate_vision.py a.jsonl

Takes the rows kept by `accuracy_vision.py --out`, undoes the worth they were made with, and prints the worth of a
nat of shape under which the right and wrong answers are likeliest, with the log-likelihoods beside it; for
colours, whose mistakes are too few to fit, how many were right from which nats on. Only seeds that no figure is
reported on may be used.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from referee.vision.confidence import COLOUR_WORTH, shape_log_odds

WORTHS = (0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0)
# One answer in so many goes wrong whatever the nats say; without this a single one would rule the fit.
OUTLIERS = 5e-4
COLOUR_NATS = (0.0, 0.3, 0.6, 1.0, 1.5, 2.5, 4.0)
NO_RIVAL = 50.0


def main() -> None:
    """Read the rows, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="+", type=Path)
    arguments = parser.parse_args()
    rows = [json.loads(line) for path in arguments.rows for line in path.read_text("utf-8").splitlines()]
    looks = [row for row in rows if row["outcome"] != "missed" and row.get("ranking")]
    # The nats kept are log-odds already: so much more is each than with a worth of one.
    odds = np.array([_behind(row, same_shape=False) for row in looks])
    right = np.array([_shape(row["ranking"][0][0]) == _shape(row["card"]) for row in looks])
    mid = odds < 8
    print(f"{len(looks)} looks, {int(mid.sum())} with a rival within 8 nats, {int((~right).sum())} of another shape")
    for worth in WORTHS:
        p = OUTLIERS + (1 - 2 * OUTLIERS) / (1 + np.exp(-worth * np.minimum(odds, NO_RIVAL)))
        likelihood = float(np.log(np.where(right, p, 1 - p)).sum())
        print(f"  worth {worth * shape_log_odds(1.0, 0.96):5.2f}: log-likelihood {likelihood:9.2f}")
    told = [row for row, same in zip(looks, right, strict=True) if same and "/" in row["card"]]
    nats = np.array([_behind(row, same_shape=True) for row in told]) / COLOUR_WORTH
    colour = np.array([row["ranking"][0][0] == row["card"] for row in told])
    for low, high in zip(COLOUR_NATS, (*COLOUR_NATS[1:], np.inf), strict=True):
        band = (nats >= low) & (nats < high)
        print(f"  colour {low:.1f}-{high:.1f} nats: {int(colour[band].sum())} of {int(band.sum())} right")


def _shape(card: str) -> str:
    return card.rsplit("/", 1)[0]


def _behind(row: dict[str, list[tuple[str, float]]], same_shape: bool) -> float:
    """How far the nearest rival of another shape, or of the same, lies behind."""
    top = _shape(row["ranking"][0][0])
    return next((-n for card, n in row["ranking"][1:] if (_shape(card) == top) == same_shape), NO_RIVAL)


if __name__ == "__main__":
    main()
