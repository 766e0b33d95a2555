"""A marker's corners from its straight sides, for where its size matters and not only its place.

Where the light is half-way between paper and ink, a blurred straight edge lies as it would without blur; the corners
are where the lines through four such edges meet. Finders that follow the outline are off by a few tenths of a pixel all
around, which leaves the middle of a marker where it is and makes its sides too long or too short by a per cent.

Does not belong here: finding markers (`referee.vision.table`).
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.charuco import Picture
from referee.vision.geometry import Array

SHARES = np.linspace(0.12, 0.88, 25)  # along a side, away from the corners, where blur rounds it
REACH_SHARE = 0.09  # of a side, to each side of it: the marker's black rim is a sixth wide
STEPS = 33
LEAST_POINTS = 12


def side_corners(grey: Picture, quad: Array) -> Array:
    """The corners (4×2 px) of a black marker on white near `quad`; `quad` itself where its sides are not clear."""
    lines = []
    middle = quad.mean(0)
    for k in range(4):
        one, other = quad[k], quad[(k + 1) % 4]
        along = other - one
        length = float(np.linalg.norm(along))
        normal = np.array([along[1], -along[0]]) / max(length, 1e-9)
        if float(normal @ (one - middle)) < 0:
            normal = -normal
        line = _line(grey, one, along, normal, max(2.5, REACH_SHARE * length))
        if line is None:
            return quad
        lines.append(line)
    return np.array([_meeting(lines[k - 1], lines[k]) for k in range(4)])


def _line(grey: Picture, one: Array, along: Array, normal: Array, reach: float) -> tuple[Array, Array] | None:
    """A point on a side and its direction, through where black turns to white."""
    steps = np.linspace(-reach, reach, STEPS)
    points = one + SHARES[:, None, None] * along + steps[None, :, None] * normal
    where = points.astype(np.float32)
    values = cv2.remap(grey, where[..., 0], where[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    inner, outer = values[:, :4].mean(1), values[:, -4:].mean(1)
    half = (inner + outer) / 2
    crossings = []
    for share, row, level, clear in zip(SHARES, values, half, outer - inner > 20, strict=True):
        above = np.nonzero(row > level)[0]
        if clear and len(above) and above[0] > 0:
            k = int(above[0])
            part = (level - row[k - 1]) / max(row[k] - row[k - 1], 1e-9)
            crossings.append(one + share * along + (steps[k - 1] + part * (steps[1] - steps[0])) * normal)
    if len(crossings) < LEAST_POINTS:
        return None
    fitted = cv2.fitLine(np.array(crossings, np.float32), cv2.DIST_HUBER, 0, 0.001, 0.001).ravel().astype(np.float64)
    return np.asarray(fitted[2:], np.float64), np.asarray(fitted[:2], np.float64)


def _meeting(one: tuple[Array, Array], other: tuple[Array, Array]) -> Array:
    """Where two lines meet."""
    steps = np.linalg.solve(np.stack([one[1], -other[1]], 1), other[0] - one[0])
    return np.asarray(one[0] + steps[0] * one[1], np.float64)
