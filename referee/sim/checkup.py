"""A simulated totem under calibration: left alone, under one finger, in hands that go over all of it; and its faults.

Belongs here: the script of it and broken electrodes. Does not belong here: what calibration finds.
"""

from __future__ import annotations

import numpy as np

from referee.sim.electronics import Electronics
from referee.sim.hands import grab, random_body
from referee.sim.scenes import Script
from referee.sim.skin import Cylinder
from referee.sim.totem import Recording, record

_LONG_US = 600_000
_PAUSE_US = 350_000


def simulate_checkup(
    seed: int,
    layout: tuple[int, int] = (12, 4),
    rate_hz: float = 500.0,
    electronics: Electronics | None = None,
    dead: tuple[int, ...] = (),
    joined: tuple[tuple[int, int], ...] = (),
) -> Recording:
    """A whole calibration; `truth["steps"]` says when each begins and ends (us): rest, finger, hands.

    `dead` electrodes feel nothing, `joined` pairs feel the same.
    """
    random = np.random.default_rng([seed, 106])
    height = Cylinder(*layout).height_mm
    script = Script("checkup", {"Ana": 0}, {"Ana": random_body(random)})
    steps = {"rest": [0, 4_000_000]}
    now = 4_300_000
    for step, count in (("finger", 1), ("hands", 4)):
        begin = now - 200_000
        around = (0, 180) if step == "finger" else tuple(range(0, 360, 45))
        lows = (20.0,) if step == "finger" else (3.0, 0.3 * height, 0.55 * height, 0.8 * height)
        for low in lows:
            for direction in around:
                hand = grab(random, "Ana", direction, script.bodies["Ana"], now, now + _LONG_US, count, low, height)
                script.groups.append([len(script.hands)])
                script.hands.append(hand)
                script.lifts.append(None)
                script.group_fall.append(None)
                script.turned.append(False)
                now += _LONG_US + _PAUSE_US
        steps[step] = [begin, now]
        now += 300_000
    script.duration_us = now
    made = record(random, script, layout, rate_hz, False, electronics=electronics)
    counts = made.arrays["counts"]
    for electrode in dead:
        counts[:, electrode] = counts[0, electrode] + random.integers(-1, 2, len(counts))
    for one, other in joined:
        counts[:, one] = counts[:, other] = (counts[:, one] + counts[:, other]) // 2
    made.truth["steps"] = steps
    return made
