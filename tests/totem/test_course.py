"""The course of readings around a moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from referee.totem.course import EDGES_US, FRAMES, course_of


def rows(period_us: int, landed_us: int) -> tuple[np.ndarray, np.ndarray]:
    times = np.arange(0, 600_000, period_us, dtype=np.int64)
    signal = np.where(times > landed_us, 100.0, 0.0).astype(np.float32)
    return times, np.stack([signal, 0.5 * signal], axis=1)


def test_a_step_stands_between_the_frames_before_and_after_it() -> None:
    course = course_of(*rows(1000, 300_000)).around(300_000)
    before = EDGES_US[1:] <= 0
    assert course.shape == (FRAMES, 2)
    assert (course[before] == 0).all()
    assert (course[~before, 0] == 100).all()
    assert (course[~before, 1] == 50).all()


def test_a_frame_between_two_slow_scans_takes_the_scan_before() -> None:
    times, readings = rows(4000, 300_000)
    course = course_of(times, readings).around(301_000)
    at = int(np.searchsorted(EDGES_US, 0))
    # 301 to 302 ms: the last scan was at 300 ms, where nothing lay yet.
    assert course[at, 0] == 0
    assert course[-1, 0] == 100


@given(st.integers(-300_000, 900_000), st.sampled_from([500, 1000, 4000]))
def test_any_moment_has_a_course_within_what_was_read(at_us: int, period_us: int) -> None:
    course = course_of(*rows(period_us, 300_000)).around(at_us)
    assert np.isfinite(course).all()
    assert course.min() >= 0
    assert course.max() <= 100
