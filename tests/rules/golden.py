"""Golden games: whole games kept with their rulings, each ruling just after the event that caused it.

python -m tests.rules.golden --write     judge them anew (then read the difference)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from referee.adjudication import Game, adjudicate
from referee.record import Record, read_records, write_record
from referee.sim import bluff_games, dobro_games, games, speed_games
from referee.words import Event, Ruling

FOLDER = Path(__file__).parent / "golden"
FIVE = ("Ana", "Bilal", "Chloé", "Driss", "Eva")


class Recipe(NamedTuple):
    """How a golden game is made anew: who plays it by chance, and with what."""

    play: Callable[..., Record]  # (seed, players, options, clumsy=…)
    seed: int
    players: tuple[str, ...]
    options: dict[str, Any]


GAMES: dict[str, Recipe] = {
    "three-players": Recipe(games.play, 3, FIVE[:3], {}),
    "four-players": Recipe(games.play, 14, FIVE[:4], {"last_out": "card", "missed_duel": "lapses"}),
    "five-players": Recipe(games.play, 15, FIVE, {}),
    "eight-players": Recipe(
        games.play, 8, (*FIVE, "Farid", "Gaëlle", "Hugo"), {"leftovers": "pot", "unknown_fall": "void"}
    ),
    "two-persons": Recipe(games.play, 2, ("Ana R", "Bo R", "Ana L", "Bo L"), {"hands": 2}),
    "permanent-colour": Recipe(games.play, 5, FIVE[:4], {"permanent_colour": True, "last_colour": "if-missed"}),
    "first-out": Recipe(games.play, 6, FIVE[:4], {"end": "first-out", "simultaneous_ms": 25}),
    "speed-three": Recipe(speed_games.play, 12, FIVE[:2], {}),
    "speed-one": Recipe(speed_games.play, 32, FIVE[:2], {"best_of": 1}),
    "bluff-classic": Recipe(bluff_games.play, 1, FIVE[:4], {}),
    "bluff-advanced": Recipe(bluff_games.play, 17, FIVE[:3], {"advanced": True}),
    "dobro-two-players": Recipe(dobro_games.play, 2, FIVE[:2], {}),
    "dobro-four-players": Recipe(dobro_games.play, 4, FIVE[:4], {"long_game": True}),
    "dobro-six-players": Recipe(
        dobro_games.play,
        6,
        (*FIVE, "Farid"),
        {"oubli_called_by": "referee", "scoring": {"6": [0, 1, 2, 4, 6, 9]}},
    ),
}


def with_rulings(record: Record) -> Record:
    """The record with the rulings it is given now, each after the event that caused it."""
    given: list[list[Ruling]] = [[] for _ in record.events]
    for step, rulings in adjudicate(Game(record.header), record.events):
        given[step.place] += rulings
    lines: list[Event] = []
    for event, caused in zip(record.events, given, strict=True):
        lines += [event, *caused]
    return Record(record.header, record.events, lines)


def read(name: str) -> Record:
    """One golden game as it was kept."""
    with (FOLDER / f"{name}.jsonl").open("rb") as stream:
        (record,) = read_records(stream, name)
    return record


if __name__ == "__main__" and "--write" in sys.argv:
    FOLDER.mkdir(exist_ok=True)
    for name, recipe in GAMES.items():
        played = recipe.play(recipe.seed, recipe.players, recipe.options, clumsy=0.06)
        with (FOLDER / f"{name}.jsonl").open("wb") as stream:
            write_record(stream, with_rulings(played))
