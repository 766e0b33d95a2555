"""The game's side of evidence, with the real child process."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import Mark, Wanted
from referee.evidence.witness import Witness
from referee.totem.trace import load_trace
from tests.evidence.table import SIZE, STEP_US, batch, frame, of_kind, sheet_of

WHOLE = EvidenceSettings(area="whole")


def wanted(first: int, last: int, place: int = 0) -> Wanted:
    return Wanted(first * STEP_US, last * STEP_US, (place,), (Mark((first + last) // 2 * STEP_US, "contact", "Ana"),))


def witness_of(folder: Path, told: list[str], settings: EvidenceSettings = WHOLE, complete: bool = True) -> Witness:
    return Witness(folder, settings, SIZE, complete=complete, tell=told.append)


def test_of_a_recording_no_frame_and_no_scan_is_lost(tmp_path: Path) -> None:
    told: list[str] = []
    witness = witness_of(tmp_path, told)
    for number in range(120):
        witness.scans(batch(number * STEP_US, (number + 1) * STEP_US))
        witness.frame(frame(number), None)
    witness.want(wanted(10, 110))
    items = witness.finish()
    assert sheet_of(tmp_path, items)["clip"]["numbers"] == list(range(10, 111))
    (counts,) = of_kind(items, "counts")
    assert len(load_trace(tmp_path / counts.name).t_us) == 100 * 34 + 1  # 34 scans a batch
    assert (witness.tally.frames_dropped, told) == (0, [])


def test_the_end_of_a_game_writes_what_is_still_open(tmp_path: Path) -> None:
    witness = witness_of(tmp_path, [])
    for number in range(30):
        witness.frame(frame(number), None)
    witness.want(wanted(10, 500, 3))
    items = witness.finish()
    assert sheet_of(tmp_path, items)["clip"]["numbers"] == list(range(10, 30))
    assert {item.places for item in items} == {(3,)}


def test_rulings_close_together_are_one_clip(tmp_path: Path) -> None:
    witness = witness_of(tmp_path, [])
    for number in range(60):
        witness.frame(frame(number), None)
        if number in (20, 30):
            witness.want(wanted(number - 10, number + 15, number))
    items = witness.finish()
    assert [item.places for item in of_kind(items, "clip")] == [(20, 30)]


def test_a_child_that_is_killed_is_started_again_and_asked_again(tmp_path: Path) -> None:
    told: list[str] = []
    witness = witness_of(tmp_path, told)
    for number in range(20):
        witness.frame(frame(number), None)
    witness.want(wanted(5, 50, 1))
    first = witness.process_id
    assert first is not None
    os.kill(first, signal.SIGKILL)
    while Path(f"/proc/{first}/stat").exists() and " Z " not in Path(f"/proc/{first}/stat").read_text():
        time.sleep(0.01)
    for number in range(20, 60):
        witness.frame(frame(number), None)
    assert witness.process_id not in (None, first)
    items = witness.finish()
    assert sheet_of(tmp_path, items)["clip"]["numbers"][-1] == 50
    assert (witness.tally.deaths, told) == (1, [])


def test_a_live_game_never_waits_for_a_child_that_is_stopped(tmp_path: Path) -> None:
    witness = witness_of(tmp_path, [], complete=False)
    child = witness.process_id
    assert child is not None
    os.kill(child, signal.SIGSTOP)
    try:
        for number in range(40):
            witness.frame(frame(number), None)
            witness.scans(batch(number * STEP_US, (number + 1) * STEP_US))
        assert witness.tally.frames == 8  # the slots there are
        assert witness.tally.frames_dropped == 32
    finally:
        os.kill(child, signal.SIGCONT)
        witness.close()


def test_evidence_that_cannot_be_written_ends_with_one_sentence_and_the_game_goes_on(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "game").write_text("a file where a folder should be")
    witness = witness_of(tmp_path / "game", told)
    for number in range(200):
        witness.frame(frame(number), None)
        if number % 40 == 20:
            witness.want(wanted(number - 10, number))
    witness.finish()
    assert len(told) == 1
    assert "the game goes on" in told[0]
    assert (tmp_path / "game").read_text() == "a file where a folder should be"


def test_a_disk_that_is_nearly_full_is_left_to_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.evidence import files

    monkeypatch.setattr(files, "RESERVE_BYTES", 1 << 60)
    with pytest.raises(OSError, match="are free on the disk"):
        files.Drafts(tmp_path)


def test_with_counts_alone_no_picture_is_kept(tmp_path: Path) -> None:
    witness = witness_of(tmp_path, [], EvidenceSettings(keep="counts", area="whole"))
    for number in range(30):
        witness.scans(batch(number * STEP_US, (number + 1) * STEP_US))
        witness.frame(frame(number), None)
    witness.want(wanted(5, 25))
    assert sorted(item.kind for item in witness.finish()) == ["counts", "sheet"]


def test_with_nothing_kept_there_is_no_child(tmp_path: Path) -> None:
    witness = witness_of(tmp_path, [], EvidenceSettings(keep="nothing"))
    witness.frame(frame(0), None)
    witness.want(wanted(0, 1))
    assert witness.process_id is None
    assert witness.finish() == []


def test_what_a_killed_child_left_half_written_is_removed(tmp_path: Path) -> None:
    (tmp_path / "abc.part.webm").write_bytes(b"half")
    (tmp_path / "whole.webm").write_bytes(b"whole")
    witness = witness_of(tmp_path, [])
    witness.frame(frame(0), None)
    witness.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["whole.webm"]
