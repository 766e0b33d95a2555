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
class Shade:
    """One size without colours: the darkest channel, its ink (1 minus that), and the way there from full pixels."""

    dark: NDArray[np.uint8]
    ink: Image
    shrink: Array


@dataclass(frozen=True)
class Layer(Shade):
    """One size with its colours."""

    image: NDArray[np.uint8]


@dataclass
class Pyramid:
    """The picture's layers, made when first asked for."""

    image: NDArray[np.uint8]
    _layers: dict[float, Layer] = field(default_factory=dict)
    _shades: dict[float, Shade] = field(default_factory=dict)

    def at(self, scale: float) -> Layer:
        """The layer of one scale (at most 1)."""
        if scale not in self._layers:
            small = self._shrunk(scale)
            blue, green, red = cv2.split(small)
            dark = np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)
            self._layers[scale] = Layer(dark, _ink(dark), _shrink(scale), small)
        return self._layers[scale]

    def shade(self, scale: float) -> Shade:
        """The same without colours, for which a third of the pixels are shrunk."""
        if scale in self._layers or scale > 0.5 or not self._halves():
            return self.at(scale)
        if scale not in self._shades:
            # From one twice as large where there is one: halving is many times as fast as any other share.
            larger = next((known for known in (2 * scale, 0.5) if known in self._shades), 0.5)
            dark = self._shades[larger].dark if larger in self._shades else self.at(0.5).dark
            if scale < larger:
                share = scale / larger
                dark = np.asarray(cv2.resize(dark, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
            self._shades[scale] = Shade(dark, _ink(dark), _shrink(scale))
        return self._shades[scale]

    def _halves(self) -> bool:
        """Whether half the picture is a whole number of pixels: halving is many times as fast as another share."""
        height, width = self.image.shape[:2]
        return bool(height % 2 == 0 and width % 2 == 0)

    def _shrunk(self, scale: float) -> NDArray[np.uint8]:
        if scale == 1:
            return self.image
        source, share = self.image, scale
        if scale < 0.5 and self._halves():
            source, share = self.at(0.5).image, 2 * scale
        return np.asarray(cv2.resize(source, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)

    def for_side(self, side_px: float, most_px: float) -> Layer:
        """The largest layer, in steps of two, in which a side has at most that many pixels."""
        halvings = max(0, int(np.ceil(np.log2(max(1.0, side_px / most_px)))))
        return self.at(0.5**halvings)


def _ink(dark: NDArray[np.uint8]) -> Image:
    # Two thirds of the time a table of 256 values takes.
    return np.asarray(cv2.addWeighted(dark, -1 / 255, dark, 0.0, 1.0, dtype=cv2.CV_32F), np.float32)


def _shrink(scale: float) -> Array:
    """Full pixels to those of a scale; pixel centres are at integers."""
    shift = scale / 2 - 0.5
    return np.array([[scale, 0, shift], [0, scale, shift], [0, 0, 1.0]])
