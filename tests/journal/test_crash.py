"""Power cuts and kills: a sample. Every one: `python -m tests.journal.power_cuts`, `python -m tests.journal.kills`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from referee.journal.store import Journal
from tests.journal.disk import Deed, Disk
from tests.journal.power_cuts import recorded, try_all
from tests.journal.scripted import JUNGLE_BLUFF, Chosen, check_after_a_crash, live, whole_game

ROOT = Path(__file__).parents[2]


def test_a_game_that_nobody_disturbs_is_kept_whole(tmp_path: Path) -> None:
    whole_game(tmp_path)
    check_after_a_crash(tmp_path, live()[0], [])


def test_after_a_power_cut_all_that_was_acknowledged_is_there_and_the_game_goes_on(tmp_path: Path) -> None:
    steps = recorded(tmp_path)
    assert try_all(steps, every=23, fates=2) > 50


def test_after_a_power_cut_the_secrets_of_all_that_was_acknowledged_are_there_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Chosen, "game", JUNGLE_BLUFF)
    steps = recorded(tmp_path)
    assert any(isinstance(step, Deed) and step.name == "secrets.sqlite3" for step in steps)
    assert try_all(steps, every=37, fates=2) > 30


def test_the_power_cuts_would_find_a_journal_that_does_not_sync(tmp_path: Path) -> None:
    def careless(journal: Journal) -> None:
        journal._connection.execute("PRAGMA synchronous = OFF")

    steps = recorded(tmp_path, careless)
    with pytest.raises(AssertionError):
        try_all(steps, every=11, fates=3)


def test_a_process_killed_at_any_write_loses_nothing_and_says_nothing_twice() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.journal.kills", "--every", "29"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "nothing lost" in done.stdout


def test_the_watched_disk_is_the_one_that_is_used(tmp_path: Path) -> None:
    names: set[tuple[str, str]] = set()
    with Disk(lambda deed: names.add((deed.what, deed.name)) or 0):
        whole_game(tmp_path)
    assert {("write", "journal.sqlite3"), ("write", "journal.sqlite3-wal"), ("sync", "journal.sqlite3-wal")} <= names
