"""Parts of a profile are written without losing anything, and what does not hold any more is known."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibration.devices import device_name
from calibration.profile_file import Part, write_part
from calibration.stale import moved, stale
from calibration.whole import check_whole, defects
from referee.errors import InputError, ProfileError
from tests.calibration.test_table import mat_of, rendered

NOW = datetime(2026, 5, 1, 18, 0, 0)
PART = Part("camera", {"camera.matrix": [[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]}, {"rms_px": 0.1})
TEXT = """# my table
game = "jungle-speed"  # what else
players = ["Ana", "Ben"]
deck = "builtin:totem-rush"
colour = "green"

[camera]  # above the lamp
source = "0"

[[seat]]
player = "Ana"  # left-handed
angle_deg = 270
nickname = "A"

[[seat]]
player = "Ben"
angle_deg = 90
"""


def test_comments_and_unknown_keys_stay(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(TEXT)
    copy = write_part(path, PART, NOW, force=False)
    text = path.read_text()
    for words in ("# my table", "# what else", "# above the lamp", "# left-handed", 'colour = "green"'):
        assert words in text
    content = tomllib.loads(text)
    assert content["camera"]["matrix"][0][2] == 2.0
    assert content["calibration"]["camera"] == {"date": NOW, "rms_px": 0.1}
    assert copy is not None
    assert copy.read_text() == TEXT


def test_a_seat_that_is_moved_keeps_its_comment_and_its_other_keys(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(TEXT)
    seats = [{"player": "Ana", "angle_deg": 260.0}, {"player": "Cem", "angle_deg": 80.0}]
    write_part(path, Part("table", {"seat": seats}, {}), NOW, force=True)
    assert "# left-handed" in path.read_text()
    assert tomllib.loads(path.read_text())["seat"] == [
        {"player": "Ana", "angle_deg": 260.0, "nickname": "A"},
        {"player": "Cem", "angle_deg": 80.0},
    ]


def test_nothing_is_written_over_without_force_and_a_copy_is_kept_with_it(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    assert write_part(path, PART, NOW, force=False) is None
    before = path.read_text()
    with pytest.raises(InputError, match=r"has calibration\.camera already; --force"):
        write_part(path, PART, NOW, force=False)
    assert path.read_text() == before
    copies = [write_part(path, PART, NOW, force=True) for _ in range(2)]
    assert len(set(copies)) == 2
    assert all(copy is not None and copy.exists() for copy in copies)


def test_a_file_that_is_no_toml_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("game = ")
    with pytest.raises(ProfileError, match="is no TOML"):
        write_part(path, PART, NOW, force=True)
    assert path.read_text() == "game = "


values = st.one_of(
    st.integers(-5, 5), st.booleans(), st.text("abc#=\"'[]é ", max_size=6), st.lists(st.integers(), max_size=3)
)
names = st.text("abcdxyz", min_size=1, max_size=4)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(names, values, max_size=4), st.dictionaries(names, values, max_size=3))
def test_whatever_else_stands_in_a_profile_is_still_there(
    tmp_path: Path, top: dict[str, object], camera: dict[str, object]
) -> None:
    import tomlkit

    path = tmp_path / "any.toml"
    path.write_text(tomlkit.dumps({**top, "camera": camera}))
    write_part(path, PART, NOW, force=True)
    content = tomllib.loads(path.read_text())
    assert {key: content[key] for key in top} == top
    assert {key: content["camera"][key] for key in camera} == camera


def test_all_defects_are_said_at_once_each_with_its_key(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        'game = "chess"\nplayers = ["Ana", "Ana"]\n[camera]\nfps = "fast"\nmatrix = [[1,2],[3,4]]\n'
        '[totem]\nrings = -1\n[calibration.camera]\ndate = "yesterday"\nrms_px = -2\n[zone.pot]\nrect = [1,2]\n'
    )
    found = defects(path)
    for key in (
        "game",
        "players",
        "deck",
        "camera.fps",
        "matrix",
        "totem.rings",
        "camera.date",
        "camera.rms_px",
        "pot.rect",
    ):
        assert any(f"{key}: expected" in one for one in found), (key, found)
    assert all(one.startswith(str(path)) for one in found)
    with pytest.raises(ProfileError, match=r"game: expected.*; .*players: expected"):
        check_whole(path)


def test_a_whole_profile_has_no_defects(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(TEXT)
    write_part(path, Part("light", {}, {"picture": [1280, 720]}), NOW, force=False)
    assert defects(path) == ()
    check_whole(path)


def test_an_old_or_strange_calibration_is_said(tmp_path: Path) -> None:
    part = {"date": datetime(2026, 1, 1), "device": "cam-1", "picture": [1280, 720]}
    content = {"calibration": {"table": part, "camera": {**part, "date": datetime(2026, 4, 1)}}}
    assert stale(content, datetime(2026, 1, 2), "cam-1", None, (1280, 720)) == (
        "camera was calibrated on 2026-04-01, in the future: is the clock right?",
    )
    assert stale(content, NOW, "cam-1", None, (1280, 720)) == ("table was calibrated on 2026-01-01, 120 days ago",)
    said = stale(content, datetime(2026, 4, 2), "cam-2", None, (1920, 1080))
    assert any("calibrated with cam-1 and this is cam-2" in one for one in said)
    assert any("pictures of 1280x720, not 1920x1080" in one for one in said)
    assert stale({}, NOW, "cam-2", "totem", (1, 1)) == ()
    totem = {
        "calibration": {"totem": {"date": NOW, "device": "pico-1"}, "time": {"date": NOW, "totem_device": "pico-1"}}
    }
    assert len(stale(totem, NOW, None, "pico-2")) == 2


def test_a_lens_calibrated_after_the_table_makes_the_table_stale() -> None:
    dates = {"camera": {"date": NOW}, "table": {"date": NOW, "lens_date": datetime(2026, 4, 1)}}
    assert stale({"calibration": dates}, NOW) == ("the camera was calibrated anew after the table",)


def test_markers_that_moved_since_are_named(tmp_path: Path) -> None:
    from calibration.table import find_table, table_part
    from referee.vision.table import Lens

    seating, scenery, pictures = rendered(5_311, frames=2)
    lens = Lens(scenery.optics.matrix, scenery.optics.distortion)
    mat = mat_of(seating)
    path = tmp_path / "p.toml"
    matrix = [[float(v) for v in row] for row in lens.matrix]
    path.write_text(f"[camera]\nmatrix = {matrix}\ndistortion = {[float(v) for v in lens.distortion]}\n")
    write_part(path, table_part(find_table(pictures, mat, lens), mat, None, None, {}), NOW, force=False)
    content = tomllib.loads(path.read_text())
    assert moved(content, pictures[1]) is None
    said = moved(content, np.roll(pictures[1], 12, axis=1))
    assert said is not None
    assert "marker 0 by" in said


def test_a_device_keeps_its_name_wherever_it_is_plugged_in(tmp_path: Path) -> None:
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    (by_id / "usb-Maker_Camera_1234-index0").symlink_to("/dev/null")
    assert device_name("/dev/null", (by_id,), tmp_path) == "usb-Maker_Camera_1234-index0"
    (tmp_path / "video7").mkdir()
    (tmp_path / "video7" / "name").write_text("Some Webcam\n")
    assert device_name("7", (), tmp_path) == "Some Webcam"
    assert device_name("/dev/video8", (), tmp_path) == "/dev/video8"
    assert device_name("picamera2") == "picamera2"
    assert device_name("rtsp://me:secret@camera/1") == "rtsp://camera/1"
