"""Dobro's table as it is laid out: the auction in the middle, a personal pile before each player."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest

from referee.profile import Rect, read_profile
from referee.table.layouts import layout_of, make_layout, marker_reach_mm, profile_text

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid")
CARD_MM = (63.0, 88.0)
COUNTS = range(2, 7)


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("count", COUNTS)
def test_no_two_places_lie_over_one_another(count: int) -> None:
    zones = make_layout("dobro", NAMES[:count], CARD_MM).zones
    assert set(zones) == {"table", "pair", "draw", "direction", "oubli", *(f"pile/{name}" for name in NAMES[:count])}
    assert not [(a.name, b.name) for a, b in combinations(zones.values(), 2) if _overlap(a.rect, b.rect)]


@pytest.mark.parametrize("count", COUNTS)
def test_players_sit_clockwise_and_evenly_each_behind_the_own_pile(count: int) -> None:
    layout = make_layout("dobro", NAMES[:count], CARD_MM)
    for place, name in enumerate(NAMES[:count]):
        angle = layout.angles_deg[name]
        assert angle == pytest.approx((270.0 - place * 360.0 / count) % 360.0)
        x, y = layout.zones[f"pile/{name}"].centre_mm
        assert math.degrees(math.atan2(-y, x)) % 360.0 == pytest.approx(angle, abs=1.0)


@pytest.mark.parametrize("count", COUNTS)
def test_a_card_is_large_enough_in_a_picture_of_960_by_540(count: int) -> None:
    x, y = marker_reach_mm(make_layout("dobro", NAMES[:count], CARD_MM))
    per_mm = min(960 / (2 * (x + 40)), 540 / (2 * (y + 40)))
    assert per_mm * CARD_MM[0] > 50


@pytest.mark.parametrize("count", COUNTS)
def test_what_a_place_is_to_the_game(count: int) -> None:
    layout = make_layout("dobro", NAMES[:count], CARD_MM)
    meanings = {name: layout.meaning(name) for name in layout.zones}
    assert (meanings["table"], meanings["pair"], meanings["draw"]) == ("pile", "pile", "stock")
    assert {meanings[f"pile/{name}"] for name in NAMES[:count]} == {"marker"}
    assert not layout.has_totem


def test_a_layout_written_as_a_profile_is_read_back(tmp_path: Path) -> None:
    layout = make_layout("dobro", NAMES, CARD_MM)
    path = tmp_path / "profile.toml"
    path.write_text(profile_text(layout, "builtin:dobro", {"camera": "fps = 30.0"}), encoding="utf-8")
    again = layout_of(read_profile(path), CARD_MM)
    assert again.zones == layout.zones
    assert again.angles_deg == layout.angles_deg
