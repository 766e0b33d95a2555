"""Whether two pictures differ by more than light.

Written rules of this module:
- a change of light is no change: a little brighter or a good deal darker with the same colour and the same fine
  structure is a lamp or a shadow; where a grain that lies still is no longer seen, something covers it, whatever
  its colour;
- it runs on every frame in which something moves: whole-array OpenCV calls, no axis of three is summed by numpy.
Does not belong here: what lies still, what a change is.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.masks import Mask

Plane = NDArray[np.float32]
Values = NDArray[Any]  # uint8 or float32: OpenCV gives back what it was given

COLOUR_STEP = 10.0  # grey levels off the line through black on which light alone moves a colour
LIGHT_STEP = 31.0  # grey levels, over three channels
BRIGHTER, DARKER = 1.22, 0.42  # times the light that a moving shadow or a lamp make
DETAIL_STEP = 9.0  # grey levels of fine structure that light alone does not make
GRAIN_AREA = (5, 5)  # pixels over which a grain is looked for
LEAST_GRAIN = 6.0  # grey levels over three channels, root mean square in the light that falls now: less tells nothing
GRAIN_OVER_NOISE = 2.0  # times what the camera's noise makes of it: a dark picture's noise is no grain
SHADED = 1.0  # times the light before, at most: what is brighter differs without its grain
GRAIN_KEPT = 0.45  # of it, that light alone leaves at least; a shadow keeps all of it, and what covers it none
_SUM = np.ones((1, 3), np.float32)


def largest(gap: Values) -> Values:
    """The largest of three channels (H×W×3 to H×W)."""
    blue, green, red = cv2.split(gap)
    return np.asarray(cv2.max(cv2.max(blue, green), red))


def apart(a: Values, b: Values) -> Values:
    """How far two pictures of one type are apart: the largest channel's difference (H×W)."""
    return largest(np.asarray(cv2.absdiff(a, b)))


def summed(x: Plane) -> Plane:
    """The sum over three channels (H×W×3 to H×W)."""
    return np.asarray(cv2.transform(x, _SUM), np.float32)


def product(a: Plane, b: Plane) -> Plane:
    """The sum over three channels of two pictures' products (H×W)."""
    return summed(np.asarray(cv2.multiply(a, b), np.float32))


def differs(now: Plane, before: Plane, noise: float = 1.0, brighter: float = BRIGHTER) -> Mask:
    """Where two pictures (H×W×3, the same size) differ by more than light.

    `noise` scales the thresholds: 1 for means over a cell of a dozen pixels or more. `brighter` is how many times
    the light may have grown.
    """
    nn = product(now, now)
    bb = product(before, before) + np.float32(1)
    nb = product(now, before)
    ratio = nb / bb
    off = nn - nb * ratio
    gap = nn + bb - 2 * nb
    other_light = ((ratio > brighter) | (ratio < DARKER)) & (gap > (LIGHT_STEP * noise) ** 2)
    grey_now, grey_before = summed(now), summed(before)
    detail = (grey_now - cv2.blur(grey_now, (3, 3))) - ratio * (grey_before - cv2.blur(grey_before, (3, 3)))
    fine = cv2.absdiff(detail, np.zeros_like(detail)) > 3 * DETAIL_STEP * noise
    return np.asarray((off > (COLOUR_STEP * noise) ** 2) | other_light | fine)


def covers(now: Plane, before: Plane, first: Plane, noise: float, fine_noise: float) -> Mask:
    """Where something lies or is held over what lay still: it differs by more than light, or hides its grain.

    What lay still (`before`) was learned piece by piece, and the seams are no grain; so its grain is that of the
    `first` frame, where that is still how it looks.
    """
    hidden = hides_grain(now, first, noise, fine_noise) & ~differs(before, first, noise)
    return np.asarray(differs(now, before, noise) | hidden)


def fine_noise_of(now: Plane, before: Plane) -> float:
    """What the camera's noise makes of the fine structure (root mean square, grey levels over three channels), where
    most of two pictures is the same."""
    step = summed(now) - summed(before)
    off = cv2.absdiff(step, np.asarray(cv2.blur(step, (3, 3)), np.float32)).ravel()
    return 1.48 * float(np.partition(off, len(off) // 2)[len(off) // 2])


def hides_grain(now: Plane, before: Plane, noise: float = 1.0, fine_noise: float = 0.0) -> Mask:
    """Where the grain of what lay still (H×W×3, the same size) is no longer seen, though it would be in this light.

    A dark hand on dark wood has the colour of a shadow there, but a shadow keeps the wood's grain. `noise` as in
    `differs`, `fine_noise` as `fine_noise_of` gives it. Nothing is said where there is no grain.
    """
    near = cv2.blur(product(before, before), GRAIN_AREA) + np.float32(1)
    ratio = cv2.blur(product(now, before), GRAIN_AREA) / near
    grey_now, grey_before = summed(now), summed(before)
    grain_now = grey_now - cv2.blur(grey_now, (3, 3))
    grain_before = grey_before - cv2.blur(grey_before, (3, 3))
    wanted = ratio * cv2.blur(grain_before * grain_before, GRAIN_AREA)
    seen = cv2.blur(grain_now * grain_before, GRAIN_AREA)
    least = max(LEAST_GRAIN * noise, GRAIN_OVER_NOISE * fine_noise)
    is_told = (ratio * wanted > least**2) & (ratio < SHADED)
    return np.asarray(is_told & (seen < GRAIN_KEPT * wanted))
