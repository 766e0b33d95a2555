"""A game that is being judged while it is played: events in, rulings out, corrections worked out again.

Written rules of this module:
- every ruling given has a place, 0 first, and never loses it; a ruling made void by a correction is named by an
  `overturned` ruling, which has a place of its own, and what stands instead is given anew after it;
- the rulings that stand, read in order, are what `adjudicate` gives for the events so far, in every world that is open
  (`referee.worlds`); only the margin of a card's arrival may be missing where the card was noticed after the ruling was
  given;
- it knows no time but the events', no files and no voices.
Does not belong here: what follows from an event (`referee.rules`), when an event is ready (`referee.table`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.adjudication import (
    RACED_FOR,
    UNORDERED_PLAYS,
    add_arrival,
    adjudicate,
    arrival_margins,
    rulings_of,
)
from referee.races import MOVED, NEAREST_STEPS, is_racing, races
from referee.record import Step
from referee.words import Event, Expected, Header, Lying, Ruling
from referee.worlds import Worlds

OVERTURNED = "overturned"
Caused = tuple[int, Ruling]
"""The index of an event, and a ruling it caused."""


@dataclass(frozen=True)
class Given:
    """A ruling, its place among all rulings given, and the index of the event that caused it (-1: not known)."""

    place: int
    ruling: Ruling
    event: int = -1


@dataclass(frozen=True)
class OpenOrder:
    """A touch and a card of which nobody has said which came first; `card_first`: as it stands in the record."""

    grab: Step
    flip: Step
    card_first: bool


class Ledger:
    """The events and rulings of one running game; the only things here that change."""

    def __init__(self, header: Header, events: Iterable[Event] = (), rulings: Iterable[Ruling] = ()) -> None:
        """A fresh game, or one that goes on after `events`, for which `rulings` were given so far.

        A game that goes on may owe rulings (the power went before they were kept): `catch_up` gives them.
        Raises `RecordError` for a header that is refused.
        """
        self.header = header
        self.events: list[Event] = []
        self._game = Worlds(header)
        self._steps: list[Step] = []
        self._moving = False
        self._given: list[Ruling] = []
        self._standing: list[Given] = []
        self.events += events
        self._given += rulings
        self._standing += standing(self._given)
        if self.events:
            self._judge_all()

    @property
    def count(self) -> int:
        """How many rulings were given, those that were overturned and `overturned` itself included."""
        return len(self._given)

    @property
    def given(self) -> Sequence[Ruling]:
        """All of them, each at its place."""
        return self._given

    @property
    def standing(self) -> Sequence[Given]:
        """The rulings that stand, in the order of the game."""
        return self._standing

    def expected(self) -> Expected:
        """What may come next."""
        return self._game.expected()

    def summary(self) -> dict[str, Any]:
        """The counts that are shown."""
        return self._game.summary()

    def lying(self) -> Lying | None:
        """Where each card lies as far as it is known; None in a game whose rules do not follow single cards."""
        return self._game.lying()

    def add(self, event: Event) -> list[Given]:
        """Judge one more event and return what is given: at most one `overturned` first, then the rulings."""
        self.events.append(event)
        was_moving, self._moving = self._moving, bool(event.get(MOVED))
        if self._moving:
            return []
        if event["event"] == "correct" or was_moving:
            return self.catch_up()
        step = Step(len(self.events) - 1, event)
        self._steps.append(step)
        if self._races(step):
            return self.catch_up()
        rulings = self._game.judge(step)
        if rulings and self._game.name in RACED_FOR and event["event"] == "grab":
            near = self._steps[-NEAREST_STEPS:]
            if (offsets := arrival_margins(near).get(len(near) - 1)) is not None:
                add_arrival(rulings, offsets)
        return self._give([(step.place, ruling) for ruling in rulings])

    def _races(self, step: Step) -> bool:
        """Whether the newest step has come in the same moment as another one, so that what was given may not hold."""
        near = self._steps[-NEAREST_STEPS:]
        if step.event["event"] not in ("flip", "grab") or not any(is_racing(one.event) for one in near):
            return False
        return any(race.block.stop == len(near) for race in races(near))

    def open_order(self, places: Sequence[int]) -> OpenOrder | None:
        """The first touch caused by one of these events whose order to a card is open; None where there is none."""
        for race in races(self._steps):
            grab, flip = self._steps[race.grab], self._steps[race.flips[0]]
            if grab.place in places:
                return OpenOrder(grab, flip, race.flips[0] < race.grab)
        return None

    def close(self) -> list[Given]:
        """The game's record ends: what a play still waited for is ruled."""
        if self._game.name not in UNORDERED_PLAYS:
            return []
        return self._give([(len(self.events) - 1, ruling) for ruling in self._game.close()])

    def _give(self, caused: Iterable[Caused]) -> list[Given]:
        first = len(self._given)
        new = [Given(first + further, ruling, event) for further, (event, ruling) in enumerate(caused)]
        self._given += [given.ruling for given in new]
        self._standing += [given for given in new if given.ruling["ruling"] != OVERTURNED]
        return new

    def catch_up(self) -> list[Given]:
        """Work the whole game out again and give what differs from what stands."""
        now = self._judge_all()
        return self._change_to(now, self.events[-1]["t_us"] if self.events else 0)

    def _judge_all(self) -> list[Caused]:
        game = Worlds(self.header)
        judged = list(adjudicate(game, self.events))
        self._game, self._steps = game, [step for step, _ in judged]
        return [(step.place, ruling) for step, rulings in judged for ruling in rulings]

    def _change_to(self, now: list[Caused], t_us: int) -> list[Given]:
        """Overturn what no longer stands and give what stands instead, in the order of the game."""
        before = [given.ruling for given in self._standing]
        after_all = [ruling for _, ruling in now]
        same = _common(before, after_all)
        after = _common(before[same:][::-1], after_all[same:][::-1])
        if len(now) - same - after > 0:
            after = 0  # something new comes before what followed: all that follows is given again, in order
        void = self._standing[same : len(before) - after]
        kept = _caused_by(self._standing[len(before) - after :], now[len(now) - after :])
        new = now[same : len(now) - after]
        self._standing = _caused_by(self._standing[:same], now[:same])
        given = self._give([(len(self.events) - 1, overturned(t_us, [one.place for one in void]))] if void else [])
        given += self._give(new)
        self._standing += kept
        return given


def overturned(t_us: int, places: list[int]) -> Ruling:
    """The ruling that makes earlier ones void (formats.md, "A recorded table")."""
    return {"t_us": t_us, "ruling": OVERTURNED, "refs": places, "clauses": ["correct"], "public": True}


def standing(rulings: Sequence[Ruling]) -> list[Given]:
    """Of all rulings that were given, those that stand."""
    void = {place for ruling in rulings if ruling["ruling"] == OVERTURNED for place in ruling["refs"]}
    return [
        Given(place, ruling)
        for place, ruling in enumerate(rulings)
        if place not in void and ruling["ruling"] != OVERTURNED
    ]


def _caused_by(standing_still: Sequence[Given], now: Sequence[Caused]) -> list[Given]:
    """The same rulings, with the events that cause them now: a correction may have put another in their place."""
    return [Given(given.place, given.ruling, event) for given, (event, _) in zip(standing_still, now, strict=True)]


def same_ruling(one: Ruling, other: Ruling) -> bool:
    """Whether two rulings say the same.

    The margin of a card's arrival may have become known later, and games kept by older versions do not say that a
    margin is a person's word.
    """
    return one == other or _compared(one) == _compared(other)


def _compared(ruling: Ruling) -> Ruling:
    margin = ruling.get("margin")
    if margin is None:
        return ruling
    rest = {key: value for key, value in margin.items() if key not in ("arrival_us", "settled_by")}
    bare = {key: value for key, value in ruling.items() if key != "margin"}
    return bare if rest.get("by") == "arrival" else {**bare, "margin": rest}


def _common(one: Sequence[Ruling], other: Sequence[Ruling]) -> int:
    """How many rulings the two have in common at their beginning."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if not same_ruling(a, b):
            return place
    return min(len(one), len(other))


def find_difference(
    kept: Sequence[Ruling], header: Header, events: list[Event]
) -> list[tuple[Ruling | None, Ruling | None]]:
    """Where a kept game's standing rulings and those worked out now differ: as `differences` gives it.

    Raises `RecordError` for a header that is refused.
    """
    return differences(kept, rulings_of(header, events), lambda: rulings_in_worlds(header, events))


def rulings_in_worlds(header: Header, events: list[Event]) -> list[Ruling]:
    """Every ruling of a whole record as a running game gives them: what follows from something open is withheld."""
    return [ruling for _, rulings in adjudicate(Worlds(header), events) for ruling in rulings]


def differences(
    kept: Sequence[Ruling], now: Sequence[Ruling], in_worlds: Callable[[], list[Ruling]] | None = None
) -> list[tuple[Ruling | None, Ruling | None]]:
    """Where those of all rulings given that stand differ from the rulings worked out now: pairs (kept, now).

    None for missing. Both in order; what they have in common at the beginning and at the end is left out. A record may
    hold what the rules alone give after something was left open (`referee adjudicate`), or what a running game gives,
    which withholds what follows from it: `in_worlds` works that out, and is asked only where something is open.
    """
    before = [given.ruling for given in standing(kept)]
    if in_worlds is not None and any(ruling["ruling"] == "undecided" for ruling in (*now, *before)):
        if len(now) == len(before) and _common(before, now) == len(before):
            return []
        now = in_worlds()
    same = _common(before, now)
    after = _common(before[same:][::-1], now[same:][::-1])
    old, new = before[same : len(before) - after], now[same : len(now) - after]
    many = max(len(old), len(new))
    pad: list[Ruling | None] = [None] * many
    return list(zip([*old, *pad][:many], [*new, *pad][:many], strict=True))
