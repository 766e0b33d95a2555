"""The totem's lamp in the camera's pictures: where it is, and how bright in each.

Written rules:
- pictures are kept small while they come; nobody has to say where the lamp is: it is what changes;
- pixels that the lamp burns out say nothing about how long it was on; its halo does;
- values are made proportional to light before they are averaged.
Does not belong here: what the brightness says about time (`calibration.lamp_time`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.charuco import Picture, grey_of
from referee.errors import InputError
from referee.vision.geometry import Array

SMALL_PX = 320  # width of what is kept of each picture
LEAST_SWING = 6.0  # grey values between dark and lit, under which nothing can be told
BURNT = 246
HALO_SHARE = 0.3  # of the strongest change: pixels that change as much belong to the lamp's light
# Cameras encode light by about this curve (IEC 61966-2-1, sRGB).
_LINEAR = np.where(
    np.arange(256) / 255 <= 0.04045, np.arange(256) / 255 / 12.92, ((np.arange(256) / 255 + 0.055) / 1.055) ** 2.4
).astype(np.float32)


@dataclass
class LampWatch:
    """Pictures with the middle of their exposure, as they come."""

    t_us: list[int] = field(default_factory=list)
    _small: list[Picture] = field(default_factory=list)

    def add(self, picture: Picture, t_us: int) -> None:
        """Take a picture (H×W×3 or H×W)."""
        grey = grey_of(picture)
        height = max(1, round(grey.shape[0] * SMALL_PX / grey.shape[1]))
        self.t_us.append(t_us)
        # Every pixel counts alike, so that a mean of the small ones is a mean of the large ones.
        self._small.append(np.asarray(cv2.resize(grey, (SMALL_PX, height), interpolation=cv2.INTER_AREA), np.uint8))

    def brightness(self) -> tuple[Array, float]:
        """How bright the lamp is in each picture (0 dark to about 1 lit), and its row as a share of the height.

        Raises `InputError` when nothing blinks or the lamp burns out all it lights.
        """
        if len(self._small) < 30:
            raise InputError(f"{len(self._small)} pictures of the blinking lamp, expected 30 at least")
        stack = np.stack(self._small)
        low, high = np.percentile(stack, (10, 90), axis=0).astype(np.float32)
        swing = cv2.blur(high - low, (3, 3))
        if float(swing.max()) < LEAST_SWING:
            raise InputError("the lamp is not seen to blink: is it in the picture, lit, and the room not too bright?")
        peak = np.unravel_index(int(swing.argmax()), swing.shape)
        lit = (swing > HALO_SHARE * swing.max()).astype(np.uint8)
        _, labels = cv2.connectedComponents(lit)
        halo = labels == labels[peak]
        usable = halo & (high < BURNT)
        if usable.sum() < 2:
            raise InputError("the lamp burns out the picture: cover it with paper, or turn the camera's exposure down")
        weight = np.where(usable, swing, 0.0)
        light = _LINEAR[stack.reshape(len(stack), -1)] @ (weight / weight.sum()).ravel()
        dark, bright = np.percentile(light, (10, 90))
        row = float((np.argwhere(usable)[:, 0].mean() + 0.5) / swing.shape[0])
        return np.asarray((light - dark) / max(bright - dark, 1e-6), np.float64), row
