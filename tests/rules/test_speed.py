"""Speed where a case file does not reach: a play held for its partner, and what may come next."""

from __future__ import annotations

from typing import Any

from referee.adjudication import side_by_side
from referee.record import Step
from referee.rules import speed, speed_state
from tests.rules import cases
from tests.rules.test_speed_properties import header, near_the_end

HEADER: dict[str, Any] = {"record": "referee/1", "game": "speed", "players": ["Ana", "Bilal"]}
UP: list[dict[str, Any]] = [
    {"t_us": 1, "event": "turn_up", "player": "Ana", "card": "7H"},
    {"t_us": 2, "event": "turn_up", "player": "Bilal", "card": "2D"},
]


def lay(player: str | None, pile: int, card: str, t_us: int = 3, **keys: Any) -> dict[str, Any]:
    return {"t_us": t_us, "event": "play", "player": player, "pile": pile, "card": card, **keys}


def ruled(*events: dict[str, Any]) -> tuple[list[tuple[int, str]], dict[str, Any]]:
    rulings, state = cases.run([HEADER, *UP, *events])
    return [(ruling["t_us"], ruling["ruling"]) for ruling in rulings], state


def test_a_key_without_a_partner_holds_nothing_back_at_the_end_of_a_record() -> None:
    assert ruled(lay("Ana", 1, "KS", together=1)) == ([(3, "illegal-play")], ruled()[1])
    assert ruled(lay("Ana", 1, "8S", together=1))[1]["hand"] == {"Ana": 4, "Bilal": 5}


def test_a_key_without_a_partner_is_judged_when_something_else_happens() -> None:
    given, state = ruled(lay("Ana", 1, "KS", together=1), {"t_us": 9, "event": "end"})
    assert given == [(3, "illegal-play")]
    assert state["central"] == [1, 1]


def test_a_play_that_cannot_be_is_nobodys_partner() -> None:
    given, state = ruled(lay("Ana", 3, "8S", 3, together=1), lay("Bilal", 1, "KS", 4, together=1))
    assert given == [(3, "rejected"), (4, "illegal-play")]
    given, state = ruled(lay("Ana", 1, "8S", 3, together=1), lay("Bilal", 3, "8C", 4, together=1))
    assert given == [(4, "rejected")]
    assert state["hand"] == {"Ana": 4, "Bilal": 5}


def test_a_third_play_with_the_same_key_waits_for_a_fourth() -> None:
    given, state = ruled(
        lay("Ana", 1, "8S", 3, together=1), lay("Bilal", 2, "3S", 4, together=1), lay("Ana", 1, "KS", 5, together=1)
    )
    assert given == [(5, "illegal-play")]
    assert state["central"] == [2, 2]


def test_what_stands_between_two_partners_is_judged_after_them() -> None:
    draw = {"t_us": 4, "event": "draw", "player": "Ana", "count": 1}
    first, second = lay("Ana", 1, "8S", 3, together=1), lay("Bilal", 2, "3S", 5, together=1)
    steps = [Step(place, event) for place, event in enumerate((first, draw, second))]
    assert [step.place for step in side_by_side(steps)] == [0, 2, 1]
    assert ruled(first, draw, second)[1]["hand"] == {"Ana": 5, "Bilal": 4}


def test_partners_are_not_sought_past_a_third_play() -> None:
    events = [lay("Ana", 1, "8S", together=1), lay("Bilal", 2, "3S"), lay("Bilal", 2, "4S", together=1)]
    steps = [Step(place, event) for place, event in enumerate(events)]
    assert side_by_side(steps) == steps


def test_a_refused_correction_is_no_play() -> None:
    correction = {"t_us": 4, "event": "correct", "ref": 9, "by": "host", "reason": "", "with": None}
    given, _ = ruled(lay("Ana", 1, "8S", 3, together=1), correction, lay("Bilal", 1, "8C", 5, together=1))
    assert given == [(3, "undecided"), (5, "undecided"), (4, "rejected")]


def test_the_last_card_of_a_match_and_a_card_of_unknown_order_are_undecided() -> None:
    state = near_the_end(("7H", "2D"), (1, 2), best_of=1)
    held, _ = speed.apply(state, lay("Ana", 1, "8S", together=1))
    after, rulings = speed.apply(held, lay("Bilal", 2, "3C", 4, together=1))
    assert [ruling["ruling"] for ruling in rulings] == ["undecided", "undecided"]
    assert after == state


def test_one_player_alone_is_the_only_candidate_of_their_own_two_cards() -> None:
    state = near_the_end(("7H", "2D"), (3, 3), best_of=3)
    held, _ = speed.apply(state, lay("Ana", 1, "8S", together=1))
    _, rulings = speed.apply(held, lay("Ana", 1, "9S", 4, together=1))
    assert [ruling["candidates"] for ruling in rulings] == [["Ana"], ["Ana"]]


def test_what_is_waited_for_is_said_in_every_phase() -> None:
    state = speed.start(header())
    assert speed.expected(state) == {
        "waiting_for": "flip",
        "may_flip": ["Ana", "Bilal"],
        "may_take": [],
        "asked": None,
        "may_play": [],
        "may_draw": [],
    }
    state = near_the_end(("7H", "2D"), (0, 2), best_of=1)._replace(draw=(3, 0))
    expected = speed.expected(state)
    assert (expected["waiting_for"], expected["may_play"], expected["may_draw"]) == ("play", ["Bilal"], ["Ana"])
    assert speed.expected(state._replace(claims=speed.BOTH))["waiting_for"] == "shuffle"
    assert speed.expected(state._replace(over=True))["waiting_for"] == "nothing"


def test_a_claim_to_be_stuck_by_nobody_knows_whom_is_undecided_and_changes_nothing() -> None:
    given, state = ruled(
        {"t_us": 3, "event": "blocked", "player": None}, {"t_us": 4, "event": "blocked", "player": "Ana"}
    )
    assert given == [(3, "undecided")]
    assert state == ruled()[1]


def test_how_far_each_rank_is_from_a_top_goes_round() -> None:
    assert speed_state.steps("KS")["A"] == 1
    assert speed_state.steps("AH")["K"] == -1
    assert speed_state.steps("7?")["9"] == 2
    assert speed_state.steps("?") == {}
