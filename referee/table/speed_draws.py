"""Draws of Speed: what hands at draw piles mean for the hands of their players.

Belongs here: which draw is due before what is told next. Does not belong here: who was at a draw pile (`speed_hands`).

Written rules:
- how many cards a hand takes cannot be seen: a hand at its draw pile takes what is missing then (SP-11); it is told one
  card at a time;
- so what a player lacks, less the cards they laid since they were last at their draw pile, was drawn there; cards that
  are known late count as well;
- a card laid from a hand that should be empty was drawn, though nobody saw it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from referee.table.speed_hands import SpeedHands
from referee.table.told import Told
from referee.vision.sightings import UNREADABLE
from referee.words import Event, Expected

DRAWN_WITHIN_US = 20_000_000  # a draw that was seen is told so late at most
MOST_PLAYS = 40


@dataclass(frozen=True)
class Draw:
    """A player has drawn a card about `t_us`."""

    player: str
    t_us: int


@dataclass
class _Laid:
    handle: int
    went_back: bool


class Draws:
    """What each player has drawn since they laid their last cards."""

    def __init__(self, hands: SpeedHands, told: Told) -> None:
        self._hands, self._told = hands, told
        self._laid: deque[_Laid] = deque(maxlen=MOST_PLAYS)
        self._drew: tuple[str, int, int] | None = None  # who was told to have drawn, in which visit, lacking how many
        self._in_vain: dict[str, int] = {}  # visits in which more was told than could be drawn

    def has_told(self, handle: int, event: Event, expected: Expected | None) -> None:
        """A card was told as laid; `expected` is of the moment before."""
        self._laid.append(_Laid(handle, _goes_back(event, expected)))

    def judged(self, expected: Expected) -> None:
        """What was told last has been judged: a draw has filled a hand, or could not."""
        drew, self._drew = self._drew, None
        if drew is not None and _lacks(expected, drew[0]) >= drew[2]:
            self._in_vain[drew[0]] = drew[1]

    def due(self, expected: Expected, t_us: int) -> Draw | None:
        """A draw that is to be told before whatever happened at `t_us`."""
        for player in expected.get("may_draw", ()):
            visits = self._hands.drawing(player, t_us - DRAWN_WITHIN_US, t_us)
            if not visits or self._in_vain.get(player) == visits[-1].first_us:
                continue
            if (lacks := _lacks(expected, player)) > self._laid_since(player, visits[-1].first_us):
                self._drew = (player, visits[-1].first_us, lacks)
                return Draw(player, visits[-1].first_us)
        return None

    def _laid_since(self, player: str, t_us: int) -> int:
        count = 0
        for laid in self._laid:
            stands = self._told.at(laid.handle)
            if stands is None or stands["t_us"] <= t_us or stands["card"] == UNREADABLE:
                continue
            count += stands["player"] == player and stands["event"] == "play" and not laid.went_back
        return count

    def may_have_drawn(self, expected: Expected | None, player: str, t_us: int) -> int:
        """How many cards a player may have drawn by then without having been seen; 0 where none."""
        lacks = _lacks(expected, player)
        own = [one for one in (self._told.at(laid.handle) for laid in self._laid) if one is not None]
        since_us = max((one["t_us"] for one in own if one["player"] == player), default=t_us)
        # A hand that has stayed at its draw pile since may have drawn there as well.
        may = self._hands.was_unseen(player, since_us, t_us) or bool(self._hands.drawing(player, since_us, t_us))
        return lacks if lacks and may else 0

    def unseen(self, expected: Expected | None, player: str | None, t_us: int) -> Draw | None:
        """The draw by which a player came to a card, whose hand should be empty."""
        if expected is None or player is None or player in expected.get("may_play", (player,)):
            return None
        return Draw(player, t_us) if player in expected.get("may_draw", ()) else None


def _goes_back(event: Event, expected: Expected | None) -> bool:
    """Whether a card that is told now does not stay."""
    if expected is None or event["card"] == UNREADABLE:
        return False
    steps = expected.get("steps")
    step = steps[event["pile"] - 1].get(event["card"][:-1]) if steps else None
    return bool(expected["may_flip"]) or (step is not None and abs(step) != 1)


def _lacks(expected: Expected | None, player: str | None) -> int:
    lacking = {} if expected is None else expected.get("lacking", {})
    return 0 if player is None else lacking.get(player, 0)
