"""What the tables of games without a totem have in common: the camera is their only source.

Belongs here: the part of `follower.Follower` that does not depend on the game. Does not belong here: what a card or a
hand means (each game's own table).
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.table.base import TableBase
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.watermarks import Health, Source
from referee.totem.scrambles import Fall, Grab
from referee.words import Event, Expected


class NoTotem:
    """A table that leaves aside whatever a totem says."""

    def touch(self, t: Grab | Fall) -> None:
        """Nothing: there is no totem in this game."""

    def totem_past(self, t_us: int) -> None:
        """Nothing: there is no totem in this game."""

    def totem_silent(self, from_us: int, to_us: int, touched_us: int | None) -> None:
        """Nothing: there is no totem in this game."""


class CameraTable(NoTotem, TableBase):
    """A table that only the camera and people tell of."""

    def __init__(self, layout: Layout, settings: FusionSettings, events: Sequence[Event]) -> None:
        """`events` are those of a game that goes on."""
        super().__init__(layout, settings, {"camera": settings.camera_us}, events)
        self._expected: Expected | None = None

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        if name == "camera":
            self._marks.set_health(name, health, t_us)

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far."""
        self._expected = e
