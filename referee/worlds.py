"""A game judged in every way in which what is still open may have been: only what is the same in all is asserted.

The rules go on from an `undecided` as if nothing had moved (decisions page, "A grab", 12). As long as nobody has said
how it was, that is one of several worlds; what the rules say then is true only where all worlds agree.

Written rules of this module:
- as long as nothing is open it is the game itself, ruling by ruling (`referee.adjudication.Game`);
- an `undecided` opens one world for each way the event may have gone (`referee.alternatives`);
- a card that nobody has read may match one that is turned later: that opens a world when the later one is turned;
- a ruling that not every world gives is withheld: instead there is one `undecided` (`why`: `open`) that names the
  events it waits for (`rests_on`), who it may be about, and what is the same in all worlds (`known`);
  warnings and rejections that not every world gives are left out;
- a touch whose order to a card is open (`referee.races`) opens a world for each order; what a step brings in it is told
  at that step, whichever came first;
- who completed three of a colour is withheld where frames leave open whose card was the last; all else about it holds;
- worlds that cannot differ any more are one; past `MOST_WORLDS`, or where the ways are not known, nothing that decides
  is asserted until somebody has said how it was;
- it never overrules the rules: what is settled is judged by them alone.
Does not belong here: what follows from an event (`referee.rules`), who settles what (`referee.table`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from referee.adjudication import Game
from referee.alternatives import is_symbol, matching, shown_on, ways_of
from referee.races import Order, races
from referee.record import Step
from referee.rules import jungle_speed
from referee.words import Event, Expected, Header, Ruling

MOST_WORLDS = 64
UNREAD = "?"
COLOUR_ARROW = "arrow/colour"
TRIPLE, TRIPLE_SEATS = "triple", 3  # three cards of a colour count with so many players (JS-38)
OPEN = "open"
"""Why a ruling is `undecided` that follows from something left open before."""

JUDGED_IN_WORLDS = frozenset(("jungle-speed",))
"""The games whose open events have ways to go on from; the others are judged by their rules alone."""

PASSING = frozenset(("warning", "rejected"))
"""Rulings that are left out where not every world gives them: a person has nothing to decide there."""

NAMING = ("winner", "player", "players", "candidates", "losers")
TELLING = ("won", "to-pot", "fault", "choice-needed", "share-needed")
"""Rulings of which what is the same in all worlds is worth saying."""

FREE = frozenset(("margin", "clauses", "t_us", "event"))
"""Keys by which a ruling says how it came about, not what it says."""


class _World(Game):
    """One way the game may have gone; `ahead` are steps that were judged in it already, with what they brought."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self.ahead: dict[int, list[Ruling]] = {}

    def at(self, place: int, step: Step) -> list[Ruling]:
        """What the step at a place of the record brings."""
        return self.ahead[place] if place in self.ahead else self.judge(step)

    def look_ahead(self, place: int, step: Step) -> None:
        """Judge a step before its turn."""
        self.ahead = {**self.ahead, place: self.judge(step)}  # copies of this world keep theirs


class Worlds(Game):
    """A game, and the other worlds in which it may be; with nothing open there are none."""

    def __init__(self, header: Header) -> None:
        """A fresh game; raises `RecordError` as `Game` does."""
        super().__init__(header)
        self._players = tuple(header["players"])
        self._another = _World(header)
        self._others: list[_World] = []
        self._races: dict[int, tuple[Step, Sequence[Order]]] = {}
        self._steps: Sequence[Step] = ()
        self._place = 0
        self._open: list[int] = []
        self._lost = False
        self._came: dict[str, tuple[int, int]] = {}  # between which frames each player's last card came

    @property
    def is_open(self) -> bool:
        """Whether something that nobody has settled may still matter."""
        return self._lost or bool(self._others)

    def foresee(self, steps: Sequence[Step]) -> None:
        """All steps that will be judged: a touch may have come before a card that stands before it, and after a later
        one."""
        self._steps, self._races = steps, {}
        until = -1
        for race in sorted(races(steps), key=lambda race: race.block.start):
            tangled = race.block.start <= until or any(steps[flip].event["card"] == UNREAD for flip in race.flips)
            orders: Sequence[Order] = () if tangled else race.others()
            self._races[race.block.start] = (steps[race.grab], orders)
            until = max(until, race.block.stop - 1)

    def judge(self, step: Step) -> list[Ruling]:
        """The rulings of one step that hold in every world."""
        event = step.event
        if event["event"] == "flip" and not step.refused:
            self._came.pop(event["player"], None)
            if "between" in event:
                first_us, last_us = event["between"]
                self._came[event["player"]] = (first_us, last_us)
        return [self._completed(ruling) for ruling in self._judged(step)]

    def _completed(self, ruling: Ruling) -> Ruling:
        """An `arrow` of three of a colour, or that it is open who completed it: cards that came within one frame."""
        if ruling["ruling"] != "arrow" or ruling["kind"] != TRIPLE or self.name not in JUDGED_IN_WORLDS:
            return ruling
        came = self._came.get(ruling["player"])
        if came is None:
            return ruling
        last = [name for name, (first_us, last_us) in self._came.items() if last_us > came[0] and first_us < came[1]]
        if not set(last) - {ruling["player"]}:
            return ruling
        kept = {key: ruling[key] for key in ("t_us", "clauses", "public")}
        candidates = [name for name in self._players if name in last]
        return {**kept, "ruling": "undecided", "why": OPEN, "candidates": candidates, "rests_on": []}

    def _judged(self, step: Step) -> list[Ruling]:
        place, before = self._place, self.state
        self._place += 1
        rulings = super().judge(step)
        if self.name not in JUDGED_IN_WORLDS or step.refused:
            return rulings
        race = self._races.get(place)
        if not self.is_open and race is None:
            if any(ruling["ruling"] == "undecided" for ruling in rulings):
                return _in_all(rulings, self._fork(step, [(before, rulings)]))
            return rulings
        forks = [(before, list(rulings))]
        answers = []
        self._others = self._chosen(self._others, step.event, place)
        if step.event["event"] == "flip":
            self._others = self._matched(self._others, step.event)
        for other in self._others:
            was = other.state
            answers.append(other.at(place, step))
            forks.append((was, answers[-1]))
        if race is not None:
            self._part(race, [state for state, _ in forks])
            answers += [other.ahead[place] for other in self._others[len(answers) :]]
        agreed = self._withheld(rulings, step.event["t_us"]) if self._lost else self._agreed(rulings, answers)
        return _in_all(agreed, self._fork(step, forks))

    def summary(self) -> dict[str, Any]:
        """The counts that are shown; None where worlds differ."""
        counts = super().summary()
        if self._lost:
            return _same(counts, None)
        for other in self._others:
            counts = _same(counts, other.summary())
        return counts

    def expected(self) -> Expected:
        """What may come next in any world; `open` where who may take the totem depends on it."""
        answer = super().expected()
        if not self.is_open:
            return answer
        others = [other.expected() for other in self._others]
        may_flip = [name for one in (answer, *others) for name in one["may_flip"]]
        flips = self._players if self._lost else may_flip
        takes = any(one["may_take"] != answer["may_take"] for one in others)
        return {**answer, "may_flip": [name for name in self._players if name in flips], "open": self._lost or takes}

    # ---- worlds

    def _part(self, race: tuple[Step, Sequence[Order]], states: Sequence[Any]) -> None:
        """Open the worlds in which a touch came earlier or later than it stands in the record."""
        grab, orders = race
        if grab.place not in self._open:
            self._open.append(grab.place)
        if not orders:
            self._lost = True  # a card that is not read yet, or several touches at once: that is settled first
        for state in states:
            for order in orders:
                self._others += self._reordered(state, order)

    def _reordered(self, state: Any, order: Order) -> list[_World]:
        """The worlds in which steps of the record happened in another order."""
        world = copy(self._another)
        world.state = state
        found = [world]
        for place in order:
            step = self._steps[place]
            found = self._chosen(found, step.event)
            for other in found:
                other.look_ahead(place, step)
                self._lost = self._lost or any(one["ruling"] == "undecided" for one in other.ahead[place])
        return found

    def _chosen(self, worlds: Sequence[_World], event: Event, place: int = -1) -> list[_World]:
        """These worlds; one that waits for a choice which is not this event goes both ways."""
        if event["event"] in ("choose", "correct"):
            return [*worlds]
        found = []
        for other in worlds:
            waits = other.expected()
            if waits["waiting_for"] != "choose" or place in other.ahead:
                found.append(other)
                continue
            for choice in ("duel", "arrow"):
                way = copy(other)
                way.judge(Step(-1, {**event, "event": "choose", "player": waits["asked"], "choice": choice}))
                found.append(way)
        return found

    def _matched(self, worlds: Sequence[_World], event: Event) -> list[_World]:
        """These worlds, and those in which cards that nobody has read match the one that is turned now."""
        card, found = event["card"], [*worlds]
        if card == UNREAD:
            return found  # the ways it may have gone hold what lies there
        for seat, player in enumerate(self._players):
            if player == event["player"]:
                continue  # it covers that one
            for other in [*found]:
                pile = other.state.face_up[seat]
                top = pile[-1] if pile else None
                if top is None:
                    continue
                for match in matching(top, card, _colours(other.state, card)):
                    way = copy(other)
                    face_up = [*other.state.face_up]
                    face_up[seat] = (*pile[:-1], match)
                    way.state = other.state._replace(face_up=tuple(face_up))
                    found.append(way)
        return found

    def _fork(self, step: Step, judged: Sequence[tuple[Any, list[Ruling]]]) -> list[list[Ruling]]:
        """Open the worlds that an `undecided` leaves, from the state before it, and return what the step brings there;
        then let equal ones be one."""
        opened = False
        brought: list[list[Ruling]] = []
        for state, rulings in judged:
            undecided = next((one for one in rulings if one["ruling"] == "undecided"), None)
            if undecided is None:
                continue
            ways = ways_of(step.event, undecided, self._players, _tops(state))
            if ways is None:
                self._lost = opened = True
                continue
            for way in ways:
                other = copy(self._another)
                other.state = state
                opened = True
                if way is None:
                    self._others.append(other)
                    brought.append([])
                    continue
                for one in self._matched([other], way) if way["event"] == "flip" else [other]:
                    brought.append(one.judge(Step(step.place, way)))
                    self._others.append(one)
        if opened and step.place not in self._open:
            self._open.append(step.place)
        self._merge()
        return brought

    def _merge(self) -> None:
        kept: list[_World] = []
        known: list[Any] = [(jungle_speed.outlook(self.state), ())]
        for other in self._others:
            ahead = tuple(place for place in other.ahead if place >= self._place)
            outlook = (jungle_speed.outlook(other.state), ahead)
            if outlook not in known:
                known.append(outlook)
                kept.append(other)
        self._lost = self._lost or len(kept) > MOST_WORLDS
        self._others = [] if self._lost else kept
        if not self.is_open:
            self._open = []

    # ---- what is asserted

    def _agreed(self, rulings: list[Ruling], answers: Sequence[list[Ruling]]) -> list[Ruling]:
        """What every world says, and one `undecided` for what not every world says."""
        left = [list(map(_bare, answer)) for answer in answers]
        agreed, apart = [], []
        for ruling in rulings:
            bare = _bare(ruling)
            if ruling["ruling"] == "undecided" or all(bare in answer for answer in left):
                agreed.append(ruling)
            else:
                apart.append(ruling)
                continue
            for answer in left:
                if bare in answer:
                    answer.remove(bare)
        beside = [one for answer in left for one in answer]
        deciding = [one for one in (*apart, *beside) if one["ruling"] not in PASSING]
        if not deciding or any(ruling["ruling"] == "undecided" for ruling in agreed):
            return agreed
        t_us = next((one["t_us"] for one in (*rulings, *(r for a in answers for r in a))), 0)
        return [*agreed, self._open_ruling(t_us, deciding, _common([rulings, *answers]))]

    def _withheld(self, rulings: list[Ruling], t_us: int) -> list[Ruling]:
        """What can be said where the ways are not known: that it is undecided."""
        if any(ruling["ruling"] == "undecided" for ruling in rulings):
            return [ruling for ruling in rulings if ruling["ruling"] == "undecided"]
        deciding = [ruling for ruling in rulings if ruling["ruling"] not in PASSING]
        return [self._open_ruling(t_us, deciding, None)] if deciding else []

    def _open_ruling(self, t_us: int, withheld: Sequence[Ruling], known: dict[str, Any] | None) -> Ruling:
        names = {name for ruling in withheld for name in _named(ruling)}
        ruling: Ruling = {
            "t_us": t_us,
            "ruling": "undecided",
            "why": OPEN,
            "candidates": [name for name in self._players if name in names],
            "rests_on": list(self._open),
            "clauses": ["grab-12"],
            "public": all(one.get("public", True) for one in withheld),
        }
        return {**ruling, "known": known} if known else ruling


def _tops(state: Any) -> Iterable[str]:
    return [pile[-1] for pile in state.face_up if pile and pile[-1] is not None]


def _colours(state: Any, card: str) -> list[str]:
    """The colours that may count once this card is turned: all that lie there where they begin to, else its own."""
    tops = [card, *_tops(state)]
    by_own = state.colour_mode or COLOUR_ARROW in tops or len(state.rank) == TRIPLE_SEATS
    counted = tops if card == COLOUR_ARROW else tops[:1] if by_own else []
    return [shown_on(one)[1] for one in counted if is_symbol(one)]


def _in_all(rulings: list[Ruling], answers: Sequence[list[Ruling]]) -> list[Ruling]:
    """The rulings that all answers give, and what is `undecided`."""
    left = [list(map(_bare, answer)) for answer in answers]
    return [
        ruling
        for ruling in rulings
        if ruling["ruling"] == "undecided" or all(_bare(ruling) in answer for answer in left)
    ]


def _bare(ruling: Ruling) -> dict[str, Any]:
    return {key: value for key, value in ruling.items() if key not in FREE} | {"t_us": ruling["t_us"]}


def _named(ruling: Ruling) -> list[str]:
    """The players a ruling is about, as far as it would name a winner or a culprit."""
    for key in NAMING:
        value = ruling.get(key)
        if value:
            return [value] if isinstance(value, str) else [name for name in value if isinstance(name, str)]
    return []


def _common(answers: Sequence[Sequence[Ruling]]) -> dict[str, Any] | None:
    """What every world's telling ruling has in common, if it is of one kind and about one player."""
    telling = [next((one for one in answer if one["ruling"] in TELLING), None) for answer in answers]
    first = telling[0]
    if first is None or any(one is None or one["ruling"] != first["ruling"] for one in telling):
        return None
    who = "winner" if first["ruling"] == "won" else "player"
    kept = {
        key: value
        for key, value in first.items()
        if key not in FREE | {"public"} and all(one is not None and one.get(key) == value for one in telling)
    }
    return kept if kept.get(who) else None


def _same(one: dict[str, Any], other: dict[str, Any] | None) -> dict[str, Any]:
    """Counts with None where two worlds differ; `other` None: nobody knows how they differ."""
    found: dict[str, Any] = {}
    for key, value in one.items():
        too = None if other is None else other[key]
        if isinstance(value, dict):
            found[key] = {name: count if (too or {}).get(name) == count else None for name, count in value.items()}
        elif isinstance(value, list):
            found[key] = [name for name in value if name in (too or ())]
        elif key == "over":
            found[key] = bool(value and too)
        else:
            found[key] = value if too == value else None
    return found
