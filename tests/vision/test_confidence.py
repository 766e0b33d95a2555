"""What nats are worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.vision.confidence import colour_log_odds, shape_log_odds, shares


@given(st.floats(0, 50), st.floats(0, 1), st.floats(0, 1))
def test_a_print_that_explains_less_is_worth_less(nats: float, one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert shape_log_odds(nats, less) <= shape_log_odds(nats, more)


@given(st.floats(0, 50), st.floats(0, 50), st.floats(0.5, 1))
def test_more_nats_never_make_less_sure(one: float, other: float, explained: float) -> None:
    few, many = sorted((one, other))
    assert shape_log_odds(few, explained) <= shape_log_odds(many, explained)
    assert colour_log_odds(few) <= colour_log_odds(many)


def test_nothing_between_two_cards_is_a_coin_toss() -> None:
    assert shape_log_odds(0.0, 0.99) == 0.0
    assert shares([0.0, 0.0]) == [0.5, 0.5]


@given(st.lists(st.floats(-40, 0), min_size=1, max_size=20))
def test_shares_add_up_to_one(log_odds: list[float]) -> None:
    assert sum(shares(log_odds)) == pytest.approx(1.0)
