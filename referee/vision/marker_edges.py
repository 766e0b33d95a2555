"""A marker's corners from its straight sides.

Where the light is half-way between paper and ink, a blurred straight edge lies as it would without blur; the corners
are where the lines through four such edges meet. Finders that follow the outline are off by a few tenths of a pixel all
around, which leaves the middle of a marker where it is and makes its sides too long or too short by a per cent.

Does not belong here: finding markers (`referee.vision.table`).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array

SHARES = np.linspace(0.12, 0.88, 25)  # along a side, away from the corners, where blur rounds it
REACH_SHARE = 0.09  # of a side, to each side of it: the marker's black rim is a sixth wide
LEAST_REACH_PX = 2.5
STEPS = 33
ENDS = 4  # samples at each end of the reach that are ink alone and paper alone
LEAST_CONTRAST = 20.0
LEAST_POINTS = 12


def side_corners(grey: NDArray[np.uint8], quad: Array) -> Array:
    """The corners (4×2 px) of a black marker on white near `quad`; `quad` itself where its sides are not clear."""
    along = np.roll(quad, -1, 0) - quad
    length = np.linalg.norm(along, axis=1)
    if not (length > 1.0).all():
        return quad
    normal = np.stack([along[:, 1], -along[:, 0]], 1) / length[:, None]
    outwards = np.sign(((quad - quad.mean(0)) * normal).sum(1))
    normal *= np.where(outwards == 0, 1.0, outwards)[:, None]
    reach = np.maximum(LEAST_REACH_PX, REACH_SHARE * length)
    steps = np.linspace(-1.0, 1.0, STEPS) * reach[:, None]  # 4×STEPS, from ink to paper
    feet = quad[:, None, :] + SHARES[None, :, None] * along[:, None, :]  # 4×SHARES×2
    points = feet[:, :, None, :] + steps[:, None, :, None] * normal[:, None, None, :]
    where = points.reshape(4 * len(SHARES), STEPS, 2).astype(np.float32)
    values = cv2.remap(grey, where[..., 0], where[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    crossing, clear = _crossings(values)
    crossing, clear = crossing.reshape(4, -1), clear.reshape(4, -1)
    if (clear.sum(1) < LEAST_POINTS).any():
        return quad
    away = crossing * (2 * reach / (STEPS - 1))[:, None] - reach[:, None]
    met = feet + away[:, :, None] * normal[:, None, :]
    lines = [_line(met[k][clear[k]]) for k in range(4)]
    try:
        return np.array([_meeting(lines[k - 1], lines[k]) for k in range(4)])
    except np.linalg.LinAlgError:  # two sides that run alike are no marker's
        return quad


def _crossings(values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Where each row of samples (N×STEPS) first rises over half of its contrast, as a place in it; whether it does."""
    inner, outer = values[:, :ENDS].mean(1), values[:, -ENDS:].mean(1)
    level = (inner + outer) / 2
    above = values > level[:, None]
    first = above.argmax(1)
    clear = (outer - inner > LEAST_CONTRAST) & above.any(1) & (first > 0)
    rows = np.arange(len(values))
    before = values[rows, np.maximum(first - 1, 0)]
    part = (level - before) / np.maximum(values[rows, first] - before, 1e-9)
    return first - 1 + part, clear


def _line(points: Array) -> tuple[Array, Array]:
    """A point on a side and its direction."""
    fitted = cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.001, 0.001).ravel().astype(np.float64)
    return np.asarray(fitted[2:], np.float64), np.asarray(fitted[:2], np.float64)


def _meeting(one: tuple[Array, Array], other: tuple[Array, Array]) -> Array:
    """Where two lines meet."""
    steps = np.linalg.solve(np.stack([one[1], -other[1]], 1), other[0] - one[0])
    return np.asarray(one[0] + steps[0] * one[1], np.float64)
