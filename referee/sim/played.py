"""A game that simulated people play: what it is played from, and all that truly happened, whatever was played.

Belongs here: the wish a game's player gets, and the value they leave behind for camera, totem, files and scoring. Does
not belong here: how it came about (`people`, `speed_people`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.deck.folder import Deck
from referee.sim.places import Places
from referee.sim.scenes import Script
from referee.sim.timeline import Timeline
from referee.sim.touches import TotemKind
from referee.words import Event, Header


@dataclass(frozen=True)
class Wish:
    """What a game is played from; `pace` divides the pauses people make, `seconds` is about how long they play."""

    players: tuple[str, ...]
    deck: Deck
    seed: int
    seconds: float
    pace: float = 1.0
    totem: TotemKind = field(default_factory=TotemKind)
    options: Mapping[str, Any] = field(default_factory=dict)

    def header(self, game: str) -> Header:
        """The header of its record."""
        return {
            "record": "referee/1",
            "game": game,
            "players": list(self.players),
            "options": dict(self.options),
            "start": {},
        }


@dataclass(frozen=True)
class PlayedGame:
    """What truly happened: header, events in the words of a record, what people told the referee by buttons or the
    operator's page (`calls`), motions, hands on the totem (None where none stands on the table), places, deck, and what
    each player told the private reader alone (`secrets`)."""

    header: Header
    events: tuple[Event, ...]
    calls: tuple[Event, ...]
    timeline: Timeline
    touching: Script | None
    places: Places
    deck: Deck
    secrets: tuple[Event, ...] = ()
