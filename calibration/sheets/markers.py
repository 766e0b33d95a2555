"""ArUco markers as outlines.

Belongs here: cells as one path, so that no hairline shows between them. Does not belong here: which markers there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.deck.draw.svg import fill, outline

BLACK = "#000000"


def marker(black: NDArray[np.bool_], corner_mm: tuple[float, float], side_mm: float) -> str:
    """A marker from its square cells (true is black, rim and all), its top left corner and its side."""
    cells = len(black)
    step = side_mm / cells
    x, y = corner_mm
    path = [_square(x, y, side_mm)]
    path += [_square(x + column * step, y + row * step, step) for row, column in np.argwhere(~black).tolist()]
    # Even-odd: a white cell is a hole in the black square.
    return fill("".join(path), BLACK)


def _square(x: float, y: float, side: float) -> str:
    return outline([(x, y), (x + side, y), (x + side, y + side), (x, y + side)])
