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
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.bank import COARSE_PX, Bank, coarse_disc
from referee.vision.geometry import Array, first_of_each, rotation
from referee.vision.levels import Image
from referee.vision.masks import count
from referee.vision.prints import Prints

STEP_PX = 2
REACH_PX = 7  # how far about a proposal the search goes
PLACES_PX = 20  # a card's short side where regions are sought
APART_PX = 3.5  # in the small picture: places nearer than that are one
LEVELS = 14  # thresholds
SHORT_LABELS = 65_000
LEAST_OUTLINE = 4  # pixels
SKETCH_REACH_PX = 3  # how far about a proposal a print is sought at half the coarse size
FLAT = 0.014  # spread of ink under which there is no print
BEST_WINDOWS = 12  # of a search: those that are compared with every turn
RANKED = 200  # prints in turns: those that rank lower are not kept
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
    closed = np.asarray(cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((4, 4), np.uint8)), np.uint8)
    # And the print itself, where the table is as light as the card.
    opened = np.asarray(cv2.morphologyEx(small, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    low, high = grey_span(small)
    fine, rough = (np.linspace(low, high, levels + 2)[1:-1] for levels in (LEVELS, LEVELS // 2))
    light = [*(_regions(small, level) for level in fine), *(_regions(closed, level) for level in rough)]
    prints = [_prints(opened, level) for level in rough]
    return distinct((np.concatenate([_paper_like(light), *prints]) + 0.5) / shrink - 0.5, APART_PX)


def grey_span(dark: NDArray[np.uint8]) -> tuple[float, float]:
    """The grey levels between which nearly all of a picture lies."""
    below = np.cumsum(cv2.calcHist([dark], [0], None, [256], [0, 256]))
    low, high = np.searchsorted(below, np.array([0.02, 0.998]) * below[-1])
    return float(low), float(high)


def _prints(dark: NDArray[np.uint8], level: float) -> Array:
    """Centres of dark regions that may be a card's print, holes filled.

    Outlines are followed and not every pixel labelled: a table that is all one dark region costs its edge only.
    """
    mask = cv2.threshold(dark, level, 255, cv2.THRESH_BINARY_INV)[1]
    outlines, nested = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    centres = []
    for outline, parent in zip(outlines, nested[0, :, 3].tolist() if outlines else [], strict=True):
        if parent >= 0 or len(outline) < LEAST_OUTLINE or max(cv2.boundingRect(outline)[2:]) >= 1.05 * PLACES_PX:
            continue
        moments = cv2.moments(outline)
        # Pick's theorem: an outline runs through the middles of the outermost pixels.
        area = moments["m00"] + len(outline) / 2 + 1
        if moments["m00"] and 0.015 < area / PLACES_PX**2 < 0.7:
            centres.append((moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]))
    return np.array(centres).reshape(-1, 2)


def _regions(dark: NDArray[np.uint8], level: float) -> tuple[NDArray[np.int32], Array]:
    """The light regions at a level: their boxes and areas (as OpenCV's statistics of components), their centres."""
    mask = cv2.threshold(dark, level, 255, cv2.THRESH_BINARY)[1]
    # Short labels and eight neighbours take an eighth of the time; no more regions can be than every other pixel.
    labels = cv2.CV_16U if mask.size < 2 * SHORT_LABELS else cv2.CV_32S
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=labels)
    return np.asarray(stats[1:], np.int32), np.asarray(centres[1:], np.float64)


def _paper_like(regions: list[tuple[NDArray[np.int32], Array]]) -> Array:
    """Centres, and middles of the bounding boxes, of light regions that may be a card's paper."""
    stats, centres = (np.concatenate(part) for part in zip(*regions, strict=True))
    area, box = stats[:, cv2.CC_STAT_AREA], stats[:, 2:4]
    card = PLACES_PX**2
    good = (area > 0.12 * card) & (area < 1.6 * card) & (box.max(1) < 2.0 * PLACES_PX)
    good &= box.min(1) > 0.25 * PLACES_PX
    return np.concatenate([centres[good], stats[good, :2] + (box[good] - 1) / 2])


def distinct(points: Array, apart: float) -> Array:
    """The points thinned to the first of each cell of a grid of that width."""
    if not len(points):
        return np.zeros((0, 2))
    return points[first_of_each(np.floor(points / apart).astype(np.int64))]


def sketch(small: Image, prints: Prints, frames: Array) -> tuple[Array, Array]:
    """Where within reach of each place something most resembles a print, at half the coarse size.

    `small` is the ink at half the coarse size, `frames` poses (N×3×3, card mm to its pixels) whose turn is
    unknown. Returns offsets in card mm (N×2) and likenesses (N).
    """
    side = COARSE_PX // 2
    width = side + 2 * SKETCH_REACH_PX
    c, per_px = (width - 1) / 2, 2 * prints.coarse_mm
    patches = _patches(small, frames, per_px, width)
    windows = np.lib.stride_tricks.sliding_window_view(patches, (side, side), axis=(1, 2))
    across = windows.shape[1]
    values = windows.reshape(len(frames) * across * across, -1).take(prints.sketch.disc, 1)
    likeness = (_terms(values, prints.sketch) @ prints.sketch.across).max(1)
    likeness = likeness.reshape(len(frames), -1)
    best = likeness.argmax(1)
    offsets = (np.stack([best % across, best // across], 1) + (side - 1) / 2 - c) * per_px
    return offsets, likeness[np.arange(len(frames)), best].astype(np.float64)


def _patches(small: Image, frames: Array, per_px: float, width: int) -> Image:
    """What lies about each frame, `width` pixels of `per_px` mm across; N×width×width."""
    grid = _grid(width, per_px)
    patches = np.empty((len(frames), width, width), np.float32)
    for patch, pose in zip(patches, frames @ grid, strict=True):
        cv2.warpPerspective(
            small,
            pose,
            (width, width),
            dst=patch,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return patches


@lru_cache(maxsize=16)
def _grid(width: int, per_px: float) -> Array:
    """The way from the pixels of a square patch to millimetres about its middle; not to be written to."""
    c = (width - 1) / 2
    grid = np.array([[per_px, 0, -c * per_px], [0, per_px, -c * per_px], [0, 0, 1.0]])
    grid.flags.writeable = False
    return grid


def _terms(values: Image, bank: Bank) -> Image:
    """Each row of values in a bank's basis, at unit length once slopes of light are taken out; 0 where it is flat."""
    terms = values @ bank.basis
    # What the level and the slopes hold is no print's: the length has to lose it.
    idle = terms[:, -3:]
    squares = np.vecdot(values, values) - np.vecdot(idle, idle)
    norm = np.sqrt(np.maximum(squares, 0.0))
    flat = norm < FLAT * np.sqrt(values.shape[1])
    terms = terms[:, :-3] / np.maximum(norm, 1e-3)[:, None]
    terms[flat] = 0.0
    return np.asarray(terms, np.float32)


@lru_cache(maxsize=8)
def _windows(width: int, step: int) -> NDArray[np.intp]:
    """The pixels (flattened places) that are compared of each window of the coarse size in a patch of that width, every
    `step` pixels along and down; windows × pixels."""
    places = np.arange(width * width).reshape(width, width)
    windows = np.lib.stride_tricks.sliding_window_view(places, (COARSE_PX, COARSE_PX))[::step, ::step]
    return windows.reshape(-1, COARSE_PX, COARSE_PX)[:, coarse_disc()]


def search(small: Image, prints: Prints, frame: Array, reach: int = REACH_PX, upright: bool = False) -> Guess | None:
    """The best guess about one place of the small picture.

    `frame` is a pose (card mm to pixels of `small`) near the card's, its turn unknown; the search goes
    `reach` coarse pixels about it. An `upright` frame is known up to its quarter turns.
    """
    width = COARSE_PX + 2 * reach
    c, per_px = (width - 1) / 2, prints.coarse_mm
    patch = cv2.GaussianBlur(_patches(small, frame[None], per_px, width)[0], (0, 0), 0.6)
    step = 1 if reach <= STEP_PX else STEP_PX
    bank = prints.upright if upright else prints.search
    columns = 2 * reach // step + 1
    terms = _terms(patch.take(_windows(width, step)), bank)
    near = np.arange(len(terms))
    if len(near) > BEST_WINDOWS and not upright:
        # Every third turn tells where a print may lie; the others are tried there.
        near = np.argpartition((terms @ bank.every_third).max(1), -BEST_WINDOWS)[-BEST_WINDOWS:]
        terms = terms[near]
    likeness = terms @ bank.across
    best = int(np.argmax(likeness.max(1)))
    top = likeness[best]
    y, x = divmod(int(near[best]), columns)
    offset = (np.array([x, y]) * step + (COARSE_PX - 1) / 2 - c) * per_px
    # A template's turns stand together.
    by_print = top.reshape(len(prints.templates), -1)
    most = by_print.max(1)
    order = np.argsort(-most)[:KEPT]
    degrees = bank.degrees[by_print[order].argmax(1)].tolist()
    likely = [one for one in zip(order.tolist(), degrees, most[order].tolist(), strict=True) if one[2] > 0]
    if likely and count(top >= likely[-1][2]) >= RANKED:
        likely = [one for one in likely if count(top >= one[2]) < RANKED]
    return Guess(offset, likely[0][2], tuple(likely)) if likely else None
