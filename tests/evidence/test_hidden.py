"""Where somebody's secret lies no picture is kept."""

from __future__ import annotations

from pathlib import Path

from referee.exhibits import HIDDEN_MM, hidden_rects
from referee.profile import read_profile
from referee.table.layouts import layout_of, make_layout, profile_text

NAMES = ("Ana", "Bilal", "Chloé")


def test_the_places_of_forces_are_hidden_with_a_border_and_in_other_games_nothing_is(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    for seats in (True, False):
        text = profile_text(make_layout("jungle-bluff", NAMES, (63, 88)), "builtin:jungle-bluff")
        path.write_text(text if seats else text.split("[[seat]]")[0], encoding="utf-8")
        profile = read_profile(path)
        forces = [zone.rect for zone in layout_of(profile, (63, 88)).zones.values() if zone.kind == "force"]
        assert len(forces) == 3
        assert hidden_rects(profile) == [
            (a - HIDDEN_MM, b - HIDDEN_MM, c + HIDDEN_MM, d + HIDDEN_MM) for a, b, c, d in forces
        ]
    path.write_text(profile_text(make_layout("jungle-speed", NAMES), "builtin:totem-rush"), encoding="utf-8")
    assert hidden_rects(read_profile(path)) == []
