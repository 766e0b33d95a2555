"""One photograph of one card: where the card lies in it, and whether the look is good enough to learn from.

Written rules:
- a look is refused with the reason and what to do about it, never silently repaired;
- blur is measured on the card and in millimetres of it: how far an edge takes to rise. The same camera shake
  spoils a small card more than a large one, and a busy card is not sharper than a plain one;
- a place burnt out by a lamp is told from white paper by the paper around it being darker.
Does not belong here: several looks, ids, decks (`calibration.deck`), and finding cards on a table in play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from referee.errors import PictureError

Picture = NDArray[np.uint8]
Quad = NDArray[np.float64]
# A finder takes a picture (BGR) and a card's width and height in mm, and gives each card's corners, 4×2,
# clockwise, in pixels.
Finder = Callable[[Picture, tuple[float, float]], Sequence[Quad]]

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
# A finder's own limit lies further out: a card that leans more than we can use is still a card.
_PROPORTION_SLACK = 0.40
_WORKING_PX = 1400


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
        return Refused(
            f"the card is only {sides.min():.0f} pixels wide, {SMALLEST_SIDE_PX} are needed: go nearer"
        )
    unequal = max(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1])
    if unequal > _UNEQUAL_SIDES or _proportion_error(quad, card_mm) > _OBLIQUE:
        return Refused("the card is seen too much from the side: hold the camera straight above it")
    pixels = rectified(photo, quad, card_mm)
    edge_mm = edge_rise_mm(pixels, card_mm)
    if edge_mm > _BLUR_MM:
        return Refused(
            f"blurred: edges take {edge_mm:.1f} mm to rise, {_BLUR_MM} are allowed: hold still, go nearer"
        )
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
    short_px = float(
        np.clip(sides.mean() * 2 * min(card_mm) / sum(card_mm), SMALLEST_SIDE_PX, _LARGEST_SIDE_PX)
    )
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


def find_plain(photo: Picture, card_mm: tuple[float, float]) -> list[Quad]:
    """Cards lying whole on a plain table, by contours: corners clockwise, in pixels; largest first.

    Raises `PictureError` for a photograph with a side under 200 px.
    """
    if min(photo.shape[:2]) < SMALLEST_SIDE_PX:
        raise PictureError(f"a photograph of {photo.shape[1]}×{photo.shape[0]} pixels, expected 200 and more")
    scale = min(1.0, _WORKING_PX / max(photo.shape[:2]))
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else photo
    found: list[Quad] = []
    for mask in _masks(np.asarray(small, np.uint8)):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        quads = (_quad(contour, small.shape[0] * small.shape[1], card_mm) for contour in contours)
        found += [quad for quad in quads if quad is not None]
    # One card is found by several masks, and its printed frame inside it: the largest of each heap stands.
    found.sort(key=_area, reverse=True)
    kept: list[Quad] = []
    for quad in found:
        centre = quad.mean(axis=0)
        if all(cv2.pointPolygonTest(other.astype(np.float32), centre.tolist(), False) < 0 for other in kept):
            kept.append(quad)
    return [(quad + 0.5) / scale - 0.5 for quad in kept]


def _masks(photo: Picture) -> list[Picture]:
    """What may be card rather than table: by difference from the picture's rim, by lightness, by edges."""
    lab = cv2.cvtColor(cv2.GaussianBlur(photo, (0, 0), 1.2), cv2.COLOR_BGR2Lab).astype(np.float32)
    rim = max(4, round(0.03 * min(photo.shape[:2])))
    border = np.concatenate(
        [
            lab[:rim].reshape(-1, 3),
            lab[-rim:].reshape(-1, 3),
            lab[:, :rim].reshape(-1, 3),
            lab[:, -rim:].reshape(-1, 3),
        ]
    )
    apart = np.sqrt(np.square(lab - np.median(border, axis=0)).sum(axis=2))
    apart_8 = np.clip(apart * 2, 0, 255).astype(np.uint8)
    light = np.clip(lab[:, :, 0], 0, 255).astype(np.uint8)
    edges = cv2.Canny(light, 30, 90)
    kernel = np.ones((5, 5), np.uint8)
    masks = [
        cv2.threshold(apart_8, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1],
        cv2.threshold(light, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1],
        cv2.morphologyEx(edges, cv2.MORPH_CLOSE, kernel),
    ]
    closed = [cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel) for mask in masks[:2]] + [masks[2]]
    return [np.asarray(mask, np.uint8) for mask in closed]


def _quad(contour: MatLike, picture_area: int, card_mm: tuple[float, float]) -> Quad | None:
    """The four corners of a contour that is a card's outline, or None."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if not 0.01 * picture_area < area < 0.95 * picture_area:
        return None
    corners = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    if len(corners) != 4:
        corners = cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float64)
    quad = _fitted_sides(contour.reshape(-1, 2).astype(np.float64), corners)
    if quad is None or not 0.93 < area / max(_area(quad), 1.0) < 1.07:
        return None
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    if sides.min() < 8:
        return None
    if _proportion_error(quad, card_mm) > _PROPORTION_SLACK:
        return None
    return quad


def _fitted_sides(outline: NDArray[np.float64], corners: Quad) -> Quad | None:
    """Corners where lines through the outline's four sides meet: rounded corners do not pull them in."""
    if _signed_area(corners) < 0:
        corners = corners[::-1]
    lines = []
    for i in range(4):
        start, end = corners[i], corners[(i + 1) % 4]
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        across = np.array([-along[1], along[0]])
        length = float(np.linalg.norm(end - start))
        relative = outline - start
        place, off = relative @ along, relative @ across
        near = (place > 0.12 * length) & (place < 0.88 * length) & (np.abs(off) < max(0.03 * length, 3.0))
        if near.sum() < 10:
            return None
        vx, vy, x, y = cv2.fitLine(outline[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append((float(vy), float(-vx), float(vy * x - vx * y)))
    meeting = []
    for i in range(4):
        (a1, b1, c1), (a2, b2, c2) = lines[i - 1], lines[i]
        turn = a1 * b2 - a2 * b1
        if abs(turn) < 0.5:
            return None
        meeting.append(((c1 * b2 - c2 * b1) / turn, (a1 * c2 - a2 * c1) / turn))
    return np.array(meeting)


def _proportion_error(quad: Quad, card_mm: tuple[float, float]) -> float:
    """By what share a quad is longer or shorter than the card, for its width (either way round)."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    one, other = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    return abs(max(one, other) / min(one, other) / (max(card_mm) / min(card_mm)) - 1)


def _signed_area(quad: Quad) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _area(quad: Quad) -> float:
    return abs(_signed_area(quad))
