"""Speed: what waits to be told, and what is in doubt on a pile.

Belongs here: cards that were seen on a central pile, draws, words of players as items of the reorder buffer; the chain
of events of one pile of which an earlier one is open. Does not belong here: when an item leaves (`speed_table`).

Written rules:
- an event whose card or player is open is judged when a person, or a later look, has said it; until then nothing that
  lies on it can be judged either, and is told as unread with what it was seen to be (`may_be`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.table.visits import Visit
from referee.table.waiting import CallItem
from referee.vision.sightings import UNREADABLE, CardSeen
from referee.words import Event

BELOW = "below"
"""The doubt of a card that lies on one which is still open."""
DRAWN = "drawn"
"""The doubt of a claim to be stuck: nobody saw whether its player had drawn before."""
TOO_SOON = "too-soon"
"""The doubt of a card that came so near to the last turn-up that nobody can tell which was first."""
TURN_UP = "turn-up"
"""The doubt of a card that is a turn-up, or was laid too soon: nobody saw where it came from."""
DISPUTED = "disputed"
"""The doubt of a card that was ruled not to fit, and on which others were laid that fit neither."""
HIDDEN = "hidden"
"""The doubt of a card that nobody has seen: a hand was there, and another one before the pile could be looked at."""


LANDS_IN_US = 50_000  # from a hand coming to a pile to its card lying there


@dataclass
class CardItem:
    """A card on a central pile (1 or 2), with the hands that were there since the pile was last looked at.

    `lost`: the card that lay on top is gone, and this one was never seen below it. `below`: what lay on top before,
    `fits_below`: one rank from it; `clean`: nothing that nobody saw can lie under this card. `player`: who laid it,
    where a later look told (whoever takes a card back has laid it). `on`: the card it was laid on, as the camera has
    it. `went_back`, `stood`, `buried`: it was seen to be taken back, to lie under the next card (beside it, or that
    one fits), or nobody could see. `soon`: it came so near to a turn-up that their order cannot be told. `weighed`: it
    has been considered whether it hides a card nobody saw. `came_us`: when it came if it hides none. `misfits`: it was
    told as one that does not fit; `sure`: as one that does, and with all there is to say of it; `alone`: a person said
    that it hides none; `early`: it lay below a card that was seen, and told, before;
    `asked`: people are asked, or were, what lies below it; `after_another`: the former top was taken back just before
    it came, by a hand of its own: when the pile began to change tells of that.
    """

    seen: CardSeen
    pile: int
    t_us: int
    visits: Sequence[Visit]
    lost: bool = False
    below: CardItem | None = None
    fits_below: bool = False
    clean: bool = False
    player: str | None = None
    closed: bool = False
    together: int | None = None
    handle: int | None = None
    settled: bool = False
    on: str | None = None
    went_back: bool = False
    stood: bool = False
    buried: bool = False
    soon: bool = False
    weighed: bool = False
    came_us: int = 0
    misfits: bool = False
    sure: bool = False
    alone: bool = False
    early: bool = False
    asked: bool = False
    after_another: bool = False

    def __post_init__(self) -> None:
        self.came_us = self.t_us

    def lies_on_another(self, does: bool, first_us: int) -> None:
        """Whether it hides a card: the last hand that was there laid it then, from `first_us` on."""
        if self.handle is None and self.visits:
            last = self.visits[-1]
            self.t_us = max(self.came_us, min(last.first_us + first_us, last.last_us)) if does else self.came_us

    def lay_below(self, cover: CardItem) -> None:
        """It lay below a card that was seen before: it came before that one, with a hand that may not have been seen.

        When, is as good as open: with the first hand that was there before the cover's, or midway since the last look.
        """
        t_us = (cover.seen.between_us[0] + cover.t_us) // 2
        if len(cover.visits) > 1:
            t_us = cover.visits[0].first_us + LANDS_IN_US
        self.t_us = self.came_us = min(t_us, cover.t_us - 1)
        self.early = self.lost = True

    @property
    def is_unexplained(self) -> bool:
        """Whether it may have lain there before unseen, under a card that was taken back."""
        hides = self.below is not None and not self.below.clean and not self.fits_below
        return self.lost or (self.seen.former is None and hides)

    @property
    def is_read(self) -> bool:
        """Whether its rank is told for sure."""
        return self.seen.is_read


@dataclass
class HiddenItem:
    """A card that may lie below another one: a hand was there, and the next one before anybody could look.

    `under` is what covers it (None: it was taken back before anybody could look), `card` what a later look showed it
    to be.
    """

    pile: int
    visit: Visit | None
    player: str | None
    t_us: int
    under: CardItem | None
    card: str | None = None


@dataclass
class TakenItem:
    """A central pile was taken off the table: what lay open on it bears on nothing that comes."""

    pile: int
    t_us: int


@dataclass
class ShuffleItem:
    """The middle was taken away and came back as side piles."""

    t_us: int


Item = CardItem | HiddenItem | TakenItem | ShuffleItem | CallItem


def order(item: Item) -> tuple[int, int, int]:
    """The place of an item among the waiting ones: by time, at one time cards before words."""
    match item:
        case CardItem():
            return item.t_us, 0, item.seen.number
        case HiddenItem():
            return item.t_us, 0, 0
        case TakenItem() | ShuffleItem():
            return item.t_us, 1, 0
        case CallItem():
            return item.t_us, 2, 0


@dataclass
class Link:
    """One told event of a pile: `right` is what the sensors hold it to be (None: that is open)."""

    handle: int
    right: Event | None
    told: bool
    """Whether it was told as it is; otherwise it waits for what lies below it."""
    done: bool = False
    """A person has spoken on it."""
    hidden: bool = False
    player: str | None = None
    lost: bool = False
    """A card was turned up that was not due: what the game is at, nobody but a person who corrects it can say."""
    disputed: bool = False
    """It was told with assurance, and what came later shows that it, or what lies below it, is wrong."""
    was: Event | None = None
    """What a disputed card was told as."""

    @property
    def is_open(self) -> bool:
        """Whether nobody knows yet what it was."""
        return self.right is None and not self.done


@dataclass
class Chain:
    """The told events of one pile from the first open one on; empty where nothing is open."""

    links: list[Link] = field(default_factory=list)
    since_us: int = 0

    def open(self, link: Link, now_us: int) -> None:
        """One more told event that is open, or lies on one that is."""
        if not self.links:
            self.since_us = now_us
        self.links.append(link)

    def settle(self, handle: int, corrected: bool = False) -> None:
        """A person has said what the event at a handle was, or (`corrected`) put the right one in its place."""
        for link in self.links:
            if link.handle == handle and (corrected or not link.lost):
                link.done = True

    def explain(self, handle: int) -> None:
        """A person has put an event before the one at a handle: if that was in dispute, it is clear now."""
        for link in self.links:
            if link.handle == handle and link.disputed:
                link.right, link.told = link.was, False

    def free(self) -> list[Link]:
        """Take off what is clear now, from the bottom; returns the links that have to be told anew."""
        again: list[Link] = []
        while self.links and not self.links[0].is_open:
            link = self.links.pop(0)
            if not link.told and not link.done:
                again.append(link)
        return again


@dataclass
class Pile:
    """What the camera has shown of one central pile: the cards known to lie there, bottom first, and what is open."""

    known: list[tuple[str, str | None]] = field(default_factory=list)
    """Card, and who laid it."""
    chain: Chain = field(default_factory=Chain)
    last_us: int = -(2**62)
    unread: int | None = None
    """The handle of a turned card on top that nobody could read."""
    said: dict[str, int] = field(default_factory=dict)
    """Hidden cards that a person has told, and when they were laid."""
    lies: list[int] = field(default_factory=list)
    """The handles of what was told and stays, as far as is known: the last one that still stands is the top."""
    top: CardItem | None = None
    """The card that came last, if it still lies there as far as anybody knows."""

    def was_below(self, card: str) -> bool:
        """Whether a card is the one known to lie just below the top."""
        return len(self.known) > 1 and self.known[-2][0] == card

    def forget(self, card: str) -> None:
        """A card is laid: where it was known to lie, it has been taken from there unseen."""
        self.known = [one for one in self.known if one[0] != card]

    def back_to(self, card: str) -> bool:
        """A card shows again: what lay on it is gone. False where it is not known to lie there."""
        for place in range(len(self.known) - 1, -1, -1):
            if same_card(self.known[place][0], card):
                del self.known[place + 1 :]
                return True
        return False


def same_card(card: str, other: str) -> bool:
    """Whether two readings may be of one card: a suit that was not read may be any."""
    either = UNREADABLE in (card[-1], other[-1])
    return card == other or (either and card[:-1] == other[:-1])


def play_event(item: CardItem, player: str | None, card: str, doubt: Sequence[str] = ()) -> dict[str, Any]:
    """The `play`, with this player and card."""
    seen = item.seen
    event: dict[str, Any] = {
        "t_us": item.t_us,
        "event": "play",
        "player": player,
        "pile": item.pile,
        "card": card,
        "between": list(seen.between_us),
    }
    if seen.confidence and card != UNREADABLE:
        event["confidence"] = round(seen.confidence, 4)
    if seen.evidence:
        event["evidence"] = list(seen.evidence)
    if item.together is not None:
        event["together"] = item.together
    if doubt:
        event["doubt"] = list(doubt)
    return event
