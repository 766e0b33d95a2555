"""From a driver's stamp to the middle of the exposure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.vision.cameras.stamps import (
    CLOCKS,
    OLDEST_US,
    USUAL_LATENCY_US,
    from_arrival,
    from_readout,
    monotonic_us,
    on_monotonic,
)

CLOCK_NAMES = ("monotonic", "boot", "day")
NOW = {"monotonic": 100_000_000, "boot": 900_000_000_000, "day": 1_800_000_000_000_000}
FIXED = {name: (lambda name=name: NOW[name]) for name in CLOCK_NAMES}


@given(st.sampled_from(CLOCK_NAMES), st.integers(0, OLDEST_US))
def test_a_stamp_on_any_of_the_clocks_is_brought_onto_the_monotonic_one(name: str, age_us: int) -> None:
    assert on_monotonic(NOW[name] - age_us, FIXED) == NOW["monotonic"] - age_us


@given(st.sampled_from(CLOCK_NAMES), st.integers(OLDEST_US + 1, 10 * OLDEST_US))
def test_a_stamp_that_fits_no_clock_is_not_believed(name: str, age_us: int) -> None:
    assert on_monotonic(NOW[name] - age_us, FIXED) is None
    assert on_monotonic(NOW[name] + age_us, FIXED) is None


def test_the_real_clocks_run_together() -> None:
    for now in CLOCKS.values():
        found = on_monotonic(now() - 50_000)
        assert found is not None
        assert found <= monotonic_us() - 50_000 + 1000


def test_the_middle_of_a_known_exposure_lies_half_of_it_before_the_readout() -> None:
    exposure = from_readout(1_000_000, 8_000, 33_333)
    assert (exposure.middle_us, exposure.exposure_us) == (996_000, 8_000)
    assert exposure.error_us == 16_666


def test_the_error_of_an_unknown_exposure_covers_none_at_all_and_a_whole_period() -> None:
    exposure = from_readout(1_000_000, None, 33_333)
    assert exposure.exposure_us is None
    for length_us in (0, 33_333):
        assert abs(exposure.middle_us - (1_000_000 - length_us / 2)) <= exposure.error_us


def test_an_arrival_is_worth_less_than_a_stamp_and_says_so() -> None:
    guessed = from_arrival(1_000_000, None, 33_333)
    measured = from_arrival(1_000_000, 70_000, 33_333)
    assert guessed.middle_us == 1_000_000 - USUAL_LATENCY_US
    assert measured.middle_us == 930_000
    assert guessed.error_us > measured.error_us > from_readout(1_000_000, 8_000, 33_333).error_us
