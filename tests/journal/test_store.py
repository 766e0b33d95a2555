"""The writer: what it keeps, what it refuses, and what it does when the disk or the file is bad."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import HardwareError, RecordError
from referee.journal import entries as kinds
from referee.journal.entries import Entry
from referee.journal.files import DATABASE
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.store import Journal
from referee.record import to_line
from tests.journal.disk import FULL, IOERR_FSYNC, Deed, Disk
from tests.journal.samples import END, FLIP, HEADER, SETTINGS, clip, one_game, won
from tests.journal.scripted import check_after_a_crash, whole_game


def lines_of(folder: Path, key: str) -> list[bytes]:
    with JournalView.open(folder) as view:
        return view.record_lines(key)


def test_a_games_lines_are_kept_byte_for_byte(tmp_path: Path) -> None:
    key = one_game(tmp_path, won(9, 500))
    assert lines_of(tmp_path, key) == [to_line(word) for word in (HEADER, FLIP, won(9, 500), END)]


def test_what_is_kept_can_be_read_by_others_at_once(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)
        with JournalView.open(tmp_path) as view:
            keeper.keep([FLIP])
            assert view.record_lines(keeper.key)[-1] == to_line(FLIP)
            keeper.keep([won(9, 500)], beside=[Entry(kinds.DECISION, {"place": 0})])
            assert view.game(keeper.key).decisions == {0: {"place": 0}}


def test_nothing_in_the_chain_can_be_changed_or_deleted(tmp_path: Path) -> None:
    one_game(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE)
    for deed in (
        "UPDATE entries SET kind = 'note'",
        "DELETE FROM entries",
        "REPLACE INTO entries SELECT * FROM entries",
        "REPLACE INTO game_keys SELECT * FROM game_keys",
        "INSERT INTO entries SELECT sequence + 9, game, kind, line, hash FROM entries",
        "UPDATE game_keys SET key = 'a'",
        "DELETE FROM game_keys",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(deed)
    connection.close()


def test_a_second_writer_is_told_in_one_sentence_and_the_first_goes_on(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)
        with pytest.raises(RecordError, match="another referee is writing this journal"):
            Journal.open(tmp_path)
        other = (
            "import pathlib, sys; from referee.journal.store import Journal; Journal.open(pathlib.Path(sys.argv[1]))"
        )
        done = subprocess.run([sys.executable, "-c", other, tmp_path], capture_output=True, text=True)
        assert "another referee is writing this journal" in done.stderr
        keeper.keep([FLIP])
    with Journal.open(tmp_path) as journal:
        assert journal.interrupted() == [keeper.key]


def test_threads_take_turns(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)

        def work(name: str) -> None:
            for number in range(20):
                keeper.keep_beside([clip(f"{name}-{number}")])

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with JournalView.open(tmp_path) as view:
        assert len(view.game(keeper.key).evidence) == 60
        assert find_chain_breaks(view) == []


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([Entry("gossip", {})], "gossip is no kind of entry"),
        ([Entry(kinds.UPHELD, {"place": 1})], "by is missing"),
        ([clip("a"), clip("a")], "contradicts what is kept"),
    ],
)
def test_an_entry_that_is_refused_leaves_nothing_and_the_journal_goes_on(
    entries: list[Entry], sentence: str, tmp_path: Path
) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)
        with pytest.raises(RecordError, match=sentence):
            keeper.keep_beside(entries)
        keeper.keep([FLIP])
    with JournalView.open(tmp_path) as view:
        assert view.game(keeper.key).evidence == []
        assert find_chain_breaks(view) == []
        assert view.length() == 3


def test_a_game_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        for attempt in (lambda: journal.go_on("no"), lambda: journal.add("no", [clip("a")])):
            with pytest.raises(RecordError, match="there is no game no"):
                attempt()
        key = journal.begin(HEADER, SETTINGS).key
        journal.add(key, [Entry(kinds.EVENT, END)])
        with pytest.raises(RecordError, match="has ended"):
            journal.go_on(key)


def test_a_game_that_was_cut_off_is_marked_and_goes_on(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path)
    key = journal.begin(HEADER, SETTINGS).key
    journal.close()  # the game itself was never closed
    with Journal.open(tmp_path) as journal:
        assert journal.interrupted() == [key]
        record, keeper = journal.go_on(key)
        assert record.events == []
        keeper.keep([FLIP])
        with JournalView.open(tmp_path) as view:
            assert view.game(key).row.state == "running"
        keeper.keep([END])
        keeper.close()
        keeper.close()
        assert journal.interrupted() == []


def test_an_interrupted_game_that_is_corrected_is_not_taken_for_one_that_is_played(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)
        keeper.keep([FLIP])
        keeper.close()
        correct = {"t_us": 9, "event": "correct", "ref": 0, "with": None, "by": "Zoë", "reason": "no"}
        journal.add(keeper.key, [Entry(kinds.EVENT, correct), Entry(kinds.RULING, won(9, 500))])
        with JournalView.open(tmp_path) as view:
            assert view.game(keeper.key).row.state == "interrupted"
            journal.add(keeper.key, [Entry(kinds.SETTINGS, SETTINGS.word())])
            assert view.game(keeper.key).row.state == "running"


def test_a_clock_that_was_set_back_changes_no_order(tmp_path: Path) -> None:
    first = one_game(tmp_path)
    second = one_game(tmp_path, settings=replace(SETTINGS, begun="1970-01-01T00:00:00+00:00"))
    with JournalView.open(tmp_path) as view:
        assert [row.key for row in view.games()] == [second, first]
        assert find_chain_breaks(view) == []


# --- the disk -------------------------------------------------------------------------------------------


def test_a_sync_that_failed_is_not_tried_again_and_what_was_acknowledged_stays(tmp_path: Path) -> None:
    failing, syncs = False, 0

    def watch(deed: Deed) -> int:
        nonlocal syncs
        if not failing:
            return 0
        syncs += deed.what == "sync"
        return IOERR_FSYNC if deed.what == "sync" else 0

    with Disk(watch):
        journal = Journal.open(tmp_path)
        keeper = journal.begin(HEADER, SETTINGS)
        keeper.keep([FLIP])
        failing = True
        with pytest.raises(HardwareError, match=r"cannot be written .*; the game stops"):
            keeper.keep([{**FLIP, "t_us": 6}])
        assert syncs == 1
        for _ in range(2):
            with pytest.raises(HardwareError, match="nothing more is kept there"):
                keeper.keep([{**FLIP, "t_us": 7}])
        keeper.close()
        journal.close()
        assert syncs == 1
        failing = False
    assert lines_of(tmp_path, keeper.key)[:2] == [to_line(HEADER), to_line(FLIP)]


@pytest.mark.parametrize("what", ["write", "sync", "truncate", "delete"])
def test_a_disk_that_fails_at_any_moment_stops_the_game_with_a_sentence_and_loses_nothing(
    what: str, tmp_path: Path
) -> None:
    acknowledged: tuple[bytes, ...] = ()
    said: list[int] = []

    def told(kind: str, value: object) -> None:
        nonlocal acknowledged
        if kind == "said":
            said.append(value)  # type: ignore[arg-type]
        else:
            acknowledged = value  # type: ignore[assignment]

    deeds: list[str] = []
    with Disk(lambda deed: deeds.append(deed.what) or 0):
        whole_game(tmp_path / "whole")
    for point in range(1, deeds.count(what), max(1, deeds.count(what) // 6)):
        left, acknowledged = point, ()
        said.clear()

        def watch(deed: Deed) -> int:
            nonlocal left
            left -= deed.what == what
            return FULL if deed.what == what and left < 0 else 0

        with Disk(watch), suppress(HardwareError, RecordError):  # anything else is no sentence
            whole_game(tmp_path / f"{point}", told)
        check_after_a_crash(tmp_path / f"{point}", acknowledged, said)


# --- the file -------------------------------------------------------------------------------------------


def damage(path: Path, content: bytes, instead: bytes) -> None:
    whole = path.read_bytes()
    assert content in whole
    path.write_bytes(whole.replace(content, instead))


def test_a_damaged_file_is_set_aside_whole_and_said_and_a_new_one_begins(tmp_path: Path) -> None:
    one_game(tmp_path, won(9, 500))
    damage(tmp_path / DATABASE, b'"winner":"Ana"', b'"winner":"Eva"')
    damaged = (tmp_path / DATABASE).read_bytes()
    with Journal.open(tmp_path, anew=True) as journal:
        (notice,) = journal.notices
        assert "was damaged (the chain is broken: entry 4" in notice
        assert str(tmp_path / "damaged-1") in notice
        journal.begin(HEADER, SETTINGS)
    assert (tmp_path / "damaged-1" / DATABASE).read_bytes() == damaged
    with JournalView.open(tmp_path) as view:
        assert view.count() == 1
    with Journal.open(tmp_path) as journal:
        assert journal.notices == []


def test_whoever_only_looks_again_leaves_a_damaged_journal_where_it_is(tmp_path: Path) -> None:
    one_game(tmp_path, won(9, 500))
    damage(tmp_path / DATABASE, b'"winner":"Ana"', b'"winner":"Eva"')
    damaged = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(RecordError, match=r"is damaged .*nothing was changed"):
        Journal.open(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == damaged
    assert not (tmp_path / "damaged-1").exists()
    with Journal.open(tmp_path, anew=True) as journal:  # and it is not held
        assert journal.notices


@pytest.mark.parametrize("content", [b'"ruling":"won"', b'"event":"flip"'])
def test_an_entry_that_no_longer_says_what_it_is_ends_in_a_sentence(content: bytes, tmp_path: Path) -> None:
    key = one_game(tmp_path, won(9, 500))
    damage(tmp_path / DATABASE, content, content[:1] + b"x" + content[2:])
    with JournalView.open(tmp_path) as view:
        for read in (view.record, view.record_apart, view.game, view.record_lines):
            with pytest.raises(RecordError, match="damaged"):
                read(key)


@pytest.mark.parametrize("content", [b"", b"not a database at all, and long enough to be looked at" * 40])
def test_a_file_that_is_no_database_is_not_lost(content: bytes, tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(content)
    with Journal.open(tmp_path, anew=True) as journal:
        journal.begin(HEADER, SETTINGS)
        assert bool(journal.notices) == bool(content)
    if content:
        assert (tmp_path / "damaged-1" / DATABASE).read_bytes() == content


def test_pages_that_were_overwritten_are_found_and_the_log_goes_aside_with_the_database(tmp_path: Path) -> None:
    one_game(tmp_path)
    with JournalView.open(tmp_path) as view, Journal.open(tmp_path) as journal:
        view.games()
        keeper = journal.begin(HEADER, SETTINGS)
        keeper.keep([FLIP])
        journal._connection.execute("BEGIN")  # a reader keeps the log from being copied back
    log = tmp_path / f"{DATABASE}-wal"
    size = (tmp_path / DATABASE).stat().st_size
    (tmp_path / DATABASE).write_bytes(b"\xff" * size)
    kept = log.read_bytes() if log.exists() else None
    with Journal.open(tmp_path, anew=True) as journal:
        assert len(journal.notices) == 1
    aside = tmp_path / "damaged-1"
    assert (aside / DATABASE).read_bytes() == b"\xff" * size
    if kept is not None:
        assert (aside / log.name).read_bytes() == kept


def test_another_programs_database_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute("CREATE TABLE mine (a)")
    connection.commit()
    connection.close()
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(RecordError, match="another program's database"):
        Journal.open(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordError, match="cannot be written"):
        Journal.open(tmp_path / "file")
    with pytest.raises(RecordError, match="holds no journal"):
        JournalView.open(tmp_path)
