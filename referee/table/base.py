"""What every table has, with a totem or without: the record it has told, the clock, notices.

Belongs here: the part of `follower.Follower` that depends neither on the game nor on the sources. Does not belong here:
what a card, a hand or a touch means.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from referee.table.calls import Notice
from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.table.told import Told
from referee.table.watermarks import Source, Watermarks
from referee.words import Event

MOST_NOTICES = 100


class TableBase:
    """A table that keeps count of what it has told."""

    def __init__(
        self, layout: Layout, settings: FusionSettings, waits_us: dict[Source, int], events: Sequence[Event] = ()
    ) -> None:
        """`waits_us` says how long each source is waited for, `events` are those of a game that goes on."""
        self.layout = layout
        self.settings = settings
        self._marks = Watermarks(waits_us)
        self._told = Told(events)
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)

    def now(self, t_us: int) -> None:
        """The table's clock, so that waits have limits when a source is silent."""
        self._marks.at(t_us)

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record (`end`); returns its index."""
        return self._told.append(event)

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        found = list(self._notices)
        self._notices.clear()
        return found
