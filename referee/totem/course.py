"""How each electrode's reading went around a moment: means over frames that widen away from it.

Belongs here: the frames and the means. Does not belong here: what moment is meant, and what the course says.

A finger lands within a millisecond, a hand's fingers within a tenth of a second. So the frames are 1 ms long at the
moment itself and tens of milliseconds far from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# fmt: off
EDGES_US = np.array([
    -90_000, -60_000, -42_000, -30_000, -22_000, -16_000, -11_500, -8_500, -6_500, -4_500, -3_000, -2_000, -1_000, 0,
    1_000, 2_000, 3_000, 4_500, 6_500, 8_500, 11_500, 16_000, 22_000, 30_000, 42_000, 60_000, 90_000, 130_000, 180_000,
], np.int64)
# fmt: on
FRAMES = len(EDGES_US) - 1


@dataclass(frozen=True)
class Course:
    """Readings of a touch for quick means: `times` (n), `rows` (n, E), `sums` (n + 1, E) of the rows before."""

    times: NDArray[np.int64]
    rows: Floats
    sums: NDArray[np.float64]

    def around(self, at_us: int) -> Floats:
        """Mean reading of each electrode in each frame around `at_us`, (FRAMES, E).

        A frame without a scan (slow scanning, lost scans, before the first or after the last scan) takes the scan
        before it.
        """
        cuts = np.searchsorted(self.times, at_us + EDGES_US, side="right")
        begin, end = cuts[:-1], cuts[1:]
        many = end - begin
        means = (self.sums[end] - self.sums[begin]) / np.maximum(many, 1)[:, None]
        nearest = np.clip(end - 1, 0, len(self.times) - 1)
        return np.where(many[:, None] > 0, means, self.rows[nearest]).astype(np.float32)


def course_of(times: NDArray[np.int64], rows: Floats) -> Course:
    """The course of readings (n, E) at `times` (n)."""
    sums = np.zeros((len(rows) + 1, rows.shape[1]), np.float64)
    np.cumsum(rows, axis=0, dtype=np.float64, out=sums[1:])
    return Course(times, rows, sums)
