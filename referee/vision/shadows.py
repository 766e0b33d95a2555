"""A hard shadow's edge across a card: the part of it that lies in another light, laid in the light of the rest.

Written rules of this module:
- a lamp's shadow takes the same share of the light from paper and ink alike; what covers a card does not. A part of a
  card is in another light only where the print itself is found again in it, ink and paper both;
- a part on which nothing is printed proves nothing: a sleeve may be as plain as paper;
- which pixel lies in which light is asked of each pixel's neighbourhood: a shadow's edge is where it is.
Does not belong here: which card it is, veiling light and reflections (`registration`, `colours`).
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.covers import explained
from referee.vision.geometry import quad_of
from referee.vision.levels import Image, Level
from referee.vision.masks import count
from referee.vision.prints import Prints
from referee.vision.registration import LEAST_GAIN, Fit

DARKEST = 0.03  # of white: nothing printed is darker
LEAST_OTHER, MOST_OTHER = 1.25, 6.0  # times as bright as the shade: a lamp's shadow in a room that is lit at all
LEAST_PART = 0.05  # of the card's paper, in either light
LEAST_FOUND = 0.85  # of the print's variation, in either light
LEAST_PRINTED = 0.1  # of the print's ink, in either light
PAPER, PRINTED = 0.08, 0.5  # of full ink: less is paper, more is print
LEAST_PIXELS = 24  # of paper
# Neighbourhoods that are asked, as shares of the short side, and what each counts.
NEIGHBOURHOODS = ((0.06, 1.0), (0.15, 0.1), (0.3, 0.01), (0.6, 0.001))
ROUNDS = 6  # of parting the paper's brightness in two


Picture = NDArray[np.uint8]


def evenly_lit(
    field: Image, image: Picture, fit: Fit, prints: Prints, short_px: int, blur: int
) -> tuple[Image, Picture] | None:
    """The picture's ink (`field`, H×W) and the picture (H×W×3) with a card's part in another light laid in that of the
    rest.

    The print of the fit says what is paper. None when the card does not lie in two lights.
    """
    level = prints.levels[short_px]
    ink = prints.flat_ink(fit.template, short_px, blur)
    bright = np.maximum(1 - fit.values, np.float32(DARKEST))
    paper = ink < PAPER
    lights = _two_lights(bright[paper])
    if lights is None:
        return None
    shade, light = lights
    middle = np.float32(np.sqrt(shade * light))
    # By the paper alone: ink that something covers is not to choose the light that suits it best.
    by_paper = _where(level, np.where(paper, np.sign(bright - middle), 0), short_px) > 0
    depth = _depth(bright, ink, np.where(by_paper, np.float32(light), np.float32(shade)))
    white = 1 - depth * ink
    usual, other = (light, shade) if 2 * count(by_paper) >= level.count else (shade, light)
    part = by_paper if other == light else ~by_paper
    both = (part, ~part)
    if min(float(ink[one].sum()) for one in both) < LEAST_PRINTED * float(ink.sum()):
        return None
    if min(count(paper & one) for one in both) < LEAST_PART * count(paper):
        return None
    times = np.where(part, np.float32(other / usual), np.float32(1))
    gain = np.float32(max(LEAST_GAIN, usual * depth))
    residual = np.asarray((np.float32(usual) * white - bright / times) / gain, np.float32)
    laid = replace(fit, residual=residual)
    if min(explained(laid, prints, short_px, blur, one) for one in both) < LEAST_FOUND:
        return None
    nearer = np.abs(bright - np.float32(usual) * white) - np.abs(bright - np.float32(other) * white)
    part = _where(level, nearer, short_px) > 0
    if not ((paper & part).any() and (paper & ~part).any()):
        return None
    colours = _sampled(image, fit, level)
    tints = np.median(colours[paper & part], 0) / np.maximum(1, np.median(colours[paper & ~part], 0))
    where, box = _seen_at(part, fit, prints, level, (image.shape[0], image.shape[1]))
    even, even_image = field.copy(), image.copy()
    even[box] = 1 - (1 - field[box]) / (1 + where * np.float32(other / usual - 1))
    lighter = image[box] / (1 + where[:, :, None] * (tints - 1).astype(np.float32))
    even_image[box] = np.clip(np.rint(lighter), 0, 255).astype(np.uint8)
    return even, even_image


def _two_lights(bright: Image) -> tuple[float, float] | None:
    """The two brightnesses about which a card's paper lies, the darker first; None when it has but one."""
    if len(bright) < LEAST_PIXELS:
        return None
    logs = np.log(bright)
    low, high = (float(at) for at in np.percentile(logs, (10, 90)))
    for _ in range(ROUNDS):
        above = logs > (low + high) / 2
        if not LEAST_PART < count(above) / len(logs) < 1 - LEAST_PART:
            return None
        low, high = float(logs[~above].mean()), float(logs[above].mean())
    return (float(np.exp(low)), float(np.exp(high))) if LEAST_OTHER < np.exp(high - low) < MOST_OTHER else None


def _depth(bright: Image, ink: Image, light: Image) -> float:
    """How much of the light full ink takes (0..1), where the light on every pixel is known."""
    printed = ink > PRINTED
    if not printed.any():
        return 1.0 - DARKEST
    return float(np.clip(np.median((1 - bright[printed] / light[printed]) / ink[printed]), LEAST_GAIN, 1.0 - DARKEST))


def _where(level: Level, votes: Image, short_px: int) -> Image:
    """What the votes (N) of each pixel's neighbourhood come to; a wider one counts where the nearer ones are silent."""
    grid = np.zeros(level.shape, np.float32)
    grid[level.mask] = votes
    total = np.zeros(level.shape, np.float32)
    for share, weight in NEIGHBOURHOODS:
        size = max(3, 2 * round(share * short_px / 2) + 1)
        total += np.float32(weight) * cv2.blur(grid, (size, size), borderType=cv2.BORDER_CONSTANT)
    return total[level.mask]


def _sampled(image: Picture, fit: Fit, level: Level) -> NDArray[np.float64]:
    """The picture's colours at a level's compared pixels; N×3."""
    rows, columns = level.shape
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    patch = cv2.warpPerspective(
        image, fit.pose @ level.grid, (columns, rows), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(patch.reshape(-1, 3)[level.flat], np.float64)


def _seen_at(
    part: NDArray[np.bool_], fit: Fit, prints: Prints, level: Level, size: tuple[int, int]
) -> tuple[Image, tuple[slice, slice]]:
    """Where in the picture (of height, width) a card's part is seen: its share of each pixel in a box, and that box."""
    grid = np.zeros(level.shape, np.float32)
    grid[level.mask] = part
    # The card's rim is not compared and lies in the light of what is beside it.
    grid = np.where(level.mask, grid, cv2.dilate(grid, np.ones((5, 5), np.uint8))).astype(np.float32)
    corners = quad_of(fit.pose, prints.deck.card_mm)
    height, width = size
    left, top = np.clip(np.floor(corners.min(0)), 0, (width - 1, height - 1)).astype(int).tolist()
    right, bottom = np.clip(np.ceil(corners.max(0)) + 1, (left + 1, top + 1), (width, height)).astype(int).tolist()
    there = np.array([[1.0, 0.0, -left], [0.0, 1.0, -top], [0.0, 0.0, 1.0]])
    share = cv2.warpPerspective(grid, there @ fit.pose @ level.grid, (right - left, bottom - top), borderValue=0.0)
    return np.asarray(share, np.float32), (slice(top, bottom), slice(left, right))
