"""Dobro: what a state is.

Belongs here: the frozen state, its parts, and the questions one can ask of it without changing it. Seats are
numbers, clockwise from `players[0]`; names are for the outside. Does not belong here: what events do.

Hands and piles are counts: which cards a player holds is nobody's business, and no ruling needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

NOBODY = -1
"""No seat: nobody's turn, nobody holds the Oubli card."""

EARLY_US = 2_000_000
"""A card laid sooner after the one before left no chance to draw (DO-G08, dobro-decisions-2)."""


class Options(NamedTuple):
    """The house rules of Dobro with their defaults (dobro-decisions, "Options").

    `scoring` holds the points by place for this number of players, None for points that are the places.
    """

    long_game: bool = False
    oubli_called_by: str = "players"
    scoring: tuple[int, ...] | None = None


class Setup(NamedTuple):
    """What stays the same for a whole game."""

    players: tuple[str, ...]
    seats: dict[str, int]
    options: Options
    hand_size: int  # six, or five with six players (DO-08, DO-09)
    draw_pile: int  # cards left to draw after a deal (DO-10, DO-60)
    rounds: int  # three, or one for each player in the long game (DO-55, DO-62)


class Laid(NamedTuple):
    """The latest play: by whom, and when."""

    seat: int
    t_us: int


class State(NamedTuple):
    """A whole game at one moment; never changed, only replaced."""

    setup: Setup
    round: int
    hand: tuple[int, ...]
    pile: int  # left to draw
    piles: tuple[int, ...]  # picked up, for the count at the end
    table: int  # laid in this auction
    value: int | None  # None while an auction is to be opened
    turn: int
    clockwise: bool
    oubli: int  # the seat before which the card lies, or NOBODY
    totals: tuple[int, ...]
    latest: Laid | None
    forgetters: frozenset[int]  # who can be called now (dobro-decisions-3)
    declared: int  # openers in a row who hold only specials, the pile being empty (dobro-decisions-4)
    over: bool
    unsure: tuple[int, ...] = ()  # how many cards of each hand, as it is counted, may not be there; empty: none
    doubted: frozenset[int] = frozenset()  # who may have forgotten to draw: nobody saw how many they took


new_state: Callable[[tuple[Any, ...]], State] = partial(tuple.__new__, State)
"""A state from all its fields in order, in a third of the time of `_replace`."""


def deal(setup: Setup, number: int, opener: int, *, clockwise: bool, totals: tuple[int, ...]) -> State:
    """The state at the start of a round; the direction is the one that is shown (DO-52)."""
    count = len(setup.players)
    return State(
        setup=setup,
        round=number,
        hand=(setup.hand_size,) * count,
        pile=setup.draw_pile,
        piles=(0,) * count,
        table=0,
        value=None,
        turn=opener,
        clockwise=clockwise,
        oubli=NOBODY,
        totals=totals,
        latest=None,
        forgetters=frozenset(),
        declared=0,
        over=False,
    )


def following(state: State, seat: int) -> int:
    """The seat after another in the direction of play (DO-15)."""
    return (seat + (1 if state.clockwise else -1)) % len(state.hand)


def owes_a_draw(state: State, seat: int) -> bool:
    """Whether a hand is not full though there is something to draw (DO-22, DO-44)."""
    return state.pile > 0 and state.hand[seat] < state.setup.hand_size


def missing(state: State, seat: int) -> int:
    """How many cards a hand lacks that there may be to draw."""
    return min(state.pile + spare(state, seat), state.setup.hand_size - state.hand[seat])


def spare(state: State, seat: int) -> int:
    """How many cards may lie in the draw pile beyond its count, because others may not have drawn them."""
    return sum(state.unsure) - doubt(state, seat)


def doubt(state: State, seat: int) -> int:
    """How many cards of a hand, as it is counted, may not be there (a draw that was not seen well)."""
    return state.unsure[seat] if state.unsure else 0


def believed(state: State, seat: int, doubtful: int = 0) -> State:
    """The state with this hand in doubt by so many cards; 0: what is counted is there."""
    if doubt(state, seat) == doubtful and seat not in state.doubted:
        return state
    counts = changed(state.unsure or (0,) * len(state.hand), seat, doubtful)
    return state._replace(
        unsure=counts if any(counts) else (), doubted=state.doubted if doubtful else state.doubted - {seat}
    )


def changed(counts: tuple[int, ...], seat: int, count: int) -> tuple[int, ...]:
    """The counts with one of them set anew."""
    return (*counts[:seat], count, *counts[seat + 1 :])
