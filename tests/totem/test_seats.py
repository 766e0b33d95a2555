"""Seat pads: who answers, and when nobody is named."""

from __future__ import annotations

import numpy as np

from referee.totem.hands import seat_name
from referee.totem.seats import SeatAnswers, match_hands

LEFT = np.array([1, 1, 0, 0], np.float32)
RIGHT = np.array([0, 0, 1, 1], np.float32)
TOUCHED = np.full((2, 4), 200.0, np.float32)


def answers(shares: list[list[float]], names: tuple[str, ...] = ("Ana", "Bilal")) -> SeatAnswers:
    moved = np.array(shares, np.float32) * 200.0
    return SeatAnswers(names, moved, np.full(moved.shape, 200.0, np.float32), np.full(len(names), 0.5, np.float32))


def test_each_hand_is_named_by_the_seat_that_answers() -> None:
    heard = answers([[0.4, 0.4, 0.0, 0.0], [0.0, 0.0, 0.3, 0.3]])
    assert match_hands(heard, [LEFT, RIGHT]) == [["Ana"], ["Bilal"]]


def test_below_a_tenth_of_a_touch_nobody_is_named() -> None:
    heard = answers([[0.07, 0.07, 0.0, 0.0], [0.0, 0.0, 0.3, 0.3]])
    assert match_hands(heard, [LEFT, RIGHT]) == [[], ["Bilal"]]


def test_touching_skins_answer_for_each_other_and_are_still_told_apart() -> None:
    # Ana couples strongly and touches Bilal, who sits on a cushion.
    heard = answers([[0.5, 0.5, 0.2, 0.2], [0.05, 0.05, 0.13, 0.13]])
    assert match_hands(heard, [LEFT, RIGHT]) == [["Ana"], ["Bilal"]]


def test_two_seats_that_answer_alike_on_one_hand_leave_it_open() -> None:
    heard = answers([[0.3, 0.3, 0.0, 0.0], [0.25, 0.25, 0.0, 0.0]])
    assert match_hands(heard, [LEFT]) == [["Ana", "Bilal"]]


def test_one_seat_is_not_two_hands() -> None:
    heard = answers([[0.4, 0.4, 0.38, 0.38], [0.0, 0.0, 0.0, 0.0]])
    names = match_hands(heard, [LEFT, RIGHT])
    assert names == [["Ana"], []]


def test_a_side_may_settle_between_two_seats_that_answer_alike() -> None:
    assert seat_name(["Ana", "Bilal"], None, {"Ana", "Bilal"}) is None
    assert seat_name(["Ana", "Bilal"], {"Ana": 0.5, "Bilal": 0.5}, {"Ana", "Bilal"}) is None
    assert seat_name(["Ana", "Bilal"], {"Ana": 0.01, "Bilal": 0.99}, {"Ana", "Bilal"}) == "Bilal"


def test_a_neighbour_who_touches_somebody_silent_does_not_lend_the_name() -> None:
    assert seat_name(["Ana"], {"Ana": 0.01, "Bilal": 0.99}, {"Ana"}) is None
    assert seat_name(["Ana"], {"Ana": 0.2, "Bilal": 0.8}, {"Ana"}) == "Ana"
