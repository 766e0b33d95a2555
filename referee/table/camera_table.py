"""What the tables of games without a totem have in common: the camera's watermark, the record, notices.

Belongs here: the part of `follower.Follower` that does not depend on the game. Does not belong here: what a card or a
hand means (each game's own table).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from referee.table.calls import Notice
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.told import Told
from referee.table.watermarks import Health, Source, Watermarks
from referee.totem.scrambles import Fall, Grab
from referee.words import Event, Expected

MOST_NOTICES = 100


class NoTotem:
    """A table that leaves aside whatever a totem says."""

    def touch(self, t: Grab | Fall) -> None:
        """Nothing: there is no totem in this game."""

    def totem_past(self, t_us: int) -> None:
        """Nothing: there is no totem in this game."""

    def totem_silent(self, from_us: int, to_us: int, touched_us: int | None) -> None:
        """Nothing: there is no totem in this game."""


class CameraTable(NoTotem):
    """A table that only the camera and people tell of."""

    def __init__(self, layout: Layout, settings: FusionSettings, events: Sequence[Event]) -> None:
        """`events` are those of a game that goes on."""
        self.layout = layout
        self.settings = settings
        self._marks = Watermarks({"camera": settings.camera_us})
        self._told = Told(events)
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self._expected: Expected | None = None

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        if name == "camera":
            self._marks.set_health(name, health, t_us)

    def now(self, t_us: int) -> None:
        """The table's clock, so that waits have limits when the camera is silent."""
        self._marks.at(t_us)

    def expected(self, e: Expected) -> None:
        """What may come next after everything released so far."""
        self._expected = e

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record (`end`); returns its index."""
        return self._told.append(event)

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        found = list(self._notices)
        self._notices.clear()
        return found
