"""What a person may correct of an event, and the event that is right then.

Belongs here: which event a correction names, what stands there, what it may have been instead. Does not belong here:
what follows from it (`referee.ledger`), who may ask for it (`referee.web`), the words for it.

Written rules:
- what is offered is what the event allows: who was first and in what order at a scramble, whose card and which one,
  who knocked the totem over; every event may also never have happened;
- a person says who was first, not how many fingers: what was felt stays (`referee.table.settling`);
- whoever corrects a ruling has seen how it was: the order in which a touch and a card stand is theirs, and no doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from referee.errors import InputError
from referee.table.calls import Settle
from referee.table.settings import FusionSettings
from referee.table.settling import settled
from referee.words import Event, Header

Do = Literal["first", "order", "player", "card", "choice", "share", "never"]
CHOICES = ("duel", "arrow")
WITH_A_PLAYER = ("flip", "fall", "play", "turn_up")
WITH_A_CARD = ("flip", "play", "turn_up")


@dataclass(frozen=True)
class Saying:
    """What a person says of an event: who was `first`, the `order` of hands, whose it was (`player`), which `card`.

    Or which `choice` was made, or how many cards each loser was given (`share`: `counts`, in the order of the names).
    `ref` is the event it is said of (None: the one that caused the ruling).
    """

    do: Do
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    ref: int | None = None


@dataclass(frozen=True)
class Choices:
    """What may be said of the event a ruling came from; `ref` is what a correction of it names.

    `first`: who may have been first. `order`: those who gripped, in the order felt (two or more: it may be another).
    `players`: whose it may have been. `cards`: which card it may have been. `choices`: what a taker may have chosen.
    `shares`: what each loser was given, of a sum that stays.
    """

    ref: int
    event: Event
    first: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    shares: tuple[tuple[str, int], ...] = ()


def handle_of(events: Sequence[Event], index: int, t_us: int) -> int | None:
    """What a correction names to change the event that caused a ruling at `t_us`: its index, or its insertion's."""
    if not 0 <= index < len(events):
        return None
    for place, event in enumerate(events):
        inserted = event["event"] == "correct" and event.get("before") == index and event["with"]
        if inserted and inserted.get("t_us") == t_us:
            return place
    return index


def event_at(events: Sequence[Event], handle: int) -> Event | None:
    """The event that stands at a handle, corrections applied; None where nothing does."""
    if not 0 <= handle < len(events):
        return None
    stands: Event | None = events[handle]
    for event in events[handle:]:
        if event["event"] == "correct" and (event.get("ref") == handle or event is events[handle]):
            stands = cast("Event | None", event["with"])
    return stands


def choices(
    header: Header, events: Sequence[Event], handle: int, deck: Iterable[str], losers: Sequence[str] = ()
) -> Choices | None:
    """What may be said of the event at a handle; None where nothing stands there.

    `losers` are those who may be given cards by a share (none: those who were).
    """
    event = event_at(events, handle)
    if event is None:
        return None
    kind, players = event["event"], tuple(header["players"])
    if kind == "grab":
        grips = sorted((hand for hand in event["hands"] if hand.get("grip", True)), key=lambda hand: hand["t_us"])
        named = tuple(dict.fromkeys(hand["player"] for hand in grips if hand["player"] is not None))
        return Choices(handle, event, first=players, order=named if len(named) > 1 else ())
    if kind == "choose":
        return Choices(handle, event, choices=CHOICES)
    if kind == "share":
        given = event["shares"]
        return Choices(
            handle, event, shares=tuple((name, given.get(name, 0)) for name in dict.fromkeys([*losers, *given]))
        )
    cards = tuple(dict.fromkeys(event.get("may_be") or deck)) if kind in WITH_A_CARD and "card" in event else ()
    return Choices(handle, event, players=players if kind in WITH_A_PLAYER else (), cards=cards)


def said_of(choices: Choices, saying: Saying, header: Header) -> Event | None:
    """The event as a person says it was; None: it never happened. Raises `InputError` for what cannot be said of it."""
    event, names = choices.event, saying.names
    match saying.do:
        case "never":
            return None
        case "first" if len(names) == 1 and names[0] in choices.first:
            return _settled(event, header, names[0])
        case "order" if choices.order and sorted(names) == sorted(choices.order):
            return _in_order(event, names, header)
        case "player" if len(names) == 1 and names[0] in choices.players:
            return {**event, "player": names[0], "settled_by": "operator"}
        case "card" if len(names) == 1 and names[0] in choices.cards:
            return {**_read(event), "card": names[0], "settled_by": "operator"}
        case "choice" if len(names) == 1 and names[0] in choices.choices:
            return {**event, "choice": names[0], "settled_by": "operator"}
        case "share" if names == tuple(name for name, _ in choices.shares) and len(saying.counts) == len(names):
            cards = sum(count for _, count in choices.shares)
            if min(saying.counts) < 0 or sum(saying.counts) != cards:
                raise InputError(f"share: expected {cards} cards in all")
            return {**event, "shares": dict(zip(names, saying.counts, strict=True)), "settled_by": "operator"}
    raise InputError(f"{saying.do}: cannot be said of this event, expected one of the answers offered")


def _read(event: Event) -> dict[str, Any]:
    """Without what was only thought while the card was not read."""
    return {key: value for key, value in event.items() if key not in ("may_be", "confidence")}


def _settings(header: Header) -> FusionSettings:
    said = header.get("options", {}).get("simultaneous_ms")
    default = FusionSettings()
    return default if said is None else replace(default, together_us=round(said * 1000))


def _settled(event: Event, header: Header, player: str) -> Event | None:
    right = settled(event, Settle(event["t_us"], 0, player=player), _settings(header))
    return None if right is None else {key: value for key, value in right.items() if key != "doubt"}


def _in_order(event: Event, names: Sequence[str], header: Header) -> Event | None:
    """A scramble whose hands came in this order, each later than the one before by more than counts as together."""
    first = _settled(event, header, names[0])
    if first is None:
        return None
    by_name = {hand["player"]: hand for hand in first["hands"]}
    apart_us = _settings(header).together_us + 1
    t_us = by_name[names[0]]["t_us"]
    for name in names[1:]:
        t_us = max(by_name[name]["t_us"], t_us + apart_us)
        by_name[name] = {**by_name[name], "t_us": t_us}
    return {**first, "hands": list(by_name.values())}
