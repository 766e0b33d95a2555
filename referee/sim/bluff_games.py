"""Whole games of Jungle Bluff, played by chance: records of what happened at a table that never was.

Belongs here: who lays, takes and challenges what and when, as events of a record. Does not belong here: pixels
(other modules of this room), or judging; the rules only tell the players whose choice it is.

Forces are real: every player spends each value once and draws the final force from their own score pile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from referee.record import Record
from referee.rules import jungle_bluff
from referee.rules.jungle_bluff_state import FINAL, State
from referee.words import Event, Header

_VARIANTS = {1: "1*", 5: "5r", 10: "10a"}


def play(
    seed: int,
    players: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    most_events: int = 2000,
    clumsy: float = 0.02,
) -> Record:
    """Play one game to its end (or to `most_events`) and return its record.

    `clumsy` is the chance, at each moment, of a choice that may not be made, a look that reads nothing, or forces
    that are shown wrongly at first. The same seed gives the same game.
    """
    header: Header = {
        "record": "referee/1",
        "game": "jungle-bluff",
        "players": list(players),
        "options": dict(options or {}),
    }
    return _Game(Random(seed), header, clumsy).play(most_events)


class _Game:
    def __init__(self, chance: Random, header: Header, clumsy: float) -> None:
        self._chance = chance
        self._header = header
        self._clumsy = clumsy
        self._t_us = 0
        self._events: list[Event] = []
        self._state: State = jungle_bluff.start(header)
        self._series = {name: list(range(1, 11)) for name in header["players"]}
        self._forces: dict[str, str] = {}

    def play(self, most_events: int) -> Record:
        while not self._state.over and len(self._events) < most_events:
            self._next()
        self._happen({"event": "end"}, 1_000_000)
        return Record(self._header, self._events, self._events)

    def _happen(self, event: dict[str, Any], after_us: int) -> None:
        self._t_us += after_us
        whole = {"t_us": self._t_us, **event}
        self._events.append(whole)
        self._state, _ = jungle_bluff.apply(self._state, whole)

    def _clumsily(self) -> bool:
        return self._chance.random() < self._clumsy

    def _next(self) -> None:
        expected = jungle_bluff.expected(self._state)
        if expected["waiting_for"] == "centre":
            values = self._chance.sample(range(1, 11), len(self._header["players"]))
            self._happen({"event": "centre", "cards": [self._variant(value) for value in values]}, 2_000_000)
        elif expected["waiting_for"] == "reveal":
            self._reveal()
        elif expected["waiting_for"] == "commit":
            self._commit(self._chance.choice(expected["may_play"]))
        else:
            if self._clumsily():
                self._wrong_choice()
            assert expected["asked"] is not None
            self._choose(expected["asked"])

    def _variant(self, value: int) -> str:
        special = self._state.setup.advanced and value in _VARIANTS and self._chance.random() < 0.7
        return _VARIANTS[value] if special else str(value)

    def _commit(self, player: str) -> None:
        """A player lays a force, and the private reader looks at it, sometimes only at the second try."""
        if self._state.round == FINAL:
            force = self._chance.choice(self._state.piles[self._state.setup.seats[player]])
        else:
            value = self._chance.choice(self._series[player])
            self._series[player].remove(value)
            force = self._variant(value)
        self._forces[player] = force
        self._happen({"event": "commit", "player": player}, self._chance.randint(500_000, 4_000_000))
        if self._clumsily():
            self._happen({"event": "force", "player": player, "card": "?"}, 300_000)
        self._happen({"event": "force", "player": player, "card": force}, 300_000)

    def _choose(self, player: str) -> None:
        chance, players = self._chance, self._header["players"]
        holders = [name for name, card in zip(players, self._state.holds, strict=True) if card is not None]
        after = chance.randint(1_000_000, 6_000_000)
        if holders and chance.random() < 0.5:
            self._happen({"event": "challenge", "player": player, "target": chance.choice(holders)}, after)
        else:
            self._happen({"event": "take", "player": player, "card": chance.choice(self._state.centre or ())}, after)

    def _wrong_choice(self) -> None:
        chance, players = self._chance, self._header["players"]
        player = chance.choice(players)
        missing = sorted({str(value) for value in range(1, 11)} - {*(self._state.centre or ())})
        if chance.random() < 0.5 or not missing:
            self._happen({"event": "challenge", "player": player, "target": player}, 1_000_000)
        else:
            self._happen({"event": "take", "player": player, "card": chance.choice(missing)}, 1_000_000)

    def _reveal(self) -> None:
        forces = list(self._forces.values())
        self._chance.shuffle(forces)
        if self._clumsily():
            self._happen({"event": "reveal", "cards": forces[1:]}, 2_000_000)
        self._happen({"event": "reveal", "cards": forces}, 3_000_000)
        self._forces = {}
