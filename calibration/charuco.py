"""The calibration board in a picture: its corners, or in a sentence why it is not there.

Written rules:
- what differs between OpenCV 4 and 5 in the shapes of ChArUco results is levelled here;
- a board is only believed when its markers lie as the board's do: other boards carry the same numbers.
Does not belong here: whether a picture is good enough (`calibration.looks`), what many say (`calibration.lens`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import Board
from referee.vision.geometry import Array, apply, homography

Picture = NDArray[np.uint8]

# Markers of a board printed as ours lie within this share of a square of where ours lie (a strong lens bends 0.1).
MISPLACED = 0.35
# Their sides are within this share of ours.
OTHER_SIDE = 0.12
FEWEST_MARKERS = 3
SQUARES = "squares are there but their markers cannot be read"
UNREAD = "no board is seen: hold it nearer, in the light, and still"
# Dictionaries that calibration boards are usually made with, tried when ours is not there.
_OTHERS = ("DICT_4X4_250", "DICT_5X5_1000", "DICT_6X6_1000", "DICT_7X7_1000", "DICT_ARUCO_ORIGINAL")


@dataclass(frozen=True)
class Seen:
    """A board in a picture: which of its inner corners (`ids`, N) were found where (`points`, N×2 px).

    `to_pixels` takes the board's millimetres to pixels, roughly (the lens is not known); `markers` are the corners
    (4×2 px) of each marker that was read.
    """

    ids: NDArray[np.int64]
    points: Array
    to_pixels: Array
    markers: dict[int, Array]


def grey_of(picture: Picture) -> Picture:
    """A picture (H×W×3 or H×W) as H×W greys."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture, np.uint8)


def find_board(picture: Picture, board: Board) -> Seen | str:
    """The board in a picture (H×W×3 or H×W), or why it cannot be used."""
    grey = grey_of(picture)
    corners, ids, quads, numbers = _detector(board).detectBoard(grey)
    markers = _by_number(quads, numbers)
    if len(markers) < FEWEST_MARKERS:
        return _why_not(grey, board, len(markers))
    strangers = sorted(set(markers) - set(board.markers()))
    places = _places(board, markers)
    if strangers or places is None:
        return f"this is another board, expected {describe(board)}"
    points = np.zeros((0, 2)) if corners is None else np.asarray(corners, np.float64).reshape(-1, 2)
    found = np.zeros(0, np.int64) if ids is None else np.asarray(ids, np.int64).reshape(-1)
    return Seen(found, points, places, markers)


def describe(board: Board) -> str:
    """The board in a few words."""
    return f"{board.columns} × {board.rows} squares of {board.square_mm:g} mm with markers 5 × 5 in the white ones"


@cache
def _detector(board: Board) -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(board.aruco_board())


@cache
def _markers_of(dictionary: str) -> cv2.aruco.ArucoDetector:
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary)))


def _by_number(quads: object, numbers: object) -> dict[int, Array]:
    if numbers is None or quads is None:
        return {}
    listed = np.asarray(numbers).reshape(-1).tolist()
    return {int(k): np.asarray(quad, np.float64).reshape(4, 2) for k, quad in zip(listed, quads, strict=True)}  # type: ignore[call-overload]


def _places(board: Board, markers: dict[int, Array]) -> Array | None:
    """The homography from the board's millimetres to pixels; None when the markers lie as on another board."""
    ours = board.markers()
    known = [k for k in sorted(markers) if k in ours]
    side = board.marker_mm
    square = np.array([[0.0, 0], [side, 0], [side, side], [0, side]])
    flat = np.concatenate([np.array(ours[k]) + square for k in known])
    seen = np.concatenate([markers[k] for k in known])
    to_pixels = homography(flat, seen)
    back = apply(np.asarray(np.linalg.inv(to_pixels), np.float64), seen)
    misplaced = float(np.median(np.linalg.norm(back - flat, axis=1))) / board.square_mm
    quads = back.reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(quads, -1, 1) - quads, axis=2)
    if misplaced > MISPLACED or abs(float(np.median(sides)) / side - 1) > OTHER_SIDE:
        return None
    return to_pixels


def _why_not(grey: Picture, board: Board, found: int) -> str:
    """Why fewer than three markers of the board were read."""
    if len(_by_number(*_detector(board).detectBoard(np.ascontiguousarray(grey[:, ::-1]))[2:])) > max(
        FEWEST_MARKERS, found
    ):
        return "the board is mirrored: turn off the camera's mirror picture, or print the board again as it is"
    for name in _OTHERS:
        if name == board.dictionary:
            continue
        quads, numbers, _ = _markers_of(name).detectMarkers(grey)
        read = _by_number(quads, numbers)
        # The mat's own four markers are no board.
        if len([k for k in read if name != "DICT_4X4_250" or k > 3]) >= 2 * FEWEST_MARKERS:
            return f"this is another board, expected {describe(board)}"
    small = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    if cv2.checkChessboard(small, (board.columns - 1, board.rows - 1)):
        return f"{SQUARES}: too far away, or not {describe(board)}"
    return UNREAD
