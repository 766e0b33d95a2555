"""The tables that lists and searches read, made from entries.

Written rules of this module:
- nothing stands here that is not in the entries: `derive_all` makes all of it again;
- an entry and what is derived from it are one transaction.
Does not belong here: asking (`referee.journal.reading`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from referee.journal import entries as kinds

RUNNING, ENDED, INTERRUPTED = "running", "ended", "interrupted"
OVERTURNED = "overturned"
LIMIT = 2**53  # the largest time a record may hold, microseconds


class Kept(NamedTuple):
    """An entry that lies in the journal: its sequence, kind and word."""

    sequence: int
    kind: str
    word: Mapping[str, Any]


def fold(text: str) -> str:
    """A name as searches compare it; a record's name may have blanks around it, which nobody sees."""
    return text.strip().casefold()


def closeness_us(ruling: Mapping[str, Any]) -> int | None:
    """How close a ruling was in microseconds; None where no time decided it.

    Between hands: how much later the best other hand came. Against a card's arrival: how far the touch was from the
    nearer end of the time in which the card can have arrived. The smaller where both count. A time that a person set
    between hands is no measurement.
    """
    margin = ruling.get("margin")
    if not isinstance(margin, Mapping):
        return None
    found: list[int] = []
    by, us = margin.get("by"), margin.get("us")
    if by == "time" and _is_number(us) and "settled_by" not in margin:
        found.append(abs(_whole(us)))
    for arrival in (us if by == "arrival" else None, margin.get("arrival_us")):
        if isinstance(arrival, list) and arrival and all(map(_is_number, arrival)):
            found.append(min(abs(_whole(end)) for end in arrival))
    return min(found, default=None)


def players_in(ruling: Mapping[str, Any]) -> list[str]:
    """Whom a ruling is about, each once, whoever is named first first."""
    named: list[str] = []
    for key in ("winner", "player", "players", "losers", "candidates"):
        value = ruling.get(key)
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and name not in named:
                named.append(name)
    return named


def derive(connection: sqlite3.Connection, game: int, key: str, new: Iterable[Kept]) -> None:
    """Bring the tables up to date with new entries of one game, in their order."""
    tally = _Tally(connection, game, key)
    for entry in new:
        tally.add(entry)
    tally.write()


def derive_all(connection: sqlite3.Connection) -> None:
    """Make all of it again from the entries."""
    for table in ("games", "game_players", "rulings", "evidence"):
        connection.execute(f"DELETE FROM {table}")
    rows = connection.execute(
        "SELECT game, key, sequence, kind, line FROM entries JOIN game_keys USING (game) ORDER BY game, sequence"
    )
    for (game, key), of_game in groupby(rows, key=lambda row: (row[0], row[1])):
        derive(
            connection, game, key, (Kept(sequence, kind, orjson.loads(line)) for *_, sequence, kind, line in of_game)
        )


class _Tally:
    """One game's row while entries are added to it."""

    def __init__(self, connection: sqlite3.Connection, game: int, key: str) -> None:
        self._connection, self._game, self._key = connection, game, key
        row: tuple[str, str, str | None, str, int, int, int, str] | None = connection.execute(
            "SELECT name, players, begun, state, events, rulings, last_us, text FROM games WHERE game = ?", (game,)
        ).fetchone()
        self._fresh = row is None
        self._name, self._players, self._begun, self._state, self._events, self._rulings, self._last_us, self._text = (
            row or ("", "[]", None, RUNNING, 0, 0, 0, "")
        )
        self._new_rulings: list[tuple[Any, ...]] = []
        self._void: list[int] = []
        self._rulings_changed = False

    def add(self, entry: Kept) -> None:
        """Count one entry."""
        sequence, kind, word = entry
        if kind == kinds.EVENT:
            self._events += 1
            self._last_us = max(self._last_us, _whole(word["t_us"]))
        elif kind == kinds.RULING:
            self._ruling(sequence, word)
        elif kind == kinds.HEADER:
            self._header(word)
        elif kind == kinds.SETTINGS:
            self._begun = self._begun or str(word["begun"])
        elif kind in (kinds.ENDED, kinds.INTERRUPTED):
            self._state = ENDED if kind == kinds.ENDED else INTERRUPTED
            return
        elif kind in (kinds.UPHELD, kinds.APPEAL):
            self._looked_at(kind, word)
        elif kind == kinds.NOTE:
            self._text += "\n" + fold(str(word.get("text", "")))
        elif kind == kinds.EVIDENCE:
            self._evidence(sequence, word)
        elif kind == kinds.EVIDENCE_GONE:
            self._connection.execute("UPDATE evidence SET gone = ? WHERE id = ?", (str(word["why"]), word["id"]))
        elif kind in (kinds.PIN, kinds.UNPIN):
            pinned = int(kind == kinds.PIN)
            self._connection.execute("UPDATE evidence SET pinned = ? WHERE id = ?", (pinned, word["id"]))
        if self._state == INTERRUPTED and _is_played(kind, word):
            self._state = RUNNING

    def _header(self, word: Mapping[str, Any]) -> None:
        names = [str(name) for name in word["players"]]
        self._name, self._players = str(word["game"]), _json(names)
        self._text += fold("\n".join([self._name, *names]))
        self._connection.executemany(
            "INSERT OR IGNORE INTO game_players VALUES (?, ?)", [(fold(name), self._game) for name in names]
        )

    def _ruling(self, sequence: int, word: Mapping[str, Any]) -> None:
        kind = str(word["ruling"])
        stands = kind != OVERTURNED
        if not stands:
            self._void += [place for place in word.get("refs", ()) if type(place) is int]
        closeness, players = closeness_us(word), _json(players_in(word))
        self._new_rulings.append(
            (self._game, self._rulings, sequence, kind, _whole(word["t_us"]), closeness, players, int(stands), 0, 0)
        )
        self._rulings += 1

    def _looked_at(self, kind: str, word: Mapping[str, Any]) -> None:
        self._write_rulings()
        what = "appealed = 1" if kind == kinds.APPEAL else "upheld = 1, appealed = 0"
        self._connection.execute(
            f"UPDATE rulings SET {what} WHERE game = ? AND place = ?", (self._game, _whole(word["place"]))
        )
        self._rulings_changed = True

    def _evidence(self, sequence: int, word: Mapping[str, Any]) -> None:
        row = (word["id"], self._game, sequence, word["kind"], word["name"], _whole(word["bytes"]), word["sha256"])
        times = (_whole_or_none(word.get("from_us")), _whole_or_none(word.get("to_us")))
        self._connection.execute(
            "INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL)",
            (*row, *times, _json(list(word["places"]))),
        )

    def _write_rulings(self) -> None:
        if self._new_rulings:
            self._connection.executemany("INSERT INTO rulings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._new_rulings)
            self._new_rulings, self._rulings_changed = [], True
        if self._void:
            self._connection.executemany(
                "UPDATE rulings SET stands = 0, appealed = 0 WHERE game = ? AND place = ?",
                [(self._game, place) for place in self._void],
            )
            self._void = []

    def write(self) -> None:
        """Write the game's row."""
        self._write_rulings()
        day = None if self._begun is None else self._begun[:10]
        row = (self._begun, day, self._state, self._events, self._rulings, self._last_us, self._text, self._game)
        if self._fresh:
            self._connection.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, NULL, NULL, ?, 0, 0, 0, NULL, 0, '')",
                (self._game, self._key, self._name, self._players, self._state),
            )
        self._connection.execute(
            "UPDATE games SET begun = ?, day = ?, state = ?, events = ?, rulings = ?, last_us = ?, text = ? "
            "WHERE game = ?",
            row,
        )
        if self._rulings_changed:
            self._connection.execute(
                "UPDATE games SET closest_us = of.closest, open_appeals = of.appeals FROM (SELECT min(closeness_us) "
                "AS closest, coalesce(sum(appealed), 0) AS appeals FROM rulings WHERE game = :game AND stands) AS of "
                "WHERE game = :game",
                {"game": self._game},
            )


def _is_played(kind: str, word: Mapping[str, Any]) -> bool:
    """Whether an entry shows that a game is being played, and not only looked at again."""
    return kind == kinds.SETTINGS or (kind == kinds.EVENT and word["event"] != "correct")


def _json(value: list[Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> int:
    """A number as the tables can hold it; what is beyond a record's own limit is cut to it."""
    return int(min(max(value, -LIMIT), LIMIT))


def _whole_or_none(value: Any) -> int | None:
    return None if value is None else _whole(value)
