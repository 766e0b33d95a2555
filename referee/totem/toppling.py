"""Who felled the totem: whether skin was felt just before it tipped over, and by the seat pads whose.

Belongs here: the scans from shortly before the totem begins to tip until it leans. Does not belong here: whether it
fell (motion.py, touch.py), hands that closed on it (hands.py), what the camera saw.

Rules: skin that was felt and cannot be named stays skin without a name; only where next to nothing was felt is it said
that no skin was there. A seat is named as for a hand: a tenth of a touch at least, twice the next seat's answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.totem.seats import seat_felt
from referee.totem.touch import Segment

Floats = NDArray[np.float32]

# A totem that is pushed over leans within some 40 ms of the push; until it leans so far its readings can be believed.
PUSH_US = 100_000
TIPPING_DEG = 20.0
TIP_NOISE, TIP_LEAST_DEG = 5.0, 1.5
# Readings are believed as the mean of so long; where no electrode reads more than this, nobody's skin was there.
FELT_US = 5_000
NOTHING_SIGMAS, NOTHING_COUNTS = 4.0, 4.0
LEAST_SCANS = 6  # with fewer nothing is known


@dataclass(frozen=True)
class Toppler:
    """What was felt before a fall: whether there may have been `skin`, and whose by the seat pads; None: not known."""

    skin: bool
    player: str | None = None


def toppler(segment: Segment, fell_us: int) -> Toppler:
    """What was felt before the totem of a segment passed 45 degrees at `fell_us`."""
    begin, end = push(segment, fell_us)
    if end - begin < LEAST_SCANS:
        return Toppler(True)
    least = np.maximum(NOTHING_SIGMAS * segment.noise, NOTHING_COUNTS)
    if not (felt_at_most(segment, begin, end) > least).any():
        return Toppler(False)
    return Toppler(True, seat_felt(segment, begin, end))


def push(segment: Segment, fell_us: int) -> tuple[int, int]:
    """The scans (from, to) in which the totem was pushed: from shortly before it begins to lean until it leans."""
    t, lean = segment.t_us, np.abs(segment.tilt_deg - segment.rest.lean_deg)
    fell = int(np.searchsorted(t, fell_us))
    calm = np.nonzero(lean[:fell] <= max(TIP_NOISE * segment.rest.noise_deg, TIP_LEAST_DEG))[0]
    tips = int(calm[-1]) if len(calm) else 0
    leaning = np.nonzero(lean[tips:fell] > TIPPING_DEG)[0]
    end = tips + int(leaning[0]) if len(leaning) else fell
    return int(np.searchsorted(t, t[min(tips, len(t) - 1)] - PUSH_US)), end


def felt_at_most(segment: Segment, begin: int, end: int) -> Floats:
    """The strongest reading of each electrode (E) in some scans, as means over `FELT_US`."""
    period = float(np.median(np.diff(segment.t_us))) if len(segment.t_us) > 1 else 1000.0
    span = max(1, min(round(FELT_US / period), end - begin))
    sums = np.cumsum(segment.above[begin:end], axis=0, dtype=np.float64)
    means = np.concatenate([sums[span - 1 : span], sums[span:] - sums[:-span]]) / span
    return np.asarray(means.max(axis=0), np.float32)
