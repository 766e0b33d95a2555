"""Which cards of a deck are easy to confuse, and how large they must appear to be told apart.

The distance of two cards is the share of the card's face in which they differ, after the second has been
turned (a square card four ways, another two) and shifted by up to a pixel to fit best.

What tells two cards apart is seen where they differ, and there it is held against what misplacing ONE card by
a pixel, or blurring it by one, does in the same places: from the smallest size on at which the difference is
the larger, the pair can be told apart. docs/decks.md says how often a plain reader errs at that size.

Does not belong here: whether a deck is complete (`census`), and reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.looks import Look, Map, at_size

# Shorter sides in pixels, about an eighth apart: what a table camera shows of a card.
SIZES_PX = (24, 28, 32, 36, 40, 45, 50, 56, 63, 70, 80, 90, 100, 112, 126, 140, 160, 180, 200)
# Distances are compared between pairs at this size; large enough for twins, small enough to be quick.
REFERENCE_PX = 80
_COARSE_PX = 40
_DISTURBANCES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), None)
_SHIFTS = tuple((dx / 2, dy / 2) for dy in range(-2, 3) for dx in range(-2, 3))


@dataclass(frozen=True)
class Pair:
    """Two cards (or shapes), the share of the face in which they differ (0 to 1), and the size they need.

    `needs_px` is the card's shorter side in pixels; None when not even the largest size we try is enough.
    """

    first: str
    second: str
    distance: float
    needs_px: int | None


def nearest_pairs(cards: Sequence[Look], count: int) -> list[Pair]:
    """The `count` pairs that are easiest to confuse, hardest first."""
    apart = rough_distances(cards)
    rough = sorted((float(apart[i, j]), i, j) for i, j in combinations(range(len(cards)), 2))
    # The coarse order is not the fine one; three times as many go through the fine comparison.
    pairs = [pair(cards[i], cards[j]) for _, i, j in rough[: 3 * count]]
    return sorted(pairs, key=hardest_first)[:count]


def rough_distances(cards: Sequence[Look]) -> NDArray[np.float64]:
    """N×N distances at a coarse size, turned but not shifted: enough to say which pairs deserve a look."""
    coarse = [at_size(card.map, _COARSE_PX) for card in cards]
    turned = [turns(card) for card in coarse]
    apart = np.zeros((len(cards), len(cards)))
    for i, j in combinations(range(len(cards)), 2):
        apart[i, j] = apart[j, i] = min(_difference(coarse[i], other) for other in turned[j])
    return apart


def pair(first: Look, second: Look) -> Pair:
    """How far apart two cards are, and the size at which they can be told apart."""
    far = distance(at_size(first.map, REFERENCE_PX), at_size(second.map, REFERENCE_PX))
    return Pair(first.card, second.card, far, needs_px(first, second))


def needs_px(first: Look, second: Look) -> int | None:
    """The smallest of `SIZES_PX` at which, and at the next one, the two can be told apart; None if none."""
    held: int | None = None
    for size in SIZES_PX:
        if not _told_apart(at_size(first.map, size), at_size(second.map, size)):
            held = None
        elif held is None and size != SIZES_PX[-1]:
            held = size
        else:
            return held or size
    return held


def distance(first: Map, second: Map) -> float:
    """The share of the face in which two maps of one size differ, turned and shifted (≤ 1 px) to fit best."""
    return float(_gap(first, _fitted(first, second)).mean())


def best_turn(first: Map, second: Map) -> tuple[int, float]:
    """The quarter turns (anticlockwise) that lay the second map on the first, and how far apart they stay."""
    steps = _quarter_turns(second)
    apart = [min(_difference(first, _shifted(way, *by)) for by in _SHIFTS) for way in turns(second)]
    nearest = int(np.argmin(apart))
    return steps[nearest], apart[nearest]


def _told_apart(first: Map, second: Map) -> bool:
    """Whether two maps differ by more than a pixel of misplacement or blur does in the same places."""
    second = _fitted(first, second)
    gap = _gap(first, second)
    disturbed = max(
        float((gap * _gap(card, _disturbed(card, how))).sum()) for card in (first, second) for how in _DISTURBANCES
    )
    return float(np.square(gap).sum()) > disturbed


def _fitted(first: Map, second: Map) -> Map:
    """The second map turned and shifted so that it lies nearest to the first."""
    candidates = [_shifted(turned, dx, dy) for turned in _near_turns(first, second) for dx, dy in _SHIFTS]
    return min(candidates, key=lambda candidate: _difference(first, candidate))


def _disturbed(card: Map, how: tuple[float, float] | None) -> Map:
    """The map a pixel off in one direction, or blurred by a pixel (sigma) where no direction is given."""
    if how is not None:
        return _shifted(card, *how)
    blurred = cv2.GaussianBlur(card, (0, 0), 1.0, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(blurred, np.float32).reshape(card.shape)


def turns(card: Map) -> list[Map]:
    """The ways a card can lie once its edges are known: four when it is square, else two."""
    return [np.ascontiguousarray(np.rot90(card, step)) for step in _quarter_turns(card)]


def _quarter_turns(card: Map) -> tuple[int, ...]:
    return (0, 1, 2, 3) if card.shape[0] == card.shape[1] else (0, 2)


def _near_turns(first: Map, second: Map) -> list[Map]:
    """The turns worth a finer look: those nearly as near as the nearest before any shift."""
    rated = [(_difference(first, turned), turned) for turned in turns(second)]
    nearest = min(rate for rate, _ in rated)
    return [turned for rate, turned in rated if rate <= 1.5 * nearest + 1e-6]


def _difference(first: Map, second: Map) -> float:
    return float(_gap(first, second).mean())


def _gap(first: Map, second: Map) -> NDArray[np.float32]:
    """How much two maps differ in each place: 0 the same, 1 altogether."""
    gap = np.abs(first - second)
    if gap.shape[2] > 1:
        return np.asarray(np.minimum(np.sqrt(np.square(gap).sum(axis=2)), 1.0), np.float32)
    return np.asarray(gap[:, :, 0], np.float32)


def _shifted(card: Map, dx: float, dy: float) -> Map:
    matrix: NDArray[np.float64] = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
    size = (card.shape[1], card.shape[0])
    out = cv2.warpAffine(card, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32).reshape(card.shape)


def hardest_first(pair: Pair) -> tuple[float, float]:
    """Sort key: pairs that need the larger card first, then the nearer ones."""
    return -(pair.needs_px or 10_000), pair.distance
