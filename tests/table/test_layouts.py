"""Seats and zones worked out from the players, and a profile that says them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from referee.adjudication import Game
from referee.errors import ProfileError, RecordError
from referee.profile import TotemPart, read_profile
from referee.table.arrangements import seat_angles
from referee.table.layouts import PLAYED_BY, layout_of, make_layout, marker_reach_mm, profile_text
from referee.words import Header

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaëlle", "Hugo", "Ida", "Jo")


@pytest.mark.parametrize("count", range(2, 11))
def test_no_two_zones_overlap_and_the_totem_is_free(count: int) -> None:
    layout = make_layout("jungle-speed", NAMES[:count])
    assert len(layout.zones) == 2 * count + 1
    for a, b in combinations([zone.rect for zone in layout.zones.values()], 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for zone in layout.zones.values():
        x = min(max(0.0, zone.rect[0]), zone.rect[2])
        y = min(max(0.0, zone.rect[1]), zone.rect[3])
        assert (x**2 + y**2) ** 0.5 >= 20.0, zone.name


@pytest.mark.parametrize("count", range(2, 11))
def test_players_sit_clockwise_in_the_order_of_the_list(count: int) -> None:
    layout = make_layout("jungle-speed", NAMES[:count])
    angles = [layout.angles_deg[name] for name in layout.players]
    turns = [(a - b) % 360.0 for a, b in zip(angles, [*angles[1:], angles[0]], strict=True)]
    assert all(turn > 0 for turn in turns)
    assert sum(turns) == pytest.approx(360.0)


def test_the_first_player_sits_at_the_lower_edge_of_the_picture() -> None:
    assert seat_angles(4) == [270.0, 180.0, 90.0, 0.0]
    assert make_layout("jungle-speed", NAMES[:4]).zones["face_up/Ana"].centre_mm[1] > 0


@pytest.mark.parametrize("count", [1, 11])
def test_a_table_for_one_or_for_eleven_is_refused(count: int) -> None:
    with pytest.raises(ProfileError, match="expected 2 to 10"):
        make_layout("jungle-speed", [f"P{place}" for place in range(count)])


def test_a_game_that_cannot_be_followed_yet_is_refused() -> None:
    with pytest.raises(ProfileError, match="patience has no table layout yet"):
        make_layout("patience", NAMES[:3])


@pytest.mark.parametrize("count", [2, 5, 10])
def test_a_layout_written_as_a_profile_is_read_back(count: int, tmp_path: Path) -> None:
    totem = TotemPart(seat_pads=True, rings=8, sectors=6, angle0_deg=15.0, port="/dev/ttyACM0")
    layout = make_layout("jungle-speed", ['A "quoted" one', *NAMES[1:count]], totem=totem)
    path = tmp_path / "profile.toml"
    path.write_text(profile_text(layout, "builtin:totem-rush", {"camera": "fps = 30.0"}), encoding="utf-8")
    profile = read_profile(path)
    assert layout_of(profile) == layout
    assert dict(profile.camera)["fps"] == 30.0


def test_what_the_profile_says_wins(tmp_path: Path) -> None:
    layout = make_layout("jungle-speed", NAMES[:3])
    text = profile_text(layout, "builtin:totem-rush").replace('[zone."pot"]', "[zone.pot]")
    pot = layout.zones["pot"].rect
    moved = text.replace(f"rect = [{', '.join(f'{one:.1f}' for one in pot)}]", "rect = [-20.0, 400.0, 60.0, 480.0]")
    path = tmp_path / "profile.toml"
    path.write_text(moved, encoding="utf-8")
    assert layout_of(read_profile(path)).zones["pot"].rect == (-20.0, 400.0, 60.0, 480.0)


def test_seats_that_a_profile_leaves_out_are_worked_out(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    text = 'game = "jungle-speed"\nplayers = ["Ana", "Bilal"]\ndeck = "builtin:totem-rush"\n'
    path.write_text(text, encoding="utf-8")
    assert layout_of(read_profile(path)) == make_layout("jungle-speed", ["Ana", "Bilal"])


def test_a_card_belongs_to_the_zone_whose_centre_is_nearer() -> None:
    layout = make_layout("jungle-speed", NAMES[:4])
    x, y = layout.zones["face_up/Bilal"].centre_mm
    assert layout.zone_at(x, y) == "face_up/Bilal"
    assert layout.zone_at(5_000.0, 0.0) is None
    assert layout.meaning("face_up/Bilal") == "flip"
    assert layout.owner("reserve/Bilal") == "Bilal"
    assert layout.meaning("pot") == "shared"
    assert layout.meaning("nowhere") is None
    assert layout.owner("pot") is None


def test_the_markers_lie_outside_all_zones() -> None:
    layout = make_layout("jungle-speed", NAMES[:6])
    x, y = marker_reach_mm(layout)
    assert all(abs(edge) < x for zone in layout.zones.values() for edge in zone.rect[::2])
    assert all(abs(edge) < y for zone in layout.zones.values() for edge in zone.rect[1::2])


@pytest.mark.parametrize("count", range(2, 11))
def test_a_jungle_bluff_table_has_a_place_in_the_centre_for_everybody_and_two_in_front_of_each(count: int) -> None:
    names = [f"P{number}" for number in range(count)]
    layout = make_layout("jungle-bluff", names, (63, 88))
    kinds = [zone.kind for zone in layout.zones.values()]
    assert [kinds.count(kind) for kind in ("centre", "score", "force")] == [count] * 3
    assert not layout.has_totem
    for one in layout.zones.values():
        assert layout.zone_at(*one.centre_mm) == one.name
    assert len({*layout.angles_deg.values()}) == count


def test_each_game_is_played_by_as_many_as_its_rules_take() -> None:
    for game, (fewest, most) in PLAYED_BY.items():
        for count in range(1, 12):
            header: Header = {"record": "referee/1", "game": game, "players": [f"P{k}" for k in range(count)]}
            if fewest <= count <= most:
                Game(header)
            else:
                with pytest.raises(RecordError):
                    Game(header)
