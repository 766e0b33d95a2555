"""How large a sheet was really printed: by a ruler, or by the mat's markers lying beside it.

Written rules:
- pictures of one sheet alone cannot tell its size: a board printed at 97 % held nearer looks the same. So nothing is
  said about size unless somebody measured it or two sheets lie side by side;
- two sheets that disagree do not say which of them is wrong: both rulers are to be looked at.
Does not belong here: the shape of a print, which the solve judges (`calibration.lens`).
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.boards import Board
from calibration.charuco import Picture
from calibration.looks import Look
from referee.errors import InputError
from referee.vision.geometry import Array, apply, homography
from referee.vision.table import Lens, find_markers

# A printer set to "fit to page" prints at 93 to 98 %; a ruler is read to half a millimetre.
SCALE_ERROR = 0.007
# Corners of a marker lying in the board's own plane come to within this of a square.
FLAT_SHARE = 0.02
RULER_MM = 100.0


def check_measured(measured_mm: float, expected_mm: float, what: str) -> float:
    """The scale of a print by a length somebody measured; raises `InputError` when it was not printed true to size."""
    scale = measured_mm / expected_mm
    if not 0.5 < scale < 2:
        raise InputError(f"{what}: {measured_mm:g} mm was measured, expected about {expected_mm:g}")
    if abs(scale - 1) > SCALE_ERROR:
        raise InputError(
            f"{what} was printed at {scale:.1%} ({measured_mm:g} mm instead of {expected_mm:g}): "
            'print it again at 100 % ("actual size", no "fit to page")'
        )
    return scale


def marker_scale(picture: Picture, look: Look, board: Board, lens: Lens, side_mm: float) -> float | None:
    """How large the mat's markers are by the board's measure, as a share of `side_mm`; None where that cannot be told.

    The board has to lie flat on the mat: held above it, it looks larger, and no picture tells the two apart.
    """
    markers = find_markers(picture)
    if not markers:
        return None
    flat = board.corners()[look.seen.ids]
    to_pixels = homography(flat, straight(look.seen.points, lens))
    back: Array = np.asarray(np.linalg.inv(to_pixels), np.float64)
    sides = []
    for quad in markers.values():
        corners = apply(back, straight(quad, lens))
        lengths = np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1)
        across = np.linalg.norm(corners[[0, 1]] - corners[[2, 3]], axis=1) / np.sqrt(2)
        every = np.concatenate([lengths, across])
        if float(every.max() / every.min()) - 1 < FLAT_SHARE:
            sides.append(float(lengths.mean()))
    return float(np.median(sides)) / side_mm if sides else None


def check_markers(scales: Sequence[float]) -> float:
    """The mat's size by the board's measure; raises `InputError` when the two disagree."""
    scale = float(np.median(scales))
    if abs(scale - 1) > SCALE_ERROR:
        raise InputError(
            f"the board and the mat disagree in size: either the board was printed at {1 / scale:.1%} or the mat at "
            f"{scale:.1%} (or the board does not lie flat on the mat): measure both rulers"
        )
    return scale


def straight(points: Array, lens: Lens) -> Array:
    """Pixels as a lens without distortion would see them."""
    seen = np.ascontiguousarray(points, np.float64).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(seen, lens.matrix, lens.distortion, P=lens.matrix)
    return np.asarray(flat, np.float64).reshape(-1, 2)
