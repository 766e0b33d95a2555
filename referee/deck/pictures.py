"""Pictures of cards read from files: looked at by their header first, then decoded.

Written rules: a picture made to exhaust memory is refused before it is decoded, and what cannot be read is refused
with one sentence. Pillow decodes and not OpenCV, whose decoders write to the terminal when a file is damaged.
Does not belong here: what is on a picture.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from referee.errors import DeckError

SMALLEST_SIDE_PX = 200
LARGEST_SIDE_PX = 10_000
# 192 MB once decoded: a telephone's 50-million-pixel photograph still fits.
MOST_PIXELS = 64_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")
# What Pillow raises for a damaged file, by the place in which the damage is noticed.
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, struct.error, zlib.error)


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels of a PNG, JPEG or WebP, from its header alone.

    Raises `DeckError` for anything else and for sizes we do not take.
    """
    with _opened(path) as image:
        return image.size


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A picture, H×W×3, BGR, turned as its camera says; what is transparent in it is white paper.

    Raises `DeckError` when it is none, is damaged, or has a size we do not take.
    """
    with _opened(path) as image, warnings.catch_warnings():
        # A camera's broken notes about a picture are no reason to bother anybody.
        warnings.simplefilter("ignore")
        try:
            rgb = _as_rgb(ImageOps.exif_transpose(image))
        except _DAMAGED as error:
            raise DeckError(f"{path}: the picture is damaged, expected a whole PNG, JPEG or WebP") from error
    return np.ascontiguousarray(rgb[:, :, ::-1])


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """The picture with its header read, of a kind and size we take."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of pictures so large that they may be a trap; we have our own, lower limit.
            warnings.simplefilter("ignore")
            image = Image.open(path, formats=_FORMATS)
    except FileNotFoundError as error:
        raise DeckError(f"{path}: there is no such picture") from error
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise DeckError(f"{path}: not a picture that can be used, expected a PNG, JPEG or WebP") from error
    with image:
        short, long = sorted(image.size)
        if short < SMALLEST_SIDE_PX or long > LARGEST_SIDE_PX or short * long > MOST_PIXELS:
            raise DeckError(
                f"{path}: the picture is {image.width}×{image.height} pixels, expected sides from {SMALLEST_SIDE_PX} "
                f"to {LARGEST_SIDE_PX} and at most {MOST_PIXELS // 1_000_000} million in all"
            )
        yield image


def _as_rgb(image: Image.Image) -> NDArray[np.uint8]:
    if image.mode.startswith("I"):
        # Sixteen bits of grey: Pillow would cut them off instead of scaling them down.
        grey = np.asarray(np.asarray(image, np.float32) / 257 + 0.5, np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image.convert("RGBA"))
    return np.asarray(image.convert("RGB"), np.uint8)
