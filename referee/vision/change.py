"""Whether anything changed between two frames: what lets a table at rest cost nothing.

Written rules of this module:
- frames are compared on a small grid, against the camera's own noise, after taking out a change of the whole
  picture's brightness (automatic exposure);
- it may call a still frame changed, it must not call a changed one still: a card laid down changes
  tens of cells.
Does not belong here: what changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

CELL_PX = 8
STEP = 7.0  # grey levels a cell's mean must change by; noise of a cell of 64 pixels is far below
LEAST_CELLS = 2


@dataclass(frozen=True)
class Still:
    """The small grey picture of a frame that others are compared with."""

    cells: NDArray[np.float32]


def still(frame: NDArray[np.uint8]) -> Still:
    """A frame (H×W×3 or H×W) made ready for comparison."""
    height, width = frame.shape[:2]
    size = (max(1, width // CELL_PX), max(1, height // CELL_PX))
    small = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small
    return Still(np.asarray(grey, np.float32))


def changed(before: Still, now: Still) -> NDArray[np.bool_]:
    """The cells that changed (rows × columns); all of them when the frames differ in size."""
    if before.cells.shape != now.cells.shape:
        return np.ones(now.cells.shape, bool)
    gap = now.cells - before.cells
    gap = gap - np.median(gap)
    return np.asarray(np.abs(gap) > STEP)


def has_changed(before: Still, now: Still) -> bool:
    """Whether enough cells changed to look again."""
    return int(changed(before, now).sum()) >= LEAST_CELLS
