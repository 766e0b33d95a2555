"""Scans and layouts that cannot be are refused where they are made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.errors import TraceError
from referee.totem.scans import Layout
from tests.totem_link.back_to_back import trace


@pytest.mark.parametrize(
    "change",
    [
        {"rings": 0, "ring_mm": ()},
        {"sectors": 0},
        {"sectors": 200},
        {"ring_mm": (5.0,)},
        {"ring_mm": (5.0, 5.0, 9.0)},
        {"ring_mm": (5.0, float("nan"), 9.0)},
        {"height_mm": -1.0},
        {"seats": 17},
    ],
)
def test_a_totem_that_cannot_be_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(TraceError, match="layout"):
        replace(Layout(3, 4, (5.0, 15.0, 25.0)), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["counts", "tilt_deg", "yaw_deg", "seated", "seat_index", "seat_delta"])
def test_an_array_of_another_length_is_refused_by_name(name: str) -> None:
    scans = trace(10, seats=2)
    with pytest.raises(TraceError, match=name):
        replace(scans, **{name: getattr(scans, name)[:9]})


def test_stamps_that_run_backwards_are_refused() -> None:
    scans = trace(10)
    with pytest.raises(TraceError, match="must rise"):
        replace(scans, t_us=scans.t_us[::-1].copy())


def test_seat_readings_without_their_seats_are_refused() -> None:
    with pytest.raises(TraceError, match="come together"):
        replace(trace(10, seats=2), seat_index=None)


def test_a_batch_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        trace(10).counts[0, 0] = 1


def test_scans_can_be_moved_to_a_later_clock() -> None:
    scans = trace(10)
    assert scans.later(0) is scans
    np.testing.assert_array_equal(scans.later(500).t_us, scans.t_us + 500)
