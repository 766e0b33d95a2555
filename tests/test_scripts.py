"""Setting up on a machine that lacks something: one clear sentence each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("sh", "dirname", "rm", "touch")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A bare checkout and a folder of tools without any Python."""
    (tmp_path / "checkout" / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", tmp_path / "checkout" / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "checkout")
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def python(machine: Path, body: str) -> None:
    """Put a stand-in for Python onto the machine."""
    path = machine / "bin" / "python3"
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)


def setup(machine: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "scripts/setup"],
        cwd=machine / "checkout",
        env={"PATH": str(machine / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_python_it_says_which_one_is_needed(machine: Path) -> None:
    done = setup(machine)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "needs Python 3.11 or newer" in done.stderr


def test_with_an_old_python_it_says_which_one_is_needed(machine: Path) -> None:
    python(machine, "exit 1")  # sys.version_info < (3, 11)
    done = setup(machine)
    assert done.returncode == 2
    assert "needs Python 3.11 or newer" in done.stderr


def test_without_venv_it_says_how_to_install_it(machine: Path) -> None:
    python(machine, 'case "$*" in "-m venv"*) exit 1;; esac')
    done = setup(machine)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "python3-venv" in done.stderr
    assert not (machine / "checkout" / ".venv").exists()
