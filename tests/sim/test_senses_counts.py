"""What a totem would print of hands that came together names the taker, another one, or nobody."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from referee.sim.senses_counts import Held, left_open, named, weighed
from referee.sim.senses_errors import PADS
from referee.totem.hands import HandReading
from referee.totem.taking import Printed, may_take


def interval(low: int, width: int) -> tuple[int, int]:
    return low, min(low + width, 5)


readings = st.builds(
    lambda fingers, low_mm, width_mm: HandReading(None, 0, fingers, (low_mm, low_mm + width_mm), True),
    st.builds(interval, st.integers(1, 5), st.integers(0, 2)),
    st.floats(0.0, 90.0),
    st.floats(2.0, 30.0),
)
held = st.builds(Held, st.integers(0, 40_000), st.integers(1, 5), st.floats(0.0, 90.0), readings)
pairs = st.lists(held, min_size=2, max_size=3)


def best_first(hands: list[Held]) -> list[Held]:
    return sorted(hands, key=lambda hand: (-hand.fingers, hand.lowest_mm))


def takers(hands: list[HandReading]) -> list[int]:
    return may_take([Printed(0, hand.fingers, hand.lowest_mm) for hand in hands])


@given(pairs)
def test_the_taker_is_named_by_counts_or_heights_and_what_is_printed_holds_the_truth(hands: list[Held]) -> None:
    ranked = best_first(hands)
    level = [hand for hand in ranked[1:] if hand.fingers == ranked[0].fingers]
    assume(all(hand.lowest_mm - ranked[0].lowest_mm > 1.0 for hand in level))
    said = named(ranked, 0)
    assert takers(said) == [0]
    assert all(hand.fingers[0] <= one.fingers for hand, one in zip(said, ranked, strict=True))
    assert said[0].fingers[1] >= ranked[0].fingers


@given(pairs)
def test_what_is_left_open_may_be_either_of_the_two_best(hands: list[Held]) -> None:
    assert len(takers(left_open(best_first(hands)))) > 1


def test_the_drawn_shares_come_out() -> None:
    chance = Random(3)
    truth = [Held(0, 4, 20.0, HandReading("Ana", 0, (3, 4), (15.0, 25.0), True)),
             Held(9_000, 3, 60.0, HandReading("Bilal", 9_000, (2, 4), (50.0, 70.0), True))]  # fmt: skip
    outcomes = [takers(weighed(truth, PADS, chance)) for _ in range(2_000)]
    assert abs(outcomes.count([0]) / 2_000 - PADS.counts_right[1]) < 0.03
    assert abs(outcomes.count([1]) / 2_000 - PADS.counts_wrong[1]) < 0.01


def test_hands_that_came_one_after_the_other_are_read_by_themselves() -> None:
    first = Held(0, 4, 20.0, HandReading("Ana", 0, (3, 4), (15.0, 25.0), True))
    later = replace(first, t_us=60_000)
    assert weighed([first, later], PADS, Random(1)) == [first.reading, later.reading]
