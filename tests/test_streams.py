"""The program as a whole, with streams that are closed, narrow or not read to their end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEADER = '{"record":"referee/1","game":"jungle-speed","players":["Ana","Chloé","Driss"]}\n'
REJECTED = '{"t_us":1,"event":"flip","player":"Ana","card":"back"}\n'


def referee(words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `referee adjudicate` in a shell, with what the shell does to its streams."""
    command = f"{sys.executable} -m referee adjudicate {words}"
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.parametrize("form", ["--json", "--state", "--events"])
def test_a_reader_that_stops_early_is_no_failure(form: str, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(HEADER + REJECTED * 20_000, "utf-8")
    done = referee(f"{form} {file} | head -n 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("form", ["--json", "--state"])
def test_a_closed_output_is_no_traceback(form: str, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(HEADER + REJECTED, "utf-8")
    done = referee(f"{form} {file} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_input_is_an_empty_one() -> None:
    done = referee("- <&-")
    assert done.returncode == 2
    assert done.stderr == "referee adjudicate: standard input, line 1: the file is empty; expected a header\n"


def test_a_terminal_that_cannot_show_a_name_shows_what_it_can(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(HEADER + REJECTED, "utf-8")
    done = referee(f"--state {file}", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Chlo?" in done.stdout
