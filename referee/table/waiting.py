"""What waits to be released: cards, scrambles, falls, pick-ups and calls, each with the moment it happened.

Belongs here: the items of the reorder buffer and how each is written as an event of the record. Does not belong
here: when an item may leave (`fusion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.table.calls import Blocked, Choose, Recount, Share
from referee.table.sweeps import PickUp
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import UNREADABLE, CardSeen
from referee.words import Event

CANDIDATE_NATS = 9.0  # a card further behind the best than this (in nats) is no candidate any more


def candidates_of(seen: CardSeen) -> list[str]:
    """The cards a face may be, likeliest first."""
    best = max(seen.nats.values(), default=0.0)
    near = [card for card in seen.nats if card != UNREADABLE and best - seen.nats[card] < CANDIDATE_NATS]
    return sorted(near, key=lambda card: (-seen.nats[card], card))


class OfCard:
    """What is said of a card follows from what was `seen` of it last."""

    seen: CardSeen

    @property
    def t_us(self) -> int:
        """When it passed its edge, or came to lie."""
        return self.seen.came_us

    @property
    def is_read(self) -> bool:
        """Whether its face is told for sure."""
        return self.seen.is_read

    def candidates(self) -> list[str]:
        """The cards it may be, likeliest first."""
        return candidates_of(self.seen)


@dataclass
class LaidCard(OfCard):
    """A card that lies open: `seen` is what was last said of it, `closed`: the camera reads it no longer."""

    seen: CardSeen
    closed: bool = False


@dataclass
class FlipItem(OfCard):
    """A card on a face-up pile; `closed`: the camera reads it no longer, `swept`: its pile is gone.

    Once it is released `handle` and `said` tell what stands in the record; `settled`: a person has spoken on it.
    `unseen`: no frame has shown it, it may lie under its owner's hand.
    """

    player: str
    seen: CardSeen
    closed: bool = False
    swept: bool = False
    handle: int | None = None
    said: str | None = None
    settled: bool = False
    unseen: bool = False

    def event(self, card: str) -> Event:
        """The `flip`, with this card."""
        seen = self.seen
        event: dict[str, Any] = {
            "t_us": self.t_us,
            "event": "flip",
            "player": self.player,
            "card": card,
            "between": list(seen.between_us),
        }
        if card != UNREADABLE:
            event["confidence"] = round(seen.confidence, 6)
            if (second := self.runner_up(card)) is not None:
                event["runner_up"] = second
        elif candidates := self.candidates():
            event["may_be"] = candidates
        if seen.evidence:
            event["evidence"] = list(seen.evidence)
        return event

    def runner_up(self, card: str) -> str | None:
        """The likeliest other card, however unlikely; None where no other was in question."""
        others = [(nats, other) for other, nats in self.seen.nats.items() if other not in (card, UNREADABLE)]
        return max(others)[1] if others else None


@dataclass
class GrabItem:
    """A scramble; `broken`: the totem went silent in the middle of it, `order_open`: as the camera saw it, `unfelt`:
    hands were seen to take a totem that is heard and felt nothing.

    Once it is released `handle`, `said` and `doubts` tell what stands in the record, `rights` who might take the
    totem then as far as anybody said, `open` whether the hands leave open who was first; `again`: it may have to be
    told again, unless a person has `settled` it. `intruders` picked up without having had the
    right; `looked`: the camera was asked whose arms are there, `look_more`: and
    will be asked once more.
    """

    touch: Grab
    by: str = "totem"
    broken: bool = False
    order_open: bool = False
    unfelt: bool = False
    handle: int | None = None
    said: Event | None = None
    doubts: frozenset[str] = frozenset()
    rights: Sequence[str] | None = None
    open: bool = False
    intruders: set[str] = field(default_factory=set)
    looked: bool = False
    look_more: bool = False
    again: bool = False
    settled: bool = False

    @property
    def t_us(self) -> int:
        """The earliest gripping hand's contact."""
        grips = [hand.t_us for hand in self.touch.hands if hand.grip]
        return min(grips or [hand.t_us for hand in self.touch.hands] or [self.touch.t_us])

    @property
    def last_us(self) -> int:
        """The last hand's contact."""
        return max((hand.t_us for hand in self.touch.hands), default=self.touch.t_us)


@dataclass
class FallItem:
    """The totem fell with no hand closed on it."""

    fall: Fall
    by: str = "totem"
    handle: int | None = None

    @property
    def t_us(self) -> int:
        """When its tilt passed 45 degrees."""
        return self.fall.t_us


@dataclass
class PickUpItem:
    """A player was seen taking cards."""

    pick_up: PickUp
    handle: int | None = None

    @property
    def t_us(self) -> int:
        """When the first pile was gone."""
        return self.pick_up.t_us

    def event(self) -> Event:
        """The `pick_up`."""
        one = self.pick_up
        event: dict[str, Any] = {
            "t_us": one.t_us,
            "event": "pick_up",
            "player": one.player,
            "confidence": round(one.chance, 4),
        }
        return {**event, "evidence": list(one.evidence)} if one.evidence else event


@dataclass
class CallItem:
    """What a person said that is an event of the game."""

    call: Choose | Share | Recount | Blocked
    handle: int | None = None

    @property
    def t_us(self) -> int:
        """When it was said."""
        return self.call.t_us

    def event(self) -> Event:
        """The `choose`, `share`, `recount` or `blocked`."""
        call = self.call
        match call:
            case Choose():
                return {"t_us": call.t_us, "event": "choose", "player": call.player, "choice": call.choice}
            case Share():
                return {"t_us": call.t_us, "event": "share", "player": call.player, "shares": dict(call.shares)}
            case Recount():
                counted = {"reserve": call.reserve, "hand": call.hand, "draw": call.draw}
                return {"t_us": call.t_us, "event": "recount", **{key: dict(c) for key, c in counted.items() if c}}
            case Blocked():
                return {"t_us": call.t_us, "event": "blocked", "player": call.player}


Item = FlipItem | GrabItem | FallItem | PickUpItem | CallItem


def order(item: Item) -> tuple[int, int, str]:
    """The place of an item among the waiting ones: by time; at one time a card comes before a touch of the totem.

    Equal in everything but a name, the name decides: the order of arrival never does.
    """
    match item:
        case FlipItem():
            return item.t_us, 0, f"{item.player} {item.seen.number:09d}"
        case GrabItem() | FallItem():
            return item.t_us, 1, ""
        case PickUpItem():
            return item.t_us, 2, item.pick_up.player
        case CallItem():
            return item.t_us, 3, type(item.call).__name__
