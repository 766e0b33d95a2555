"""What the tilt says: when the totem was lifted, when it fell, whether it stands.

Belongs here: the tilt channel alone, scan by scan. Does not belong here: electrodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# A totem that leans this much more than at rest is being moved; a knock sways it too, so a lift needs hands.
MOVING_DEG = 4.0
# A fall passes 45 degrees (the format's definition) and ends lying.
FALLEN_DEG = 45.0
LYING_DEG = 55.0
STANDING_DEG = 10.0


@dataclass(frozen=True)
class Rest:
    """How the totem stands when nobody moves it: lean and scatter, degrees."""

    lean_deg: float = 0.5
    noise_deg: float = 0.2


def lift_index(tilt_deg: Floats, rest: Rest, start: int) -> int | None:
    """First scan (from `start`) at which the totem leaves its rest for a real movement; None: it does not.

    Found where it leans `MOVING_DEG` more for several scans, then followed back to where it first left its
    noise.
    """
    lean = np.abs(tilt_deg - rest.lean_deg)
    far = lean > MOVING_DEG
    steady = far[:-2].astype(int) + far[1:-1] + far[2:] >= 2 if len(far) >= 3 else far
    found = np.nonzero(steady[start:])[0]
    if not len(found):
        return None
    at = start + int(found[0])
    limit = max(5.0 * rest.noise_deg, 0.8)
    calm = lean <= limit
    while at > start and not (calm[at - 1] and (at < 2 or calm[at - 2]) and (at < 3 or calm[at - 3])):
        at -= 1
    return at


def fall_index(tilt_deg: Floats) -> int | None:
    """Scan of the last upward crossing of 45 degrees of a totem that lies at the end; None: it stands."""
    tail = tilt_deg[-5:]
    if np.median(tail) < LYING_DEG:
        return None
    under = np.nonzero(tilt_deg < FALLEN_DEG)[0]
    return min(int(under[-1]) + 1, len(tilt_deg) - 1) if len(under) else 0


def track_rest(rest: Rest, tilt_deg: Floats, share: float) -> Rest:
    """Follow the lean of a totem that stands untouched."""
    middle = float(tilt_deg.mean())
    if middle > STANDING_DEG:
        return rest
    spread = float(np.abs(tilt_deg - middle).mean()) * 1.25
    return Rest(
        rest.lean_deg + share * (middle - rest.lean_deg),
        max(0.05, rest.noise_deg + share * (min(spread, 1.0) - rest.noise_deg)),
    )
