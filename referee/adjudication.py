"""From a record to its rulings: the one place where records and rules meet.

Belongs here: choosing a game's rules, running a record's steps through them, numbering rejections, the margin of a
touch that fell inside a card's arrival. Does not belong here: how a record is read or how rulings are shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from referee import record
from referee.errors import RecordError
from referee.rules import jungle_speed
from referee.words import Event, Expected, Header, Ruling


class Rules(Protocol):
    """What every game's module offers."""

    def start(self, header: Header) -> Any:
        """The first state."""

    def apply(self, state: Any, event: Event) -> tuple[Any, list[Ruling]]:
        """The next state and the rulings of one event."""

    def summary(self, state: Any) -> dict[str, Any]:
        """The counts that are shown."""

    def expected(self, state: Any) -> Expected:
        """What may come next."""


RULES: dict[str, Rules] = {"jungle-speed": jungle_speed}


class Game:
    """A game as it is being judged, event by event: the state, and nothing else that changes."""

    def __init__(self, header: Header) -> None:
        rules = RULES.get(header["game"])
        if rules is None:
            raise RecordError(f"game: {header['game']} cannot be refereed yet; expected {', '.join(RULES)}")
        self._rules = rules
        self._apply = rules.apply
        self.state = rules.start(header)

    def judge(self, step: record.Step) -> list[Ruling]:
        """The rulings of one step; a refused correction is `rejected` and changes nothing."""
        index, event, refused = step
        if refused:
            return [
                {
                    "t_us": event["t_us"],
                    "ruling": "rejected",
                    "event": index,
                    "why": refused,
                    "clauses": ["correct"],
                    "public": True,
                }
            ]
        self.state, rulings = self._apply(self.state, event)
        for ruling in rulings:
            if ruling["ruling"] == "rejected":
                ruling["event"] = index
        return rulings

    def summary(self) -> dict[str, Any]:
        """The counts that are shown."""
        return self._rules.summary(self.state)

    def expected(self) -> Expected:
        """What may come next."""
        return self._rules.expected(self.state)


def adjudicate(game: Game, events: list[Event]) -> Iterator[tuple[record.Step, list[Ruling]]]:
    """Judge a whole record, corrections applied; yields every step in order, with the rulings it caused."""
    steps: Iterable[record.Step] = record.resolve(events)
    arrivals: dict[int, list[int]] = {}
    for event in events:
        if "between" in event or event["event"] == "correct":
            steps = list(steps)
            arrivals = arrival_margins(steps)
            break
    if not arrivals:
        for step in steps:
            yield step, game.judge(step)
        return
    for place, step in enumerate(steps):
        rulings = game.judge(step)
        if place in arrivals:
            _add_arrival(rulings, arrivals[place])
        yield step, rulings


DECIDED = frozenset(("won", "to-pot", "fault", "choice-needed", "share-needed", "undecided"))


def arrival_margins(steps: Sequence[record.Step]) -> dict[int, list[int]]:
    """For each scramble (by its place) whose first touch fell while a card was arriving: how close it was.

    `[earliest, latest]`: microseconds from the touch to the card's arrival, negative when the card was first.
    Frames show a card only between two moments; the order that was ruled is the best estimate inside.
    """
    touches = sorted((event["t_us"], place) for place, (_, event, _) in enumerate(steps) if event["event"] == "grab")
    margins: dict[int, list[int]] = {}
    for _, event, refused in steps:
        between = event.get("between") if event["event"] == "flip" and not refused else None
        if between is None:
            continue
        earliest, latest = between
        for t_us, place in touches[bisect_left(touches, (earliest, -1)) :]:
            if t_us > latest:
                break
            margins[place] = [earliest - t_us, latest - t_us]
    return margins


def _add_arrival(rulings: list[Ruling], offsets: list[int]) -> None:
    for ruling in rulings:
        if ruling["ruling"] in DECIDED:
            margin = ruling.get("margin")
            ruling["margin"] = {"by": "arrival", "us": offsets} if margin is None else {**margin, "arrival_us": offsets}
            return
