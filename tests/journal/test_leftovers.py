"""What a program that was killed leaves behind, and what was taken away by hand."""

from __future__ import annotations

import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from referee.cli import main
from referee.journal.bundle import take_bundle, write_bundle
from referee.journal.reading import JournalView, Search
from referee.journal.store import Journal
from referee.pruning import take_up
from tests.journal.samples import HEADER, SETTINGS, one_game, won
from tests.review.kept import add_evidence, read, whole_game

KILLED = """
import os, signal, sys
from pathlib import Path
from referee.journal.store import Journal
from tests.journal.samples import FLIP, HEADER, SETTINGS
journal = Journal.open(Path(sys.argv[1]))
keeper = journal.begin(HEADER, SETTINGS)
keeper.keep([FLIP])
print(keeper.key, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def unnamed(journal: Journal, key: str) -> dict[str, list[str]]:
    """Evidence on the disk as it is when the power goes before the journal names it; file names by kind."""
    written: list[object] = []
    add = journal.add
    journal.add = lambda of, entries: written.extend(entries)  # type: ignore[method-assign]
    try:
        add_evidence(journal, key, [0], frames=6)
    finally:
        journal.add = add  # type: ignore[method-assign]
    found: dict[str, list[str]] = {}
    for entry in written:
        found.setdefault(entry.word["kind"], []).append(entry.word["name"])  # type: ignore[attr-defined]
    return found


# --- a writer that was killed ---------------------------------------------------------------------------


def test_a_game_whose_writer_was_killed_counts_as_interrupted_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    key = done.stdout.strip()
    with JournalView.open(tmp_path) as view:
        assert [row.state for row in view.games()] == ["interrupted"]
        assert view.game(key).row.state == "interrupted"
        assert view.count(Search(state="running")) == 0
        assert [row.key for row in view.games(Search(state="interrupted"))] == [key]


def test_a_game_that_is_being_written_counts_as_running(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(HEADER, SETTINGS)
        with JournalView.open(tmp_path) as view:
            assert view.game(keeper.key).row.state == "running"
            assert view.count(Search(state="running")) == 1
            assert view.count(Search(state="interrupted")) == 0


def test_a_reader_that_looks_whether_anybody_writes_never_keeps_a_writer_out(tmp_path: Path) -> None:
    one_game(tmp_path)
    for _ in range(20):
        with JournalView.open(tmp_path) as view:
            view.count(Search(state="running"))
            with Journal.open(tmp_path):
                pass


# --- evidence that nobody names -------------------------------------------------------------------------


def test_a_whole_stretch_that_a_crash_left_unnamed_is_taken_up(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        key = whole_game(journal)
        left = unnamed(journal, key)
        (sentence,) = take_up(journal)
        assert "left unnamed, named now" in sentence
        kept = read(tmp_path, key)
        assert {row.path.name for row in kept.evidence} == {name for names in left.values() for name in names}
        assert main(["journal", "verify", str(tmp_path), "--evidence"]) == 0
        assert take_up(journal) == []


@pytest.mark.parametrize("kind", ["sheet", "clip", "frame"])
def test_a_stretch_that_is_not_whole_is_removed_and_said(tmp_path: Path, kind: str) -> None:
    with Journal.open(tmp_path) as journal:
        key = whole_game(journal)
        left = unnamed(journal, key)
        folder = tmp_path / "evidence" / key
        (folder / left[kind][0]).unlink()
        (folder / ("0" * 24 + ".part.webm")).write_bytes(b"half")
        (sentence,) = take_up(journal)
        assert "left unfinished, removed" in sentence
        assert list(folder.iterdir()) == []
        assert read(tmp_path, key).evidence == []


def test_files_that_are_named_or_somebody_elses_stay(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        key = whole_game(journal)
        add_evidence(journal, key, [0], frames=6)
        folder = tmp_path / "evidence" / key
        (folder / "notes.txt").write_text("mine")
        before = sorted(folder.iterdir())
        assert take_up(journal) == []
        assert sorted(folder.iterdir()) == before


# --- bundles and imports --------------------------------------------------------------------------------


def test_a_bundle_is_made_without_evidence_that_was_deleted_by_hand_and_says_so(tmp_path: Path, capsys: object) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    with Journal.open(here) as journal:
        key = whole_game(journal)
        ids = add_evidence(journal, key, [0], frames=6)
    clip = next((here / "evidence" / key).glob("*.webm"))
    clip.unlink()
    with JournalView.open(here) as view, (tmp_path / "a.zip").open("wb") as stream:
        (sentence,) = write_bundle(stream, view, key)
    assert ids["clip"] in sentence
    assert "is not there any more" in sentence
    with zipfile.ZipFile(tmp_path / "a.zip") as bundle:
        assert ids["clip"] in bundle.read("missing.txt").decode()
        assert f"evidence/{clip.name}" not in bundle.namelist()
    with Journal.open(there) as journal:
        take_bundle(tmp_path / "a.zip", journal)
    kept = read(there, key)
    assert [row.gone is None for row in kept.evidence if row.id == ids["clip"]] == [False]
    assert all(row.path.is_file() for row in kept.evidence if row.gone is None)
    with JournalView.open(there) as view, (tmp_path / "b.zip").open("wb") as stream:
        assert write_bundle(stream, view, key) == []
    assert (tmp_path / "b.zip").read_bytes() == (tmp_path / "a.zip").read_bytes()


@pytest.mark.parametrize("content", [b"no bundle and no record", b"PK\x03\x04 but no zip"])
def test_an_import_that_fails_leaves_no_journal_behind(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "game.zip").write_bytes(content)
    folder = tmp_path / "new" / "journal"
    assert main(["journal", "import", "--journal", str(folder), str(tmp_path / "game.zip")]) == 2
    assert not (tmp_path / "new").exists()


def test_an_import_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    key = one_game(tmp_path / "journal", won(9, 5000))
    (tmp_path / "game.zip").write_bytes(b"nothing")
    assert main(["journal", "import", "--journal", str(tmp_path / "journal"), str(tmp_path / "game.zip")]) == 2
    assert read(tmp_path / "journal", key).rulings
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine")
    assert main(["journal", "import", "--journal", str(tmp_path / "mine"), str(tmp_path / "game.zip")]) == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["note.txt"]


# --- names and commands ---------------------------------------------------------------------------------


def test_a_name_with_a_blank_before_it_is_found_as_the_same_player(tmp_path: Path) -> None:
    one_game(tmp_path, header={**HEADER, "players": [" Ana", "Bo", "Chloé"]})
    one_game(tmp_path)
    with JournalView.open(tmp_path) as view:
        assert view.count(Search(player="Ana")) == view.count(Search(player="ana ")) == 2


def test_games_takes_the_folder_with_and_without_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one_game(tmp_path)
    assert main(["games", str(tmp_path)]) == main(["games", "--journal", str(tmp_path)]) == 0
    assert main(["games"]) == 2
    assert "referee games DIR" in capsys.readouterr().err
