"""What a camera's sensor makes of light: noise that grows with it, and a gain that wavers.

Belongs here: from a clean picture to a frame. Does not belong here: what is in the picture.
"""

from __future__ import annotations

import cv2
import numpy as np

from referee.sim.light import Light
from referee.sim.patches import Picture

ROOM = 96  # the noise is drawn once, this much larger than a frame, and cut anew for each


class Sensor:
    """Exposes frames of one size in one light."""

    def __init__(self, size: tuple[int, int], light: Light, random: np.random.Generator) -> None:
        width, height = size
        pool = random.standard_normal((height + ROOM, width + ROOM, 3), np.float32)
        # A colour filter array and its interpolation make neighbours alike; the factor keeps the spread.
        self._noise = np.asarray(cv2.GaussianBlur(pool, (0, 0), 0.55) * (1.55 * light.noise), np.float32)
        # Photons: the spread grows as the root of the light, from a floor that the electronics set.
        self._spread = np.sqrt(0.35 + 0.65 * np.arange(256) / 128).astype(np.float32)
        self._flicker, self._random = light.flicker, random

    def expose(self, canvas: Picture) -> Picture:
        """A frame (H×W×3 uint8) of a clean picture of the same size."""
        height, width = canvas.shape[:2]
        y, x = self._random.integers(0, ROOM, 2)
        noise = self._noise[y : y + height, x : x + width]
        if self._random.random() < 0.5:
            noise = noise[:, ::-1]
        waver = float(1 + self._flicker * np.clip(self._random.normal(), -2, 2))
        grain = cv2.multiply(cv2.LUT(canvas, self._spread), noise)
        return np.asarray(cv2.addWeighted(canvas, waver, grain, 1.0, 0.0, dtype=cv2.CV_8U), np.uint8)
