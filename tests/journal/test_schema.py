"""Older and newer journals."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from referee.errors import RecordError
from referee.journal import entries as kinds
from referee.journal.chain import GENESIS, chain_hash
from referee.journal.derived import derive_all
from referee.journal.files import DATABASE
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.schema import VERSION, migrate
from referee.journal.store import Journal
from referee.record import to_line
from tests.journal.samples import END, FLIP, HEADER, SETTINGS, clip, one_game, won

LISTS = ("games", "game_players", "rulings", "evidence")


def write_version_1(folder: Path) -> None:
    """A journal of the first version: the chain alone, with one game."""
    connection = sqlite3.connect(folder / DATABASE, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, to=1)
    connection.execute("INSERT INTO game_keys VALUES (1, 'abc')")
    before = GENESIS
    words = [(kinds.HEADER, HEADER), (kinds.SETTINGS, SETTINGS.word()), (kinds.EVENT, FLIP), (kinds.RULING, won(9, 70))]
    words += [(kinds.EVENT, END), (kinds.ENDED, {})]
    for sequence, (kind, word) in enumerate(words, start=1):
        before = chain_hash(before, kind, "abc", to_line(word))
        row = (sequence, 1, kind, to_line(word), before)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", row)
    connection.close()


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(folder / DATABASE)
    found = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in LISTS}
    connection.close()
    return found


def test_an_older_journal_is_brought_up_to_date_and_nothing_in_its_chain_changes(tmp_path: Path) -> None:
    write_version_1(tmp_path)
    with pytest.raises(RecordError, match="written by an older referee"):
        JournalView.open(tmp_path)
    with Journal.open(tmp_path) as journal:
        assert journal.notices == []
    with JournalView.open(tmp_path) as view:
        assert find_chain_breaks(view) == []
        (row,) = view.games()
        assert (row.key, row.state, row.events, row.rulings, row.closest_us) == ("abc", "ended", 2, 1, 70)
        assert view.record_lines("abc") == [to_line(word) for word in (HEADER, FLIP, won(9, 70), END)]


def test_an_upgrade_that_fails_halfway_leaves_the_older_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_version_1(tmp_path)

    def fails(connection: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr("referee.journal.schema.derive_all", fails)
        with pytest.raises(RecordError, match="disk full"):
            Journal.open(tmp_path)
    assert sqlite3.connect(tmp_path / DATABASE).execute("PRAGMA user_version").fetchone() == (1,)
    with Journal.open(tmp_path) as journal:
        assert journal.interrupted() == []


def test_a_newer_journal_is_left_as_it_is(tmp_path: Path) -> None:
    one_game(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    for attempt in (Journal.open, JournalView.open):
        with pytest.raises(RecordError, match="newer referee"):
            attempt(tmp_path)
    assert not (tmp_path / "damaged-1").exists()


def test_the_lists_can_be_made_again_from_the_entries(tmp_path: Path) -> None:
    key = one_game(tmp_path, won(9, 500), won(20, 300))
    one_game(tmp_path, won(9, 100))
    overturned = {"t_us": 30, "ruling": "overturned", "refs": [1], "clauses": [], "public": True}
    entries = [
        kinds.Entry(kinds.RULING, overturned),
        clip("a"),
        clip("b"),
        kinds.Entry(kinds.PIN, {"id": "a"}),
        kinds.Entry(kinds.EVIDENCE_GONE, {"id": "b", "why": "quota"}),
        kinds.Entry(kinds.APPEAL, {"place": 0, "player": "Bo"}),
        kinds.Entry(kinds.NOTE, {"text": "Final"}),
    ]
    with Journal.open(tmp_path) as journal:
        for entry in entries:
            journal.add(key, [entry])
    before = rows(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE)
    with connection:
        derive_all(connection)
    connection.close()
    assert rows(tmp_path) == before
    assert [len(before[table]) for table in LISTS] == [2, 6, 4, 2]
