"""Jungle Bluff: cards, house rule, and what a state is.

Belongs here: what a card id means, which of two forces wins, the frozen state and the questions one can ask of it.
Does not belong here: what events do (`jungle_bluff`, `jungle_bluff_round`).

Seats are numbers, clockwise from `players[0]`. Forces are secret: nothing outside the rules may learn one from a
state but through what is ruled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from referee.errors import RecordError
from referee.words import Event, Header

UNREADABLE = "?"
ROUNDS = 10  # JB-26; the round after them is the final
FINAL = ROUNDS + 1
SPECIALS = ("1*", "5r", "10a")  # JB-33; the fourth has no power and takes no part (JB-G01)
VALUES = {**{str(value): value for value in range(1, 11)}, "1*": 1, "5r": 5, "10a": 10}

Outcome = Literal["holder", "challenger", "none"]


class Setup(NamedTuple):
    """What stays the same for a whole game."""

    players: tuple[str, ...]
    seats: dict[str, int]
    advanced: bool


class State(NamedTuple):
    """A whole game at one moment; never changed, only replaced."""

    setup: Setup
    round: int
    first: int
    centre: tuple[str, ...] | None  # None until the cards of the round are laid open
    order: tuple[int, ...]  # who takes part in the round, in the order of their choices
    committed: frozenset[int]
    forces: tuple[str | None, ...]  # None: not laid, or never read
    compared: frozenset[int]  # whose force has been compared in the round
    chosen: int  # how many choices have been made in the round
    holds: tuple[str | None, ...]
    since: tuple[int, ...]  # the choice by which each holder got their card
    spent: tuple[frozenset[int], ...]  # the values each player is known to have used as force
    piles: tuple[tuple[str, ...], ...]
    laid: tuple[str | None, ...] | None  # the forces of the closed round, until they are shown
    unread: frozenset[int]  # whose final force was never read, once the final is played
    over: bool


new_state: Callable[[tuple[Any, ...]], State] = partial(tuple.__new__, State)
"""A state from all its fields in order, in a third of the time of `_replace`."""


def start(header: Header) -> State:
    """The first state of a game; raises `RecordError` for players, options or a start that cannot be."""
    players = tuple(header["players"])
    if not 2 <= len(players) <= 10:
        raise RecordError(f"players: expected 2 to 10 players, found {len(players)}")
    if header.get("start"):
        raise RecordError("start: Jungle Bluff always begins with full series; leave start out")
    options = header.get("options") or {}
    for key in options:
        if key != "advanced":
            raise RecordError(f"options: unknown option {key!r}; expected advanced")
    advanced = options.get("advanced", False)
    if type(advanced) is not bool:
        raise RecordError("options.advanced: expected true or false")
    count = len(players)
    return State(
        setup=Setup(players, {name: seat for seat, name in enumerate(players)}, advanced),
        round=1,
        first=0,
        centre=None,
        order=tuple(range(count)),
        committed=frozenset(),
        forces=(None,) * count,
        compared=frozenset(),
        chosen=0,
        holds=(None,) * count,
        since=(0,) * count,
        spent=(frozenset(),) * count,
        piles=((),) * count,
        laid=None,
        unread=frozenset(),
        over=False,
    )


def in_game(setup: Setup, card: str) -> bool:
    """Whether a card can lie on this table; special ones stay in the box in a classic game (JB-04)."""
    return card == UNREADABLE or (card in VALUES and (setup.advanced or card not in SPECIALS))


def outcome(holder: str, challenger: str) -> Outcome:
    """Who wins when two forces are compared (JB-14, JB-15, JB-34 to JB-38, JB-G04 to JB-G07)."""
    if holder == challenger == "10a":
        return "none"
    if VALUES[holder] == VALUES[challenger] or _beats(challenger, holder):
        return "challenger"
    return "holder"


def _beats(card: str, other: str) -> bool:
    """Whether a card beats another of a different value."""
    value, against = VALUES[card], VALUES[other]
    if (card == "1*" and against == 10) or (other == "1*" and value == 10):
        return card == "1*"
    if card == "5r" or other == "5r":
        return value < against
    return value > against


def at_table(state: State) -> bool:
    """Whether the forces are all down and somebody has a choice to make (JB-06)."""
    return state.centre is not None and state.chosen < len(state.order) and state.committed.issuperset(state.order)


def with_seat(row: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    """A row, one entry a seat, with one of them replaced."""
    return (*row[:seat], value, *row[seat + 1 :])


def ruling(event: Event, named: str, clauses: tuple[str, ...], *, public: bool = True, **keys: Any) -> dict[str, Any]:
    """One ruling on an event."""
    return {"t_us": event["t_us"], "ruling": named, **keys, "clauses": list(clauses), "public": public}


def rejected(event: Event, why: str) -> dict[str, Any]:
    """This event cannot happen here; what the private reader says is nobody's business, and `why` names no force."""
    return ruling(event, "rejected", (), why=why, public=event["event"] != "force")
