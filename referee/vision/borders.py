"""A card's own edges: what tells how a print lies that looks the same in several directions.

Written rules of this module:
- an edge is what all of a side agrees on: profiles across it are averaged along it, so that a table's pattern
  and noise cancel and a faint shadow line stays;
- it only chooses between poses that the print leaves open.
Does not belong here: prints.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, apply, rotation, side_px

ALONG = np.linspace(0.12, 0.88, 14)
ACROSS_PX = np.arange(-4.0, 5.0)


def side_steps(image: NDArray[np.uint8], pose: Array, card_mm: tuple[float, float]) -> NDArray[np.float32]:
    """How strongly the picture changes across each side of a card with this pose (grey levels, three channels
    added up); 4 values."""
    w, h = card_mm[0] / 2, card_mm[1] / 2
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    per_px = min(card_mm) / max(1e-6, side_px(pose, card_mm))
    sides = []
    for i in range(4):
        a, b = corners[i], corners[(i + 1) % 4]
        outwards = np.array([b[1] - a[1], a[0] - b[0]]) / np.linalg.norm(b - a)
        line = a + (b - a) * ALONG[:, None]
        sides.append(line[:, None, :] + outwards * (ACROSS_PX * per_px)[None, :, None])
    points = apply(pose, np.array(sides).reshape(-1, 2)).astype(np.float32)
    shape = (4 * len(ALONG), len(ACROSS_PX))
    seen = cv2.remap(
        image,
        points[:, 0].reshape(shape),
        points[:, 1].reshape(shape),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)
    profiles = seen.reshape(4, len(ALONG), len(ACROSS_PX), -1).mean(1)
    return np.asarray(np.abs(profiles[:, 2:] - profiles[:, :-2]).sum(2).max(1), np.float32)


def edge_contrast(image: NDArray[np.uint8], pose: Array, card_mm: tuple[float, float]) -> float:
    """How strongly the picture changes across all four sides together."""
    steps = side_steps(image, pose, card_mm)
    # Every side counts alike: one loud edge (a stripe of the cloth) is no card.
    return float(np.minimum(steps, 2 * np.median(steps) + 3).sum())


def best_turned(
    image: NDArray[np.uint8],
    pose: Array,
    card_mm: tuple[float, float],
    angles_deg: tuple[float, ...],
    middle_mm: tuple[float, float],
) -> Array:
    """The pose, or that turned about the print's middle by an angle, at which the card's edges show best."""
    best, strongest = pose, edge_contrast(image, pose, card_mm)
    for angle in angles_deg:
        turned = np.eye(3)
        turned[:2, :2] = rotation(angle)
        turned[:2, 2] = np.array(middle_mm) - turned[:2, :2] @ np.array(middle_mm)
        contrast = edge_contrast(image, pose @ turned, card_mm)
        if contrast > 1.15 * strongest:
            best, strongest = pose @ turned, contrast
    return best
