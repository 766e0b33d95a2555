"""Speed: what shows that the counts of hands are wrong, and sets them right.

Belongs here: claims that held though counts spoke against them, a game that is over though a card seems to be left, or
goes on though none does. Does not belong here: draws that were seen (`speed_draws`), when a card leaves
(`speed_table`).

Written rules:
- side cards are turned up, and the middle is shuffled, once both have said they are stuck: where counts spoke against
  a claim that was followed by that, its player had drawn what they lacked;
- the middle is taken off the table to be shuffled, or because a game is over: with no claims open, and no shuffle due,
  whoever laid the last card is rid of all of theirs, if they had few left;
- a card that seems to be a player's last one is told when the middle is taken off, or when play has not gone on for
  `WON_AFTER_US`: where they lay another card, the other one lays one later than a hand needs that was on its way, or
  somebody says they are stuck, it was not the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.table.calls import Blocked
from referee.table.speed_cards import CardItem, Item, TakenItem
from referee.table.told import Told
from referee.table.waiting import CallItem
from referee.words import Event, Expected

WON_AFTER_US = 2_000_000
UNDER_WAY_US = 600_000  # a card may still land so long after the one that ends a game
MOST_MISSED = 3  # so many cards of one player go unseen in a game at most
TOGETHER_US = 4_000_000  # the two central piles are taken off so near to one another
LATE_US = 1_200_000  # what was told so long after the last card shows that another one was missed


class Counts:
    """See the rules of the module."""

    def __init__(self, players: Sequence[str], told: Told, waiting: Sequence[Item]) -> None:
        self._players, self._told, self._waiting = tuple(players), told, waiting
        self._claims: dict[str, int] = {}  # since the last turn-up, and the last card that fitted
        self._counted: set[str] = set()  # whose claim counts said before speak for
        self._last: tuple[int, int] | None = None  # when the last card was laid, and its handle
        self._taken: dict[int, int] = {}

    # ---- what was told

    def claimed(self, player: str, t_us: int, counts: bool) -> None:
        """A player said they are stuck; `counts`: as far as is known they have drawn all they may."""
        self._claims[player] = t_us
        self._counted = self._counted | {player} if counts else self._counted - {player}

    def turned_up(self) -> None:
        """A side card was turned up: claims are answered."""
        self._claims.clear()
        self._taken.clear()

    def laid(self, handle: int, t_us: int) -> None:
        """A card was laid that stays, as far as anybody knows."""
        self._claims = {player: said_us for player, said_us in self._claims.items() if said_us > t_us}
        if self._last is None or t_us >= self._last[0]:
            self._last = (t_us, handle)

    # ---- claims that held

    def held(self, expected: Expected | None) -> list[Event]:
        """What is told where both have said they are stuck, and what they did next shows that both were."""
        if expected is None or len(self._claims) < len(self._players):
            return []
        t_us, lacking = max(self._claims.values()), expected.get("lacking", {})
        doubtful = [player for player in self._players if player not in self._counted]
        self._claims.clear()
        draws = [
            {"t_us": t_us, "event": "draw", "player": player, "count": lacking[player]}
            for player in self._players
            if lacking.get(player)
        ]
        again = doubtful or self._players
        return [*draws, *({"t_us": t_us, "event": "blocked", "player": player} for player in again)]

    # ---- the middle is taken off

    def taken(self, item: TakenItem, expected: Expected | None) -> list[Event]:
        """A central pile was taken off; what that tells once both were."""
        self._taken[item.pile] = item.t_us
        both = len(self._taken) == len(self._players)
        if not both or max(self._taken.values()) - min(self._taken.values()) > TOGETHER_US:
            return []
        self._taken.clear()
        if expected is None or expected["waiting_for"] != "play":
            return []
        return self.held(expected) or self._won(expected)

    def _won(self, expected: Expected) -> list[Event]:
        stands = None if self._last is None else self._told.at(self._last[1])
        player = None if stands is None else stands.get("player")
        if stands is None or player is None or self._told.last_us is None:
            return []
        left, at_us = expected.get("left", {}), max(stands["t_us"], self._told.last_us)
        if not 0 < left.get(player, 0) <= MOST_MISSED or at_us - stands["t_us"] > LATE_US:
            return []
        return [{"t_us": at_us, "event": "recount", "hand": {player: 0}, "draw": {player: 0}}]

    # ---- the last card

    def seems_last(self, player: str | None, expected: Expected | None) -> bool:
        """Whether a card that fits would end the game, by count."""
        return expected is not None and player is not None and expected.get("left", {}).get(player) == 1

    def is_over(self, item: CardItem, now_us: int) -> bool:
        """Whether nothing has gone on after a card for so long that it was the last one."""
        taken = any(isinstance(one, TakenItem) and one.t_us > item.t_us for one in self._waiting)
        return taken or now_us > item.t_us + WON_AFTER_US

    def goes_on(self, item: CardItem, player: str) -> bool:
        """Whether play goes on after a card."""
        taken_us = [one.t_us for one in self._waiting if isinstance(one, TakenItem) and one.t_us > item.t_us]
        after = [one for one in self._waiting if item.t_us < one.t_us < min(taken_us, default=one.t_us + 1)]
        return any(self._shows(one, item, player) for one in after if one is not item)

    def _shows(self, one: Item, item: CardItem, player: str) -> bool:
        if isinstance(one, CallItem):
            return isinstance(one.call, Blocked)
        if not isinstance(one, CardItem) or not one.visits:
            return False
        again = len(one.visits) == 1 and one.visits[0].likeliest == player
        return again or one.t_us > item.t_us + UNDER_WAY_US

    def one_more(self, item: CardItem, player: str) -> Event:
        """The count that follows where a card was not the last one."""
        event: dict[str, Any] = {"t_us": item.t_us - 1, "event": "recount", "hand": {player: 2}, "draw": {player: 0}}
        return event
