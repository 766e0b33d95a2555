"""How a source of data is: fresh, stale or lost, told by the age of its last datum.

Belongs here: the words every door and every page share. Does not belong here: any device, any limit of one
(a camera may be silent for longer than a totem).
"""

from __future__ import annotations

import enum


class Freshness(enum.Enum):
    """How a source of data is: fresh, stale (its last datum is older than it should be), lost (or not there)."""

    FRESH = "fresh"
    STALE = "stale"
    LOST = "lost"


def freshness(age_us: int | None, problem: str | None, stale_after_us: int, lost_after_us: int) -> Freshness:
    """The state that an age (None: no datum yet) and a known problem amount to, under a source's own limits."""
    if problem is not None or age_us is None or age_us > lost_after_us:
        return Freshness.LOST
    return Freshness.STALE if age_us > stale_after_us else Freshness.FRESH
