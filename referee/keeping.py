"""Keeping a running game, and its record file: every line is on the disk before anyone hears of it.

Written rules of this module:
- a line is synced (`fsync`) before `keep` returns when it holds a ruling; whoever speaks does so afterwards;
- what is secret of an event lies in a file of its own, NAME.secrets, and only sealed in the record;
- nothing that exists is overwritten; a file whose last line was torn by a power cut is sealed, and the torn
  line is kept beside the record (`NAME.torn`), never deleted;
- a sync that failed is not tried again: what is on the disk is no longer known, and the game stops with one
  sentence (SQLite and PostgreSQL learnt this the hard way: a second fsync may succeed without the data).
Does not belong here: what a line says.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from referee.errors import HardwareError, RecordError
from referee.journal.entries import Entry
from referee.journal.vault import Vault, read_secrets
from referee.record import Record, read_records, to_line
from referee.sealing import may_hold_secrets, opened, seal, seals
from referee.words import Header


class Keeper(Protocol):
    """Whoever keeps a running game: what it was given is on the disk before anyone hears of it."""

    def keep(self, words: Iterable[Mapping[str, Any]], sync: bool = True, beside: Sequence[Entry] = ()) -> None:
        """Keep words of the record, in order, and what belongs beside them, all or nothing; raises `HardwareError`."""

    def close(self) -> None:
        """Nothing more comes; a second time does nothing."""


class Keepers:
    """Several keepers as one: each is told in turn, and the first that fails ends the game."""

    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self._keepers = list(keepers)

    def put_first(self, keeper: Keeper) -> None:
        """One more, which is told before the others."""
        self._keepers.insert(0, keeper)

    def keep(self, words: Iterable[Mapping[str, Any]], sync: bool = True, beside: Sequence[Entry] = ()) -> None:
        """Keep the same in each."""
        same = list(words)
        for keeper in self._keepers:
            keeper.keep(same, sync, beside)

    def close(self) -> None:
        """Close each, also where one fails."""
        with ExitStack() as stack:
            for keeper in reversed(self._keepers):
                stack.callback(keeper.close)


ONE_GAME = ""
"""The name of a record's only game among its secrets."""


def secrets_beside(path: Path) -> Path:
    """Where the secrets of a record lie."""
    return path.with_name(f"{path.name}.secrets")


def with_secrets(path: Path, record: Record) -> Record:
    """A record with those of its secrets that lie beside it.

    Raises `RecordError` for one that is not what was sealed.
    """
    if not any(seals(event) for event in record.events if may_hold_secrets(event)):
        return record
    known = read_secrets(secrets_beside(path), ONE_GAME)
    lines = [line if "ruling" in line else opened(line, known) for line in record.lines]
    return Record(record.header, [line for line in lines if "ruling" not in line], lines, record.header_line)


class RecordFile:
    """A game record that grows."""

    def __init__(self, path: Path, header: Header | None) -> None:
        """A fresh record with its header, or (header None) an existing one to go on with.

        Raises `RecordError` when the file exists (with a header), is not there (without) or cannot be made.
        """
        self.path = path
        self._broken = False
        self._vault = Vault(secrets_beside(path))
        try:
            flags = os.O_WRONLY | os.O_APPEND | (0 if header is None else os.O_CREAT | os.O_EXCL)
            self._file = os.open(path, flags, 0o644)
        except FileExistsError as error:
            if path.is_dir():
                raise RecordError(f"{path}: is a folder, expected a file for the record") from error
            raise RecordError(f"{path}: exists; expected a new file (--force sets it aside)") from error
        except OSError as error:
            raise RecordError(
                f"{path}: cannot be written ({error.strerror}), expected a place for the record"
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise RecordError(f"{path}: another game is being kept in it; expected a record of its own") from error
        if header is not None:
            self.keep([header])
            _sync_folder(path.absolute().parent)

    def keep(self, words: Iterable[Mapping[str, Any]], sync: bool = True, beside: Sequence[Entry] = ()) -> None:
        """Append lines; with `sync` they are on the disk when this returns. Raises `HardwareError`.

        What belongs `beside` the record has no place in it.
        """
        if self._broken:
            raise HardwareError(f"{self.path}: an earlier line could not be written; nothing more is kept there")
        content = b"".join(to_line(word) for word in self._sealed(words))
        try:
            while content:
                content = content[os.write(self._file, content) :]
            if sync:
                os.fsync(self._file)
        except OSError as error:
            self._broken = True
            raise HardwareError(
                f"{self.path}: the record cannot be written ({error.strerror}); the game stops"
            ) from error

    def _sealed(self, words: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The words as everybody may read them; their secrets are on the disk when this returns."""
        public: list[Mapping[str, Any]] = []
        for word in words:
            if may_hold_secrets(word) and "ruling" not in word:
                word, found = seal(word)
                self._vault.put(ONE_GAME, found)
            public.append(word)
        return public

    def close(self) -> None:
        """Sync and close; a second time does nothing."""
        self._vault.close()
        if self._file < 0:
            return
        file, self._file = self._file, -1
        try:
            if not self._broken:
                os.fsync(file)
        finally:
            os.close(file)

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def set_aside(path: Path) -> Path | None:
    """Make room for a new record: what lies there is renamed `NAME.1`, `NAME.2`, …; None when nothing does."""
    if not os.path.lexists(path):
        return None
    if path.is_dir():
        raise RecordError(f"{path}: is a folder, expected a file for the record")
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.{number}")):
        number += 1
    path.rename(aside)
    if secrets_beside(path).exists():
        secrets_beside(path).rename(secrets_beside(aside))
    return aside


def go_on(path: Path) -> tuple[Record, RecordFile]:
    """An interrupted game's record, sealed and open for more.

    Raises `RecordError` when it is no record, when its game has ended, or when somebody else keeps a game in it.
    """
    kept = RecordFile(path, None)
    try:
        # Nothing is cut off a file that is no record, or not one that can go on.
        content = path.read_bytes()
        records = list(read_records(BytesIO(content[: content.rfind(b"\n") + 1]), str(path)))
        if len(records) != 1:
            raise RecordError(f"{path}: holds {len(records)} games; expected the one that is to go on")
        if any(event["event"] == "end" for event in records[0].events):
            raise RecordError(f"{path}: its game has ended; expected one that was interrupted")
        _seal(path)
    except OSError as error:
        kept.close()
        raise RecordError(f"{path}: cannot be read ({error.strerror}), expected a game record") from error
    except RecordError:
        kept.close()
        raise
    return with_secrets(path, records[0]), kept


def _seal(path: Path) -> None:
    """Cut a last line without its newline off the record and keep it in `NAME.torn`."""
    try:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole == len(content):
            return
        with path.with_name(path.name + ".torn").open("ab") as torn:
            torn.write(content[whole:] + b"\n")
            torn.flush()
            os.fsync(torn.fileno())
        with path.open("r+b") as record:
            record.truncate(whole)
            os.fsync(record.fileno())
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}), expected a game record") from error


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
