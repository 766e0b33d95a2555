"""How likely one hand is beaten by another, by what is printed of them."""

from __future__ import annotations

import pytest

from referee.table.likely_taker import LEAST_BEATS, chance_not_to_take, chance_to_beat, surely_beats
from referee.totem.hands import HandReading
from tests.table.desk import hand

THREE, FIVE = hand("Ana", 0, (3, 3)), hand("Bilal", 0, (5, 5))
OPEN = hand("Chloé", 0, (3, 5))


def test_more_fingers_beat_fewer_and_the_lower_hand_beats_the_higher_one_js_39_js_40() -> None:
    assert surely_beats(FIVE, THREE)
    assert not surely_beats(THREE, FIVE)
    low, high = hand("Ana", 0, lowest_mm=(5.0, 9.0)), hand("Bilal", 0, lowest_mm=(10.0, 30.0))
    assert surely_beats(low, high)
    assert not surely_beats(high, low)
    assert (chance_to_beat(FIVE, THREE), chance_to_beat(THREE, FIVE)) == (1.0, 0.0)


@pytest.mark.parametrize(("one", "other"), [(OPEN, FIVE), (OPEN, THREE), (OPEN, OPEN)])
def test_of_two_hands_that_are_left_open_neither_is_held_to_lose_for_sure(one: HandReading, other: HandReading) -> None:
    chances = chance_to_beat(one, other), chance_to_beat(other, one)
    assert sum(chances) == pytest.approx(1.0)
    assert min(chances) >= LEAST_BEATS


def test_one_who_came_first_is_beaten_only_by_who_came_in_time() -> None:
    assert chance_not_to_take(0, (THREE, FIVE), (1.0, 0.02)) == pytest.approx(0.02)
    assert chance_not_to_take(0, (THREE, OPEN), (1.0, 0.04)) < 0.04
    assert chance_not_to_take(1, (THREE, FIVE), (0.99, 0.9)) == pytest.approx(0.1)
