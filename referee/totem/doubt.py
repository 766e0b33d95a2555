"""From likelihoods to what is printed: one number where it is sure, an interval where it is not.

Belongs here: finger counts and heights. Does not belong here: where the likelihoods come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# The network's chances are raised to a power to come true as said: above 1 for a hand that is clearly divided from the
# others, less the more of its skin is in doubt or claimed by another hand too (scripts/calibrate_doubt.py).
FINGERS_SHARPER, LESS_IN_DOUBT, LESS_CONTESTED = 1.5, 0.5, 1.3
LEAST_POWER, MOST_POWER = 0.3, 2.0
# Electrodes with less than this share of the strongest say little about the division.
PRESSED_SHARE = 0.15
# One finger count is printed when it is this likely; otherwise the shortest run of counts that holds so much. Chosen on
# recordings that no lesson had, so that what is printed holds the truth for some 96 % of the hands found.
FINGERS_SURE = 0.88
FINGERS_INSIDE = 0.995
# Intervals that meet are parted where each hand keeps this much of its chances.
ORDER_SURE = 0.93
LOWEST_INSIDE = 0.92


@dataclass(frozen=True)
class Division:
    """How surely a hand's skin is told from the others': shares of it, 0 for a hand that lies clearly apart.

    `in_doubt`: as likely not its own as its own counts half; `contested`: claimed by another hand as well.
    """

    in_doubt: float = 0.0
    contested: float = 0.0


def division(pressed: Floats, shares: Sequence[Floats], which: int) -> Division:
    """The division of hand `which` of all `shares` (E each), on electrodes that feel `pressed` (E) counts."""
    weight = np.where(pressed > PRESSED_SHARE * float(pressed.max(initial=0.0)), pressed, 0.0)
    own = shares[which]
    whole = max(float((own * weight).sum()), 1e-3)
    others = [share for k, share in enumerate(shares) if k != which]
    contested = np.minimum(own, np.max(others, axis=0)) if others else np.zeros_like(own)
    return Division(
        float((np.minimum(own, 1.0 - own) * weight).sum()) / whole, float((contested * weight).sum()) / whole
    )


def honest(chances: Floats, divided: Division) -> Floats:
    """The network's mean chances of 0..5 fingers (6), sharpened or blunted to what comes true."""
    power = FINGERS_SHARPER - LESS_IN_DOUBT * divided.in_doubt - LESS_CONTESTED * divided.contested
    raised = np.asarray(chances, np.float64) ** min(max(power, LEAST_POWER), MOST_POWER)
    return np.asarray(raised / raised.sum(), np.float32)


def fingers_interval(chances: Floats, sure: float = FINGERS_SURE, inside: float = FINGERS_INSIDE) -> tuple[int, int]:
    """The count if one is likely enough, otherwise the shortest run of counts that holds `inside` of the chances."""
    best = int(np.argmax(chances))
    if chances[best] >= sure:
        return best, best
    runs = [
        (high - low, -float(chances[low : high + 1].sum()), low, high)
        for low in range(len(chances))
        for high in range(low, len(chances))
        if chances[low : high + 1].sum() >= min(inside, 0.9999 * float(chances.sum())) and high > low
    ]
    _, _, low, high = min(runs)
    return low, high


def decided(
    chances: Sequence[Floats], alone: Sequence[tuple[int, int]], order_sure: float = ORDER_SURE
) -> list[tuple[int, int]]:
    """The intervals `alone`, cut where one hand has more fingers than all others for all that is likely.

    A cut is made at a count that the hand reaches, and each other one does not, with at least `order_sure` each. Then
    what is printed says who has most; each interval still holds what is likely of its own hand.
    """
    best: tuple[float, int, int] | None = None
    for which in range(len(chances)):
        for least in range(1, len(chances[which])):
            reached = float(chances[which][least:].sum())
            below = [float(other[:least].sum()) for k, other in enumerate(chances) if k != which]
            safe = min([reached, *below])
            if below and safe >= order_sure and (best is None or safe > best[0]):
                best = safe, which, least
    if best is None:
        return list(alone)
    _, most, least = best
    cut = [(max(low, least), high) if k == most else (low, min(high, least - 1)) for k, (low, high) in enumerate(alone)]
    return cut if all(low <= high for low, high in cut) else list(alone)


def lowest_interval(chances: Floats, scale: float) -> tuple[float, float]:
    """The run of heights (mm) that holds the lowest contact."""
    tail = (1.0 - LOWEST_INSIDE) / 2
    total = np.cumsum(chances)
    step = 120.0 / len(chances)
    low = int(np.searchsorted(total, tail))
    high = int(np.searchsorted(total, 1.0 - tail))
    return round(low * step * scale, 1), round(min(high + 1, len(chances)) * step * scale, 1)
