"""Draws that were not seen well: between so many cards are drawn, and a person decides where it matters."""

from __future__ import annotations

from typing import Any

from referee.rules import dobro
from referee.words import Ruling

Words = list[dict[str, Any]]
PLAYED: Words = [
    {"t_us": 1_000_000, "event": "play", "player": "Ana", "cards": ["4"]},
    {"t_us": 2_000_000, "event": "draw", "player": "Ana", "count": [0, 1]},
]


def _judge(words: Words, **options: Any) -> tuple[list[Ruling], dict[str, Any]]:
    state = dobro.start(
        {"record": "referee/1", "game": "dobro", "players": ["Ana", "Bilal", "Chloé"], "options": options}
    )
    given: list[Ruling] = []
    for word in words:
        state, rulings = dobro.apply(state, word)
        given += rulings
    return given, dobro.summary(state)


def _kinds(given: list[Ruling]) -> list[str]:
    return [ruling["ruling"] for ruling in given]


def _next(t_us: int) -> Words:
    return [
        {"t_us": t_us, "event": "play", "player": "Bilal", "cards": ["9"]},
        {"t_us": t_us + 800_000, "event": "draw", "player": "Bilal", "count": 1},
    ]


def test_do_33_a_call_on_a_player_who_may_have_drawn_is_undecided() -> None:
    call = {"t_us": 9_000_000, "event": "call", "player": "Chloé", "on": "Ana"}
    given, state = _judge([*PLAYED, *_next(5_000_000), call])
    assert _kinds(given) == ["value", "value", "undecided"]
    assert (given[-1]["why"], given[-1]["candidates"]) == ("drawn", ["Ana"])
    assert state["oubli"] is None


def test_do_g08_a_play_soon_after_a_draw_in_doubt_is_no_early_play_for_sure() -> None:
    given, state = _judge([*PLAYED, *_next(2_900_000)])
    assert _kinds(given) == ["value", "undecided", "value"]
    assert state["value"] == 9


def test_do_g09_the_referee_gives_no_oubli_for_a_draw_in_doubt() -> None:
    given, state = _judge([*PLAYED, *_next(5_000_000)], oubli_called_by="referee")
    assert _kinds(given) == ["value", "undecided", "value"]
    assert state["oubli"] is None


def test_do_34_a_draw_seen_well_ends_the_doubt_and_is_not_one_too_many() -> None:
    drawn = {"t_us": 6_500_000, "event": "draw", "player": "Ana", "count": 1}
    call = {"t_us": 9_000_000, "event": "call", "player": "Chloé", "on": "Ana"}
    given, state = _judge([*PLAYED, *_next(5_000_000), drawn, call])
    assert [(one["ruling"], one.get("kind")) for one in given[2:]] == [("warning", "false-call")]
    assert state["hand"]["Ana"] == 6


def test_do_22_two_draws_in_doubt_are_no_more_than_the_hand_lacks() -> None:
    pair = {"t_us": 1_000_000, "event": "play", "player": "Ana", "cards": ["4", "4"]}
    draws = [{"t_us": t_us, "event": "draw", "player": "Ana", "count": [1, 2]} for t_us in (2_000_000, 2_500_000)]
    given, state = _judge([pair, *draws])
    assert _kinds(given) == ["value"]
    assert (state["hand"]["Ana"], state["pile"]) == (6, 57 - 18 - 2)
    call = {"t_us": 9_000_000, "event": "call", "player": "Chloé", "on": "Ana"}
    given, _ = _judge([pair, *draws, *_next(5_000_000), call])
    assert given[-1]["kind"] == "false-call"  # both times one at least: that is two


def test_do_g10_what_surely_is_too_many_is_warned_of() -> None:
    given, _ = _judge([PLAYED[0], {"t_us": 2_000_000, "event": "draw", "player": "Ana", "count": [2, 3]}])
    assert given[-1]["kind"] == "too-many"


def test_a_draw_between_counts_that_cannot_be_is_rejected() -> None:
    for count in ([2, 1], [0, 0], [-1, 1], [60, 70]):
        given, _ = _judge([PLAYED[0], {"t_us": 2_000_000, "event": "draw", "player": "Ana", "count": count}])
        assert _kinds(given) == ["value", "rejected"], count


def test_do_33_a_forgetter_who_may_have_drawn_since_is_called_in_doubt() -> None:
    maybe = {"t_us": 6_500_000, "event": "draw", "player": "Ana", "count": [0, 1]}
    call = {"t_us": 9_000_000, "event": "call", "player": "Chloé", "on": "Ana"}
    given, _ = _judge([PLAYED[0], *_next(5_000_000), maybe, call])
    assert _kinds(given) == ["value", "value", "undecided"]


def test_do_37_a_pile_that_may_not_be_empty_leaves_open_who_forgot() -> None:
    few = {"t_us": 0, "event": "recount", "pile": 1}
    plays = [
        {"t_us": 5_000_000, "event": "play", "player": "Bilal", "cards": ["9"]},
        {"t_us": 8_000_000, "event": "play", "player": "Chloé", "cards": ["10"]},
    ]
    call = {"t_us": 9_000_000, "event": "call", "player": "Chloé", "on": "Bilal"}
    given, state = _judge([few, *PLAYED, *plays, call])
    assert _kinds(given) == ["value", "value", "value", "undecided"]
    assert state["pile"] == 0
    # The other one draws what is left after all: nobody has forgotten anything any more.
    drawn = {"t_us": 8_500_000, "event": "draw", "player": "Bilal", "count": 1}
    given, state = _judge([few, *PLAYED, *plays, drawn, call])
    assert (given[-1]["ruling"], state["hand"]["Bilal"]) == ("warning", 6)
