"""The camera of a simulated table: where it hangs, its lens, and how a point in space comes to a pixel.

Belongs here: geometry only. Does not belong here: light, colours, noise.

OpenCV's conventions: pixel centres at integers, radial distortion k1, k2. Table space: x right, y down, z UP from the
table (the camera looks down from z = +height).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.places import Point

Array = NDArray[np.float64]
Box = tuple[int, int, int, int]
"""Whole pixels of a picture: x0, y0, x1, y1, the last ones not included."""


@dataclass(frozen=True)
class Optics:
    """A camera's picture size, matrix, distortion (5), rotation (3×3) and translation of the table."""

    size: tuple[int, int]
    matrix: Array
    distortion: Array
    rotation: Array
    translation: Array

    def pixels(self, points: Array) -> Array:
        """Points in space (N×3, or N×2 on the table) to pixels (N×2), lens included."""
        rays = self._rays(points)
        r2 = (rays**2).sum(1)
        bent = rays * (1 + self.distortion[0] * r2 + self.distortion[1] * r2 * r2)[:, None]
        out: Array = bent * (self.matrix[0, 0], self.matrix[1, 1]) + self.matrix[:2, 2]
        return out

    def _rays(self, points: Array) -> Array:
        points = np.asarray(points, np.float64)
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        seen = (points * (1, 1, -1)) @ self.rotation.T + self.translation
        out: Array = np.asarray(seen[:, :2] / seen[:, 2:], np.float64)
        return out

    @property
    def table_to_pixels(self) -> Array:
        """3×3, table millimetres to the pixels of the picture without distortion."""
        h = self.matrix @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], self.translation])
        return np.asarray(h / h[2, 2], np.float64)

    def table_of_pixels(self) -> NDArray[np.float32]:
        """Table millimetres under each pixel (H×W×2)."""
        width, height = self.size
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float64)
        seen = np.stack([xs.ravel(), ys.ravel()], 1).reshape(-1, 1, 2)
        flat = cv2.undistortPoints(seen, self.matrix, self.distortion, P=self.matrix).reshape(-1, 2)
        back = np.linalg.inv(self.table_to_pixels)
        mm = np.column_stack([flat, np.ones(len(flat))]) @ back.T
        return np.asarray((mm[:, :2] / mm[:, 2:]).reshape(height, width, 2), np.float32)

    def per_mm(self, at: Point = (0.0, 0.0)) -> float:
        """Pixels a millimetre on the table about a point."""
        p = self.pixels(np.array([at, (at[0] + 1, at[1]), (at[0], at[1] + 1)], np.float64))
        return float(np.sqrt(abs(np.linalg.det(np.stack([p[1] - p[0], p[2] - p[0]])))))

    @property
    def eye(self) -> Array:
        """Where the camera hangs, in table space with z up."""
        place: Array = -self.rotation.T @ self.translation
        return place * (1, 1, -1)


def draw_optics(size: tuple[int, int], half_mm: Point, random: np.random.Generator) -> Optics:
    """A camera above the table that sees at least `half_mm` to all sides of the middle, a little askew."""
    width, height = size
    focal = float(random.uniform(0.65, 0.95)) * width
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    k1 = float(random.uniform(-0.09, 0.02))
    distortion = np.array([k1, -0.3 * k1, 0.0, 0.0, 0.0])
    axis, tilt = random.uniform(0, 2 * np.pi), np.deg2rad(random.uniform(0, 7))
    lean, _ = cv2.Rodrigues(np.array([np.cos(axis), np.sin(axis), 0.0]) * tilt)
    roll, _ = cv2.Rodrigues(np.array([0.0, 0.0, np.deg2rad(random.uniform(-4, 4))]))
    rotation = lean @ roll
    off = random.normal(0, 6, 2)
    corners = np.array([[sx * half_mm[0], sy * half_mm[1]] for sx in (-1, 1) for sy in (-1, 1)])
    distance = 300.0
    while distance < 5000:
        # The camera is aimed so that the totem's spot is near the picture's middle.
        optics = Optics(size, matrix, distortion, rotation, np.array([off[0], off[1], distance]))
        seen = optics.pixels(corners)
        if (seen >= 3).all() and (seen <= np.array(size) - 4).all():
            break
        distance *= 1.01
    return optics


def box(points: Array, size: tuple[int, int], pad: int) -> Box | None:
    """The whole pixels around points, cut to the picture: x0, y0, x1, y1; None outside."""
    x0, y0 = (max(0, int(v)) for v in np.floor(points.min(0)) - pad)
    x1, y1 = np.minimum(np.ceil(points.max(0)) + pad + 1, size).astype(int)
    return (x0, y0, int(x1), int(y1)) if x1 > x0 and y1 > y0 else None
