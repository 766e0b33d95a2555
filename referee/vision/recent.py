"""The last seconds of one zone: its small pictures, and what follows from them about a moment that has passed.

Belongs here: keeping the frames, bounded in time, and looking back in them. Does not belong here: what lies there
(`pile`), when a card came (`arrival`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.vision.arrival import Snap
from referee.vision.light import apart
from referee.vision.masks import Mask

Plane = NDArray[np.float32]

HISTORY_US = 5_000_000
BY_US = 100_000  # about an event: hands seen so near in time did it
NOBODY = ""  # in a frame's hands: something as large as an arm that is nobody's
STILL_THERE = 0.25  # of what tells a card from what is there now


@dataclass
class Recent:
    """The frames of a zone since something began to happen there, for five seconds at most."""

    _snaps: deque[Snap] = field(default_factory=deque)
    _names: deque[tuple[int, str]] = field(default_factory=deque)

    @property
    def snaps(self) -> Sequence[Snap]:
        """The frames, oldest first."""
        return tuple(self._snaps)

    @property
    def last(self) -> Snap | None:
        """The newest frame."""
        return self._snaps[-1] if self._snaps else None

    def add(self, snap: Snap, name: str) -> None:
        """A frame, and what it is called."""
        self._snaps.append(snap)
        self._names.append((snap.t_us, name))
        while snap.t_us - self._snaps[0].t_us > HISTORY_US:
            self._snaps.popleft()
        while snap.t_us - self._names[0][0] > HISTORY_US:
            self._names.popleft()

    def forget(self) -> None:
        """Nothing happens there any more."""
        self._snaps.clear()
        self._names.clear()

    def forget_before_last(self) -> None:
        """What came before the newest frame has been said; frames may still be named."""
        while len(self._snaps) > 1:
            self._snaps.popleft()

    def frame_at(self, t_us: int) -> str:
        """The name of the frame nearest to a moment."""
        return min(self._names, key=lambda f: abs(f[0] - t_us), default=(0, ""))[1]

    def whose(self, between_us: tuple[int, int]) -> tuple[str | None, float]:
        """The seat whose hand was here when something happened, and how likely it was.

        No seat where most of what was here was something large that nobody is known by.
        """
        most: dict[str, float] = {}
        for snap in self._snaps:
            if between_us[0] - BY_US <= snap.t_us <= between_us[1] + BY_US:
                for seat, chance in snap.hands.items():
                    most[seat] = most.get(seat, 0.0) + chance
        if not most:
            return None, 0.0
        seat = max(most, key=lambda s: most[s])
        if seat == NOBODY:
            return None, 0.0
        return seat, most[seat] / max(1e-9, sum(most.values()))

    def lost(self, now: Plane, before: Plane, quad: Mask, step: float) -> tuple[int | None, int | None]:
        """The last frame in which what lay in `quad` could be seen as it was `before`, and the first one after it.

        `step` are the grey levels by which it is told from `now`; None where there is no such frame.
        """
        told = quad & (apart(now, before) > step)
        count = max(1, int(told.sum()))
        last_us, after_us = None, None
        for snap in self._snaps:
            like = apart(snap.picture.astype(np.float32), before) < step
            if (like & told).sum() > STILL_THERE * count:
                last_us, after_us = snap.t_us, None
            elif after_us is None:
                after_us = snap.t_us
        return last_us, after_us
