"""`referee say`."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import pytest

from referee.cli import main


def say(*words: str, cache: Path) -> int:
    return main(["say", *words, "--engine", "tone", "--cache", str(cache)])


def test_a_text_becomes_a_wav_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.wav"
    assert say("Ana wins. Bilal is next.", "--out", str(out), "--json", cache=tmp_path / "cache") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["phrases"] == ["Ana wins.", "Bilal is next."]
    assert told["rendered"] == 2
    with wave.open(str(out), "rb") as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(told["seconds"], abs=0.01)


def test_a_file_that_is_there_is_kept_without_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.wav"
    out.write_text("mine")
    assert say("Ana wins.", "--out", str(out), cache=tmp_path / "cache") == 2
    assert out.read_text() == "mine"
    assert "is there already" in capsys.readouterr().err
    assert say("Ana wins.", "--out", str(out), "--force", cache=tmp_path / "cache") == 0
    assert out.stat().st_size > 1_000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["♠ …"], "nothing of it can be spoken"),
        (["x" * 2_001], "expected 2000 at most"),
        (["Ana", "--speed", "9"], "expected a number from 0.5 to 2"),
    ],
)
def test_what_cannot_be_said_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert say(*words, "--out", str(tmp_path / "a.wav"), cache=tmp_path / "cache") == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_without_a_player_it_says_how_to_get_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert say("Ana wins.", cache=tmp_path / "cache") == 2
    assert capsys.readouterr().err == (
        "referee say: no sound: neither aplay (alsa-utils) nor paplay is installed; --out FILE.wav writes a file\n"
    )
