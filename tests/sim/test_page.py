"""The page about the simulated table: what it shows in Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "simulation.md"


def test_the_pages_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-folder").mkdir()
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], "simulation.md", "exec"), {"__name__": "page"})
    assert "profile.toml" in capsys.readouterr().out
