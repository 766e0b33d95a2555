"""When hands may really have come, and who came together with the first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.totem.doubt import Division
from referee.totem.first_contact import Contact
from referee.totem.moments import Moments, chances_within, may_have_come, moments_of, moved, spread, told_wrong

WITHIN_US = 40_000
CLEAR = spread(*told_wrong(Division()))
BLURRED = spread(*told_wrong(Division(0.5, 0.5)))

doubts = st.floats(0.0, 0.4)
hands = st.lists(st.tuples(st.integers(0, 200_000), st.builds(spread, doubts, doubts)), min_size=1, max_size=5)


@pytest.mark.parametrize(("gap_us", "within"), [(0, True), (25_000, True), (38_000, True), (43_000, False)])
def test_clear_hands_are_together_or_not_but_at_the_very_limit(gap_us: int, within: bool) -> None:
    chance = chances_within([(0, CLEAR), (gap_us, CLEAR)], WITHIN_US)[1]
    assert (chance > 0.95) == within
    assert (chance < 0.05) != within


def test_a_clear_hand_just_at_the_limit_may_be_either() -> None:
    assert 0.2 < chances_within([(0, CLEAR), (WITHIN_US, CLEAR)], WITHIN_US)[1] < 0.8


def test_a_hand_whose_skin_is_not_told_from_the_others_is_open_far_from_the_limit() -> None:
    assert 0.05 < chances_within([(0, CLEAR), (60_000, BLURRED)], WITHIN_US)[1] < 0.95
    assert chances_within([(0, CLEAR), (140_000, BLURRED)], WITHIN_US)[1] < 0.01


def test_a_first_hand_that_may_have_come_later_makes_the_second_one_open() -> None:
    assert 0.02 < chances_within([(0, BLURRED), (60_000, CLEAR)], WITHIN_US)[1] < 0.95


@given(hands)
def test_somebody_is_first_and_chances_are_chances(told: list[tuple[int, Moments]]) -> None:
    chances = chances_within(told, WITHIN_US)
    assert all(-1e-9 <= chance <= 1 + 1e-9 for chance in chances)
    # Whoever is first is within: together the chances make at least one hand.
    assert sum(chances) >= 1 - 1e-9


@given(hands, st.integers(-1_000_000, 1_000_000))
def test_a_shift_of_the_clock_changes_nothing(told: list[tuple[int, Moments]], by_us: int) -> None:
    later = [(t_us + by_us, own) for t_us, own in told]
    assert chances_within(later, WITHIN_US) == pytest.approx(chances_within(told, WITHIN_US))


@given(hands, st.integers(0, 100_000))
def test_more_time_makes_nobody_less_likely_to_be_together(told: list[tuple[int, Moments]], within_us: int) -> None:
    less, more = chances_within(told, within_us), chances_within(told, within_us + 20_000)
    assert all(a <= b + 1e-9 for a, b in zip(less, more, strict=True))


@given(st.builds(spread, doubts, doubts), st.integers(-50_000, 50_000))
def test_a_contact_that_is_told_otherwise_keeps_its_moments_in_time(own: Moments, by_us: int) -> None:
    other = (100_000, CLEAR)
    assert chances_within([(0, own), other], WITHIN_US) == pytest.approx(
        chances_within([(by_us, moved(own, by_us)), other], WITHIN_US)
    )


def test_the_chances_of_all_moments_make_one() -> None:
    contact = Contact(50_000, np.array([20_000, 50_000, 58_000]), np.array([0.2, 0.7, 0.1], np.float32))
    own = moments_of(contact, Division(0.2, 0.1))
    assert sum(share for _, share in own) == pytest.approx(1.0)
    assert any(at_ms == pytest.approx(-30.0) and share > 0.1 for at_ms, share in own)


def test_a_clear_hand_came_when_it_is_told_and_a_blurred_one_some_time_around() -> None:
    from_us, to_us = may_have_come(1_000_000, CLEAR, 0.97)
    assert 998_000 < from_us < 1_000_000 < to_us < 1_002_000
    from_us, to_us = may_have_come(1_000_000, BLURRED, 0.97)
    assert from_us < 980_000
    assert from_us > may_have_come(1_000_000, BLURRED, 0.999)[0]
    assert may_have_come(1_000_000, (), 0.97) == (1_000_000, 1_000_000)
