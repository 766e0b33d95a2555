"""Patches: small pictures with soft edges that are laid on larger ones.

Belongs here: warping a flat thing (a card, a marker) onto a picture's pixels without jagged edges, and blending.
Does not belong here: what the things are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.optics import Array, Box, box

Picture = NDArray[np.uint8]
Loose = NDArray[np.integer[Any] | np.floating[Any]]  # what OpenCV is said to return
Plane = NDArray[np.float32]
CORNER_SHARE = 0.05  # radius of a card's corners over its short side
LEAST_AREA_PX = 3.0


@dataclass(frozen=True)
class Print:
    """A flat thing to be laid: BGR and coverage (uint8), about as large as it will be drawn."""

    bgr: Picture
    alpha: Picture


@dataclass(frozen=True)
class Patch:
    """Part of a frame: where (x0, y0, x1, y1), BGR (float32 0..255) and coverage (float32 0..1)."""

    box: Box
    bgr: Plane
    alpha: Plane


def card_print(face: Picture, side_px: float, over: int) -> Print:
    """A card's picture with round corners, shrunk to what `over`-fold sampling of `side_px` needs."""
    height, width = face.shape[:2]
    scale = min(1.0, over * side_px / min(height, width))
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    bgr = cv2.resize(face, size, interpolation=cv2.INTER_AREA)
    columns, rows = size
    radius = CORNER_SHARE * min(size)
    x = np.abs(np.arange(columns) + 0.5 - columns / 2) - (columns / 2 - radius)
    y = np.abs(np.arange(rows) + 0.5 - rows / 2) - (rows / 2 - radius)
    far = np.hypot(np.maximum(x, 0)[None, :], np.maximum(y, 0)[:, None])
    alpha = np.clip(radius - far + 0.5, 0, 1)
    return Print(np.asarray(bgr, np.uint8), np.asarray(255 * alpha, np.uint8))


def warp(thing: Print, quad: Array, size: tuple[int, int], over: int, blur_px: float) -> Patch | None:
    """A thing whose corners (clockwise from its top left) come to the pixels `quad`; None where nothing of it shows."""
    if abs(cv2.contourArea(quad.astype(np.float32))) < LEAST_AREA_PX:
        return None
    where = box(quad, size, 2)
    if where is None:
        return None
    x0, y0, x1, y1 = where
    rows, columns = thing.alpha.shape
    source = np.array([[-0.5, -0.5], [columns - 0.5, -0.5], [columns - 0.5, rows - 0.5], [-0.5, rows - 0.5]])
    target = (quad - (x0, y0) + 0.5) * over - 0.5
    h = cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32))
    big = ((x1 - x0) * over, (y1 - y0) * over)
    small = (x1 - x0, y1 - y0)
    bgr = cv2.warpPerspective(thing.bgr, h, big, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpPerspective(thing.alpha, h, big, flags=cv2.INTER_LINEAR)
    if over > 1:
        bgr = cv2.resize(bgr, small, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(alpha, small, interpolation=cv2.INTER_AREA)
    if blur_px > 0.2:
        bgr, alpha = cv2.GaussianBlur(bgr, (0, 0), blur_px), cv2.GaussianBlur(alpha, (0, 0), blur_px)
    return Patch(where, bgr.astype(np.float32), alpha.astype(np.float32) * np.float32(1 / 255))


def overlap(a: Box, b: Box) -> Box | None:
    """What two boxes have in common."""
    x0, y0, x1, y1 = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def blend(canvas: Picture, patch: Patch) -> None:
    """Lay a patch on a picture, in place."""
    x0, y0, x1, y1 = patch.box
    part = canvas[y0:y1, x0:x1]
    mixed = cv2.blendLinear(patch.bgr, part.astype(np.float32), patch.alpha, 1 - patch.alpha)
    part[:] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)


def darken(canvas: Picture, where: Box, shade: Loose) -> None:
    """Multiply a part of a picture by 1 - `shade` (0..1), in place."""
    x0, y0, x1, y1 = where
    part = canvas[y0:y1, x0:x1]
    light = np.asarray(1 - shade, np.float32)
    part[:] = cv2.multiply(part, cv2.merge([light, light, light]), dtype=cv2.CV_8U)


def mean_patch(patches: list[Patch]) -> Patch | None:
    """Several moments of one moving thing as one exposure."""
    if len(patches) <= 1:
        return patches[0] if patches else None
    boxes = np.array([patch.box for patch in patches])
    x0, y0 = boxes[:, :2].min(0)
    x1, y1 = boxes[:, 2:].max(0)
    bgr, alpha = np.zeros((y1 - y0, x1 - x0, 3), np.float32), np.zeros((y1 - y0, x1 - x0), np.float32)
    for patch in patches:
        a, b, c, d = patch.box
        rows, columns = slice(b - y0, d - y0), slice(a - x0, c - x0)
        bgr[rows, columns] += patch.bgr * patch.alpha[:, :, None]
        alpha[rows, columns] += patch.alpha
    bgr /= np.maximum(alpha, 1e-3)[:, :, None]
    alpha = np.asarray(alpha / len(patches), np.float32)
    return Patch((int(x0), int(y0), int(x1), int(y1)), bgr, alpha)
