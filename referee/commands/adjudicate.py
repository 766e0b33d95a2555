"""`referee adjudicate`: from game records to rulings.

Belongs here: which files, which form of output. Does not belong here: judging (`referee.adjudication`), wording
(`referee.announce.sentences`), the layout of the sheet (`referee.announce.sheet`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from referee import catalogue
from referee.adjudication import Game, adjudicate
from referee.announce.sheet import Sheet
from referee.errors import RecordError
from referee.record import Record, Step, read_records, to_line
from referee.words import Ruling
from referee.worlds import Worlds


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("records", nargs="+", metavar="RECORD", help="game records (.jsonl); - is standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--state", action="store_true", help="add the counts after the last event")
    parser.add_argument("--explain", action="store_true", help="add the sentence of each clause cited")
    parser.add_argument(
        "--events", action="store_true", help="show every event too, to follow the game (not with --json)"
    )
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="language of the sheet and of the sentences")


def run(arguments: argparse.Namespace) -> int:
    """Print every record's rulings; a defective record raises `RecordError` after those before it."""
    waiting: tuple[str, Record] | None = None
    several = len(arguments.records) > 1
    number = 0
    try:
        for found in _all_records(arguments.records):
            if waiting is not None:
                several = True
                _print(*waiting, number if several else None, arguments)
                number += 1
            waiting = found
    finally:
        # Also when the next record is defective: what was read whole before it is judged and printed.
        if waiting is not None:
            _print(*waiting, number if several else None, arguments)
    return 0


def _all_records(names: list[str]) -> Iterator[tuple[str, Record]]:
    for name in names:
        if name == "-":
            yield from (("standard input", record) for record in read_records(sys.stdin.buffer, "standard input"))
        else:
            with Path(name).open("rb") as stream:
                yield from ((name, record) for record in read_records(stream, name))


def _print(name: str, record: Record, number: int | None, arguments: argparse.Namespace) -> None:
    try:
        # A running game withholds what follows from something open, and so does who judges its record again.
        game = Worlds(record.header) if record.rulings else Game(record.header)
    except RecordError as error:
        raise RecordError(f"{name}, line {record.header_line}, {error}") from None
    judged = adjudicate(game, record.events)
    if arguments.json:
        _print_json(sys.stdout.buffer, game, judged, number, arguments)
    else:
        sheet = Sheet(record, arguments.lang, explain=arguments.explain, events=arguments.events)
        sheet.show(game, judged, number, state=arguments.state)


def _print_json(
    output: IO[bytes],
    game: Game,
    judged: Iterator[tuple[Step, list[Ruling]]],
    number: int | None,
    arguments: argparse.Namespace,
) -> None:
    sys.stdout.flush()
    if number is not None:
        output.write(to_line({"record": number}))
    for _, rulings in judged:
        for ruling in rulings:
            output.write(to_line(_explained(ruling, arguments.lang) if arguments.explain else ruling))
    if arguments.state:
        output.write(to_line({"state": game.summary()}))
    output.flush()


def _explained(ruling: dict[str, Any], language: str) -> dict[str, Any]:
    said = {clause: catalogue.sentence(clause, language) for clause in ruling["clauses"]}
    return {**ruling, "explain": {clause: sentence for clause, sentence in said.items() if sentence}}
