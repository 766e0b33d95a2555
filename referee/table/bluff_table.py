"""Jungle Bluff on a table: forces laid, score cards taken, challenges and the shown forces become events.

Written rules of this module:
- what the rules wait for says what a card's way means: in between the rounds cards are tidied away and mean nothing;
- a force that lies face down is seen and never read; whose it is follows from the place, and it says so once a round;
- a take is a card that left the centre and came to lie in front of somebody; where it lies says whose it is;
- a challenge is said by a person, and is in the record together with what came of it, at once;
- forces come into the record only when the game is over (JB-28); nothing else here depends on one;
- what cannot be told waits a little, and is then told as far as it goes; a correction follows when it becomes clear.
Does not belong here: how a card goes from place to place (`bluff_cards`), forces (`secrets`), what follows (rules).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.table.bluff_answers import accepted, settled
from referee.table.bluff_cards import Leaving, Lying, OpenCards
from referee.table.calls import Accept, Call, Challenge, Correct, Lay, Notice, Settle, Take
from referee.table.layouts import Layout
from referee.table.secrets import Secrets
from referee.table.settings import FusionSettings
from referee.table.told import Told
from referee.table.waiting import UNREADABLE
from referee.table.watermarks import START_US, Health, Source, Watermarks
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import (
    BackGone,
    BackLaid,
    BackMoved,
    CameraPast,
    CardSeen,
    PileTaken,
    Sighting,
    TableMoved,
    ZoneCovered,
)
from referee.words import Event, Expected

IN_HAND_US = 3_000_000  # so long a card may be on its way before it is told without its new place
READ_IN_US = 7_000_000  # the same where it lies and is not read yet
SHOWN_US = 700_000  # the cards of the centre have lain so long, all of them, before they are told
LOOKED_US = 1_000_000  # the place of a force could be seen for so long: then it is known whether one lies there
SAID_US = 15_000_000  # a player who says what they take has taken it by then
MOST_NOTICES = 100
MOST_SAID = 20


@dataclass
class Open:
    """A take or challenge in the record that is not decided yet: its handle, and the card's way that may show it."""

    handle: int
    event: Event
    leaving: Leaving | None = None


class BluffTable:
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
        self._secrets = secrets
        self._marks = Watermarks({"camera": settings.camera_us})
        self._told = Told(events)
        self._cards = OpenCards()
        self._backs: dict[str, tuple[int, int]] = {}  # between when and when a force came to lie there
        self._laid_in: dict[str, tuple[int, int]] = {}  # the same of those that are in the record
        self._calls: list[Call] = []
        self._takes_said: list[Take] = []
        self._said: list[Settle | Correct] = []
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self._expected: Expected | None = None
        self._ready: list[Event] = []
        self._open: list[Open] = []
        self._committed: dict[str, int] = {}
        self._covered: set[str] = set()
        self._cleared: dict[str, int] = {}
        self._round_us = START_US  # when the cards of the round were laid open
        self._choice_us = START_US  # the latest choice
        self._refused_show: tuple[str, ...] | None = None
        self._accept_us: int | None = None
        self._zones = [name for name, zone in layout.zones.items() if zone.kind == "centre"]
        self._face: tuple[int, Event] | None = None  # the cards of the centre as they were told, and their handle
        for index, event in enumerate(events):
            self._remember(event, index)

    # ---- what the sources say

    def sighting(self, s: Sighting) -> None:
        """A word of the camera."""
        match s:
            case CardSeen() if self.layout.meaning(s.zone) == "pile":
                self._cards.seen(s)
            case PileTaken():
                self._cards.taken(s)
            case BackLaid() | BackMoved() | BackGone():
                self._back(s)
            case ZoneCovered() if self.layout.meaning(s.zone) == "hidden":
                (self._covered.discard if s.clear else self._covered.add)(s.zone)
                self._cleared[s.zone] = s.t_us
            case CameraPast():
                self._cards.read_until(s.open_numbers)
                self._marks.advance("camera", s.t_us)
            case TableMoved():
                self._notices.append(Notice(s.t_us, "table-moved", {"by_mm": s.by_mm}))

    def touch(self, t: Grab | Fall) -> None:
        """There is no totem in this game."""

    def totem_past(self, t_us: int) -> None:
        """There is no totem in this game."""

    def totem_silent(self, from_us: int, to_us: int, touched_us: int | None) -> None:
        """There is no totem in this game."""

    def call(self, c: Call) -> None:
        """A word of a person."""
        match c:
            case Settle() | Correct():
                self._said.append(c)
            case Accept():
                self._accept_us = c.t_us
            case Lay() | Take() | Challenge():
                self._calls.append(c)

    def source(self, name: Source, health: Health, t_us: int) -> None:
        """A source is fresh, stale or lost since `t_us`."""
        if name == "camera":
            self._marks.set_health(name, health, t_us)

    def now(self, t_us: int) -> None:
        """The table's clock."""
        self._marks.at(t_us)

    def expected(self, e: Expected) -> None:
        """What the rules wait for."""
        self._expected = e

    def add(self, event: Event) -> int:
        """An event of the caller's own goes to the end of the record."""
        index = self._told.append(event)
        self._secrets.happened(event)
        return index

    def notices(self) -> list[Notice]:
        """What people should hear of that is no event; each once."""
        found = list(self._notices)
        self._notices.clear()
        return found

    # ---- what leaves

    def release(self) -> list[Event]:
        """The next thing that is ready; call it until it returns nothing."""
        for step in (self._answers, self._clearer, self._shown, self._laid, self._next_choice):
            if events := step():
                return events
        return []

    def finish(self) -> list[Event]:
        """The sources have ended."""
        self._marks.ended = True
        events: list[Event] = []
        while more := self.release():
            events += more
        return events

    def _tell(self, event: Event, by: str = "camera") -> tuple[Event, int]:
        told, handle = self._told.add(event, by, self._clock_us())
        self._secrets.happened(told)
        self._remember(event, handle)
        return told, handle

    def _remember(self, event: Event, handle: int) -> None:
        """What of an event in the record later ones are judged by."""
        match event["event"]:
            case "centre" | "reveal":
                self._face = (handle, event)
                self._round_us = event["t_us"]
                self._committed.clear()
            case "commit":
                self._committed[event["player"]] = event["t_us"]
            case "take" | "challenge":
                self._choice_us = max(self._choice_us, event["t_us"])

    def _correct(self, handle: int, event: Event | None, by: str, reason: str) -> Event:
        told = self._told.correct(handle, event, by, reason, self._clock_us())
        self._secrets.happened(told)
        return told

    def _clock_us(self) -> int:
        last = START_US if self._told.last_us is None else self._told.last_us
        return max(self._marks.now_us, self._marks.past("camera"), last)

    def _waits_for(self) -> str:
        return "nothing" if self._expected is None else self._expected["waiting_for"]

    # ---- people's answers

    def _answers(self) -> list[Event]:
        """What a person said of an event that was told."""
        events: list[Event] = []
        while self._said:
            call = self._said.pop(0)
            self._open = [one for one in self._open if one.handle not in _handles(call)]
            if isinstance(call, Correct):
                corrections = accepted(call, self._told, self._clock_us())
                for event in corrections:
                    self._secrets.happened(event)
                events += corrections
            elif (right := settled(call, self._told.at(call.index))) is None:
                self._notices.append(Notice(call.t_us, "nothing-to-settle", {"index": call.index}))
            elif right["event"] == "force":
                laid_us = self._committed.get(right["player"])
                t_us = right["t_us"] if laid_us is None else laid_us + 1
                events.append(self._tell({**right, "t_us": t_us}, "operator")[0])
            else:
                if right["event"] == "take" and self._face is not None and right["card"] not in self._face[1]["cards"]:
                    events += self._face_read(None, right["card"], "operator")
                events += [*self._closing(right), self._correct(call.index, right, "operator", "settled")]
        return events

    def _clearer(self) -> list[Event]:
        """What was open becomes clear: a force is read after all, a card came to lie in front of somebody."""
        for place, zone in enumerate(self._zones):
            lying = self._cards.at.get(zone)
            is_old = lying is not None and lying.is_read and lying.t_us <= self._round_us
            if lying is not None and is_old and (events := self._face_read(place, lying.card, "camera")):
                return events
        for one in list(self._open):
            if one.leaving is not None and self._is_back(one.leaving):
                self._open.remove(one)
                return [self._correct(one.handle, None, "camera", "put back")]
            right = self._right(one)
            if right is not None:
                self._open.remove(one)
                by = "camera" if one.leaving else "private reader"
                face = [] if one.leaving is None else self._face_read(self._place(one.leaving), right["card"], by)
                return [*face, *self._closing(right), self._correct(one.handle, right, by, "clear now")]
        return []

    def _is_back(self, leaving: Leaving) -> bool:
        """Whether a card that left the centre lies there again."""
        there = self._cards.came_to(leaving)
        return there is not None and self.layout.owner(there) is None

    def _right(self, one: Open) -> Event | None:
        event = one.event
        if event["event"] == "challenge":
            result = self._secrets.result(event)
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
        waiting = self._waits_for()
        if waiting not in ("centre", "reveal"):
            return []
        lying = [self._cards.at.get(zone) for zone in self._zones]
        new = [one for one in lying if one is not None and one.t_us > self._round_us]
        if len(new) < len(self._zones) or not self._have_settled(new):
            return []
        cards = tuple(one.card for one in new)
        event: dict[str, Any] = {"t_us": max(one.t_us for one in new), "event": waiting, "cards": [*cards]}
        confidence = min(one.seen.confidence for one in new)
        event["confidence"] = round(confidence, 6)
        if evidence := [frame for one in new for frame in one.seen.evidence[-1:]]:
            event["evidence"] = evidence
        if waiting == "reveal" and not self._agrees(event, cards):
            return []
        self._begin_round(event["t_us"])
        return [self._tell(event)[0]]

    def _face_read(self, place: int | None, card: str, by: str) -> list[Event]:
        """A card of the centre that could not be read is known now; `place` None: one of those."""
        if self._face is None or card == UNREADABLE:
            return []
        handle, event = self._face
        cards = [*event["cards"]]
        if place is None:
            place = next((k for k, shown in enumerate(cards) if shown == UNREADABLE), None)
        if place is None or place >= len(cards) or cards[place] != UNREADABLE:
            return []
        cards[place] = card
        right = {**event, "cards": cards}
        self._face = (handle, right)
        return [self._correct(handle, right, by, "read late")]

    def _have_settled(self, cards: Sequence[Lying]) -> bool:
        """Whether all of them have lain for a while, and are read as far as they will be."""
        last_us = max(one.t_us for one in cards)
        if not self._marks.is_through("camera", last_us + SHOWN_US):
            return False
        waited = self._marks.ended or self._clock_us() > last_us + self._settings.unread_us
        return all(one.is_read or (one.closed and waited) for one in cards)

    def _agrees(self, event: Event, cards: tuple[str, ...]) -> bool:
        if self._secrets.agrees(event):
            return True
        if self._accept_us is not None and self._accept_us >= event["t_us"]:
            return True
        if cards != self._refused_show:
            self._refused_show = cards
            self._notices.append(Notice(self._clock_us(), "not-the-forces", {}))
        return False

    def _begin_round(self, t_us: int) -> None:
        self._refused_show, self._accept_us = None, None
        self._cards.forget_before(t_us)
        # What was laid before the last choice is the old force, and nobody has seen it taken up.
        self._backs = {player: between for player, between in self._backs.items() if between[1] > self._choice_us}
        self._laid_in.clear()
        self._open.clear()

    # ---- forces

    def _back(self, s: BackLaid | BackMoved | BackGone) -> None:
        player = self.layout.owner(s.zone)
        if player is None:
            return
        committed = player in self._committed and self._waits_for() in ("commit", "choice")
        match s:
            case BackLaid():
                self._backs[player] = s.between_us
            case BackGone():
                self._backs.pop(player, None)
            case BackMoved():
                self._backs[player] = s.between_us
        if committed:
            self._notices.append(Notice(s.between_us[1], "force-moved", {"player": player}))

    def _laid(self) -> list[Event]:
        """A force lies in front of somebody who has not laid one in this round."""
        if self._waits_for() != "commit" or self._expected is None:
            return []
        may = {*self._expected.get("may_play", ())} - self._committed.keys()
        laid = [(max(self._backs[name][0], self._round_us) + 1, name) for name in may if name in self._backs]
        said = {call.player: call for call in self._calls if isinstance(call, Lay) and call.t_us > self._round_us}
        laid += [(call.t_us, name) for name, call in said.items() if name in may]
        if not laid:
            return []
        t_us, player = min(laid)
        if not self._marks.is_through("camera", min(t_us, self._clock_us() - 1)):
            return []
        self._calls = [one for one in self._calls if not (isinstance(one, Lay) and one.player == player)]
        if player in self._backs:
            self._laid_in[player] = self._backs[player]
        return [self._tell({"t_us": t_us, "event": "commit", "player": player})[0]]

    # ---- choices

    def _next_choice(self) -> list[Event]:
        """The next take or challenge, in the order in which they happened."""
        waiting = self._waits_for()
        if waiting in ("centre", "reveal"):
            self._drop_between_rounds()
            return self._out_of_place()
        takes = [one for one in self._cards.leavings if self._is_take(one)]
        calls = [one for one in self._calls if isinstance(one, Take | Challenge)]
        due: list[tuple[int, int, Leaving | Take | Challenge]] = [(one.t_us, 0, one) for one in takes]
        due += [(call.t_us, 1, call) for call in calls]
        if not due or self._open:  # what is open is somebody's choice yet, and everybody else's comes after it
            return []
        t_us, _, first = min(due, key=lambda one: one[:2])
        if isinstance(first, Leaving):
            return self._take(first)
        if not self._marks.is_through("camera", min(t_us, self._clock_us() - 1)):
            return []
        self._calls.remove(first)
        return self._called(first)

    def _is_take(self, leaving: Leaving) -> bool:
        """Whether a card left the centre for somebody's place, or nobody knows for where."""
        if leaving.told or leaving.t_us <= self._round_us or self.layout.owner(leaving.zone) is not None:
            return False
        there = self._cards.came_to(leaving)
        return there is None or self.layout.owner(there) is not None

    def _take(self, leaving: Leaving) -> list[Event]:
        came = leaving.came
        if not self._marks.is_through("camera", leaving.between_us[1]):
            return []
        waits_us = READ_IN_US if self._cards.is_being_read(leaving) else IN_HAND_US
        is_late = self._marks.ended or self._clock_us() > leaving.between_us[1] + waits_us
        if self._was_said(leaving):
            leaving.told = True
            return []
        if came is None and not is_late:
            return []
        if came is not None and not (came.is_read or came.closed or is_late):
            return []
        known = self._force_is_missing_or_laid(leaving.t_us)
        if not known and not is_late:
            return []
        leaving.told = True
        player = self._taker(leaving) if known else None
        event: dict[str, Any] = {"t_us": leaving.t_us, "event": "take", "player": player, "card": leaving.what}
        if came is not None:
            event["confidence"] = round(came.seen.confidence, 6)
            if came.seen.evidence:
                event["evidence"] = list(came.seen.evidence)
        call = next((one for one in self._calls if isinstance(one, Take) and self._is_same(one, event)), None)
        if call is not None:
            self._calls.remove(call)
        forces = [*self._face_read(self._place(leaving), leaving.what, "camera"), *self._closing(event)]
        told, handle = self._tell(event)
        if player is None or event["card"] == UNREADABLE:
            self._open.append(Open(handle, event, leaving if known else None))
        return [*forces, told]

    def _was_said(self, leaving: Leaving) -> bool:
        """Whether a player has said this take before the camera saw the card go."""
        player = self._taker(leaving)
        for call in self._takes_said:
            near = abs(leaving.t_us - call.t_us) < SAID_US
            if near and call.card == leaving.what and player in (None, call.player):
                self._takes_said.remove(call)
                return True
        return False

    def _place(self, leaving: Leaving) -> int | None:
        """The place of the centre that a card left, from 0."""
        return self._zones.index(leaving.zone) if leaving.zone in self._zones else None

    def _force_is_missing_or_laid(self, t_us: int) -> bool:
        """Whether it is known who had laid a force at a moment: none may lie under a hand, or have come just then."""
        if any(from_us < t_us < to_us for from_us, to_us in self._laid_in.values()):
            return False
        if self._expected is None or self._waits_for() != "commit":
            return True
        missing = {*self._expected.get("may_play", ())} - self._committed.keys()
        zones = [f"force/{player}" for player in missing]
        return not any(zone in self._covered or self._cleared.get(zone, START_US) > t_us - LOOKED_US for zone in zones)

    def _taker(self, leaving: Leaving) -> str | None:
        """In front of whom the card lies; where it does not lie anywhere yet, who said so, or nobody."""
        there = self._cards.came_to(leaving)
        return None if there is None else self.layout.owner(there)

    def _is_same(self, call: Take, event: Event) -> bool:
        """Whether a player's word is about this take."""
        return (call.player, call.card) == (event["player"], event["card"])

    def _called(self, call: Take | Challenge) -> list[Event]:
        if not self._force_is_missing_or_laid(call.t_us):
            self._notices.append(Notice(call.t_us, "force-not-seen", {"player": call.player}))
            return []
        if isinstance(call, Take):
            return self._take_called(call)
        event: dict[str, Any] = {
            "t_us": call.t_us,
            "event": "challenge",
            "player": call.player,
            "target": call.target,
        }
        result = self._secrets.result(event)
        if result is not None and result != "unknown":
            event["result"] = result
        forces = self._closing(event)
        told, handle = self._tell(event, "operator")
        if result == "unknown":
            self._open.append(Open(handle, event))
        return [*forces, told]

    def _take_called(self, call: Take) -> list[Event]:
        """A player says what they take: the camera will see the card go, and that is no take of its own."""
        event: dict[str, Any] = {"t_us": call.t_us, "event": "take", "player": call.player, "card": call.card}
        moved = next(
            (one for one in self._cards.leavings if self._is_take(one) and UNREADABLE != one.card == call.card), None
        )
        if moved is not None:
            moved.told = True
        else:
            self._takes_said = [*self._takes_said, call][-MOST_SAID:]
        return [*self._closing(event), self._tell(event, "operator")[0]]

    def _closing(self, choice: Event) -> list[Event]:
        """The final's forces, just before the choice that ends the game."""
        return [self._tell(force, "private reader")[0] for force in self._secrets.closing(choice)]

    # ---- between the rounds

    def _drop_between_rounds(self) -> None:
        """Score cards go to their piles, what is left in the centre goes away, forces are shuffled: no events."""
        self._cards.leavings = [one for one in self._cards.leavings if one.t_us > self._clock_us()]

    def _out_of_place(self) -> list[Event]:
        """A choice that somebody says between the rounds is refused by the rules."""
        calls = [one for one in self._calls if isinstance(one, Challenge)]
        if not calls:
            return []
        first = min(calls, key=lambda call: call.t_us)
        self._calls = [one for one in self._calls if not isinstance(one, Take | Lay) and one is not first]
        return self._called(first)


def _handles(call: Settle | Correct) -> tuple[int, ...]:
    """The handles that a person's answer settles."""
    if isinstance(call, Settle):
        return (call.index,)
    return () if call.ref is None else (call.ref,)
