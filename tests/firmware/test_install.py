"""Installation: the real mpremote, through a pseudo-terminal, onto a real MicroPython's prompt."""

from __future__ import annotations

import os
import pty
import subprocess
import tty
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from referee.errors import HardwareError, InputError
from referee.sim.cable import Cable
from referee.totem import install
from tests.firmware.desk_totem import FIRMWARE, DeskTotem, needs_micropython, tool

needs_mpremote = pytest.mark.skipif(find_spec("mpremote") is None, reason="mpremote is not installed")


class Board:
    """A MicroPython at its prompt, its files in `folder`, behind a cable at `port`."""

    def __init__(self, folder: Path, port: Path) -> None:
        program = tool("micropython")
        assert program is not None
        main, side = pty.openpty()
        tty.setraw(side)
        os.set_blocking(main, False)
        folder.mkdir()
        self.folder = folder
        self._process = subprocess.Popen([program], stdin=side, stdout=side, stderr=side, cwd=folder)
        os.close(side)
        self._main = main
        self._cable = Cable(port, main, main)

    def close(self) -> None:
        self._cable.close()
        self._process.kill()
        self._process.wait()
        os.close(self._main)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board(tmp_path / "board", tmp_path / "port")
    yield made
    made.close()


@needs_micropython
@needs_mpremote
def test_the_program_and_its_settings_arrive_on_the_board(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = str(tmp_path / "port")
    copied = install.copy_program(port, None, force=False)
    assert sorted(file.name for file in board.folder.iterdir()) == sorted(copied)
    assert "desk.py" not in copied
    for name in copied:
        assert (board.folder / name).read_bytes() == (FIRMWARE / name).read_bytes()
    # Settings that a builder has changed stay as they are. (One file is enough from here on.)
    monkeypatch.setattr(install, "program_files", lambda: [FIRMWARE / "wire.py"])
    (board.folder / "config.py").write_text("SEATS = 4\n")
    assert "config.py" not in install.copy_program(port, None, force=False)
    assert (board.folder / "config.py").read_text() == "SEATS = 4\n"
    other = tmp_path / "mine.py"
    other.write_text("SEATS = 6\n")
    with pytest.raises(HardwareError, match="--force"):
        install.copy_program(port, other, force=False)
    install.copy_program(port, other, force=True)
    assert (board.folder / "config.py").read_text() == "SEATS = 6\n"


@needs_micropython
def test_a_running_program_leaves_when_it_is_asked_to(tmp_path: Path) -> None:
    with DeskTotem(tmp_path / "totem") as totem:
        install.stop_program(str(tmp_path / "totem"))
        assert totem.wait() == 0


@needs_micropython
def test_the_check_tells_the_totem_and_the_pad_to_look_at(tmp_path: Path) -> None:
    with DeskTotem(tmp_path / "totem") as totem:
        found = install.check(str(tmp_path / "totem"))
        assert found.hello.layout.pads == totem.pads
        assert found.hello.firmware == install.shipped_version()
        assert found.scans >= 1000
        assert found.faulty_pads == (totem.pads - 1,)


def test_settings_are_a_file_or_the_name_of_a_build(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("SEATS = 2\n")
    assert install.settings_file(str(mine)) == mine
    assert install.settings_file("c2-primary").name == "c2-primary.py"
    with pytest.raises(InputError, match="no such build"):
        install.settings_file("d")


def test_a_board_that_says_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(HardwareError, match="did not start within"):
        install.check(str(tmp_path / "nothing"), seconds=0.3)


def test_a_file_that_does_not_arrive_whole_is_noticed() -> None:
    def lossy(words: Sequence[str]) -> str:
        return "0" * 64 if "sha256sum" in words else ""

    with pytest.raises(HardwareError, match="did not arrive whole"):
        install.copy_program("port", None, force=False, run=lossy)


@needs_mpremote
def test_a_failing_mpremote_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HardwareError, match="^mpremote: "):
        install.mpremote(["connect", str(tmp_path / "nothing"), "resume", "fs", "ls"])
