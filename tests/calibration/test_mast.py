"""Heights, fields and pixels of the hardware page."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.mast import (
    LENSES,
    Lens,
    card_px,
    closest_px,
    field_mm,
    from_diagonal,
    half_field_mm,
    height_mm,
    mast_table,
)
from referee.table.layouts import make_layout

HARDWARE = Path(__file__).resolve().parents[2] / "hardware.md"


def test_the_table_of_the_hardware_page_is_what_the_geometry_gives() -> None:
    assert mast_table() in HARDWARE.read_text("utf-8")


def test_a_lens_of_ninety_degrees_sees_twice_its_height() -> None:
    assert field_mm(Lens("square", 90.0, 90.0, ""), 500.0) == pytest.approx((1000.0, 1000.0))


def test_a_diagonal_angle_is_split_as_the_picture_is() -> None:
    lens = from_diagonal("webcam", 78.0, "")
    assert (lens.across_deg, lens.up_deg) == pytest.approx((70.4, 43.3), abs=0.1)


@given(st.sampled_from(LENSES), st.integers(3, 10))
def test_from_the_height_that_is_said_all_zones_and_markers_are_seen(lens: Lens, players: int) -> None:
    half = half_field_mm(players)
    seen = field_mm(lens, height_mm(lens, half))
    assert seen[0] / 2 >= half[0] - 1e-6
    assert seen[1] / 2 >= half[1] - 1e-6
    for zone in make_layout("jungle-speed", [str(n) for n in range(players)]).zones.values():
        assert max(abs(zone.rect[0]), abs(zone.rect[2])) < half[0]
        assert max(abs(zone.rect[1]), abs(zone.rect[3])) < half[1]


def test_cards_are_smaller_in_a_wider_field_and_at_a_larger_table() -> None:
    assert card_px((1000.0, 562.5), (1280, 720)) == pytest.approx(76.8)
    assert closest_px(10, 60.0, (1280, 720)) < closest_px(4, 60.0, (1280, 720))
