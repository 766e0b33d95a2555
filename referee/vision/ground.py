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

Mask = NDArray[np.bool_]
Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

WIDTH_CELLS = 240
MOTION_STEP = 9  # grey levels a cell changes by from frame to frame where something moves
QUIET_STEP = 10  # grey levels within which a cell is taken for unchanged without looking closer
COLOUR_STEP = 10.0  # grey levels off the line through black on which light alone moves a colour
LIGHT_STEP = 18.0
BRIGHTER, DARKER = 1.22, 0.42  # times the light that a moving shadow or a lamp make
DETAIL_STEP = 9.0  # grey levels of fine structure that light alone does not make
LEAST_CELLS = 5
LEARN = 0.05
OBJECT_RESTS_US = 500_000
ARM_RESTS_US = 12_000_000
GAIN_STEP = 0.015


def differs(now: Plane, before: Plane, noise: float = 1.0) -> Mask:
    """Where two pictures (H×W×3, the same size) differ by more than light.

    `noise` scales the thresholds: 1 for means over a cell of a dozen pixels or more.
    """
    nn = np.einsum("ijk,ijk->ij", now, now)
    bb = np.einsum("ijk,ijk->ij", before, before) + 1.0
    nb = np.einsum("ijk,ijk->ij", now, before)
    ratio = nb / bb
    off = np.maximum(nn - nb * ratio, 0.0)
    gap = nn + bb - 2 * nb
    other_colour = off > (COLOUR_STEP * noise) ** 2
    other_light = ((ratio > BRIGHTER) | (ratio < DARKER)) & (gap > 3 * (LIGHT_STEP * noise) ** 2)
    grey_now, grey_before = now.mean(2), before.mean(2)
    detail = (grey_now - cv2.blur(grey_now, (3, 3))) - ratio * (grey_before - cv2.blur(grey_before, (3, 3)))
    return np.asarray(other_colour | other_light | (np.abs(detail) > DETAIL_STEP * noise))


@dataclass(frozen=True)
class Change:
    """One frame against what lies still: `other` where it differs, `moving` where it moved since the frame before
    (rows × columns of cells). `quiet` when neither has anything."""

    other: Mask
    moving: Mask
    quiet: bool


class Ground:
    """What lies still, as a small picture, kept up frame by frame."""

    def __init__(self, size: tuple[int, int]) -> None:
        """`size` is the frames' width and height in pixels."""
        self.size = size
        self.cell = max(1, round(size[0] / WIDTH_CELLS))
        self.columns, self.rows = size[0] // self.cell, size[1] // self.cell
        self.calm: Plane | None = None
        self._calm_grey: Picture | None = None
        self._under: Plane | None = None
        self._last: Picture | None = None
        self._since = np.zeros((self.rows, self.columns), np.int64)
        self._nothing = np.zeros((self.rows, self.columns), bool)
        self._gain: Plane | None = None

    def small(self, picture: Picture) -> Picture:
        """The small picture of a frame."""
        whole = picture[: self.rows * self.cell, : self.columns * self.cell]
        return np.asarray(cv2.resize(whole, (self.columns, self.rows), interpolation=cv2.INTER_AREA), np.uint8)

    def feed(self, picture: Picture, t_us: int) -> Change:
        """Compare a frame with what lies still; the first frame is what lies still."""
        small = self.small(picture)
        if self.calm is None or self._last is None or self._calm_grey is None:
            self.calm = small.astype(np.float32)
            self._under = self.calm.copy()
            self._calm_grey, self._last = small, small
            self._since[:] = t_us
            return Change(self._nothing, self._nothing, True)
        quiet = int(cv2.absdiff(small, self._calm_grey).max()) <= QUIET_STEP
        if quiet:
            self._last = small
            cv2.accumulateWeighted(small, self.calm, LEARN)
            self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)
            return Change(self._nothing, self._nothing, True)
        self._follow_exposure(small)
        moving = cv2.absdiff(small, self._last).max(2) > MOTION_STEP
        other = self._other(small)
        self._last = small
        self._since[moving] = t_us
        self._learn(small, other)
        return Change(other, moving, not (other.any() or moving.any()))

    def _follow_exposure(self, small: Picture) -> None:
        assert self.calm is not None and self._under is not None
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

    def _other(self, small: Picture) -> Mask:
        assert self.calm is not None
        other = differs(small.astype(np.float32), self.calm).astype(np.uint8)
        other = np.asarray(cv2.morphologyEx(other, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
        outlines, _ = cv2.findContours(other, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        filled = np.zeros_like(other)
        cv2.drawContours(filled, [o for o in outlines if len(o) > 2 or cv2.contourArea(o) > 1], -1, 1, -1)
        n, labels, stats, _ = cv2.connectedComponentsWithStats(filled, connectivity=8)
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
        large[0] = False
        return np.asarray(large[labels])

    def _learn(self, small: Picture, other: Mask) -> None:
        assert self.calm is not None and self._under is not None
        free = cv2.dilate(other.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
        cv2.accumulateWeighted(small, self.calm, LEARN, mask=free.astype(np.uint8))
        self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)

    def rest(self, other: Mask, t_us: int) -> None:
        """Learn what has been lying still for long; `other` as `feed` gave it."""
        assert self.calm is not None and self._under is not None and self._last is not None
        if not other.any():
            return
        n, labels = cv2.connectedComponents(other.astype(np.uint8), connectivity=8)
        edge = np.zeros(n, bool)
        for line in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
            edge[line] = True
        for label in range(1, n):
            part = labels == label
            needed = ARM_RESTS_US if edge[label] else OBJECT_RESTS_US
            if t_us - int(self._since[part].max()) >= needed:
                self.learn(part)

    def learn(self, part: Mask) -> None:
        """From now on the last frame is what lies still in these cells."""
        assert self.calm is not None and self._under is not None and self._last is not None
        self._under[part] = self.calm[part]
        self.calm[part] = self._last[part]
        self._calm_grey = np.asarray(cv2.convertScaleAbs(self.calm), np.uint8)

    def recover(self, other: Mask) -> Mask:
        """The cells of `other` that look again as they did before something rested there; they are learned back."""
        assert self.calm is not None and self._under is not None and self._last is not None
        back = other & ~differs(self._last.astype(np.float32), self._under)
        if back.any():
            self.calm[back], self._under[back] = self._under[back], self.calm[back]
        return back
