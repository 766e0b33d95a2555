"""How a part of the picture sees the table: views of crops, and points above the table.

Belongs here: what follows from a `TableView` for a cut-out of the picture, and the camera's own place. Does not
belong here: finding markers (`table`), what lies where.
"""

from __future__ import annotations

import numpy as np

from referee.vision.geometry import Array
from referee.vision.table import Lens, TableView

USUAL_FOCAL = 0.85  # of the picture's width, where no lens is known


def cropped(view: TableView, left: int, top: int) -> TableView:
    """The view of the same table in a crop whose top left pixel is (left, top)."""
    shift = np.array([[1.0, 0, -left], [0, 1.0, -top], [0, 0, 1.0]])
    lens = None if view.lens is None else Lens(shift @ view.lens.matrix, view.lens.distortion)
    corner = np.array([left, top])
    markers = {number: np.asarray(quad) - corner for number, quad in view.markers.items()}
    return TableView(shift @ view.to_pixels, lens, view.residual_mm, markers, view.centres_mm)


def above(view: TableView, point_mm: tuple[float, float], height_mm: float, size: tuple[int, int]) -> Array:
    """Where a point `height_mm` above the table is seen (2 undistorted px); `size` is the picture's.

    The camera's pose follows from the homography of the table's plane (Zhang, A flexible new technique for
    camera calibration, 2000, section 3.1); z points into the table.
    """
    if view.lens is not None:
        matrix = view.lens.matrix
    else:
        focal = USUAL_FOCAL * size[0]
        matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1.0]])
    bare = np.linalg.inv(matrix) @ view.to_pixels
    scale = (np.linalg.norm(bare[:, 0]) + np.linalg.norm(bare[:, 1])) / 2
    bare = bare / scale * (1.0 if bare[2, 2] > 0 else -1.0)
    up = np.cross(bare[:, 0], bare[:, 1])
    seen = matrix @ (bare[:, 0] * point_mm[0] + bare[:, 1] * point_mm[1] - up * height_mm + bare[:, 2])
    result: Array = seen[:2] / seen[2]
    return result
