"""Dobro: what waits to be released, and how it is written as events of the record.

Belongs here: cards laid by one gesture, visits of the draw pile, passes, calls, counts. Does not belong here: when an
item may leave, what follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.table.calls import ForgotToDraw, Pass, Recount
from referee.table.presence import Visit
from referee.table.waiting import LaidCard
from referee.vision.sightings import UNREADABLE
from referee.words import Event

TABLE = "table"  # the auction's first place


@dataclass
class PlayItem:
    """One card, or two that were laid together; `open_pair` where it is open whether they were laid together.

    `hand` is the visit of a hand that may have laid a card which nobody has seen: first of all, or alone (no cards).
    A joker's `value` was said after `since_us`. Once it is released `handle` and `told` say what stands in the record;
    `settled`: a person has spoken on it.
    """

    cards: list[LaidCard]
    open_pair: bool = False
    hand: Visit | None = None
    value: int | None = None
    since_us: int = 0
    handle: int | None = None
    told: Event | None = None
    settled: bool = False

    @property
    def t_us(self) -> int:
        """When the first card came to lie, or the hand that may have laid one was there."""
        times = [card.t_us for card in self.cards]
        return min([*times, self.hand.first_us + self.hand.stay_us // 2] if self.hand is not None else times)

    def take_in(self, cards: Sequence[LaidCard], *, is_open: bool) -> None:
        """Cards that were laid with this one, or (`is_open`) may have been; those on the table first."""
        self.cards = sorted([*self.cards, *cards], key=lambda card: card.seen.zone != TABLE)
        self.open_pair = is_open

    @property
    def last_us(self) -> int:
        """When the last card surely lay there."""
        return max((card.seen.between_us[1] for card in self.cards), default=self.t_us)

    @property
    def is_undecided(self) -> bool:
        """Whether what stands in the record lets nobody rule."""
        told = self.told
        return told is not None and (told["player"] is None or UNREADABLE in told["cards"])

    def names(self) -> list[str]:
        """The ids of the cards, those that are not read as `?`; of an open pair the later card, if it is any."""
        if self.open_pair and len(self.cards) == 1:
            return [UNREADABLE]
        if self.open_pair:
            first = min(self.cards, key=lambda card: card.t_us)
            return [card.seen.card if card is first else UNREADABLE for card in self.cards]
        unseen = [UNREADABLE] if self.hand is not None else []
        return [*unseen, *(card.seen.card for card in self.cards)]

    def event(self, player: str | None) -> Event:
        """The `play`."""
        names = self.names()
        event: dict[str, Any] = {"t_us": self.t_us, "event": "play", "player": player, "cards": names}
        if self.value is not None:
            event["value"] = self.value
        if UNREADABLE in names:
            may_be = [[c.seen.card] if c.is_read else c.candidates() for c in self.cards]
            event["may_be"] = [[], *may_be] if self.hand is not None else may_be
        else:
            event["confidence"] = round(min(card.seen.confidence for card in self.cards), 6)
        evidence = [frame for card in self.cards for frame in card.seen.evidence]
        return {**event, "evidence": evidence} if evidence else event


@dataclass
class DrawItem:
    """A hand at the draw pile; `hinted`: it was told already that somebody may have drawn in this visit."""

    visit: Visit
    hinted: bool = False

    @property
    def t_us(self) -> int:
        """When the hand left."""
        return self.visit.last_us


@dataclass
class BlindItem:
    """The camera saw nothing for a while: whoever lacked cards may have drawn."""

    from_us: int
    t_us: int


@dataclass
class PassItem:
    """A player passes: said, or (`taken`) seen to take the auction's cards."""

    call: Pass
    taken: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def t_us(self) -> int:
        """When it was said or seen."""
        return self.call.t_us

    def event(self) -> Event:
        """The `pass`."""
        event: dict[str, Any] = {"t_us": self.t_us, "event": "pass", "player": self.call.player}
        if self.call.only_specials:
            event["only_specials"] = True
        return {**event, "evidence": list(self.evidence)} if self.evidence else event


@dataclass
class SaidItem:
    """A call on a player who forgot to draw, or counts."""

    call: ForgotToDraw | Recount

    @property
    def t_us(self) -> int:
        """When it was said."""
        return self.call.t_us

    def event(self) -> Event:
        """The `call` or `recount`."""
        call = self.call
        if isinstance(call, ForgotToDraw):
            return {"t_us": call.t_us, "event": "call", "player": call.player, "on": call.on}
        counts: dict[str, Any] = {"hand": dict(call.hand)} if call.hand else {}
        if call.pile is not None:
            counts["pile"] = call.pile
        return {"t_us": call.t_us, "event": "recount", **counts}


Item = PlayItem | DrawItem | BlindItem | PassItem | SaidItem


def order(item: Item) -> tuple[int, int, str]:
    """The place of an item among the waiting ones: by time, then by kind; the order of arrival never decides."""
    match item:
        case PlayItem():
            return item.t_us, 0, f"{item.cards[0].seen.number if item.cards else 0:09d}"
        case DrawItem():
            return item.t_us, 1, item.visit.likeliest() or ""
        case BlindItem():
            return item.t_us, 2, ""
        case PassItem():
            return item.t_us, 3, item.call.player
        case SaidItem():
            return item.t_us, 4, type(item.call).__name__


@dataclass
class DoubtfulDraw:
    """A `draw` that was told between counts: what stands at `handle`, for a person who knows better.

    `ended`: the handle of the draw with which the same visit ended.
    """

    player: str
    handle: int
    event: Event
    ended: int | None = None
