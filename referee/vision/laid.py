"""A card that lies in a pile: what is known of it, and what may be said of what it is.

Belongs here: one card and one look at it. Does not belong here: how cards come and go (`pile`), how one look is read
(`glance`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.confidence import MOST_SURE, shares
from referee.vision.evidence import Evidence
from referee.vision.glance import Face
from referee.vision.sightings import CardSeen

Mask = NDArray[np.bool_]
Picture = NDArray[np.uint8]

SAME_PLACE_MM = 2.5
SAME_TURN_DEG = 4.0
SURE = 0.99
PRIOR_NATS = 3.0  # the most that knowing where cards are may weigh


@dataclass
class Laid:
    """A card that lies in the pile.

    `said` is what was last said of it (None: it lay there from the start); it is `open` while it is still being read.
    """

    card: str
    face: Face
    evidence: Evidence
    said: CardSeen | None
    quad: Mask
    open: bool = False


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


def same_place(a: Face, b: Face) -> bool:
    """Whether two cards lie alike: in one place, their sides in the same directions."""
    apart = float(np.linalg.norm(a.centre_mm - b.centre_mm))
    turned = abs((a.turn_deg - b.turn_deg + 45) % 90 - 45)
    return apart < SAME_PLACE_MM and turned < SAME_TURN_DEG


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
