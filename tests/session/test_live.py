"""A live game: real ports and processes, a camera that is not there, and the ends a game can come to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from referee.cli import main
from referee.doors import open_doors
from referee.errors import InputError, ProfileError
from referee.profile import read_profile
from referee.record import read_records
from referee.totem.links.base import table_clock

PROFILE = """
game = "jungle-speed"
players = ["Ana", "Bilal", "Chloé"]
deck = "builtin:totem-rush"
[camera]
source = "{camera}"
width = 640
height = 360
fps = 30
[announce]
language = "fr"
"""


def profile(tmp_path: Path, camera: str = "/dev/video63", more: str = "") -> Path:
    path = tmp_path / "profile.toml"
    path.write_text(PROFILE.format(camera=camera) + more, encoding="utf-8")
    return path


def events(path: Path) -> list[str]:
    with path.open("rb") as stream:
        (record,) = read_records(stream, str(path))
    return [str(event["event"]) for event in record.events]


def start(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "referee", "run", "--profile", str(profile(tmp_path)), "--dry", *options]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path: Path, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not (path.exists() and path.stat().st_size):
        assert time.monotonic() < end, f"{path} did not come"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_game_without_a_camera_waits_for_one_and_ends_cleanly_when_told(tmp_path: Path, number: int) -> None:
    record = tmp_path / "game.jsonl"
    process = start(tmp_path, "--record", str(record))
    wait_for(record)
    process.send_signal(number)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert "Traceback" not in error
    assert events(record) == ["end"]


def test_a_game_that_was_killed_goes_on_in_the_same_record(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    process = start(tmp_path, "--record", str(record))
    wait_for(record)
    process.kill()
    process.communicate(timeout=60)
    flip = {"t_us": 5, "event": "flip", "player": "Ana", "card": "loops-5/red"}
    with record.open("ab") as stream:
        stream.write(json.dumps(flip).encode() + b"\n" + b'{"t_us": 9, "ev')
    process = start(tmp_path, "--record", str(record), "--resume")
    wait_for(tmp_path / "game.jsonl.torn")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert events(record) == ["flip", "end"]
    assert (tmp_path / "game.jsonl.torn").exists()


def test_the_pages_are_served_while_the_game_runs(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the pages are an extra")
    record = tmp_path / "game.jsonl"
    process = start(tmp_path, "--record", str(record), "--web", "0")
    assert process.stderr is not None
    address = next(word for line in process.stderr for word in line.split() if word.startswith("http"))
    with urllib.request.urlopen(address, timeout=30) as page:
        assert "Ana" in page.read().decode() or page.status == 200
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--web", "nowhere"], "--web: nowhere is no address"),
        (["--resume"], "--resume: expected --record"),
        (["--totem", "trace.npz"], "expected both live or both recorded"),
        (["--frames-t", "times.txt"], "times.txt"),
    ],
)
def test_wrong_options_are_one_sentence_and_leave_no_record(
    options: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--profile", str(profile(tmp_path)), "--dry", *options]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.strip().splitlines()) == 1


def test_going_on_with_another_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text('{"record":"referee/1","game":"jungle-speed","players":["X","Y","Z"]}\n')
    before = record.read_bytes()
    options = ["--record", str(record), "--resume", "--dry"]
    assert main(["run", "--profile", str(profile(tmp_path)), *options]) == 2
    assert "another profile" in capsys.readouterr().err
    assert record.read_bytes() == before


def test_a_live_table_opens_the_port_its_profile_names(tmp_path: Path) -> None:
    clock = table_clock()
    path = profile(tmp_path, more='[totem]\nport = "/dev/serial/none"\nseat_pads = true\n')
    doors = open_doors(read_profile(path), clock)
    try:
        assert doors.totem is not None
        assert doors.totem.name == "/dev/serial/none"
        assert doors.pads == ("Ana", "Bilal", "Chloé")
        assert not doors.recorded
        assert doors.totem.health().problem is not None
    finally:
        doors.close()


def test_a_recorded_table_opens_no_port_even_if_the_profile_names_one(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.png").write_bytes(_png())
    path = profile(tmp_path, str(folder), '[totem]\nport = "/dev/serial/none"\n')
    doors = open_doors(read_profile(path), table_clock())
    try:
        assert doors.recorded
        assert doors.totem is None
    finally:
        doors.close()


def test_a_profile_without_a_camera_says_what_to_do(tmp_path: Path) -> None:
    path = profile(tmp_path)
    path.write_text(path.read_text().replace('source = "/dev/video63"', ""))
    with pytest.raises(ProfileError, match="camera"):
        open_doors(read_profile(path), table_clock())


def test_a_mixed_table_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="both live or both recorded"):
        open_doors(read_profile(profile(tmp_path)), table_clock(), totem=str(tmp_path / "a.npz"))


def _png() -> bytes:
    import cv2
    import numpy as np

    return bytes(cv2.imencode(".png", np.zeros((36, 64, 3), np.uint8))[1].tobytes())
