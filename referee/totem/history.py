"""The scans the detector still needs: those of the touch that is going on, and the last second or so.

Belongs here: blocks of cleaned scans in time, and forgetting them: memory stays bounded. Does not belong here: when a
touch begins and ends (scrambles.py), what is read of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.totem.stream import Scans, join

Floats = NDArray[np.float32]

# A fall is told some 700 ms after the push that caused it; the seat pads are compared with how they were before.
LATELY_US, FALL_PUSH_US = 1_600_000, 500_000


@dataclass(frozen=True)
class Block:
    """A block of cleaned scans: readings above the baseline (n, E), and the scans they belong to."""

    scans: Scans
    above: Floats


class History:
    """Blocks kept for the touch that is going on (`kept`), and all of the last `LATELY_US`."""

    def __init__(self) -> None:
        self.kept: list[Block] = []
        self._lately: deque[Block] = deque()

    def add(self, scans: Scans, above: Floats) -> None:
        """One more block."""
        self.kept.append(Block(scans, above))
        self._lately.append(self.kept[-1])
        while self._lately[0].scans.t_us[-1] < scans.t_us[-1] - LATELY_US:
            self._lately.popleft()

    def drop_before(self, t_us: int) -> None:
        """What ended before that moment is kept no longer."""
        drop = 0
        while drop < len(self.kept) - 1 and self.kept[drop].scans.t_us[-1] < t_us:
            drop += 1
        del self.kept[:drop]

    def forget_touch(self) -> None:
        """What is left of a touch that was closed is no part of the next one; a fall may still come of it."""
        self.kept = [replace(block, above=np.zeros_like(block.above)) for block in self.kept]

    def about_fall(self, t_us: int) -> Sequence[Block]:
        """The blocks that tell who felled the totem: the last ones, unless it fell long ago."""
        return self._lately if self._lately[0].scans.t_us[0] <= t_us - FALL_PUSH_US else self.kept


def whole(blocks: Sequence[Block]) -> tuple[Scans, Floats]:
    """Blocks as one run of scans, and their readings above the baseline."""
    return join([block.scans for block in blocks]), np.concatenate([block.above for block in blocks])
