"""What the first grips showed is kept beside the profile and read by the next game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.errors import ProfileError
from referee.grips import grips_path, keep_grips, read_grips
from referee.totem.enrol import Enrolled, Findings
from referee.totem.live import LiveDetector
from referee.totem.touch import Known
from tests.session.table import recorded

SAID = ("Ana", "Bilal", "Chloé")
FOUND = Findings(
    (Enrolled("Ana", 1, 0.4, 18.5), Enrolled("Bilal", 0, 0.3, None), Enrolled("Chloé", None, 0.0, 15.0)),
    ("Bilal", "Ana", "Chloé"),
    ("Ana", "Bilal"),
    ("Chloé",),
)


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    path = grips_path(tmp_path / "table.toml")
    assert path.parent == tmp_path
    assert keep_grips(path, SAID, FOUND)
    grips = read_grips(path)
    assert grips.order(SAID) == ("Bilal", "Ana", "Chloé")
    assert grips.known == {"Ana": Known(0.4, 18.5), "Bilal": Known(0.3, 0.0), "Chloé": Known(0.0, 15.0)}


def test_nothing_kept_changes_nothing(tmp_path: Path) -> None:
    grips = read_grips(grips_path(tmp_path / "table.toml"))
    assert grips.order(SAID) == SAID
    assert grips.known == {}


def test_another_order_of_the_wires_is_left_as_it_is_said(tmp_path: Path) -> None:
    path = grips_path(tmp_path / "table.toml")
    keep_grips(path, SAID, FOUND)
    assert read_grips(path).order(("Chloé", "Ana", "Bilal")) == ("Chloé", "Ana", "Bilal")
    assert read_grips(path).order(()) == ()


def test_what_is_there_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = grips_path(tmp_path / "table.toml")
    keep_grips(path, SAID, FOUND)
    before = path.read_bytes()
    other = Findings(FOUND.players, SAID, (), ())
    assert not keep_grips(path, SAID, other)
    assert path.read_bytes() == before
    assert keep_grips(path, SAID, other, replace=True)
    assert read_grips(path).order(SAID) == SAID
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 100_000,
        "{" * 5,
        '{"players": {}, "said": ["Ana"], "pads": ["Bilal"]}',
        '{"players": {"Ana": {"coupling": -1, "pitch_mm": 0}}, "said": [], "pads": []}',
        '{"players": {"Ana": {"coupling": NaN, "pitch_mm": 0}}, "said": [], "pads": []}',
        '{"players": {"Ana": 3}, "said": [], "pads": []}',
        " " * 200_000,
    ],
)
def test_another_file_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "table.grips.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match="referee ready players") as told:
        read_grips(path)
    assert "\n" not in str(told.value)


def test_a_file_that_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be written"):
        keep_grips(tmp_path / "no-folder" / "table.grips.json", SAID, FOUND)
    assert list(tmp_path.iterdir()) == []


def test_names_are_kept_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "table.grips.json"
    keep_grips(path, SAID, FOUND)
    assert json.loads(path.read_text("utf-8"))["said"] == list(SAID)


def test_a_game_is_watched_with_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[Any, ...]] = []

    class Told(LiveDetector):
        def __init__(self, *given: Any, **more: Any) -> None:
            told.append(given)
            super().__init__(*given, **more)

    monkeypatch.setattr("referee.session.LiveDetector", Told)
    path = grips_path(recorded().folder / "profile.toml")
    keep_grips(path, SAID, FOUND)
    try:
        main(["run", *recorded().options(tmp_path / "game.jsonl"), "--dry"])
    finally:
        path.unlink()
    ((_, _, pads, known),) = told
    assert known["Ana"] == Known(0.4, 18.5)
    assert not pads or sorted(pads) == sorted(SAID)


def test_a_game_does_not_begin_with_a_file_that_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = grips_path(recorded().folder / "profile.toml")
    path.write_text("no", encoding="utf-8")
    record = tmp_path / "game.jsonl"
    try:
        assert main(["run", *recorded().options(record), "--dry"]) == 2
    finally:
        path.unlink()
    assert "run it again with --force" in capsys.readouterr().err
    assert not record.exists()
