"""Card-like quads in a picture whose scale is not known: contours with four straight sides.

Written rules of this module:
- several segmentations propose (edges, adaptive and plain thresholds of light and of colour); a quad needs
  four long straight sides that meet where its corners are, not four sharp corners: cards' corners are round;
- sides are fitted to the contour's points between the corners, so that a quad is good to about half a pixel.
Does not belong here: what is printed on a card.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, overlap

WORK_PX = 1000  # long side of the picture in which contours are sought
SMALLEST_PX = 22  # short side of a quad, in that picture
LARGEST_SHARE = 0.95  # of the picture's area
STRAIGHT = 0.965  # area of the contour's hull over that of its quad, at least
MOST = 80
LEAST_AROUND = 4 * SMALLEST_PX * 0.8  # points of a contour


@dataclass(frozen=True)
class Outlines:
    """The contours of a picture's segmentations: all of each, in a picture of this shape, `scale` times the whole."""

    masks: tuple[tuple[NDArray[np.int32], ...], ...]
    shape: tuple[int, ...]
    scale: float

    def whole(self, quad: Array) -> Array:
        """A quad of the small picture in pixels of the whole one."""
        return np.asarray((quad + 0.5) / self.scale - 0.5, np.float64)


def outlines_of(image: NDArray[np.uint8]) -> Outlines:
    """What may have sides in a picture (H×W×3)."""
    scale = min(1.0, WORK_PX / max(image.shape[:2]))
    work = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    masks = []
    for mask in _segmentations(np.asarray(work, np.uint8)):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        masks.append(tuple(np.asarray(contour, np.int32) for contour in contours if len(contour) >= LEAST_AROUND))
    return Outlines(tuple(masks), work.shape, scale)


def find_quads(image: NDArray[np.uint8], aspect: float) -> list[Array]:
    """Quads (4×2 px, clockwise) that may be cards of an aspect (short over long side), largest first."""
    return four_sided(outlines_of(image), aspect)


def four_sided(outlines: Outlines, aspect: float) -> list[Array]:
    """The same from contours that are known already."""
    found: list[Array] = []
    for contours in outlines.masks:
        for contour in contours:
            quad = _quad(contour, outlines.shape, aspect)
            if quad is not None and all(overlap(quad, other) < 0.85 for other in found):
                found.append(quad)
                if len(found) >= MOST:
                    break
    found.sort(key=lambda q: -cv2.contourArea(q.astype(np.float32)))
    return [outlines.whole(quad) for quad in found]


def _segmentations(work: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    grey = cv2.cvtColor(work, cv2.COLOR_BGR2GRAY)
    dark = np.ascontiguousarray(work.min(2))
    soft = cv2.GaussianBlur(grey, (0, 0), 1.2)
    masks: list[NDArray[np.uint8]] = []
    for channel in (dark, grey):
        level, mask = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        masks.append(np.asarray(mask, np.uint8))
        top = float(np.percentile(channel, 99))
        for share in (0.35, 0.65, 0.85):
            _, mask = cv2.threshold(channel, level + share * (top - level), 255, cv2.THRESH_BINARY)
            masks.append(np.asarray(mask, np.uint8))
    for block in (41, 101):
        mask = cv2.adaptiveThreshold(dark, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -6)
        masks.append(np.asarray(mask, np.uint8))
    for low in (20, 60):
        edges = cv2.Canny(soft, low, 3 * low)
        closed = cv2.dilate(edges, np.ones((3, 3), np.uint8))
        masks.append(np.asarray(255 - closed, np.uint8))
    return masks


def _quad(contour: NDArray[np.int32], shape: tuple[int, ...], aspect: float) -> Array | None:
    hull = np.asarray(cv2.convexHull(contour), np.int32)
    area = cv2.contourArea(hull)
    if area < SMALLEST_PX**2 / aspect * 0.8 or area > LARGEST_SHARE * shape[0] * shape[1]:
        return None
    corners = _four(hull)
    if corners is None:
        return None
    refined = _refined(hull, corners)
    if refined is None:
        return None
    whole = cv2.contourArea(refined.astype(np.float32))
    if whole <= 0 or not STRAIGHT <= area / whole <= 1.03:
        return None
    sides = np.linalg.norm(np.roll(refined, -1, 0) - refined, axis=1)
    across, along = sides[[0, 2]].mean(), sides[[1, 3]].mean()
    seen = min(across, along) / max(across, along)
    # A tilted camera shortens one direction: half to one and a half of the card's own aspect.
    if sides.min() < 0.6 * sides.max() * seen or not 0.5 * aspect <= seen <= min(1.0, 1.5 * aspect) + 1e-6:
        return None
    return refined


def _four(hull: NDArray[np.int32]) -> Array | None:
    around = cv2.arcLength(hull, True)
    for tolerance in (0.02, 0.03, 0.045, 0.06):
        found = cv2.approxPolyDP(hull, tolerance * around, True)
        if len(found) == 4:
            points = found.reshape(4, 2).astype(np.float64)
            return points if cv2.contourArea(found, oriented=True) > 0 else points[::-1]
        if len(found) < 4:
            break
    return None


def _refined(hull: NDArray[np.int32], corners: Array) -> Array | None:
    """The quad whose sides are lines through the hull's edge between the corners."""
    outline = _dense(hull.reshape(-1, 2).astype(np.float64))
    lines = []
    for i in range(4):
        a, b = corners[i], corners[(i + 1) % 4]
        along = b - a
        length = float(np.linalg.norm(along))
        if length < SMALLEST_PX * 0.7:
            return None
        unit = along / length
        place = (outline - a) @ unit / length
        off = (outline - a) @ np.array([-unit[1], unit[0]])
        near = outline[(place > 0.15) & (place < 0.85) & (np.abs(off) < 0.06 * length + 1.5)]
        if len(near) < 5:
            return None
        vx, vy, x0, y0 = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append(np.array([vy, -vx, vx * y0 - vy * x0], np.float64))
    quad = []
    for i in range(4):
        cross = np.cross(lines[i - 1], lines[i])
        if abs(cross[2]) < 1e-6:
            return None
        quad.append(cross[:2] / cross[2])
    result = np.array(quad)
    reach = np.linalg.norm(result - corners, axis=1).max()
    return result if reach < 0.2 * np.linalg.norm(corners[1] - corners[0]) + 6 else None


def _dense(hull: Array) -> Array:
    """Points about a pixel apart along a closed polygon."""
    parts = []
    for a, b in zip(hull, np.roll(hull, -1, 0), strict=True):
        n = max(1, int(np.ceil(np.linalg.norm(b - a))))
        parts.append(a + (b - a) * (np.arange(n) / n)[:, None])
    return np.concatenate(parts)
