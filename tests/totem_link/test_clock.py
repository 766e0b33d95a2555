"""The totem's clock on the table's: right within what it claims, whatever the line does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import EngineError
from referee.totem.clock import DeviceClock


def ping_for(
    clock: DeviceClock,
    seconds: float,
    drift_ppm: float,
    offset_us: int,
    seed: int,
    back_us: float = 300.0,
    start_us: float = 0.0,
) -> float:
    """Pings over a line with jitter, stalls and unequal ways; returns the table time at the end."""
    draw = np.random.default_rng(seed)
    table_us, count = start_us, 0
    while table_us < start_us + seconds * 1e6:
        there = 150 + draw.exponential(400) + draw.uniform(0, 1000) + (draw.random() < 0.05) * 5000
        back = back_us + draw.exponential(300) + draw.uniform(0, 1000) + (draw.random() < 0.05) * 8000
        noticed = int((table_us + there) * (1 + drift_ppm * 1e-6)) + offset_us
        answered = noticed + int(draw.integers(20, 200))
        seen = (answered - offset_us) / (1 + drift_ppm * 1e-6) + back
        clock.add(int(table_us), noticed, answered, int(seen) + 1)
        count += 1
        table_us += 20_000 if count < 16 else 250_000
    return table_us


@settings(max_examples=40, deadline=None)
@given(
    st.floats(-100, 100),
    st.integers(-(10**12), 10**12),
    st.integers(0, 2**32 - 1),
    st.floats(100, 900),
)
def test_half_a_minute_of_pings_sets_it_within_half_a_millisecond_and_within_its_own_bound(
    drift_ppm: float, offset_us: int, seed: int, back_us: float
) -> None:
    clock = DeviceClock()
    end_us = ping_for(clock, 30, drift_ppm, offset_us, seed, back_us)
    truth = np.arange(end_us, end_us + 1e6, 1e5)
    stamps = (truth * (1 + drift_ppm * 1e-6)).astype(np.int64) + offset_us
    error = np.abs(clock.to_table(stamps) - truth)
    assert error.max() <= 500
    assert error.max() <= clock.state(int(stamps[-1])).error_us


def test_after_less_than_half_a_second_it_may_be_used() -> None:
    clock = DeviceClock()
    assert not clock.ready
    ping_for(clock, 0.3, 50, 10**9, 1)
    assert clock.ready
    assert clock.state(10**9).error_us < 5_000


def test_a_stepped_clock_is_believed_anew() -> None:
    clock = DeviceClock()
    ping_for(clock, 10, 20, 0, 1)
    end_us = ping_for(clock, 20, 20, 5_000_000, 2, start_us=10e6)
    truth = end_us - 1e6
    stamp = np.array([int(truth * (1 + 20e-6)) + 5_000_000])
    assert abs(int(clock.to_table(stamp)[0]) - truth) <= 500


def test_changes_of_the_estimate_do_not_stretch_intervals() -> None:
    clock = DeviceClock()
    ping_for(clock, 0.2, 0, 0, 3)
    before = clock.to_table(np.arange(200_000, 204_000, 1000))
    ping_for(clock, 5, 0, 0, 4, start_us=204_000)
    after = clock.to_table(np.arange(204_000, 208_000, 1000))
    assert abs(int(after[0] - before[-1]) - 1000) <= 3


def test_no_stamps_give_no_times() -> None:
    clock = DeviceClock()
    ping_for(clock, 1, 0, 0, 5)
    assert len(clock.to_table(np.array([], dtype=np.int64))) == 0


def test_a_clock_without_pings_is_our_bug_and_says_so() -> None:
    with pytest.raises(EngineError):
        DeviceClock().to_table(np.array([1], dtype=np.int64))


def test_a_ping_that_cannot_be_is_left_out() -> None:
    clock = DeviceClock()
    clock.add(0, 1_000_000, 2_000_000, 500)
    assert clock.rejected == 1
    assert clock.state(0).pings == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 1 << 60), st.integers(0, 2_000), st.integers(0, 1 << 59), st.integers(0, 2_000)),
        max_size=30,
    )
)
def test_any_stamps_at_all_give_times_or_are_left_out(pings: list[tuple[int, int, int, int]]) -> None:
    clock = DeviceClock()
    for sent_us, took_us, noticed_us, thought_us in pings:
        clock.add(sent_us, noticed_us, noticed_us + thought_us, sent_us + took_us)
    if clock.state(0).pings:
        times = clock.to_table(np.array([5, 1000, 2000], dtype=np.int64))
        assert (np.diff(times) > 0).all()


@pytest.mark.parametrize("stamps", [(10, 0, 0, 5), (0, 10, 5, 20)])
def test_a_ping_that_runs_backwards_is_our_bug_and_says_so(stamps: tuple[int, int, int, int]) -> None:
    with pytest.raises(EngineError):
        DeviceClock().add(*stamps)
