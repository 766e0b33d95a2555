"""The grids on which prints and pictures are compared, one a size.

Belongs here: which pixels of a card are compared at one size and where on the card they lie. Does not belong here: what
is printed on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]

LEVELS_PX = (24, 32, 48, 64, 96)  # short sides at which cards are compared
CORNER_MM = 4.0  # a card's corners may be rounded by as much: not compared


@dataclass(frozen=True)
class Level:
    """The grid at one size: card millimetres of each pixel (`grid` as a homography), which of them are compared
    (`mask`; `flat`: their places in the flattened grid; `inner`: their millimetres, N×2; `across`: the same as
    2×N in units of how far they reach; `ones`, N), and the card's corners (`frame`) in mm.
    """

    short_px: int
    shape: tuple[int, int]
    per_mm: float
    grid: NDArray[np.float64]
    mask: NDArray[np.bool_]
    flat: NDArray[np.intp]
    inner: NDArray[np.float64]
    across: Image
    ones: Image
    frame: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many pixels are compared."""
        return len(self.flat)


def level_of(short_px: int, card_mm: tuple[float, float]) -> Level:
    """The grid of a card (width, height in mm) whose short side has so many pixels."""
    w, h = card_mm
    per_mm = short_px / min(w, h)
    columns, rows = round(w * per_mm), round(h * per_mm)
    x = (np.arange(columns) + 0.5) * (w / columns) - w / 2
    y = (np.arange(rows) + 0.5) * (h / rows) - h / 2
    gx, gy = np.meshgrid(x, y)
    inset_x, inset_y = w / 2 - np.abs(gx), h / 2 - np.abs(gy)
    edge = 0.6 / per_mm
    mask = (inset_x + inset_y > CORNER_MM) & (inset_x > edge) & (inset_y > edge)
    grid = np.array([[w / columns, 0, x[0]], [0, h / rows, y[0]], [0, 0, 1.0]])
    inner = np.stack([gx.ravel(), gy.ravel()], 1)[mask.ravel()]
    across = np.ascontiguousarray((inner / np.abs(inner).max()).T, np.float32)
    frame = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    ones = np.ones(len(inner), np.float32)
    return Level(short_px, (rows, columns), per_mm, grid, mask, np.flatnonzero(mask), inner, across, ones, frame)
