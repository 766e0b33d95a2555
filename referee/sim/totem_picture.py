"""The wooden totem as the camera sees it: standing, leaning, carried or lying.

Belongs here: its turned shape, its colour, its shadow. Does not belong here: where it is (`timeline`).
"""

from __future__ import annotations

import cv2
import numpy as np

from referee.sim.optics import Array, Box, box
from referee.sim.patches import Patch, Picture, Plane, blend, darken
from referee.sim.scenery import Scenery
from referee.sim.timeline import TotemKey

HEIGHT_MM = 120.0
# Height and radius of the turned shape, millimetres.
_SHAPE = (
    (0, 15),
    (12, 15),
    (22, 12),
    (36, 10.5),
    (60, 10.5),
    (76, 12),
    (88, 14),
    (100, 15),
    (110, 14),
    (116, 11),
    (119, 6),
)
WOOD = np.array([52.0, 84.0, 122.0])
OVER = 3


class TotemPicture:
    """Draws one table's totem; remembers the last picture, since it mostly stands."""

    def __init__(self, scenery: Scenery) -> None:
        self._scenery = scenery
        self._last: tuple[TotemKey, tuple[Patch, tuple[Box, Plane]] | None] | None = None

    def draw(self, canvas: Picture, key: TotemKey) -> tuple[Box, Plane] | None:
        """Lay it on the picture; returns what it covers (box and coverage)."""
        still = key._replace(t_us=0)
        if self._last is None or self._last[0] != still:
            self._last = (still, self._paint(key))
        painted = self._last[1]
        if painted is None:
            return None
        patch, shadow = painted
        darken(canvas, *shadow)
        blend(canvas, patch)
        return patch.box, patch.alpha

    def _paint(self, key: TotemKey) -> tuple[Patch, tuple[Box, Plane]] | None:
        optics, light, size = self._scenery.optics, self._scenery.light, self._scenery.size
        lean, toward = np.deg2rad(key.tilt_deg), np.deg2rad(key.toward_deg)
        axis = np.array([np.sin(lean) * np.cos(toward), -np.sin(lean) * np.sin(toward), np.cos(lean)])
        heights = np.arange(0, HEIGHT_MM, 3.0)
        radii = np.interp(heights, [h for h, _ in _SHAPE], [r for _, r in _SHAPE])
        lift = 15.0 * np.sin(lean)  # a lying totem rests on its side
        points = np.array([key.x, key.y, key.z + lift]) + heights[:, None] * axis
        pixels = optics.pixels(points)
        per_mm = optics.per_mm() * optics.eye[2] / (optics.eye[2] - points[:, 2])
        where = box(pixels, size, int(18 * per_mm.max()) + 2)
        if where is None:
            return None
        x0, y0, x1, y1 = where
        big = np.zeros(((y1 - y0) * OVER, (x1 - x0) * OVER, 3), np.float32)
        alpha = np.zeros(big.shape[:2], np.float32)
        big[:] = WOOD
        for h, p, r, s in zip(heights, (pixels - (x0, y0) + 0.5) * OVER - 0.5, radii, per_mm * OVER, strict=True):
            level = 0.45 + 0.5 * h / HEIGHT_MM + 0.06 * np.sin(h * 0.9)
            at = (round(p[0] * 16), round(p[1] * 16))
            cv2.circle(big, at, round(r * s * 16), tuple(float(v) for v in WOOD * level * 0.8), -1, cv2.LINE_AA, 4)
            cv2.circle(big, at, round(0.72 * r * s * 16), tuple(float(v) for v in WOOD * level), -1, cv2.LINE_AA, 4)
            cv2.circle(alpha, at, round(r * s * 16), 1.0, -1, cv2.LINE_AA, 4)
        shine = (pixels[-1] - (x0, y0) + 0.5) * OVER - 0.5 + np.array([-3.0, -3.0]) * per_mm[-1] * OVER * 0.6
        if key.tilt_deg < 60:
            cv2.circle(big, (round(shine[0] * 16), round(shine[1] * 16)), round(2.6 * per_mm[-1] * OVER * 16),
                       tuple(float(v) for v in WOOD * 1.55), -1, cv2.LINE_AA, 4)  # fmt: skip
        small = (x1 - x0, y1 - y0)
        bgr = cv2.resize(big, small, interpolation=cv2.INTER_AREA) * light.gain[y0:y1, x0:x1]
        cover = cv2.GaussianBlur(cv2.resize(alpha, small, interpolation=cv2.INTER_AREA), (0, 0), self._scenery.blur_px)
        return Patch(where, np.asarray(bgr, np.float32), np.asarray(cover, np.float32)), self._shadow(points, radii)

    def _shadow(self, points: Array, radii: Array) -> tuple[Box, Plane]:
        optics, light, size = self._scenery.optics, self._scenery.light, self._scenery.size
        flat = points[:, :2] + points[:, 2:] * light.towards
        pixels, per_mm = optics.pixels(flat), optics.per_mm()
        soft = max(0.6, 0.5 * light.soft_mm * per_mm)
        where = box(pixels, size, int(16 * per_mm + 2 * soft) + 1) or (0, 0, 1, 1)
        x0, y0, x1, y1 = where
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        for p, r in zip(pixels - (x0, y0), radii, strict=True):
            cv2.circle(
                mask, (round(p[0] * 16), round(p[1] * 16)), round(r * per_mm * 16), light.depth, -1, cv2.LINE_AA, 4
            )
        return where, np.asarray(cv2.GaussianBlur(mask, (0, 0), soft), np.float32)
