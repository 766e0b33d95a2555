"""Which secrets of a game can still be read: those in the vault, and those that were opened in the chain.

Belongs here: bringing the two together for whoever judges a game again. Does not belong here: what is shown to anybody.
"""

from __future__ import annotations

import sqlite3

import orjson

from referee.journal import entries as kinds
from referee.journal.vault import VaultReader
from referee.sealing import Secret

SEALED_MARK = b'"sealed":'
"""Every line with a sealed event holds it; a line that holds it may be another."""

_OPENED = "SELECT line FROM entries JOIN game_keys USING (game) WHERE key = ? AND kind = ?"


def told_secrets(connection: sqlite3.Connection, key: str) -> list[Secret]:
    """The secrets of a game that were opened in the chain. Raises `sqlite3.Error`."""
    words = [orjson.loads(line) for (line,) in connection.execute(_OPENED, (key, kinds.OPENED))]
    return [Secret(word["sealed"], word["salt"], word["value"]) for word in words]


def known_secrets(connection: sqlite3.Connection, vault: VaultReader, key: str) -> dict[str, Secret]:
    """All secrets of a game that can still be read, by their commitment. Raises `sqlite3.Error`."""
    return {secret.seal: secret for secret in told_secrets(connection, key)} | vault.of(key)
