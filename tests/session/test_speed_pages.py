"""Speed on its pages: which pile a question is about, and which card the simulated person takes it for."""

from __future__ import annotations

import pytest

from referee.ledger import Ledger
from referee.pages import Pages
from referee.sim.operator import Operator
from referee.web.desk import Desk
from referee.words import Event, Header

PLAYERS = ["Ana", "Bilal"]
HEADER: Header = {"record": "referee/1", "game": "speed", "players": PLAYERS, "options": {}}
TRUE: tuple[Event, ...] = (
    {"t_us": 1_832_000, "event": "turn_up", "player": "Ana", "card": "QD", "zone": "central/1"},
    {"t_us": 1_842_000, "event": "turn_up", "player": "Bilal", "card": "6S", "zone": "central/2"},
)


@pytest.mark.parametrize(("pile", "player"), [(1, "Ana"), (2, "Bilal")])
def test_of_two_cards_at_one_time_the_one_on_the_pile_that_is_asked_about_is_meant(pile: int, player: str) -> None:
    ledger = Ledger(HEADER)
    ledger.add({"t_us": 1_838_000, "event": "play", "player": None, "pile": pile, "card": "?", "doubt": ["turn-up"]})
    pages = Pages("speed", PLAYERS, ("QD", "6S"), ledger)
    question = pages.question()
    assert question is not None
    assert question.pile == pile
    assert Operator(pages.board, Desk(), TRUE, ()).answer(question) == (player, ())
