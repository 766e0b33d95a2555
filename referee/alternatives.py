"""What an event that was ruled `undecided` may have been: the same event, once for each way it may have gone.

Written rules of this module:
- pure: an event, its ruling and what lies on the table in, events out;
- a scramble: each candidate first, with the others after; players who may have been there too come in turn;
- a fall: each who may have knocked the totem over, and nobody;
- a card: each of its candidates, or, where it has none, one card for each way in which it could matter: the three
  arrows, the shape or the colour of each card shown, or nothing that lies there; what such a card shows besides is as
  unknown as before, and may be what a later card shows (`matching`);
- where it is open what lay on the table, no list of ways is whole: then there is none (`None`).
Does not belong here: judging them (`referee.worlds`), settling one by a person's word (`referee.table.settling`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.words import Event, Ruling

Ways = tuple[Event | None, ...]
"""The ways an event may have gone; None: it never happened."""

LONGEST_TOGETHER_US = 10_000_000  # the longest house rule `simultaneous_ms` allows (docs/records.md)
MOST_CARDS = 8  # a card with more candidates is any card
ARROWS = ("arrow/in", "arrow/out", "arrow/colour")
NO_OTHER = "unseen"  # begins a shape or a colour that no other card has
TOPPLER = "toppler"
WHAT_LAY = frozenset(("camera", "hidden", "arrival", "totem"))
"""The doubts of a scramble that leave open what lay on the table, or who was there at all."""


def ways_of(event: Event, ruling: Ruling, players: Sequence[str], tops: Iterable[str]) -> Ways | None:
    """How an event with this `undecided` may have gone, besides as the rules take it (nothing moves).

    `tops` are the cards shown then. Empty where the ways are those of an earlier event; None where they are not
    known.
    """
    kind = event["event"]
    if kind == "flip":
        return _cards(event, tops) if event["card"] == "?" else ()
    if ruling["why"] == "unreadable":
        return ()  # the card that cannot be read has its own ways
    if TOPPLER in event.get("doubt", ()):
        return tuple(_fall(event, who) for who in (*_candidates(ruling, players), None))
    if kind == "fall":
        return tuple(_fall(event, who) for who in (*_candidates(ruling, players), None))
    if kind != "grab" or WHAT_LAY & set(event.get("doubt", ())):
        return None
    found: list[Event] = []
    for player in _takers(event, ruling, players):
        perhaps = [name for name in _perhaps(event) if name != player]
        found += [taken_by(event, player), *(taken_by(event, player, (name,)) for name in perhaps)]
    return tuple(found)


def taken_by(event: Event, player: str, also: Sequence[str] = ()) -> Event:
    """A scramble in which `player` came first, all others after what counts as one moment, `also` among them."""
    grips = [hand for hand in event["hands"] if hand.get("grip", True)]
    first_us = min((hand["t_us"] for hand in grips), default=event["t_us"])
    named = [hand for hand in event["hands"] if hand["player"] is not None and not hand.get("perhaps")]
    nameless = [hand for hand in grips if hand["player"] is None]
    felt = next((hand for hand in [*named, *nameless] if hand["player"] in (player, None)), None)
    unfelt = {"fingers": [1, 5], "lowest_mm": [0, 1000]}
    own = {**unfelt, **(felt or {}), "player": player, "t_us": first_us, "grip": True}
    later_us = first_us + LONGEST_TOGETHER_US + 1
    others = [{**hand, "t_us": max(hand["t_us"], later_us)} for hand in named if hand["player"] != player]
    known = {player, *(hand["player"] for hand in others)}
    others += [{**unfelt, "player": name, "t_us": later_us, "grip": True} for name in also if name not in known]
    return {**event, "hands": [own, *others]}


def _candidates(ruling: Ruling, players: Sequence[str]) -> Sequence[str]:
    return [name for name in ruling["candidates"] if name in players] or players


def _takers(event: Event, ruling: Ruling, players: Sequence[str]) -> Sequence[str]:
    """Who may have been first: the candidates, and whoever a hand without a player may be.

    A hand that stands for a doubt is nobody's beside the candidates.
    """
    found = set(_candidates(ruling, players))
    for hand in event["hands"]:
        if hand["player"] is None and hand.get("grip", True):
            found |= set(hand.get("may_be", () if event.get("doubt") else players))
    return [name for name in players if name in found]


def _perhaps(event: Event) -> list[str]:
    """Players who may have been there after the first hand, without anybody being sure of it."""
    likely = [hand["player"] for hand in event["hands"] if hand.get("perhaps")]
    nameless = [hand for hand in event["hands"] if hand["player"] is None and hand.get("grip", True)]
    return list(dict.fromkeys([*likely, *(name for hand in nameless for name in hand.get("may_be", ()))]))


def _fall(event: Event, player: str | None) -> Event:
    return {"t_us": event["t_us"], "event": "fall", "player": player}


def _cards(event: Event, tops: Iterable[str]) -> Ways:
    may_be = event.get("may_be", ())
    if 0 < len(may_be) <= MOST_CARDS:
        return tuple({**event, "card": card} for card in may_be)
    shown = [shown_on(card) for card in tops if is_symbol(card)]
    own = f"{NO_OTHER}-{event['t_us']}"
    cards = [*ARROWS, f"{own}/{own}"]
    cards += [f"{shape}/{own}" for shape, _ in shown]
    cards += [f"{own}/{colour}" for _, colour in shown]
    # Nobody has seen such a card for sure: there may have been none.
    return (*({**event, "card": card} for card in dict.fromkeys(cards)), None)


def matching(top: str, card: str, colours: Iterable[str]) -> list[str]:
    """What a card that stands for an unread one may be, now that `card` is turned: of its shape, or of these colours.

    Empty where what it shows is known.
    """
    if not is_symbol(top):
        return []
    shape, colour = shown_on(top)
    shapes = [shape]
    if shape.startswith(NO_OTHER) and is_symbol(card):
        shapes.append(shown_on(card)[0])
    hues = [colour, *dict.fromkeys(colours)] if colour.startswith(NO_OTHER) else [colour]
    return [f"{one}/{hue}" for one in shapes for hue in hues if (one, hue) != (shape, colour)]


def is_symbol(card: str) -> bool:
    """Whether a card shows a shape and a colour."""
    return "/" in card and not card.startswith("arrow/")


def shown_on(card: str) -> tuple[str, str]:
    """The shape and the colour of a card that shows both."""
    shape, _, colour = card.partition("/")
    return shape, colour
