"""A card that lies in a pile: what is known of it, and what may be said of what it is.

Belongs here: one card, one look at it, and whether the two belong together. Does not belong here: how cards come and go
(`pile`), how one look is read (`glance`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.confidence import MOST_SURE, shares
from referee.vision.evidence import Evidence
from referee.vision.glance import Face
from referee.vision.masks import Mask
from referee.vision.sightings import CardSeen

Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]

SAME_PLACE_MM = 2.5
SAME_TURN_DEG = 4.0
BACK_PLACE_MM, BACK_TURN_DEG = 8.0, 10.0  # a card that shows again once what lay on it is seen to be gone
TOP_PLACE_MM, TOP_TURN_DEG = 12.0, 15.0  # a card of which a hand leaves little to see is laid on it no better
SAME_LOOK_SHARE = 0.08  # of a card: less has changed, and it is the same one
LEFT_SHARE = 0.06  # of a card: it has left so much of its place
PUSHED_DEG = 45.0
TWIN_MM, TWIN_DEG = 1.0, 2.0  # a card that nobody moved is read again within 0.3 mm and 1.1 degrees
LIKELY_NATS = 5.0  # what may speak against a card that is still one of those it may be
SURE = 0.99
PRIOR_NATS = 3.0  # the most that knowing where cards are may weigh


@dataclass
class Laid:
    """A card that lies in the pile.

    `said` is what was last said of it (None: it lay there from the start); it is `open` while it is still being read.
    `under` is how the zone looked before it came, in a busy zone.
    """

    card: str
    face: Face
    evidence: Evidence
    said: CardSeen | None
    quad: Mask
    open: bool = False
    under: Plane | None = None


@dataclass(frozen=True)
class Moment:
    """What a pile is told of one frame: `other` and `arms` are masks over the small picture of the zone."""

    t_us: int
    name: str
    thumb: Picture
    arms: Mask
    covered: float
    hands: Mapping[str, float]
    noise: float = 1.0


def same_place(a: Face, b: Face, most_mm: float = SAME_PLACE_MM, most_deg: float = SAME_TURN_DEG) -> bool:
    """Whether two cards lie alike: in one place, their sides in the same directions."""
    apart = float(np.linalg.norm(a.centre_mm - b.centre_mm))
    turned = abs((a.turn_deg - b.turn_deg + 45) % 90 - 45)
    return apart < most_mm and turned < most_deg


def is_same(face: Face, top: Laid, other: Mask) -> bool:
    """Whether what was read is the card that is known to lie there; another may lie just as it lay.

    `other` is where the zone does not look as it did with that card on top.
    """
    if not same_place(face, top.face):
        return False
    if top.open or not contradict(face.sighting.card, top.card):
        return True
    return bool(other[top.quad].mean() < SAME_LOOK_SHARE)


def contradict(card: str, other: str) -> bool:
    """Whether two readings are of two cards, as far as they go: `J?` is any jack, `?` any card."""
    if "?" not in card + other:
        return card != other
    return not (card.startswith(other.rstrip("?")) or other.startswith(card.rstrip("?")))


def was_pushed(face: Face, top: Laid, quad: Mask, other: Mask, copies: Mapping[str, int]) -> bool:
    """Whether the top card itself moved to where a card is read now (`quad`): what it lay on can be seen where it has
    been, if there is another one like it."""
    if not face.sighting.card == top.card != "?":
        return False
    if copies.get(top.card, 1) < 2:
        return True
    left = top.quad & ~quad
    if left.sum() < LEFT_SHARE * top.quad.sum():
        turned = abs((face.turn_deg - top.face.turn_deg + 180) % 360 - 180)
        return turned < PUSHED_DEG
    return bool(other[left].mean() > 0.5)


def may_be_twin(face: Face, top: Laid, quad: Mask, copies: Mapping[str, int]) -> bool:
    """Whether what is read now may be another card like the top one, laid almost as that one lies: it does not lie just
    as it did, and nothing shows of what the top would have left."""
    if not face.sighting.card == top.card != "?" or copies.get(top.card, 1) < 2 or top.said is None:
        return False
    if (top.quad & ~quad).sum() >= LEFT_SHARE * top.quad.sum():
        return False
    return not same_place(face, top.face, TWIN_MM, TWIN_DEG)


def may_be_pushed(face: Face, top: Laid, quad: Mask, other: Mask, copies: Mapping[str, int]) -> bool:
    """Whether what is read now, and not for sure, may be the top card moved: there is one of it, it is among what this
    may be, and where it lay something else shows (`other`, where that can be seen)."""
    if face.sighting.card != "?" or top.card == "?" or copies.get(top.card, 1) > 1:
        return False
    left = top.quad & ~quad
    if left.sum() < LEFT_SHARE * top.quad.sum() or other[left].mean() <= 0.5:
        return False
    return any(one.card == top.card and one.nats > -LIKELY_NATS for one in face.sighting.look.ranking)


def may_be_top(face: Face, top: Laid, copies: Mapping[str, int]) -> bool:
    """Whether what is read now, and not for sure, is most likely the top card: there is one of it, or it lies about
    where that one lies."""
    likeliest = next((one.card for one in face.sighting.look.ranking), None)
    if face.sighting.card != "?" or top.card == "?" or likeliest != top.card:
        return False
    return copies.get(top.card, 1) < 2 or same_place(face, top.face, TOP_PLACE_MM, TOP_TURN_DEG)


def place_below(face: Face, laid: Sequence[Laid], copies: Mapping[str, int], top_is_gone: bool = False) -> int | None:
    """Where in a pile, below its top, the card that is read now was known to lie.

    Of a card that there are several of another one may be laid near by: the old one lies just as it lay, or about so
    where the top is seen to be gone.
    """
    most = (BACK_PLACE_MM, BACK_TURN_DEG) if top_is_gone else (SAME_PLACE_MM, SAME_TURN_DEG)
    for i in range(len(laid) - 2, -1, -1):
        old = laid[i]
        only = copies.get(old.card, 1) < 2
        if old.card == face.sighting.card != "?" and (only or same_place(face, old.face, *most)):
            return i
    return None


def sides_mm(face: Face) -> tuple[float, float]:
    """Width and height of a card as it is seen."""
    sides = np.linalg.norm(np.roll(face.quad_mm, -1, 0) - face.quad_mm, axis=1)
    return (float(sides[0]), float(sides[1]))


def judged(face: Face, evidence: Evidence, weights: Mapping[str, float]) -> tuple[str, float, dict[str, float]]:
    """The id that may be said, its confidence, and what speaks against each card.

    Evidence is in log-odds (`confidence`). `weights` (where cards are known to be) weigh by `PRIOR_NATS` at most.
    """
    seen = face.sighting
    nats = dict(evidence.nats) or {r.card: r.nats for r in seen.look.ranking}
    if not face.fits or not nats:
        return seen.card, seen.confidence, nats
    most = max((weights.get(card, 0.0) for card in nats), default=0.0)
    lean = dict.fromkeys(nats, 0.0)
    if most > 0:
        for card in nats:
            lean[card] = max(-PRIOR_NATS, float(np.log(max(1e-9, weights.get(card, most)) / most)))
    names = list(nats)
    chances = dict(zip(names, shares(nats[card] + lean[card] for card in names), strict=True))
    best = max(names, key=lambda card: chances[card])
    confidence = min(MOST_SURE, chances[best])
    # What is known of other places never makes a card of one that is seen to be another.
    if confidence >= SURE and nats[best] > -PRIOR_NATS:
        return best, confidence, nats
    return (seen.card if seen.card.endswith("?") else "?"), confidence, nats
