"""The tables of a journal, and how an older journal becomes a newer one.

Written rules of this module:
- a step is never changed once it was released; a new version is a new step at the end;
- a step may add; it never touches a row of `entries` (triggers forbid it to everybody);
- a step and its version number are one transaction.
Does not belong here: what is written into the tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from referee.errors import RecordError
from referee.journal.derived import derive_all

APPLICATION_ID = 0x52656665  # "Refe", SQLite's mark of whose file it is

_CHAIN = """
CREATE TABLE game_keys (game INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game_keys, kind TEXT NOT NULL,
    line BLOB NOT NULL, hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX entries_of_game ON entries (game, sequence);
CREATE TABLE secrets (sequence INTEGER PRIMARY KEY REFERENCES entries, content BLOB NOT NULL) STRICT;
"""

_LISTS = """
CREATE TABLE games (
    game INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, players TEXT NOT NULL, begun TEXT,
    day TEXT, state TEXT NOT NULL, events INTEGER NOT NULL, rulings INTEGER NOT NULL, last_us INTEGER NOT NULL,
    closest_us INTEGER, open_appeals INTEGER NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX games_by_day ON games (day);
CREATE INDEX games_by_closeness ON games (closest_us) WHERE closest_us IS NOT NULL;
CREATE TABLE game_players (
    player TEXT NOT NULL, game INTEGER NOT NULL, PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE TABLE rulings (
    game INTEGER NOT NULL, place INTEGER NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, t_us INTEGER NOT NULL,
    closeness_us INTEGER, players TEXT NOT NULL, stands INTEGER NOT NULL, upheld INTEGER NOT NULL,
    appealed INTEGER NOT NULL, PRIMARY KEY (game, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX rulings_by_kind ON rulings (kind, game, closeness_us) WHERE stands;
CREATE INDEX rulings_by_closeness ON rulings (closeness_us) WHERE stands AND closeness_us IS NOT NULL;
CREATE TABLE evidence (
    id TEXT PRIMARY KEY, game INTEGER NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, from_us INTEGER, to_us INTEGER, places TEXT NOT NULL,
    pinned INTEGER NOT NULL, gone TEXT
) STRICT;
CREATE INDEX evidence_of_game ON evidence (game);
"""


_ONLY_NEXT = "NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM entries)"
_ONLY_NEW = "EXISTS (SELECT 1 FROM game_keys WHERE game = NEW.game OR key = NEW.key)"


def _lay_chain(connection: sqlite3.Connection) -> None:
    _run(connection, _CHAIN)
    for table, wrong in (("entries", _ONLY_NEXT), ("game_keys", _ONLY_NEW)):  # REPLACE would delete unseen
        connection.execute(
            f"CREATE TRIGGER {table}_only_added BEFORE INSERT ON {table} WHEN {wrong} "
            "BEGIN SELECT RAISE(ABORT, 'a journal is only added to'); END"
        )
    for table in ("entries", "game_keys"):
        for deed in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER {table}_never_{deed.lower()} BEFORE {deed} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'a journal is only added to'); END"
            )


def _make_lists(connection: sqlite3.Connection) -> None:
    _run(connection, _LISTS)
    derive_all(connection)


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_lay_chain, _make_lists)
"""Step n makes version n + 1 of version n: the chain, then the tables that lists and searches read."""

VERSION = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables, 0 for an empty file.

    Raises `RecordError` for another program's file and for a version that is not known yet.
    """
    application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
        return 0
    if application != APPLICATION_ID:
        raise RecordError("is another program's database, expected a journal of the referee")
    if version > VERSION:
        raise RecordError(f"was written by a newer referee (tables {version}, known up to {VERSION})")
    return int(version)


_MARKS = ("application_id", "user_version")


def migrate(connection: sqlite3.Connection, to: int = VERSION) -> int:
    """Bring the tables to version `to`, a transaction a step; returns the version they had before."""
    had = version_of(connection)
    for number in range(had, to):
        connection.execute("BEGIN IMMEDIATE")
        try:
            STEPS[number](connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return had


def _run(connection: sqlite3.Connection, script: str) -> None:
    for statement in script.split(";"):  # `executescript` would commit first
        if statement.strip():
            connection.execute(statement)
