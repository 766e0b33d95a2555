"""Skin on a cylinder: which electrode answers to which patch of skin.

Belongs here: the totem's geometry as a simulation sees it, patches of skin on its mantle, how much of each
electrode a patch covers, and what is left of a patch where other skin lay first. Does not belong here: time,
hands, electronics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

# The mantle is drawn on a grid of 5 degrees by 1 mm: finer than any electrode, coarse enough to be quick.
ANGLE_STEPS = 72
HEIGHT_STEP_MM = 1.0


@dataclass(frozen=True)
class Cylinder:
    """A totem: `rings` x `sectors` electrodes on a mantle `height_mm` high and `diameter_mm` across."""

    rings: int
    sectors: int
    height_mm: float = 120.0
    diameter_mm: float = 30.0

    @property
    def ring_mm(self) -> NDArray[np.float64]:
        """Centre height of each ring, mm."""
        pitch = self.height_mm / self.rings
        return np.asarray((np.arange(self.rings) + 0.5) * pitch, np.float64)

    @property
    def cell_mm2(self) -> float:
        """Area of one grid cell, square millimetres."""
        return float(np.pi * self.diameter_mm / ANGLE_STEPS * HEIGHT_STEP_MM)

    @property
    def grid_mm(self) -> NDArray[np.float64]:
        """Centre height of each grid row, mm."""
        return np.arange(HEIGHT_STEP_MM / 2, self.height_mm, HEIGHT_STEP_MM)


@dataclass(frozen=True)
class Patch:
    """A patch of skin: a rounded rectangle `arc_deg` wide and `breadth_mm` high around its centre."""

    angle_deg: float
    height_mm: float
    arc_deg: float
    breadth_mm: float

    def mask(self, totem: Cylinder) -> Flags:
        """Grid cells under the patch, (heights, ANGLE_STEPS)."""
        angle = np.arange(ANGLE_STEPS) * (360.0 / ANGLE_STEPS)
        away = np.abs((angle - self.angle_deg + 180.0) % 360.0 - 180.0) / max(self.arc_deg / 2, 1.0)
        up = np.abs(totem.grid_mm - self.height_mm) / max(self.breadth_mm / 2, 1.0)
        # A superellipse: a fingertip has round corners.
        return np.asarray(up[:, None] ** 4 + away[None, :] ** 4 <= 1.0)


def electrode_weights(totem: Cylinder, blur_mm: float) -> Floats:
    """How much each grid cell adds to each electrode, (rings * sectors, heights * ANGLE_STEPS).

    A fully covered electrode adds up to 1. `blur_mm` is the reach of the fringing field beyond its edge.
    """
    angle = np.arange(ANGLE_STEPS) * (360.0 / ANGLE_STEPS)
    circumference = np.pi * totem.diameter_mm
    sector_mm = circumference / totem.sectors
    ring_pitch = totem.height_mm / totem.rings
    weights = np.empty((totem.rings, totem.sectors, len(totem.grid_mm), ANGLE_STEPS), np.float32)
    for sector in range(totem.sectors):
        centre = sector * 360.0 / totem.sectors
        arc_mm = np.abs((angle - centre + 180.0) % 360.0 - 180.0) / 360.0 * circumference
        across = soft_box(arc_mm, sector_mm / 2, blur_mm)
        for ring, height in enumerate(totem.ring_mm):
            along = soft_box(np.abs(totem.grid_mm - height), ring_pitch / 2, blur_mm)
            weights[ring, sector] = np.outer(along, across)
    flat = weights.reshape(totem.rings * totem.sectors, -1)
    return np.asarray(flat / (sector_mm * ring_pitch / totem.cell_mm2), np.float32)


def soft_box(distance_mm: NDArray[np.float64], half_mm: float, blur_mm: float) -> NDArray[np.float64]:
    """1 inside a strip, 0 outside, with a logistic edge of width `blur_mm`."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip((distance_mm - half_mm) / max(blur_mm, 0.1), -40, 40))))
