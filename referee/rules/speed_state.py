"""Speed: cards, house rule, and what a state is.

Belongs here: what a card id means, the length of a match, the frozen state and the questions one can ask of it.
Does not belong here: what events do (`speed`, `speed_play`).

Piles are counts, for only their size decides anything; of a central pile the top card is known too. Every pair is
in the order of the players: the first of a record owns pile 1, the second pile 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from referee.errors import RecordError
from referee.words import Event, Header

UNREADABLE = "?"
HAND, DRAW, SIDE = 5, 15, 6  # 26 cards each (SP-03, SP-04)
DECK = 52
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_CARD = re.compile(r"(A|[2-9]|10|J|Q|K)[SHDC?]")
_BEST_OF = (1, 3, 5)  # SP-18, speed-decisions-0
BOTH = frozenset((0, 1))
NOBODY: frozenset[int] = frozenset()

Pair = tuple[int, int]


@lru_cache(maxsize=256)
def in_deck(card: str) -> bool:
    """Whether an id can be read from a 52-card deck: rank and suit, a rank whose suit was not read, or `?`."""
    return card == UNREADABLE or _CARD.fullmatch(card) is not None


@lru_cache(maxsize=4096)
def fits(card: str, top: str) -> bool:
    """Whether one rank is the neighbour of the other; ranks go round, suits are ignored (SP-09, SP-10, SP-13)."""
    steps = (RANKS.index(card[:-1]) - RANKS.index(top[:-1])) % len(RANKS)
    return steps in (1, len(RANKS) - 1)


@lru_cache(maxsize=128)
def steps(top: str) -> dict[str, int]:
    """How many ranks up (+) or down (-) each rank is from a top, the shorter way round; empty for one not read."""
    if top == UNREADABLE:
        return {}
    half, at = len(RANKS) // 2, RANKS.index(top[:-1])
    return {rank: (place - at + half) % len(RANKS) - half for place, rank in enumerate(RANKS)}


class Setup(NamedTuple):
    """What stays the same for a whole match."""

    players: tuple[str, str]
    seats: dict[str, int]
    best_of: int


class State(NamedTuple):
    """A whole match at one moment; never changed, only replaced.

    When both claim to be stuck and neither owes a turn-up, the middle waits to be shuffled. `held` is a play that
    shares its `together` key with one that is still to come.
    """

    setup: Setup
    hand: Pair
    draw: Pair
    side: Pair
    central: Pair
    tops: tuple[str, str]  # the visible cards of the central piles; means nothing while a pile is empty
    owes: frozenset[int]  # who has a side card to turn up
    claims: frozenset[int]  # who says they are stuck
    wins: Pair
    over: bool
    held: Event | None


new_state: Callable[[tuple[Any, ...]], State] = partial(tuple.__new__, State)
"""A state from all its fields in order, in a third of the time of `_replace`."""


def start(header: Header) -> State:
    """The first state of a match; raises `RecordError` for players, options or a start that cannot be."""
    players = tuple(header["players"])
    if len(players) != 2:
        raise RecordError(f"players: Speed is for exactly 2 players, found {len(players)}")
    if header.get("start"):
        raise RecordError("start: Speed always begins with a fresh deal; leave start out")
    options = header.get("options") or {}
    for key in options:
        if key != "best_of":
            raise RecordError(f"options: unknown option {key!r}; expected best_of")
    best_of = options.get("best_of", 3)
    if type(best_of) is not int or best_of not in _BEST_OF:
        raise RecordError("options.best_of: expected one of 1, 3, 5")
    setup = Setup((players[0], players[1]), {name: seat for seat, name in enumerate(players)}, best_of)
    return fresh_deal(setup, (0, 0))


def fresh_deal(setup: Setup, wins: Pair) -> State:
    """26 cards each, and both have a card to turn up (SP-03, SP-04, speed-decisions-1)."""
    return State(
        setup=setup,
        hand=(HAND, HAND),
        draw=(DRAW, DRAW),
        side=(SIDE, SIDE),
        central=(0, 0),
        tops=(UNREADABLE, UNREADABLE),
        owes=BOTH,
        claims=NOBODY,
        wins=wins,
        over=False,
        held=None,
    )


def put(pair: Pair, place: int, value: int) -> Pair:
    """A pair with one of its numbers replaced."""
    return (pair[0], value) if place else (value, pair[1])


def left(state: State, seat: int) -> int:
    """How many cards a player still has to get rid of: hand and draw pile."""
    return state.hand[seat] + state.draw[seat]


def could_draw(state: State, seat: int) -> bool:
    """Whether a player has to draw up to five before claiming to be stuck (SP-15, SP-G09, SP-G17)."""
    return state.hand[seat] < HAND and state.draw[seat] > 0


def waits_for_shuffle(state: State) -> bool:
    """Whether the middle has to be shuffled before play can go on."""
    return state.claims == BOTH


def ruling(event: Event, named: str, clauses: tuple[str, ...], **keys: Any) -> dict[str, Any]:
    """One ruling on an event; everything in Speed is public."""
    return {"t_us": event["t_us"], "ruling": named, **keys, "clauses": list(clauses), "public": True}


def rejected(event: Event, why: str) -> dict[str, Any]:
    """This event cannot happen here."""
    return ruling(event, "rejected", (), why=why)
