"""A plain finder: cards lying whole on a plain table, by their contours.

Good enough for one card at a time, laid there to be photographed; cards in play lie on one another and under
hands, and are vision's affair. The two share the shape of a finder: a picture in, corners out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from referee.errors import PictureError

Picture = NDArray[np.uint8]
Quad = NDArray[np.float64]
# A finder takes a picture (BGR) and a card's width and height in mm, and gives each card's corners, 4×2,
# clockwise, in pixels.
Finder = Callable[[Picture, tuple[float, float]], Sequence[Quad]]

_SMALLEST_PHOTO_PX = 200
_WORKING_PX = 1400
# A card that leans more than can be used is still a card: whoever judges the look says so.
_PROPORTION_SLACK = 0.40


def find_plain(photo: Picture, card_mm: tuple[float, float]) -> list[Quad]:
    """Cards lying whole on a plain table, by contours: corners clockwise, in pixels; largest first.

    Raises `PictureError` for a photograph with a side under 200 px.
    """
    if min(photo.shape[:2]) < _SMALLEST_PHOTO_PX:
        raise PictureError(f"a photograph of {photo.shape[1]}×{photo.shape[0]} pixels, expected 200 and more")
    scale = min(1.0, _WORKING_PX / max(photo.shape[:2]))
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else photo
    found: list[Quad] = []
    for mask in _masks(np.asarray(small, np.uint8)):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        quads = (_quad(contour, (small.shape[1], small.shape[0]), card_mm) for contour in contours)
        found += [quad for quad in quads if quad is not None]
    # One card is found by several masks, by some with its shadow, by others as its printed frame: of each
    # heap the largest stands that has a card's shape.
    found.sort(key=lambda quad: _area(quad) * _likeness(quad, card_mm), reverse=True)
    kept: list[Quad] = []
    for quad in found:
        centre = quad.mean(axis=0)
        if all(cv2.pointPolygonTest(other.astype(np.float32), centre.tolist(), False) < 0 for other in kept):
            kept.append(quad)
    return [(quad + 0.5) / scale - 0.5 for quad in kept]


def _masks(photo: Picture) -> list[Picture]:
    """What may be card rather than table: by difference from the picture's rim, by lightness, by edges."""
    lab = cv2.cvtColor(cv2.GaussianBlur(photo, (0, 0), 1.2), cv2.COLOR_BGR2Lab).astype(np.float32)
    rim = max(4, round(0.03 * min(photo.shape[:2])))
    border = np.concatenate(
        [
            lab[:rim].reshape(-1, 3),
            lab[-rim:].reshape(-1, 3),
            lab[:, :rim].reshape(-1, 3),
            lab[:, -rim:].reshape(-1, 3),
        ]
    )
    apart = np.sqrt(np.square(lab - np.median(border, axis=0)).sum(axis=2))
    apart_8 = np.clip(apart * 2, 0, 255).astype(np.uint8)
    light = np.clip(lab[:, :, 0], 0, 255).astype(np.uint8)
    edges = cv2.Canny(light, 30, 90)
    kernel = np.ones((5, 5), np.uint8)
    masks = [
        cv2.threshold(apart_8, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1],
        cv2.threshold(light, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1],
        cv2.morphologyEx(edges, cv2.MORPH_CLOSE, kernel),
    ]
    closed = [cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel) for mask in masks[:2]] + [masks[2]]
    return [np.asarray(mask, np.uint8) for mask in closed]


def _quad(contour: MatLike, picture_px: tuple[int, int], card_mm: tuple[float, float]) -> Quad | None:
    """The four corners of a contour that is a whole card's outline, or None."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    width, height = picture_px
    if not 0.01 < area / (width * height) < 0.95:
        return None
    # Who runs into the picture's edge may go on beyond it.
    x, y, across, down = cv2.boundingRect(hull)
    if min(x, y) <= 1 or x + across >= width - 1 or y + down >= height - 1:
        return None
    corners = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    if len(corners) != 4:
        corners = cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float64)
    quad = _fitted_sides(contour.reshape(-1, 2).astype(np.float64), corners)
    if quad is None or not 0.93 < area / max(_area(quad), 1.0) < 1.07:
        return None
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    if sides.min() < 8:
        return None
    if proportion_error(quad, card_mm) > _PROPORTION_SLACK:
        return None
    return quad


def _fitted_sides(outline: NDArray[np.float64], corners: Quad) -> Quad | None:
    """Corners where lines through the outline's four sides meet: rounded corners do not pull them in."""
    if _signed_area(corners) < 0:
        corners = corners[::-1]
    lines = []
    for i in range(4):
        start, end = corners[i], corners[(i + 1) % 4]
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        across = np.array([-along[1], along[0]])
        length = float(np.linalg.norm(end - start))
        relative = outline - start
        place, off = relative @ along, relative @ across
        near = (place > 0.12 * length) & (place < 0.88 * length) & (np.abs(off) < max(0.03 * length, 3.0))
        if near.sum() < 10:
            return None
        vx, vy, x, y = cv2.fitLine(outline[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append((float(vy), float(-vx), float(vy * x - vx * y)))
    meeting = []
    for i in range(4):
        (a1, b1, c1), (a2, b2, c2) = lines[i - 1], lines[i]
        turn = a1 * b2 - a2 * b1
        if abs(turn) < 0.5:
            return None
        meeting.append(((c1 * b2 - c2 * b1) / turn, (a1 * c2 - a2 * c1) / turn))
    return np.array(meeting)


def proportion_error(quad: Quad, card_mm: tuple[float, float]) -> float:
    """By what share a quad is longer or shorter than the card, for its width (either way round)."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    one, other = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    return abs(max(one, other) / min(one, other) / (max(card_mm) / min(card_mm)) - 1)


def unequal_sides(quad: Quad) -> float:
    """How many times longer one side is than the one opposite, at most; 1 seen from straight above."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return float(max(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1]))


def _likeness(quad: Quad, card_mm: tuple[float, float]) -> float:
    """How much a quad has a card's shape: 1 seen from straight above, less the more it is distorted."""
    return (1 - proportion_error(quad, card_mm)) ** 2 / unequal_sides(quad)


def _signed_area(quad: Quad) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _area(quad: Quad) -> float:
    return abs(_signed_area(quad))
