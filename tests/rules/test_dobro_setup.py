"""Headers of Dobro: house rules, the deal, and what is expected next."""

from __future__ import annotations

from typing import Any

import pytest

from referee.errors import RecordError
from referee.rules import dobro
from tests.rules.dobro_moves import NAMES


def header(count: int = 4, **more: Any) -> Any:
    return {"record": "referee/1", "game": "dobro", "players": list(NAMES[:count]), **more}


@pytest.mark.parametrize("count", range(2, 7))
def test_a_fresh_deal_leaves_the_rest_of_the_pack_to_draw(count: int) -> None:
    """DO-08, DO-09, DO-10, DO-60"""
    state = dobro.summary(dobro.start(header(count)))
    pack = 55 - 10 if count == 2 else 57
    assert set(state["hand"].values()) == {5 if count == 6 else 6}
    assert sum(state["hand"].values()) + state["pile"] == pack
    assert (state["turn"], state["direction"], state["oubli"], state["value"]) == ("Ana", "clockwise", None, None)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"options": {"longgame": True}}, "unknown option 'longgame'"),
        ({"options": {"long_game": 1}}, "options.long_game: expected true or false"),
        ({"options": {"oubli_called_by": None}}, "options.oubli_called_by: expected one of players, referee"),
        ({"options": {"oubli_called_by": "robot"}}, "options.oubli_called_by"),
        ({"options": {"scoring": [1, 2, 3, 4]}}, "options.scoring: expected an object"),
        ({"options": {"scoring": {"04": [1, 2, 3, 4]}}}, "options.scoring: unknown number of players '04'"),
        ({"options": {"scoring": {"4": [1, 2, 3]}}}, "options.scoring.4: expected a list of 4 whole numbers"),
        ({"options": {"scoring": {"2": [1, 1001]}}}, "from -1000 to 1000"),
        ({"options": {"scoring": {"4": None}}}, "options.scoring.4"),
        ({"start": {"turn": "Ana"}}, "start: Dobro cannot begin in the middle of a game"),
    ],
)
def test_a_header_that_cannot_be_is_refused_with_what_was_expected(more: dict[str, Any], says: str) -> None:
    with pytest.raises(RecordError) as refused:
        dobro.start(header(**more))
    assert says in str(refused.value)


@pytest.mark.parametrize("count", [0, 1, 7, 10])
def test_a_wrong_number_of_players_is_refused(count: int) -> None:
    with pytest.raises(RecordError, match=f"players: expected 2 to 6 players, found {count}"):
        dobro.start({"record": "referee/1", "game": "dobro", "players": [str(number) for number in range(count)]})


def test_what_is_expected_follows_the_game() -> None:
    state = dobro.start(header(2, options={"long_game": True}))
    assert dobro.expected(state) == {
        "waiting_for": "play", "may_flip": [], "may_take": [], "asked": "Ana", "may_play": ["Ana"], "may_draw": [],
        "may_pass": [], "lacking": {}, "markers": {"direction": "clockwise", "oubli": None},
    }  # fmt: skip
    state, _ = dobro.apply(state, {"t_us": 0, "event": "play", "player": "Ana", "cards": ["9"]})
    assert dobro.expected(state)["asked"] == "Bilal"
    assert dobro.expected(state)["may_draw"] == ["Ana"]
    state, _ = dobro.apply(state, {"t_us": 1, "event": "draw", "player": "Ana", "count": 1})
    for player in ("Bilal", "Ana"):
        state, _ = dobro.apply(state, {"t_us": 2, "event": "recount", "hand": {player: 1}, "pile": 0})
        state, rulings = dobro.apply(state, {"t_us": 3, "event": "play", "player": player, "cards": ["12"]})
        assert "round-over" in [ruling["ruling"] for ruling in rulings]
    assert dobro.expected(state) == {
        "waiting_for": "nothing", "may_flip": [], "may_take": [], "asked": None, "may_play": [], "may_draw": [],
    }  # fmt: skip
