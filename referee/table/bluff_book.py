"""The record of a Jungle Bluff game as its table writes it, and what of it later events are judged by.

Belongs here: telling and correcting events, each told to whoever knows the secrets, the table's clock, what the rules
wait for. Does not belong here: what is told, and when (`bluff_table`, `bluff_choices`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from referee.table.bluff_cards import Leaving, OpenCards
from referee.table.bluff_centre import Centre
from referee.table.bluff_forces import Forces
from referee.table.calls import Notice
from referee.table.layouts import Layout
from referee.table.secrets import Secrets
from referee.table.settings import FusionSettings
from referee.table.told import Told
from referee.table.watermarks import START_US, Watermarks
from referee.words import Event, Expected

MOST_NOTICES = 100


@dataclass
class Open:
    """A take or challenge in the record that is not decided yet: its handle, and the card's way that may show it."""

    handle: int
    event: Event
    leaving: Leaving | None = None


class Book:
    """What all parts of one table share; `open` are the choices that are not decided yet."""

    def __init__(self, layout: Layout, settings: FusionSettings, secrets: Secrets, events: Sequence[Event]) -> None:
        """A fresh game's, or that of one that goes on after `events`."""
        self.secrets = secrets
        self.marks = Watermarks({"camera": settings.camera_us})
        self.told = Told(events)
        self.cards = OpenCards()
        self.forces = Forces(layout)
        self.centre = Centre(layout, self.cards)
        self.notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self.expected: Expected | None = None
        self.open: list[Open] = []
        self.round_us = START_US  # when the cards of the round were laid open
        self.choice_us = START_US  # the latest choice
        for index, event in enumerate(events):
            self._remember(event, index)

    def tell(self, event: Event, by: str = "camera") -> tuple[Event, int]:
        """An event goes into the record; returns it as it stands there, and its handle."""
        told, handle = self.told.add(event, by, self.clock_us())
        self.secrets.happened(told)
        self._remember(event, handle)
        return told, handle

    def add(self, event: Event) -> int:
        """An event as it is goes to the end of the record."""
        index = self.told.append(event)
        self.secrets.happened(event)
        return index

    def correct(self, handle: int, event: Event | None, by: str, reason: str) -> Event:
        """What stands at a handle is replaced."""
        told = self.told.correct(handle, event, by, reason, self.clock_us())
        self.secrets.happened(told)
        return told

    def closing(self, choice: Event) -> list[Event]:
        """The final's forces, just before the choice that ends the game."""
        return [self.tell(force, "private reader")[0] for force in self.secrets.closing(choice)]

    def face_read(self, place: int | None, card: str, by: str) -> list[Event]:
        """A card of the centre that could not be read is known now; `place` None: one of those."""
        right = self.centre.read(place, card)
        return [] if right is None else [self.correct(self.centre.handle, right, by, "read late")]

    def clock_us(self) -> int:
        """The table's time: nothing told is later."""
        last = START_US if self.told.last_us is None else self.told.last_us
        return max(self.marks.now_us, self.marks.past("camera"), last)

    def waits_for(self) -> str:
        """What the rules wait for."""
        return "nothing" if self.expected is None else self.expected["waiting_for"]

    def missing(self) -> list[str]:
        """Whose force is not in the record, while forces are laid."""
        if self.waits_for() != "commit" or self.expected is None:
            return []
        return self.forces.missing(self.expected.get("may_play", ()))

    def notice(self, t_us: int, kind: str, **about: object) -> None:
        """Something people should hear of."""
        self.notices.append(Notice(t_us, kind, about))

    def _remember(self, event: Event, handle: int) -> None:
        """What of an event in the record later ones are judged by."""
        match event["event"]:
            case "centre" | "reveal":
                self.centre.tell(event, handle)
                self.forces.new_round(self.choice_us)
                self.round_us = event["t_us"]
            case "commit":
                self.forces.commit(event["player"], event["t_us"])
            case "take" | "challenge":
                self.choice_us = max(self.choice_us, event["t_us"])
                for player in self.forces.chosen(event["t_us"]):
                    self.notice(event["t_us"], "force-moved", player=player)
