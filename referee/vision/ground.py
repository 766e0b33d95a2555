"""What lies still on the table, learned from the pictures themselves, and where a picture differs from it.

Written rules of this module:
- nothing knows what skin, cloth or wood look like: whatever is not what lay still there before is a change;
- a change of light is no change: darker with the same colour and the same fine structure is a shadow, and the
  whole picture's brightness (automatic exposure, white balance) is taken out channel by channel;
- it works on a small picture (`WIDTH_CELLS` wide), and a frame without any change costs a resize and a difference;
- what comes in from the picture's edge is learned only after a long rest, and what lay there before is kept, so
  that a resting arm that goes away leaves no trace.
Does not belong here: what a change is (hands, cards).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.halves import shrunk
from referee.vision.light import apart, covers, fine_noise_of, largest
from referee.vision.masks import Mask, count

Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

WIDTH_CELLS = 240
MOTION_STEP = 9  # grey levels a cell changes by from frame to frame where something moves
QUIET_STEP = 10  # grey levels within which a cell is taken for unchanged without looking closer
LEAST_STEP = 3
NEAR_STEP, AROUND_CELLS = 4, 3  # grey levels within which a cell differs by no more than light; looked at around others
USUAL_BRIGHTNESS = 75.0  # grey levels, for which the thresholds hold
DARKEST = 0.3
GRAIN_STEP = 6  # grey levels between two frames beyond which it is motion and no grain
GRAIN_RISE, GRAIN_FALL = 0.01, 0.2
GRAIN_FACTOR = 0.55  # of the grain's mean: keeps the thresholds at six standard deviations of it
LEAST_CELLS = 5
LARGEST_HOLE = 60  # cells: a hole so small in a change belongs to it
LEARN = 0.05
LEARN_LIGHT = 0.002
OBJECT_RESTS_US = 500_000
ARM_RESTS_US = 12_000_000
GAIN_STEP = 0.015


@dataclass(frozen=True)
class Change:
    """One frame against what lies still: `other` where it differs, `moving` where it moved since the frame before
    (rows × columns of cells). `quiet` when neither has anything."""

    other: Mask
    moving: Mask
    quiet: bool


class Ground:
    """What lies still, as a small picture, kept up frame by frame."""

    def __init__(self, picture: Picture, t_us: int) -> None:
        """The first frame is what lies still."""
        self.size = (picture.shape[1], picture.shape[0])
        self.cell = max(1, round(self.size[0] / WIDTH_CELLS))
        self.columns, self.rows = self.size[0] // self.cell, self.size[1] // self.cell
        self._last = self.small(picture)
        self.calm: Plane = self._last.astype(np.float32)
        self._calm_grey = self._last
        self._under = self.calm.copy()
        self._first = self.calm.copy()
        self._since = np.full((self.rows, self.columns), t_us, np.int64)
        self._rested = np.zeros((self.rows, self.columns), bool)
        self._nothing = np.zeros((self.rows, self.columns), bool)
        self._gain: Plane | None = None
        self._grain = self._fine_noise = 0.0
        self._brightness = float(self.calm.mean())
        self.noise = self.noise_of(self.cell**2)

    @property
    def last(self) -> Picture:
        """The newest frame's small picture."""
        return self._last

    def small(self, picture: Picture, half: Picture | None = None) -> Picture:
        """The small picture of a frame, by way of its half where there is one."""
        height, width = self.rows * self.cell, self.columns * self.cell
        part = picture[:height, :width]
        if half is not None and self.cell >= 4 and height % 2 == width % 2 == 0:
            part = half[: height // 2, : width // 2]
        return shrunk(part, (self.columns, self.rows))

    def feed(self, picture: Picture, t_us: int, half: Picture | None = None) -> Change:
        """Compare a frame with what lies still; `half` is the picture at half its size."""
        small = self.small(picture, half)
        quiet = int(cv2.absdiff(small, self._calm_grey).max()) <= max(LEAST_STEP, QUIET_STEP * self.noise)
        if quiet:
            self._last = small
            cv2.accumulateWeighted(small, self.calm, LEARN)
            self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)
            return Change(self._nothing, self._nothing, True)
        self._follow_exposure(small)
        step = cv2.absdiff(small, self._last)
        grain = float(step[step < GRAIN_STEP].mean()) if step.min() < GRAIN_STEP else GRAIN_STEP
        # Shadows that move make it look coarser than it is: it falls at once and rises slowly.
        self._grain += (GRAIN_RISE if grain > self._grain else GRAIN_FALL) * (grain - self._grain)
        self._brightness = float(self.calm.mean())
        self.noise = self.noise_of(self.cell**2)
        self._fine_noise = fine_noise_of(small.astype(np.float32), self.calm)
        moving = largest(step) > MOTION_STEP * self.noise
        gap = apart(small, self._calm_grey)
        other = self._other(small, gap)
        self._last = small
        self._since[moving] = t_us
        self._learn(small, other, gap)
        return Change(other, moving, not (other.any() or moving.any()))

    def noise_of(self, pixels: float) -> float:
        """What thresholds are to be taken times where so many pixels are averaged: in a dark picture everything differs
        by less, down to the grain."""
        bright = min(1.0, max(DARKEST, self._brightness / USUAL_BRIGHTNESS))
        return float(max(bright, GRAIN_FACTOR * self._grain * self.cell / np.sqrt(pixels)))

    def _follow_exposure(self, small: Picture) -> None:
        some = np.s_[1::4, 1::4]
        now, before = small[some].reshape(-1, 3).astype(np.float32), self.calm[some].reshape(-1, 3)
        gain = np.median((now + 4) / (before + 4), axis=0)
        if np.abs(gain - 1).max() > GAIN_STEP and np.all((gain > 0.4) & (gain < 2.5)):
            self.calm *= gain
            self._under *= gain
            self._gain = gain if self._gain is None else self._gain * gain

    def take_gain(self) -> Plane | None:
        """By how much each channel has become brighter since this was last asked (3); None when it has not."""
        gain, self._gain = self._gain, None
        return gain

    def _other(self, small: Picture, gap: Picture) -> Mask:
        """Where a small picture differs from what lies still, `gap` (rows × columns) by how much at most."""
        found = np.zeros((self.rows, self.columns), bool)
        # Only about what is some way off can anything differ by more than light.
        left, top, wide, high = cv2.boundingRect((gap > NEAR_STEP * self.noise).astype(np.uint8))
        if not wide:
            return found
        rows = slice(max(0, top - AROUND_CELLS), top + high + AROUND_CELLS)
        columns = slice(max(0, left - AROUND_CELLS), left + wide + AROUND_CELLS)
        now, before = small[rows, columns].astype(np.float32), np.ascontiguousarray(self.calm[rows, columns])
        first = np.ascontiguousarray(self._first[rows, columns])
        other = covers(now, before, first, self.noise, self._fine_noise).astype(np.uint8)
        other = np.asarray(cv2.morphologyEx(other, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
        _, parts, sizes, _ = cv2.connectedComponentsWithStats(1 - other, connectivity=4)
        holes = np.asarray(parts, np.intp)
        small_holes = sizes[:, cv2.CC_STAT_AREA] < LARGEST_HOLE
        # What goes on outside the part looked at is no hole.
        inner = ((rows.start, holes[0]), (columns.start, holes[:, 0]))
        outer = ((self.rows - rows.stop, holes[-1]), (self.columns - columns.stop, holes[:, -1]))
        for outside, line in (*inner, *outer):
            if outside > 0:
                small_holes[line] = False
        other = np.asarray(other | small_holes.take(holes), np.uint8)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(other, connectivity=8, ltype=cv2.CV_16U)
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
        large[0] = False
        found[rows, columns] = large.take(np.asarray(labels, np.intp))
        return found

    def _learn(self, small: Picture, other: Mask, gap: Picture) -> None:
        free = cv2.dilate(other.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
        alike = gap <= 2 * QUIET_STEP * self.noise
        # A shadow that passes is no new ground; one that stays is, in the end.
        cv2.accumulateWeighted(small, self.calm, LEARN, mask=(free & alike).astype(np.uint8))
        cv2.accumulateWeighted(small, self.calm, LEARN_LIGHT, mask=(free & ~alike).astype(np.uint8))
        self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)

    def rest(self, other: Mask, t_us: int) -> None:
        """Learn what has been lying still for long; `other` as `feed` gave it."""
        if not other.any():
            return
        n, labels = cv2.connectedComponents(other.astype(np.uint8), connectivity=8)
        edge = np.zeros(n, bool)
        for line in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
            edge[line] = True
        for label in range(1, n):
            part = labels == label
            if edge[label]:
                # Cell by cell: what an arm left behind must not live on because a card is turned beside it.
                still = part & (t_us - self._since >= ARM_RESTS_US)
                if still.sum() >= LEAST_CELLS:
                    self.learn(still)
            elif t_us - int(self._since[part].max()) >= OBJECT_RESTS_US:
                self.learn(part)

    def learn(self, part: Mask) -> None:
        """From now on the last frame is what lies still in these cells."""
        self._under[part] = self.calm[part]
        self._rested |= part
        self.calm[part] = self._last[part]
        self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)

    def recover(self, other: Mask) -> Mask:
        """The cells of `other` that look again as they did before something rested there; they are learned back."""
        asked = other & self._rested
        if count(asked) < LEAST_CELLS:
            return np.zeros_like(other)
        rows, columns = np.flatnonzero(asked.any(1)), np.flatnonzero(asked.any(0))
        box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        back, now = np.zeros_like(other), self._last[box].astype(np.float32)
        first = np.ascontiguousarray(self._first[box])
        back[box] = asked[box] & ~covers(now, self._under[box], first, self.noise, self._fine_noise)
        if back.any():
            self.calm[back], self._under[back] = self._under[back], self.calm[back]
            self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)
        return back
