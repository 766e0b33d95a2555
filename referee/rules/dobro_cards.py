"""Dobro: what the cards of one play are worth.

Belongs here: which ids are in the pack, and the sum of one or two cards laid together. Does not belong here: the
value in play, whose turn it is, or anything else about a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

JOKER = "joker"
SKIP = "skip"
REVERSE = "reverse"
UNREADABLE = "?"

NUMBERS = {str(number): number for number in range(2, 13)}
"""The numbered cards (DO-04)."""

JOKER_VALUES = range(2, 13)
"""What a joker may be worth (DO-28)."""

_PACK = frozenset((*NUMBERS, JOKER, SKIP, REVERSE))


class Worth(NamedTuple):
    """What is laid: its sum, None for a special card, and the clauses that say so."""

    total: int | None
    clauses: tuple[str, ...]


class Illegal(NamedTuple):
    """Cards that may not be laid together, whatever lies on the table: a word for why, and the clauses."""

    why: str
    clauses: tuple[str, ...]


def in_pack(card: str) -> bool:
    """Whether an id can be played: the two markers and an unread card are not in the pack."""
    return card in _PACK


def worth(cards: Sequence[str], said: int | None) -> Worth | Illegal:
    """The sum of one or two cards of the pack; `said` is the value spoken for a joker (dobro-decisions-5).

    What is said of numbers without a joker does not matter: the cards decide (DO-G20).
    """
    if len(cards) == 1:
        return _single(cards[0], said)
    jokers = cards.count(JOKER)
    numbers = [NUMBERS[card] for card in cards if card in NUMBERS]
    if jokers + len(numbers) < 2:
        return Illegal("special-with-another", ("DO-16", "DO-19", "dobro-decisions-5"))
    if jokers == 2:
        if said is None or said not in JOKER_VALUES:
            return Illegal("joker-value", ("DO-28", "DO-66", "dobro-decisions-5"))
        return Worth(2 * said, ("DO-13", "DO-18", "DO-66", "dobro-decisions-5"))
    if jokers:
        if said not in (None, numbers[0]):
            return Illegal("joker-number", ("DO-30", "dobro-decisions-5"))
        return Worth(2 * numbers[0], ("DO-13", "DO-18", "DO-30"))
    if numbers[0] != numbers[1]:
        return Illegal("unequal", ("DO-18", "dobro-decisions-5"))
    return Worth(2 * numbers[0], ("DO-13", "DO-18"))


@lru_cache(maxsize=256)
def _single(card: str, said: int | None) -> Worth | Illegal:
    if card == SKIP:
        return Worth(None, ("DO-19", "DO-31"))
    if card == REVERSE:
        return Worth(None, ("DO-19", "DO-32", "DO-G40"))
    if card != JOKER:
        return Worth(NUMBERS[card], ("DO-13", "DO-17"))
    if said not in JOKER_VALUES:
        return Illegal("joker-value", ("DO-28", "DO-29", "DO-G18", "dobro-decisions-5"))
    return Worth(said, ("DO-13", "DO-17", "DO-29"))
