"""Homographies, quads and the card's own frame.

Written rules of this module:
- a pose is a 3×3 homography from card millimetres (x right, y down, origin at the card's centre) to pixels
  (pixel centres at integers); its inverse is never stored beside it;
- arrays of points are N×2 float64.
Does not belong here: pixels' values, decks, tables.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Circle = tuple[float, float, float]
"""x and y of the middle, and the radius."""


def apply(pose: Array, points: Array) -> Array:
    """The points (N×2) seen through a homography."""
    if not len(points):
        return np.zeros((0, 2))
    # A sixth of the time the same takes in steps, for a few points.
    return np.asarray(cv2.perspectiveTransform(np.asarray(points, np.float64)[None], pose)[0], np.float64)


@lru_cache(maxsize=32)
def corners_mm(card_mm: tuple[float, float]) -> Array:
    """The card's corners in its own frame, clockwise from its top left; not to be written to."""
    w, h = card_mm[0] / 2, card_mm[1] / 2
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    corners.flags.writeable = False
    return corners


def quad_of(pose: Array, card_mm: tuple[float, float]) -> Array:
    """The four corners (4×2 pixels) of a card lying with this pose."""
    return apply(pose, corners_mm(card_mm))


def homography(source: Array, target: Array) -> Array:
    """The homography that takes four or more points to their targets (least squares, DLT with scaling).

    Source: Hartley and Zisserman, Multiple View Geometry, algorithm 4.2.
    """
    a, norm_a = _scaled(source)
    b, norm_b = _scaled(target)
    zero, one = np.zeros(len(a)), np.ones(len(a))
    x, y, u, v = a[:, 0], a[:, 1], b[:, 0], b[:, 1]
    rows = np.concatenate(
        [
            np.stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u], 1),
            np.stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v], 1),
        ]
    )
    # The null vector is the products' last: of scaled points these are far from singular, and a fifth of the work.
    solution = np.linalg.eigh(rows.T @ rows)[1][:, 0].reshape(3, 3)
    result: Array = np.linalg.inv(norm_b) @ solution @ norm_a
    result /= result[2, 2]
    return result


def _scaled(points: Array) -> tuple[Array, Array]:
    middle = points.mean(0)
    scale = np.sqrt(2) / max(1e-12, float(np.mean(np.linalg.norm(points - middle, axis=1))))
    norm = np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1.0]])
    return (points - middle) * scale, norm


def inverse(pose: Array) -> Array:
    """The way back through a homography (a tenth of the time `numpy.linalg.inv` takes); zeros when there is none."""
    return np.asarray(cv2.invert(pose)[1], np.float64)


def jacobian(pose: Array, point: Array) -> Array:
    """How pixels move with the source point (2×2) at one point of the source plane."""
    x = pose @ np.array([point[0], point[1], 1.0])
    u, v = x[0] / x[2], x[1] / x[2]
    result: Array = np.stack([pose[0, :2] - u * pose[2, :2], pose[1, :2] - v * pose[2, :2]]) / x[2]
    return result


def turn(quarters: int) -> Array:
    """A turn of the card's frame by quarters of a circle, as a homography of the frame to itself."""
    c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation(angle_deg: float) -> Array:
    """A 2×2 rotation, from x towards y."""
    a = np.deg2rad(angle_deg)
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def first_of_each(cells: NDArray[np.int64]) -> NDArray[np.intp]:
    """The places of the first of each kind of row (N×k), in order.

    A quarter of the time `numpy.unique` takes, for some hundred rows.
    """
    first: dict[tuple[int, ...], int] = {}
    for place, row in enumerate(map(tuple, cells.tolist())):
        first.setdefault(row, place)
    return np.fromiter(first.values(), np.intp, len(first))


def circle_about(quad: Array) -> Circle:
    """A quad's middle and how far its corners lie from it on average."""
    x, y = quad.mean(0).tolist()
    return x, y, float(np.hypot(quad[:, 0] - x, quad[:, 1] - y).mean())


def placed(local: Array, centre_px: Array, angle_deg: float) -> Array:
    """The pose of a card at `centre_px`, turned by `angle_deg`, where `local` (2×2) takes mm to pixels."""
    pose = np.eye(3)
    pose[:2, :2] = local @ rotation(angle_deg)
    pose[:2, 2] = centre_px
    return pose


def side_px(pose: Array, card_mm: tuple[float, float]) -> float:
    """The side of a square of as many pixels as the card covers, scaled to its short side."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad_of(pose, card_mm).tolist()
    area = abs((cx - ax) * (dy - by) - (dx - bx) * (cy - ay)) / 2
    return float(np.sqrt(area / (card_mm[0] * card_mm[1]))) * min(card_mm)


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of two convex quads (4×2)."""
    common = _common(a, b)
    if not common:
        return 0.0
    whole = cv2.contourArea(a.astype(np.float32)) + cv2.contourArea(b.astype(np.float32)) - common
    return float(common / whole) if whole > 0 else 0.0


def clear_of(quads: list[Array], taken: list[Array]) -> list[Array]:
    """The quads (4×2) whose middles lie in nothing that is taken."""
    if not quads or not taken:
        return quads
    middles, others = np.stack(quads).mean(1), np.stack(taken)
    reach = np.linalg.norm(others - others.mean(1, keepdims=True), axis=2).mean(1)
    away = np.linalg.norm(middles[:, None] - others.mean(1)[None], axis=2)
    return [quad for quad, good in zip(quads, (away > 0.6 * reach).all(1), strict=True) if good]


def within(a: Array, b: Array) -> float:
    """The share of a convex quad that lies in another (4×2)."""
    area = cv2.contourArea(a.astype(np.float32))
    return float(_common(a, b) / area) if area > 0 else 0.0


def _common(a: Array, b: Array) -> float:
    return float(cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))[0])
