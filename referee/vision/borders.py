"""A card's own edges: what tells how a print lies that looks the same in several directions.

Written rules of this module:
- an edge is what all of a side agrees on: profiles across it are averaged along it, so that a table's pattern
  and noise cancel and a faint shadow line stays;
- it only chooses between poses that the print leaves open.
Does not belong here: prints.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, rotation, side_px

ALONG = np.linspace(0.12, 0.88, 14)
ACROSS_PX = np.arange(-4.0, 5.0)
BETTER = 1.15  # times the contrast of another direction


def side_steps(image: NDArray[np.uint8], pose: Array, card_mm: tuple[float, float]) -> NDArray[np.float32]:
    """How strongly the picture changes across each side of a card with this pose (grey levels, three channels
    added up); 4 values."""
    return np.asarray(_side_steps(image, pose[None], card_mm)[0], np.float32)


def _side_steps(image: NDArray[np.uint8], poses: Array, card_mm: tuple[float, float]) -> NDArray[np.float32]:
    """The same for several poses of one card (K×3×3) at once; K×4."""
    lines, outwards = _sides(card_mm)
    per_px = min(card_mm) / max(1e-6, side_px(poses[0], card_mm))
    # Points on the sides and the way outwards are taken to the picture apart: a ninth of the points.
    on_sides, out = poses @ lines, (poses[:, :, :2] @ outwards) * per_px
    seen_at = on_sides[:, :, :, None] + out[:, :, :, None] * ACROSS_PX
    shape = (len(poses) * 4 * len(ALONG), len(ACROSS_PX))
    x, y = (seen_at[:, :2] / seen_at[:, 2:]).astype(np.float32).swapaxes(0, 1).reshape(2, *shape)
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    profiles = seen.reshape(len(poses) * 4, len(ALONG), -1).sum(1).reshape(len(poses), 4, len(ACROSS_PX), -1)
    profiles *= np.float32(1 / len(ALONG))
    return np.asarray(np.abs(profiles[:, :, 2:] - profiles[:, :, :-2]).sum(3).max(2), np.float32)


@lru_cache(maxsize=8)
def _sides(card_mm: tuple[float, float]) -> tuple[Array, Array]:
    """Points along the four sides (mm, homogeneous, 3×N) and, for each, the direction out of the card (2×N)."""
    w, h = card_mm[0] / 2, card_mm[1] / 2
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    along = np.roll(corners, -1, 0) - corners
    lines = corners[:, None] + along[:, None] * ALONG[None, :, None]
    outwards = np.stack([along[:, 1], -along[:, 0]], 1) / np.linalg.norm(along, axis=1, keepdims=True)
    points = np.ones((3, 4 * len(ALONG)))
    points[:2] = lines.reshape(-1, 2).T
    return points, np.ascontiguousarray(np.repeat(outwards, len(ALONG), 0).T)


def _contrasts(steps: NDArray[np.float32]) -> NDArray[np.float32]:
    """How strongly the picture changes across all four sides together; of K×4 steps, K values."""
    ordered = np.sort(steps, 1)
    # Every side counts alike: one loud edge (a stripe of the cloth) is no card.
    most = ordered[:, 1:3].sum(1, keepdims=True) + 3
    return np.asarray(np.minimum(steps, most).sum(1), np.float32)


def best_turned(
    image: NDArray[np.uint8],
    pose: Array,
    card_mm: tuple[float, float],
    angles_deg: tuple[float, ...],
    middle_mm: tuple[float, float],
) -> Array:
    """The pose, or that turned about the print's middle by an angle, at which the card's edges show best."""
    poses = pose @ _turns(angles_deg, middle_mm)
    contrasts = _contrasts(_side_steps(image, poses, card_mm)).tolist()
    best, strongest = pose, contrasts[0]
    for turned, contrast in zip(poses[1:], contrasts[1:], strict=True):
        if contrast > BETTER * strongest:
            best, strongest = turned, contrast
    return best


@lru_cache(maxsize=256)
def _turns(angles_deg: tuple[float, ...], middle_mm: tuple[float, float]) -> Array:
    """No turn, then one about a point by each angle, as homographies of the card's frame; (1 + angles)×3×3."""
    turns = np.tile(np.eye(3), (1 + len(angles_deg), 1, 1))
    middle = np.array(middle_mm)
    for turn, angle in zip(turns[1:], angles_deg, strict=True):
        turn[:2, :2] = rotation(angle)
        turn[:2, 2] = middle - turn[:2, :2] @ middle
    return turns
