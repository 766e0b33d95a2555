"""The board a camera is calibrated with: what is printed on it, in millimetres.

Belongs here: where its squares, corners and markers lie, so that the sheet and its reading cannot differ. Does not
belong here: drawing the sheet, finding the board in a picture (`calibration.charuco`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Board:
    """A ChArUco board: a chessboard with a marker in each white square; its top left square is black.

    Lengths in millimetres. x runs to the right and y down from the board's top left corner as it is printed.
    `columns` and `rows` are odd, so that all four corner squares are black and OpenCV's older and newer way of
    starting a board are the same. `dictionary` is a name of `cv2.aruco`; markers are numbered from `first_id`, row by
    row.
    """

    columns: int
    rows: int
    square_mm: float
    marker_mm: float
    dictionary: str
    first_id: int = 0

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the whole chessboard."""
        return self.columns * self.square_mm, self.rows * self.square_mm

    def black_squares(self) -> tuple[tuple[float, float], ...]:
        """The top left corners of the black squares, row by row."""
        return self._squares(0)

    def markers(self) -> dict[int, tuple[float, float]]:
        """Where each marker's own top left corner lies, by its id."""
        inset = (self.square_mm - self.marker_mm) / 2
        places = enumerate(self._squares(1), self.first_id)
        return {marker: (x + inset, y + inset) for marker, (x, y) in places}

    def marker_cells(self, marker: int) -> NDArray[np.bool_]:
        """The marker's square cells with their black rim; true is black. Raises `KeyError` for another board's."""
        if marker not in self.markers():
            raise KeyError(marker)
        dictionary = self.aruco_dictionary()
        side = dictionary.markerSize + 2
        return np.asarray(cv2.aruco.generateImageMarker(dictionary, marker, side) < 128)

    def corners(self) -> NDArray[np.float64]:
        """The chessboard's inner corners in the order of their ChArUco ids (row by row); N×2."""
        rows, columns = np.mgrid[1 : self.rows, 1 : self.columns]
        return np.stack([columns.ravel(), rows.ravel()], 1) * self.square_mm

    def aruco_dictionary(self) -> cv2.aruco.Dictionary:
        """The markers' dictionary as OpenCV has it."""
        return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.dictionary))

    def aruco_board(self) -> cv2.aruco.CharucoBoard:
        """The same board as OpenCV has it; its unit is the millimetre."""
        ids = np.array(sorted(self.markers()), np.int32)
        size = (self.columns, self.rows)
        return cv2.aruco.CharucoBoard(size, self.square_mm, self.marker_mm, self.aruco_dictionary(), ids)

    def _squares(self, colour: int) -> tuple[tuple[float, float], ...]:
        """The top left corners of the squares of one colour: 0 black, 1 white."""
        places = ((x, y) for y in range(self.rows) for x in range(self.columns) if (x + y) % 2 == colour)
        return tuple((x * self.square_mm, y * self.square_mm) for x, y in places)


# 182 × 234 mm: fits on A4 and on US Letter with room for a ruler below. Its dictionary is not the mat's, so that both
# may lie in one picture; a marker's cell of 2.9 mm is told down to about one pixel a millimetre.
A4_BOARD = Board(columns=7, rows=9, square_mm=26.0, marker_mm=20.0, dictionary="DICT_5X5_50", first_id=0)
