"""The table's calibration against rendered tables: millimetres are where they are."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.seats import move_seat, move_zone
from calibration.table import CardSize, Mat, TableFound, advice, find_table, found_by, outside, smallest_card
from referee.cli import main
from referee.errors import InputError
from referee.profile import read_profile
from referee.sim.scenery import Scenery, draw_scenery
from referee.sim.seating import Seating, draw_seating
from referee.sim.sensor import Sensor
from referee.table.layouts import make_layout
from referee.vision.table import Lens, view_from_corners

PLAYERS = ["Ana", "Ben", "Chloé"]
Picture = NDArray[np.uint8]
CENTRES = Mat(None)


def rendered(seed: int, size: tuple[int, int] = (1280, 720), frames: int = 5) -> tuple[Seating, Scenery, list[Picture]]:
    random = np.random.default_rng([seed, 71])
    seating = draw_seating(PLAYERS, random)
    scenery = draw_scenery(seating.places(), size, ("day", "evening", "hard")[seed % 3], "wood", "printed", random)
    sensor = Sensor(size, scenery.light, random)
    return seating, scenery, [sensor.expose(scenery.empty) for _ in range(frames)]


@pytest.fixture(scope="module")
def table() -> tuple[Seating, Scenery, list[Picture]]:
    return rendered(5_301)


def mat_of(seating: Seating) -> Mat:
    return Mat({k: np.array(place) for k, place in enumerate(seating.markers)})


def lens_of(scenery: Scenery) -> Lens:
    return Lens(scenery.optics.matrix, scenery.optics.distortion)


def errors_mm(found: TableFound, seating: Seating, scenery: Scenery) -> NDArray[np.float64]:
    """The error over the whole mat, markers included."""
    x, y = (max(abs(marker[i]) for marker in seating.markers) + 20 for i in (0, 1))
    grid = np.stack(np.meshgrid(np.linspace(-x, x, 17), np.linspace(-y, y, 13)), -1).reshape(-1, 2)
    return np.linalg.norm(found.view.millimetres(scenery.optics.pixels(grid)) - grid, axis=1)


@pytest.mark.parametrize(("seed", "size"), [(5_302, (960, 540)), (5_303, (1280, 720)), (5_304, (1920, 1080))])
def test_millimetres_are_true_over_the_whole_mat(seed: int, size: tuple[int, int]) -> None:
    seating, scenery, pictures = rendered(seed, size, 3)
    found = find_table(pictures, mat_of(seating), lens_of(scenery))
    off = errors_mm(found, seating, scenery)
    assert np.median(off) < 0.5
    assert off.max() < 1.5
    assert found.height_mm == pytest.approx(scenery.optics.eye[2], rel=0.01)


def test_a_mat_of_unknown_size_is_measured_by_its_markers(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    off = errors_mm(find_table(pictures, CENTRES, lens_of(scenery)), seating, scenery)
    assert off.max() < 1.5


def test_a_covered_marker_is_named(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    x, y = scenery.optics.pixels(np.array([seating.markers[2]]))[0]
    hidden = []
    for picture in pictures:
        copy = picture.copy()
        cv2.circle(copy, (round(x), round(y)), 40, (90, 120, 160), -1)
        hidden.append(copy)
    with pytest.raises(InputError, match="marker 2 of the mat is not seen"):
        find_table(hidden, mat_of(seating), lens_of(scenery))


def test_a_camera_that_shakes_is_refused(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    shaken = [np.roll(picture, 4 * k, axis=1) for k, picture in enumerate(pictures)]
    with pytest.raises(InputError, match="the picture moves"):
        find_table(shaken, mat_of(seating), lens_of(scenery))


def test_another_mat_is_refused(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    places = mat_of(seating).centres_mm
    assert places is not None
    wrong = Mat({**places, 1: places[1] + np.array([60.0, 0.0])})
    with pytest.raises(InputError, match="beside their places"):
        find_table(pictures, wrong, lens_of(scenery))


def test_four_corners_by_hand_see_the_table_too(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, _ = table
    half = (250.0, 170.0)
    corners = scenery.optics.pixels(np.array([[-half[0], -half[1]], [half[0], -half[1]], half, [-half[0], half[1]]]))
    lens = lens_of(scenery)
    found = found_by(view_from_corners(corners, 2 * half[0], 2 * half[1], lens), scenery.size, 1, True)
    assert errors_mm(found, seating, scenery).max() < 0.5


def test_small_cards_come_with_what_to_do(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    found = find_table(pictures, mat_of(seating), lens_of(scenery))
    layout = make_layout("jungle-speed", PLAYERS)
    card = smallest_card(found, layout, (60.0, 60.0), 50)
    assert card.have_px == pytest.approx(60 * scenery.optics.per_mm(), rel=0.1)
    assert advice(found, layout, replace(card, need_px=10)) is None
    todo = advice(found, layout, CardSize(card.zone, card.have_px, round(card.have_px * 1.4)))
    assert todo is not None
    assert "choose pictures of 1920x1080" in todo
    few = make_layout("jungle-speed", ["Ana", "Ben"])
    lower = advice(replace(found, view=replace(found.view, markers={})), few, CardSize(card.zone, 60.0, 66))
    assert lower is not None
    down_cm = np.ceil(found.height_mm * (1 - 60 / 66) / 10)
    assert f"move the camera {down_cm:.0f} cm down" in lower


def test_zones_beyond_the_picture_are_named(table: tuple[Seating, Scenery, list[Picture]]) -> None:
    seating, scenery, pictures = table
    found = find_table(pictures, mat_of(seating), lens_of(scenery))
    assert outside(found, make_layout("jungle-speed", PLAYERS)) == ()
    assert "reserve/p0" in outside(found, make_layout("jungle-speed", [f"p{k}" for k in range(10)]))


def test_a_seat_dragged_elsewhere_takes_its_zones_and_its_direction_along() -> None:
    layout = make_layout("jungle-speed", PLAYERS)
    x, y = layout.zones["face_up/Ana"].centre_mm
    moved = move_seat(layout, "Ana", (x + 40, y + 200))
    assert moved.zones["face_up/Ana"].centre_mm == pytest.approx((x + 40, y + 200))
    reserve = layout.zones["reserve/Ana"].centre_mm
    assert moved.zones["reserve/Ana"].centre_mm == pytest.approx((reserve[0] + 40, reserve[1] + 200))
    assert moved.angles_deg["Ana"] != layout.angles_deg["Ana"]
    assert moved.angles_deg["Ben"] == layout.angles_deg["Ben"]


def test_a_zone_cannot_be_dragged_onto_another_or_onto_the_totem() -> None:
    layout = make_layout("jungle-speed", PLAYERS)
    with pytest.raises(InputError, match="would lie over face_up/Ben"):
        move_zone(layout, "pot", layout.zones["face_up/Ben"].centre_mm)
    with pytest.raises(InputError, match="under the totem"):
        move_zone(replace(layout, zones={"pot": layout.zones["pot"]}), "pot", (0.0, 0.0))
    with pytest.raises(InputError, match="there is no such zone"):
        move_zone(layout, "sink", (0.0, 0.0))


def test_the_command_makes_a_profile_a_game_can_be_played_with(
    tmp_path: Path, table: tuple[Seating, Scenery, list[Picture]], capsys: pytest.CaptureFixture[str]
) -> None:
    seating, scenery, pictures = table
    folder = tmp_path / "mat"
    folder.mkdir()
    for number, picture in enumerate(pictures):
        cv2.imwrite(str(folder / f"m{number}.png"), picture)
    profile = tmp_path / "table.toml"
    matrix = [[float(v) for v in row] for row in scenery.optics.matrix]
    bend = [float(v) for v in scenery.optics.distortion]
    profile.write_text(
        f"# ours\n[camera] # the good one\nwidth = 1280\nheight = 720\nmatrix = {matrix}\ndistortion = {bend}\n"
        'mine = "kept"\n'
    )
    marks = seating.markers
    size = f"{marks[1][0] - marks[0][0]},{marks[3][1] - marks[0][1]}"
    words = ["calibrate", "table", "--profile", str(profile), "--camera", str(folder), "--json", "--mat", size]
    who = ["--game", "jungle-speed", "--players", "Ana,Ben,Chloé", "--deck", "builtin:totem-rush"]
    assert main([*words, *who]) in (0, 1)
    capsys.readouterr()
    read = read_profile(profile)
    assert [seat.player for seat in read.seats] == PLAYERS
    assert "pot" in read.zones
    text = profile.read_text()
    assert "# ours" in text
    assert "# the good one" in text
    content = tomllib.loads(text)
    assert content["camera"]["mine"] == "kept"
    assert content["calibration"]["table"]["card_px"] > 30
    assert len(list(tmp_path.glob("table.toml.*.bak"))) == 1
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--measured-mm", "97", "--force"]) == 2
    assert "the mat's ruler was printed at 97.0%" in capsys.readouterr().err
    assert main([*words, "--force", "--corners", "1,2,3"]) == 2
    capsys.readouterr()
    corners = ",".join(f"{v:.2f}" for v in scenery.optics.pixels(np.array(marks)).ravel())
    assert main([*words, "--force", "--corners", corners, "--size-mm", size]) in (0, 1)
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["figures"]["by"] == "corners"
    assert "markers" not in tomllib.loads(profile.read_text()).get("table", {})
