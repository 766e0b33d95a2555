"""`referee demo` as a person calls it."""

from __future__ import annotations

import argparse
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands.demo import _serve, _told
from referee.demo import Played
from referee.ledger import Ledger
from referee.pages import Pages
from referee.sim.scoring import Score
from referee.sim.settings import Settings
from referee.web.desk import Desk
from referee.words import Header


def test_a_port_that_is_taken_is_said_with_where_the_scoreboard_is_instead(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other, ExitStack() as stack:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        arguments = argparse.Namespace(port=port, lang="en")
        header: Header = {"record": "referee/1", "game": "speed", "players": ["Ana", "Bilal"]}
        address = _serve(arguments, Pages("speed", header["players"], (), Ledger(header)), Desk(), stack)
    assert capsys.readouterr().err == f"port {port} is taken: the scoreboard is at {address}\n"


def test_a_single_game_without_a_view_ends_with_its_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--game", "speed", "--seconds", "8", "--headless", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "Ana" in said.out
    assert str(tmp_path / "record.jsonl") in said.err


def test_what_was_ruled_otherwise_than_it_was_is_named_under_its_game() -> None:
    played = Played(Path("record.jsonl"), [], [], asked=0)
    one = Score(rulings=1, rulings_wrong=1, notes=["WRONG: ruled nothing of the kind at 2.500 s"])
    first, *notes = _told(Settings(("Ana", "Bilal"), 8, 3), played, one)
    assert first.startswith("seed 3:")
    assert notes == ["  WRONG: ruled nothing of the kind at 2.500 s"]
