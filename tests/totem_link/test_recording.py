"""Recordings: whole traces, nothing lost in a crash, nothing written over unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import TraceError
from referee.totem.links.recorded import cut
from referee.totem.recording import Recorder, read_scans
from tests.totem_link.back_to_back import trace

ARRAYS = ("t_us", "counts", "tilt_deg", "yaw_deg", "seated", "seat_index", "seat_delta")


def record(path: Path, start: int = 0, end: int = 400, **options: bool) -> Recorder:
    """A recording of part of one trace, not closed yet."""
    scans = trace(400, seats=2)
    recorder = Recorder(path, ["Ana", "Bilal"], **options)
    for at in range(start, end, 8):
        recorder.add(cut(scans, at, min(at + 8, end)), zero_unix_us=1_000_000)
    return recorder


def interrupted(path: Path, start: int, end: int) -> Path:
    """The files of a recording whose program died; returns the partial one."""
    partial = path.with_name(path.name + ".partial")
    recorder = record(path, start, end)
    data = partial.read_bytes()
    for trace_made in recorder.close():
        trace_made.unlink()
    partial.write_bytes(data)
    return partial


def assert_trace(path: Path, scans: int = 400) -> None:
    sent, kept = trace(400, seats=2), read_scans(path)
    assert kept.layout == sent.layout
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(kept, name), getattr(sent, name)[:scans], err_msg=name)


def test_a_closed_recording_is_a_trace_with_every_scan(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    assert record(path).close() == [path]
    assert_trace(path)
    assert [file.name for file in tmp_path.iterdir()] == ["out.npz"]
    with np.load(path) as arrays:
        assert list(arrays["seat_names"]) == ["Ana", "Bilal"]


def test_an_interrupted_recording_is_finished_by_resuming_it(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    interrupted(path, 0, 200)
    recorder = record(path, 200, 400, resume=True)
    assert recorder.resumed_scans == 200
    assert recorder.zero_unix_us == 1_000_000
    assert recorder.close() == [path]
    assert_trace(path)


@settings(max_examples=30, deadline=None)
@given(torn=st.integers(0, 5_000), spoil=st.booleans())
def test_a_torn_or_spoiled_tail_costs_only_the_chunks_it_hit(
    tmp_path_factory: pytest.TempPathFactory, torn: int, spoil: bool
) -> None:
    path = tmp_path_factory.mktemp("torn") / "out.npz"
    partial = interrupted(path, 0, 400)
    data = bytearray(partial.read_bytes())
    if spoil:
        data[len(data) - 1 - torn] ^= 0x10
    else:
        del data[len(data) - torn :]
    partial.write_bytes(data)
    recorder = Recorder(path, resume=True)
    kept = recorder.resumed_scans
    chunk = len(data) // 50
    assert kept >= 400 - 8 * (torn // chunk + 2)
    recorder.close()
    assert_trace(path, kept)


def test_scans_that_were_kept_already_are_not_kept_twice(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    interrupted(path, 0, 200)
    record(path, 100, 400, resume=True).close()
    assert_trace(path)


def test_each_start_of_the_totem_is_a_trace_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    recorder = record(path, 0, 200)
    recorder.add(replace(cut(trace(400, seats=2), 200, 400), boot_id=99))
    assert recorder.close() == [path, tmp_path / "out-2.npz"]
    assert_trace(path, 200)
    assert read_scans(tmp_path / "out-2.npz").boot_id == 99


def test_a_new_start_never_writes_over_a_trace_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    (tmp_path / "out-2.npz").write_bytes(b"somebody's")
    recorder = record(path, 0, 200)
    recorder.add(replace(cut(trace(400, seats=2), 200, 400), boot_id=99))
    assert recorder.close() == [path, tmp_path / "out-3.npz"]
    assert (tmp_path / "out-2.npz").read_bytes() == b"somebody's"


def test_nothing_is_written_over_unless_told_so(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    record(path).close()
    before = path.read_bytes()
    with pytest.raises(TraceError, match="exists already"):
        Recorder(path)
    assert path.read_bytes() == before
    record(path, 0, 80, force=True).close()
    assert_trace(path, 80)


def test_an_interrupted_recording_is_not_thrown_away_unasked(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    interrupted(path, 0, 200)
    with pytest.raises(TraceError, match="--resume goes on"):
        Recorder(path)
    record(path, 0, 80, force=True).close()
    assert_trace(path, 80)


def test_there_is_nothing_to_resume_where_nothing_was_interrupted(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no interrupted recording"):
        Recorder(tmp_path / "out.npz", resume=True)


@pytest.mark.parametrize(
    "content",
    [b"", b"something else", b"referee totem recording 1\n", b"referee totem recording 1\n" + bytes(8)],
)
def test_a_partial_file_that_is_none_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "out.npz"
    path.with_name("out.npz.partial").write_bytes(content)
    with pytest.raises(TraceError, match=r"out\.npz\.partial: "):
        Recorder(path, resume=True)


@pytest.mark.parametrize("name", ["out.txt", "no/such/folder/out.npz"])
def test_a_place_that_cannot_be_is_refused_before_anything_is_recorded(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError):
        Recorder(tmp_path / name)


def test_a_recording_without_scans_leaves_nothing(tmp_path: Path) -> None:
    assert Recorder(tmp_path / "out.npz").close() == []
    assert list(tmp_path.iterdir()) == []


def test_a_totem_without_extras_is_kept_without_them(tmp_path: Path) -> None:
    bare = replace(trace(64), yaw_deg=None, seated=None)
    recorder = Recorder(tmp_path / "out.npz")
    recorder.add(bare)
    recorder.close()
    kept = read_scans(tmp_path / "out.npz")
    assert kept.yaw_deg is None
    assert kept.seat_index is None
    np.testing.assert_array_equal(kept.counts, bare.counts)
