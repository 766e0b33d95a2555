"""Disks that are full, small or read-only: real ones where tests may mount them, limits of a process elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import RecordError
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.store import Journal
from tests.journal.samples import one_game, won
from tests.journal.scripted import check_after_a_crash, live

ROOT = Path(__file__).parents[2]
PLAY = """
import resource, signal, sys
from pathlib import Path
from tests.journal.scripted import whole_game
from referee.errors import RefereeError
if sys.argv[2] != "0":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
def told(what, value):
    print(what, len(value) if what == "acknowledged" else value, flush=True)
try:
    whole_game(Path(sys.argv[1]), told)
except RefereeError as error:
    sys.exit(f"{error}")
"""


def play(folder: Path, limit: int = 0) -> tuple[list[bytes], list[int], str]:
    """The scripted game in a process of its own; what was acknowledged and said, and its last words."""
    done = subprocess.run([sys.executable, "-c", PLAY, folder, str(limit)], cwd=ROOT, capture_output=True, text=True)
    told = [line.split() for line in done.stdout.splitlines()]
    kept = max((int(value) for what, value in told if what == "acknowledged"), default=0)
    return list(live()[0][:kept]), [int(value) for what, value in told if what == "said"], done.stderr


@contextmanager
def mounted(place: Path, size_kib: int) -> Iterator[Path]:
    """A file system of its own."""
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kib}k", "tmpfs", place], capture_output=True)
    if done.returncode:
        pytest.skip("file systems can only be mounted by root")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("limit_kib", [20, 50, 80])
def test_a_file_that_may_not_grow_stops_the_game_with_one_sentence(limit_kib: int, tmp_path: Path) -> None:
    kept, said, last = play(tmp_path / "journal", limit_kib * 1024)
    assert len(last.splitlines()) == 1
    assert "the journal cannot be" in last
    check_after_a_crash(tmp_path / "journal", kept, said)


def test_a_full_disk_stops_the_game_with_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    stopped = []
    for size_kib in (148, 160, 172, 184):
        with mounted(tmp_path / f"{size_kib}", size_kib) as disk:
            kept, said, last = play(disk / "journal")
            assert len(last.splitlines()) <= 1
            stopped.append("the journal cannot be written" in last and bool(kept))
            subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
            check_after_a_crash(disk / "journal", kept, said)
    assert any(stopped)


def test_a_read_only_disk_is_one_sentence_and_its_journal_can_still_be_read(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 4096) as disk:
        key = one_game(disk, won(9, 500))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with pytest.raises(RecordError, match="Read-only file system"):
            Journal.open(disk)
        with JournalView.open(disk) as view:
            assert view.games()[0].key == key
            assert find_chain_breaks(view) == []


def test_a_folder_one_may_not_write_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    one_game(folder)
    program = """
import os, sys
from pathlib import Path
from referee.journal.store import Journal
from referee.errors import RefereeError
if os.getuid() == 0:
    os.seteuid(65534)
try:
    Journal.open(Path(sys.argv[1]))
except RefereeError as error:
    sys.exit(f"{error}")
"""
    for path in (tmp_path.parent.parent, tmp_path.parent, tmp_path):
        path.chmod(0o755)
    for path in (*folder.iterdir(), folder):
        path.chmod(0o444 if path.is_file() else 0o555)
    done = subprocess.run([sys.executable, "-c", program, folder], cwd=ROOT, capture_output=True, text=True)
    folder.chmod(0o755)
    assert "cannot be written (Permission denied)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
