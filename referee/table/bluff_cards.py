"""Where the open cards of a Jungle Bluff table lie, and how one of them went from place to place.

Belongs here: the cards of the centre and in front of players as the camera tells them, leavings and arrivals, and which
of them are one move. Does not belong here: what a move is to the game (`bluff_table`).

Written rules:
- a move is a card that left one place and came to lie in another; only where it came to lie says whose it is now;
- a card that is read in two ways on its way is `?`; a leaving without an arrival says at most by whose arm;
- nobody lays a card on another one here: what seems to come on one and is gone a moment later is a card on its way,
  or the one below as a hand takes it up;
- memory is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.table.waiting import LaidCard
from referee.vision.sightings import UNREADABLE, CardSeen, PileShifted, PileTaken

BEFORE_US = 500_000  # an arrival may be dated so long before the leaving that it belongs to: both are estimates
BRIEF_US = 1_000_000  # what lay on another card for less, was none
MOST = 60


@dataclass
class Lying(LaidCard):
    """A card that lies open; `used`: its coming to lie there has been told."""

    used: bool = False

    @property
    def card(self) -> str:
        """What it is, as far as it is told."""
        return self.seen.card


@dataclass
class Leaving:
    """A card left a place; `came` is where it came to lie, once that is known; `told`: it is in the record."""

    zone: str
    card: str
    between_us: tuple[int, int]
    by: str | None
    by_chance: float
    came: Lying | None = None
    told: bool = False

    @property
    def t_us(self) -> int:
        """When it left."""
        return sum(self.between_us) // 2

    @property
    def what(self) -> str:
        """Which card it was, from both its places."""
        if self.came is None or not self.came.is_read:
            return self.card
        return self.came.card if self.card in (UNREADABLE, self.came.card) else UNREADABLE


class OpenCards:
    """The cards that lie open on a table."""

    def __init__(self) -> None:
        self.at: dict[str, Lying] = {}
        self.leavings: list[Leaving] = []
        self._arrived: list[tuple[str, Lying]] = []
        self._under: dict[str, Lying] = {}

    def seen(self, card: CardSeen) -> None:
        """A card came to lie somewhere, or is told more clearly."""
        lying = self.at.get(card.zone)
        if lying is not None and lying.seen.number == card.number:
            lying.seen = card
            lying.closed = lying.closed and not lying.is_read
        else:
            if lying is not None:
                self._under[card.zone] = lying
            lying = self.at[card.zone] = Lying(card)
            self._arrived = [*self._arrived, (card.zone, lying)][-MOST:]
        self._match()

    def taken(self, pile: PileTaken) -> Leaving | None:
        """The card of a place is gone; None where none was known to lie there."""
        lying, under = self.at.pop(pile.zone, None), self._under.pop(pile.zone, None)
        if lying is None:
            return None
        is_brief = under is not None and under.is_read and lying.t_us > pile.between_us[0] - BRIEF_US
        card = under.card if under is not None and is_brief else lying.card
        leaving = Leaving(pile.zone, card, pile.between_us, pile.by, pile.by_chance)
        self.leavings = [*self.leavings, leaving][-MOST:]
        self._arrived = [one for one in self._arrived if one[1] is not lying or one[1].used]
        self._match()
        return leaving

    def shifted(self, pile: PileShifted) -> None:
        """What seemed to lie on a card is gone again: a card that was carried past looks so. That is no move."""
        over, under = self.at.get(pile.zone), self._under.pop(pile.zone, None)
        if over is None or under is None or under.card != pile.card:
            return
        self.at[pile.zone] = under
        self._arrived = [one for one in self._arrived if one[1] is not over or one[1].used]

    def read_until(self, open_numbers: tuple[int, ...]) -> None:
        """The cards that are still being read; of the others no more will be told."""
        for lying in self.at.values():
            if not lying.is_read:
                lying.closed = lying.seen.number not in open_numbers
        self._match()

    def came_to(self, leaving: Leaving) -> str | None:
        """The place to which a card that left came."""
        return None if leaving.came is None else leaving.came.seen.zone

    def is_being_read(self, leaving: Leaving) -> bool:
        """Whether a card that may be the one that left lies somewhere and is not read yet."""
        return any(
            not (lying.used or lying.is_read or lying.closed) and _may_be(leaving, zone, lying)
            for zone, lying in self._arrived
        )

    def forget_before(self, t_us: int) -> None:
        """What moved before a moment is no longer of interest."""
        self.leavings = [one for one in self.leavings if one.t_us >= t_us]
        self._arrived = [one for one in self._arrived if one[1].t_us >= t_us]

    def _match(self) -> None:
        """Put leavings and arrivals together where only one of each fits the other."""
        while True:
            free = [one for one in self.leavings if one.came is None]
            fits = {
                id(one): [lying for zone, lying in self._arrived if not lying.used and _may_be(one, zone, lying)]
                for one in free
            }
            # Of a card that is not read yet nobody knows which one it is.
            pairs = [
                (one, fits[id(one)][0])
                for one in free
                if len(fits[id(one)]) == 1
                and (fits[id(one)][0].is_read or fits[id(one)][0].closed)
                and _is_only(fits, free, one, fits[id(one)][0])
            ]
            if not pairs:
                return
            for one, lying in pairs:
                if not lying.used and one.came is None:
                    one.came, lying.used = lying, True


def _may_be(leaving: Leaving, zone: str, lying: Lying) -> bool:
    """Whether a card that left may be the one that lies in a zone."""
    same = UNREADABLE in (leaving.card, lying.card) or leaving.card == lying.card
    return same and lying.t_us >= leaving.between_us[0] - BEFORE_US and lying.seen.zone == zone


def _is_only(fits: Mapping[int, list[Lying]], free: Sequence[Leaving], leaving: Leaving, lying: Lying) -> bool:
    """Whether no other card that left may be the one that lies there; an unread one gives way to one that was read."""
    known = leaving.card == lying.card != UNREADABLE
    return not any(
        one is not leaving and lying in fits[id(one)] and not (known and one.card == UNREADABLE) for one in free
    )
