"""Which pixels may be kept: those that show the table.

Belongs here: the part of a picture inside a rectangle of the table, less what nobody is to see, and cutting the rest
off. Does not belong here: where the table's geometry comes from (`referee.vision.watcher`), files.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.table import TableView

Rect = tuple[float, float, float, float]
Picture = NDArray[np.uint8]
CELL_PX = 4  # a cell is kept if all its corners lie on the table: the edge is coarser than a pixel, and inside


def table_rect(view: TableView, rects: Iterable[Rect]) -> Rect | None:
    """The table in millimetres: what holds all zones and the whole of every marker; None where neither is known."""
    points = [np.array(rect).reshape(2, 2) for rect in rects]
    points += [view.millimetres(np.asarray(quad, np.float64)) for quad in view.markers.values()]
    if not points:
        return None
    every = np.concatenate(points)
    (left, top), (right, bottom) = every.min(0).tolist(), every.max(0).tolist()
    return (left, top, right, bottom)


def smaller(rect: Rect, by_mm: float) -> Rect | None:
    """The rectangle less a border; None where nothing is left."""
    left, top, right, bottom = rect[0] + by_mm, rect[1] + by_mm, rect[2] - by_mm, rect[3] - by_mm
    return (left, top, right, bottom) if left < right and top < bottom else None


def mask_of(view: TableView, rect: Rect, size: tuple[int, int]) -> Picture:
    """Which pixels of a picture (width, height) lie inside a rectangle of the table: H×W uint8, 255 or 0."""
    width, height = size
    columns, rows = -(-width // CELL_PX), -(-height // CELL_PX)
    x, y = np.meshgrid(np.arange(columns + 1) * CELL_PX - 0.5, np.arange(rows + 1) * CELL_PX - 0.5)
    points = view.millimetres(np.stack([x.ravel(), y.ravel()], 1))
    left, top, right, bottom = rect
    in_x = (points[:, 0] >= left) & (points[:, 0] <= right)
    inside = (in_x & (points[:, 1] >= top) & (points[:, 1] <= bottom)).reshape(rows + 1, columns + 1)
    cells = inside[:-1, :-1] & inside[1:, :-1] & inside[:-1, 1:] & inside[1:, 1:]
    whole = np.repeat(np.repeat(cells, CELL_PX, 0), CELL_PX, 1)[:height, :width]
    return np.asarray(whole.astype(np.uint8) * 255)


def without(mask: Picture, view: TableView, rects: Iterable[Rect]) -> Picture:
    """The mask less every cell of which a corner lies in one of these rectangles (mm), which nobody is to see."""
    height, width = mask.shape
    columns, rows = -(-width // CELL_PX), -(-height // CELL_PX)
    x, y = np.meshgrid(np.arange(columns + 1) * CELL_PX - 0.5, np.arange(rows + 1) * CELL_PX - 0.5)
    points = view.millimetres(np.stack([x.ravel(), y.ravel()], 1))
    left = mask.copy()
    for rect in rects:
        in_x = (points[:, 0] >= rect[0]) & (points[:, 0] <= rect[2])
        inside = (in_x & (points[:, 1] >= rect[1]) & (points[:, 1] <= rect[3])).reshape(rows + 1, columns + 1)
        cells = inside[:-1, :-1] | inside[1:, :-1] | inside[:-1, 1:] | inside[1:, 1:]
        left[np.repeat(np.repeat(cells, CELL_PX, 0), CELL_PX, 1)[:height, :width]] = 0
    return left


def cut(picture: Picture, mask: Picture) -> Picture:
    """The picture with all that the mask leaves out black; a new one."""
    return np.asarray(cv2.copyTo(picture, mask), np.uint8)
