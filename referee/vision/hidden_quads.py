"""Where partly hidden cards may lie in a picture whose scale is not known: from the sides that are seen.

Written rules of this module:
- two corners joined by a whole side give the card's size, the sides that leave them its direction;
- a corner is two straight, long sides at nearly a right angle, with the card on the inner side; cards' own round
  corners lie between them;
- what comes out is only ever a place to look at: whoever uses it must find a card's print there.
Does not belong here: cards with four sides (`quads`), what is printed on a card.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array
from referee.vision.quads import Outlines

LONG_PX = 24  # of a side that is seen, in the picture in which contours are sought
SHORT_LONG_PX = 12  # of a side that leaves a corner
MOST_LONG_SHARE = 0.8  # of the picture's longer side
BEND_PX = 1.6
GAP_SHARE = 0.28  # of the longer of two sides: what may lie between them at a corner
RIGHT_DEG = 24  # off a right angle, at most
PARALLEL_DEG = 14  # between the two sides that leave a whole one
BEYOND = 1.12  # of a side's length in the card: a longer one is no card's
MOST = 60
SAME = 0.03  # of a card's diagonal: nearer than that two quads are one


@dataclass(frozen=True)
class _Corner:
    """Where two sides meet: the place, the directions they leave it in (unit vectors), and how far they are seen."""

    at: Array
    before: Array
    after: Array
    before_px: float
    after_px: float


def hidden_quads(outlines: Outlines, aspect: float) -> list[Array]:
    """Quads (4×2 px, clockwise) of cards of an aspect (short over long side) of which a whole side is seen."""
    found: list[Array] = []
    for contours in outlines.masks:
        for contour in contours:
            if len(contour) < 3 * LONG_PX:
                continue
            for quad in _of_contour(contour, outlines.shape, aspect):
                near = SAME * float(np.linalg.norm(quad[2] - quad[0]))
                if not found or _apart(quad, np.stack(found)) > near:
                    found.append(quad)
            if len(found) >= MOST:
                return [outlines.whole(quad) for quad in found]
    return [outlines.whole(quad) for quad in found]


def _apart(quad: Array, others: Array) -> float:
    """How far the corner that differs most lies off, for the quad most alike, whichever corner comes first (px)."""
    ways = np.stack([np.roll(quad, k, 0) for k in range(4)])
    return float(np.linalg.norm(ways[:, None] - others[None], axis=3).max(2).min())


def _of_contour(contour: NDArray[np.int32], shape: tuple[int, ...], aspect: float) -> list[Array]:
    """The cards whose sides a contour runs along."""
    outline = cv2.approxPolyDP(contour, BEND_PX, True).reshape(-1, 2).astype(np.float64)
    if len(outline) < 3:
        return []
    if cv2.contourArea(outline.astype(np.float32), oriented=True) < 0:
        outline = outline[::-1]
    border = _on_border(outline, shape)
    after = np.roll(border, -1)
    sides = np.roll(outline, -1, 0) - outline
    lengths = np.linalg.norm(sides, axis=1)
    longest = MOST_LONG_SHARE * max(shape[:2])
    # A side along the picture's border is where the picture ends, and nothing else does.
    seen = (lengths >= SHORT_LONG_PX) & (lengths <= longest) & ~(border & after)
    long = [int(i) for i in np.flatnonzero(seen)]
    if len(long) < 3:
        return []
    quads: list[Array] = []
    for k, j in enumerate(long):
        i, m = long[k - 1], long[(k + 1) % len(long)]
        if lengths[j] < LONG_PX or i == m:
            continue
        first = _corner(outline, sides, lengths, i, j)
        second = _corner(outline, sides, lengths, j, m)
        if first is None or second is None:
            continue
        quads += _of_side(first, second, aspect)
    return quads


def _on_border(outline: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    height, width = shape[:2]
    x, y = outline[:, 0], outline[:, 1]
    return np.asarray((x < 3) | (y < 3) | (x > width - 4) | (y > height - 4))


def _corner(outline: Array, sides: Array, lengths: Array, i: int, j: int) -> _Corner | None:
    """The corner between side `i` and side `j` of an outline (clockwise in the picture), or None."""
    before, after = sides[i] / lengths[i], sides[j] / lengths[j]
    turn = before[0] * after[1] - before[1] * after[0]
    if turn < np.cos(np.deg2rad(RIGHT_DEG)):
        return None
    end, start = outline[(i + 1) % len(outline)], outline[j]
    gap = start - end
    # Where the lines meet, beyond the first side's end.
    s = (gap[0] * after[1] - gap[1] * after[0]) / turn
    at = end + s * before
    room = GAP_SHARE * max(lengths[i], lengths[j]) + 3
    if abs(s) > room or float(np.linalg.norm(at - start)) > room:
        return None
    return _Corner(at, -before, after, float(lengths[i] + s), float(lengths[j] + np.linalg.norm(at - start)))


def _of_side(first: _Corner, second: _Corner, aspect: float) -> list[Array]:
    """The cards that may hang on the whole side between two corners: it may be a short or a long one."""
    along = second.at - first.at
    length = float(np.linalg.norm(along))
    if length < LONG_PX:
        return []
    left, right = first.before, second.after
    if float(left @ right) < np.cos(np.deg2rad(PARALLEL_DEG)):
        return []
    quads = []
    for depth in (length / aspect, length * aspect):
        if max(first.before_px, second.after_px) > BEYOND * depth + 3:
            continue
        # The side that is seen for longer knows its direction better.
        weight = np.array([first.before_px, second.after_px]) ** 2
        mean = (left * weight[0] + right * weight[1]) / weight.sum()
        mean /= np.linalg.norm(mean)
        seen = np.minimum(1.0, np.array([first.before_px, second.after_px]) / depth)
        ways = [seen[0] * left + (1 - seen[0]) * mean, seen[1] * right + (1 - seen[1]) * mean]
        a, b = first.at + depth * ways[0], second.at + depth * ways[1]
        quads.append(np.array([first.at, second.at, b, a]))
    return quads
