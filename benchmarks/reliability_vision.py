"""How far the reader's confidence can be believed: a plot from what `accuracy_vision.py --out` kept.

    python benchmarks/reliability_vision.py a.jsonl b.jsonl --picture docs/pictures/reliability-vision.png

A column is a band of confidence in the likeliest card: the dot says how often it was the card, with its 95 %
interval (Wilson, 1927), the bar what confidence was said. Withheld readings count too, by their likeliest candidate.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

EDGES = (0.0, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 1.0001)
HEIGHT, COLUMN, PAD = 420, 130, 70


def main() -> None:
    """Read the rows, print the bands, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="+", type=Path)
    parser.add_argument("--picture", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [json.loads(line) for path in arguments.rows for line in path.read_text("utf-8").splitlines()]
    looks = [r for r in rows if r["outcome"] != "missed" and r["counts"] and r["ranking"]]
    confidence = np.array([r["confidence"] for r in looks])
    right = np.array([r["ranking"][0][0] == r["card"] for r in looks])
    bands = [b for b in pairwise(EDGES) if ((confidence >= b[0]) & (confidence < b[1])).any()]
    canvas = np.full((HEIGHT + 2 * PAD, COLUMN * len(bands) + 2 * PAD, 3), 255, np.uint8)
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        cv2.line(canvas, (PAD, _y(tick)), (canvas.shape[1] - PAD, _y(tick)), (225, 225, 225), 1)
        _write(canvas, f"{100 * tick:.0f} %", (8, _y(tick) + 5))
    print(f"{'confidence':>16s}{'cards':>7s}{'right':>9s}")
    for i, (low, high) in enumerate(bands):
        band = (confidence >= low) & (confidence < high)
        n, share, mean = int(band.sum()), float(right[band].mean()), float(confidence[band].mean())
        print(f"{low:8.3f}-{min(high, 1.0):7.3f}{n:7d}{100 * share:8.1f}%")
        x = PAD + COLUMN * i + COLUMN // 2
        bottom, top = _wilson(share, n)
        cv2.line(canvas, (x - 30, _y(mean)), (x + 30, _y(mean)), (0, 0, 0), 2)
        cv2.line(canvas, (x, _y(bottom)), (x, _y(top)), (190, 90, 40), 3, cv2.LINE_AA)
        cv2.circle(canvas, (x, _y(share)), 7, (190, 90, 40), -1, cv2.LINE_AA)
        _write(canvas, f"{low:g} to {min(high, 1.0):g}", (x - 50, HEIGHT + PAD + 30))
        _write(canvas, f"{n} cards", (x - 50, HEIGHT + PAD + 52))
    _write(
        canvas,
        "dot: share right (line: 95 % interval). bar: mean confidence said. below: band of confidence",
        (PAD, 30),
    )
    arguments.picture.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(arguments.picture), canvas)


def _write(canvas: NDArray[np.uint8], text: str, at: tuple[int, int]) -> None:
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.48, (40, 40, 40), 1, cv2.LINE_AA)


def _y(share: float) -> int:
    return PAD + round((1 - share) * HEIGHT)


def _wilson(share: float, n: int) -> tuple[float, float]:
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return middle - half, middle + half


if __name__ == "__main__":
    main()
