"""The ChArUco board as a sheet; what is on it says `calibration.boards`."""

from __future__ import annotations

from calibration.boards import A4_BOARD, Board
from calibration.sheets.markers import BLACK, marker
from calibration.sheets.pages import Drawing
from referee.deck.draw.svg import rectangle

_RULER_BELOW_MM = 5.0
_RULER_HIGH_MM = 8.0


def charuco_drawing(board: Board = A4_BOARD, language: str = "en") -> Drawing:
    """The board with room for a ruler below it; glued onto something flat and stiff it calibrates a camera."""
    side = board.square_mm
    body = [rectangle(x, y, side, side, BLACK) for x, y in board.black_squares()]
    body += [marker(board.marker_cells(one), at, board.marker_mm) for one, at in board.markers().items()]
    wide, high = board.size_mm
    title = f"ChArUco {board.columns} x {board.rows}, {board.square_mm:g} mm"
    size = (wide, high + _RULER_BELOW_MM + _RULER_HIGH_MM)
    return Drawing(title, size, body, (0.0, high + _RULER_BELOW_MM), language)
