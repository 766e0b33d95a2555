"""What has been released: places in the record, and corrections of what was said.

Belongs here: counting events as a record does (corrections included), finding what happened after a moment,
building `correct` events. Does not belong here: why something is corrected.

Written rules:
- a *handle* is what a later correction names as `ref`: an event's index, or the index of the `correct` that
  inserted it; the last correction counts, so a handle stays good however often it is corrected;
- only the last `KEPT` events are remembered; what would belong before them stands before the oldest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from referee.races import MOVED
from referee.words import Event

KEPT = 2000


class Told:
    """The released events of a record, counted."""

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.count = 0
        self.last_us: int | None = None
        self._recent: deque[tuple[int, int]] = deque(maxlen=KEPT)
        self._stands: dict[int, Event | None] = {}
        self._moved: dict[int, int] = {}
        for event in events:
            self.append(event)

    def append(self, event: Event) -> int:
        """An event goes to the end of the record as it is; returns its handle."""
        index = self.count
        self.count += 1
        if event["event"] != "correct":
            self._recent.append((event["t_us"], index))
            self._stand(index, event)
            if self.last_us is None or event["t_us"] > self.last_us:
                self.last_us = event["t_us"]
        elif "before" in event:
            self._stand(index, event["with"])
        elif event["ref"] in self._stands:
            self._stands[event["ref"]] = event["with"]
        return index

    def _stand(self, handle: int, event: Event | None) -> None:
        self._stands[handle] = event
        if len(self._stands) > 2 * KEPT:
            del self._stands[next(iter(self._stands))]

    def add(self, event: Event, by: str, now_us: int) -> tuple[Event, int]:
        """An event in its place: as it is, or, where later ones were told already, as an insertion.

        Returns what goes into the record, and its handle. `now_us` is when an insertion was noticed.
        """
        at = event["t_us"]
        late = self.last_us is not None and at < self.last_us
        before = next((index for t_us, index in self._recent if t_us > at), None) if late else None
        if before is None:
            return event, self.append(event)
        insertion: dict[str, Any] = {
            "t_us": max(now_us, at),
            "event": "correct",
            "before": before,
            "by": by,
            "reason": "noticed late",
            "with": event,
        }
        return insertion, self.append(insertion)

    def correct(
        self, handle: int, event: Event | None, by: str, reason: str, now_us: int, *, moved: bool = False
    ) -> Event:
        """Replace what stands at a handle; returns the `correct`.

        `moved`: what it takes out is put in elsewhere by the event after it.
        """
        correction: dict[str, Any] = {
            "t_us": now_us,
            "event": "correct",
            "ref": self._moved.get(handle, handle),
            "by": by,
            "reason": reason,
            "with": event,
        }
        if moved:
            correction[MOVED] = True
        self.append(correction)
        return correction

    def at(self, handle: int) -> Event | None:
        """What stands at a handle, corrections applied; None where nothing does or it is forgotten."""
        return self._stands.get(self._moved.get(handle, handle))

    def move(self, handle: int, event: Event, by: str, reason: str, now_us: int) -> tuple[list[Event], int]:
        """Take what stands at a handle to a later place, as `event`; returns what goes into the record, and the handle
        it has from now on (the old one is as good)."""
        nothing = self.correct(handle, None, by, reason, now_us)
        again, to = self.add(event, by, now_us)
        self._moved[handle] = to
        return [nothing, again], to
