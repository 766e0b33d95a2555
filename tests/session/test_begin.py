"""A running game in the journal: begun, cut off, gone on with."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.errors import HardwareError, RecordError
from referee.journal.reading import JournalView, KeptGame
from referee.keeping import Keepers, RecordFile
from tests.journal.samples import FLIP, HEADER
from tests.session.table import recorded
from tests.session.test_live import profile


def games(folder: Path) -> list[KeptGame]:
    with JournalView.open(folder) as view:
        return [view.game(row.key) for row in view.games()]


def test_a_recorded_table_is_kept_in_the_journal_as_in_its_record(tmp_path: Path, capfdbinary: Any) -> None:
    folder, record = tmp_path / "journal", tmp_path / "a.jsonl"
    assert main(["run", *recorded().options(record), "--journal", str(folder)]) == 0
    assert f"kept in {folder} and {record}" in capfdbinary.readouterr().err.decode()
    (game,) = games(folder)
    with JournalView.open(folder) as view:
        assert b"".join(view.record_lines(game.row.key)) == record.read_bytes()
    assert game.row.state == "ended"
    assert game.decisions.keys() == {ruling.place for ruling in game.rulings}
    (settings,) = game.settings
    assert settings["profile"] == (recorded().folder / "profile.toml").read_text(encoding="utf-8")
    assert sum(settings["deck"].values()) > 50
    assert main(["replay", str(folder)]) == 0
    assert main(["journal", "verify", str(folder)]) == 0


def test_a_game_that_cannot_begin_leaves_nothing_in_the_journal(tmp_path: Path) -> None:
    options = recorded().options(tmp_path / "a.jsonl")
    assert main(["run", *options, "--journal", str(tmp_path / "journal"), "--web", "nowhere"]) == 2
    assert not (tmp_path / "a.jsonl").exists()
    assert games(tmp_path / "journal") == []


def start(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    place = '[journal]\nfolder = "kept"\n'
    command = [sys.executable, "-m", "referee", "run", "--profile", str(profile(tmp_path, more=place)), "--dry"]
    return subprocess.Popen([*command, *options], cwd=tmp_path, stderr=subprocess.PIPE, text=True)


def begun(folder: Path, settings: int) -> KeptGame:
    """The journal's only game, as soon as it has begun so many times."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            found = games(folder)
        except RecordError:
            found = []
        if found and len(found[0].settings) == settings:
            return found[0]
        time.sleep(0.05)
    raise AssertionError("the game did not begin")


def test_a_killed_game_goes_on_in_the_journal_the_profile_names(tmp_path: Path) -> None:
    process = start(tmp_path)
    key = begun(tmp_path / "kept", 1).row.key
    process.kill()
    process.communicate()
    process = start(tmp_path, "--resume")
    assert begun(tmp_path / "kept", 2).row.key == key
    second = start(tmp_path)
    _, error = second.communicate(timeout=60)
    assert second.returncode == 2
    assert "another referee is writing this journal" in error
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    (game,) = games(tmp_path / "kept")
    assert (game.row.state, [event["event"] for event in game.events]) == ("ended", ["end"])
    assert not list(tmp_path.glob("game-*.jsonl"))
    process = start(tmp_path, "--resume")
    _, error = process.communicate(timeout=60)
    assert "holds no interrupted game" in error


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--resume", "--record", "a.jsonl", "--journal", "b"], "a game goes on in one place"),
        (["--game", "abc"], "--game: names a game to go on with, expected --resume"),
        (["--resume", "--journal", "b", "--game", "abc"], "there is no game abc"),
    ],
)
def test_options_that_contradict_each_other_are_one_sentence(
    options: list[str], sentence: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--profile", str(profile(tmp_path)), "--dry", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_several_keepers_are_told_in_turn_and_all_are_closed(tmp_path: Path) -> None:
    first, second = (RecordFile(tmp_path / name, HEADER) for name in ("a.jsonl", "b.jsonl"))
    both = Keepers([second])
    both.put_first(first)
    both.keep([FLIP])
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    first._broken = True
    with pytest.raises(HardwareError):
        both.keep([FLIP])
    both.close()
    assert len((tmp_path / "b.jsonl").read_bytes().splitlines()) == 2
