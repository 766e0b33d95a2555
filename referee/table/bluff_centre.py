"""The open cards in the middle of a Jungle Bluff table: when they are all laid, and which of them is read late.

Belongs here: the cards of the centre as the record has them, and as they lie. Does not belong here: where cards go from
there (`bluff_cards`), whether they can be the forces (`secrets`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from referee.table.bluff_cards import Lying, OpenCards
from referee.table.layouts import Layout
from referee.vision.sightings import UNREADABLE
from referee.words import Event

SHOWN_US = 700_000  # the cards have lain so long, all of them, before they are told


class Centre:
    """The places of the centre; `handle` is what a correction of its cards in the record names."""

    def __init__(self, layout: Layout, cards: OpenCards) -> None:
        self.zones = [name for name, zone in layout.zones.items() if zone.kind == "centre"]
        self._cards = cards
        self._told: Event | None = None
        self.handle = -1

    def tell(self, event: Event, handle: int) -> None:
        """The cards are in the record."""
        self._told, self.handle = event, handle

    def all_new(self, since_us: int) -> list[Lying]:
        """The cards of all places, laid since a moment; nothing while one is missing."""
        lying = [self._cards.at.get(zone) for zone in self.zones]
        new = [one for one in lying if one is not None and one.t_us > since_us]
        return new if len(new) == len(self.zones) else []

    def event(self, name: str, cards: Sequence[Lying]) -> Event:
        """The cards as an event of the record."""
        event: dict[str, Any] = {
            "t_us": max(one.t_us for one in cards),
            "event": name,
            "cards": [one.card for one in cards],
            "confidence": round(min(one.seen.confidence for one in cards), 6),
        }
        evidence = [frame for one in cards for frame in one.seen.evidence[-1:]]
        return {**event, "evidence": evidence} if evidence else event

    def holds(self, card: str) -> bool:
        """Whether the record has this card among those that were shown."""
        return self._told is None or card in self._told["cards"]

    def read(self, place: int | None, card: str) -> Event | None:
        """The cards as they are right, where one that could not be read is known now; `place` None: one of those."""
        if self._told is None or card == UNREADABLE:
            return None
        cards = [*self._told["cards"]]
        if place is None:
            place = next((k for k, shown in enumerate(cards) if shown == UNREADABLE), None)
        if place is None or place >= len(cards) or cards[place] != UNREADABLE:
            return None
        cards[place] = card
        self._told = {**self._told, "cards": cards}
        return self._told

    def read_late(self, until_us: int, correct: Callable[[int, str], list[Event]]) -> list[Event]:
        """Corrections of cards that were laid before a moment and are read only now."""
        for place, zone in enumerate(self.zones):
            lying = self._cards.at.get(zone)
            if lying is not None and lying.is_read and lying.t_us <= until_us and (found := correct(place, lying.card)):
                return found
        return []

    def place(self, zone: str) -> int | None:
        """The number of a place, from 0."""
        return self.zones.index(zone) if zone in self.zones else None
