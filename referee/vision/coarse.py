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
LEVELS = 14  # thresholds
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
    # Closed once more over gaps of a tenth of a card: prints that leave little paper fall apart otherwise.
    closed = np.asarray(cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    # And the print itself, where the table is as light as the card.
    opened = np.asarray(cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    found = [
        _light_places(dark, LEVELS),
        _light_places(closed, LEVELS // 2),
        _dark_places(opened, LEVELS // 2),
    ]
    return distinct(np.concatenate(found), 3.5)


def _dark_places(dark: NDArray[np.uint8], levels: int) -> Array:
    """Centres of dark regions that may be a card's print."""
    card = COARSE_PX**2
    low, high = np.percentile(dark[::2, ::2], [2, 99.8])
    places: list[Array] = []
    for level in np.linspace(low, high, levels + 2)[1:-1]:
        _, mask = cv2.threshold(dark, float(level), 255, cv2.THRESH_BINARY_INV)
        _, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8)
        area, longest = stats[1:, cv2.CC_STAT_AREA], stats[1:, 2:4].max(1)
        good = (area > 0.015 * card) & (area < 0.7 * card) & (longest < 1.05 * COARSE_PX)
        places.append(centres[1:][good])
    return np.concatenate(places) if places else np.zeros((0, 2))


def _light_places(dark: NDArray[np.uint8], levels: int) -> Array:
    low, high = np.percentile(dark[::2, ::2], [2, 99.8])
    places: list[Array] = []
    card = COARSE_PX**2
    for level in np.linspace(low, high, levels + 2)[1:-1]:
        _, mask = cv2.threshold(dark, float(level), 255, cv2.THRESH_BINARY)
        n, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=4)
        if n < 2:
            continue
        stats, centres = stats[1:], centres[1:]
        area = stats[:, cv2.CC_STAT_AREA]
        longest = stats[:, 2:4].max(1)
        good = (area > 0.12 * card) & (area < 1.6 * card) & (longest < 2.0 * COARSE_PX)
        good &= stats[:, 2:4].min(1) > 0.25 * COARSE_PX
        places.append(centres[good])
        box = stats[good, :2] + stats[good, 2:4] / 2
        places.append(box)
    return np.concatenate(places) if places else np.zeros((0, 2))


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
