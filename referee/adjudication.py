"""From a record to its rulings: the one place where records and rules meet.

Belongs here: choosing a game's rules, running a record's steps through them, numbering rejections, the margin of a
touch that fell inside a card's arrival. Does not belong here: how a record is read or how rulings are shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from referee import record
from referee.errors import RecordError
from referee.rules import dobro, jungle_bluff, jungle_speed, speed
from referee.words import Event, Expected, Header, Lying, Ruling


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


RULES: dict[str, Rules] = {
    "dobro": dobro,
    "jungle-bluff": jungle_bluff,
    "jungle-speed": jungle_speed,
    "speed": speed,
}

UNORDERED_PLAYS = frozenset(("speed",))
"""The games in which two plays may come so close that their order cannot be told (key `together`)."""


class Game:
    """A game as it is being judged, event by event: the state, and nothing else that changes."""

    def __init__(self, header: Header) -> None:
        rules = RULES.get(header["game"])
        if rules is None:
            raise RecordError(f"game: {header['game']} cannot be refereed yet; expected {', '.join(RULES)}")
        self.name = header["game"]
        self._rules = rules
        self._apply = rules.apply
        self.state = rules.start(header)

    def foresee(self, steps: Sequence[record.Step]) -> None:
        """All steps of a record that will be judged; the rules alone take them as they come."""

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
        if rulings and rulings[-1]["ruling"] == "rejected":  # a rejection is the last word on an event
            rulings[-1]["event"] = index
        return rulings

    def judge_all(self, events: list[Event], arrivals: Mapping[int, list[int]]) -> list[Ruling]:
        """The rulings of events none of which is corrected; `arrivals` as `arrival_margins` gives them."""
        state, apply = self.state, self._apply  # names of this loop: it runs some hundred thousand times a second
        found: list[Ruling] = []
        for index, event in enumerate(events):
            state, rulings = apply(state, event)
            if rulings:
                if rulings[-1]["ruling"] == "rejected":
                    rulings[-1]["event"] = index
                if index in arrivals:
                    add_arrival(rulings, arrivals[index])
                found += rulings
        self.state = state
        return found

    def close(self) -> list[Ruling]:
        """The rulings on a play that waited for a partner of unknown order, when nothing more comes."""
        self.state, rulings = self._apply(self.state, {"t_us": 0, "event": "end"})
        return rulings

    def summary(self) -> dict[str, Any]:
        """The counts that are shown."""
        return self._rules.summary(self.state)

    def expected(self) -> Expected:
        """What may come next."""
        return self._rules.expected(self.state)

    def lying(self) -> Lying | None:
        """Where each card lies as far as it is known; None in a game whose rules do not follow single cards."""
        return jungle_speed.lying(self.state) if self.name == "jungle-speed" else None


def adjudicate(game: Game, events: list[Event]) -> Iterator[tuple[record.Step, list[Ruling]]]:
    """Judge a whole record, corrections applied; yields every step in order, with the rulings it caused."""
    steps = record.resolve(events)
    if game.name in RACED_FOR and any("between" in event or event["event"] == "correct" for event in events):
        yield from _with_arrivals(game, list(steps))
    elif game.name in UNORDERED_PLAYS:
        yield from _with_pairs(game, list(steps))
    else:
        for step in steps:
            yield step, game.judge(step)


def rulings_of(header: Header, events: list[Event]) -> list[Ruling]:
    """Every ruling of a whole record, in order: what `adjudicate` gives, without its steps and in less time.

    Raises `RecordError` for a header that is refused.
    """
    game = Game(header)
    if not _comes_as_it_stands(game.name, events):
        return [ruling for _, rulings in adjudicate(game, events) for ruling in rulings]
    arrivals: dict[int, list[int]] = {}
    if game.name in RACED_FOR and any("between" in event for event in events):
        arrivals = arrival_margins(list(record.resolve(events)))
    return game.judge_all(events, arrivals)


def _comes_as_it_stands(name: str, events: list[Event]) -> bool:
    """Whether events are judged one after another in their places: nothing is corrected, no play has a partner."""
    if name in UNORDERED_PLAYS and any("together" in event for event in events):
        return False
    return "correct" not in [event["event"] for event in events]


def _with_arrivals(game: Game, steps: list[record.Step]) -> Iterator[tuple[record.Step, list[Ruling]]]:
    arrivals = arrival_margins(steps)
    game.foresee(steps)
    for place, step in enumerate(steps):
        rulings = game.judge(step)
        if place in arrivals:
            add_arrival(rulings, arrivals[place])
        yield step, rulings


def _with_pairs(game: Game, steps: list[record.Step]) -> Iterator[tuple[record.Step, list[Ruling]]]:
    for place, step in enumerate(side_by_side(steps), start=1):
        rulings = game.judge(step)
        if place == len(steps):
            rulings += game.close()
        yield step, rulings


def side_by_side(steps: list[record.Step]) -> list[record.Step]:
    """The steps with both plays of every pair of unknown order next to each other.

    Two plays are a pair when they bear the same `together` key and no third play stands between them.
    """
    ordered: list[record.Step] = []
    between: list[record.Step] | None = None  # what stands between a pair's plays, while the second is to come
    for place, step in enumerate(steps):
        if not _is_play(step):
            (ordered if between is None else between).append(step)
        elif between is not None:
            ordered += [step, *between]
            between = None
        else:
            ordered.append(step)
            if (key := step.event.get("together")) is not None:
                following = (steps[later] for later in range(place + 1, len(steps)))
                partner = next(filter(_is_play, following), None)
                between = [] if partner is not None and partner.event.get("together") == key else None
    return ordered


def _is_play(step: record.Step) -> bool:
    return step.event["event"] == "play" and not step.refused


RACED_FOR = frozenset(("jungle-speed",))
"""Games whose cards are raced for; elsewhere `between` is an unknown key, kept and ignored."""

DECIDED = frozenset(("won", "to-pot", "fault", "choice-needed", "share-needed", "undecided"))


def arrival_margins(steps: Sequence[record.Step]) -> dict[int, list[int]]:
    """For each scramble (by its place) whose first touch fell while a card was arriving: how close it was.

    `[earliest, latest]`: microseconds from the touch to the card's arrival, negative when the card was first.
    Frames show a card only between two moments; the order that was ruled is the best estimate inside.
    """
    touches = sorted((event["t_us"], place) for place, (_, event, _) in enumerate(steps) if event["event"] == "grab")
    margins: dict[int, list[int]] = {}
    for _, event, refused in reversed(steps):  # where several cards were arriving, the latest one counts
        between = event.get("between") if event["event"] == "flip" and not refused else None
        if between is None:
            continue
        earliest, latest = between
        inside = slice(bisect_left(touches, (earliest, -1)), bisect_left(touches, (latest + 1, -1)))
        for t_us, place in touches[inside]:
            margins[place] = [earliest - t_us, latest - t_us]
        del touches[inside]
    return margins


def add_arrival(rulings: list[Ruling], offsets: list[int]) -> None:
    """Say in the first ruling that decided something how near the touch was to a card's arrival (microseconds)."""
    for ruling in rulings:
        if ruling["ruling"] in DECIDED:
            margin = ruling.get("margin")
            ruling["margin"] = {"by": "arrival", "us": offsets} if margin is None else {**margin, "arrival_us": offsets}
            return
