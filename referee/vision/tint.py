"""The colour of the light on a card, and its ink once that is taken out.

Written rules of this module:
- a card's own paper says what white is; nothing else in the picture does;
- light of an ordinary tint is left as it is: ink is measured against the paper's darkest channel anyway. A lamp that
  takes much of one colour away makes the inks of one card unlike each other, and only then the channels are weighed;
- colours are told elsewhere, against the same paper, from the picture as it is.
Does not belong here: which card it is, shadows and reflections.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, apply
from referee.vision.levels import Image
from referee.vision.prints import Prints
from referee.vision.registration import CUT, Fit

STRONG = 1.3  # times as much of one colour as of another: a lamp of a warm room, with the camera set for the day
LEAST_PLACES, PLACES = 12, 60  # of paper
# A lamp's colours stand in order, from much red to little blue or the other way round: what has least green or most is
# no lamp's (a red sleeve), up to so much.
OUT_OF_ORDER = 1.1
LEAST_CONTRAST = 0.4  # of the print, against the paper's darkest channel: the grain of coloured wood is no print
DARK = 30.0  # grey levels: paper darker than that has no colour to speak of
AROUND = 1.1  # of the short side: how much about the card is kept


def strong_tint(fit: Fit, image: NDArray[np.uint8], prints: Prints, short_px: int, blur: int) -> Array | None:
    """The colour of the paper of a card laid with this fit (blue, green, red), or None where it is white enough."""
    level = prints.levels[short_px]
    lightest = prints.lightest_first(fit.template, short_px, blur)[:PLACES]
    lightest = lightest[np.abs(fit.residual.take(lightest)) < CUT]
    places = np.rint(apply(fit.pose, level.inner.take(lightest, 0))).astype(np.intp)
    height, width = image.shape[:2]
    x, y = places[:, 0], places[:, 1]
    if len(places) and (x.min() < 0 or y.min() < 0 or x.max() >= width or y.max() >= height):
        within = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        x, y = x[within], y[within]
    if len(x) < LEAST_PLACES:
        return None
    seen = np.sort(image.reshape(-1, 3).take(y * width + x, 0), axis=0)
    paper = seen[len(seen) // 2].astype(np.float64)
    blue, green, red = paper.tolist()
    strongest, weakest = max(blue, green, red), min(blue, green, red)
    is_a_lamps = min(blue, red) < OUT_OF_ORDER * green and green < OUT_OF_ORDER * max(blue, red)
    tinted = is_a_lamps and strongest > DARK and strongest > STRONG * weakest
    return paper if tinted and fit.gain > LEAST_CONTRAST * weakest / 255 else None


def in_white_light(image: NDArray[np.uint8], corners: Array, paper: Array) -> tuple[Image, NDArray[np.uint8], Array]:
    """A card (`corners`, 4×2 px) with what is about it: its ink as in white light, the picture, its top left (px)."""
    side = float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).min())
    low = np.maximum(np.floor(corners.min(0) - AROUND * side), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(0) + AROUND * side) + 1, image.shape[1::-1]).astype(int)
    part = np.ascontiguousarray(image[low[1] : high[1], low[0] : high[0]])
    shares = paper.max() / np.maximum(paper, 1.0)
    levels = np.clip(np.arange(256)[None, :, None] * shares[None, None, :], 0, 255).astype(np.float32)
    blue, green, red = cv2.split(np.asarray(cv2.LUT(part, levels), np.float32))
    dark = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
    return np.float32(1) - dark * np.float32(1 / 255), part, low.astype(np.float64)
