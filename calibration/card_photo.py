"""One photograph of one card: where the card lies in it, and whether the look is good enough to learn from.

Written rules:
- a look is refused with the reason and what to do about it, never silently repaired;
- blur is measured on the card and in millimetres of it: how far an edge takes to rise. The same camera shake
  spoils a small card more than a large one, and a busy card is not sharper than a plain one;
- a place burnt out by a lamp is told from white paper by the paper around it being darker.
Does not belong here: several looks, ids, decks (`calibration.deck`), and finding cards on a table in play.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.card_finder import Finder, Picture, Quad, proportion_error, unequal_sides

SMALLEST_SIDE_PX = 200
_LARGEST_SIDE_PX = 480
# An edge of ink takes about this many millimetres to rise before twins that differ by one millimetre blur.
_BLUR_MM = 0.9
_GLARE_SHARE = 0.02
_BURNT = 250
# Paper this widely burnt out is a scan's clean white or an overexposed picture, not the spot of a lamp.
_WHITE_SHARE = 0.4
# Seen from straight above, opposite sides are equal and the proportions are the card's: a lean of 33 degrees
# makes the card look a fifth longer or wider than it is.
_UNEQUAL_SIDES = 1.15
_OBLIQUE = 0.20


@dataclass(frozen=True)
class CardLook:
    """A card cut out of a photograph: H×W×3, BGR, its shorter side 200 to 480 px, and how sharp it is."""

    pixels: Picture
    edge_mm: float


@dataclass(frozen=True)
class Refused:
    """Why a photograph is no good, and what to do about it."""

    why: str


def look_at(photo: Picture, card_mm: tuple[float, float], finder: Finder) -> CardLook | Refused:
    """Cut the one card out of a photograph and judge the look."""
    quads = finder(photo, card_mm)
    if not quads:
        return Refused("no card was found: lay one card alone, whole, on a table of another colour")
    if len(quads) > 1:
        return Refused(f"{len(quads)} cards were found: lay one card alone")
    quad = np.asarray(quads[0], np.float64)
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    if sides.min() < SMALLEST_SIDE_PX:
        return Refused(f"the card is only {sides.min():.0f} pixels wide, {SMALLEST_SIDE_PX} are needed: go nearer")
    if unequal_sides(quad) > _UNEQUAL_SIDES or proportion_error(quad, card_mm) > _OBLIQUE:
        return Refused("the card is seen too much from the side: hold the camera straight above it")
    pixels = rectified(photo, quad, card_mm)
    edge_mm = edge_rise_mm(pixels, card_mm)
    if edge_mm > _BLUR_MM:
        return Refused(f"blurred: edges take {edge_mm:.1f} mm to rise, {_BLUR_MM} are allowed: hold still, go nearer")
    burnt = burnt_share(pixels)
    if burnt > _GLARE_SHARE:
        return Refused(f"glare: {burnt:.0%} of the card is burnt out, move the card or the lamp")
    return CardLook(pixels, edge_mm)


def rectified(photo: Picture, quad: Quad, card_mm: tuple[float, float]) -> Picture:
    """The card alone, upright or upside down, at the photograph's own resolution within 200 to 480 px."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    # Corners start anywhere: the first side must be the card's width.
    if (sides[0] + sides[2] > sides[1] + sides[3]) != (card_mm[0] > card_mm[1]) and card_mm[0] != card_mm[1]:
        quad = np.roll(quad, -1, axis=0)
    short_px = float(np.clip(sides.mean() * 2 * min(card_mm) / sum(card_mm), SMALLEST_SIDE_PX, _LARGEST_SIDE_PX))
    width, height = (round(side * short_px / min(card_mm)) for side in card_mm)
    # Pixel centres are whole numbers: the card's edge lies half a pixel outside the first one.
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    shrink = sides.mean() / ((width + height) / 2)
    if shrink > 1.5:
        photo = np.asarray(cv2.GaussianBlur(photo, (0, 0), 0.4 * shrink), np.uint8)
    return np.asarray(cv2.warpPerspective(photo, matrix, (width, height), flags=cv2.INTER_CUBIC), np.uint8)


def edge_rise_mm(pixels: Picture, card_mm: tuple[float, float]) -> float:
    """How many millimetres the card's crispest edges take to rise from ink to paper.

    The card's whole contrast over its steepest slopes, in the channel with the most contrast; infinite for a
    card without any.
    """
    # The card's own edge is the table's and the finder's affair.
    inset = round(0.05 * min(pixels.shape[:2]))
    face = pixels[inset:-inset, inset:-inset].astype(np.float32)
    low, high = np.percentile(face, (0.5, 99.5), axis=(0, 1))
    spread = np.asarray(high - low, np.float64)
    best = int(np.argmax(spread))
    channel = np.ascontiguousarray(face[:, :, best])
    across, down = cv2.Sobel(channel, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(channel, cv2.CV_32F, 0, 1) / 8
    slopes = np.sort(np.hypot(across, down).ravel())
    steepest = float(slopes[-max(1, round(0.004 * slopes.size)) :].mean())
    if spread[best] < 20 or steepest <= 0:
        return float("inf")
    px_per_mm: float = min(pixels.shape[:2]) / min(card_mm)
    rise_px = float(spread[best]) / steepest
    return rise_px / px_per_mm


def burnt_share(pixels: Picture) -> float:
    """The share of the card that a lamp has burnt out; 0 where white paper is white all over."""
    burnt = (pixels >= _BURNT).all(axis=2)
    share = float(burnt.mean())
    return 0.0 if share > _WHITE_SHARE else share
