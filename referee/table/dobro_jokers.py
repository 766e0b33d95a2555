"""Dobro: what players say of their jokers.

Belongs here: which word is about which play, and how long a play waits for it. Does not belong here: whose a play is
(`dobro_gestures`), what a joker is worth (rules).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from referee.table.calls import JokerValue
from referee.table.dobro_items import Item, PassItem, PlayItem

JOKER = "joker"
JOKER_BEFORE_US = 8_000_000  # so long before it is laid a joker's value may be said
JOKER_WAIT_US = 20_000_000  # and so long the play waits for it, unless somebody goes on
MOST_VALUES = 40


class Jokers:
    """The values that were said; `waiting` are the items that wait, `gone` when cards were seen to leave the table."""

    def __init__(self, waiting: list[Item], gone: Sequence[int] | deque[int]) -> None:
        self._waiting, self._gone = waiting, gone
        self._values: deque[JokerValue] = deque(maxlen=MOST_VALUES)

    def hear(self, value: JokerValue) -> None:
        """A player said what a joker is worth."""
        self._values.append(value)

    def have_waited(self, item: PlayItem, partner: PlayItem | None, last_us: int, now_us: int) -> bool:
        """Whether a joker's value is waited for no longer: somebody has gone on, or nobody says it."""
        others = [one for one in self._waiting if one is not item and one is not partner and one.t_us > last_us]
        went_on = any(isinstance(one, PassItem) or (isinstance(one, PlayItem) and bool(one.cards)) for one in others)
        taken_back = any(t_us > last_us for t_us in self._gone)
        return went_on or taken_back or now_us > item.t_us + JOKER_WAIT_US

    def said(self, item: PlayItem, player: str | None, since_us: int) -> int | None:
        """What a player said of the jokers of a play: the last word before it was laid, or the first one after."""
        if item.hand is not None or not item.cards or not all(card.seen.card == JOKER for card in item.cards):
            return None
        plays = [one for one in self._waiting if isinstance(one, PlayItem) and one.cards]
        ends = [t_us for t_us in (*(one.t_us for one in plays), *self._gone) if t_us > item.last_us]
        until_us = min(ends, default=item.t_us + JOKER_WAIT_US)
        from_us = max(item.t_us - JOKER_BEFORE_US, since_us + 1)
        mine = [one for one in self._values if one.player == player and from_us <= one.t_us <= until_us]
        before = [one for one in mine if one.t_us <= item.t_us]
        if before:
            return max(before, key=lambda one: one.t_us).value
        after = min(mine, key=lambda one: one.t_us, default=None)
        return None if after is None else after.value
