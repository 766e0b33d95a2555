"""Matches of Speed refereed on drawn words: a session without pictures, a simulated operator, and the tally.

Belongs here: feeding a session as its driver would. Does not belong here: error rates (`speed_senses`), counting
(`speed_scoring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from referee.deck.folder import Deck
from referee.journal.entries import Entry
from referee.ledger import Ledger
from referee.pages import Pages, follow
from referee.session import Session
from referee.sim import speed_people
from referee.sim.operator import Operator
from referee.sim.played import PlayedGame, Wish
from referee.sim.recorded_table import true_rulings
from referee.sim.speed_scoring import SpeedTally, tally
from referee.sim.speed_senses import SpeedErrors, camera_words
from referee.table.calls import call_of
from referee.table.follower import make_follower
from referee.table.layouts import make_layout
from referee.table.settings import FusionSettings
from referee.vision.camera import Frame
from referee.vision.sightings import Sighting
from referee.vision.watcher import Watcher
from referee.web.desk import Desk

AFTER_US = 2_000_000
NAMES = ("Ana", "Bilal")


class _Kept:
    """A keeper that only remembers."""

    def __init__(self) -> None:
        self.lines: list[Mapping[str, Any]] = []

    def keep(self, lines: Sequence[Mapping[str, Any]], *, beside: Sequence[Entry] = ()) -> None:
        self.lines += lines

    def close(self) -> None:
        """Nothing is open."""


class _Words:
    """A watcher whose frames are the words themselves."""

    def feed(self, frame: Any) -> list[Sighting]:
        return list(frame.words)

    def weigh(self, zone: str, chances: Mapping[str, float]) -> None:
        """Nothing is read here."""

    def finish(self) -> list[Sighting]:
        return []


class _Frame:
    def __init__(self, t_us: int, words: Sequence[Sighting]) -> None:
        self.t_us, self.words = t_us, words


def played(deck: Deck, seed: int, seconds: float) -> PlayedGame:
    """A match of two simulated people."""
    return speed_people.play(Wish(NAMES, deck, seed, seconds), np.random.default_rng([seed, 15485863]))


def play_through(deck: Deck, seed: int, seconds: float = 60.0, errors: SpeedErrors | None = None) -> SpeedTally:
    """One match through a session on drawn words; returns its tally."""
    game = played(deck, seed, seconds)
    return referee_words(game, deck, camera_words(game, errors or SpeedErrors(), seed))


def referee_words(game: PlayedGame, deck: Deck, frames: Sequence[tuple[int, Sequence[Sighting]]]) -> SpeedTally:
    """Referee a match on the camera's words (when they arrive, and what they are), and compare."""
    ledger, kept = Ledger(game.header), _Kept()
    layout = make_layout(game.header["game"], game.header["players"], deck.card_mm)
    follower = make_follower(layout, [], FusionSettings())
    pages, desk = Pages(layout.game, layout.players, [card.id for card in deck.cards], ledger), Desk()
    watcher = cast(Watcher, _Words())
    session = Session(ledger, cast(Any, kept), follower, watcher, None, {}, [pages])
    rulings = true_rulings(game)
    operator = Operator(pages.board, desk, game.events, rulings)
    said = [call_of(event) for event in game.calls]

    def people(now_us: int) -> None:
        while said and said[0].t_us <= now_us:
            session.call(said.pop(0))
        operator.turn(now_us)
        while (command := desk.take()) is not None:
            follow(command, session, pages, now_us, lambda: None)

    at_us = 0
    for at_us, words in frames:
        session.frame(cast(Frame, _Frame(at_us, words)))
        session.now(at_us)
        people(at_us)
    for now_us in range(at_us, at_us + AFTER_US, 100_000):
        session.now(now_us)
        people(now_us)
    session.finish()
    return tally(game.events, rulings, kept.lines, operator.answered)
