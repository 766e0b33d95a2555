"""Where cards are known to be: which card may come next at a seat, and what cannot be.

Belongs here: the deck's counts against the piles as they are known, chances for the next card of a reserve,
contradictions. Does not belong here: how the piles came to be so (the rules know), reading a card (vision).

Written rules:
- every printed card is in one place only; what was picked up lies under a reserve in the order in which it was;
- a chance is a hint: `LEAK` of the chance stays spread over the whole deck, so that strong evidence is never overruled;
- a contradiction is a question to people, never a reason to change what was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.table.calls import Notice
from referee.table.layouts import Layout

LEAK = 0.1
"""Share of the chance that is spread evenly over the deck, whatever is known: piles are bumped, cards misdealt."""

NO_CARD = ("?", "back")

Card = str | None
"""A card id, or None where nobody knows (a card that was never read, or never seen)."""


@dataclass(frozen=True)
class Piles:
    """The cards of a table as far as they are known.

    `reserve` by player, the next card to be turned first; `face_up` by player and `pot`, bottom first.
    """

    reserve: Mapping[str, Sequence[Card]]
    face_up: Mapping[str, Sequence[Card]] = field(default_factory=dict)
    pot: Sequence[Card] = ()

    def known(self) -> Counter[str]:
        """How often each card is known to lie somewhere."""
        everywhere = [*self.reserve.values(), *self.face_up.values(), self.pot]
        return Counter(card for pile in everywhere for card in pile if card is not None and card not in NO_CARD)


def next_chances(deck: Mapping[str, int], piles: Piles, player: str) -> dict[str, float]:
    """The chances of each card of the deck (id → count) to be the next one `player` turns; together 1.

    A reserve whose top is known gives that card; otherwise what is left of the deck is equally likely.
    """
    total = sum(deck.values())
    even = {card: LEAK * count / total for card, count in deck.items()}
    pile = piles.reserve.get(player, ())
    top = pile[0] if pile else None
    if top is not None and top in deck:
        return {**even, top: even[top] + 1.0 - LEAK}
    known = piles.known()
    left = {card: max(count - known[card], 0) for card, count in deck.items()}
    rest = sum(left.values())
    if not rest:
        return {card: count / total for card, count in deck.items()}
    return {card: even[card] + (1.0 - LEAK) * left[card] / rest for card in deck}


def zone_chances(layout: Layout, deck: Mapping[str, int], piles: Piles) -> dict[str, dict[str, float]]:
    """For each zone in which a turned card may land: the chances of the next card there (for `Watcher.weigh`)."""
    return {
        zone.name: next_chances(deck, piles, zone.player)
        for zone in layout.zones.values()
        if zone.player is not None and layout.meaning(zone.name) == "flip"
    }


def contradictions(deck: Mapping[str, int], piles: Piles, t_us: int) -> list[Notice]:
    """Cards that lie in more places than the deck has of them, each as a question to people."""
    return [
        Notice(t_us, "too-many-of-a-card", {"card": card, "seen": count, "in_deck": deck.get(card, 0)})
        for card, count in sorted(piles.known().items())
        if count > deck.get(card, 0)
    ]
