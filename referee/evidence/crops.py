"""Cards as the decision saw them: cut out of the frame and laid straight.

Belongs here: the crop of one card, and the newest crop of each card of the last minutes. Does not belong here: which
card it is.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]

MOST_CROPS = 96
LONGEST_SIDE_PX = 400
ENLARGED = 1.5  # a card is small in the picture; a person sees more of it a little larger
QUALITY = 92


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card lay in the frame at `t_us`: its corners (4×2 px, clockwise), and the number of its sighting."""

    number: int
    t_us: int
    quad: Array


@dataclass(frozen=True, slots=True)
class Crop:
    """A card laid straight, as JPEG, and the frame it was cut from."""

    number: int
    t_us: int
    jpeg: bytes


def straightened(picture: Picture, spot: Spot, t_us: int) -> Crop | None:
    """The card of a frame exposed at `t_us`, laid straight; None where its corners make no card."""
    quad = spot.quad.astype(np.float32)
    sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    across, along = float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2
    if not np.isfinite(quad).all() or min(across, along) < 2:
        return None
    scale = min(ENLARGED, LONGEST_SIDE_PX / max(across, along))
    width, height = max(1, round(across * scale)), max(1, round(along * scale))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    flat = cv2.warpPerspective(
        picture, cv2.getPerspectiveTransform(quad, corners), (width, height), flags=cv2.INTER_LINEAR
    )
    done, jpeg = cv2.imencode(".jpg", flat, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return Crop(spot.number, t_us, jpeg.tobytes()) if done else None


class Crops:
    """The newest crop of each card."""

    def __init__(self) -> None:
        self._crops: OrderedDict[int, Crop] = OrderedDict()

    def add(self, crop: Crop) -> None:
        """A card, seen again or for the first time."""
        self._crops.pop(crop.number, None)
        self._crops[crop.number] = crop
        while len(self._crops) > MOST_CROPS:
            self._crops.popitem(last=False)

    def get(self, number: int) -> Crop | None:
        """The crop of a sighting."""
        return self._crops.get(number)
