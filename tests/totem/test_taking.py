"""Who would take the totem: named where it is likely enough, and open in what is printed where it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.jungle_speed_hands import choose, new_grip
from referee.totem.doubt import Division, fingers_interval, lowest_interval
from referee.totem.first_contact import Contact
from referee.totem.taking import (
    COUNT,
    ORDER,
    OVERLOOKED,
    TAKER_SURE_PADS,
    TOGETHER_US,
    Printed,
    Weighed,
    chances_to_take,
    cut,
    may_take,
    opened,
    told,
)

CLEAR, BLURRED = Division(), Division(0.4, 0.6)


def fingers(**counts: float) -> np.ndarray:
    chances = np.zeros(6, np.float32)
    for name, chance in counts.items():
        chances[int(name[1:])] = chance
    return chances


def height(mm: float) -> np.ndarray:
    chances = np.zeros(48, np.float32)
    chances[int(mm / 2.5)] = 1.0
    return chances


def hand(ms: float, count: np.ndarray, mm: float = 10.0, divided: Division = CLEAR) -> Weighed:
    at_us = round(ms * 1000)
    return Weighed(Contact(at_us, np.array([at_us]), np.ones(1, np.float32)), count, height(mm), divided)


def alone(hands: list[Weighed]) -> list[Printed]:
    return [Printed(one.contact.t_us, fingers_interval(one.fingers), lowest_interval(one.lowest, 1.0)) for one in hands]


def test_grab_1_of_hands_together_the_one_with_most_fingers_takes_it() -> None:
    hands = [hand(0, fingers(n2=1.0)), hand(20, fingers(n4=1.0), 60.0)]
    assert chances_to_take(hands)[1] > 0.97
    assert told(hands, alone(hands), 0.0).hands == tuple(alone(hands))


def test_grab_1_of_as_many_fingers_the_lower_hand_takes_it() -> None:
    hands = [hand(0, fingers(n3=1.0), 80.0), hand(5, fingers(n3=1.0), 5.0)]
    assert chances_to_take(hands)[1] > 0.97
    assert may_take(told(hands, alone(hands), 0.0).hands) == [1]


@pytest.mark.parametrize("ms", [39.4, 40.0, 40.6])
def test_a_hand_at_the_end_of_the_time_leaves_the_taker_open_where_it_would_win(ms: float) -> None:
    hands = [hand(0, fingers(n3=1.0)), hand(ms, fingers(n5=1.0))]
    said = told(hands, alone(hands), 0.0)
    assert said.doubt == ORDER
    assert set(may_take(said.hands)) == {0, 1}
    assert said.hands[1].t_us <= TOGETHER_US
    for printed, true in zip(said.hands, (3, 5), strict=True):
        assert printed.fingers[0] <= true <= printed.fingers[1]


@pytest.mark.parametrize("ms", [39.4, 40.0, 40.6])
def test_a_hand_at_the_end_of_the_time_changes_nothing_where_it_would_lose(ms: float) -> None:
    hands = [hand(0, fingers(n4=1.0)), hand(ms, fingers(n2=1.0))]
    assert told(hands, alone(hands), 0.0).hands == tuple(alone(hands))


def test_far_from_the_end_of_the_time_only_a_hand_whose_skin_is_in_doubt_leaves_it_open() -> None:
    clear = [hand(0, fingers(n3=1.0)), hand(55, fingers(n5=1.0))]
    blurred = [clear[0], hand(55, fingers(n5=1.0), divided=BLURRED)]
    assert told(clear, alone(clear), 0.0).doubt == ""
    assert told(blurred, alone(blurred), 0.0).doubt == ORDER


def test_another_moment_that_may_have_been_the_first_contact_leaves_it_open() -> None:
    first, late = hand(0, fingers(n3=1.0)), hand(70, fingers(n5=1.0))
    unsure = replace(late, contact=Contact(70_000, np.array([25_000, 70_000]), np.array([0.2, 0.8], np.float32)))
    assert told([first, late], alone([first, late]), 0.0).doubt == ""
    assert told([first, unsure], alone([first, unsure]), 0.0).doubt == ORDER


def test_counts_too_close_to_name_a_taker_are_printed_so_that_none_is_named() -> None:
    hands = [hand(0, fingers(n3=0.9, n4=0.1), 5.0), hand(5, fingers(n3=0.12, n4=0.88), 60.0)]
    said = told(hands, alone(hands), 0.0)
    assert said.doubt == COUNT
    assert set(may_take(said.hands)) == {0, 1}
    assert may_take(told(hands, alone(hands), 0.0, 0.5).hands) == [1]


def test_counts_are_cut_where_one_hand_takes_it_for_nearly_all_that_is_likely() -> None:
    lower, upper = fingers(n3=0.5, n4=0.47, n2=0.03), fingers(n2=0.5, n3=0.47, n4=0.03)
    hands = [hand(0, lower, 5.0), hand(5, upper, 60.0)]
    apart = alone(hands)
    assert may_take(apart) == [0, 1]
    said = told(hands, apart, 0.0)
    assert may_take(said.hands) == [0]
    # As many fingers are left to both: then the lower hand takes it all the same.
    assert [printed.fingers for printed in said.hands] == [(3, 4), (2, 3)]


def test_nothing_is_cut_that_a_hand_may_well_have() -> None:
    hands = [hand(0, fingers(n3=0.5, n4=0.5), 60.0), hand(5, fingers(n2=0.4, n3=0.6), 5.0)]
    apart = alone(hands)
    assert cut(apart, hands, 0, 0.85) == apart


def test_where_another_hand_may_have_been_overlooked_a_lone_one_is_nobodys() -> None:
    hands = [hand(0, fingers(n4=1.0))]
    assert told(hands, alone(hands), 0.05).doubt == ""
    assert told(hands, alone(hands), 0.6).doubt == OVERLOOKED


CHANCES = st.lists(st.floats(0.001, 1.0), min_size=6, max_size=6).map(
    lambda values: np.array(values, np.float32) / np.float32(sum(values))
)
HANDS = st.lists(
    st.builds(
        hand,
        st.floats(0.0, 120.0),
        CHANCES,
        st.floats(0.0, 119.0),
        st.builds(Division, st.floats(0.0, 0.5), st.floats(0.0, 1.0)),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None, max_examples=60)
@given(HANDS, st.floats(0.0, 1.0))
def test_what_is_printed_names_a_taker_only_if_it_is_sure(hands: list[Weighed], overlooked: float) -> None:
    said = told(hands, alone(hands), overlooked)
    chances = chances_to_take(hands)
    assert chances.sum() == pytest.approx(1.0, abs=1e-3)
    takers = may_take(said.hands)
    if len(takers) == 1 and said.doubt != OVERLOOKED:
        assert chances[takers[0]] >= TAKER_SURE_PADS
    assert all(0 <= printed.fingers[0] <= printed.fingers[1] <= 5 for printed in said.hands)


@settings(deadline=None, max_examples=60)
@given(HANDS)
def test_opening_a_taker_to_any_rival_leaves_both(hands: list[Weighed]) -> None:
    printed = alone(hands)
    taker = may_take(printed)[0]
    for rival in range(len(printed)):
        if rival != taker:
            assert {taker, rival} <= set(may_take(opened(printed, taker, rival)))


@settings(deadline=None, max_examples=100)
@given(HANDS)
def test_grab_1_the_rules_find_the_same_takers_in_what_is_printed(hands: list[Weighed]) -> None:
    printed = alone(hands)
    first_us = min(one.t_us for one in printed)
    grips = [
        new_grip((seat, one.t_us, one.fingers, one.lowest_mm, True, list(one.fingers), list(one.lowest_mm)))
        for seat, one in enumerate(printed)
        if one.t_us - first_us <= TOGETHER_US
    ]
    assert set(choose(grips).candidates) == set(may_take(printed))
