"""Golden games: whole games kept with their rulings, each ruling just after the event that caused it.

python -m tests.rules.golden --write     judge them anew (then read the difference)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from referee.adjudication import Game, adjudicate
from referee.record import Record, read_records, write_record
from referee.sim.games import play

FOLDER = Path(__file__).parent / "golden"
FIVE = ("Ana", "Bilal", "Chloé", "Driss", "Eva")

GAMES: dict[str, tuple[int, tuple[str, ...], dict[str, Any]]] = {
    "three-players": (3, FIVE[:3], {}),
    "four-players": (14, FIVE[:4], {"last_out": "card", "missed_duel": "lapses"}),
    "five-players": (15, FIVE, {}),
    "eight-players": (8, (*FIVE, "Farid", "Gaëlle", "Hugo"), {"leftovers": "pot", "unknown_fall": "void"}),
    "two-persons": (2, ("Ana R", "Bo R", "Ana L", "Bo L"), {"hands": 2}),
    "permanent-colour": (5, FIVE[:4], {"permanent_colour": True, "last_colour": "if-missed"}),
    "first-out": (6, FIVE[:4], {"end": "first-out", "simultaneous_ms": 25}),
}


def with_rulings(record: Record) -> Record:
    """The record with the rulings it is given now, each after the event that caused it."""
    lines = []
    for step, rulings in adjudicate(Game(record.header), record.events):
        lines += [step.event, *rulings]
    return Record(record.header, record.events, lines)


def read(name: str) -> Record:
    """One golden game as it was kept."""
    with (FOLDER / f"{name}.jsonl").open("rb") as stream:
        (record,) = read_records(stream, name)
    return record


if __name__ == "__main__" and "--write" in sys.argv:
    FOLDER.mkdir(exist_ok=True)
    for name, (seed, players, options) in GAMES.items():
        with (FOLDER / f"{name}.jsonl").open("wb") as stream:
            write_record(stream, with_rulings(play(seed, players, options, clumsy=0.06)))
