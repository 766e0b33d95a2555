"""Whole games through the table: what is ruled on drawn words, beside what is true.

Belongs here: feeding a fusion as a session would, a person who settles what was undecided and corrects what was wrong,
and the tally. Does not belong here: error rates (`senses_errors`), printing.

Written rules:
- every ruling is compared when it is given: right, wrong, or undecided; after that a person sets the record right, so
  that one error is counted once and the rest of the game is judged from the true state;
- a person answers an undecided scramble at once (play stands still) and an unread card after `CARD_PATIENCE_US`;
- a card that is not read in time is `unread`, once; rulings that wait for it are withheld and counted apart, as
  `beside`; what is asserted while it lies there has to be true;
- brushes are left out: the totem may leave them out too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from referee import record
from referee.record import Record
from referee.sim.senses import sense, truths
from referee.sim.senses_errors import Delivery, Errors, Truth
from referee.table.calls import Choose, Correct, Settle, Share
from referee.table.fusion import Fusion
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import CameraPast
from referee.words import Event, Ruling
from referee.worlds import OPEN, Worlds

CARD_PATIENCE_US = 3_500_000
SAME_TOUCH_US = 300_000
SAME_PICK_UP_US = 1_000_000
BY_HANDS = ("fingers", "height")


@dataclass
class Tally:
    """Rulings by outcome: `plain` ones, and those that fingers or height decide; and why each kind was not right
    (`reasons` of the plain ones, `hand_reasons` of the others)."""

    plain: Counter[str] = field(default_factory=Counter)
    by_hands: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    hand_reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, Event | None, list[Any], list[Any]]] = field(default_factory=list)
    games: int = 0
    abandoned: int = 0
    settled_by_sensors: int = 0
    corrections: int = 0

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.plain += other.plain
        self.by_hands += other.by_hands
        self.reasons += other.reasons
        self.hand_reasons += other.hand_reasons
        self.wrong += other.wrong
        self.games += other.games
        self.abandoned += other.abandoned
        self.settled_by_sensors += other.settled_by_sensors
        self.corrections += other.corrections


class Diverged(Exception):  # noqa: N818 - a signal: the record cannot be brought back to the truth
    """The rest of a game cannot be compared."""


def play_through(
    game: Record, errors: Errors, seed: int, settings: FusionSettings, *, seat_pads: bool, plain_totem: bool = False
) -> Tally:
    """One game through a fusion; returns its tally."""
    tally = Tally(games=1)
    layout = make_layout("jungle-speed", game.header["players"])
    if seat_pads:
        layout = layout.with_pads()
    truth = truths(game)
    desk = _Desk(game, truth, Fusion(layout, settings, plain_totem=plain_totem), tally)
    try:
        for delivery in sense(truth, layout, errors, seed):
            desk.deliver(delivery)
        desk.finish()
    except Diverged:
        tally.abandoned += 1
    desk.count()
    return tally


class _Desk:
    """A session without doors: the record, the game as it is judged, and a person who knows the truth."""

    def __init__(self, game: Record, truth: list[Truth], fusion: Fusion, tally: Tally) -> None:
        self._header = game.header
        self._truth = truth
        self._fusion = fusion
        self._tally = tally
        self._game = Worlds(game.header)
        self._events: list[Event] = []
        self._which: dict[int, int | None] = {}  # id of an event in the record -> its place among the true ones
        self._handles: dict[int, int] = {}  # place among the true ones -> handle
        self._status: dict[int, str] = {}
        self._why: dict[int, str] = {}
        self._extra: list[tuple[Event, list[Any]]] = []
        self._unread: list[tuple[int, int]] = []
        self._set: set[int] = set()  # places of events that a person has set right
        self._calls: list[Choose | Share] = []
        self._at_us = 0
        self._touches = [k for k, one in enumerate(truth) if one.event["event"] in ("grab", "fall")]
        self._pick_ups = [k for k, one in enumerate(truth) if one.event["event"] == "pick_up"]
        self._by_time = {
            (one.event["event"], one.event["t_us"]): k
            for k, one in enumerate(truth)
            if one.event["event"] in ("choose", "share")
        }

    def deliver(self, delivery: Delivery) -> None:
        word = delivery.word
        self._at_us = delivery.at_us
        if isinstance(word, int):
            self._fusion.totem_past(word)
            return
        if delivery.source == "camera":
            self._fusion.sighting(word)  # type: ignore[arg-type]
            if not isinstance(word, CameraPast):
                return
            self._fusion.now(delivery.at_us)
        elif isinstance(word, Grab | Fall):
            self._fusion.touch(word)
        elif isinstance(word, Choose | Share):
            self._calls.append(word)
        self._work()

    def finish(self) -> None:
        self._unread = [(0, place) for _, place in self._unread]
        self._work()
        for event in self._fusion.finish():
            self._take(event)
        self._work()

    def _work(self) -> None:
        while True:
            for due_us, place in [one for one in self._unread if one[0] <= self._at_us]:
                self._unread.remove((due_us, place))
                if self._status.get(place) == "undecided" and self._stands(place)["card"] == "?":
                    card = self._truth[place].event["card"]
                    self._fusion.call(Settle(self._at_us, self._handles[place], card=card))
            for call in [one for one in self._calls if self._is_asked(one)]:
                self._calls.remove(call)
                self._fusion.call(call)
            events = self._fusion.release()
            if not events:
                return
            for event in events:
                self._take(event)

    def _is_asked(self, call: Choose | Share) -> bool:
        """Whether the referee asks for this by now (a button is offered when there is something to say)."""
        waiting = self._game.expected()
        return waiting["waiting_for"] in ("choose", "share") and waiting["asked"] == call.player

    def _stands(self, place: int) -> Event:
        handle = self._handles[place]
        found = [e["with"] for e in self._events if e["event"] == "correct" and e.get("ref") == handle]
        first = self._events[handle]
        stands: Event = found[-1] if found else first.get("with", first)
        return stands

    # ---- the record

    def _take(self, event: Event) -> None:
        """An event that was released goes into the record and is judged."""
        index = len(self._events)
        self._events.append(event)
        if event["event"] != "correct":
            place = self._match(event)
            self._which[id(event)] = place
            if place is not None:
                self._handles[place] = index
            self._compare(place, event, self._game.judge(record.Step(index, event, "")))
        else:
            self._tally.corrections += 1
            self._corrected(index, event)
        self._fusion.expected(self._game.expected())

    def _corrected(self, index: int, event: Event) -> None:
        right = event["with"]
        if "before" in event:
            place = self._match(right)
            if place is not None:
                self._handles[place] = index
        else:
            places = [place for place, handle in self._handles.items() if handle == event["ref"]]
            place = places[0] if places else None
            if place is not None and event["by"] != "operator" and self._status.get(place) == "undecided":
                self._tally.settled_by_sensors += 1
        if right is not None:
            self._which[id(right)] = place
        self._game = Worlds(self._header)
        judged = [(step.event, self._game.judge(step)) for step in record.resolve(self._events)]
        for step_event, rulings in judged:
            if step_event["event"] != "correct":
                self._compare(self._which[id(step_event)], step_event, rulings, by_person=event["by"] == "operator")

    def _match(self, event: Event) -> int | None:
        """The true event behind one in the record."""
        name = event["event"]
        if name == "flip":
            return int(event["evidence"][0].removeprefix("event-"))
        if name in ("choose", "share"):
            return self._by_time[name, event["t_us"]]
        if name == "pick_up":
            return self._pick_up(event)
        near = [
            (abs(self._truth[k].event["t_us"] - event["t_us"]), k)
            for k in self._touches
            if k not in self._handles and abs(self._truth[k].event["t_us"] - event["t_us"]) <= SAME_TOUCH_US
        ]
        return min(near)[1] if near else None

    def _pick_up(self, event: Event) -> int | None:
        for k in self._pick_ups:
            true = self._truth[k].event
            near = abs(true["t_us"] - event["t_us"]) <= SAME_PICK_UP_US
            if near and k not in self._handles and true["player"] == event["player"]:
                return k
        return None

    # ---- comparing

    def _compare(self, place: int | None, event: Event, rulings: list[Ruling], by_person: bool = False) -> None:
        ours = essence(rulings, event)
        if place is None:
            if ours:
                self._extra.append((event, ours))
                raise Diverged
            return
        truth = self._truth[place]
        if is_brush(truth.event):
            return
        true = essence(truth.rulings, truth.event)
        before = self._status.get(place)
        if self._is_unread() and _waits(rulings, ours, true):
            if before is None and ours != true:
                self._status[place] = "beside"
                self._why[place] = "beside an unread card: " + event["event"]
            elif before is None:
                self._status[place] = "right"
            return
        if any(ruling["ruling"] == "undecided" for ruling in rulings):
            if before is None:
                self._status[place] = "undecided"
                why = next(ruling["why"] for ruling in rulings if ruling["ruling"] == "undecided")
                self._why[place] = " ".join([event["event"], why, *event.get("doubt", ())])
                self._ask(place, event)
            elif event["event"] != "flip" and place not in self._set and any(_asks(ruling) for ruling in rulings):
                self._set_right(place)  # what it waited for is known now, and it is open in itself
            return
        if ours == true:
            if before is None:
                self._status[place] = "right"
            elif before == "undecided" and event["event"] == "flip":
                self._status[place] = "answered"
            return
        if before in ("wrong", "beside", "answered"):
            raise Diverged
        if by_person and before is not None:
            return  # a chain of answers is under way
        self._status[place] = "wrong"
        self._why[place] = "WRONG " + event["event"]
        self._tally.wrong.append((place, event, ours, true))
        self._set_right(place)

    def _is_unread(self) -> bool:
        """Whether a card that was turned is not told yet."""
        return any(self._status.get(place) == "undecided" for _, place in self._unread)

    def _ask(self, place: int, event: Event) -> None:
        if event["event"] == "flip" and event["card"] == "?":
            self._unread.append((self._at_us + CARD_PATIENCE_US, place))
        elif event["event"] != "flip":
            self._set_right(place)

    def _set_right(self, place: int) -> None:
        """A person replaces an event with the true one."""
        self._set.add(place)
        right = dict(self._truth[place].event)
        self._fusion.call(Correct(self._at_us, "was not so", right, ref=self._handles[place]))

    def count(self) -> None:
        """Count the rulings that were given."""
        for place, status in self._status.items():
            truth = self._truth[place]
            true = essence(truth.rulings, truth.event)
            if not true and status == "right":
                continue
            outcome = "undecided" if status == "answered" else status
            if outcome == "undecided" and truth.event["event"] == "flip":
                outcome = "unread"
            by_hands = any((ruling.get("margin") or {}).get("by") in BY_HANDS for ruling in truth.rulings)
            (self._tally.by_hands if by_hands else self._tally.plain)[outcome] += 1
            if place in self._why:
                (self._tally.hand_reasons if by_hands else self._tally.reasons)[self._why[place]] += 1
        self._tally.plain["wrong"] += len(self._extra)
        for event, ours in self._extra:
            self._tally.wrong.append((-1, event, ours, []))


def _waits(rulings: list[Ruling], ours: list[Any], true: list[Any]) -> bool:
    """Whether nothing is asserted that is not true, and all that is `undecided` waits for something before."""
    undecided = [ruling for ruling in rulings if ruling["ruling"] == "undecided"]
    asserted = [one for one in ours if one["ruling"] != "undecided"]
    return all(ruling["why"] == OPEN for ruling in undecided) and all(one in true for one in asserted)


def _asks(ruling: Ruling) -> bool:
    """Whether a ruling asks a person about its own event."""
    return bool(ruling["ruling"] == "undecided" and ruling["why"] not in (OPEN, "unreadable"))


def is_brush(event: Event) -> bool:
    """Whether nobody gripped: such touches decide nothing and may be left out."""
    return event["event"] == "grab" and not any(hand.get("grip", True) for hand in event["hands"])


def essence(rulings: list[Ruling], event: Event) -> list[Any]:
    """What rulings say, without times, margins and clauses; brushes are left out."""
    found = []
    for ruling in rulings:
        if ruling["ruling"] == "warning" and ruling["kind"] == "brush":
            continue
        kept = {key: value for key, value in ruling.items() if key not in ("t_us", "margin", "clauses", "event", "why")}
        found.append(kept)
    return found
