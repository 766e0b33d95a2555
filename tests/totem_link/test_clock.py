"""The totem's clock on the table's: right within what it claims, whatever the line does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import EngineError
from referee.sim.usb_line import UsbLine
from referee.totem.clock import DeviceClock


@settings(max_examples=40, deadline=None)
@given(
    st.floats(-100, 100),
    st.integers(-(10**12), 10**12),
    st.integers(0, 2**32 - 1),
    st.floats(100, 500),
)
def test_half_a_minute_of_pings_sets_it_within_half_a_millisecond_and_within_its_own_bound(
    drift_ppm: float, offset_us: int, seed: int, back_us: float
) -> None:
    clock = DeviceClock()
    line = UsbLine(drift_ppm, offset_us, back_us=back_us)
    end_us = line.ping(clock, 30, seed)
    truth = np.arange(end_us, end_us + 1e6, 1e5)
    stamps = line.stamps(truth)
    error = np.abs(clock.to_table(stamps) - truth)
    assert error.max() <= 500
    assert error.max() <= clock.state(int(stamps[-1])).error_us


def test_after_less_than_half_a_second_it_may_be_used() -> None:
    clock = DeviceClock()
    assert not clock.ready
    UsbLine(50, 10**9).ping(clock, 0.3, 1)
    assert clock.ready
    assert clock.state(10**9).error_us < 5_000


def test_a_stepped_clock_is_believed_anew() -> None:
    clock = DeviceClock()
    UsbLine(20, 0).ping(clock, 10, 1)
    stepped = UsbLine(20, 5_000_000)
    truth = np.array([stepped.ping(clock, 20, 2, start_us=10e6) - 1e6])
    assert abs(clock.to_table(stepped.stamps(truth)) - truth)[0] <= 500


def test_changes_of_the_estimate_do_not_stretch_intervals() -> None:
    clock = DeviceClock()
    UsbLine(0, 0).ping(clock, 0.2, 3)
    before = clock.to_table(np.arange(200_000, 204_000, 1000))
    UsbLine(0, 0).ping(clock, 5, 4, start_us=204_000)
    after = clock.to_table(np.arange(204_000, 208_000, 1000))
    assert abs(int(after[0] - before[-1]) - 1000) <= 3


def test_no_stamps_give_no_times() -> None:
    clock = DeviceClock()
    UsbLine(0, 0).ping(clock, 1, 5)
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
