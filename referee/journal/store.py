"""The one writer of a journal.

Written rules of this module:
- what `keep`, `keep_beside` or `add` was given is on the disk when it returns: one transaction, one sync;
- a write or sync that failed is not tried again: the journal is broken from then on, and whoever keeps a game in it
  is told in one sentence. What was acknowledged before stays;
- one writer at a time (`flock` on the file `lock`), in one process; several threads of it take turns;
- nothing is ever deleted but secrets that are given up, which the chain says: a damaged file is moved aside whole;
- no secret enters the chain: an event that holds one is sealed first, and the secret lies in the vault before.
Does not belong here: asking (`referee.journal.reading`), what is derived (`referee.journal.derived`).
"""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import orjson

from referee.errors import HardwareError, RecordError
from referee.journal import entries as kinds
from referee.journal.chain import GENESIS, chain_hash
from referee.journal.derived import INTERRUPTED, RUNNING, Kept, derive
from referee.journal.entries import Entry, Settings, check_entry, entry_of
from referee.journal.files import DATABASE, LOCK, is_damage, look_at_start, put_in_place, read_only, set_aside
from referee.journal.schema import VERSION, migrate, version_of
from referee.journal.secrets_known import SEALED_MARK, known_secrets
from referee.journal.vault import SWEPT, VAULT, Vault, VaultReader, read_secrets
from referee.record import Record, to_line
from referee.sealing import Secret, fits, may_hold_secrets, opened, seal, seals, secret_of, told_by_the_totals
from referee.words import Event, Header

KEY_BYTES = 8
LOCK_TRIES, LOCK_WAIT_S = 5, 0.02


class Journal:
    """A journal open for writing; `notices` are sentences a person should hear of."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int, notices: Sequence[str]) -> None:
        self.folder = folder
        self.notices = list(notices)
        self._connection = connection
        self._guard = read_only(folder / DATABASE)
        self._lock = lock
        self._turn = threading.RLock()
        self._broken = ""
        self._vault = Vault(folder / VAULT)
        self._sequence, self._hash = _head(connection)

    @classmethod
    def open(cls, folder: Path, *, anew: bool = False) -> Journal:
        """Make or open the journal in `folder`; with `anew` one that is damaged is set aside and a new one begins.

        A game that is about to be played must be kept somewhere; whoever only looks again leaves what is there alone.
        Raises `RecordError` when another process writes it, when the folder cannot be written, when the file is
        another program's or a newer referee's, or when it is damaged and none is to begin anew.
        """
        lock = _take_lock(folder)
        notices: list[str] = []
        try:
            try:
                connection = _connect(folder)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                if not anew:
                    raise RecordError(
                        f"{folder / DATABASE}: is damaged ({error}), expected a whole journal; nothing was changed"
                    ) from error
                aside = set_aside(folder)
                notices.append(
                    f"{folder / DATABASE} was damaged ({error}); it is kept whole in {aside}, a new one begins"
                )
                connection = _connect(folder)
            journal = cls(folder, connection, lock, notices)
            journal._sweep_secrets()
            journal._close_interrupted()
        except sqlite3.Error as error:
            os.close(lock)
            raise RecordError(f"{folder}: the journal cannot be opened ({error})") from error
        except BaseException:
            os.close(lock)
            raise
        return journal

    @property
    def broken(self) -> bool:
        """Whether a write failed: nothing more is kept."""
        return bool(self._broken)

    # ---- games

    def begin(self, header: Header, settings: Settings) -> GameKeeper:
        """A new game; its header and settings are kept when this returns."""
        key = secrets.token_hex(KEY_BYTES)
        with self._turn:
            self._write(key, [entry_of(header), Entry(kinds.SETTINGS, settings.word())], new_game=True)
        return GameKeeper(self, key)

    def go_on(self, key: str) -> tuple[Record, GameKeeper]:
        """An interrupted game and its keeper; raises `RecordError` when there is none or it has ended."""
        with self._turn:
            record = self._record(key)
        if any(event["event"] == "end" for event in record.events):
            raise RecordError(f"{self.folder}: game {key} has ended; expected one that was interrupted")
        return record, GameKeeper(self, key)

    def take_in(self, entries: Sequence[Entry], key: str | None = None, secrets_too: Sequence[Secret] = ()) -> str:
        """A whole game from elsewhere, all or nothing; `key` is its name where it has one already. Returns its key.

        `secrets_too` are those of its sealed events, where they came along. Raises `RecordError` when a game of that
        key, or evidence of the same id, is here already.
        """
        key = key or secrets.token_hex(KEY_BYTES)
        with self._turn:
            if self._connection.execute("SELECT 1 FROM game_keys WHERE key = ?", (key,)).fetchone():
                raise RecordError(f"{self.folder}: game {key} is here already")
            self._check_open()
            self._vault.put(key, secrets_too)
            self._write(key, entries, new_game=True)
        return key

    def header(self, key: str) -> Header:
        """A game's header; raises `RecordError` when there is no such game."""
        with self._turn:
            return self._record(key).header

    def interrupted(self) -> list[str]:
        """The keys of the games that did not end, the latest first."""
        with self._turn:
            rows = self._connection.execute(
                "SELECT key FROM games WHERE state IN (?, ?) ORDER BY game DESC", (INTERRUPTED, RUNNING)
            )
            return [key for (key,) in rows]

    def add(self, key: str, entries: Sequence[Entry]) -> None:
        """Add entries to a game: what is found, corrected or said about it afterwards, all or nothing.

        Raises `RecordError` for an entry or a game that is not known, `HardwareError` when it cannot be kept.
        """
        with self._turn:
            self._write(key, entries)

    def keep_apart(self, key: str, about: Mapping[str, Any], value: str) -> str:
        """Keep a secret that belongs to no event yet: sealed in the chain with what it is `about`, its value apart.

        Returns the commitment, which an event may bear later. On the disk when this returns. Raises `RecordError` for a
        game that is not known, `HardwareError` when it cannot be kept.
        """
        secret = secret_of(value)
        with self._turn:
            self._put(key, [secret])
            self._write(key, [Entry(kinds.SEALED, {**about, "sealed": secret.seal})])
        return secret.seal

    def kept_apart(self, key: str) -> list[tuple[Mapping[str, Any], str]]:
        """The secrets kept so that are still there: what each is about, and its value; the later ones last.

        Raises `RecordError` for one that is not what was sealed.
        """
        with self._turn:
            known = read_secrets(self._vault.path, key)
            words = self._sealed_apart(key)
        if any(not fits(known[word["sealed"]]) for word in words if word["sealed"] in known):
            raise RecordError(f"{self.folder}: game {key}: a secret is not what was sealed: it was changed afterwards")
        return [(word, known[word["sealed"]].value) for word in words if word["sealed"] in known]

    def _sealed_apart(self, key: str) -> list[dict[str, Any]]:
        rows = self._connection.execute(
            "SELECT line FROM entries JOIN game_keys USING (game) WHERE key = ? AND kind = ? ORDER BY sequence",
            (key, kinds.SEALED),
        )
        return [orjson.loads(line) for (line,) in rows]

    def forget(self, key: str, why: str, about: Mapping[str, Any] | None = None) -> int:
        """Give up the secrets of a game for good, and say so in the chain; returns how many there were.

        With `about` only those kept apart about it. Raises `RecordError` for a game
        that is not known, `HardwareError` when it cannot be done.
        """
        with self._turn:
            known = set(read_secrets(self._vault.path, key))
            if about is not None:
                known &= {word["sealed"] for word in self._sealed_apart(key) if about.items() <= word.items()}
            if not known:
                return 0
            self._write(key, [Entry(kinds.SECRETS_GONE, {"why": why, "seals": sorted(known)})])
            self._vault.take_out(known)
        return len(known)

    def close(self) -> None:
        """Close; a second time does nothing."""
        with self._turn:
            if self._lock < 0:
                return
            self._vault.close()
            # The last connection to close copies its log into the database. After a failed write that would be trying
            # again: the guard, which cannot write, is then the last.
            order = (self._connection, self._guard) if self._broken else (self._guard, self._connection)
            for connection in order:
                connection.close()
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ---- writing

    def _write(self, key: str, new: Sequence[Entry], *, new_game: bool = False) -> None:
        for entry in new:
            check_entry(entry)
        new = self._sealed(key, new)
        with self._transaction():
            game = self._game_number(key, new_game)
            new = [*new, *self._told(key, game, new)]
            head, sequence = self._hash, self._sequence
            rows, kept = [], []
            for entry in new:
                line = to_line(entry.word)
                sequence, head = sequence + 1, chain_hash(head, entry.kind, key, line)
                rows.append((sequence, game, entry.kind, line, head))
                kept.append(Kept(sequence, entry.kind, entry.word))
            self._connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows)
            derive(self._connection, game, key, kept)
        self._hash, self._sequence = head, sequence

    def _sealed(self, key: str, new: Sequence[Entry]) -> Sequence[Entry]:
        """The entries as everybody may read them; their secrets are on the disk when this returns."""
        if not any(entry.kind == kinds.EVENT and may_hold_secrets(entry.word) for entry in new):
            return new
        found: list[Secret] = []
        public: list[Entry] = []
        for entry in new:
            if entry.kind == kinds.EVENT:
                word, own = seal(entry.word)
                found += own
                public.append(Entry(entry.kind, word))
            else:
                public.append(entry)
        if found:
            self._put(key, found)
        return public

    def _put(self, key: str, found: Sequence[Secret]) -> None:
        self._check_open()
        try:
            self._vault.put(key, found)
        except HardwareError as error:
            self._broken = f"an earlier secret could not be kept ({error})"
            raise

    def _told(self, key: str, game: int, new: Sequence[Entry]) -> list[Entry]:
        """What the totals of a game that is over tell everybody is opened in the chain with them."""
        if not any(entry.kind == kinds.RULING and entry.word["ruling"] == "over" for entry in new):
            return []
        known = read_secrets(self._vault.path, key)
        for entry in new:
            if entry.kind == kinds.OPENED:
                known.pop(entry.word["sealed"], None)
        if not known:
            return []
        lines = self._connection.execute(
            "SELECT line FROM entries WHERE game = ? AND kind = ? ORDER BY sequence", (game, kinds.EVENT)
        )
        events = [orjson.loads(line) for (line,) in lines] + [one.word for one in new if one.kind == kinds.EVENT]
        shown = [known[seal] for seal in told_by_the_totals(events) if seal in known]
        return [Entry(kinds.OPENED, {"sealed": one.seal, "salt": one.salt, "value": one.value}) for one in shown]

    def _check_open(self) -> None:
        if self._broken or self._lock < 0:
            raise HardwareError(f"{self.folder}: {self._broken or 'the journal is closed'}; nothing more is kept there")

    def _sweep_secrets(self) -> None:
        """Nobody else writes: what was on its way when the program or the power ended is brought to an end."""
        latest = self._vault.latest()
        if not latest:
            return
        ended = self._connection.execute(
            "SELECT line FROM entries WHERE kind = ? AND sequence > ?", (kinds.SECRETS_GONE, self._sequence - SWEPT)
        )
        given_up = {one for (line,) in ended for one in orjson.loads(line)["seals"]}
        sealed = {game: self._seals_of(game) for game in {game for game, _ in latest}}
        orphans = {one for game, one in latest if one not in sealed[game]}
        self._vault.take_out(given_up | orphans)

    def _seals_of(self, key: str) -> set[str]:
        rows = self._connection.execute(
            "SELECT line FROM entries JOIN game_keys USING (game) WHERE key = ? AND kind = ?", (key, kinds.EVENT)
        )
        apart = {word["sealed"] for word in self._sealed_apart(key)}
        return apart | {one for (line,) in rows if SEALED_MARK in line for one in seals(orjson.loads(line))}

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing; on the disk when it ends."""
        self._check_open()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.IntegrityError as error:
            self._connection.execute("ROLLBACK")
            raise RecordError(f"{self.folder}: the entry contradicts what is kept ({error})") from error
        except sqlite3.Error as error:
            self._broken = f"an earlier entry could not be kept ({error})"
            raise HardwareError(f"{self.folder}: the journal cannot be written ({error}); the game stops") from error
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _game_number(self, key: str, new_game: bool) -> int:
        if new_game:
            made = self._connection.execute("INSERT INTO game_keys (key) VALUES (?)", (key,))
            return cast(int, made.lastrowid)
        row = self._connection.execute("SELECT game FROM game_keys WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise RecordError(f"{self.folder}: there is no game {key}")
        return int(row[0])

    def _entries(self, key: str) -> list[tuple[str, bytes]]:
        """The lines of a game's record, as everybody may read them, with their kinds."""
        rows: list[tuple[str, bytes]] = self._connection.execute(
            "SELECT kind, line FROM entries JOIN game_keys USING (game) WHERE key = ? AND kind IN (?, ?, ?) "
            "ORDER BY sequence",
            (key, kinds.HEADER, kinds.EVENT, kinds.RULING),
        ).fetchall()
        if not rows:
            raise RecordError(f"{self.folder}: there is no game {key}")
        return rows

    def _record(self, key: str) -> Record:
        """The game as it goes on: with the secrets that are still there."""
        rows = self._entries(key)
        lines: list[Event] = [orjson.loads(line) for kind, line in rows if kind != kinds.HEADER]
        if any(SEALED_MARK in line for _, line in rows):
            vault = VaultReader(self._vault.path)
            known = known_secrets(self._connection, vault, key)
            vault.close()
            lines = [line if "ruling" in line else opened(line, known) for line in lines]
        events = [line for (kind, _), line in zip(rows[1:], lines, strict=True) if kind == kinds.EVENT]
        return Record(cast(Header, orjson.loads(rows[0][1])), events, lines)

    def _close_interrupted(self) -> None:
        """Nobody else writes: a game that is still marked as running was cut off."""
        cut_off = self._connection.execute("SELECT key FROM games WHERE state = ?", (RUNNING,)).fetchall()
        for (key,) in cut_off:
            self._write(key, [Entry(kinds.INTERRUPTED, {"why": "the program or the power ended"})])


class GameKeeper:
    """Keeps one running game; `key` is its opaque name."""

    def __init__(self, journal: Journal, key: str) -> None:
        self.key = key
        self._journal = journal
        self._ended = self._closed = False

    def keep(self, words: Iterable[Mapping[str, Any]], sync: bool = True, beside: Sequence[Entry] = ()) -> None:
        """Keep words of the record, and what belongs beside them, in one transaction; on the disk when this returns.

        `sync` False promises less than is done. Raises `HardwareError` when it cannot be kept.
        """
        new = [entry_of(word) for word in words]
        self._ended = self._ended or any(e.kind == kinds.EVENT and e.word["event"] == "end" for e in new)
        if new or beside:
            self._journal.add(self.key, [*new, *beside])

    def keep_beside(self, entries: Sequence[Entry]) -> None:
        """Keep what is no part of the record: evidence, notes."""
        self._journal.add(self.key, entries)

    def close(self) -> None:
        """The game ends here, for good if its `end` was kept; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        if not self._journal.broken:
            self._journal.add(self.key, [Entry(kinds.ENDED if self._ended else kinds.INTERRUPTED, {})])

    def __enter__(self) -> GameKeeper:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def bring_up_to_date(folder: Path) -> None:
    """Bring an older referee's journal up to date; nothing happens to any other. Raises `RecordError`."""
    path = folder / DATABASE
    if not path.is_file():
        return
    try:
        connection = read_only(path)
        try:
            older = 0 < version_of(connection) < VERSION
        finally:
            connection.close()
    except (sqlite3.Error, RecordError):
        return  # whoever reads it says what it is
    if older:
        Journal.open(folder).close()


def _take_lock(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RecordError(
            f"{folder}: cannot be written ({error.strerror}), expected a folder for the journal"
        ) from error
    for left in range(LOCK_TRIES - 1, -1, -1):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:
            if not left:
                os.close(lock)
                raise RecordError(
                    f"{folder}: another referee is writing this journal; expected one at a time"
                ) from error
            time.sleep(LOCK_WAIT_S)  # a reader holds it for a moment to see whether anybody writes
    return lock


def _connect(folder: Path) -> sqlite3.Connection:
    """The database, looked at and brought up to date."""
    path = folder / DATABASE
    if path.exists():
        look_at_start(path)
    else:
        _make(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        _set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make(path: Path) -> None:
    """An empty journal; it has its name only when it is whole, so that no start finds half of one."""
    new = path.with_name(f"{path.name}.new")
    for left in path.parent.glob(f"{new.name}*"):  # of a start that was cut off: nothing was ever kept in it
        left.unlink()
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        _set_up(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # closing does it too, but hides a full disk
    finally:
        connection.close()
    put_in_place(new, path)


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    migrate(connection)


def _head(connection: sqlite3.Connection) -> tuple[int, bytes]:
    row = connection.execute("SELECT sequence, hash FROM entries ORDER BY sequence DESC LIMIT 1").fetchone()
    return (0, GENESIS) if row is None else (int(row[0]), bytes(row[1]))
