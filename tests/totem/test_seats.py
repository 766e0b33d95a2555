"""Seat pads: who answers, and when nobody is named."""

from __future__ import annotations

import numpy as np

from referee.totem.contacts import Feel, feel
from referee.totem.motion import Rest
from referee.totem.naming import seat_name
from referee.totem.seats import SeatAnswers, match_hands
from referee.totem.touch import Segment, Touch
from referee.totem.trace import Layout

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


def feel_of(seats: SeatAnswers) -> Feel:
    """A touch that every electrode feels alike."""
    count = seats.moved.shape[1]
    segment_rows = np.concatenate([np.zeros((60, count)), np.full((300, count), 200.0)]).astype(np.float32)
    layout = Layout(count, 1, 5.0 + 10.0 * np.arange(count), 10.0 * count)
    t_us = np.arange(1, 361, dtype=np.int64) * 1000
    segment = Segment(t_us, segment_rows, np.zeros(360, np.float32), np.ones(count, np.float32), Rest(), layout)
    return feel(Touch(segment, 60, 360, 200.0, 300_000))


def test_what_touching_skins_lend_is_taken_from_a_seats_image() -> None:
    # Ana holds the lower three electrodes, Bilal the upper three, the middle one is shared; skins touch.
    ana, bilal = 0.5, 0.2
    own = np.array([1, 1, 1, 0.5, 0, 0, 0])
    leak = 0.4
    heard = answers([list(ana * (own + leak * (1 - own))), list(bilal * ((1 - own) + leak * own))])
    heard = SeatAnswers(heard.names, heard.moved, np.full((2, 7), 200.0, np.float32), heard.scatter)
    view = heard.view(1, feel_of(heard))
    np.testing.assert_allclose(view.apart, 1 - own, atol=0.12)
    assert view.share[0] > 0.3


def test_two_hands_on_the_same_electrodes_are_told_by_seats_that_answer_in_changing_proportion() -> None:
    both = answers([[0.4, 0.3, 0.2, 0.1], [0.1, 0.15, 0.2, 0.3]])
    felt = feel_of(both)
    assert both.two_skins(0, 1, felt)
    assert both.two_skins(1, 0, felt)


def test_a_seat_that_answers_only_through_another_skin_has_no_hand_of_its_own() -> None:
    lent = answers([[0.4, 0.3, 0.2, 0.15], [0.2, 0.15, 0.1, 0.075]])
    felt = feel_of(lent)
    assert not lent.two_skins(0, 1, felt)
    assert not lent.two_skins(1, 0, felt)
