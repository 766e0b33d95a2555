"""From the network's doubts to what is printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.totem.contacts import contact_us, feel
from referee.totem.doubt import Division, decided, division, fingers_interval, honest, lowest_interval
from referee.totem.finding import Found, without_doubles
from referee.totem.first_contact import (
    LOOKS,
    Candidates,
    Contact,
    agreed_start,
    candidates,
    known_earlier,
    moment_chances,
    parted,
)
from referee.totem.hand_net import PITCH_BINS, TIME_BINS, Answer, time_bin
from referee.totem.motion import Rest
from referee.totem.naming import joint_names, seat_chances
from referee.totem.touch import Segment, Touch
from referee.totem.trace import Layout

CHANCES = st.lists(st.floats(0.001, 1.0), min_size=6, max_size=6).map(
    lambda values: np.array(values, np.float32) / np.float32(sum(values))
)


def test_a_likely_count_is_printed_as_one_number() -> None:
    assert fingers_interval(np.array([0, 0.01, 0.02, 0.95, 0.02, 0], np.float32)) == (3, 3)


def test_a_doubt_between_neighbours_is_printed_as_both() -> None:
    assert fingers_interval(np.array([0, 0, 0.001, 0.5, 0.498, 0.001], np.float32)) == (3, 4)


@settings(deadline=None)
@given(CHANCES)
def test_an_interval_holds_what_it_promises(chances: np.ndarray) -> None:
    low, high = fingers_interval(chances)
    assert 0 <= low <= high <= 5
    assert chances[low : high + 1].sum() >= 0.7


def test_hands_of_which_one_surely_has_more_are_printed_so() -> None:
    few, many = np.array([0, 0.4, 0.56, 0.04, 0, 0], np.float32), np.array([0, 0, 0.02, 0.5, 0.48, 0], np.float32)
    assert [fingers_interval(few), fingers_interval(many)] == [(1, 3), (2, 4)]
    assert decided([few, many], [(1, 3), (2, 4)]) == [(1, 2), (3, 4)]
    assert decided([many, few], [(2, 4), (1, 3)]) == [(3, 4), (1, 2)]


def test_hands_whose_order_is_open_are_printed_as_they_are() -> None:
    alike = np.array([0, 0, 0.5, 0.5, 0, 0], np.float32)
    assert decided([alike, alike], [(2, 3), (2, 3)]) == [(2, 3), (2, 3)]
    assert decided([alike], [(2, 3)]) == [(2, 3)]
    assert decided([], []) == []


@settings(deadline=None)
@given(st.lists(CHANCES, min_size=1, max_size=4))
def test_parting_hands_only_narrows_what_is_printed(chances: list[np.ndarray]) -> None:
    alone = [fingers_interval(own) for own in chances]
    for (low, high), (least, most) in zip(decided(chances, alone), alone, strict=True):
        assert least <= low <= high <= most


@settings(deadline=None)
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
    none = np.zeros
    return Answer(
        none(4, np.float32), 1.0, none(6, np.float32), none(48, np.float32), seat,
        none(TIME_BINS, np.float32), none(PITCH_BINS, np.float32),
    )  # fmt: skip


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


def chances_at(*ms: float) -> np.ndarray:
    chances = np.full(TIME_BINS, 1e-4, np.float32)
    for at in ms:
        chances[round(time_bin(at))] += 1.0
    return np.asarray(chances / chances.sum(), np.float32)


def alike(*at_us: int) -> Candidates:
    return Candidates(np.array(at_us, np.int64), np.zeros((len(at_us), LOOKS), np.float32))


def likeliest(moments: Candidates, ms: float) -> int:
    chances = moment_chances(moments, chances_at(ms), 500_000)
    assert chances.sum() == pytest.approx(1.0, abs=1e-5)
    return int(moments.at_us[int(np.argmax(chances))])


@pytest.mark.parametrize("ms", [0.0, -19.8, -30.0])
def test_of_moments_that_look_alike_the_one_the_network_means_is_the_first_contact(ms: float) -> None:
    moments = alike(500_000, 480_200, 470_000)
    assert likeliest(moments, ms) == pytest.approx(500_000 + ms * 1000, abs=1)


@settings(deadline=None)
@given(st.floats(-60.0, 10.0))
def test_a_first_contact_is_one_of_the_moments_there_are(ms: float) -> None:
    moments = alike(500_000, 480_200, 470_000)
    assert likeliest(moments, ms) in moments.at_us


def test_a_hand_whose_first_skin_was_taken_for_anothers_is_dated_by_the_others_moments() -> None:
    chosen, others = alike(560_000), np.array([495_000, 520_000], np.int64)
    assert known_earlier(560_000, chosen, others, chances_at(-40.0), 560_000) == 520_000


def test_a_hand_that_its_network_knows_at_its_own_moment_keeps_it() -> None:
    chosen, others = alike(560_000), np.array([495_000, 520_000], np.int64)
    assert known_earlier(560_000, chosen, others, chances_at(0.0, -40.0), 560_000) == 560_000


def test_a_hand_is_not_dated_to_where_its_network_does_not_know_it() -> None:
    chosen, others = alike(560_000), np.array([495_000], np.int64)
    assert known_earlier(560_000, chosen, others, chances_at(-20.0), 560_000) == 560_000


def slapped(spring_back_ms: int) -> tuple[Touch, int]:
    """A touch of one hand whose palm, if it springs back at all, hit the totem 25 ms before its fingers landed."""
    t_us = np.arange(1, 601, dtype=np.int64) * 1000
    since = (t_us - 200_500) / 1000.0
    fingers = 240.0 * (1 - np.exp(-np.maximum(since, 0) / 6.0)) * (since > 0)
    hit = (since + 25.0 > 0) * (1 - np.exp(-np.maximum(since + 25.0, 0) / 6.0))
    palm = 150.0 * np.where(
        since + 25.0 > spring_back_ms, hit * np.exp(-np.maximum(since + 25.0 - spring_back_ms, 0) / 5.0), hit
    )
    above = np.zeros((600, 8), np.float32)
    above[:, [0, 2, 4]] = fingers[:, None]
    above[:, [1, 3, 5]] = palm[:, None] if spring_back_ms else 0.0
    above += np.random.default_rng(2).normal(0, 1.0, above.shape)
    layout = Layout(4, 2, np.array([15.0, 45.0, 75.0, 105.0]), 120.0)
    segment = Segment(t_us, above.astype(np.float32), np.zeros(600, np.float32), np.ones(8, np.float32), Rest(), layout)
    return Touch(segment, 170, 600, 240.0, 400_000), 175_500 if spring_back_ms else 200_500


def contact(at_us: list[int], chances: list[float]) -> Contact:
    """A contact dated to its likeliest moment."""
    return Contact(at_us[int(np.argmax(chances))], np.array(at_us), np.array(chances, np.float32))


def test_two_hands_at_one_moment_are_dated_apart_as_is_likeliest_of_both_together() -> None:
    sure, unsure = contact([1_000, 3_000], [0.99, 0.01]), contact([1_000, 4_500], [0.6, 0.4])
    assert [one.t_us for one in parted([sure, unsure])] == [1_000, 4_500]
    assert [one.t_us for one in parted([unsure, sure])] == [4_500, 1_000]


def test_hands_at_moments_of_their_own_or_without_another_close_by_stay_where_they_are() -> None:
    early, late, lone = (
        contact([1_000], [1.0]),
        contact([2_000, 9_000], [0.9, 0.1]),
        contact([1_000, 9_000], [0.9, 0.1]),
    )
    assert [one.t_us for one in parted([early, late])] == [1_000, 2_000]
    assert [one.t_us for one in parted([early, lone])] == [1_000, 1_000]


@pytest.mark.parametrize("spring_back_ms", [0, 6, 12])
def test_a_palm_that_hits_and_springs_back_is_among_the_moments(spring_back_ms: int) -> None:
    touch, truth_us = slapped(spring_back_ms)
    felt = feel(touch)
    moments = candidates(touch, felt, [felt.active.astype(np.float32)], 0)
    assert np.abs(moments.at_us - truth_us).min() < 1_500
    assert moments.looks.shape == (len(moments.at_us), LOOKS)
    assert np.isfinite(moments.looks).all()


def test_a_step_on_another_hands_electrodes_is_no_moment_of_this_hand() -> None:
    # What hits first here stays: it is another hand.
    touch, truth_us = slapped(10_000)
    felt = feel(touch)
    fingers = np.array([1, 0, 1, 0, 1, 0, 0, 0], np.float32)
    moments = candidates(touch, felt, [fingers, np.roll(fingers, 1)], 0)
    assert np.abs(moments.at_us - truth_us).min() > 10_000


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


def found(grip: float, share: list[float]) -> Found:
    none = np.zeros
    answer = Answer(
        np.array(share, np.float32), grip, none(6, np.float32), none(48, np.float32), none(24, np.float32),
        none(TIME_BINS, np.float32), none(PITCH_BINS, np.float32),
    )  # fmt: skip
    return Found(0, None, answer)


def test_two_answers_about_the_same_skin_are_one_hand_and_the_surer_one_stays() -> None:
    touch, _ = slapped(0)
    felt = feel(touch)
    low, again, high = (
        found(0.7, [1, 1, 0.9, 0.9, 0, 0, 0, 0]),
        found(0.9, [1, 1, 1, 1, 0, 0, 0, 0]),
        found(0.6, [0, 0, 0.1, 0.1, 1, 1, 0, 0]),
    )
    assert without_doubles(felt, None, [low, again, high]) == [again, high]
    assert without_doubles(felt, None, [low, high]) == [low, high]


def test_chances_of_a_hand_apart_are_made_surer_and_keep_their_order() -> None:
    chances = np.array([0, 0.02, 0.08, 0.6, 0.25, 0.05], np.float32)
    told = honest(chances, Division())
    assert told.sum() == pytest.approx(1.0, abs=1e-6)
    assert list(np.argsort(told[1:])) == list(np.argsort(chances[1:]))
    assert chances.max() < told.max() < chances.max() + 0.3
    assert told[0] == 0


def test_the_more_of_a_hand_is_in_doubt_or_contested_the_less_sure_is_its_count() -> None:
    chances = np.array([0, 0.02, 0.08, 0.6, 0.25, 0.05], np.float32)
    sure = [
        honest(chances, divided).max()
        for divided in (Division(), Division(in_doubt=0.3), Division(0.3, 0.3), Division(0.5, 1.0))
    ]
    assert sure == sorted(sure, reverse=True)
    assert len(set(sure)) == len(sure)


def test_a_hand_apart_is_clearly_divided_and_one_that_shares_its_skin_is_not() -> None:
    pressed = np.array([100, 100, 80, 90, 2], np.float32)
    lower = np.array([1, 1, 0, 0, 0.5], np.float32)
    upper = np.array([0, 0, 1, 1, 0.5], np.float32)
    assert division(pressed, [lower, upper], 0) == Division(0.0, 0.0)
    blurred = np.array([1, 0.5, 0.5, 0, 0], np.float32)
    unclear = division(pressed, [blurred, upper], 0)
    assert unclear.in_doubt == pytest.approx(90 / 190)
    assert unclear.contested == pytest.approx(40 / 190)
    assert division(pressed, [blurred], 0).contested == 0.0
