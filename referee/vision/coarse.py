"""The coarse search: where cards may lie, how they are turned and which prints they resemble.

Written rules of this module:
- it may propose too much and never decides; whatever it misses is lost, so it asks little;
- it works on a small picture in which a card's short side is `COARSE_PX` pixels, in ink (see `templates`), by
  normalised correlation with every print in every turn, in a basis of principal components;
- where to look comes from light regions at many thresholds (a card's paper is lighter in its darkest channel
  than nearly all tables) and from what the callers add.
Does not belong here: sub-pixel poses, decisions.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, rotation
from referee.vision.templates import COARSE_PX, Image, Prints, coarse_disc, coarse_slopes

STEP_PX = 2
REACH_PX = 7  # how far about a proposal the search goes
PLACES_PX = 16  # a card's short side where regions are sought
APART_PX = 3.5  # in the small picture: places nearer than that are one
LEVELS = 14  # thresholds
SHORT_LABELS = 65_000
UPRIGHT_DEG = 11.0
KEPT = 6  # prints kept for each place


@dataclass(frozen=True)
class Guess:
    """A card that may lie `offset_mm` from the middle of a frame, with its likeliest prints, best first."""

    offset_mm: Array
    likeness: float
    prints: tuple[tuple[int, float, float], ...]  # template, angle in degrees, likeness

    def pose(self, frame: Array, place: int) -> Array:
        """The pose of the card as its `place`-th likeliest print, from the frame of the search."""
        rigid = np.eye(3)
        rigid[:2, :2] = rotation(self.prints[place][1])
        rigid[:2, 2] = self.offset_mm
        return frame @ rigid


def light_places(dark: NDArray[np.uint8]) -> Array:
    """Centres (N×2 px) of light regions about as large as a card in the small picture's darkest channel."""
    shrink = PLACES_PX / COARSE_PX
    small = np.asarray(cv2.resize(dark, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
    # Closed once more over gaps of a tenth of a card: prints that leave little paper fall apart otherwise.
    closed = np.asarray(cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    # And the print itself, where the table is as light as the card.
    opened = np.asarray(cv2.morphologyEx(small, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    low, high = np.percentile(small[::2, ::2], [2, 99.8])
    found = [
        *(_light(small, level) for level in np.linspace(low, high, LEVELS + 2)[1:-1]),
        *(_light(closed, level) for level in np.linspace(low, high, LEVELS // 2 + 2)[1:-1]),
        *(_prints(opened, level) for level in np.linspace(low, high, LEVELS // 2 + 2)[1:-1]),
    ]
    return distinct((np.concatenate(found) + 0.5) / shrink - 0.5, APART_PX)


def _prints(dark: NDArray[np.uint8], level: float) -> Array:
    """Centres of dark regions that may be a card's print."""
    stats, centres = _regions(cv2.threshold(dark, level, 255, cv2.THRESH_BINARY_INV)[1])
    area, longest = stats[:, cv2.CC_STAT_AREA], stats[:, 2:4].max(1)
    card = PLACES_PX**2
    good = (area > 0.015 * card) & (area < 0.7 * card) & (longest < 1.05 * PLACES_PX)
    return np.asarray(centres[good], np.float64)


def _light(dark: NDArray[np.uint8], level: float) -> Array:
    """Centres, and middles of the bounding boxes, of light regions that may be a card's paper."""
    stats, centres = _regions(cv2.threshold(dark, level, 255, cv2.THRESH_BINARY)[1])
    area, box = stats[:, cv2.CC_STAT_AREA], stats[:, 2:4]
    card = PLACES_PX**2
    good = (area > 0.12 * card) & (area < 1.6 * card) & (box.max(1) < 2.0 * PLACES_PX)
    good &= box.min(1) > 0.25 * PLACES_PX
    return np.concatenate([centres[good], stats[good, :2] + (box[good] - 1) / 2])


def _regions(mask: cv2.typing.MatLike) -> tuple[NDArray[np.int32], Array]:
    """Box, area (OpenCV's statistics) and centre of each region of a mask."""
    # Short labels take a third of the time; no more regions can be than every other pixel.
    labels = cv2.CV_16U if mask.size < 2 * SHORT_LABELS else cv2.CV_32S
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=labels)
    return np.asarray(stats[1:], np.int32), np.asarray(centres[1:], np.float64)


def distinct(points: Array, apart: float) -> Array:
    """The points thinned to the first of each cell of a grid of that width."""
    if not len(points):
        return np.zeros((0, 2))
    _, first = np.unique(np.floor(points / apart).astype(np.int64), axis=0, return_index=True)
    return points[np.sort(first)]


def search(small: Image, prints: Prints, frame: Array, reach: int = REACH_PX, upright: bool = False) -> Guess | None:
    """The best guess about one place of the small picture.

    `frame` is a pose (card mm to pixels of `small`) near the card's, its turn unknown; the search goes
    `reach` coarse pixels about it. An `upright` frame is known up to its quarter turns.
    """
    width = COARSE_PX + 2 * reach
    c = (width - 1) / 2
    per_px = prints.coarse_mm
    grid = np.array([[per_px, 0, -c * per_px], [0, per_px, -c * per_px], [0, 0, 1.0]])
    patch = cv2.warpPerspective(
        small,
        frame @ grid,
        (width, width),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    patch = cv2.GaussianBlur(patch, (0, 0), 0.6)
    windows = np.lib.stride_tricks.sliding_window_view(patch, (COARSE_PX, COARSE_PX))
    step = 1 if upright else STEP_PX
    windows = windows[::step, ::step]
    rows, columns = windows.shape[:2]
    values = windows[:, :, DISC].reshape(rows * columns, -1)
    values = values - values.mean(1, keepdims=True)
    sloping = values @ SLOPES.T
    # The basis knows nothing of slopes, so only the length has to lose them.
    norm = np.sqrt(np.maximum((values * values).sum(1) - (sloping * sloping).sum(1), 0.0))
    terms = (values / np.maximum(norm, 1e-3)[:, None]) @ prints.basis
    likeness = terms @ prints.bank.T
    likeness[norm < 0.3] = 0.0
    if upright:
        quarter = 90.0 if len(prints.turns) == 4 else 180.0
        off = np.abs((prints.bank_deg + quarter / 2) % quarter - quarter / 2)
        likeness[:, off > UPRIGHT_DEG] = 0.0
    best_at = int(np.argmax(likeness.max(1)))
    top = likeness[best_at]
    if top.max() <= 0:
        return None
    y, x = divmod(best_at, columns)
    offset = (np.array([x, y]) * step + (COARSE_PX - 1) / 2 - c) * per_px
    order = np.argsort(top)[::-1]
    chosen: dict[int, tuple[int, float, float]] = {}
    for i in order[:200]:
        owner = int(prints.bank_of[i])
        if owner not in chosen:
            chosen[owner] = (owner, float(prints.bank_deg[i]), float(top[i]))
            if len(chosen) == KEPT:
                break
    likely = tuple(chosen.values())
    return Guess(offset, likely[0][2], likely)


DISC = coarse_disc()
SLOPES = coarse_slopes()
