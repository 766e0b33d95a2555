"""The files of a journal: their names, setting a damaged one aside, the quick look at the start.

Belongs here: what a journal's folder holds and whether its database can be trusted. Does not belong here: its entries.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from pathlib import Path

from referee.journal.chain import GENESIS, Link, find_breaks
from referee.journal.schema import version_of

DATABASE = "journal.sqlite3"
LOCK = "lock"
EVIDENCE = "evidence"
PARTS = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")
TAIL = 256  # entries whose chain is looked at on every start; all of it: `referee journal verify`


class DamagedError(sqlite3.DatabaseError):
    """The chain in a file is broken."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is bad; not so when the disk is full, read-only or gone."""
    code = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, DamagedError) or code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def look_at_start(path: Path) -> None:
    """Whose file it is, and the end of its chain, where a power cut would have struck.

    Reads a bounded part of the file, however long the journal is, and changes nothing. Raises `RecordError` for another
    program's or a newer referee's file, `sqlite3.DatabaseError` for a damaged one.
    """
    connection = read_only(path)
    try:
        if version_of(connection):
            _check_tail(connection)
    finally:
        connection.close()


def read_only(path: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """A connection that cannot write; `immutable` where nobody else can either. Raises `sqlite3.Error`."""
    address = f"{path.absolute().as_uri()}?mode=ro" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_tail(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        "SELECT sequence, key, kind, line, hash FROM entries LEFT JOIN game_keys USING (game) "
        "ORDER BY sequence DESC LIMIT ?",
        (TAIL + 1,),
    ).fetchall()
    tail = [Link(sequence, key or "", *rest) for sequence, key, *rest in reversed(rows)]
    before, sequence = GENESIS, 0
    if len(tail) > TAIL:
        first = tail.pop(0)
        before, sequence = first.hash, first.sequence
    for _, wrong in find_breaks(tail, before, sequence):
        raise DamagedError(f"the chain is broken: {wrong}")


def integrity(folder: Path) -> list[str]:
    """What SQLite finds wrong with the database's own structure: every page is read."""
    connection = read_only(folder / DATABASE)
    try:
        return [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    finally:
        connection.close()


def set_aside(folder: Path) -> Path:
    """Move the database and its log into a folder of their own, whole; returns that folder.

    Until all of it lies there under its new names, nothing loses its old one: a power cut in between loses nothing.
    """
    number = 1
    while os.path.lexists(aside := folder / f"damaged-{number}"):
        number += 1
    aside.mkdir()
    parts = [name for name in PARTS if (folder / name).exists()]
    for name in parts:
        try:
            (aside / name).hardlink_to(folder / name)
        except OSError:  # a card formatted with FAT knows no links
            shutil.copy2(folder / name, aside / name)
            sync(aside / name)
    sync(aside)
    sync(folder)
    for name in parts:
        (folder / name).unlink()
    sync(folder)
    return aside


def is_written(folder: Path) -> bool:
    """Whether a process has the journal open for writing, this one included."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def remove_empty(folder: Path, there: Path) -> None:
    """Take away a journal in which nothing was ever kept, and the folders that were made for it below `there`."""
    try:
        connection = read_only(folder / DATABASE)
        try:
            if connection.execute("SELECT EXISTS (SELECT 1 FROM entries)").fetchone()[0]:
                return
        finally:
            connection.close()
    except sqlite3.Error:
        return  # it never came to be, or is not ours to judge
    for name in (*PARTS, LOCK):
        (folder / name).unlink(missing_ok=True)
    for made in (folder / EVIDENCE, folder, *folder.parents):
        if made == there:
            return
        try:
            made.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return  # something else lies there


def put_in_place(new: Path, path: Path) -> None:
    """Give a whole new file its name, for good."""
    sync(new)
    new.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Put a file's content, or a folder's names, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
