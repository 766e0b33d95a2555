"""`referee sim record`: whole recordings, in the files every recording has."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from referee.adjudication import Game, adjudicate
from referee.cli import main
from referee.profile import read_profile
from referee.record import read_records
from referee.totem.trace import load_trace
from referee.vision.reader import read_setup

SHORT = ["sim", "record", "--players", "3", "--seconds", "8", "--seed", "3", "--size", "480x270", "--fps", "10"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("recorded") / "game"
    assert main([*SHORT, "--mat", "none", "--out", str(out)]) == 0
    return out


def test_there_is_a_picture_for_each_time(folder: Path) -> None:
    times = [int(line) for line in (folder / "frames_t.txt").read_text("utf-8").splitlines()]
    video = cv2.VideoCapture(str(folder / "video.mp4"))
    pictures = 0
    while video.read()[0]:
        pictures += 1
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    assert times == sorted(times)
    assert pictures == len(times) == len(truth["frames"])
    assert [frame["t_us"] for frame in truth["frames"]] == times


def test_the_profile_can_be_read_and_places_the_table_without_markers(folder: Path) -> None:
    profile = read_profile(folder / "profile.toml")
    assert profile.players == ("Ana", "Bilal", "Chloé")
    assert profile.deck == "builtin:totem-rush"
    setup = read_setup(folder / "profile.toml")
    assert setup.homography is not None
    assert setup.lens is not None


def test_the_trace_is_on_the_same_clock(folder: Path) -> None:
    trace = load_trace(folder / "totem.npz")
    last = int((folder / "frames_t.txt").read_text("utf-8").split()[-1])
    assert abs(int(trace.t_us[-1]) - last) < 400_000


def test_the_rulings_follow_from_the_true_record(folder: Path) -> None:
    with (folder / "truth.jsonl").open("rb") as stream:
        record = next(iter(read_records(stream, "truth.jsonl")))
    rulings = [r for _, rs in adjudicate(Game(record.header), record.events) for r in rs]
    kept = [json.loads(line) for line in (folder / "rulings.jsonl").read_text("utf-8").splitlines()]
    assert rulings == kept
    assert all("laid_us" in event for event in record.events if event["event"] == "flip")


def test_nothing_that_exists_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "truth.jsonl").read_bytes()
    assert main([*SHORT, "--out", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert (folder / "truth.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        ["--players", "2"],
        ["--players", "Ana,Ana"],
        ["--players", "many"],
        ["--seconds", "0"],
        ["--seconds", "nan"],
        ["--light", "moon"],
        ["--surface", "lava"],
        ["--mat", "flying"],
        ["--fps", "0"],
        ["--size", "big"],
        ["--size", "10x10"],
        ["--games", "0"],
        ["--seed", "-1"],
        ["--pace", "99"],
        ["--deck", "builtin:52"],
        ["--deck", "builtin:none"],
    ],
)
def test_a_wish_nobody_can_grant_is_one_sentence(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", "record", "--out", str(tmp_path / "x"), *wrong]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert not (tmp_path / "x").exists()
