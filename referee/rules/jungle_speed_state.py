"""Jungle Speed: what a state is.

Belongs here: the frozen state, its parts, and the questions one can ask of it without changing it. Seats are
numbers, clockwise from `players[0]`; names are for the outside. Does not belong here: what events do.

Piles are tuples. A reserve lists its cards top first (the next one to be turned at index 0); face-up piles and
the pot list theirs bottom first, as they came to lie. A card nobody has seen is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from referee.rules.cards import Card, face

NOBODY = -1
"""No seat: nobody's turn, nobody known."""


class Options(NamedTuple):
    """The house rules of Jungle Speed with their defaults (decisions page, "Options")."""

    end: str = "two-left"
    permanent_colour: bool = False
    simultaneous_ms: float = 40
    missed_duel: str = "stays"
    unknown_fall: str = "pot"
    last_out: str = "pile"
    last_colour: str = "automatic"
    leftovers: str = "dealt"
    hands: int = 1


class Setup(NamedTuple):
    """What stays the same for a whole game."""

    players: tuple[str, ...]
    seats: dict[str, int]
    options: Options


class Duel(NamedTuple):
    """A live duel: its members in seat order, what they share, and whether by `shape` or by `colour`."""

    members: tuple[int, ...]
    by: str
    key: str


class Inward(NamedTuple):
    """A live inward arrow; `last` when it was its owner's last reserve card.

    `origin` is the seat from which several last arrows are judged clockwise: the owner of the volley's first
    outward arrow, or the owner of this arrow (decisions page, "Last card").
    """

    owner: int
    last: bool
    origin: int


class Volley(NamedTuple):
    """An outward arrow at work: who still owes a card, and who has flipped since the last judgement.

    `resume` is the seat from which the next turn is sought once it is closed; a loser, taker or culprit moves it.
    """

    origin: int
    resume: int
    owes: frozenset[int]
    fresh: tuple[int, ...]


class LastCard(NamedTuple):
    """An outward or colour arrow that emptied a reserve in a volley and waits to be judged."""

    owner: int
    card: Card
    origin: int


class Scramble(NamedTuple):
    """What is left to judge of a scramble once its taker is settled: late intruders, and who knocked it over."""

    intruders: tuple[int, ...]
    toppler: int
    margin: dict[str, Any] | None


class Choice(NamedTuple):
    """A taker who must say whether the duel or the arrow is taken (JS-43)."""

    taker: int
    scramble: Scramble


class Share(NamedTuple):
    """A winner of several losers who must say how the cards are shared out (JS-37); losers clockwise."""

    winner: int
    losers: tuple[int, ...]
    scramble: Scramble


class State(NamedTuple):
    """A whole game at one moment; never changed, only replaced."""

    setup: Setup
    reserve: tuple[tuple[Card, ...], ...]
    face_up: tuple[tuple[Card, ...], ...]
    pot: tuple[Card, ...]
    rank: tuple[int, ...]  # 0 = in, otherwise the rank at which the seat went out
    turn: int
    duels: tuple[Duel, ...]
    inward: tuple[Inward, ...]
    colour_mode: bool
    triple: int  # the seat that completed it, or NOBODY
    volley: Volley | None
    waiting: tuple[int, ...]  # seats whose outward arrow waits, in the order in which they were turned
    last: tuple[LastCard, ...]
    choice: Choice | None
    share: Share | None
    over: bool
    takers_up: frozenset[int]  # who picks up cards by the latest ruling that moved any


new_state: Callable[[tuple[Any, ...]], State] = partial(tuple.__new__, State)
"""A state from all its fields in order, in a third of the time of calling `State`."""

CALM: tuple[Any, ...] = (False, NOBODY, None, (), (), None, None, False)
"""The fields from `colour_mode` to `over` when shapes count, nothing is asked and nothing waits; duels may be live."""

CALM_FIELDS = slice(State._fields.index("colour_mode"), State._fields.index("over") + 1)
"""Where in a state the fields of `CALM` stand."""


def persons(setup: Setup) -> tuple[tuple[int, ...], ...]:
    """The seats of each person: one seat each, or two packs each with `hands = 2`."""
    count = len(setup.players)
    if setup.options.hands == 2:
        return tuple((seat, seat + 2) for seat in range(2))
    return tuple((seat,) for seat in range(count))


def is_own(setup: Setup, duel: Duel) -> bool:
    """Whether a duel is between the two hands of one person, which entitles nobody (JS-54)."""
    return setup.options.hands == 2 and len(duel.members) == 2 and duel.members[1] - duel.members[0] == 2


def seats_in(rank: Iterable[int]) -> frozenset[int]:
    """The seats that are in."""
    return frozenset(seat for seat, out in enumerate(rank) if not out)


def entitled(state: State) -> frozenset[int]:
    """The seats that may take the totem now (decisions page, "A grab", E)."""
    if state.inward or state.triple != NOBODY:
        return seats_in(state.rank)
    return duellists(state.setup, state.duels)


def duellists(setup: Setup, duels: tuple[Duel, ...]) -> frozenset[int]:
    """The members of live duels that entitle somebody."""
    if len(duels) == 1 and not is_own(setup, duels[0]):
        return frozenset(duels[0].members)
    return frozenset(member for duel in duels if not is_own(setup, duel) for member in duel.members)


def shows_colour_arrow(face_up: list[tuple[Card, ...]], rank: list[int]) -> bool:
    """Whether a colour arrow is the top of a player who is in (JS-52)."""
    return any(pile and not out and face(pile[-1]).arrow == "colour" for pile, out in zip(face_up, rank, strict=True))
