"""Whole games of Dobro through its table on drawn words, and how they were ruled beside what is true.

Belongs here: feeding a table as a session would, a person who knows the truth and settles what was undecided, the
score. Does not belong here: error rates, how words are drawn (`dobro_senses`), printing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.corrections import event_at, handle_of
from referee.ledger import Ledger
from referee.sim.dobro_senses import words
from referee.sim.operator import drawn_by
from referee.sim.played import PlayedGame
from referee.sim.recorded_table import true_rulings
from referee.sim.scoring import Score, score, standing
from referee.sim.senses_errors import Errors
from referee.table.calls import Correct, Settle
from referee.table.follower import make_follower
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import UNREADABLE, CameraPast
from referee.words import Event, Ruling

PATIENCE_US = 3_000_000
NEAR_US = 1_000_000
SAME_US = 300_000
FAR_US = 4_000_000  # a camera that was blind dates a card so badly


@dataclass(frozen=True)
class Refereed:
    """How a game was ruled: the score, `asked` how often a person had to decide, and its warnings by outcome.

    `warnings`: `right`, `wrong` (given, and not true) and `not given`. `score` leaves warnings out, and counts what a
    person decided as right.
    """

    score: Score
    events: Sequence[Event]
    asked: int
    warnings: Counter[str]


def play_through(game: PlayedGame, errors: Errors, seed: int) -> Refereed:
    """One game through its table."""
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
        self._answered: set[int] = set()

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
                self.table.call(Correct(now_us, "it was so", self._true_play(stands), ref=handle))

    def _true_play(self, asked: Event) -> Event | None:
        """The play that truly happened about then, and was not answered with yet; one of the cards that were read, if
        there is one."""
        near = [
            event
            for event in self._game.events
            if event["event"] == "play"
            and event["t_us"] not in self._answered
            and not self._stands(event)
            and abs(event["t_us"] - asked["t_us"]) <= FAR_US
        ]
        read = {card for card in asked["cards"] if card != UNREADABLE}
        fits = [event for event in near if read and read <= set(event["cards"])]
        close = [event for event in near if abs(event["t_us"] - asked["t_us"]) <= NEAR_US]
        found = min(fits or close, key=lambda event: abs(event["t_us"] - asked["t_us"]), default=None)
        if found is not None:
            self._answered.add(found["t_us"])
        return found

    def _stands(self, true: Event) -> bool:
        """Whether a play was told as it was."""
        return any(
            event["event"] == "play"
            and (event["player"], event["cards"]) == (true["player"], true["cards"])
            and abs(event["t_us"] - true["t_us"]) <= SAME_US
            for event in self._ledger.events
        )

    def finish(self) -> Refereed:
        while events := self.table.finish():
            self._add(events)
        truth = [event for event in self._game.events if event["event"] != "end"]
        true, said = true_rulings(self._game), self._ledger.given
        scored = score(truth, true, self._ledger.events, said)
        asked = sum(ruling["ruling"] == "undecided" for ruling in said)
        return Refereed(scored, self._ledger.events, asked, _warnings(true, standing(said)))


def _warnings(true: Sequence[Ruling], said: Sequence[Ruling]) -> Counter[str]:
    """The warnings of a game by outcome."""
    left = [ruling for ruling in true if ruling["ruling"] == "warning"]
    found: Counter[str] = Counter()
    for ruling in said:
        if ruling["ruling"] != "warning":
            continue
        same = [
            one
            for one in left
            if (one["kind"], one["player"]) == (ruling["kind"], ruling["player"])
            and abs(one["t_us"] - ruling["t_us"]) <= NEAR_US
        ]
        found["right" if same else "wrong"] += 1
        if same:
            left.remove(same[0])
    found["not given"] = len(left)
    return found
