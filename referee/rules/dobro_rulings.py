"""Dobro: the rulings of one event while it is judged, and refusals.

Belongs here: the shape of a ruling. Does not belong here: what is ruled, or when.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from referee.words import Ruling


class Refusal(NamedTuple):
    """Why an event cannot happen; the state is then left as it was."""

    why: str
    clauses: tuple[str, ...] = ()


class Rulings:
    """What has been ruled on one event so far; everything in Dobro may be said aloud."""

    __slots__ = ("given", "players", "t_us")

    def __init__(self, players: tuple[str, ...], t_us: int) -> None:
        self.players = players
        self.t_us = t_us
        self.given: list[Ruling] = []

    def give(self, ruling: str, clauses: tuple[str, ...], **keys: Any) -> None:
        """Give a ruling; its keys are those of the record's format."""
        cited = list(dict.fromkeys(clauses))
        self.given.append({"t_us": self.t_us, "ruling": ruling, **keys, "clauses": cited, "public": True})

    def warn(self, seat: int, kind: str, clauses: tuple[str, ...]) -> None:
        """Warn a player; a warning costs nothing (dobro-decisions-2)."""
        self.give("warning", clauses, player=self.players[seat], kind=kind)

    def refuse(self, refusal: Refusal) -> None:
        """Reject the event; whoever counts the events adds which one it was."""
        self.give("rejected", refusal.clauses, why=refusal.why)
