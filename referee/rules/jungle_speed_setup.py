"""Jungle Speed: from a header to the first state.

Belongs here: house rules and their values, the deal, a start in the middle of a game. Does not belong here: what
happens afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.errors import RecordError
from referee.rules.cards import Card, in_deck
from referee.rules.jungle_speed_state import NOBODY, Options, Setup, State
from referee.words import Header

FULL_DECK = 80  # 72 symbols, 3 inward, 3 outward, 2 colour arrows (JS-01, JS-G01)
DECK_WITHOUT_COLOUR_ARROWS = 78  # three players (JS-09)
PILE_LIMIT = 1000
_START_KEYS = ("reserve", "face_up", "pot", "turn", "colour_mode", "out")
_VALUES: Mapping[str, tuple[Any, ...]] = {
    "end": ("two-left", "first-out"),
    "permanent_colour": (False, True),
    "missed_duel": ("stays", "lapses"),
    "unknown_fall": ("pot", "void"),
    "last_out": ("pile", "card"),
    "last_colour": ("automatic", "if-missed"),
    "leftovers": ("dealt", "pot"),
    "hands": (1, 2),
}


def start(header: Header) -> State:
    """The first state of a record; raises `RecordError` for house rules or a start that cannot be."""
    players = tuple(header["players"])
    options = read_options(header.get("options") or {})
    if options.hands == 2 and len(players) != 4:
        raise RecordError(f"players: two persons play with exactly 4 packs (hands = 2), found {len(players)}")
    if not 3 <= len(players) <= 10:
        raise RecordError(f"players: expected 3 to 10 players, found {len(players)}")
    if options.permanent_colour and len(players) not in (4, 5):
        raise RecordError(f"options.permanent_colour: only for 4 or 5 players, found {len(players)}")
    setup = Setup(players, {name: seat for seat, name in enumerate(players)}, options)
    return _lay_out(setup, header.get("start") or {})


def read_options(given: Mapping[str, Any]) -> Options:
    """The house rules; raises `RecordError` for an unknown one or a value that is not listed."""
    for key, value in given.items():
        if key == "simultaneous_ms":
            if type(value) not in (int, float) or not 0 <= value <= 10_000:
                raise RecordError("options.simultaneous_ms: expected a number from 0 to 10000")
        elif key not in _VALUES:
            known = ", ".join(sorted((*_VALUES, "simultaneous_ms")))
            raise RecordError(f"options: unknown option {key!r}; expected one of {known}")
        elif not any(type(value) is type(listed) and value == listed for listed in _VALUES[key]):
            listed = ", ".join(str(v).lower() if type(v) is bool else str(v) for v in _VALUES[key])
            raise RecordError(f"options.{key}: expected one of {listed}")
    return Options(**given)


def _lay_out(setup: Setup, given: Mapping[str, Any]) -> State:
    for key in given:
        if key not in _START_KEYS:
            raise RecordError(f"start: unknown key {key!r}; expected one of {', '.join(_START_KEYS)}")
    out = _names(setup, given.get("out", []))
    reserve, pot_count = _deal(setup)
    if "reserve" in given:
        pot_count = 0
    reserve = [0 if seat in out else count for seat, count in enumerate(reserve)]
    piles: list[tuple[Card, ...]] = [(None,) * count for count in reserve]
    for seat, pile in _piles(setup, given.get("reserve", {}), "start.reserve").items():
        piles[seat] = tuple(reversed(pile))
    face_up: list[tuple[Card, ...]] = [()] * len(setup.players)
    for seat, pile in _piles(setup, given.get("face_up", {}), "start.face_up").items():
        face_up[seat] = pile
    pot = _pile(given["pot"], "start.pot") if "pot" in given else (None,) * pot_count
    colour_mode = given.get("colour_mode", False)
    if type(colour_mode) is not bool:
        raise RecordError("start.colour_mode: expected true or false")
    rank = [out.index(seat) + 1 if seat in out else 0 for seat in range(len(setup.players))]
    return State(
        setup=setup,
        reserve=tuple(piles),
        face_up=tuple(face_up),
        pot=pot,
        rank=tuple(rank),
        turn=_first_turn(setup, given, piles, rank),
        duels=(),
        inward=(),
        colour_mode=colour_mode,
        triple=NOBODY,
        volley=None,
        waiting=(),
        last=(),
        choice=None,
        share=None,
        over=False,
        takers_up=frozenset(),
    )


def _deal(setup: Setup) -> tuple[list[int], int]:
    """Cards one at a time from the first player clockwise, and what is left over (JS-04, JS-G33)."""
    count = len(setup.players)
    deck = DECK_WITHOUT_COLOUR_ARROWS if count == 3 else FULL_DECK
    each, over = divmod(deck, count)
    if setup.options.leftovers == "pot":
        return [each] * count, over
    return [each + (seat < over) for seat in range(count)], 0


def _first_turn(setup: Setup, given: Mapping[str, Any], piles: list[tuple[Card, ...]], rank: list[int]) -> int:
    name = given.get("turn")
    if name is not None and (type(name) is not str or name not in setup.seats):
        raise RecordError("start.turn: expected the name of a player")
    first = 0 if name is None else setup.seats[name]
    count = len(setup.players)
    seats = ((first + step) % count for step in range(count))
    return next((seat for seat in seats if piles[seat] and not rank[seat]), NOBODY)


def _names(setup: Setup, given: Any) -> list[int]:
    if type(given) is not list or any(type(n) is not str or n not in setup.seats for n in given):
        raise RecordError("start.out: expected a list of names of players")
    if len(set(given)) != len(given):
        raise RecordError("start.out: a name stands there twice")
    return [setup.seats[name] for name in given]


def _piles(setup: Setup, given: Any, where: str) -> dict[int, tuple[Card, ...]]:
    if type(given) is not dict:
        raise RecordError(f"{where}: expected an object, player to pile")
    for name in given:
        if name not in setup.seats:
            raise RecordError(f"{where}: {name} is not among the players")
    return {setup.seats[name]: _pile(pile, f"{where}.{name}") for name, pile in given.items()}


def _pile(given: Any, where: str) -> tuple[Card, ...]:
    """A pile bottom first, from a list of card ids or from a count of unknown cards."""
    if type(given) is int and 0 <= given <= PILE_LIMIT:
        return (None,) * given
    if type(given) is list and len(given) <= PILE_LIMIT:
        for card in given:
            if type(card) is not str or not in_deck(card):
                raise RecordError(f"{where}: {card!r} is not a card of this game")
        return tuple(given)
    raise RecordError(f"{where}: expected a list of cards or a count, at most {PILE_LIMIT}")
