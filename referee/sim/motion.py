"""How the simulated totem stands: carried, tipped over, knocked, stood up again.

Belongs here: the tilt that the motion sensor reports and whether the totem is off the table. Does not belong
here: skin and electrodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.sim.scenes import Script
from referee.sim.skin import Floats


def lifted_share(script: Script, t_us: NDArray[np.int64]) -> Floats:
    """1 while the totem is off the table, 0 while it stands, (N)."""
    out = np.zeros(len(t_us), np.float32)
    for lift in script.lifts:
        if lift is not None:
            out[(t_us >= lift.start_us) & (t_us < lift.end_us - 60_000)] = 1.0
    for fall in script.falls:
        out[(t_us >= fall.start_us + 40_000) & (t_us < fall.up_us)] = 1.0
    return out


def tilt_deg(random: np.random.Generator, script: Script, t_us: NDArray[np.int64]) -> Floats:
    """What the motion sensor says, degrees from upright, (N)."""
    t = t_us.astype(np.float64)
    lean = np.full(len(t), random.uniform(0.0, 1.2))
    for lift in script.lifts:
        if lift is None:
            continue
        on = (t >= lift.start_us) & (t < lift.end_us - 40_000)
        into = (t[on] - lift.start_us) / 1e6
        left = (lift.end_us - 40_000 - t[on]) / 1e6
        rise = 1.0 - np.exp(-into / random.uniform(0.05, 0.25))
        sway = 0.6 + 0.4 * np.sin(2 * np.pi * into * random.uniform(0.5, 2.5) + random.uniform(0, 6.3))
        lean[on] += lift.tilt_deg * rise * sway * np.clip(left / 0.12, 0.0, 1.0)
        lean[on] += np.abs(random.normal(0.0, 1.2, int(on.sum())))
    for fall in script.falls:
        tip = (t - fall.start_us) / max(fall.end_us - fall.start_us, 1)
        on = (tip >= 0) & (t < fall.up_us)
        angle = np.where(tip < 1, 88.0 * np.clip(tip, 0, 1) ** 2, 86.0)
        ring = 18.0 * np.exp(-np.clip(tip - 1, 0, 50) * 3.0) * np.sin(np.clip(tip - 1, 0, 50) * 14.0)
        lean[on] = (angle + np.where(tip >= 1, ring, 0.0))[on]
        up = fall.up_us - 250_000
        raising = (t >= up) & (t < fall.up_us)
        lean[raising] *= np.clip((fall.up_us - t[raising]) / 250_000, 0, 1)
    for wobble in script.wobbles:
        into = (t - wobble.start_us) / 1e6
        on = into >= 0
        lean[on] += wobble.tilt_deg * np.exp(-into[on] / 0.15) * np.abs(np.sin(2 * np.pi * into[on] * 3.5))
    noise = random.normal(0.0, random.uniform(0.08, 0.2), len(t))
    return np.abs(lean + noise).astype(np.float32)
