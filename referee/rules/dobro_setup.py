"""Dobro: from a header to the first state.

Belongs here: house rules and their values, how many cards are dealt and left. Does not belong here: what happens
afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.errors import RecordError
from referee.rules.dobro_state import Options, Setup, State, deal
from referee.words import Header

PACK = 57  # 50 numbers, 3 jokers, 2 skips, 2 reverses (DO-G02)
REVERSES = 2  # left out with two players (DO-59)
ASIDE = 10  # set aside unseen with two players, each round (DO-60)
POINTS_LIMIT = 1000
_OPTIONS = ("long_game", "oubli_called_by", "scoring")
_CALLERS = ("players", "referee")
_COUNTS = range(2, 7)


def start(header: Header) -> State:
    """The first state of a record; raises `RecordError` for house rules, players or a start that cannot be."""
    players = tuple(header["players"])
    if len(players) not in _COUNTS:
        raise RecordError(f"players: expected 2 to 6 players, found {len(players)}")
    options = read_options(header.get("options") or {}, len(players))
    if header.get("start"):
        raise RecordError("start: Dobro cannot begin in the middle of a game; expected no start, or an empty one")
    setup = Setup(
        players=players,
        seats={name: seat for seat, name in enumerate(players)},
        options=options,
        hand_size=hand_size(len(players)),
        draw_pile=draw_pile(len(players)),
        rounds=len(players) if options.long_game else 3,
    )
    return deal(setup, 1, 0, clockwise=True, totals=(0,) * len(players))


def hand_size(players: int) -> int:
    """How many cards a full hand holds."""
    return 5 if players == 6 else 6


def draw_pile(players: int) -> int:
    """How many cards are left to draw after the deal."""
    left = PACK - players * hand_size(players)
    return left - REVERSES - ASIDE if players == 2 else left


def read_options(given: Mapping[str, Any], players: int) -> Options:
    """The house rules; raises `RecordError` for an unknown one or a value that is not listed."""
    for key in given:
        if key not in _OPTIONS:
            raise RecordError(f"options: unknown option {key!r}; expected one of {', '.join(_OPTIONS)}")
    long_game = given.get("long_game", False)
    if type(long_game) is not bool:
        raise RecordError("options.long_game: expected true or false")
    caller = given.get("oubli_called_by", "players")
    if type(caller) is not str or caller not in _CALLERS:
        raise RecordError(f"options.oubli_called_by: expected one of {', '.join(_CALLERS)}")
    return Options(long_game, caller, _read_scoring(given.get("scoring", {})).get(players))


def _read_scoring(given: Any) -> dict[int, tuple[int, ...]]:
    """Points by place for the numbers of players that have a table of their own (DO-G03)."""
    if type(given) is not dict:
        raise RecordError('options.scoring: expected an object, number of players to points by place: {"4":[1,2,3,4]}')
    tables = {}
    for key, points in given.items():
        if key not in map(str, _COUNTS):
            raise RecordError(f"options.scoring: unknown number of players {key!r}; expected 2 to 6")
        count = int(key)
        if type(points) is not list or len(points) != count or any(not _is_points(value) for value in points):
            limits = f"from -{POINTS_LIMIT} to {POINTS_LIMIT}"
            raise RecordError(f"options.scoring.{key}: expected a list of {count} whole numbers {limits}")
        tables[count] = tuple(points)
    return tables


def _is_points(value: Any) -> bool:
    return type(value) is int and -POINTS_LIMIT <= value <= POINTS_LIMIT
