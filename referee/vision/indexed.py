"""Cards of a deck nobody enrolled: places where a card may lie, kept where its corners can be read.

Written rules of this module:
- a place is a card when a corner bears a sign of the deck and some of its border is a card's border;
- of places that overlap the one whose corners, pips and border say most stands; cards may lie on one another;
- where that one does not tell its card for sure, a place beside it that does may speak for it, if none contradicts.
Does not belong here: proposing places (`quads`, `hidden_quads`, `outlines`), what signs mean (`ranks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from referee.deck.folder import Deck
from referee.vision.geometry import Array, overlap, quad_of, side_px, turn, within
from referee.vision.outlines import rim_of, upright
from referee.vision.pyramid import Pyramid
from referee.vision.ranks import CONTRADICTS, LEAST_SIGN, RankReading, read_ranks, signs_of

LEAST_RIM = 0.3  # of a card's border
LEAST_CORNER = 0.7  # of the border about a corner, where it is seen
LEAST_CHANCE = 0.5  # of the likeliest sign
LEAST_SIDE_PX = 40  # short side of a card: of a smaller one nobody reads a corner
FAR_SHARE = 0.4  # of the largest card's side: smaller ones have to be told for sure, in one picture cards are alike
SURE_CHANCE = 0.99
RIM_WORTH, AGREEING_WORTH = 1.5, 0.5  # beside the chance of the likeliest sign
LYING_OVER = 0.3  # overlap of two quads, at most, of cards that lie on one another
SAME_PLACE = 0.5  # overlap of two quads, at least, that are guesses of one card
MOST_WITHIN = 0.6  # of a quad's area in that of a card: more is something printed on it
SQUARE = (0.8, 1.25)  # sides so much alike that the card may lie either way
NEAR_MARKER = 0.1  # overlap


@dataclass(frozen=True)
class Indexed:
    """A card known by its corners: its pose, what they say, and how much of its border shows."""

    pose: Array
    reading: RankReading
    rim: float

    @property
    def worth(self) -> float:
        """By which of two cards in one place stands."""
        agreeing = min(self.reading.corners)
        return self.reading.best[1] + AGREEING_WORTH * agreeing + RIM_WORTH * self.rim


def indexed_cards(pyramid: Pyramid, deck: Deck, quads: Sequence[Array], taken: Sequence[Array]) -> list[Indexed]:
    """The cards that fill some of the quads (4×2 px, clockwise) and whose corners can be read, the surest first.

    None lies where something is `taken` (4×2 px each).
    """
    signs = signs_of(deck)
    if not signs:
        return []
    poses, rims, bare = [], [], []
    for quad in quads:
        if any(overlap(quad, other) > NEAR_MARKER for other in taken):
            continue
        if cv2.contourArea(quad.astype(np.float32)) < LEAST_SIDE_PX**2 * max(deck.card_mm) / min(deck.card_mm):
            continue
        rim = rim_of(pyramid, quad, deck.card_mm)
        if rim.share >= LEAST_RIM:
            first, second, third, fourth = (share >= LEAST_CORNER for share in rim.corners)
            # Turned by a quarter the other two corners bear the index.
            ways = _ways(quad, deck.card_mm)
            poses += ways
            rims += [rim.share] * len(ways)
            bare += [(first, third), (second, fourth)][: len(ways)]
    found = [
        Indexed(pose, reading, rim)
        for pose, rim, reading in zip(poses, rims, read_ranks(pyramid, poses, deck, bare), strict=True)
        if reading.sign >= LEAST_SIGN and reading.best[0] in signs and reading.best[1] >= LEAST_CHANCE
    ]
    kept = standing(found, deck)
    sides = [side_px(card.pose, deck.card_mm) for card in kept]
    least = FAR_SHARE * max(sides, default=0.0)
    return [c for c, side in zip(kept, sides, strict=True) if side >= least or c.reading.best[1] >= SURE_CHANCE]


def standing(found: Sequence[Indexed], deck: Deck) -> list[Indexed]:
    """Of cards in one place the one that says most."""
    quads = [quad_of(card.pose, deck.card_mm) for card in found]
    kept: list[int] = []
    for k in sorted(range(len(found)), key=lambda k: -found[k].worth):
        if all(overlap(quads[k], quads[i]) < LYING_OVER and within(quads[k], quads[i]) < MOST_WITHIN for i in kept):
            kept.append(k)
    result = []
    for k in kept:
        if found[k].reading.best[1] >= SURE_CHANCE:
            result.append(found[k])
            continue
        others = [quads[i] for i in kept if i != k]
        near = [
            card
            for card, quad in zip(found, quads, strict=True)
            if overlap(quad, quads[k]) >= SAME_PLACE and all(overlap(quad, other) < LYING_OVER for other in others)
        ]
        result.append(_spoken_for(found[k], near))
    return result


def _spoken_for(card: Indexed, near: Sequence[Indexed]) -> Indexed:
    """A card that is not told for sure, as the surest of the places near it (itself among them) has it.

    The surest of many looks is sure by chance: all that say anything with a will have to say the same.
    """
    sign, _ = card.reading.best
    surest = max(near, key=lambda other: other.reading.best[1])
    says = surest.reading.best[0]
    if surest.reading.best[1] < SURE_CHANCE:
        return card
    if any(other.reading.best[0] != says and other.reading.best[1] >= CONTRADICTS for other in near):
        return card
    return replace(card, reading=surest.reading) if says == sign else surest


def _ways(quad: Array, card_mm: tuple[float, float]) -> list[Array]:
    """The poses of a card that fills a quad: one, or two where its sides are too much alike to say."""
    pose = upright(quad, card_mm)
    sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    ratio = float((sides[0] + sides[2]) / max(1e-6, sides[1] + sides[3]))
    if not SQUARE[0] < ratio < SQUARE[1] or card_mm[0] == card_mm[1]:
        return [pose]
    w, h = card_mm
    # A card turned by a quarter, stretched to the same quad.
    return [pose, pose @ np.diag([w / h, h / w, 1.0]) @ turn(1)]
