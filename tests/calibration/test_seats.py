"""Seats on a mat: where ours has them printed, else out along the rim of the one that lies there."""

from __future__ import annotations

import pytest

from calibration.seats import laid_on
from calibration.sheets.mat import plan_mat
from calibration.sheets.paper import PAPERS
from referee.table.layouts import Layout, make_layout

PLAYERS = [f"P{number}" for number in range(1, 11)]


def layout_for(count: int) -> Layout:
    return make_layout("jungle-speed", PLAYERS[:count])


@pytest.mark.parametrize("count", [2, 3, 4, 6, 8])
@pytest.mark.parametrize("paper", ["a2", "4xa4", "9xa4"])
def test_on_a_printed_mat_seats_lie_where_it_has_them(count: int, paper: str) -> None:
    layout = layout_for(count)
    centres = plan_mat(layout, PAPERS[paper]).centres_mm
    seen = [(x + 1.5, y - 1.5) for x, y in centres]
    assert laid_on(layout, seen, 40.0) == layout


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_on_any_other_mat_seats_go_out_to_its_rim(count: int) -> None:
    layout, (x, y) = layout_for(count), (450.0, 280.0)
    laid = laid_on(layout, [(-x, -y), (x, -y), (x, y), (-x, y)], 40.0)
    zones = laid.zones.values()
    reach = max(max(abs(side) for side in zone.rect[1::2]) for zone in zones)
    assert max(max(abs(side) for side in zone.rect[1::2]) for zone in layout.zones.values()) < reach <= y + 20
    for zone in zones:
        assert abs(zone.rect[0]) <= x + 20
        assert abs(zone.rect[2]) <= x + 20
        for u, v in ((-x, -y), (x, -y), (x, y), (-x, y)):
            clear = zone.rect[2] <= u - 28 or zone.rect[0] >= u + 28 or zone.rect[3] <= v - 28 or zone.rect[1] >= v + 28
            assert clear, f"{zone.name} lies over the marker at {u}, {v}"
    assert {zone.name for zone in zones} == set(layout.zones)
    assert all(abs((laid.angles_deg[p] - layout.angles_deg[p] + 180) % 360 - 180) < 1.0 for p in laid.players)


def test_a_small_mat_and_a_game_without_a_totem_leave_everything_as_it_is() -> None:
    layout = layout_for(4)
    small = [(-150.0, -120.0), (150.0, -120.0), (150.0, 120.0), (-150.0, 120.0)]
    assert laid_on(layout, small, 40.0) == layout
    dobro = make_layout("dobro", PLAYERS[:4])
    wide = [(-600.0, -400.0), (600.0, -400.0), (600.0, 400.0), (-600.0, 400.0)]
    assert laid_on(dobro, wide, 40.0) == dobro
