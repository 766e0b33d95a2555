"""A record judged as the command judges it, for tests that compare whole answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from referee.adjudication import Game, adjudicate
from referee.record import Record
from referee.words import Event, Header


def judged(header: Header, events: Sequence[Event]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rulings (without the place of rejected events) and the counts of a record."""
    game = Game(header)
    rulings = [ruling for _, given in adjudicate(game, [*events]) for ruling in given]
    return [{key: value for key, value in r.items() if key != "event"} for r in rulings], game.summary()


@st.composite
def corrections(draw: st.DrawFn, record: Record, new: Event) -> tuple[list[Event], list[Event]]:
    """A record's events with one correction, and the events as they would stand had there been no mistake."""
    events = [event for event in record.events if event["event"] not in ("end", "correct")]
    place = draw(st.integers(0, len(events) - 1))
    new = {**new, "t_us": events[place]["t_us"]}
    correct: dict[str, Any] = {"t_us": 9, "event": "correct", "by": "host", "reason": "seen again"}
    kind = draw(st.sampled_from(("replace", "take back", "insert")))
    if kind == "replace":
        return [*events, correct | {"ref": place, "with": new}], [*events[:place], new, *events[place + 1 :]]
    if kind == "take back":
        return [*events, correct | {"ref": place, "with": None}], [*events[:place], *events[place + 1 :]]
    return [*events, correct | {"before": place, "with": new}], [*events[:place], new, *events[place:]]
