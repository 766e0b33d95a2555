"""From the network's doubts to what is printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.totem.contacts import contact_us
from referee.totem.hand_net import Answer
from referee.totem.hands import (
    agreed_start,
    fingers_interval,
    joint_names,
    lowest_interval,
    seat_chances,
)

CHANCES = st.lists(st.floats(0.001, 1.0), min_size=6, max_size=6).map(
    lambda values: np.array(values, np.float32) / np.float32(sum(values))
)


def test_a_likely_count_is_printed_as_one_number() -> None:
    assert fingers_interval(np.array([0, 0.01, 0.02, 0.95, 0.02, 0], np.float32)) == (3, 3)


def test_a_doubt_between_neighbours_is_printed_as_both() -> None:
    assert fingers_interval(np.array([0, 0, 0.01, 0.5, 0.48, 0.01], np.float32)) == (3, 4)


@given(CHANCES)
def test_an_interval_holds_what_it_promises(chances: np.ndarray) -> None:
    low, high = fingers_interval(chances)
    assert 0 <= low <= high <= 5
    assert chances[low : high + 1].sum() >= 0.7


@given(st.integers(0, 47))
def test_a_sure_height_is_printed_within_its_step(at: int) -> None:
    chances = np.full(48, 1e-6, np.float32)
    chances[at] = 1.0
    low, high = lowest_interval(chances, 1.0)
    assert low <= at * 2.5 + 1.25 <= high
    assert high - low <= 5.0


def answer_from(seat_bin: int) -> Answer:
    seat = np.full(24, 1e-4, np.float32)
    seat[seat_bin] = 1.0
    return Answer(np.zeros(4, np.float32), 1.0, np.zeros(6, np.float32), np.zeros(48, np.float32), seat)


def test_a_hand_that_came_from_between_two_seats_is_nobodys() -> None:
    chances = seat_chances(answer_from(3), {"Ana": 20.0, "Bilal": 55.0}, 0.0)
    assert max(chances.values()) < 0.9
    assert joint_names([chances], [None]) == [None]


def test_a_hand_that_came_from_one_seat_is_that_players() -> None:
    chances = seat_chances(answer_from(3), {"Ana": 37.0, "Bilal": 200.0}, 0.0)
    assert joint_names([chances], [None]) == ["Ana"]


def test_angle0_turns_the_seats() -> None:
    chances = seat_chances(answer_from(3), {"Ana": 137.0, "Bilal": 300.0}, 100.0)
    assert joint_names([chances], [None]) == ["Ana"]


def test_a_player_has_one_hand_in_a_scramble() -> None:
    chances = {"Ana": 0.6, "Bilal": 0.4}
    names = joint_names([{"Ana": 0.995, "Bilal": 0.005}, chances], [None, None])
    assert names == ["Ana", "Bilal"]
    assert joint_names([chances], ["Ana"]) == [None]


def test_landings_long_before_the_rest_are_somebody_elses() -> None:
    landings = [(0, 1, 50.0), (200_000, 2, 60.0), (201_000, 3, 60.0), (230_000, 4, 70.0)]
    assert agreed_start(landings) == 200_000


def test_a_lone_weak_landing_does_not_begin_a_hand() -> None:
    landings = [(0, 1, 5.0), (20_000, 2, 100.0), (20_500, 3, 100.0)]
    assert agreed_start(landings) == 20_000


@pytest.mark.parametrize("speed", [0.3, 0.6, 1.2])
def test_a_contact_is_dated_to_the_skin_and_not_to_the_hand_that_nears(speed: float) -> None:
    times = np.arange(0, 200_000, 1000, dtype=np.int64)
    landed = 100_400
    gap = np.maximum(landed - times, 0) / 1000 * speed
    signal = 60.0 / (1.0 + gap / 0.8) + 240.0 * (1 - np.exp(-np.maximum(times - landed, 0) / 6000.0))
    noisy = signal + np.random.default_rng(1).normal(0, 1.5, len(times))
    found = contact_us(times, noisy.astype(np.float32), 2.0, 60, 112)
    assert found is not None
    assert found[0] == pytest.approx(landed, abs=1600)


def test_nothing_that_only_nears_is_a_contact() -> None:
    times = np.arange(0, 200_000, 1000, dtype=np.int64)
    gap = np.abs(100_000 - times) / 1000 * 0.2 + 3.0
    signal = (60.0 / (1.0 + gap)).astype(np.float32)
    assert contact_us(times, signal, 1.0, 20, 100) is None
