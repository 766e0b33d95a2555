"""One zone in which a card lies face down: whether one lies there, and whether it was moved.

Written rules of this module:
- nothing that lies here is ever read: a card shown by mistake stays its owner's secret;
- a card is told by its size and shape against the bare zone, whatever its back looks like;
- what an arm hides is not judged; a card of the same size that lies as the one before lay is the same;
- a card is gone once the mean of its place is the bare zone's again: in dim light single cells do not tell;
- what the bare zone looks like is learnt: a card stands out from what is around it, the bare zone does not, whichever
  of the two was there at the first look.
Does not belong here: whose card it is, what its moving means.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.arrival import Snap
from referee.vision.laid import Moment
from referee.vision.light import differs
from referee.vision.masks import Mask
from referee.vision.pile import REST_US, Pile
from referee.vision.sightings import BackGone, BackLaid, BackMoved, Sighting
from referee.vision.zone_look import Plane, Read

SEEN_SHARE = 0.9  # of the zone that nothing hides, to judge it
BARE_SHARE = 0.12  # of a card's area that may differ where nothing lies
SIZES = (0.62, 1.45)  # times a card's sides: what lies there is one card
FILLED = 0.72  # of the rectangle about it
MOVED_SHARE = 0.2  # of a card's length
LONGER = 1.15  # long over short side of a card whose long side can be told
MOVED_DEG = 15.0
STILL_US = 200_000  # hands that let go of a card come back to straighten it
LONG_US = 800_000  # what lies still for so long and is as large as this share of a card is one, whatever its outline
LARGE_SHARE = 0.35
ALIKE = 0.6  # of the contrast before: so little of it left, and what is there now is the bare zone
SMOOTH = (3, 3)  # cells: a card has hundreds, and in dim light one alone differs by little more than its noise
SMOOTH_NOISE = 0.6  # of a single cell's noise is left in such a mean at most (a third, were neighbours independent)
STILL_THERE = (
    0.5  # of the mean by which a card's place differed as it came to lie: so much of it left, and it lies there
)
LEAST_CELLS = 12  # of a card's place that nothing hides, to say so
RING_PX = 4  # about what changed, to tell whether it stands out


def _smoothed(plane: Plane) -> Plane:
    """Each cell as the mean of it and its neighbours."""
    return np.asarray(cv2.blur(plane, SMOOTH), np.float32)


def _opened(mask: Mask) -> Mask:
    """Without single cells."""
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0)


@dataclass(frozen=True)
class Lie:
    """Where a card lies in the small picture (pixels), and which way (degrees, 0 to 180; None: without an outline)."""

    x: float
    y: float
    turned_deg: float | None


@dataclass
class FaceDown(Pile):
    """The state of one zone in which a card lies face down."""

    lies: Lie | None = None
    _place: Mask | None = None  # the cells of the card that lies there
    _stands_out: NDArray[np.float64] | None = None  # by how much they differed from the bare zone, in the mean

    def feed(self, moment: Moment, read: Read, may_read: bool = True) -> list[Sighting]:
        """A frame in which something may differ here; nothing is read."""
        assert self.settled is not None
        self.active = True
        stirred = self._stirred(moment)
        self._recent.add(Snap(moment.t_us, moment.thumb, moment.covered, moment.hands), moment.name)
        if stirred or self._still_us is None:
            self._still_us = moment.t_us
        now = moment.thumb.astype(np.float32)
        free = self.body & ~moment.arms
        if moment.t_us - self._still_us < max(REST_US, STILL_US) or self.ground is None:
            return []
        if (self.core & free).sum() < SEEN_SHARE * self.core.sum():
            return []
        self._noise = self._noise_of(now, free, moment.noise)
        sharp = _opened(differs(now, self.ground, 1.4 * self._noise) & free)
        smooth_noise = min(self._noise, max(1.0, SMOOTH_NOISE * self._noise))
        smooth = differs(_smoothed(now), _smoothed(self.ground), smooth_noise) & free
        # What is smoothed is wider by a cell all around.
        other = _opened(cv2.erode(smooth.astype(np.uint8), np.ones(SMOOTH, np.uint8)) > 0) | sharp
        said = self._judge(moment, now, other, moment.t_us - self._still_us)
        self._settle(now, free)
        bare = bool((other & self.core).sum() < BARE_SHARE * self.card_px * self.long_px)
        if self.lies is None and bare and not sharp.any():
            self.ground[free] += 0.1 * (now[free] - self.ground[free])
        if self.lies is None and not said and not bare:
            return said  # something lies there: it is looked at again
        self._done(moment)
        self._rest()
        return said

    def _judge(self, moment: Moment, now: Plane, other: Mask, still_us: int) -> list[Sighting]:
        assert self.ground is not None
        area = self.card_px * self.long_px
        if (other & self.core).sum() < BARE_SHARE * area:
            if self.lies is None or self._is_still_there(now, ~moment.arms):
                return []
            self.lies = None
            return [BackGone(self.zone, *self._when(moment))]
        if self.lies is None and self._is_bare_now(now, other):
            self.ground = now.copy()
            return []
        lie = self._lie(other)
        if lie is None and self.lies is None and still_us >= LONG_US and other.sum() >= LARGE_SHARE * area:
            ys, xs = np.nonzero(other & self.core)
            lie = Lie(float(xs.mean()), float(ys.mean()), None) if len(xs) else None
        if lie is None:
            return []
        before, self.lies = self.lies, lie
        self._place = other & self.core
        self._stands_out = (now[self._place] - self.ground[self._place]).mean(0, dtype=np.float64)
        if before is None:
            return [BackLaid(self.zone, *self._when(moment))]
        by_px = float(np.hypot(lie.x - before.x, lie.y - before.y))
        turned = 0.0
        if lie.turned_deg is not None and before.turned_deg is not None:
            # A square back looks the same after a quarter turn, and which of its sides is longer is chance.
            same_deg = 90.0 if self.long_px < LONGER * self.card_px else 180.0
            turned = abs((lie.turned_deg - before.turned_deg + same_deg / 2) % same_deg - same_deg / 2)
        elif by_px < 2 * MOVED_SHARE * self.long_px:
            return []  # its outline was not seen before, or is not seen now
        if by_px < MOVED_SHARE * self.long_px and turned < MOVED_DEG:
            self.lies = before
            return []
        between, by, chance, frames = self._when(moment)
        return [BackMoved(self.zone, between, by_px / self.long_px, turned, by, chance, frames)]

    def _is_still_there(self, now: Plane, free: Mask) -> bool:
        """Whether the card's place differs from the bare zone in the mean as it did, though few single cells do."""
        if self._place is None or self._stands_out is None or self.ground is None:
            return False
        place = self._place & free
        if place.sum() < LEAST_CELLS:
            return False
        left = (now[place] - self.ground[place]).mean(0, dtype=np.float64)
        whole = float(self._stands_out @ self._stands_out)
        return float(left @ self._stands_out) > STILL_THERE * whole > 0.0

    def _is_bare_now(self, now: Plane, other: Mask) -> bool:
        """Whether what changed stood out from what is about it before, and does not any more: then it was a card, or an
        arm at the first look, and this is the bare zone."""
        assert self.ground is not None
        wide = cv2.dilate(other.astype(np.uint8), np.ones((2 * RING_PX + 1, 2 * RING_PX + 1), np.uint8)) > 0
        ring = wide & ~other
        if ring.sum() < RING_PX or not other.any():
            return False
        contrast = [
            float(np.linalg.norm(np.median(plane[other], axis=0) - np.median(plane[ring], axis=0)))
            for plane in (now, self.ground)
        ]
        return contrast[0] < ALIKE * contrast[1]

    def _when(self, moment: Moment) -> tuple[tuple[int, int], str | None, float, tuple[str, ...]]:
        between = (self.clear_us, moment.t_us if self._still_us is None else self._still_us)
        seat, chance = self._recent.whose(between)
        return between, seat, chance, (moment.name,)

    def _lie(self, other: Mask) -> Lie | None:
        """Where one card lies; None where what lies there has not a card's shape."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(other.astype(np.uint8), connectivity=8)
        if count < 2:
            return None
        largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
        ys, xs = np.nonzero(labels == largest)
        points = np.stack([xs, ys], 1).astype(np.float32)
        hull = cv2.convexHull(points)
        (x, y), (width, height), turned = cv2.minAreaRect(hull)
        sides = sorted((width + 1.0, height + 1.0))
        fits = SIZES[0] * self.card_px < sides[0] < SIZES[1] * self.card_px
        fits = fits and SIZES[0] * self.long_px < sides[1] < SIZES[1] * self.long_px
        filled = (cv2.contourArea(hull) + len(xs) ** 0.5) / max(1.0, width * height)
        if not fits or filled < FILLED:
            return None
        return Lie(float(x), float(y), float(turned if width > height else turned + 90.0) % 180.0)
