"""Every file of the firmware compiles for the board, and only files that must know the board import its modules."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tests.firmware.desk_totem import FIRMWARE, needs_mpy_cross, tool

FILES = sorted(FIRMWARE.glob("*.py"))
HARDWARE = {"pads_pico", "secondary", "switches", "main"}


@needs_mpy_cross
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_compiles_for_the_rp2040(file: Path, tmp_path: Path) -> None:
    program = tool("mpy-cross")
    assert program is not None
    done = subprocess.run(
        [program, "-march=armv6m", "-o", str(tmp_path / "out.mpy"), str(file)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_logic_does_not_know_the_board(file: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    if file.stem not in HARDWARE:
        assert "machine" not in imported


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_opens_with_what_belongs_there(file: Path) -> None:
    words = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert words
