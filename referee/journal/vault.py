"""Where the secrets of games lie: a file of their own beside what everybody may read.

Written rules of this module:
- a secret is on the disk before the event it belongs to is (`put` is synced); one without an event is swept away at
  the next start;
- only the owner may read the file (0600), and it is in no bundle and no export that did not ask for it;
- taking a secret out overwrites it (SQLite's `secure_delete`).
Does not belong here: which events hold secrets (`referee.sealing`), when one is given up.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.errors import HardwareError
from referee.sealing import Secret

VAULT = "secrets.sqlite3"
SWEPT = 256  # the latest secrets, looked at on every start: more than one transaction has never been on its way

_TABLE = """
CREATE TABLE IF NOT EXISTS secrets (
    number INTEGER PRIMARY KEY, game TEXT NOT NULL, seal TEXT NOT NULL UNIQUE, salt TEXT NOT NULL, value TEXT NOT NULL
) STRICT
"""
_BY_GAME = "CREATE INDEX IF NOT EXISTS secrets_of_game ON secrets (game)"


class Vault:
    """The secrets beside a journal or a record, open for writing; the file is made when the first one comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def put(self, game: str, new: Sequence[Secret]) -> None:
        """Keep secrets of a game; on the disk when this returns. Raises `HardwareError`."""
        rows = [(game, *secret) for secret in new]
        self._change("INSERT OR IGNORE INTO secrets (game, seal, salt, value) VALUES (?, ?, ?, ?)", rows)

    def take_out(self, seals: Iterable[str]) -> None:
        """Give up secrets for good; those that are not there are no matter. Raises `HardwareError`."""
        if self.path.exists():
            self._change("DELETE FROM secrets WHERE seal = ?", [(seal,) for seal in seals])

    def latest(self) -> list[tuple[str, str]]:
        """The games and commitments of the latest secrets, the newest first."""
        if not self.path.exists():
            return []
        try:
            rows = self._opened().execute("SELECT game, seal FROM secrets ORDER BY number DESC LIMIT ?", (SWEPT,))
            return [(game, seal) for game, seal in rows]
        except sqlite3.Error as error:
            raise HardwareError(f"{self.path}: the secrets cannot be read ({error})") from error

    def close(self) -> None:
        """Close; a second time does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _change(self, statement: str, rows: Sequence[tuple[str, ...]]) -> None:
        if not rows:
            return
        try:
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except (sqlite3.Error, OSError) as error:
            raise HardwareError(f"{self.path}: the secrets cannot be written ({error}); the game stops") from error

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            # Made with its rights before anything is in it; SQLite gives its own side files the same ones.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self.path.chmod(0o600)
            connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            try:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute(_TABLE)
                connection.execute(_BY_GAME)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


class VaultReader:
    """The secrets for reading, by any process; none where there is no file or it may not be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def of(self, game: str) -> dict[str, Secret]:
        """The secrets of a game that are still there, by their commitment."""
        return {secret.seal: secret for _, secret in self._ask("WHERE game = ?", game)}

    def all(self) -> list[tuple[str, Secret]]:
        """All that are still there, each with its game, in the order in which they were kept."""
        return self._ask("ORDER BY number")

    def close(self) -> None:
        """Close; a second time does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, which: str, *values: str) -> list[tuple[str, Secret]]:
        try:
            if self._connection is None:
                if not self.path.is_file() or not os.access(self.path, os.R_OK):
                    return []
                self._connection = sqlite3.connect(
                    f"{self.path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
                )
            rows = self._connection.execute(f"SELECT game, seal, salt, value FROM secrets {which}", values)
            return [(game, Secret(*rest)) for game, *rest in rows]
        except sqlite3.Error:
            return []


def read_secrets(path: Path, game: str) -> dict[str, Secret]:
    """The secrets of a game that are still there, by their commitment; none where the file may not be read."""
    reader = VaultReader(path)
    try:
        return reader.of(game)
    finally:
        reader.close()
