"""Whether a picture is a card alone, cut out, or a photograph with the table around it.

Belongs here: what `referee deck add-images` refuses. Does not belong here: cutting cards out (`calibration.deck`).
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.card_finder import Finder, Picture, Quad

_WORKING_PX = 800
# The share of the picture a card lying in it takes; printed boxes and panels of less are part of a face.
_LEAST_SHARE = 0.15
# A panel printed on a face lies in its middle and straight to within this share of the sides; no card laid by
# hand does.
_PRINTED_OFF = 0.005
# CIELAB: what lies around a card differs from its paper by more, the paper around a printed frame by less.
_OTHER_SURFACE = 12.0


def shows_table(photo: Picture, card_mm: tuple[float, float], finder: Finder) -> bool:
    """Whether a picture (BGR) shows a card with something else around it; `card_mm` is its width and height."""
    scale = min(1.0, _WORKING_PX / max(photo.shape[:2]))
    if min(photo.shape[:2]) * scale < 200:
        scale = 200 / min(photo.shape[:2])
    small = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    return any(_lies_in(small, quad) for quad in finder(small, card_mm))


def _lies_in(photo: Picture, quad: Quad) -> bool:
    height, width = photo.shape[:2]
    size = np.array([width, height])
    places = (quad + 0.5) / size
    x, y = places[:, 0], places[:, 1]
    share = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    if share < _LEAST_SHARE:
        return False
    # Mirrored about the picture's middle, a printed panel falls on itself.
    ordered, mirrored = (corners[np.lexsort(np.round(corners, 1).T)] for corners in (places, 1 - places))
    if float(np.abs(ordered - mirrored).max()) < _PRINTED_OFF:
        return False
    lab = cv2.cvtColor(photo.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
    width_px = max(3, round(0.03 * min(height, width)))
    kernel = np.ones((width_px, width_px), np.uint8)
    within = (cv2.erode(inside, kernel) > 0) & (cv2.erode(inside, np.ones((3 * width_px,) * 2, np.uint8)) == 0)
    around = (cv2.dilate(inside, kernel) == 0) & (cv2.dilate(inside, np.ones((3 * width_px,) * 2, np.uint8)) > 0)
    if not within.any() or not around.any():
        return False
    return bool(np.linalg.norm(np.median(lab[within], axis=0) - np.median(lab[around], axis=0)) > _OTHER_SURFACE)
