"""Jungle Bluff on a table: forces laid, score cards taken, challenges and the shown forces become events.

Written rules of this module:
- what the rules wait for says what a card's way means: in between the rounds cards are tidied away and mean nothing;
- a force that lies face down is seen and never read; whose it is follows from the place, and it says so once a round;
- a take is a card that left the centre and came to lie in front of somebody; where it lies says whose it is;
- a challenge is said by a person, and is in the record together with what came of it, at once;
- forces come into the record only when the game is over (JB-28); nothing else here depends on one;
- what cannot be told waits a little, and is then told as far as it goes; a correction follows when it becomes clear.
Does not belong here: how a card goes from place to place (`bluff_cards`), what lies in the middle (`bluff_centre`), the
backs of forces (`bluff_forces`), which cards they are (`secrets`), what follows (rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.table.bluff_answers import accepted, settled
from referee.table.bluff_book import Book, Open
from referee.table.bluff_cards import Leaving, Lying
from referee.table.bluff_centre import SHOWN_US
from referee.table.bluff_choices import Choices
from referee.table.calls import Accept, Call, Challenge, Correct, Lay, Notice, Settle, Take
from referee.table.camera_table import NoTotem
from referee.table.layouts import Layout
from referee.table.secrets import Secrets
from referee.table.settings import FusionSettings
from referee.table.watermarks import Health, Source
from referee.vision.sightings import (
    UNREADABLE,
    BackGone,
    BackLaid,
    BackMoved,
    CameraPast,
    CardSeen,
    PileShifted,
    PileTaken,
    Sighting,
    TableMoved,
    ZoneCovered,
)
from referee.words import Event, Expected


class BluffTable(NoTotem):
    """The table of one game; see `follower.Follower` for what each method is asked."""

    def __init__(
        self,
        layout: Layout,
        settings: FusionSettings,
        secrets: Secrets,
        events: Sequence[Event] = (),
    ) -> None:
        """A fresh game's table, or that of one that goes on after `events`."""
        self.layout = layout
        self._settings = settings
        self._book = Book(layout, settings, secrets, events)
        self._choices = Choices(layout, self._book)
        self._lays: list[Lay] = []
        self._said: list[Settle | Correct] = []
        self._refused_show: tuple[str, ...] | None = None
        self._accept_us: int | None = None

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen() if self.layout.meaning(s.zone) == "pile":
                self._book.cards.seen(s)
            case PileTaken():
                self._book.cards.taken(s)
            case PileShifted():
                self._book.cards.shifted(s)
            case BackLaid() | BackMoved() | BackGone():
                moved = self._book.forces.back(s, self._book.waits_for() in ("commit", "choice"))
                if moved is not None:
                    self._book.notice(s.between_us[1], "force-moved", player=moved)
            case ZoneCovered() if self.layout.meaning(s.zone) == "hidden":
                self._book.forces.cover(s)
            case CameraPast():
                self._book.cards.read_until(s.open_numbers)
                self._book.marks.advance("camera", s.t_us)
            case TableMoved():
                self._book.notice(s.t_us, "table-moved", by_mm=s.by_mm)

    def call(self, c: Call) -> None:
        """A word of a person."""
        match c:
            case Settle() | Correct():
                self._said.append(c)
            case Accept():
                self._accept_us = c.t_us
            case Lay():
                self._lays.append(c)
            case Take() | Challenge():
                self._choices.calls.append(c)

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        if name == "camera":
            self._book.marks.set_health(name, health, t_us)

    def now(self, t_us: int) -> None:
        """The table's clock."""
        self._book.marks.at(t_us)
        self._book.secrets.now(t_us)

    def expected(self, e: Expected) -> None:
        """What the rules wait for."""
        self._book.expected = e

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record."""
        return self._book.add(event)

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        found = list(self._book.notices)
        self._book.notices.clear()
        return found

    # ---- what leaves

    def release(self) -> list[Event]:
        """The next thing that is ready; call it until it returns nothing."""
        for step in (self._answers, self._seals, self._clearer, self._shown, self._laid, self._choices.next):
            if events := step():
                return events
        return []

    def finish(self) -> list[Event]:
        """The sources have ended."""
        self._book.marks.ended = True
        events: list[Event] = []
        while more := self.release():
            events += more
        return events

    # ---- people's answers

    def _answers(self) -> list[Event]:
        """What a person said of an event that was told."""
        events: list[Event] = []
        while self._said:
            call = self._said.pop(0)
            was_open = [one for one in self._book.open if one.handle in _handles(call)]
            self._book.open = [one for one in self._book.open if one not in was_open]
            if isinstance(call, Correct):
                corrections = accepted(call, self._book.told, self._book.clock_us())
                for event in corrections:
                    self._book.secrets.happened(event)
                events += corrections
            elif (right := settled(call, self._book.told.at(call.index))) is None:
                self._book.notice(call.t_us, "nothing-to-settle", index=call.index)
            elif right["event"] == "force":
                laid_us = self._book.forces.committed.get(right["player"])
                t_us = right["t_us"] if laid_us is None else laid_us + 1
                events.append(self._book.tell({**right, "t_us": t_us}, "operator")[0])
            else:
                events += self._forces_said(right)
                if right["event"] == "take" and not self._book.centre.holds(right["card"]):
                    events += self._book.face_read(None, right["card"], "operator")
                events += [*self._book.closing(right), self._book.correct(call.index, right, "operator", "settled")]
                if right["event"] == "take" and (right["player"] is None or right["card"] == UNREADABLE):
                    self._book.open += [replace(one, event=right) for one in was_open]  # one answer of two
        return events

    def _forces_said(self, choice: Event) -> list[Event]:
        """Whoever says that a choice was made says that the forces lay: those that nobody saw are laid just before."""
        if choice.get("player") is None:
            return []
        laid = [{"t_us": choice["t_us"] - 1, "event": "commit", "player": name} for name in self._book.missing()]
        return [self._book.tell(event, "operator")[0] for event in laid]

    def _seals(self) -> list[Event]:
        """A force that counts stands in the record as a commitment, just after it was laid."""
        events = []
        for player, seal in self._book.secrets.sealed():
            t_us = self._book.forces.committed.get(player, self._book.clock_us()) + 1
            force = {"t_us": t_us, "event": "force", "player": player, "card": UNREADABLE, "sealed": seal}
            events.append(self._book.tell(force, "private reader")[0])
        return events

    def _clearer(self) -> list[Event]:
        """What was open becomes clear: a force is read after all, a card came to lie in front of somebody."""
        book = self._book
        late = book.centre.read_late(book.round_us, lambda place, card: book.face_read(place, card, "camera"))
        if late:
            return late
        for one in list(self._book.open):
            if one.leaving is not None and self._is_back(one.leaving):
                self._book.open.remove(one)
                return [self._book.correct(one.handle, None, "camera", "put back")]
            right = self._right(one)
            if right is not None:
                self._book.open.remove(one)
                by = "camera" if one.leaving else "private reader"
                place = None if one.leaving is None else self._book.centre.place(one.leaving.zone)
                face = [] if place is None else self._book.face_read(place, right["card"], by)
                return [*face, *self._book.closing(right), self._book.correct(one.handle, right, by, "clear now")]
        return []

    def _is_back(self, leaving: Leaving) -> bool:
        """Whether a card that left the centre lies there again."""
        there = self._book.cards.came_to(leaving)
        return there is not None and self.layout.owner(there) is None

    def _right(self, one: Open) -> Event | None:
        event = one.event
        if event["event"] == "challenge":
            result = self._book.secrets.result(event)
            return None if result in (None, "unknown") else {**event, "result": result}
        leaving = one.leaving
        if leaving is None or leaving.came is None or not (leaving.came.is_read or leaving.came.closed):
            return None
        player, card = self.layout.owner(leaving.came.seen.zone), leaving.what
        told = {**event, "player": player, "card": card}
        return told if player is not None and card != UNREADABLE and told != event else None

    # ---- cards of the centre

    def _shown(self) -> list[Event]:
        """The first score cards, or the shuffled forces: a new card on each place of the centre."""
        waiting = self._book.waits_for()
        if waiting not in ("centre", "reveal"):
            return []
        new = self._book.centre.all_new(self._book.round_us)
        if not new or not self._have_settled(new):
            return []
        event = self._book.centre.event(waiting, new)
        if waiting == "reveal" and not self._agrees(event, tuple(event["cards"])):
            return []
        self._begin_round(event["t_us"])
        return [self._book.tell(event)[0]]

    def _have_settled(self, cards: Sequence[Lying]) -> bool:
        """Whether all of them have lain for a while, and are read as far as they will be."""
        last_us = max(one.t_us for one in cards)
        if not self._book.marks.is_through("camera", last_us + SHOWN_US):
            return False
        waited = self._book.marks.ended or self._book.clock_us() > last_us + self._settings.unread_us
        return all(one.is_read or waited for one in cards)

    def _agrees(self, event: Event, cards: tuple[str, ...]) -> bool:
        if self._book.secrets.agrees(event):
            return True
        if self._accept_us is not None and self._accept_us >= event["t_us"]:
            return True
        if cards != self._refused_show:
            self._refused_show = cards
            self._book.notice(self._book.clock_us(), "not-the-forces")
        return False

    def _begin_round(self, t_us: int) -> None:
        self._refused_show, self._accept_us = None, None
        self._book.cards.forget_before(t_us)
        self._book.open.clear()

    # ---- forces

    def _laid(self) -> list[Event]:
        """A force lies in front of somebody who has not laid one in this round."""
        missing = self._book.missing()
        laid = self._book.forces.lying(missing, self._book.round_us)
        said = [one for one in self._lays if one.t_us > self._book.round_us]
        laid += [(call.t_us, call.player) for call in said if call.player in missing]
        if not laid:
            return []
        t_us, player = min(laid)
        if not self._book.marks.is_through("camera", min(t_us, self._book.clock_us() - 1)):
            return []
        self._lays = [one for one in said if one.player != player]
        return [self._book.tell({"t_us": t_us, "event": "commit", "player": player})[0]]


def _handles(call: Settle | Correct) -> tuple[int, ...]:
    """The handles that a person's answer settles."""
    if isinstance(call, Settle):
        return (call.index,)
    return () if call.ref is None else (call.ref,)
