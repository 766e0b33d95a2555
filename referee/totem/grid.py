"""The grid on which electrodes of any layout look alike: 24 heights by 12 directions.

Belongs here: laying electrodes on the grid and gathering them again. Does not belong here: what is laid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.totem.trace import Layout

Floats = NDArray[np.float32]

HEIGHTS, DIRECTIONS = 24, 12


@dataclass(frozen=True)
class Grid:
    """How electrodes lie on the grid: (HEIGHTS, rings) and (DIRECTIONS, sectors) shares; rows sum to 1."""

    ring_of: Floats
    sector_of: Floats
    offset: Floats
    pitch_mm: float
    sectors: int

    def lay(self, values: Floats) -> Floats:
        """Electrode values (..., E) on the grid (..., HEIGHTS, DIRECTIONS)."""
        square = values.reshape(*values.shape[:-1], self.ring_of.shape[1], self.sector_of.shape[1])
        return np.asarray(self.ring_of @ square @ self.sector_of.T, np.float32)

    def gather(self, grid: Floats) -> Floats:
        """Grid values (HEIGHTS, DIRECTIONS) back to electrodes (E): the mean over what each covers."""
        rows = self.ring_of / np.maximum(self.ring_of.sum(axis=0), 1e-6)
        columns = self.sector_of / np.maximum(self.sector_of.sum(axis=0), 1e-6)
        return np.asarray((rows.T @ grid @ columns).ravel(), np.float32)


def make_grid(layout: Layout) -> Grid:
    """The grid of a layout; heights are in 24ths of the totem."""
    step = layout.height_mm / HEIGHTS
    centres = (np.arange(HEIGHTS) + 0.5) * step
    edges = np.concatenate([[0.0], (layout.ring_mm[1:] + layout.ring_mm[:-1]) / 2, [layout.height_mm]])
    low, high = centres - step / 2, centres + step / 2
    ring_of = np.clip(np.minimum(high[:, None], edges[None, 1:]) - np.maximum(low[:, None], edges[None, :-1]), 0, None)
    ring_of /= np.maximum(ring_of.sum(axis=1, keepdims=True), 1e-9)
    nearest = np.argmax(ring_of, axis=1)
    offset = (centres - layout.ring_mm[nearest]) / max(layout.pitch_mm, 1e-6)
    width, span = 360.0 / DIRECTIONS, 360.0 / layout.sectors
    sector_of = np.zeros((DIRECTIONS, layout.sectors))
    for direction in range(DIRECTIONS):
        for sector in range(layout.sectors):
            away = abs((direction * width - sector * span + 180.0) % 360.0 - 180.0)
            sector_of[direction, sector] = np.clip((width + span) / 2 - away, 0.0, min(width, span))
    sector_of /= np.maximum(sector_of.sum(axis=1, keepdims=True), 1e-9)
    return Grid(
        ring_of.astype(np.float32),
        sector_of.astype(np.float32),
        offset.astype(np.float32),
        layout.pitch_mm,
        layout.sectors,
    )
