"""Accounts: who may log in and as what, in a file of their own beside the journal.

Written rules of this module:
- a password is never kept, only its Argon2id hash, and never written to a log, a page or a command line;
- a file that cannot be read is an error and never "there are no accounts": that would open what it should close;
- the last head referee cannot be removed: otherwise nobody could be made one again;
- every change gives the account a new stamp, so that whoever is logged in with the old one is logged out.
Does not belong here: cookies (`sessions`), how often somebody may try (`attempts`), which route asks for which role.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from referee.errors import HardwareError, InputError

FILE_NAME = "accounts.sqlite3"
LONGEST_NAME = 64
SHORTEST_PASSWORD = 12  # NIST SP 800-63B-4 asks for 15 where it stands alone; ours comes with a limit on attempts
LONGEST_PASSWORD = 256
MOST_ACCOUNTS = 1000
# Letters and digits that nobody mistakes for each other when they are copied by hand.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_BUSY_S = 5.0
# OWASP's smallest recommended setting (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. A game runs on
# the same small machine; more lanes would take its cores.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_TABLE = """
CREATE TABLE IF NOT EXISTS accounts (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, hash TEXT NOT NULL, stamp TEXT NOT NULL
) STRICT
"""


class Role(IntEnum):
    """What somebody may do; each role may do all that the ones below it may."""

    VIEWER = 1
    OPERATOR = 2
    HEAD = 3

    @property
    def word(self) -> str:
        """The role's name as it is typed and kept."""
        return self.name.lower()


ROLES = {role.word: role for role in Role}


@dataclass(frozen=True)
class Account:
    """Somebody who may log in; `stamp` changes with the password and with the role."""

    name: str
    role: Role
    stamp: str


class Accounts:
    """The accounts of one journal; may be used from several threads and processes at once."""

    def __init__(self, folder: Path) -> None:
        """The accounts kept in `folder`; nothing is made there before the first is added."""
        self._path = folder / FILE_NAME
        self._checking = threading.Lock()  # one hash at a time: each takes 19 MiB and a core
        self._decoy = _HASHER.hash(secrets.token_hex())

    def exist(self) -> bool:
        """Whether there is any account. Raises `InputError` when the file cannot be read."""
        return bool(self._read("SELECT 1 FROM accounts LIMIT 1"))

    def all(self) -> list[Account]:
        """All of them by name. Raises `InputError` when the file cannot be read."""
        return [_account(row) for row in self._read("SELECT name, role, stamp FROM accounts ORDER BY key")]

    def check(self, name: str, password: str) -> Account | None:
        """The account of this name and password, else None; takes as long for a name that is not there."""
        rows = self._read("SELECT name, role, stamp, hash FROM accounts WHERE key = ?", account_key(name))
        kept = rows[0][3] if rows else self._decoy
        with self._checking:
            fits = _fits(kept, password)
        if not fits or not rows:
            return None
        if _HASHER.check_needs_rehash(kept):
            self._write("UPDATE accounts SET hash = ? WHERE key = ?", _HASHER.hash(password), account_key(name))
        return _account(rows[0])

    def current(self, name: str, stamp: str) -> Account | None:
        """The account of this name if nothing about it has changed since it had this stamp."""
        rows = self._read(
            "SELECT name, role, stamp FROM accounts WHERE key = ? AND stamp = ?", account_key(name), stamp
        )
        return _account(rows[0]) if rows else None

    def add(self, name: str, role: Role, password: str) -> None:
        """Add an account. Raises `InputError` for a name that is taken, and for what cannot be one."""
        _check_name(name)
        _check_password(name, password)
        there = self.all()
        if len(there) >= MOST_ACCOUNTS:
            raise InputError(f"accounts: there are {MOST_ACCOUNTS} already, expected no more")
        if not there and role is not Role.HEAD:
            raise InputError(f"{name}: the first account has to be a head referee's (--role head)")
        values = (account_key(name), name, role.word, _HASHER.hash(password), secrets.token_hex(8))
        if not self._write("INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?, ?)", *values):
            raise InputError(f"{name}: there is an account of this name, expected a new one")

    def set_password(self, name: str, password: str) -> None:
        """Give an account another password; whoever is logged in with the old one is logged out."""
        _check_password(name, password)
        values = (_HASHER.hash(password), secrets.token_hex(8), account_key(name))
        if not self._write("UPDATE accounts SET hash = ?, stamp = ? WHERE key = ?", *values):
            raise self._missing(name)

    def remove(self, name: str) -> None:
        """Remove an account. Raises `InputError` when it is not there, or is the last head referee's."""
        there = {account_key(account.name): account for account in self.all()}
        account = there.get(account_key(name))
        if account is None:
            raise self._missing(name)
        # In one statement: two that are removed at the same time must not both go.
        gone = self._write(
            "DELETE FROM accounts WHERE key = ?1 AND (role != 'head' OR "
            "(SELECT count(*) FROM accounts WHERE role = 'head') > 1)",
            account_key(name),
        )
        if not gone:
            raise InputError(f"{name}: is the last head referee, expected another one to be there first")

    def _missing(self, name: str) -> InputError:
        return InputError(f"{name}: there is no account of this name (referee accounts list)")

    def _read(self, query: str, *values: str) -> list[tuple[str, ...]]:
        if not self._path.exists():
            return []
        with self._said(), closing(sqlite3.connect(self._path.resolve().as_uri() + "?mode=ro", uri=True)) as file:
            return file.execute(query, values).fetchall()

    def _write(self, query: str, *values: str) -> int:
        """Run one statement; returns how many rows it changed."""
        with self._said():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as file, file:
                file.execute(_TABLE)
                return file.execute(query, values).rowcount

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self._path}: cannot be read ({error}), expected the accounts of a journal") from error
        except OSError as error:
            raise HardwareError(f"{self._path}: cannot be written ({error.strerror})") from error


def new_password() -> str:
    """A password nobody can guess: 20 letters and digits, 99 bits, in groups that can be read out."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))


def _account(row: tuple[str, ...]) -> Account:
    role = ROLES.get(row[1])
    if role is None:
        raise InputError(f"accounts: {row[0]} has the role {row[1]}, expected one of {', '.join(ROLES)}")
    return Account(row[0], role, row[2])


def account_key(name: str) -> str:
    """Under which a name is found: two that look the same are one account."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"name: expected 1 to {LONGEST_NAME} printable characters")


def _check_password(name: str, password: str) -> None:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InputError(f"password: expected {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    if (
        account_key(name) in account_key(password)
        and len(account_key(password)) < len(account_key(name)) + SHORTEST_PASSWORD
    ):
        raise InputError("password: expected one that is more than the name")


def _fits(kept: str, password: str) -> bool:
    if len(password) > LONGEST_PASSWORD:
        return False
    try:
        return _HASHER.verify(kept, password)
    except (Argon2Error, InvalidHashError):
        return False
