"""`referee replay`: works kept games out again and says whether every ruling comes out as it was given.

Belongs here: which files, which form of output. Does not belong here: judging, comparing (`referee.ledger`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.announce.sentences import ruling_sentence
from referee.errors import RecordError
from referee.ledger import find_difference, standing
from referee.record import Record, read_records, to_line
from referee.words import Ruling


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "records", nargs="+", metavar="RECORD", type=Path, help="kept games (.jsonl), or folders of them"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a game")
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="language of the sentences")


def run(arguments: argparse.Namespace) -> int:
    """Print each game's answer; 1 when a ruling of any game comes out differently."""
    all_same = True
    for path in _files(arguments.records):
        for number, record in enumerate(_read(path)):
            try:
                differences = find_difference(record.rulings, record.header, record.events)
            except RecordError as error:
                raise RecordError(f"{path}, line {record.header_line}, {error}") from None
            all_same = all_same and not differences
            if arguments.json:
                _print_json(path, number, record, differences)
            else:
                _print(path, record, differences, arguments.lang)
    return 0 if all_same else 1


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.glob("*.jsonl"))
        if not inside:
            raise RecordError(f"{path}: holds no .jsonl file, expected kept games")
        yield from inside


def _read(path: Path) -> Iterator[Record]:
    with path.open("rb") as stream:
        yield from read_records(stream, str(path))


def _print_json(
    path: Path, number: int, record: Record, differences: list[tuple[Ruling | None, Ruling | None]]
) -> None:
    pairs = [{"given": given, "now": now} for given, now in differences]
    answer = {
        "file": str(path),
        "record": number,
        "rulings": len(standing(record.rulings)),
        "same": not differences,
        "differences": pairs,
    }
    sys.stdout.flush()
    sys.stdout.buffer.write(to_line(answer))
    sys.stdout.buffer.flush()


def _print(path: Path, record: Record, differences: list[tuple[Ruling | None, Ruling | None]], language: str) -> None:
    kept = len(standing(record.rulings))
    if not record.rulings and differences:
        print(f"{path}: no ruling was kept in it; `referee adjudicate` rules it")
        return
    if not differences:
        print(f"{path}: {len(record.events)} events, all {kept} rulings come out as they were given")
        return
    print(f"{path}: {len(differences)} of {kept} rulings come out differently")
    game = record.header["game"]
    for given, now in differences:
        for word, ruling in (("given", given), ("now  ", now)):
            said = "nothing" if ruling is None else _said(ruling, language, game)
            at = "" if ruling is None else f"{ruling['t_us'] / 1e6:.3f} s  "
            print(f"  {word}: {at}{said}")


def _said(ruling: Ruling, language: str, game: str) -> str:
    """A ruling in words; as it stands where it lacks what the words need: somebody changed the file."""
    try:
        return ruling_sentence(ruling, language, game)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return to_line(ruling).decode().strip()
