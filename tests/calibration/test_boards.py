"""The board's lengths are the ones OpenCV reads it with."""

import cv2
import numpy as np
import pytest

from calibration.boards import A4_BOARD


def test_corners_and_markers_lie_where_opencv_has_them() -> None:
    board = A4_BOARD.aruco_board()
    assert np.allclose(np.asarray(board.getChessboardCorners()).reshape(-1, 3)[:, :2], A4_BOARD.corners())
    places = A4_BOARD.markers()
    ids = [int(marker) for marker in np.asarray(board.getIds()).ravel()]
    assert ids == sorted(places)
    for marker, corners in zip(ids, board.getObjPoints(), strict=True):
        assert np.allclose(np.asarray(corners).reshape(4, 3)[0, :2], places[marker])


def test_black_squares_and_marker_cells_make_the_picture_opencv_draws() -> None:
    px = 7  # a millimetre, so that a marker's cell is 20 pixels
    width, height = (round(mm * px) for mm in A4_BOARD.size_mm)
    drawn = np.full((height, width), 255, np.uint8)
    side = round(A4_BOARD.square_mm * px)
    for x, y in A4_BOARD.black_squares():
        drawn[round(y * px) : round(y * px) + side, round(x * px) : round(x * px) + side] = 0
    for marker, (x, y) in A4_BOARD.markers().items():
        cells = np.where(A4_BOARD.marker_cells(marker), 0, 255).astype(np.uint8)
        cell = round(A4_BOARD.marker_mm * px / len(cells))
        large = np.kron(cells, np.ones((cell, cell), np.uint8))
        drawn[round(y * px) : round(y * px) + len(large), round(x * px) : round(x * px) + len(large)] = large
    whole = A4_BOARD.aruco_board().generateImage((width, height), None, 0, 1)
    # Edges may fall a pixel to either side.
    assert np.mean(cv2.absdiff(drawn, whole) > 0) < 0.01


def test_a_marker_of_another_board_has_no_cells() -> None:
    with pytest.raises(KeyError):
        A4_BOARD.marker_cells(max(A4_BOARD.markers()) + 1)


def test_the_board_fits_on_a4_and_letter_with_room_for_a_ruler() -> None:
    width, height = A4_BOARD.size_mm
    assert width <= 210 - 2 * 10
    assert height <= 279.4 - 2 * 20
