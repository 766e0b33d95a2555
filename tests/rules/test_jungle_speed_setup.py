"""Headers: house rules, the deal, a start in the middle, and what is expected next."""

from __future__ import annotations

from typing import Any

import pytest

from referee.adjudication import Game
from referee.errors import RecordError
from referee.rules import jungle_speed
from tests.rules import moves


def header(count: int = 4, **more: Any) -> Any:
    players = ["Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaëlle", "Hugo", "Iris", "Jonas", "Karim"]
    return {"record": "referee/1", "game": "jungle-speed", "players": players[:count], **more}


@pytest.mark.parametrize("count", range(3, 11))
def test_a_fresh_deal_gives_every_card_to_somebody_the_first_players_one_more(count: int) -> None:
    """deal, JS-04, JS-09, JS-G33"""
    counts = list(jungle_speed.summary(jungle_speed.start(header(count)))["reserve"].values())
    assert sum(counts) == (78 if count == 3 else 80)
    assert counts == sorted(counts, reverse=True)
    assert max(counts) - min(counts) <= 1
    left = jungle_speed.summary(jungle_speed.start(header(count, options={"leftovers": "pot"})))
    assert len(set(left["reserve"].values())) == 1
    assert left["pot"] == (78 if count == 3 else 80) % count


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"options": {"ends": "two-left"}}, "unknown option 'ends'"),
        ({"options": {"end": "never"}}, "options.end: expected one of two-left, first-out"),
        ({"options": {"hands": True}}, "options.hands"),
        ({"options": {"permanent_colour": 1}}, "options.permanent_colour"),
        ({"options": {"simultaneous_ms": -1}}, "options.simultaneous_ms"),
        ({"options": {"simultaneous_ms": "40"}}, "options.simultaneous_ms"),
        ({"start": {"reserves": {}}}, "unknown key 'reserves'"),
        ({"start": {"reserve": {"Zoé": 3}}}, "Zoé is not among the players"),
        ({"start": {"reserve": 7}}, "start.reserve: expected an object"),
        ({"start": {"reserve": {"Ana": -1}}}, "start.reserve.Ana"),
        ({"start": {"reserve": {"Ana": 1001}}}, "start.reserve.Ana"),
        ({"start": {"pot": True}}, "start.pot"),
        ({"start": {"pot": ["arrow/up"]}}, "'arrow/up' is not a card"),
        ({"start": {"face_up": {"Ana": ["back"]}}}, "'back' is not a card"),
        ({"start": {"face_up": {"Ana": [7]}}}, "7 is not a card"),
        ({"start": {"turn": "Zoé"}}, "start.turn"),
        ({"start": {"turn": 2}}, "start.turn"),
        ({"start": {"out": ["Zoé"]}}, "start.out"),
        ({"start": {"out": ["Ana", "Ana"]}}, "start.out: a name stands there twice"),
        ({"start": {"out": "Ana"}}, "start.out"),
        ({"start": {"colour_mode": 1}}, "start.colour_mode"),
    ],
)
def test_a_header_that_cannot_be_is_refused_with_what_was_expected(more: dict[str, Any], says: str) -> None:
    with pytest.raises(RecordError) as refused:
        jungle_speed.start(header(**more))
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("count", "options"), [(2, {}), (11, {}), (5, {"hands": 2}), (3, {"permanent_colour": True}), (2, {"hands": 2})]
)
def test_a_wrong_number_of_players_is_refused(count: int, options: dict[str, Any]) -> None:
    """players"""
    with pytest.raises(RecordError, match="players"):
        jungle_speed.start(header(count, options=options))


def test_a_game_whose_rules_are_not_there_is_refused() -> None:
    with pytest.raises(RecordError, match="cannot be refereed"):
        Game({"record": "referee/1", "game": "belote", "players": ["Ana", "Bilal"]})


def test_a_start_in_the_middle_keeps_what_it_is_given_and_fills_the_rest_from_a_fresh_deal() -> None:
    start = {
        "reserve": {"Ana": 0, "Bilal": ["knot/green", "star/green"]},
        "face_up": {"Ana": 3, "Bilal": ["moon/red"]},
        "turn": "Ana",
        "out": ["Driss"],
        "colour_mode": True,
    }
    state = jungle_speed.start(header(start=start))
    summary = jungle_speed.summary(state)
    assert summary["reserve"] == {"Ana": 0, "Bilal": 2, "Chloé": 20, "Driss": 0}
    assert summary["face_up"] == {"Ana": 3, "Bilal": 1, "Chloé": 0, "Driss": 0}
    assert (summary["turn"], summary["pot"], summary["out"], summary["colour_mode"]) == ("Bilal", 0, ["Driss"], True)
    assert state.reserve[1] == ("star/green", "knot/green"), "a pile is written bottom first"


def test_a_turn_that_nobody_can_take_is_nobodys() -> None:
    start = {"reserve": dict.fromkeys(["Ana", "Bilal", "Chloé"], 0), "face_up": {"Ana": 1}}
    state = jungle_speed.start(header(3, start=start))
    assert jungle_speed.summary(state)["turn"] is None
    assert jungle_speed.expected(state)["waiting_for"] == "take"


def test_what_is_expected_follows_the_game() -> None:
    start = {
        "reserve": {
            "Ana": ["sun/red", "arrow/out"],
            "Bilal": ["arrow/in"],
            "Chloé": ["knot/red"],
            "Driss": ["owl/red"],
        },
        "face_up": {"Ana": ["bee/red"]},
    }
    first = jungle_speed.start(
        header(start=start | {"reserve": start["reserve"] | {"Ana": ["knot/green", "arrow/out"]}})
    )
    assert jungle_speed.expected(first) == {
        "waiting_for": "flip", "may_flip": ["Ana"], "may_take": [], "asked": None,
    }  # fmt: skip
    opened, _ = jungle_speed.apply(first, moves.true_flip(first, 0))
    assert jungle_speed.expected(opened)["waiting_for"] == "volley"
    assert jungle_speed.summary(opened)["turn"] is None
    state = opened
    for seat in range(4):
        state, _ = jungle_speed.apply(state, moves.true_flip(state, seat))
    assert jungle_speed.expected(state)["may_take"] == ["Ana", "Bilal", "Chloé", "Driss"]
    grab = {"player": "Ana", "t_us": 0, "fingers": 3, "lowest_mm": 1}
    asked, _ = jungle_speed.apply(state, {"t_us": 0, "event": "grab", "hands": [grab]})
    assert jungle_speed.expected(asked)["waiting_for"] == "choose"
    assert jungle_speed.expected(asked)["asked"] == "Ana"
    over, rulings = jungle_speed.apply(asked, {"t_us": 1, "event": "choose", "player": "Ana", "choice": "arrow"})
    assert rulings[-1]["ruling"] == "over"
    assert jungle_speed.expected(over)["waiting_for"] == "nothing"


def test_a_winner_who_has_to_share_is_waited_for() -> None:
    start = {
        "reserve": dict.fromkeys(["Ana", "Bilal", "Chloé", "Driss"], 5),
        "face_up": {"Ana": ["knot/a"], "Bilal": ["knot/b"]},
    }
    grab = {"player": "Ana", "t_us": 0, "fingers": 3, "lowest_mm": 1}
    state, _ = moves.play(
        header(start=start | {"turn": "Chloé"}),
        [
            {"t_us": 0, "event": "flip", "player": "Chloé", "card": "knot/c"},
            {"t_us": 0, "event": "grab", "hands": [grab]},
        ],
    )
    expected = jungle_speed.expected(state)
    assert (expected["waiting_for"], expected["asked"], expected["may_flip"]) == ("share", "Ana", [])
