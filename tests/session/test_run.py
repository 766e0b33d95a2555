"""`referee run` on a recorded table: the whole path from pictures and touches to a kept record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.begin import Where, begin
from referee.cli import main
from referee.deck.folder import resolve_deck
from referee.errors import InputError, RecordError
from referee.ledger import standing
from referee.profile import read_profile
from referee.record import Record, read_records
from tests.session.table import recorded


def read(path: Path) -> Record:
    with path.open("rb") as stream:
        (record,) = read_records(stream, str(path))
    return record


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of the recorded table."""
    path = tmp_path_factory.mktemp("run") / "game.jsonl"
    assert main(["run", *recorded().options(path)]) == 0
    return path


def test_every_card_turned_is_kept_with_its_player_and_none_is_wrong(played: Path) -> None:
    truth = read(recorded().folder / "truth.jsonl")
    true_flips = [(event["player"], event["card"]) for event in truth.events if event["event"] == "flip"]
    flips = [(event["player"], event["card"]) for event in read(played).events if event["event"] == "flip"]
    assert len(true_flips) >= 5
    assert len(flips) == len(true_flips)
    for flip, true in zip(flips, true_flips, strict=True):
        assert flip == true or flip == (true[0], "?")


def test_a_card_counts_from_the_moment_it_passed_its_edge(played: Path) -> None:
    truth = read(recorded().folder / "truth.jsonl")
    true_us = [event["t_us"] for event in truth.events if event["event"] == "flip"]
    for event, t_us in zip((e for e in read(played).events if e["event"] == "flip"), true_us, strict=True):
        assert abs(event["t_us"] - t_us) < 70_000  # two frames at 30 a second
        assert event["between"][0] <= event["t_us"] <= event["between"][1]


def test_the_record_ends_with_its_end_and_is_replayed_to_the_same_rulings(played: Path) -> None:
    assert read(played).events[-1]["event"] == "end"
    assert main(["replay", str(played)]) == 0


def test_what_is_printed_is_what_is_kept(tmp_path: Path, capfdbinary: Any) -> None:
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--json"]) == 0
    printed = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert printed == read(tmp_path / "a.jsonl").rulings


def test_the_same_recording_always_ends_in_the_same_record(played: Path, tmp_path: Path) -> None:
    assert main(["run", *recorded().options(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == played.read_bytes()


def test_a_plain_wooden_totem_is_watched_by_the_camera_alone(tmp_path: Path) -> None:
    options = recorded().options(tmp_path / "plain.jsonl")
    at = options.index("--totem")
    assert main(["run", *options[:at], *options[at + 2 :]]) == 0
    kept = read(tmp_path / "plain.jsonl")
    truth = read(recorded().folder / "truth.jsonl")
    assert sum(e["event"] == "flip" for e in kept.events) == sum(e["event"] == "flip" for e in truth.events)
    takers = {hand["player"] for e in truth.events if e["event"] == "grab" for hand in e["hands"]}
    for ruling in (given.ruling for given in standing(kept.rulings)):
        if ruling["ruling"] in ("won", "to-pot"):
            assert ruling.get("winner", ruling.get("player")) in takers


def test_what_people_said_is_taken_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"t_us":1000000,"event":"recount","reserve":{"Ana":7}}\n')
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--calls", str(calls)]) == 0
    assert {"t_us": 1000000, "event": "recount", "reserve": {"Ana": 7}} in read(tmp_path / "a.jsonl").events
    calls.write_text('{"t_us":1000000,"event":"flip","player":"Ana","card":"knot/red"}\n')
    assert main(["run", *recorded().options(tmp_path / "b.jsonl"), "--calls", str(calls)]) == 2
    assert "line 1, event: expected choose, share or recount" in capsys.readouterr().err
    assert not (tmp_path / "b.jsonl").exists()


def test_nothing_that_exists_is_overwritten_and_force_sets_it_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("mine")
    assert main(["run", *recorded().options(path)]) == 2
    assert "exists" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main(["run", *recorded().options(path), "--force"]) == 0
    assert (tmp_path / "a.jsonl.1").read_text() == "mine"
    assert read(path).events


def test_what_would_be_said_is_written_as_sound_files(tmp_path: Path) -> None:
    pytest.importorskip("py_nanotts", reason="the voices are an extra")
    said = tmp_path / "said"
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--say-into", str(said)]) == 0
    public = [r for r in read(tmp_path / "a.jsonl").rulings if r["public"]]
    assert bool(list(said.glob("*.wav"))) == bool(public)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"--profile": "none.toml"}, "none.toml: there is no such profile"),
        ({"--camera": "none.mp4"}, "none.mp4"),
        ({"--totem": "none.npz"}, "none.npz"),
        ({"--totem": "/dev/ttyACM9"}, "expected both live or both recorded"),
        ({"--camera": "/dev/video9"}, "live"),
        ({"--frames-t": "none.txt"}, "none.txt"),
    ],
)
def test_every_wrong_file_is_one_clear_sentence(
    change: dict[str, str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = recorded().options(tmp_path / "a.jsonl")
    for option, value in change.items():
        options[options.index(option) + 1] = value
    assert main(["run", *options]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "a.jsonl").exists()


def test_another_deck_than_the_games_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "profile.toml"
    text = (recorded().folder / "profile.toml").read_text()
    profile.write_text(text.replace("builtin:totem-rush", "builtin:52"))
    options = recorded().options(tmp_path / "a.jsonl")
    options[options.index("--profile") + 1] = str(profile)
    assert main(["run", *options]) == 2
    assert "expected one for jungle-speed" in capsys.readouterr().err


def test_a_recording_cannot_go_on_and_does_not_wait(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--wait"]) == 2
    assert "expected a live camera" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()


def test_a_recording_does_not_go_on_and_what_is_kept_stays_as_it_is(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torn = b"".join(played.read_bytes().splitlines(keepends=True)[:4]) + b'{"t_us":'
    (tmp_path / "a.jsonl").write_bytes(torn)
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--resume"]) == 2
    assert "a recording is played from its beginning" in capsys.readouterr().err
    assert (tmp_path / "a.jsonl").read_bytes() == torn
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_game_that_has_ended_or_is_another_tables_does_not_go_on(played: Path, tmp_path: Path) -> None:
    profile = read_profile(recorded().folder / "profile.toml")
    deck = resolve_deck(profile.deck)
    before = played.read_bytes()
    with pytest.raises(RecordError, match="its game has ended"):
        begin(Where(None, played, resume=True), profile, deck)
    assert played.read_bytes() == before
    lines = before.splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(lines[0].replace(b'"profile":"', b'"profile":"0') + b"".join(lines[1:4]))
    with pytest.raises(InputError, match="another profile"):
        begin(Where(None, tmp_path / "a.jsonl", resume=True), profile, deck)


def test_a_trace_on_another_clock_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(recorded().folder / "totem.npz") as arrays:
        moved = {**arrays, "t_us": arrays["t_us"] + 1_000_000_000}
    np.savez(tmp_path / "moved.npz", **moved)
    options = recorded().options(tmp_path / "a.jsonl")
    options[options.index("--totem") + 1] = str(tmp_path / "moved.npz")
    assert main(["run", *options]) == 2
    assert "on the same clock" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()


def test_pictures_of_another_shape_than_the_profiles_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (recorded().folder / "profile.toml").read_text()
    (tmp_path / "profile.toml").write_text(text.replace("height = 540", "height = 720"))
    options = recorded().options(tmp_path / "a.jsonl")
    options[options.index("--profile") + 1] = str(tmp_path / "profile.toml")
    assert main(["run", *options]) == 2
    assert "expected the shape of" in capsys.readouterr().err


def test_two_piles_in_one_place_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (recorded().folder / "profile.toml").read_text()
    rows = [line for line in text.splitlines() if line.startswith("face_up")]
    (tmp_path / "profile.toml").write_text(text.replace(rows[1], rows[0]))
    options = recorded().options(tmp_path / "a.jsonl")
    options[options.index("--profile") + 1] = str(tmp_path / "profile.toml")
    assert main(["run", *options]) == 2
    assert "lie in one place" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()


def test_pages_that_cannot_be_served_leave_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *recorded().options(tmp_path / "a.jsonl"), "--web", "99999"]) == 2
    assert "is no address" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()
