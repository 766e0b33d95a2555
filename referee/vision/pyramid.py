"""A picture at several sizes: each card is read where it is about as large as prints are compared.

Does not belong here: anything about cards but their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array
from referee.vision.templates import Image


@dataclass(frozen=True)
class Layer:
    """One size: the picture, its ink (1 minus the darkest channel), and the way there from full pixels."""

    image: NDArray[np.uint8]
    ink: Image
    shrink: Array


@dataclass
class Pyramid:
    """The picture's layers, each half the one before, made when first asked for."""

    image: NDArray[np.uint8]
    _layers: dict[float, Layer] = field(default_factory=dict)

    def at(self, scale: float) -> Layer:
        """The layer of one scale (at most 1)."""
        if scale not in self._layers:
            small = self.image
            if scale < 1:
                shrunk = cv2.resize(self.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
                small = np.asarray(shrunk, np.uint8)
            shift = scale / 2 - 0.5
            shrink = np.array([[scale, 0, shift], [0, scale, shift], [0, 0, 1.0]])
            ink = cv2.min(cv2.min(small[:, :, 0], small[:, :, 1]), small[:, :, 2])
            values = np.float32(1) - ink.astype(np.float32) * np.float32(1 / 255)
            self._layers[scale] = Layer(small, values, shrink)
        return self._layers[scale]

    def for_side(self, side_px: float, most_px: float) -> Layer:
        """The largest layer, in steps of two, in which a side has at most that many pixels."""
        halvings = max(0, int(np.ceil(np.log2(max(1.0, side_px / most_px)))))
        return self.at(0.5**halvings)
