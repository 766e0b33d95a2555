"""The census of a deck before a game: "show all cards", and what is missing or too many.

Belongs here: counting cards that were shown against the deck. Does not belong here: reading them, dealing.

Written rules: a card is counted once for each time it is laid down (`CardSeen.number`), or as often as it lies in a
picture; what was not read is counted and named to nobody. (The rule behind it: JS-01, what is in the box.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee.vision.sightings import UNREADABLE, CardSeen


@dataclass(frozen=True)
class CensusResult:
    """What a census found: card id → number for `missing`, `extra` (too many of a card) and `strange` (not in the
    deck); `unread` cards were shown and not read."""

    shown: int
    expected: int
    missing: Mapping[str, int]
    extra: Mapping[str, int]
    strange: Mapping[str, int]
    unread: int

    @property
    def complete(self) -> bool:
        """Whether every card of the deck is there, and no other."""
        return not (self.missing or self.extra or self.strange or self.unread)


class Census:
    """Counts the cards that are shown; `deck` maps card ids to how many there should be."""

    def __init__(self, deck: Mapping[str, int]) -> None:
        self._deck = dict(deck)
        self._seen: dict[int, str] = {}
        self._pictures: Counter[str] = Counter()

    def card(self, seen: CardSeen) -> None:
        """A card was laid down on any pile, or is told more clearly."""
        if seen.card != "back":
            self._seen[seen.number] = seen.card

    def picture(self, cards: Iterable[str]) -> None:
        """All face-up cards of one picture; the next picture must show other cards."""
        self._pictures.update(card for card in cards if card != "back")

    def result(self) -> CensusResult:
        """What has been shown so far, against the deck."""
        shown = self._pictures + Counter(self._seen.values())
        unread = shown.pop(UNREADABLE, 0)
        strange = {card: count for card, count in shown.items() if card not in self._deck}
        missing = {card: count - shown[card] for card, count in self._deck.items() if shown[card] < count}
        extra = {card: shown[card] - count for card, count in self._deck.items() if shown[card] > count}
        return CensusResult(
            sum(shown.values()) + unread,
            sum(self._deck.values()),
            dict(sorted(missing.items())),
            dict(sorted(extra.items())),
            dict(sorted(strange.items())),
            unread,
        )
