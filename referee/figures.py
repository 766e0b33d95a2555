"""What kept games say about players: reaction times, duels, faults, closest calls.

Written rules of this module:
- only rulings that stand count, and only events as corrections left them;
- a reaction time is from the last card that made a duel (its flip) to the winner's first contact; a duel whose cards or
  touch are not known gives none, and nothing is filled in.
Does not belong here: where games come from, how figures are shown or drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from referee.adjudication import Game, adjudicate
from referee.journal.derived import closeness_us
from referee.record import Record
from referee.words import Event, Ruling

PERIODS = ("all", "year", "month", "day")
_LENGTH = {"year": 4, "month": 7, "day": 10}


@dataclass
class Figures:
    """One player's figures in one period; times in microseconds."""

    games: int = 0
    duels_won: int = 0
    duels_lost: int = 0
    taken: int = 0
    faults: int = 0
    reactions_us: list[int] = field(default_factory=list)
    closest_us: int | None = None

    @property
    def reaction_us(self) -> int | None:
        """The median reaction time."""
        return round(median(self.reactions_us)) if self.reactions_us else None


@dataclass(frozen=True)
class Played:
    """One game for the figures: its record, its rulings that stand, and when it was begun (ISO 8601 or None)."""

    record: Record
    standing: Sequence[Ruling]
    begun: str | None


def period_of(begun: str | None, period: str) -> str:
    """The period a game belongs to: `all`, a year, a month or a day; `?` for a game nobody dated."""
    if period == "all":
        return "all"
    return "?" if begun is None else begun[: _LENGTH[period]]


def figures_of(games: Iterable[Played], period: str = "all") -> dict[tuple[str, str], Figures]:
    """The figures by (period, player), periods in their order, players as they first appear."""
    found: dict[tuple[str, str], Figures] = {}
    for game in games:
        own = {
            player: found.setdefault((period_of(game.begun, period), player.strip()), Figures())
            for player in game.record.header["players"]
        }
        for figures in own.values():
            figures.games += 1
        for ruling in game.standing:
            _count(own, ruling)
        for player, reaction_us in _reactions(game.record):
            own[player].reactions_us.append(reaction_us)
    return dict(sorted(found.items(), key=lambda item: item[0][0]))


def _count(own: Mapping[str, Figures], ruling: Ruling) -> None:
    kind, winner, player = ruling["ruling"], str(ruling.get("winner")), str(ruling.get("player"))
    said = ruling.get("losers")
    losers = [name for name in said if name in own] if isinstance(said, list) else []
    if kind == "won" and winner in own:
        own[winner].duels_won += 1
        for loser in losers:
            own[loser].duels_lost += 1
    elif kind == "to-pot" and player in own:
        own[player].taken += 1
    elif kind == "fault" and player in own:
        own[player].faults += 1
    close = closeness_us(ruling)
    if close is not None:
        for name in {winner, player, *losers} & own.keys():
            before = own[name].closest_us
            own[name].closest_us = close if before is None else min(before, close)


def _reactions(record: Record) -> Iterable[tuple[str, int]]:
    """(player, reaction time) of each duel won by a touch after its cards lay there."""
    if record.header["game"] != "jungle-speed":
        return
    born: dict[frozenset[str], int] = {}
    for step, rulings in adjudicate(Game(record.header), record.events):
        for ruling in rulings:
            if ruling["ruling"] == "duel":
                born[frozenset(ruling["players"])] = ruling["t_us"]
            elif ruling["ruling"] == "won" and step.event["event"] == "grab" and "settled_by" not in step.event:
                fought = frozenset([ruling["winner"], *ruling["losers"]])
                touch = _first_touch(step.event, ruling["winner"])
                since = next((t_us for players, t_us in born.items() if fought <= players), None)
                if touch is not None and since is not None and touch > since:
                    yield ruling["winner"], touch - since
                born = {players: t_us for players, t_us in born.items() if not players & fought}


def _first_touch(grab: Event, player: str) -> int | None:
    touches: list[int] = [hand["t_us"] for hand in grab["hands"] if hand["player"] == player and hand.get("grip", True)]
    return min(touches, default=None)


def word_of(period: str, player: str, figures: Figures) -> dict[str, Any]:
    """A player's figures as JSON."""
    return {
        "period": period,
        "player": player,
        "games": figures.games,
        "duels_won": figures.duels_won,
        "duels_lost": figures.duels_lost,
        "taken": figures.taken,
        "faults": figures.faults,
        "reactions": len(figures.reactions_us),
        "reaction_us": figures.reaction_us,
        "closest_us": figures.closest_us,
    }
