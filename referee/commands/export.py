"""`referee export`: games of a journal as records, as tables (CSV, Parquet), or as bundles that another machine opens.

Belongs here: which games, which files. Does not belong here: what a table or a bundle holds (`referee.tabular`,
`referee.journal.bundle`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from referee.amounts import amount
from referee.commands.searching import add_journal, add_search, games_of, search_of
from referee.errors import InputError
from referee.journal.bundle import write_bundle
from referee.journal.reading import JournalView, KeptGame
from referee.tabular import TABLES, csv_parts, parquet

FORMS = ("records", "bundle", "csv", "parquet")


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add_journal(parser)
    parser.add_argument("games", nargs="*", metavar="GAME", help="keys of games (default: all that match)")
    add_search(parser)
    parser.add_argument("--out", required=True, type=Path, metavar="PATH", help="the file to write, or a folder")
    parser.add_argument(
        "--as",
        dest="form",
        choices=FORMS,
        default="records",
        help="records: one .jsonl; bundle: a .zip a game; csv, parquet: a folder of tables (default %(default)s)",
    )
    parser.add_argument(
        "--secrets", action="store_true", help="also what is kept apart: the forces of Jungle Bluff (records, bundles)"
    )
    parser.add_argument("--force", action="store_true", help="replace what is there")


def run(arguments: argparse.Namespace) -> int:
    """Write the files; 1 when no game matches."""
    with JournalView.open(arguments.journal) as view:
        keys = games_of(view, arguments.games, search_of(arguments))
        if not keys:
            print("No game matches.")
            return 1
        out, force, secrets = arguments.out, arguments.force, arguments.secrets
        if secrets and arguments.form not in ("records", "bundle"):
            raise InputError(f"--secrets: {arguments.form} never holds them, expected records or bundle")
        if arguments.form == "records":
            _write(out, lambda stream: stream.writelines(_records(view, keys, secrets)), force)
        elif arguments.form == "bundle":
            _bundles(view, keys, out, force, secrets)
        else:
            _tables(view, keys, out, arguments.form, force)
    print(f"{out}: {amount(len(keys), 'game')}")
    return 0


def _records(view: JournalView, keys: Sequence[str], secrets: bool) -> Iterator[bytes]:
    for key in keys:
        yield from view.record_lines(key, with_secrets=secrets)


def _bundles(view: JournalView, keys: Sequence[str], out: Path, force: bool, secrets: bool) -> None:
    if out.suffix == ".zip":
        if len(keys) != 1:
            raise InputError(f"--out: {out} is one bundle and {len(keys)} games match, expected a folder for them")
        _write(out, _bundle_writer(view, keys[0], secrets), force)
        return
    _make_folder(out)
    for key in keys:
        path = out / f"{key}.zip"
        _write(path, _bundle_writer(view, key, secrets), force)


def _bundle_writer(view: JournalView, key: str, secrets: bool) -> Callable[[IO[bytes]], None]:
    def write(stream: IO[bytes]) -> None:
        for sentence in write_bundle(stream, view, key, with_secrets=secrets):
            print(sentence, file=sys.stderr)

    return write


def _tables(view: JournalView, keys: Sequence[str], out: Path, form: str, force: bool) -> None:
    _make_folder(out)
    for table in TABLES:
        path = out / f"{table}.{form}"
        if form == "csv":
            _write(path, _csv_writer(view, keys, table), force)
        else:
            _refuse_existing(path, force)
            beside = path.with_name(f"{path.name}.part")
            parquet(table, beside, _kept(view, keys))
            beside.replace(path)


def _csv_writer(view: JournalView, keys: Sequence[str], table: str) -> Callable[[IO[bytes]], None]:
    return lambda stream: stream.writelines(csv_parts(table, _kept(view, keys)))


def _kept(view: JournalView, keys: Sequence[str]) -> Iterator[KeptGame]:
    return (view.game(key) for key in keys)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out: {path} cannot be made ({error.strerror}), expected a folder") from error


def _refuse_existing(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise InputError(f"--out: {path} exists; expected a new file (--force replaces it)")


def _write(path: Path, write: Callable[[IO[bytes]], object], force: bool) -> None:
    """Write a file whole or not at all."""
    _refuse_existing(path, force)
    if path.is_dir():
        raise InputError(f"--out: {path} is a folder, expected a file")
    beside = path.with_name(f"{path.name}.part")
    try:
        with beside.open("wb") as stream:
            write(stream)
        beside.replace(path)
    except OSError as error:
        raise InputError(f"--out: {path} cannot be written ({error.strerror or error})") from error
    finally:
        beside.unlink(missing_ok=True)
