"""Python, pins, sound and kept games as they are looked at."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from pathlib import Path

import pytest

from referee.doctor.plan import Plan
from referee.doctor.probes.others import probe_games, probe_pins, probe_sound
from referee.doctor.probes.software import core_packages, load_opencv, opencv_packages, probe
from referee.journal.files import DATABASE
from referee.journal.store import Journal
from referee.ledger import Ledger
from tests.journal.scripted import SETTINGS, Player, ignore, script

HEADER = '{"record":"referee/1","game":"jungle-speed","players":["Ana","Bilal"]}\n'
END = '{"t_us":5,"event":"end"}\n'
PROFILE = """
game = "jungle-speed"
players = ["Ana", "Bilal"]
deck = "builtin:totem-rush"
[announce.pins]
buzzer = 24
"""


def test_the_core_is_what_the_package_says_of_itself() -> None:
    assert {"numpy", "opencv-python-headless", "orjson"} <= set(core_packages())
    assert not {"pytest", "smbus2"} & set(core_packages())
    assert opencv_packages() == ["opencv-python-headless"]


def test_this_very_environment_is_sound() -> None:
    facts = probe(Plan())
    assert (list(facts.missing), facts.opencv_problem) == ([], "")
    assert facts.opencv is not None


def test_an_opencv_that_does_not_load_says_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ImportError: libGL.so.1: cannot open shared object file' >&2\nexit 1\n")
    python.chmod(0o755)
    assert load_opencv(str(python)) == (None, "ImportError: libGL.so.1: cannot open shared object file")
    assert load_opencv(sys.executable)[1] == ""


def test_pins_are_looked_at_only_where_the_profile_names_some(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(PROFILE)
    assert probe_pins(Plan()).wanted is False
    facts = probe_pins(Plan(profile=str(tmp_path / "table.toml")))
    assert (facts.wanted, facts.mock, facts.factory) == (True, True, "MockFactory")


def test_sound_cards_are_counted_from_what_aplay_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aplay = tmp_path / "aplay"
    aplay.write_text("#!/bin/sh\necho 'card 0: vc4hdmi [vc4-hdmi], device 0'\necho 'card 1: Speaker [USB], device 0'\n")
    aplay.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert probe_sound(Plan()).cards == 2
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "not installed" in probe_sound(Plan()).problem


def test_kept_games_are_read_to_their_ends(tmp_path: Path) -> None:
    (tmp_path / "whole.jsonl").write_text(HEADER + END)
    (tmp_path / "open.jsonl").write_text(HEADER)
    (tmp_path / "torn.jsonl").write_text(HEADER + END[:9])
    (tmp_path / "bad.jsonl").write_text("no record\n")
    (tmp_path / "notes.txt").write_text("not a game")
    facts = probe_games(Plan(games=str(tmp_path)))
    assert (facts.games, facts.open, facts.torn, facts.bad) == (4, 2, 1, 1)
    assert probe_games(Plan(games=str(tmp_path / "nowhere"))).readable is False
    assert probe_games(Plan()).folder is False


def test_a_journal_is_looked_at_as_a_whole(tmp_path: Path) -> None:
    header, events = script()
    with Journal.open(tmp_path) as journal:
        ended, begun = journal.begin(header, SETTINGS), journal.begin(header, SETTINGS)
        Player(ended, Ledger(header), ignore).play(events)
        ended.close()
        Player(begun, Ledger(header), ignore).play(events[:4])
        facts = probe_games(Plan(games=str(tmp_path)))
        assert (facts.games, facts.open, facts.breaks) == (2, 1, 0)
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in tables:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entries SET line = CAST(replace(CAST(line AS TEXT), 'flip', 'flap') AS BLOB)")
    assert probe_games(Plan(games=str(tmp_path))).breaks > 0
    (tmp_path / DATABASE).write_bytes(b"no database" * 500)
    assert probe_games(Plan(games=str(tmp_path))).readable is False
