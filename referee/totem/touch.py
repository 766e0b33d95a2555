"""One stretch of scans during which something was at the totem, and the touches in it.

Belongs here: the values handed from the stream (scrambles.py) to those who look for hands in it, and
cutting a
stretch where skin was gone for a while. Does not belong here: what a touch consists of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from referee.totem.motion import FALLEN_DEG, LYING_DEG, Rest
from referee.totem.trace import Layout

Floats = NDArray[np.float32]

# Below this share of the touches before and after it, a lull separates two touches if it lasts this long.
LULL_SHARE = 0.3
LULL_US = 50_000
TOUCH_SIGMAS = 8.0
# Held is what is felt at this share of the peak: lower, a hand that nears and leaves would count as longer there.
HELD_SHARE = 0.5
LIES_US = 400_000
# What lies keeps its lean; what is carried sways by more than this, degrees, in any such time.
LIES_STEADY_DEG = 5.0
# Readings that have drifted far look like a hand's; so still for so long no hand holds it.
LIES_LONG_US, LIES_LONG_STEADY_DEG = 1_000_000, 2.0
TOUCH_COUNTS = 10.0


@dataclass(frozen=True)
class Known:
    """What is known of a player beforehand: usual `coupling` of the seat, mm from finger to finger; 0: unknown."""

    coupling: float = 0.0
    pitch_mm: float = 0.0


@dataclass(frozen=True)
class Segment:
    """Cleaned scans around a warm stretch: `above` (N, E) counts over the baseline, `noise` (E) their
    scatter.

    `known` players are those who took the totem before the game (enrol.py).
    `seat_index` (N) and `seat_delta` (N, E) are there where seat pads are; `yaw_deg` (N) where it is
    measured.
    """

    t_us: NDArray[np.int64]
    above: Floats
    tilt_deg: Floats
    noise: Floats
    rest: Rest
    layout: Layout
    seat_names: tuple[str, ...] = ()
    seat_index: NDArray[np.int8] | None = None
    seat_delta: Floats | None = None
    yaw_deg: Floats | None = None
    known: Mapping[str, Known] = field(default_factory=dict)


@dataclass(frozen=True)
class Touch:
    """Scans `start` to `stop` (exclusive) of a segment, with skin near; `peak` counts, `held_us` at
    strength.
    """

    segment: Segment
    start: int
    stop: int
    peak: float
    held_us: int

    @property
    def t_us(self) -> NDArray[np.int64]:
        """Times of the whole segment's scans."""
        return self.segment.t_us


def split_touches(segment: Segment, from_us: int) -> list[Touch]:
    """The touches of a segment from `from_us` on, in order."""
    t = segment.t_us
    first = max(int(np.searchsorted(t, from_us)) - 3, 0)
    strongest = segment.above[first:].max(axis=1)
    if not len(strongest):
        return []
    least = max(TOUCH_SIGMAS * float(np.median(segment.noise)), TOUCH_COUNTS)
    left = np.maximum.accumulate(strongest)
    right = np.maximum.accumulate(strongest[::-1])[::-1]
    low = strongest < np.maximum(LULL_SHARE * np.minimum(left, right), np.minimum(least, left))
    cuts = [first]
    edges = np.nonzero(np.diff(np.concatenate([[False], low, [False]]).astype(np.int8)))[0].reshape(-1, 2)
    for begin, end in edges:
        if begin > 0 and end < len(low) and t[first + end - 1] - t[first + begin] >= LULL_US:
            cuts.append(first + int(begin + end) // 2)
    cuts.append(len(t))
    touches = []
    for begin, end in pairwise(cuts):
        part = strongest[begin - first : end - first]
        hot = np.nonzero(part > least)[0]
        if len(hot) < 2:
            continue
        peak = float(np.percentile(part[hot], 95))
        strong = np.nonzero(part > HELD_SHARE * peak)[0]
        held = int(t[begin + strong[-1]] - t[begin + strong[0]])
        touches.append(Touch(segment, begin + int(hot[0]), begin + int(hot[-1]) + 1, peak, held))
    return touches


def fall_within(segment: Segment) -> int | None:
    """Scan at which the totem passed 45 degrees before it lay there with no hand on it; None: it did not.

    For a stretch that stayed warm (wet, or stood up again at once) while the totem had fallen in it. A winner whose
    skin is felt much less than the others' may carry it as far over as a lying one, but not as still, and nobody as
    still for long.
    """
    strongest = segment.above.max(axis=1)
    least = max(TOUCH_COUNTS, LULL_SHARE * float(np.percentile(strongest, 98)))
    leans = segment.tilt_deg > LYING_DEG
    for lies, for_us, within_deg in (
        (leans & (strongest < least), LIES_US, LIES_STEADY_DEG),
        (leans, LIES_LONG_US, LIES_LONG_STEADY_DEG),
    ):
        edges = np.nonzero(np.diff(np.concatenate([[False], lies, [False]]).astype(np.int8)))[0].reshape(-1, 2)
        for begin, end in edges:
            if lies_still(segment.t_us[begin:end], segment.tilt_deg[begin:end], for_us, within_deg):
                under = np.nonzero(segment.tilt_deg[:begin] < FALLEN_DEG)[0]
                return int(under[-1]) + 1 if len(under) else 0
    return None


def lies_still(t_us: NDArray[np.int64], tilt_deg: Floats, for_us: int, within_deg: float) -> bool:
    """Whether the lean changes by no more than `within_deg` for `for_us` somewhere in these scans (jolts aside)."""
    if not len(t_us):
        return False
    begins = np.searchsorted(t_us, np.arange(t_us[0], t_us[-1] - for_us + 1, for_us // 4))
    for begin in begins:
        end = int(np.searchsorted(t_us, t_us[begin] + for_us, side="right"))
        low, high = np.percentile(tilt_deg[begin:end], (5.0, 95.0))
        if high - low <= within_deg:
            return True
    return False
