"""Cards as a camera shows them, for what must not depend on a perfect view."""

from __future__ import annotations

import cv2
import numpy as np

from referee.deck.looks import Look, Map


def seen_badly(look: Look, size: int, rng: np.random.Generator, corner_px: float) -> Map:
    """A card `size` pixels wide, its corners found a little off (sd in pixels), blurred and noisy."""
    height, width = look.map.shape[:2]
    short = min(width, height)
    out = round(size * width / short), round(size * height / short)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    goal = corners * (size / short) + rng.normal(0, corner_px, (4, 2)).astype(np.float32)
    smooth = cv2.GaussianBlur(look.map, (0, 0), 0.8 * short / size)
    matrix = cv2.getPerspectiveTransform(corners, goal)
    view = cv2.warpPerspective(smooth, matrix, out, borderMode=cv2.BORDER_REPLICATE)
    noisy = view + rng.normal(0, 0.05, view.shape)
    return np.asarray(noisy, np.float32).reshape(out[1], out[0], -1)
