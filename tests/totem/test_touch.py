"""What a stretch of scans says of the totem itself: did it come to lie, or was it carried?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.totem.motion import Rest
from referee.totem.touch import LIES_STEADY_DEG, LIES_US, Segment, fall_within, lies_still
from referee.totem.trace import Layout

LAYOUT = Layout(12, 4, (np.arange(12) + 0.5) * 10.0, 120.0)
SCANS = 1500


def segment(tilt_deg: NDArray[np.float64]) -> Segment:
    """Half a second in a firm hand, then felt no more than a dry finger: 1 scan a millisecond."""
    t_us = np.arange(1, SCANS + 1, dtype=np.int64) * 1000
    above = np.zeros((SCANS, LAYOUT.electrodes), np.float32)
    above[:500, 10] = 120.0
    above[500:, 10] = 27.0
    noise = np.ones(LAYOUT.electrodes, np.float32)
    return Segment(t_us, above, tilt_deg.astype(np.float32), noise, Rest(), LAYOUT)


def tipping(then_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Upright for 0.4 s, over within 0.1 s, then `then_deg` (1000)."""
    return np.concatenate([np.zeros(400), np.linspace(0.0, 80.0, 100), then_deg])


def test_a_totem_that_keeps_its_lean_with_hardly_a_hand_on_it_fell_where_it_passed_45_degrees() -> None:
    fallen = fall_within(segment(tipping(np.full(1000, 86.0))))
    assert fallen is not None
    assert 450 <= fallen <= 465


def test_a_totem_carried_as_far_over_by_a_hand_that_is_hardly_felt_sways_and_did_not_fall() -> None:
    seconds = np.arange(1000) / 1000.0
    assert fall_within(segment(tipping(80.0 + 15.0 * np.sin(2.0 * np.pi * seconds)))) is None


def test_one_jolt_does_not_make_a_lying_totem_a_carried_one() -> None:
    tilt_deg = np.full(600, 86.0, np.float32)
    tilt_deg[300:310] = 70.0
    assert lies_still(np.arange(600, dtype=np.int64) * 1000, tilt_deg, LIES_US, LIES_STEADY_DEG)


def test_what_is_too_short_to_lie_does_not_lie() -> None:
    assert not lies_still(
        np.arange(100, dtype=np.int64) * 1000, np.full(100, 86.0, np.float32), LIES_US, LIES_STEADY_DEG
    )
    assert not lies_still(np.zeros(0, np.int64), np.zeros(0, np.float32), LIES_US, LIES_STEADY_DEG)
