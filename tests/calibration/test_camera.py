"""The camera's calibration against rendered cameras: the lens found is the one that took the pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import A4_BOARD, Board
from calibration.camera import CameraCalibration
from calibration.lens import solve_lens
from calibration.looks import READABLE_BLUR_PX, Look, Refused, edge_blur, look_at
from calibration.scale import check_markers, check_measured, marker_scale
from referee.cli import main
from referee.errors import InputError
from referee.sim.boards import Manner, Sheet, framed, pose
from referee.sim.set_up import BenchCamera
from tests.calibration.rendered import MARGIN_MM, PX, Hands, Picture, board_print, model_error, usual_lens

SEED = 5_201


@pytest.fixture(scope="module")
def hands() -> Hands:
    return Hands(usual_lens(SEED), SEED)


@pytest.fixture(scope="module")
def pictures(hands: Hands) -> list[Picture]:
    return hands.round_about(16)


@pytest.fixture(scope="module")
def calibrated(pictures: list[Picture]) -> CameraCalibration:
    calibration = CameraCalibration(A4_BOARD)
    for number, picture in enumerate(pictures):
        calibration.add(picture, str(number))
    return calibration


def why(picture: Picture) -> str:
    found = look_at(picture, A4_BOARD, "one")
    assert isinstance(found, Refused)
    return found.why


def test_the_lens_found_bends_the_picture_as_the_true_one_to_half_a_pixel(
    hands: Hands, calibrated: CameraCalibration
) -> None:
    solved = calibrated.solve()
    assert model_error(hands.lens, solved.lens).max() < 0.5
    assert abs(solved.lens.matrix[0, 0] / hands.lens.focal_px - 1) < 0.004
    assert solved.held_out_px < 0.2
    assert 0 < solved.focal_error < 0.01


def test_good_pictures_are_kept_and_are_enough(calibrated: CameraCalibration) -> None:
    assert len(calibrated.looks) >= 14
    assert calibrated.enough, calibrated.wanting
    assert calibrated.covered.all() or calibrated.missing


def test_what_is_missing_is_told_in_words(hands: Hands) -> None:
    calibration = CameraCalibration(A4_BOARD)
    said = calibration.add(hands.picture(at=(0.2, 0.3), away=0.6), "one")
    assert said.kept
    assert "bottom right" in said.missing
    assert "top left" not in said.missing
    assert said.advice.startswith("move the board to the")
    drawn = calibration.annotated(hands.picture())
    assert drawn.shape == (720, 1280, 3)


def test_a_picture_that_shows_the_board_where_another_has_it_is_a_double(hands: Hands) -> None:
    calibration = CameraCalibration(A4_BOARD)
    assert calibration.add(hands.picture(), "one").kept
    said = calibration.add(hands.picture(), "two")
    assert not said.kept
    assert said.refused is not None
    assert "one" in said.refused


def test_a_live_camera_takes_a_picture_by_itself_once_the_board_is_held_still(hands: Hands) -> None:
    calibration = CameraCalibration(A4_BOARD, live=True)
    places = [0.40, 0.44, 0.48, 0.48, 0.48]
    kept = [calibration.add(hands.picture(at=(x, 0.5)), str(k)).kept for k, x in enumerate(places)]
    assert kept == [False, False, False, True, False]


@pytest.mark.parametrize(
    "lean", [(25.0, 0.0, "bottom"), (-25.0, 0.0, "top"), (0.0, 25.0, "left"), (0.0, -25.0, "right")]
)
def test_the_side_that_is_farther_away_is_named(hands: Hands, lean: tuple[float, float, str]) -> None:
    calibration = CameraCalibration(A4_BOARD)
    calibration.add(hands.picture(turn=(lean[0], lean[1], 0.0)), "one")
    assert [side for side, count in calibration.leans.items() if count] == [lean[2]]


def test_a_blurred_picture_is_refused(hands: Hands) -> None:
    for blur in (2.6, 4.0, 6.0):
        assert why(hands.picture(manner=Manner(blur_px=blur))).startswith("blurred")
    for length, angle in ((9.0, 40.0), (14.0, 0.0)):
        shaken = Manner(motion_px=length, motion_deg=angle)
        assert why(hands.picture(manner=shaken)).startswith("blurred")


@pytest.mark.parametrize("seed", [3, 4, 7])  # whose tables have edges as wide as a blurred board's
def test_a_table_without_a_board_is_no_blurred_board(seed: int) -> None:
    table = BenchCamera(seed).picture(0)
    assert edge_blur(cv2.cvtColor(table, cv2.COLOR_BGR2GRAY)) > READABLE_BLUR_PX
    assert why(table).startswith("no board is seen")


def test_a_mirrored_board_is_refused(hands: Hands) -> None:
    mirrored = np.ascontiguousarray(hands.picture()[:, ::-1])
    assert why(mirrored).startswith("the board is mirrored")
    printed = np.ascontiguousarray(hands.board[:, ::-1])
    assert why(hands.picture(printed=printed)).startswith("the board is mirrored")


@pytest.mark.parametrize(
    "other",
    [
        Board(7, 9, 26.0, 20.0, "DICT_6X6_50"),
        Board(7, 9, 26.0, 20.0, "DICT_4X4_50", 4),
        Board(5, 7, 30.0, 22.0, "DICT_5X5_50"),
        Board(9, 11, 18.0, 14.0, "DICT_5X5_100"),
        Board(7, 9, 26.0, 16.0, "DICT_5X5_50"),
    ],
    ids=lambda board: f"{board.columns}x{board.rows}-{board.dictionary}-{board.marker_mm:g}",
)
def test_another_board_is_refused(hands: Hands, other: Board) -> None:
    assert why(hands.picture(printed=board_print(other), away=0.4)).startswith("this is another board")


def test_a_board_under_a_hand_is_refused(hands: Hands) -> None:
    assert why(hands.picture(turn=(20, 0, 0), manner=Manner(hand=(640, 260, 190)))).startswith(
        "something covers the board"
    )


def test_burnt_out_dark_and_empty_pictures_are_refused(hands: Hands) -> None:
    assert why(hands.picture(manner=Manner(white=340))).startswith("burnt out")
    assert why(hands.picture(manner=Manner(white=52, black=22, ground=30))).startswith("too dark")
    assert why(np.full((720, 1280, 3), 90, np.uint8)).startswith("no board is seen")
    assert "hold it nearer" in why(hands.picture(away=2.2))


def test_pictures_of_different_sizes_are_refused(hands: Hands, calibrated: CameraCalibration) -> None:
    calibration = CameraCalibration(A4_BOARD)
    calibration.add(hands.picture(), "one")
    small = cv2.resize(hands.picture(at=(0.4, 0.4)), (960, 540), interpolation=cv2.INTER_AREA)
    said = calibration.add(np.asarray(small, np.uint8), "two")
    assert said.refused is not None
    assert "960x540" in said.refused


def test_too_few_pictures_and_one_pose_are_refused(hands: Hands, calibrated: CameraCalibration) -> None:
    with pytest.raises(InputError, match="expected 8 at least"):
        solve_lens(calibrated.looks[:5], A4_BOARD)
    flat = [look_at(hands.picture(at=(0.4 + 0.02 * k, 0.5), turn=(0, 0, 0)), A4_BOARD, str(k)) for k in range(9)]
    with pytest.raises(InputError, match=r"cannot be believed.*leaning"):
        solve_lens([look for look in flat if isinstance(look, Look)], A4_BOARD)


def test_a_board_printed_longer_than_wide_does_not_pass(hands: Hands) -> None:
    looks = [look_at(p, A4_BOARD, str(k)) for k, p in enumerate(hands.round_about(14, scale=(1.0, 0.97)))]
    with pytest.raises(InputError, match="printed as wide as high"):
        solve_lens([look for look in looks if isinstance(look, Look)], A4_BOARD)


def test_a_single_picture_that_does_not_fit_is_left_out(calibrated: CameraCalibration) -> None:
    looks = list(calibrated.looks)
    bad = looks[3]
    moved = bad.seen.points + np.random.default_rng(1).normal(0, 3.0, bad.seen.points.shape)
    from dataclasses import replace

    looks[3] = replace(bad, seen=replace(bad.seen, points=moved))
    solved = solve_lens(looks, A4_BOARD)
    assert solved.left_out == (bad.name,)


def test_a_ruler_that_is_short_says_that_the_print_is(hands: Hands) -> None:
    with pytest.raises(InputError, match=r"printed at 97\.0%"):
        check_measured(97.0, 100.0, "the board's ruler")
    assert check_measured(99.8, 100.0, "the board's ruler") == pytest.approx(0.998)
    with pytest.raises(InputError, match="expected about 100"):
        check_measured(10.0, 100.0, "the board's ruler")


def flat_on_mat(hands: Hands, scale: float) -> Picture:
    """The board, printed at a scale, lying on a mat beside two of its markers."""
    mat = np.full((430 * PX, 600 * PX), 200, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, (x, y) in enumerate(((30, 30), (530, 30), (530, 360), (30, 360))):
        mat[y * PX : (y + 40) * PX, x * PX : (x + 40) * PX] = cv2.aruco.generateImageMarker(dictionary, number, 40 * PX)
    board = framed(np.asarray(cv2.resize(hands.board, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)), PX, 0)
    mat[60 * PX : 60 * PX + board.shape[0], 200 * PX : 200 * PX + board.shape[1]] = board
    placed = pose((300, 215), hands.lens, (640, 360), 470 * hands.lens.focal_px / 720, (6.0, 4.0, 3.0))
    return hands.studio.picture([Sheet(mat, PX, *placed)], Manner(), hands.random)


def test_a_board_printed_at_97_per_cent_does_not_fit_the_mat_it_lies_on(
    hands: Hands, calibrated: CameraCalibration
) -> None:
    lens = calibrated.solve().lens
    scales = {}
    for printed in (1.0, 0.97):
        picture = flat_on_mat(hands, printed)
        look = look_at(picture, A4_BOARD, "flat")
        assert isinstance(look, Look)
        found = marker_scale(picture, look, A4_BOARD, lens, 40.0)
        assert found is not None
        scales[printed] = found
    assert check_markers([scales[1.0]]) == pytest.approx(1.0, abs=0.007)
    assert 1 / scales[0.97] == pytest.approx(0.97, abs=0.007)
    with pytest.raises(InputError, match="disagree in size"):
        check_markers([scales[0.97]])


def test_the_command_goes_from_a_folder_to_a_profile_and_refuses_to_write_over_it(
    tmp_path: Path, pictures: list[Picture], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "board"
    folder.mkdir()
    for number, picture in enumerate(pictures):
        cv2.imwrite(str(folder / f"b{number:02d}.png"), picture)
    profile = tmp_path / "table.toml"
    words = ["calibrate", "camera", "--profile", str(profile), "--camera", str(folder)]
    assert main([*words, "--json", "--measured-mm", "100", "--show", str(tmp_path / "last.png")]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["wrote"] == "camera"
    assert lines[-1]["figures"]["size_checked"] == "ruler"
    assert (tmp_path / "last.png").exists()
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--force", "--measured-mm", "97"]) == 2
    assert "printed at 97.0%" in capsys.readouterr().err
    assert sorted(tmp_path.glob("table.toml*")) == [profile]


def test_a_sheet_with_its_margin_is_as_large_as_it_is() -> None:
    wide, high = A4_BOARD.size_mm
    assert board_print().shape == (round((high + 2 * MARGIN_MM) * PX), round((wide + 2 * MARGIN_MM) * PX))
