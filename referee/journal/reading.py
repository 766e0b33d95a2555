"""A journal as readers see it: lists, searches, one game, one ruling's evidence.

Belongs here: asking, by any number of processes beside the one that writes. Does not belong here: writing, judging.
Nothing here changes the journal; each answer is of one moment.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import orjson

from referee.errors import RecordError
from referee.journal import entries as kinds
from referee.journal.chain import GENESIS, Link, chain_hash, find_breaks
from referee.journal.derived import INTERRUPTED, RUNNING, fold
from referee.journal.files import DATABASE, EVIDENCE, is_written, read_only
from referee.journal.rows import (
    EVERYTHING,
    ApartRecord,
    EvidenceRow,
    GameRow,
    KeptGame,
    KeptRuling,
    RulingRow,
    Search,
)
from referee.journal.schema import VERSION, version_of
from referee.journal.secrets_known import SEALED_MARK, told_secrets
from referee.journal.vault import VAULT, VaultReader
from referee.record import Record, to_line
from referee.sealing import Secret, may_hold_secrets, opened, seals
from referee.words import Event, Header, Ruling

__all__ = [
    "EvidenceRow",
    "GameRow",
    "JournalView",
    "KeptGame",
    "KeptRuling",
    "RulingRow",
    "Search",
    "find_chain_breaks",
]

LIST_LIMIT = 100


class JournalView:
    """A journal open for reading; one thread at a time."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection
        self._vault = VaultReader(folder / VAULT)
        self._written: bool | None = None
        connection.create_function("fold", 1, fold, deterministic=True)

    @classmethod
    def open(cls, folder: Path) -> JournalView:
        """Open the journal in `folder`; raises `RecordError` when none is there or it cannot be read."""
        path = folder / DATABASE
        if not path.is_file():
            raise RecordError(f"{folder}: holds no {DATABASE}, expected a journal's folder")
        try:
            connection = _connect(path)
            try:
                version = version_of(connection)
            except RecordError as error:
                connection.close()
                raise RecordError(f"{path}: {error}") from error
        except sqlite3.Error as error:
            raise RecordError(f"{path}: cannot be read ({error}), expected a journal") from error
        if version == 0:
            connection.close()
            raise RecordError(f"{path}: holds no tables, expected a journal; a game begun with --journal makes one")
        if version < VERSION:
            connection.close()
            raise RecordError(
                f"{path}: was written by an older referee (tables {version}, expected {VERSION}); "
                "`referee journal verify` brings it up to date"
            )
        return cls(folder, connection)

    def close(self) -> None:
        """Close; a second time does nothing."""
        self._vault.close()
        self._connection.close()

    def __enter__(self) -> JournalView:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ---- lists

    def games(self, search: Search = EVERYTHING, limit: int = LIST_LIMIT, after: str | None = None) -> list[GameRow]:
        """Games, the latest first; `after` is the key of the last one of the list before."""
        where, values = self._where(search)
        if after is not None:
            where.append("games.game < (SELECT game FROM game_keys WHERE key = ?)")
            values.append(after)
        return [
            self._game_row(row)
            for row in self._ask(f"{_GAMES} {_all_of(where)} ORDER BY games.game DESC LIMIT ?", *values, limit)
        ]

    def count(self, search: Search = EVERYTHING) -> int:
        """How many games there are."""
        where, values = self._where(search)
        return int(self._ask(f"SELECT count(*) FROM games {_all_of(where)}", *values)[0][0])

    def keys(self, beginning: str) -> list[str]:
        """The keys of the games whose key begins so, the earliest first."""
        rows = self._ask("SELECT key FROM games WHERE substr(key, 1, ?) = ? ORDER BY game", len(beginning), beginning)
        return [key for (key,) in rows]

    def rulings(
        self,
        search: Search = EVERYTHING,
        limit: int = LIST_LIMIT,
        *,
        closest_first: bool = False,
        offset: int = 0,
    ) -> list[RulingRow]:
        """Rulings that stand, of the games that match, the latest or the closest first.

        Those to which no time gives a closeness are left out of the closest.
        """
        where, values = self._where(Search(**{**vars(search), "kind": None, "closer_than_us": None}))
        where.append("rulings.stands")
        if search.player is not None:
            where.append("EXISTS (SELECT 1 FROM json_each(rulings.players) WHERE fold(value) = ?)")
            values.append(fold(search.player))
        if search.kind is not None:
            where.append("rulings.kind = ?")
            values.append(search.kind)
        if search.closer_than_us is not None:
            where.append("rulings.closeness_us < ?")
            values.append(search.closer_than_us)
        order = "rulings.game DESC, rulings.place DESC"
        if closest_first:
            where.append("rulings.closeness_us IS NOT NULL")
            order = "rulings.closeness_us, rulings.game, rulings.place"
        rows = self._ask(f"{_RULINGS} {_all_of(where)} ORDER BY {order} LIMIT ? OFFSET ?", *values, limit, offset)
        return [_ruling_row(row) for row in rows]

    def evidence(self, evidence_id: str) -> EvidenceRow | None:
        """One piece of evidence; None where there is none of that id."""
        rows = self._ask(f"{_EVIDENCE} WHERE evidence.id = ?", evidence_id)
        return self._evidence_row(rows[0]) if rows else None

    # ---- one game

    def game(self, key: str) -> KeptGame:
        """One game, whole; raises `RecordError` when there is none of that key."""
        rows = self._ask(f"{_GAMES} WHERE games.key = ?", key)
        if not rows:
            raise RecordError(f"{self.folder}: there is no game {key}")
        kept = _Gathered()
        with self._damage_said(key):
            for kind, line in self.entries(key):
                kept.add(kind, orjson.loads(line))
        evidence = self._ask(f"{_EVIDENCE} WHERE games.key = ? ORDER BY evidence.sequence", key)
        judged = self._opened(key, kept.events) if kept.sealed else kept.events
        return kept.game(self._game_row(rows[0]), [self._evidence_row(row) for row in evidence], judged)

    def record(self, key: str) -> Record:
        """The game as the record that everybody may read, secrets sealed; raises `RecordError` when there is none."""
        kept = self._record_entries(key)
        words = self.words(key, [line for _, line in kept])  # at once: half the time of one by one
        events = [word for (kind, _), word in zip(kept, words, strict=True) if kind == kinds.EVENT]
        return Record(cast(Header, words[0]), cast("list[Event]", events), cast("list[Event]", words[1:]))

    def record_apart(self, key: str) -> ApartRecord:
        """The game for whoever judges it again: with the secrets that are still there, its kept rulings as lines.

        Raises `RecordError` when there is none of that key, or when a secret is not what was sealed.
        """
        kept = self._record_entries(key)
        given = [line for kind, line in kept if kind == kinds.RULING]
        played = b",".join([line for kind, line in kept if kind != kinds.RULING])
        with self._damage_said(key):
            header, *events = orjson.loads(b"[%b]" % played)
        whole = True
        if SEALED_MARK in played:
            events = self._opened(key, events)
            whole = not any(seals(event) for event in events if may_hold_secrets(event))
        return ApartRecord(cast(Header, header), events, given, whole)

    def _told(self, key: str) -> list[Secret]:
        try:
            return told_secrets(self._connection, key)
        except sqlite3.Error as error:
            raise RecordError(f"{self.folder / DATABASE}: cannot be read ({error})") from error

    def _opened(self, key: str, events: Sequence[Event], known: Mapping[str, Secret] | None = None) -> list[Event]:
        """Events with those of their secrets that are `known` (None: all that are still there)."""
        if known is None:
            known = {secret.seal: secret for secret in self._told(key)} | self._vault.of(key)
        try:
            return [opened(event, known) if may_hold_secrets(event) else event for event in events]
        except RecordError as error:
            raise RecordError(f"{self.folder}: game {key}: {error}") from None

    def secrets_of(self, key: str) -> dict[str, Secret]:
        """The secrets of a game that are still there, by their commitment."""
        return self._vault.of(key)

    def words(self, key: str, lines: Sequence[bytes]) -> list[dict[str, Any]]:
        """Lines of a game as words; raises `RecordError` for one that is damaged."""
        with self._damage_said(key):
            return cast("list[dict[str, Any]]", orjson.loads(b"[%b]" % b",".join(lines)))

    def record_lines(self, key: str, *, with_secrets: bool = False) -> list[bytes]:
        """The game as the lines of a record, byte for byte as they were kept: secrets sealed unless they are asked for.

        What was opened in the chain is no secret any more.
        Raises `RecordError` when secrets are asked for and some are gone.
        """
        lines = [line for _, line in self._record_entries(key)]
        if not any(SEALED_MARK in line for line in lines):
            return lines
        known = None if with_secrets else {secret.seal: secret for secret in self._told(key)}
        found = [
            to_line(self._opened(key, self.words(key, [line]), known)[0]) if SEALED_MARK in line else line
            for line in lines
        ]
        if with_secrets and any(SEALED_MARK in line and seals(orjson.loads(line)) for line in found):
            raise RecordError(f"{self.folder}: game {key}: some of its secrets are gone, expected all of them")
        return found

    def _record_entries(self, key: str) -> list[tuple[str, bytes]]:
        return self._kept(key, "AND entry.kind IN ('header', 'event', 'ruling') ")

    def _kept(self, key: str, which: str = "") -> list[tuple[str, bytes]]:
        """Entries of a game, in order: kind and line. Raises `RecordError` when there is none, or where one is not what
        was kept: it says something else by now, and nobody may believe it."""
        rows = self._ask(
            "SELECT entry.kind, entry.line, entry.hash, before.hash, entry.sequence FROM entries AS entry "
            "LEFT JOIN entries AS before ON before.sequence = entry.sequence - 1 "
            f"WHERE entry.game = (SELECT game FROM game_keys WHERE key = ?) {which}ORDER BY entry.sequence",
            key,
        )
        if not rows:
            raise RecordError(f"{self.folder}: there is no game {key}")
        for kind, line, hash_, before, sequence in rows:
            if chain_hash(before or GENESIS, kind, key, line) != hash_:
                raise RecordError(
                    f"{self.folder}: game {key}: entry {sequence} is damaged, expected what was kept; "
                    "`referee journal verify` says what else is"
                )
        return [(kind, line) for kind, line, *_ in rows]

    def entries(self, key: str) -> list[tuple[str, bytes]]:
        """All that was kept of a game, in order: kind and line. Raises `RecordError` when there is none."""
        return self._kept(key)

    # ---- the chain

    def links(self) -> Iterator[Link]:
        """Every entry, in order; raises `RecordError` where the database itself is damaged."""
        try:
            for sequence, key, kind, line, hash_ in self._connection.execute(
                "SELECT sequence, key, kind, line, hash FROM entries LEFT JOIN game_keys USING (game) ORDER BY sequence"
            ):
                yield Link(sequence, key or "", kind, line, hash_)
        except sqlite3.Error as error:
            raise RecordError(f"{self.folder / DATABASE}: cannot be read ({error})") from error

    def length(self) -> int:
        """How many entries there are; the last one's sequence."""
        return int(self._ask("SELECT coalesce(max(sequence), 0) FROM entries")[0][0])

    @contextmanager
    def _damage_said(self, key: str) -> Iterator[None]:
        """An entry that is not what was kept is one sentence."""
        try:
            yield
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, RecordError):
                raise
            raise RecordError(
                f"{self.folder}: game {key} holds an entry that is damaged; `referee journal verify` says which"
            ) from error

    def kept_evidence(self) -> list[tuple[EvidenceRow, str | None]]:
        """All evidence that is not gone, the oldest first, each with when its game began (ISO 8601)."""
        rows = self._ask(
            _EVIDENCE.replace(" FROM", ", begun FROM", 1) + " WHERE gone IS NULL ORDER BY evidence.sequence"
        )
        return [(self._evidence_row(row), begun) for *row, begun in rows]

    def _ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise RecordError(f"{self.folder / DATABASE}: cannot be read ({error})") from error

    def _where(self, search: Search) -> tuple[list[str], list[object]]:
        """The conditions of a search; a game counts as running only while somebody writes."""
        where, values = _games_where(search)
        if search.state is not None:
            states = [search.state]
            if search.state in (RUNNING, INTERRUPTED) and not self._is_written():
                states = [RUNNING, INTERRUPTED] if search.state == INTERRUPTED else []
            where.append(f"games.state IN ({', '.join('?' * len(states))})")
            values += states
        return where, values

    def _is_written(self) -> bool:
        if self._written is None:
            self._written = is_written(self.folder)
        return self._written

    def _game_row(self, row: tuple[Any, ...]) -> GameRow:
        key, name, players, begun, state, *rest = row
        if state == RUNNING and not self._is_written():
            state = INTERRUPTED  # its writer was killed, and none has come since to say so
        return GameRow(key, name, tuple(json.loads(players)), begun, state, *rest)

    def _evidence_row(self, row: Sequence[Any]) -> EvidenceRow:
        id_, key, kind, name, size, digest, from_us, to_us, places, pinned, gone = row
        path = self.folder / EVIDENCE / key / name
        return EvidenceRow(
            id_, key, kind, path, size, digest, from_us, to_us, tuple(json.loads(places)), bool(pinned), gone
        )


_GAMES = (
    "SELECT games.key, name, games.players, begun, state, events, rulings, last_us, closest_us, open_appeals FROM games"
)
_RULINGS = (
    "SELECT games.key, place, rulings.kind, t_us, closeness_us, rulings.players, stands, upheld, appealed "
    "FROM rulings JOIN games USING (game)"
)
_EVIDENCE = (
    "SELECT evidence.id, games.key, kind, evidence.name, bytes, sha256, from_us, to_us, places, pinned, gone "
    "FROM evidence JOIN games USING (game)"
)


def _ruling_row(row: tuple[Any, ...]) -> RulingRow:
    key, place, kind, t_us, closeness, players, *marks = row
    return RulingRow(key, place, kind, t_us, closeness, tuple(json.loads(players)), *map(bool, marks))


def _games_where(search: Search) -> tuple[list[str], list[object]]:
    where: list[str] = []
    values: list[object] = []

    def ask(condition: str, value: object) -> None:
        where.append(condition)
        values.append(value)

    if search.player is not None:
        ask("games.game IN (SELECT game FROM game_players WHERE player = ?)", fold(search.player))
    if search.day_from is not None:
        ask("games.day >= ?", search.day_from.isoformat())
    if search.day_to is not None:
        ask("games.day <= ?", search.day_to.isoformat())
    if search.game is not None:
        ask("games.name = ?", search.game)
    if search.text:
        ask("instr(games.text, ?) > 0", fold(search.text))
    if search.kind is not None:  # asked of each game in its turn, so that a list stops when it is full
        condition = "SELECT 1 FROM rulings INDEXED BY rulings_by_kind WHERE game = games.game AND stands AND kind = ?"
        values.append(search.kind)
        if search.closer_than_us is not None:
            condition += " AND closeness_us < ?"
            values.append(search.closer_than_us)
        where.append(f"EXISTS ({condition})")
    elif search.closer_than_us is not None:
        ask("games.closest_us < ?", search.closer_than_us)
    return where, values


def _all_of(conditions: list[str]) -> str:
    return "WHERE " + " AND ".join(conditions) if conditions else ""


class _Gathered:
    """A game's words while its entries are read."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.lines: list[Event] = []
        self.events: list[Event] = []
        self.sealed = False
        self.given: list[tuple[Ruling, int]] = []
        self.decisions: dict[int, Mapping[str, Any]] = {}
        self.beside: dict[str, list[Mapping[str, Any]]] = {
            kind: [] for kind in (kinds.SETTINGS, kinds.UPHELD, kinds.APPEAL, kinds.NOTE)
        }

    def add(self, kind: str, word: dict[str, Any]) -> None:
        """Take one entry."""
        if kind == kinds.HEADER:
            self.header = cast(Header, word)
        elif kind == kinds.EVENT:
            self.lines.append(word)
            self.events.append(word)
            self.sealed = self.sealed or (may_hold_secrets(word) and bool(seals(word)))
        elif kind == kinds.RULING:
            self.lines.append(word)
            self.given.append((word, len(self.events) - 1))
        elif kind == kinds.DECISION:
            self.decisions[word["place"]] = word
        elif kind in self.beside:
            self.beside[kind].append(word)

    def game(self, row: GameRow, evidence: list[EvidenceRow], judged: Sequence[Event]) -> KeptGame:
        """All of it."""
        if self.header is None:
            raise RecordError(f"game {row.key}: has no header")
        void = {place for ruling, _ in self.given if ruling["ruling"] == "overturned" for place in ruling["refs"]}
        rulings = [
            KeptRuling(place, ruling, event, ruling["ruling"] != "overturned" and place not in void)
            for place, (ruling, event) in enumerate(self.given)
        ]
        return KeptGame(
            row,
            self.header,
            self.lines,
            self.events,
            rulings,
            self.decisions,
            evidence,
            self.beside[kinds.SETTINGS],
            self.beside[kinds.UPHELD],
            self.beside[kinds.APPEAL],
            self.beside[kinds.NOTE],
            judged,
        )


def find_chain_breaks(view: JournalView) -> list[tuple[int, str]]:
    """Where the whole chain is broken; empty when it is whole."""
    return list(find_breaks(view.links()))


def _connect(path: Path) -> sqlite3.Connection:
    """A read-only connection; also where the disk itself is read-only."""
    try:
        return read_only(path)
    except sqlite3.OperationalError:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        # Nobody can write there, and nothing waits in the log: the file is all there is.
        return read_only(path, immutable=True)
