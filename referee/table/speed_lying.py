"""Speed: cards that show and were not laid just then, for they lay there before.

Belongs here: what of a waiting card speaks for its having been told already, or for its having lain below the card that
showed before it. Does not belong here: how a card leaves (`speed_telling`), what the camera said (`speed_piles`).

Written rules:
- there is one of each card: one that lies in the middle for sure is not told once more, one of the two was misread;
- half a reading that has the rank of the top may be a corner of the top, which shows beside the card: it tells nothing;
- whoever takes back what they have laid lays nothing: what shows then lay below.
"""

from __future__ import annotations

from referee.table.speed_cards import CardItem, same_card
from referee.table.speed_piles import SpeedPiles
from referee.table.speed_weighing import Weighing
from referee.table.told import Told
from referee.vision.sightings import UNREADABLE
from referee.words import Expected


class Lying:
    """See the rules of the module."""

    def __init__(self, watch: SpeedPiles, told: Told, weighing: Weighing) -> None:
        self._watch, self._told, self._weighing = watch, told, weighing

    def is_told(self, item: CardItem) -> bool:
        """Whether the very card that was told to lie on top shows again."""
        top, card = self._watch.told_top(item.pile), item.seen.card
        if top is None or top == UNREADABLE or not same_card(top, card):
            return False
        # Where a suit is not known it may be another one; but what lay on the top did not fit, and is gone most likely.
        came_off = item.below is not None and item.below.misfits and item.seen.former != "stays"
        return came_off or (top == card and UNREADABLE not in card)

    def may_show_the_top(self, item: CardItem) -> bool:
        """Whether what was read of a card, its rank alone, may have been read off the card it lies on."""
        top, card = self._watch.told_top(item.pile), item.seen.card
        half = item.is_read and card[-1] == UNREADABLE
        return half and top is not None and top != UNREADABLE and top[:-1] == card[:-1]

    def lies_already(self, item: CardItem) -> bool:
        """Whether the very card was told for sure to lie in the middle, and never left it."""
        lying = [handle for pile in self._watch.piles.values() for handle in pile.lies]
        return any(
            other.sure and not other.went_back and other.handle in lying
            for other in self._watch.cards.values()
            if other is not item and other.handle is not None and self._is_still(other, item.seen.card)
        )

    def _is_still(self, other: CardItem, card: str) -> bool:
        stands = None if other.handle is None else self._told.at(other.handle)
        return UNREADABLE not in card and stands is not None and stands["card"] == card

    def covered_by(self, item: CardItem, expected: Expected | None) -> CardItem | None:
        """What lay on a card that was not laid, but shows since its player took back what they had laid on it."""
        cover = item.below
        stands = None if cover is None or cover.handle is None else self._told.at(cover.handle)
        if stands is None or cover is None or item.early or len(item.visits) != 1 or self.lies_already(item):
            return None
        if stands["player"] is None or item.visits[0].likeliest != stands["player"]:
            return None
        if item.seen.former == "gone":
            return cover if item.lost and not (cover.weighed or cover.asked) else None
        # Nobody saw that go; but this one fits as little as it hides another one.
        went = item.seen.former is None and item.alone and self._weighing.misfits(item, expected)
        return cover if went else None
