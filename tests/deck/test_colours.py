"""How different colours look."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.deck.colours import COLOUR_VISION, colour_distance, hardest_to_tell, lab, rgb_of_lab

RGB = st.tuples(*[st.integers(0, 255)] * 3)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Test pairs published with the formula (Sharma, Wu, Dalal 2005, table 1).
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0009), 7.1792),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_ciede2000(
    first: tuple[float, float, float], second: tuple[float, float, float], expected: float
) -> None:
    assert colour_distance(first, second) == pytest.approx(expected, abs=1e-4)


@given(RGB, RGB)
def test_a_distance_is_the_same_both_ways_and_none_to_itself(
    first: tuple[int, int, int], second: tuple[int, int, int]
) -> None:
    assert colour_distance(lab(first), lab(second)) == pytest.approx(colour_distance(lab(second), lab(first)))
    assert colour_distance(lab(first), lab(first)) == 0


@given(RGB)
def test_a_colour_survives_the_way_to_cielab_and_back(rgb: tuple[int, int, int]) -> None:
    assert rgb_of_lab(np.array(lab(rgb))) == rgb


@pytest.mark.parametrize("who", COLOUR_VISION)
def test_grey_is_grey_to_everybody(who: str) -> None:
    assert lab((128, 128, 128), who) == pytest.approx(lab((128, 128, 128)), abs=0.5)


def test_red_and_green_are_hardest_for_those_who_confuse_them() -> None:
    distance, who = hardest_to_tell((200, 40, 40), (70, 120, 40))
    assert who in ("protan", "deutan")
    assert distance < colour_distance(lab((200, 40, 40)), lab((70, 120, 40))) / 2
