"""Adding up what several frames say of one card.

Written rules of this module:
- a sequential test (Wald, Sequential Analysis, 1947): evidence is kept in nats for each card and against the
  best; an id is given once the runner-up lies far enough behind, and never before;
- frames of a card that lies still under the same light are ONE look: their errors are the same, so their mean
  counts and their sum does not, a sharp frame for more than a blurred one (and never the one that is surest:
  the surest of many is sure by chance); a frame adds evidence only as far as the card has moved since the look
  began, and the centre's own trembling is no movement;
- a still picture is the case of one frame.
Does not belong here: how one look is read, which pile a card lies on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from referee.vision.geometry import Array, quad_of
from referee.vision.symbols import Look

# A card that moved by a pixel falls on other pixels: most of a look's error is new. Between, in proportion.
NEW_LOOK_PX = 1.0
TREMBLE_PX = 0.6  # the centre of a card that lies still is found within so much
LEAST_UNEXPLAINED = 0.01
MOST_LOOKS = 4  # looks of one card never count for more: print and light stay the same in all of them


@dataclass(frozen=True)
class Evidence:
    """What has been seen of one card so far: nats for each card that is still in question, best 0.

    `looks` counts independent looks (1 for a still card, however long), `frames` counts pictures. `quad` is
    where the look that goes on began; `mean`, `weight` and `share` are its mean nats, the weight of its frames
    and how much of it is new, `before` what the looks before it said.
    """

    nats: Mapping[str, float] = field(default_factory=dict)
    looks: float = 0.0
    frames: int = 0
    quad: Array | None = None
    mean: Mapping[str, float] = field(default_factory=dict)
    weight: float = 0.0
    share: float = 1.0
    before: Mapping[str, float] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The likeliest card."""
        return max(self.nats, key=lambda card: self.nats[card]) if self.nats else None

    @property
    def margin(self) -> float:
        """How far the runner-up lies behind the best, in nats; infinite when there is none."""
        ordered = sorted(self.nats.values(), reverse=True)
        return ordered[0] - ordered[1] if len(ordered) > 1 else float("inf") if ordered else 0.0


def add(evidence: Evidence, look: Look, card_mm: tuple[float, float]) -> Evidence:
    """The evidence with one more look at the same card; it starts from `Evidence()`."""
    quad = quad_of(look.pose, card_mm)
    new = {ranked.card: ranked.nats for ranked in look.ranking}
    if not new:
        # Only the outline was seen: a frame more, and nothing about which card it is.
        return replace(evidence, frames=evidence.frames + 1)
    weight = 1 / (LEAST_UNEXPLAINED + max(0.0, 1 - look.explained)) ** 2
    frames = evidence.frames + 1
    if evidence.quad is None:
        return Evidence(new, 1.0, frames, quad, new, weight)
    # By its centre: a blurred symmetric print is found in one direction now and in another then, and lies still.
    moved = float(np.abs(quad.mean(0) - evidence.quad.mean(0)).max()) - TREMBLE_PX
    if moved <= 0:
        total = evidence.weight + weight
        mean = _sum(evidence.mean, new, evidence.weight / total, weight / total)
        nats = _from_best(_sum(evidence.before, mean, 1.0, evidence.share))
        return replace(evidence, nats=nats, frames=frames, mean=mean, weight=total)
    share = min(1.0, moved / NEW_LOOK_PX, MOST_LOOKS - evidence.looks)
    nats = _from_best(_sum(evidence.nats, new, 1.0, share))
    return Evidence(nats, evidence.looks + share, frames, quad, new, weight, share, evidence.nats)


def _sum(one: Mapping[str, float], other: Mapping[str, float], a: float, b: float) -> dict[str, float]:
    """a × one + b × other; a card that one of them no longer considers was at least as unlikely as its last."""
    floor_one, floor_other = min(one.values(), default=0.0), min(other.values(), default=0.0)
    return {c: a * one.get(c, floor_one) + b * other.get(c, floor_other) for c in {*one, *other}}


def _from_best(nats: Mapping[str, float]) -> dict[str, float]:
    top = max(nats.values())
    return {card: value - top for card, value in nats.items()}
