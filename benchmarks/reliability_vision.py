"""How far the reader's confidence can be believed: a plot from what `accuracy_vision.py --out` kept.

    python benchmarks/reliability_vision.py a.jsonl b.jsonl --picture docs/pictures/reliability-vision.png

A point is a band of confidence: along, the mean confidence of the likeliest card; upwards, how often it was the
card. Withheld readings count too, by their likeliest candidate. The bars show the 95 % interval (Wilson, 1927).
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

EDGES = (0.0, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 1.0001)
SIZE, PAD = 480, 60


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
    canvas = np.full((SIZE + 2 * PAD, SIZE + 2 * PAD, 3), 255, np.uint8)
    cv2.rectangle(canvas, _at(0, 1), _at(1, 0), (0, 0, 0), 1)
    cv2.line(canvas, _at(0, 0), _at(1, 1), (170, 170, 170), 1, cv2.LINE_AA)
    print(f"{'confidence':>16s}{'cards':>7s}{'right':>9s}")
    for low, high in pairwise(EDGES):
        band = (confidence >= low) & (confidence < high)
        if not band.any():
            continue
        n, share, mean = int(band.sum()), float(right[band].mean()), float(confidence[band].mean())
        print(f"{low:8.3f}-{min(high, 1.0):7.3f}{n:7d}{100 * share:8.1f}%")
        bottom, top = _wilson(share, n)
        cv2.line(canvas, _at(mean, bottom), _at(mean, top), (60, 60, 200), 1, cv2.LINE_AA)
        cv2.circle(canvas, _at(mean, share), 4, (60, 60, 200), -1, cv2.LINE_AA)
        cv2.putText(canvas, str(n), (_at(mean, share)[0] + 6, _at(mean, share)[1] + 14), 0, 0.4, (90, 90, 90), 1)
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        cv2.putText(canvas, f"{tick:.2f}", (_at(tick, 0)[0] - 14, SIZE + PAD + 18), 0, 0.42, (0, 0, 0), 1)
        cv2.putText(canvas, f"{tick:.2f}", (PAD - 40, _at(0, tick)[1] + 4), 0, 0.42, (0, 0, 0), 1)
    cv2.putText(canvas, "mean confidence", (SIZE // 2, SIZE + PAD + 42), 0, 0.5, (0, 0, 0), 1)
    cv2.putText(canvas, "share right (number of cards beside each point)", (PAD, PAD - 18), 0, 0.5, (0, 0, 0), 1)
    arguments.picture.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(arguments.picture), canvas)


def _at(x: float, y: float) -> tuple[int, int]:
    return PAD + round(x * SIZE), PAD + round((1 - y) * SIZE)


def _wilson(share: float, n: int) -> tuple[float, float]:
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return middle - half, middle + half


if __name__ == "__main__":
    main()
