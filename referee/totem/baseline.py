"""From raw counts to what lies above the untouched reading: baseline, noise and spikes, scan by scan.

Belongs here: the level each electrode has when nobody is near, how much it scatters, the removal of
single-sample spikes, and which scans are warm (something is near or on the totem). Does not belong here: what
the warmth is (contacts.py) and how scans are grouped (scrambles.py).

Rules: the level moves only while the totem is cold, and what it learns from lies a quarter of a second
back, so
that a slowly approaching hand does not become part of it. A reading that falls below its level is believed
quickly: no skin makes a reading smaller.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Least scatter that is believed, counts: an electrode that never moves is quantised, not noiseless.
LEAST_NOISE = 0.8
# Warm: this many standard deviations and at least this many counts above the level (calibration may say another).
WARM_SIGMAS = 5.0
WARM_COUNTS = 6.0
# The level follows with this time constant, and from blocks this old.
FOLLOW_US = 700_000
DELAY_US = 250_000


class Baseline:
    """The untouched level and noise of each electrode, learnt while the totem is cold."""

    def __init__(self, electrodes: int, warm_counts: float = WARM_COUNTS) -> None:
        self.electrodes = electrodes
        self._warm_counts = warm_counts
        self.level = np.zeros(electrodes, np.float32)
        self.noise = np.full(electrodes, 2.0, np.float32)
        self._variance = np.zeros(electrodes, np.float32)
        self._learnt_us = 0
        self._waiting: deque[tuple[int, Floats]] = deque()
        self._below = np.zeros(electrodes, np.int32)

    @property
    def started(self) -> bool:
        """Whether a level is known at all."""
        return self._learnt_us > 0

    def start(self, counts: Floats, span_us: int) -> None:
        """Take the first readings (n, E) as untouched."""
        self.level = np.median(counts, axis=0).astype(np.float32)
        spread = np.abs(counts - self.level)
        self._variance = (np.median(spread, axis=0) * 1.4826).astype(np.float32) ** 2
        self._learnt_us = max(span_us, 1)
        self._set_noise()

    def above(self, counts: Floats) -> Floats:
        """Readings above the level, (n, E)."""
        return counts - self.level

    def threshold(self) -> Floats:
        """Counts above the level from which an electrode is warm, (E)."""
        return np.asarray(np.maximum(WARM_SIGMAS * self.noise, self._warm_counts), np.float32)

    def learn(self, counts: Floats, end_us: int, span_us: int) -> None:
        """A cold block of readings (n, E) that ended at `end_us`: follow it, with delay."""
        middle = middle_of(counts)
        if len(counts) >= 4:
            # Mains pickup belongs to the scatter; drift within a block does not matter.
            variance = np.mean((counts - middle) ** 2, axis=0, dtype=np.float32)
            share = np.float32(min(1.0, span_us / 400_000))
            calm = np.minimum(variance, 9.0 * self._variance + 4.0)
            self._variance += share * (calm - self._variance)
            self._set_noise()
        self._waiting.append((end_us, middle))
        while self._waiting and self._waiting[0][0] <= end_us - DELAY_US:
            _, old = self._waiting.popleft()
            share = np.float32(1.0 - np.exp(-span_us / FOLLOW_US))
            self.level += share * (old - self.level)
        under = middle < self.level - self.threshold()
        self._below = np.where(under, self._below + 1, 0).astype(np.int32)
        lost = self._below >= 4
        if lost.any():
            self.level[lost] = middle[lost]

    def rest(self, counts: Floats) -> None:
        """Readings (n, E) are the untouched state from now on (after a touch, or a spill that stays)."""
        self.level = middle_of(counts)
        self.hold()

    def hold(self) -> None:
        """A touch began: forget what was waiting to be learnt."""
        self._waiting.clear()
        self._below[:] = 0

    def _set_noise(self) -> None:
        self.noise = np.sqrt(np.maximum(self._variance, np.float32(LEAST_NOISE**2))).astype(np.float32)


def middle_of(rows: Floats) -> Floats:
    """The middle value of each column of (n, E): a median without the cost of averaging two."""
    at = len(rows) // 2
    return np.asarray(np.partition(rows, at, axis=0)[at], np.float32)


def without_spikes(counts: Floats) -> Floats:
    """Median of three scans around each inner scan: (n, E) to (n - 2, E)."""
    before, here, after = counts[:-2], counts[1:-1], counts[2:]
    low, high = np.minimum(before, after), np.maximum(before, after)
    return np.asarray(np.minimum(np.maximum(here, low), high))
