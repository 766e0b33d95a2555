"""Adding up what several frames say of one card.

Written rules of this module:
- a sequential test (Wald, Sequential Analysis, 1947): evidence is kept in nats for each card and against the
  best; an id is given once the runner-up lies far enough behind, and never before;
- frames of a card that lies still under the same light are ONE look: their errors are the same, so the best
  of them counts and their sum does not; a frame adds evidence only as far as the card has moved or turned
  since, or been seen from behind another finger;
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
MOST_LOOKS = 4  # looks of one card never count for more: print and light stay the same in all of them


@dataclass(frozen=True)
class Evidence:
    """What has been seen of one card so far: nats for each card that is still in question, best 0.

    `looks` counts independent looks (1 for a still card, however long), `frames` counts pictures.
    """

    nats: Mapping[str, float] = field(default_factory=dict)
    looks: float = 0.0
    frames: int = 0
    quad: Array | None = None

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
    if evidence.quad is None:
        return Evidence(new, 1.0, evidence.frames + 1, quad)
    moved = float(np.abs(quad - evidence.quad).max())
    share = min(1.0, moved / NEW_LOOK_PX, MOST_LOOKS - evidence.looks)
    # A card that one look no longer considers was at least as unlikely as the last it did.
    floor_old, floor_new = min(evidence.nats.values()), min(new.values())
    total: dict[str, float] = {}
    for card in {*evidence.nats, *new}:
        old, now = evidence.nats.get(card, floor_old), new.get(card, floor_new)
        # The clearer of the two looks stands whole; of the other only what is new is added.
        clear, other = (old, now) if evidence.margin >= _margin(new) else (now, old)
        total[card] = clear + share * other
    top = max(total.values())
    return Evidence({c: v - top for c, v in total.items()}, evidence.looks + share, evidence.frames + 1, quad)


def _margin(nats: Mapping[str, float]) -> float:
    ordered = sorted(nats.values(), reverse=True)
    return ordered[0] - ordered[1] if len(ordered) > 1 else float("inf")
