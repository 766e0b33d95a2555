"""A picture at several sizes: each card is read where it is about as large as prints are compared.

Does not belong here: anything about cards but their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array
from referee.vision.levels import Image


@dataclass(frozen=True)
class Layer:
    """One size: the picture, its darkest channel, its ink (1 minus that), and the way there from full pixels."""

    image: NDArray[np.uint8]
    dark: NDArray[np.uint8]
    ink: Image
    shrink: Array


@dataclass
class Pyramid:
    """The picture's layers, each half the one before, made when first asked for."""

    image: NDArray[np.uint8]
    _layers: dict[float, Layer] = field(default_factory=dict)
    _half: NDArray[np.uint8] | None = None

    def at(self, scale: float) -> Layer:
        """The layer of one scale (at most 1)."""
        if scale not in self._layers:
            small = self._shrunk(scale)
            shift = scale / 2 - 0.5
            shrink = np.array([[scale, 0, shift], [0, scale, shift], [0, 0, 1.0]])
            blue, green, red = cv2.split(small)
            dark = np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)
            ink = np.float32(1) - dark.astype(np.float32) * np.float32(1 / 255)
            self._layers[scale] = Layer(small, dark, np.asarray(ink, np.float32), shrink)
        return self._layers[scale]

    def _shrunk(self, scale: float) -> NDArray[np.uint8]:
        height, width = self.image.shape[:2]
        if scale == 1:
            return self.image
        source, share = self.image, scale
        if scale <= 0.5 and height % 2 == 0 and width % 2 == 0:
            # Halving is many times as fast as shrinking by a share, and shrinking the half is a quarter of the work.
            if self._half is None:
                half = cv2.resize(self.image, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
                self._half = np.asarray(half, np.uint8)
            source, share = self._half, 2 * scale
        if share == 1:
            return source
        return np.asarray(cv2.resize(source, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)

    def for_side(self, side_px: float, most_px: float) -> Layer:
        """The largest layer, in steps of two, in which a side has at most that many pixels."""
        halvings = max(0, int(np.ceil(np.log2(max(1.0, side_px / most_px)))))
        return self.at(0.5**halvings)
