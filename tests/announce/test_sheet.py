"""The sheet on a terminal: what comes from a file is shown and never obeyed."""

from __future__ import annotations

from typing import Any

import pytest

from referee.adjudication import Game, adjudicate
from referee.announce.sheet import Sheet
from referee.record import Record
from referee.words import Header

HEADER = Header(record="referee/1", game="jungle-speed", players=["Ana", "Bilal", "Driss", "Eva"])


def show(events: list[dict[str, Any]]) -> None:
    record = Record(HEADER, list(events), list(events))
    game = Game(HEADER)
    Sheet(record, "en", events=True).show(game, adjudicate(game, record.events), None, state=True)


@pytest.mark.parametrize("steering", ["\x1b[31m", "\x1b]0;title\x07", "\n", "\r", "\x9b2J", "\u202e", "\u2028"])
def test_a_card_that_would_steer_the_terminal_is_shown_as_a_mark(
    steering: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show([{"t_us": 1, "event": "flip", "player": "Ana", "card": f"knot{steering}/red"}])
    said = capsys.readouterr().out
    assert said.splitlines()[2].endswith("/red is not a card of this game.")
    assert not set(steering) & set("\x1b\x07\r\x9b\u202e\u2028") & set(said)
    assert len(said.splitlines()) == 3 + 1 + len(HEADER["players"]) + 1


def test_an_event_name_that_would_steer_the_terminal_is_shown_as_a_mark(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"t_us": 1, "event": "dance\x1b[2J"}])
    assert "\x1b" not in capsys.readouterr().out
