"""`referee replay`: works kept games out again and says whether every ruling comes out as it was given.

Belongs here: which files or games, which form of output. Does not belong here: judging (`referee.replaying`),
comparing (`referee.ledger`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.progress import Progress

from referee.amounts import amount
from referee.commands.saying import at, how_close, said
from referee.commands.searching import add_search, games_of, search_of
from referee.errors import InputError, RecordError
from referee.journal.files import DATABASE
from referee.journal.reading import JournalView
from referee.record import to_line
from referee.replaying import Answer, Source, replay_all, sources_of

LONGEST_HEADER = 1 << 20  # a line of a record (formats: limits)


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument(
        "records", nargs="*", metavar="RECORD", type=Path, help="kept games (.jsonl), folders of them, or journals"
    )
    parser.add_argument(
        "--journal", type=Path, metavar="DIR", help="a journal, of which the options below choose games"
    )
    add_search(parser)
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="with this house rule instead of the game's"
    )
    parser.add_argument("--processes", type=int, metavar="N", help="how many at a time (default: one a processor)")
    parser.add_argument("--json", action="store_true", help="one JSON object a game")
    parser.add_argument("--lang", choices=("en", "fr"), default="en", help="language of the sentences")


def run(arguments: argparse.Namespace) -> int:
    """Print each game's answer; 1 when a ruling of any game comes out differently."""
    sources = list(_sources(arguments))
    options = dict(map(_option, arguments.option))
    games = changed = differences = 0
    with _progress(sum(max(1, len(source.keys)) for source in sources), arguments.json) as advance:
        for answers in replay_all(sources, options, arguments.processes):
            for answer in answers:
                games += 1
                changed += bool(answer.differences)
                differences += len(answer.differences)
                if arguments.json:
                    _print_json(answer)
                else:
                    _print(answer, arguments.lang)
            advance(len(answers))
    if not arguments.json and any(source.keys for source in sources):
        some = f"{changed} of them with rulings that come out differently ({amount(differences, 'ruling')})"
        print(f"{amount(games, 'game')}, {some}")
    return 1 if changed else 0


def _sources(arguments: argparse.Namespace) -> Iterator[Source]:
    if arguments.journal is not None:
        yield from _journal(arguments.journal, arguments)
    elif not arguments.records:
        raise InputError("expected game records, or --journal with a journal's folder")
    for path in arguments.records:
        if not path.is_dir():
            yield Source(path)
        elif (path / DATABASE).is_file():
            yield from _journal(path, arguments)
        else:
            inside = {file: _begins_with_a_header(file) for file in sorted(path.glob("*.jsonl"))}
            if not any(inside.values()):
                raise RecordError(f"{path}: holds no game record (.jsonl), expected kept games")
            for file, is_record in inside.items():
                if is_record:
                    yield Source(file)
                else:
                    print(f"{file}: does not begin with a record's header, left out", file=sys.stderr)


def _begins_with_a_header(path: Path) -> bool:
    """Whether a file in a folder is meant as a game record: beside them may lie calls, or what a program left."""
    with path.open("rb") as stream:
        first = stream.readline(LONGEST_HEADER)
    try:
        header = orjson.loads(first)
    except orjson.JSONDecodeError:
        return b'"record"' in first
    return isinstance(header, dict) and "record" in header


def _journal(folder: Path, arguments: argparse.Namespace) -> list[Source]:
    with JournalView.open(folder) as view:
        return sources_of(folder, games_of(view, [], search_of(arguments)))


def _option(text: str) -> tuple[str, Any]:
    """A house rule; its value as JSON where it is some, else as a word."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise InputError(f"--option: {text}, expected KEY=VALUE")
    try:
        return key, orjson.loads(value)
    except orjson.JSONDecodeError:
        return key, value


@contextmanager
def _progress(games: int, quiet: bool) -> Iterator[Any]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done: None
        return
    with Progress(console=console) as progress:
        task = progress.add_task("replaying", total=games)
        yield lambda done: progress.update(task, advance=done)


def _print_json(answer: Answer) -> None:
    word = {
        "file": str(answer.path),
        "record": answer.number,
        "rulings": answer.kept,
        "same": not answer.differences,
        "differences": [{"given": given, "now": now} for given, now in answer.differences],
    }
    if answer.key is not None:
        word["game"] = answer.key
    sys.stdout.flush()
    sys.stdout.buffer.write(to_line(word))
    sys.stdout.buffer.flush()


def _print(answer: Answer, language: str) -> None:
    name = answer.path if answer.key is None else f"{answer.path}, game {answer.key}"
    if not answer.any_kept and answer.differences:
        print(f"{name}: no ruling was kept in it; `referee adjudicate` rules it")
        return
    if not answer.differences:
        if answer.key is None:  # of a journal's thousands only those are named that differ
            every = (
                "the one ruling comes out as it was"
                if answer.kept == 1
                else f"all {answer.kept} rulings come out as they were"
            )
            print(f"{name}: {amount(answer.events, 'event')}, {every} given")
        return
    many = len(answer.differences)
    of = max(answer.kept, many)  # there may be more now than were given
    print(f"{name}: {many} of {amount(of, 'ruling')} {'comes' if many == 1 else 'come'} out differently")
    for given, now in answer.differences:
        for word, ruling in (("given", given), ("now  ", now)):
            if ruling is None:
                print(f"  {word}: nothing")
            else:
                close = how_close(ruling.get("margin"), language)
                sentence = said(ruling, language, answer.game) + (f"  ({close})" if close else "")
                print(f"  {word}: {at(ruling['t_us']).strip()}  {sentence}")
