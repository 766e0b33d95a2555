"""`referee journal`: check a journal whole, and take games into it.

Belongs here: the options and what is printed. Does not belong here: the chain (`referee.journal.chain`), bundles
(`referee.journal.bundle`).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from referee.amounts import amount
from referee.commands.searching import ALL_GAMES, add_journal, find_game
from referee.errors import InputError, RecordError
from referee.journal import entries as kinds
from referee.journal.bundle import take_bundle
from referee.journal.chain import Link, find_breaks
from referee.journal.entries import Entry, entry_of
from referee.journal.files import DATABASE, integrity, remove_empty
from referee.journal.reading import EvidenceRow, JournalView
from referee.journal.store import Journal, bring_up_to_date
from referee.journal.vault import VAULT, VaultReader
from referee.record import Record, read_records, to_line
from referee.sealing import fits
from referee.secrecy import with_results

CHUNK = 2**20
HEAD_DIGITS = 64


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `referee journal …`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    checking = actions.add_parser("verify", help="is the chain whole, from the first entry on", allow_abbrev=False)
    checking.add_argument("folder", type=Path, metavar="DIR", help="the journal's folder")
    checking.add_argument("--head", metavar="HASH", help="a head noted earlier: is it still in the chain")
    checking.add_argument("--evidence", action="store_true", help="also every file of evidence against its checksum")
    checking.add_argument("--json", action="store_true", help="one JSON object")
    forgetting = actions.add_parser("forget", help="give up what is kept apart of a game, for good", allow_abbrev=False)
    forgetting.add_argument("game", metavar="GAME", help="its key, the beginning of one, or `latest`")
    add_journal(forgetting)
    taking = actions.add_parser("import", help="take in game records and bundles", allow_abbrev=False)
    taking.add_argument("files", nargs="+", type=Path, metavar="FILE", help="game records (.jsonl) or bundles (.zip)")
    add_journal(taking)
    taking.add_argument("--json", action="store_true", help="one JSON object a game")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked; `verify` gives 1 when something is wrong."""
    if arguments.action == "forget":
        return _forget(arguments)
    return _verify(arguments) if arguments.action == "verify" else _import(arguments)


def _forget(arguments: argparse.Namespace) -> int:
    with JournalView.open(arguments.journal) as view:
        key = find_game(view, arguments.game)
    with Journal.open(arguments.journal) as journal:
        count = journal.forget(key, "a person asked for it")
    print(f"{arguments.journal}: game {key}, {count} secrets given up" if count else f"game {key} has no secrets")
    return 0


# --- verify ---------------------------------------------------------------------------------------------


@dataclass
class _Found:
    """What a whole look at a journal finds."""

    entries: int = 0
    head: str = ""
    wrong: list[str] = field(default_factory=list)
    has_head: bool = False


def _verify(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    wanted = arguments.head.lower() if arguments.head else None
    if wanted is not None and (len(wanted) != HEAD_DIGITS or not set(wanted) <= set("0123456789abcdef")):
        raise InputError(f"--head: {arguments.head} is no head, expected {HEAD_DIGITS} hexadecimal digits")
    bring_up_to_date(folder)
    with JournalView.open(folder) as view:
        found = _look(view, wanted)
        games = view.count()
        if arguments.evidence:
            found.wrong += _check_evidence(view)
    if wanted is not None and not found.has_head:
        found.wrong.append(f"the head {wanted} is not in the chain: what came before it was changed or is gone")
    if arguments.json:
        word = {"entries": found.entries, "games": games, "head": found.head, "whole": not found.wrong}
        print(to_line({**word, "wrong": found.wrong}).decode(), end="")
    else:
        for sentence in found.wrong:
            print(f"{folder}: {sentence}")
        wrong = amount(len(found.wrong), "thing is wrong", "things are wrong")
        kept = f"{amount(games, 'game')}, {amount(found.entries, 'entry', 'entries')}"
        print(f"{folder}: {kept}, {wrong if found.wrong else 'the chain is whole'}; head {found.head}")
    return 1 if found.wrong else 0


def _look(view: JournalView, wanted: str | None) -> _Found:
    found = _Found(wrong=[*integrity(view.folder), *_wrong_secrets(view.folder)])

    def watched() -> Iterator[Link]:
        for link in view.links():
            found.entries, found.head = found.entries + 1, link.hash.hex()
            found.has_head = found.has_head or found.head == wanted
            yield link

    try:
        found.wrong += [sentence for _, sentence in find_breaks(watched())]
    except RecordError as error:
        found.wrong.append(str(error))
    return found


def _wrong_secrets(folder: Path) -> Iterator[str]:
    """A secret that is not the one that was sealed was changed afterwards."""
    vault = VaultReader(folder / VAULT)
    try:
        for game, secret in vault.all():
            if not fits(secret):
                yield f"{vault.path}: a secret of game {game} is not what was sealed"
    finally:
        vault.close()


def _check_evidence(view: JournalView) -> Iterator[str]:
    for row in view.games(limit=ALL_GAMES):
        for piece in view.game(row.key).evidence:
            if piece.gone is None and (sentence := _wrong_with(piece)):
                yield sentence


def _wrong_with(piece: EvidenceRow) -> str:
    digest = hashlib.sha256()
    try:
        with piece.path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        return f"{piece.path}: evidence {piece.id} cannot be read ({error.strerror})"
    return "" if digest.hexdigest() == piece.sha256 else f"{piece.path}: evidence {piece.id} is not what was kept"


# --- import ---------------------------------------------------------------------------------------------


def _import(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.journal
    there = [path for path in (folder, *folder.parents) if path.exists()][:1]
    fresh = not (folder / DATABASE).exists()
    try:
        return _import_all(arguments)
    except BaseException:
        if fresh:
            remove_empty(folder, there[0] if there else folder)
        raise


def _import_all(arguments: argparse.Namespace) -> int:
    with Journal.open(arguments.journal) as journal:
        for notice in journal.notices:
            print(notice, file=sys.stderr)
        for path in arguments.files:
            for key in _take(path, journal):
                if arguments.json:
                    print(to_line({"file": str(path), "game": key}).decode(), end="")
                else:
                    print(f"{path}: game {key}")
    return 0


def _take(path: Path, journal: Journal) -> Iterator[str]:
    if not path.is_file():
        raise RecordError(f"{path}: there is no such file, expected a game record or a bundle")
    if zipfile.is_zipfile(path):
        yield take_bundle(path, journal)
        return
    with path.open("rb") as stream:
        for record in read_records(stream, str(path)):
            try:
                yield take_record(record, journal)
            except RecordError as error:
                raise RecordError(f"{path}, line {record.header_line}, {error}") from None


def take_record(record: Record, journal: Journal) -> str:
    """Keep a record's game; its key comes from its content, so that the same record is not taken in twice."""
    content = b"".join(to_line(word) for word in (record.header, *record.lines))
    entries = [entry_of(word) for word in (record.header, *with_results(record))]
    ended = any(event["event"] == "end" for event in record.events)
    mark = Entry(kinds.ENDED, {}) if ended else Entry(kinds.INTERRUPTED, {"why": "its record ends here"})
    return journal.take_in([*entries, mark], hashlib.sha256(content).hexdigest()[:16])
