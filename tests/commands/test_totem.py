"""`referee totem` as a person calls it, with a simulated totem behind a pseudo-terminal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from referee.cli import main
from referee.totem.links.serial_port import SerialLink
from referee.totem.recording import Recorder, read_scans
from tests.firmware.desk_totem import DeskTotem, needs_micropython
from tests.totem_link.back_to_back import trace
from tests.totem_link.contract import hear


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A trace to play."""
    recorder = Recorder(tmp_path / "played.npz", ["Ana", "Bilal"])
    recorder.add(trace(10_000, rings=2, seats=2))
    recorder.close()
    return tmp_path / "played.npz"


def test_a_recording_of_a_played_trace_holds_its_readings(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.npz"
    words = ["totem", "record", str(out), "--simulate", str(played), "--seconds", "1", "--seats", "Ana,Bilal"]
    assert main([*words, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-2] == {"trace": str(out)}
    assert lines[-1]["scans_lost"] == 0
    sent, kept = read_scans(played), read_scans(out)
    assert len(kept) == lines[-1]["scans"] > 500
    np.testing.assert_array_equal(kept.counts, sent.counts[: len(kept)])
    assert kept.seat_delta is not None


def test_a_recording_that_is_there_is_not_written_over(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = played.read_bytes()
    assert main(["totem", "record", str(played), "--simulate", str(played), "--seconds", "0.2"]) == 2
    assert "--force writes over it" in capsys.readouterr().err
    assert played.read_bytes() == before


def test_a_totem_that_does_not_come_is_said_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = str(tmp_path / "nothing")
    assert main(["totem", "record", str(tmp_path / "out.npz"), "--port", port, "--seconds", "0.2"]) == 1
    assert "there is no such port" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_the_monitor_shows_a_played_trace(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["totem", "monitor", "--simulate", str(played), "--seconds", "1", "--web", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["page"].startswith("http://127.0.0.1:")
    assert lines[-1]["health"] == "fresh"
    assert len(lines[-1]["levels"]) == 8


def test_a_trace_that_cannot_be_played_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.npz").write_bytes(b"nothing of the kind")
    assert main(["totem", "monitor", "--simulate", str(tmp_path / "broken.npz")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_totem_cannot_be_real_and_simulated_at_once(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["totem", "monitor", "--simulate", str(played), "--port", "x"]) == 2
    assert "only one of them" in capsys.readouterr().err


@needs_micropython
def test_the_check_of_a_totem_with_a_faulty_pad_answers_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with DeskTotem(tmp_path / "totem") as totem:
        assert main(["totem", "install", "--check-only", "--port", str(tmp_path / "totem"), "--json"]) == 1
        found = json.loads(capsys.readouterr().out)
        assert found["faulty_pads"] == [totem.pads - 1]
        assert (found["rings"], found["sectors"]) == (12, 4)


def test_settings_that_are_not_there_are_refused_before_the_board_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["totem", "install", "--port", "nowhere", "--config", str(tmp_path / "none.py")]) == 2
    assert "no such build (a-pico, b, c2-primary" in capsys.readouterr().err


def test_a_simulated_totem_can_be_listened_to_by_another_program(played: Path, tmp_path: Path) -> None:
    at = tmp_path / "port"
    at.symlink_to(tmp_path / "gone")  # as a simulation that was killed leaves it
    program = [sys.executable, "-m", "referee", "totem", "simulate", str(played), "--at", str(at)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as simulation:
        assert simulation.stdout is not None
        assert "a totem is at" in simulation.stdout.readline()
        link = SerialLink(at)
        heard = hear(link, 300)
        link.close()
        simulation.send_signal(signal.SIGINT)
        assert simulation.wait(timeout=10) == 0
    sent = read_scans(played)
    counts = np.concatenate([batch.counts for batch in heard.batches])
    np.testing.assert_array_equal(counts[:1], sent.counts[:1])
    assert not at.is_symlink()


def test_a_recording_that_is_stopped_by_hand_is_kept_whole(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    program = [sys.executable, "-m", "referee", "totem", "record", str(out), "--simulate", str(played)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as recording:
        assert recording.stdout is not None
        assert "is there" in recording.stdout.readline()
        partial = tmp_path / "out.npz.partial"
        end_s = time.monotonic() + 20
        while not partial.exists() and time.monotonic() < end_s:
            time.sleep(0.05)
        recording.send_signal(signal.SIGINT)
        said = recording.stdout.read()
        assert recording.wait(timeout=20) == 0
    assert f"wrote {out}" in said
    kept = read_scans(out)
    np.testing.assert_array_equal(kept.counts, read_scans(played).counts[: len(kept)])


def test_a_simulated_totem_takes_nobodys_place(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["totem", "simulate", str(played), "--at", str(played)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_simulated_totem_needs_a_folder_for_its_port(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["totem", "simulate", str(played), "--at", str(tmp_path / "none" / "port")]) == 2
    said = capsys.readouterr().err
    assert f"there is no folder {tmp_path / 'none'}" in said
    assert "port.new" not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seats", "Ana,Ana"], "a name stands there twice"),
        (["--seats", "Ana,,Bilal"], "expected names of 1 to 64 printable characters"),
        (["--seats", "Ana\nBilal"], "expected names of 1 to 64 printable characters"),
    ],
)
def test_seat_names_that_a_trace_could_not_keep_apart_are_refused_before_recording(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    out = tmp_path / "out.npz"
    assert main(["totem", "record", str(out), "--simulate", str(played), "--seconds", "1", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.glob("out*")) == []


@pytest.mark.parametrize(
    "words", [["--pace", "0"], ["--pace", "nan"], ["--bit-errors", "2"], ["--tug-every", "-1"], ["--seconds", "inf"]]
)
def test_numbers_that_cannot_be_are_refused(played: Path, tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["totem", "simulate", str(played), "--at", str(tmp_path / "port"), *words])
    assert refused.value.code == 2
