"""The record file of a running game."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from referee.errors import HardwareError, RecordError
from referee.keeping import RecordFile, go_on, set_aside
from referee.words import Header

HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Bo", "Cy"]}
FLIP = {"t_us": 5, "event": "flip", "player": "Ana", "card": "knot/red"}


def test_what_is_kept_is_in_the_file_at_once(tmp_path: Path) -> None:
    with RecordFile(tmp_path / "a.jsonl", HEADER) as kept:
        kept.keep([FLIP])
        assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 2
    kept.close()


def test_every_ruling_is_synced_before_keep_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def watched(file: int) -> None:
        synced.append(os.fstat(file).st_size)
        real(file)

    monkeypatch.setattr(os, "fsync", watched)
    with RecordFile(tmp_path / "a.jsonl", HEADER) as kept:
        before = len(synced)
        kept.keep([FLIP])
        assert synced[before:] == [(tmp_path / "a.jsonl").stat().st_size]


def test_an_existing_record_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("mine")
    with pytest.raises(RecordError, match=r"a\.jsonl: exists"):
        RecordFile(tmp_path / "a.jsonl", HEADER)
    assert (tmp_path / "a.jsonl").read_text() == "mine"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        RecordFile(tmp_path / "none" / "a.jsonl", HEADER)


def test_what_is_set_aside_keeps_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert set_aside(path) is None
    for content in ("one", "two"):
        path.write_text(content)
        set_aside(path)
    assert (tmp_path / "a.jsonl.1").read_text() == "one"
    assert (tmp_path / "a.jsonl.2").read_text() == "two"


def test_a_torn_last_line_is_sealed_off_and_kept_beside_the_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with RecordFile(path, HEADER) as kept:
        kept.keep([FLIP])
    with path.open("ab") as stream:
        stream.write(b'{"t_us":9,"eve')
    record, more = go_on(path)
    with more:
        more.keep([{**FLIP, "t_us": 10}])
    assert record.events == [FLIP]
    assert (tmp_path / "a.jsonl.torn").read_bytes() == b'{"t_us":9,"eve\n'
    again, more = go_on(path)
    more.close()
    assert [event["t_us"] for event in again.events] == [5, 10]


def test_only_one_game_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with RecordFile(path, HEADER) as kept:
        kept.keep([HEADER])
    with pytest.raises(RecordError, match="holds 2 games"):
        go_on(path)
    with pytest.raises(RecordError, match="cannot be written"):
        go_on(tmp_path / "none.jsonl")


def test_a_disk_that_fails_stops_the_game_with_one_sentence_and_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = RecordFile(tmp_path / "a.jsonl", HEADER)

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HardwareError, match="No space left on device"):
        kept.keep([FLIP])
    monkeypatch.undo()
    with pytest.raises(HardwareError, match="nothing more is kept"):
        kept.keep([FLIP])
    kept.close()


def test_two_games_cannot_be_kept_in_one_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with RecordFile(path, HEADER), pytest.raises(RecordError, match="another game is being kept"):
        go_on(path)
    _, more = go_on(path)
    more.close()


def test_a_folder_is_no_record_and_is_not_set_aside(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for attempt in (lambda: set_aside(tmp_path / "folder"), lambda: RecordFile(tmp_path / "folder", HEADER)):
        with pytest.raises(RecordError, match="is a folder"):
            attempt()
    assert (tmp_path / "folder").is_dir()


def test_a_game_that_has_ended_does_not_go_on(tmp_path: Path) -> None:
    with RecordFile(tmp_path / "a.jsonl", HEADER) as kept:
        kept.keep([{"t_us": 1, "event": "end"}])
    with pytest.raises(RecordError, match="has ended"):
        go_on(tmp_path / "a.jsonl")


@pytest.mark.parametrize("content", [b"notes\nmilk", b"milk", b"\xff\xd8\xff\xe0 a picture\n and its rest"])
def test_nothing_is_cut_off_a_file_that_is_no_record(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(RecordError):
        go_on(path)
    assert path.read_bytes() == content
    assert not list(tmp_path.glob("*.torn"))
