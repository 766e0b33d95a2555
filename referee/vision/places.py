"""The places of the table as the picture shows them: zones and the totem's spot.

Written rules of this module:
- a card belongs to the zone in which its centre lies, and where two overlap to the nearer centre;
- a card may stick out of its zone by half, so a zone is looked at with a margin;
- the totem stands up: it is seen from its foot to its top, wherever the camera's slant throws that.
Does not belong here: what lies in a place, what a place means to a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from referee.vision.geometry import Array
from referee.vision.masks import Mask
from referee.vision.table import TableView
from referee.vision.view import above

Rect = tuple[float, float, float, float]
Box = tuple[int, int, int, int]

GRIP_MM = 22.0  # fingers about a totem reach that far out from its side


@dataclass(frozen=True)
class TotemPlace:
    """Where the totem stands (table mm) and how large it is."""

    centre_mm: tuple[float, float] = (0.0, 0.0)
    diameter_mm: float = 30.0
    height_mm: float = 120.0


def zone_of(point_mm: Array, zones: Mapping[str, Rect]) -> str | None:
    """The zone a point of the table lies in; where zones overlap, the one whose centre is nearer."""
    x, y = float(point_mm[0]), float(point_mm[1])
    inside = [
        (np.hypot(x - (rect[0] + rect[2]) / 2, y - (rect[1] + rect[3]) / 2), name)
        for name, rect in zones.items()
        if rect[0] <= x <= rect[2] and rect[1] <= y <= rect[3]
    ]
    return min(inside)[1] if inside else None


def grown(rect: Rect, by_mm: float) -> Rect:
    """A rectangle, larger by so much on every side."""
    return (rect[0] - by_mm, rect[1] - by_mm, rect[2] + by_mm, rect[3] + by_mm)


def cells_in(rect: Rect, cells_mm: Array) -> Mask:
    """Which cells (rows × columns × 2 table mm) lie in a rectangle."""
    x, y = cells_mm[..., 0], cells_mm[..., 1]
    return np.asarray((x >= rect[0]) & (x <= rect[2]) & (y >= rect[1]) & (y <= rect[3]))


def box_of(rect: Rect, view: TableView, size: tuple[int, int]) -> Box:
    """The pixels (left, top, right, bottom) that hold a rectangle of the table, within the picture; right and bottom
    are outside. A place out of sight gives an empty box."""
    x = np.linspace(rect[0], rect[2], 5)
    y = np.linspace(rect[1], rect[3], 5)
    points = view.pixels(np.stack(np.meshgrid(x, y), -1).reshape(-1, 2))
    low, high = np.floor(points.min(0)), np.ceil(points.max(0)) + 1
    left, top = np.clip(low, 0, size).astype(int)
    right, bottom = np.clip(high, 0, size).astype(int)
    return (int(left), int(top), int(max(left, right)), int(max(top, bottom)))


def even(box: Box) -> Box:
    """The box, a pixel wider and higher at most, at even places: so that half a picture holds all of it."""
    left, top, right, bottom = box
    return (left - left % 2, top - top % 2, right + right % 2, bottom + bottom % 2)


def focus(change: Mask | None, box: Box, scale: tuple[float, float], card_px: float) -> Box:
    """The pixels to read in a zone's box: about what changed in its small picture, at least a card and a half wide.

    `scale` takes pixels of the box to the small picture, in which a card's short side is `card_px`; all of the box
    where nothing is known to have changed.
    """
    left, top, right, bottom = box
    if change is None or not change.any():
        return box
    ys, xs = np.nonzero(change)
    low = np.array([xs.min(), ys.min()]) / np.array(scale)
    high = np.array([xs.max() + 1, ys.max() + 1]) / np.array(scale)
    side = card_px / scale[0]
    middle, half = (low + high) / 2, np.maximum((high - low) / 2 + 0.12 * side, 0.85 * side)
    a = np.floor(middle - half).astype(int) + np.array([left, top])
    b = np.ceil(middle + half).astype(int) + np.array([left, top])
    return (max(left, int(a[0])), max(top, int(a[1])), min(right, int(b[0])), min(bottom, int(b[1])))


def cells_millimetres(view: TableView, rows: int, columns: int, cell: int) -> Array:
    """The table millimetres of the middle of every cell of `cell` pixels (rows × columns × 2)."""
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float64)
    points = np.stack([x.ravel(), y.ravel()], 1) * cell + (cell - 1) / 2
    return view.millimetres(points).reshape(rows, columns, 2)


def totem_cells(totem: TotemPlace, view: TableView, size: tuple[int, int], shape: tuple[int, int], cell: int) -> Mask:
    """The cells over which a hand that grips the totem is seen: from its foot to its top, and fingers about it."""
    foot = view.pixels(np.array([totem.centre_mm]))[0]
    top = view.pixels(view_mm(view, above(view, totem.centre_mm, totem.height_mm, size)))[0]
    per_mm = float(np.sqrt(abs(np.linalg.det(view.local(foot)))))
    mask = np.zeros(shape, np.uint8)
    width = max(1, round((totem.diameter_mm + 2 * GRIP_MM) * per_mm / cell))
    ends = [tuple(int(v) for v in np.round((p + 0.5) / cell - 0.5)) for p in (foot, top)]
    cv2.line(mask, ends[0], ends[1], 1, width)
    return mask.astype(bool)


def view_mm(view: TableView, undistorted_px: Array) -> Array:
    """The table point (1×2 mm) that is seen at an undistorted pixel."""
    x = np.linalg.inv(view.to_pixels) @ np.append(undistorted_px, 1.0)
    return np.asarray((x[:2] / x[2])[None], np.float64)
