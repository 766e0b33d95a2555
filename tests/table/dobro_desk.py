"""A table of Dobro for tests: what camera and people say, and what is ruled on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.ledger import Ledger
from referee.table.calls import Call
from referee.table.follower import Follower, make_follower
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import CameraPast, CardSeen, HandSeen, PileTaken
from referee.words import Event, Header, Ruling

PLAYERS = ("Ana", "Bilal", "Chloé")
FRAME_US = 33_333
S = 1_000_000


class Desk:
    """A session without doors: the camera's frames go on while people lay, draw and speak."""

    def __init__(self, players: Sequence[str] = PLAYERS, events: Sequence[Event] = (), **options: Any) -> None:
        header: Header = {"record": "referee/1", "game": "dobro", "players": list(players), "options": options}
        self.layout = make_layout("dobro", players, (63.0, 88.0))
        self.ledger = Ledger(header, events)
        self.table: Follower = make_follower(self.layout, events, FusionSettings())
        self.table.expected(self.ledger.expected())
        self.notices: list[str] = []
        self._number = len(events)
        self._t_us = 0

    def watch(self, to_us: int, open_numbers: tuple[int, ...] = ()) -> None:
        """The camera sees nothing new up to a moment."""
        while self._t_us < to_us:
            self._t_us += FRAME_US
            self.table.sighting(CameraPast(self._t_us, open_numbers))
            self.table.now(self._t_us)
            self._work()

    def _work(self) -> None:
        while events := self.table.release():
            self._take(events)
        self.notices += [notice.kind for notice in self.table.notices()]

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            self.ledger.add(event)
        self.table.expected(self.ledger.expected())

    def hand(self, player: str, place: str, from_us: int, to_us: int, chance: float = 0.99) -> None:
        """A hand is at a place, frame after frame, and the camera goes on."""
        tip = self.layout.zones[place].centre_mm
        self.watch(from_us)
        while self._t_us < to_us:
            self.table.sighting(HandSeen(place, self._t_us + FRAME_US, {player: chance}, 0, tip))
            self.watch(self._t_us + FRAME_US)

    def lay(
        self, player: str, *cards: str, at_us: int, by: tuple[str | None, float] | None = None, fingers: float = 0.99
    ) -> list[int]:
        """Cards laid by one gesture: the first on the table, the second beside it.

        `by`: whose arm the camera takes it for, `fingers`: how surely those at the place are the player's.
        """
        who, chance = (player, 0.99) if by is None else by
        numbers = []
        for place, card in enumerate(cards):
            zone, t_us = ("table", "pair")[place], at_us + 300_000 * place
            self.hand(player, zone, t_us - 100_000, t_us + 130_000, fingers)
            self._number += 1
            between = (t_us - FRAME_US // 2, t_us + FRAME_US // 2)
            confidence = 0.0 if card == "?" else 0.999
            self.table.sighting(CardSeen(self._number, zone, card, between, t_us, confidence, by=who, by_chance=chance))
            numbers.append(self._number)
        self.watch(self._t_us + 600_000, tuple(numbers) if "?" in cards else ())
        return numbers

    def draw(self, player: str, at_us: int, stay_us: int = 400_000, chance: float = 0.99) -> None:
        """A hand goes to the draw pile and back."""
        self.hand(player, "draw", at_us, at_us + stay_us, chance)
        self.watch(self._t_us + 200_000)

    def turn(self, player: str, *cards: str, at_us: int) -> None:
        """Cards laid, and a draw."""
        self.lay(player, *cards, at_us=at_us)
        self.draw(player, at_us + 1_000_000)

    def take(self, player: str | None, at_us: int, chance: float = 0.99) -> None:
        """The auction's cards are gone."""
        self.watch(at_us)
        self.table.sighting(PileTaken("table", (at_us - FRAME_US, at_us), player, chance))
        self.watch(at_us + 1_700_000)

    def say(self, call: Call) -> None:
        """Somebody says something, at the moment it says."""
        self.watch(call.t_us)
        self.table.call(call)
        self.watch(call.t_us + 400_000)

    def finish(self) -> list[Event]:
        """The camera has ended."""
        self._take(events := self.table.finish())
        return events

    @property
    def events(self) -> list[Event]:
        """The record so far, corrections applied by nobody."""
        return list(self.ledger.events)

    def plays(self) -> list[tuple[str | None, list[str]]]:
        """Who laid what, as it was told."""
        return [(event["player"], event["cards"]) for event in self.events if event["event"] == "play"]

    def rulings(self) -> list[Ruling]:
        """What stands."""
        return [given.ruling for given in self.ledger.standing]

    def kinds(self) -> list[str]:
        """The kinds of what stands; a warning by what it warns of."""
        return [ruling.get("kind", ruling["ruling"]) for ruling in self.rulings()]
