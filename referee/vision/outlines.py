"""Cards known by their outline alone: paper of a card's form whose print is not one of the deck's.

Written rules of this module:
- a face-up card is a rectangle of the deck's form with a rim of paper, lighter than what it lies on;
- where the table's scale is known the rectangle has the card's size too, and may then be burnt out by glare;
- what is found here is only ever `?`: the outline says that a card lies there and never which.
Does not belong here: prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.bank import COARSE_PX
from referee.vision.coarse import grey_span
from referee.vision.finding import Scale
from referee.vision.geometry import Array, clear_of, corners_mm, first_of_each, homography
from referee.vision.pyramid import Pyramid, Shade
from referee.vision.symbols import Look

LEVELS = 10  # thresholds
SIZE_SLACK = 0.14  # of a side, in the small picture
PILE_SLACK = 0.4  # of a side, by which cards below may stand out
LEAST_FILLED = 0.82  # of the rectangle about a contour
SAME_PX = 2.0  # in the small picture
PATCH_PX = 40  # short side at which a rim is looked at
RIM = (0.035, 0.08)  # of the short side, inwards
BESIDE = (0.05, 0.12)  # outwards
PAPER = 0.65  # of the card's white, in the darkest channel
LEAST_PAPER = 0.7  # of the rim
STEP = 0.1  # of the card's white, from paper to table
CORNER_PX = 14  # of a side, from a corner's round on: where its index stands
DIM_PAPER, FAINT_STEP = 0.45, 0.06  # the same where the corners have to speak, too
PRINT = 0.6  # of the card's white: darker is print
LEAST_PRINT, MOST_PRINT, MOST_PRINT_MEASURED = 0.01, 0.75, 0.45  # of the face
BURNT = 243  # grey levels: no print is left
LEAST_BURNT = 0.5  # of the face


def rectangles(layer: Shade, card_mm: tuple[float, float], local: Scale, known: Sequence[Array] = ()) -> list[Array]:
    """Rectangles (4×2 px of the whole picture, clockwise) of a card's size, where the scale is known.

    `layer` is the picture's `finding.coarse_layer`. What is `known` already (4×2 px each) is passed over.
    """
    scale = float(layer.shrink[0, 0])
    longest = COARSE_PX * max(card_mm) / min(card_mm)
    low, high = grey_span(layer.dark)
    dark = layer.dark.copy()
    for quad in known:
        cv2.fillConvexPoly(dark, np.rint((quad + 0.5) * scale - 0.5).astype(np.int32), 0)
    boxes: list[Array] = []
    for level in np.linspace(low, high, LEVELS + 2)[1:-1]:
        _, mask = cv2.threshold(dark, float(level), 255, cv2.THRESH_BINARY)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            area = cv2.contourArea(contour) if len(contour) >= 4 else 0.0
            if not 0.5 < area / (COARSE_PX * longest) < 2.0:
                continue
            box = cv2.minAreaRect(contour)
            if area > LEAST_FILLED * box[1][0] * box[1][1]:
                boxes.append(np.asarray(cv2.boxPoints(box), np.float64))
    if not boxes:
        return []
    # One thing shows at many thresholds.
    first = first_of_each(np.round(np.stack(boxes) / SAME_PX).reshape(len(boxes), -1).astype(np.int64))
    # What is known is dark now: where it lay on a light table its hole has an outline.
    new = clear_of(list((np.stack(boxes)[first] + 0.5) / scale - 0.5), list(known))
    if not new:
        return []
    quads = np.stack(new)
    centres = quads.mean(1)
    sides = np.roll(quads, -1, 1) - quads
    # A contour runs through the outermost pixels: it is a pixel short in each direction.
    grown = sides * (1 + 1 / (scale * np.maximum(np.linalg.norm(sides, axis=2, keepdims=True), 1e-6)))
    lengths = np.linalg.norm(grown @ np.linalg.inv(local(centres)).transpose(0, 2, 1), axis=2)
    w, h = card_mm
    found: list[Array] = []
    for quad, size in zip(quads, lengths, strict=True):
        for wanted in (np.array([w, h, w, h]), np.array([h, w, h, w])):
            shares = size / wanted
            if np.all((shares > 1 - SIZE_SLACK) & (shares < 1 + PILE_SLACK)):
                # Of a pile the top card has the card's size, and lies about the middle.
                found.append(_resized(quad, 1 / shares) if np.any(shares > 1 + SIZE_SLACK) else quad)
                break
    return found


def _resized(quad: Array, shares: Array) -> Array:
    """A parallelogram with its sides (across, along) made longer or shorter about its middle."""
    across, along = (quad[1] - quad[0]) * shares[0] / 2, (quad[3] - quad[0]) * shares[1] / 2
    corners = np.stack([-across - along, across - along, across + along, along - across])
    return np.asarray(quad.mean(0) + corners, np.float64)


def face_up(
    pyramid: Pyramid, quad: Array, card_mm: tuple[float, float], measured: bool, paper_rim: bool
) -> Array | None:
    """The pose of a face-up card that fills a quad (clockwise), or None when there is none.

    A quad of `measured` size may be burnt out by glare; otherwise the deck must have a `paper_rim`, and the
    quad must show one about a print.
    """
    pose = upright(quad, card_mm)
    dark, pad = _patch(pyramid, quad, pose, card_mm)
    inside = dark[pad:-pad, pad:-pad]
    white = float(np.percentile(inside, 90))
    if white < 1:
        return None
    burnt = measured and float(np.mean(inside > BURNT)) > LEAST_BURNT
    if not burnt and not paper_rim:
        return None
    dark /= white
    inner, outer = _strips(dark, pad, RIM), _strips(dark, pad, (-BESIDE[1], -BESIDE[0]))
    paper = np.mean(np.concatenate(inner) > PAPER)
    steps = sum(float(np.median(a) - np.median(b)) > STEP for a, b in zip(inner, outer, strict=True))
    inked = float(np.mean(inside < PRINT))
    # What is burnt out has no edge against the burnt-out cards below it: its size has to do.
    if paper < LEAST_PAPER or (not burnt and steps < (3 if measured else 4)):
        return None
    # Backs are printed all over; where the size says little court cards may be so too.
    most = MOST_PRINT_MEASURED if measured else MOST_PRINT
    return pose if burnt or LEAST_PRINT < inked < most else None


def upright(quad: Array, card_mm: tuple[float, float]) -> Array:
    """The pose of a card that fills a quad (clockwise), its long sides along the quad's long ones."""
    side = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    lies = (side[0] + side[2] > side[1] + side[3]) != (card_mm[0] > card_mm[1])
    return homography(corners_mm(card_mm), np.roll(quad, -1 if lies else 0, 0))


@dataclass(frozen=True)
class Rim:
    """How much of a quad's border (0..1) is a card's: of all, and about each corner, clockwise as it is upright."""

    share: float
    corners: tuple[float, float, float, float]


def rim_of(pyramid: Pyramid, quad: Array, card_mm: tuple[float, float]) -> Rim:
    """How much of a quad's border is paper inside and something darker outside."""
    dark, pad = _patch(pyramid, quad, upright(quad, card_mm), card_mm)
    white = float(np.percentile(dark[pad:-pad, pad:-pad], 90))
    if white < 1:
        return Rim(0.0, (0.0, 0.0, 0.0, 0.0))
    inner, outer = _bands(dark / white, pad, RIM), _bands(dark / white, pad, (-BESIDE[1], -BESIDE[0]))
    top, right, bottom, left = ((a > DIM_PAPER) & (a - b > FAINT_STEP) for a, b in zip(inner, outer, strict=True))
    pairs = ((top, left), (top[::-1], right), (bottom[::-1], right[::-1]), (bottom, left[::-1]))
    # A corner is seen when both of the sides that meet there are.
    first, second, third, fourth = (min(float(side[:CORNER_PX].mean()) for side in pair) for pair in pairs)
    whole = float(np.mean(np.concatenate([top, right, bottom, left])))
    return Rim(whole, (first, second, third, fourth))


def _patch(pyramid: Pyramid, quad: Array, pose: Array, card_mm: tuple[float, float]) -> tuple[NDArray[np.float32], int]:
    """The darkest channel of what fills a quad, `PATCH_PX` wide, with some pixels of what lies around it."""
    side = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    layer = pyramid.for_side(float(min(side[0] + side[2], side[1] + side[3])) / 2, 2 * PATCH_PX)
    per_mm = PATCH_PX / min(card_mm)
    pad = int(np.ceil(BESIDE[1] * PATCH_PX)) + 1
    columns, rows = (round(v * per_mm) + 2 * pad for v in card_mm)
    grid = np.array(
        [[1 / per_mm, 0, -(columns - 1) / 2 / per_mm], [0, 1 / per_mm, -(rows - 1) / 2 / per_mm], [0, 0, 1]]
    )
    dark = cv2.warpPerspective(
        layer.dark,
        layer.shrink @ pose @ grid,
        (columns, rows),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)
    return dark, pad


def outline_look(pose: Array) -> Look:
    """What is known of a card of which only the outline is: where it lies, and nothing of its print."""
    return Look(pose, (), 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 4, 0, False, 0)


def _bands(patch: NDArray[np.float32], pad: int, inset: tuple[float, float]) -> list[NDArray[np.float32]]:
    """The same as `_strips`, each place along a side once: its middle value across."""
    deep = max(1, round(inset[1] * PATCH_PX) - round(inset[0] * PATCH_PX))
    first, right, last, left = _strips(patch, pad, inset)
    return [
        np.median(first.reshape(deep, -1), 0),
        np.median(right.reshape(-1, deep), 1),
        np.median(last.reshape(deep, -1), 0),
        np.median(left.reshape(-1, deep), 1),
    ]


def _strips(patch: NDArray[np.float32], pad: int, inset: tuple[float, float]) -> list[NDArray[np.float32]]:
    """The values along the four sides of a patch, between two distances inwards (shares of the short side)."""
    near, far = (pad + round(v * PATCH_PX) for v in inset)
    far = max(far, near + 1)
    rows, columns = patch.shape
    # Rounded corners are left out.
    skip = pad + PATCH_PX // 8
    across, along = slice(skip, columns - skip), slice(skip, rows - skip)
    return [
        patch[near:far, across].ravel(),
        patch[along, columns - far : columns - near].ravel(),
        patch[rows - far : rows - near, across].ravel(),
        patch[along, near:far].ravel(),
    ]
