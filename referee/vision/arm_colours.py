"""What arms look like: the colours of each one while it is alone, by which two that touch are parted.

Belongs here: an arm's colours as a histogram, and which cells of a part have whose colours. Does not belong here: where
arms come in, what a hand is (`hands`).

Written rules:
- nobody's skin or cloth is known beforehand: an arm's colours are learned in the picture, from frames in which it
  touches no other;
- only cells that are clearly one arm's, among neighbours that are too, count: a shadow or a card says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array
from referee.vision.masks import Mask

Picture = NDArray[np.uint8]

BINS = 12  # of each channel
KEEP = 0.8  # of what was known, from frame to frame
FLOOR = 2e-4  # chance of a colour an arm was never seen to have
CLEAR_NATS = 1.0  # the mean of a cell and its neighbours, for one arm and against any other
MOST_NATS = 4.0
LEAST_CELLS = 40  # a patch of cells that hangs together; fingers have more
TELLS_SHARE = 0.5  # of a part's cells that are clearly one arm's: then colours part it


def colours_of(picture: Picture, cells: Mask, known: Array | None = None) -> Array:
    """How often an arm has each colour (`BINS`³ shares, smoothed); `known` is what earlier frames said."""
    binned = (picture[cells].astype(np.int32) * BINS) >> 8
    flat = (binned[:, 0] * BINS + binned[:, 1]) * BINS + binned[:, 2]
    counts = np.bincount(flat, minlength=BINS**3).reshape(BINS, BINS, BINS).astype(np.float64)
    for axis in range(3):  # light and noise move a colour to the next bin
        counts = 0.5 * counts + 0.25 * (_moved(counts, 1, axis) + _moved(counts, -1, axis))
    shares: Array = counts.ravel() / max(1.0, float(cells.sum()))
    return shares if known is None else KEEP * known + (1 - KEEP) * shares


def clearly(picture: Picture, part: Mask, arms: Sequence[Array]) -> NDArray[np.uint8]:
    """Which arm (1, 2, …) each cell of a part clearly has the colours of; 0 where that is not clear."""
    rows, columns = np.flatnonzero(part.any(1)), np.flatnonzero(part.any(0))
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    inside = part[box]
    binned = (picture[box].astype(np.int32) * BINS) >> 8
    flat = (binned[..., 0] * BINS + binned[..., 1]) * BINS + binned[..., 2]
    logs = np.stack([np.log(np.maximum(FLOOR, arm[flat])) for arm in arms])
    logs = np.maximum(logs, logs.max(0) - MOST_NATS) - logs.mean(0)
    weight = cv2.blur(inside.astype(np.float32), (3, 3)) + np.float32(1e-6)
    means = np.stack([cv2.blur((one * inside).astype(np.float32), (3, 3)) / weight for one in logs])
    order = np.sort(means, axis=0)
    best = np.where(inside & (order[-1] - order[-2] > CLEAR_NATS), means.argmax(0) + 1, 0).astype(np.uint8)
    owner = np.zeros(part.shape, np.uint8)
    for i in range(1, len(arms) + 1):
        _, labels, stats, _ = cv2.connectedComponentsWithStats((best == i).astype(np.uint8), connectivity=8)
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
        large[0] = False
        owner[box][large[labels]] = i
    return owner


def _moved(counts: Array, by: int, axis: int) -> Array:
    """Counts of the neighbouring bins; those at the end keep their own."""
    moved = np.roll(counts, by, axis)
    end = [slice(None)] * 3
    end[axis] = slice(0, 1) if by > 0 else slice(-1, None)
    moved[tuple(end)] = counts[tuple(end)]
    return moved
