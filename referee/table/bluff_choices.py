"""The choices of a round of Jungle Bluff: score cards that leave the centre, and challenges that are said, in order.

Belongs here: when a choice may be told, and as what. Does not belong here: whose card it is by its way (`bluff_cards`),
what becomes clear later (`bluff_table`).

Written rules:
- while a choice is open everybody else's waits behind it;
- where it is not known whether all forces lie a choice is held, people are asked, and after a while it is told as open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.table.bluff_book import Book, Open
from referee.table.bluff_cards import Leaving
from referee.table.calls import Challenge, Take
from referee.table.layouts import Layout
from referee.table.watermarks import START_US
from referee.vision.sightings import UNREADABLE
from referee.words import Event

IN_HAND_US = 3_000_000  # so long a card may be on its way before it is told without its new place
READ_IN_US = 7_000_000  # the same where it lies and is not read yet
FORCES_US = 20_000_000  # so long a choice is held where it is not known whether all forces lie
SAID_US = 15_000_000  # a player who says what they take has taken it by then
MOST_SAID = 20


class Choices:
    """Takes and challenges that wait to be told; `calls` are those that people have said."""

    def __init__(self, layout: Layout, book: Book) -> None:
        self._layout = layout
        self._book = book
        self.calls: list[Take | Challenge] = []
        self._takes_said: list[Take] = []
        self._asked_us = START_US  # for the choice at that moment people were asked whether their force lies

    def next(self) -> list[Event]:
        """The next take or challenge, in the order in which they happened."""
        waiting = self._book.waits_for()
        if waiting in ("centre", "reveal"):
            self._drop_between_rounds()
            return []
        self.calls = [one for one in self.calls if one.t_us > self._book.round_us]
        takes = [one for one in self._book.cards.leavings if self._is_take(one)]
        due: list[tuple[int, int, Leaving | Take | Challenge]] = [(one.t_us, 0, one) for one in takes]
        due += [(call.t_us, 1, call) for call in self.calls]
        if not due or self._book.open:  # what is open is somebody's choice yet, and everybody else's comes after it
            return []
        t_us, _, first = min(due, key=lambda one: one[:2])
        if isinstance(first, Leaving):
            return self._take(first)
        if not self._book.marks.is_through("camera", min(t_us, self._book.clock_us() - 1)):
            return []
        if not self._forces_are_known(t_us):
            if self._has_waited_for_forces(t_us) and self._book.waits_for() == "commit":
                self.calls.remove(first)  # nobody can say whether it may be made: it has to be said again
            if self._book.waits_for() == "commit":
                return []
        self.calls.remove(first)
        return self._called(replace(first, t_us=self._after_forces(t_us)))

    def _is_take(self, leaving: Leaving) -> bool:
        """Whether a card left the centre for somebody's place, or nobody knows for where."""
        if leaving.told or leaving.t_us <= self._book.round_us or self._layout.owner(leaving.zone) is not None:
            return False
        there = self._book.cards.came_to(leaving)
        return there is None or self._layout.owner(there) is not None

    def _take(self, leaving: Leaving) -> list[Event]:
        came = leaving.came
        if not self._book.marks.is_through("camera", leaving.between_us[1]):
            return []
        waits_us = READ_IN_US if self._book.cards.is_being_read(leaving) else IN_HAND_US
        is_late = self._book.marks.ended or self._book.clock_us() > leaving.between_us[1] + waits_us
        if self._was_said(leaving):
            leaving.told = True
            return []
        if came is None and not is_late:
            return []
        if came is not None and not (came.is_read or came.closed or is_late):
            return []
        known = self._forces_are_known(leaving.t_us)
        if not known and not self._has_waited_for_forces(leaving.t_us):
            return []
        leaving.told = True
        player = self._taker(leaving) if known else None
        t_us = self._after_forces(leaving.t_us)
        event: dict[str, Any] = {"t_us": t_us, "event": "take", "player": player, "card": leaving.what}
        if came is not None:
            event["confidence"] = round(came.seen.confidence, 6)
            if came.seen.evidence:
                event["evidence"] = list(came.seen.evidence)
        call = next((one for one in self.calls if isinstance(one, Take) and self._is_same(one, event)), None)
        if call is not None:
            self.calls.remove(call)
        place = self._book.centre.place(leaving.zone)
        before = [*self._book.face_read(place, leaving.what, "camera"), *self._book.closing(event)]
        told, handle = self._book.tell(event)
        if player is None or event["card"] == UNREADABLE:
            self._book.open.append(Open(handle, event, leaving if known else None))
        return [*before, told]

    def _was_said(self, leaving: Leaving) -> bool:
        """Whether a player has said this take before the camera saw the card go."""
        player = self._taker(leaving)
        for call in self._takes_said:
            near = abs(leaving.t_us - call.t_us) < SAID_US
            if near and call.card == leaving.what and player in (None, call.player):
                self._takes_said.remove(call)
                return True
        return False

    def _has_waited_for_forces(self, t_us: int) -> bool:
        """Whether it was waited long enough for forces that nobody has seen: people may say that theirs lies."""
        if self._book.waits_for() != "commit":
            return True
        waited_us = self._book.clock_us() - t_us
        if waited_us > IN_HAND_US and self._asked_us < t_us:
            self._asked_us = t_us
            self._book.notice(self._book.clock_us(), "force-not-seen", player=", ".join(self._book.missing()))
        return self._book.marks.ended or waited_us > FORCES_US

    def _after_forces(self, t_us: int) -> int:
        """A choice that was held until the last force was seen, or said, counts from then on."""
        return self._book.forces.after(t_us) if self._book.waits_for() == "choice" else t_us

    def _forces_are_known(self, t_us: int) -> bool:
        """Whether it is known who had laid a force at a moment: none may lie under a hand, or have come just then."""
        return self._book.forces.is_known(t_us, self._book.missing())

    def _taker(self, leaving: Leaving) -> str | None:
        """In front of whom the card lies; where it does not lie anywhere yet, who said so, or nobody."""
        there = self._book.cards.came_to(leaving)
        return None if there is None else self._layout.owner(there)

    def _is_same(self, call: Take, event: Event) -> bool:
        """Whether a player's word is about this take."""
        return (call.player, call.card) == (event["player"], event["card"])

    def _called(self, call: Take | Challenge) -> list[Event]:
        if isinstance(call, Take):
            return self._take_called(call)
        event: dict[str, Any] = {
            "t_us": call.t_us,
            "event": "challenge",
            "player": call.player,
            "target": call.target,
        }
        result = self._book.secrets.result(event)
        if result is not None and result != "unknown":
            event["result"] = result
        forces = self._book.closing(event)
        told, handle = self._book.tell(event, "operator")
        if result == "unknown":
            self._book.open.append(Open(handle, event))
        return [*forces, told]

    def _take_called(self, call: Take) -> list[Event]:
        """A player says what they take: the camera will see the card go, and that is no take of its own."""
        event: dict[str, Any] = {"t_us": call.t_us, "event": "take", "player": call.player, "card": call.card}
        moved = next(
            (one for one in self._book.cards.leavings if self._is_take(one) and UNREADABLE != one.card == call.card),
            None,
        )
        if moved is not None:
            moved.told = True
        else:
            self._takes_said = [*self._takes_said, call][-MOST_SAID:]
        return [*self._book.closing(event), self._book.tell(event, "operator")[0]]

    def _drop_between_rounds(self) -> None:
        """Score cards go to their piles, what is left in the centre goes away, forces are shuffled: no events.

        What is said meanwhile may be about cards that lie there and are not read yet: it waits, and is then forgotten.
        """
        now_us = self._book.clock_us()
        self._book.cards.leavings = [one for one in self._book.cards.leavings if one.t_us > now_us]
        self.calls = [one for one in self.calls if one.t_us > now_us - FORCES_US]
