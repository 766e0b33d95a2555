"""Whole games of Dobro through its table on drawn words, and how they were ruled beside what is true.

Belongs here: feeding a table as a session would, a person who knows the truth and settles what was undecided, the
score. Does not belong here: error rates, how words are drawn (`dobro_senses`), printing.
"""

from __future__ import annotations

from referee.corrections import event_at, handle_of
from referee.ledger import Ledger
from referee.sim.dobro_senses import words
from referee.sim.operator import drawn_by
from referee.sim.played import PlayedGame
from referee.sim.recorded_table import true_rulings
from referee.sim.scoring import Score, score
from referee.sim.senses_errors import Errors
from referee.table.calls import Correct, Settle
from referee.table.follower import make_follower
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import CameraPast
from referee.words import Event

PATIENCE_US = 3_000_000
NEAR_US = 1_000_000


def play_through(game: PlayedGame, errors: Errors, seed: int) -> tuple[Score, list[Event]]:
    """One game through its table; how it was ruled, and the record's events."""
    layout = make_layout("dobro", game.header["players"], game.deck.card_mm)
    desk = _Desk(game, FusionSettings())
    for delivery in words(game, layout, errors, seed):
        if delivery.source == "person":
            desk.table.call(delivery.word)  # type: ignore[arg-type]
        else:
            desk.table.sighting(delivery.word)  # type: ignore[arg-type]
        if delivery.source == "person" or isinstance(delivery.word, CameraPast):
            desk.work(delivery.at_us)
    return desk.finish()


class _Desk:
    """A session without doors, and a person who answers."""

    def __init__(self, game: PlayedGame, settings: FusionSettings) -> None:
        self._game = game
        self._ledger = Ledger(game.header)
        layout = make_layout("dobro", game.header["players"], game.deck.card_mm)
        self.table = make_follower(layout, [], settings)
        self.table.expected(self._ledger.expected())
        self._asked: dict[int, int] = {}

    def work(self, now_us: int) -> None:
        self.table.now(now_us)
        while events := self.table.release():
            self._add(events)
        self._answer(now_us)

    def _add(self, events: list[Event]) -> None:
        for event in events:
            self._ledger.add(event)
        self.table.expected(self._ledger.expected())

    def _answer(self, now_us: int) -> None:
        """The person at the table says how it was, a while after the referee has asked."""
        for one in self._ledger.standing:
            if one.ruling["ruling"] != "undecided":
                continue
            asked_us = self._asked.setdefault(one.place, now_us)
            if now_us - asked_us < PATIENCE_US:
                continue
            self._asked[one.place] = now_us + 10 * PATIENCE_US
            ruling = one.ruling
            handle = handle_of(self._ledger.events, one.event, ruling["t_us"])
            stands = None if handle is None else event_at(self._ledger.events, handle)
            if handle is None or stands is None:
                continue
            if ruling["why"] == "drawn":
                truly = drawn_by(self._game.events, ruling["candidates"][0], ruling["t_us"])
                self.table.call(Settle(now_us, handle, player=truly))
            else:
                plays = [
                    (abs(e["t_us"] - stands["t_us"]), k)
                    for k, e in enumerate(self._game.events)
                    if e["event"] == "play"
                ]
                far_us, place = min(plays)
                true = self._game.events[place] if far_us <= NEAR_US else None
                self.table.call(Correct(now_us, "it was so", true, ref=handle))

    def finish(self) -> tuple[Score, list[Event]]:
        while events := self.table.finish():
            self._add(events)
        truth = [event for event in self._game.events if event["event"] != "end"]
        return score(truth, true_rulings(self._game), self._ledger.events, self._ledger.given), self._ledger.events
