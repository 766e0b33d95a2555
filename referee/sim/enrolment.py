"""Everybody takes the simulated totem once, one after the other, as before a game.

Belongs here: the script of it. Does not belong here: hands, electronics, and what is learnt from it.
"""

from __future__ import annotations

import numpy as np

from referee.sim.hands import FINGER, grab
from referee.sim.scenes import NAMES, Script
from referee.sim.scenes import random_script as any_script
from referee.sim.totem import Recording, record


def simulate_enrolment(
    seed: int,
    players: int = 3,
    layout: tuple[int, int] = (12, 4),
    rate_hz: float = 500.0,
    seat_pads: bool = True,
    dead: int | None = None,
) -> Recording:
    """`players` grips of three or four fingers, in the order of the seats; `dead` is the pad whose wire is off.

    Every seat couples well. The truth also holds `pitch_mm`, from finger to finger of each player.
    """
    random = np.random.default_rng([seed, 104])
    bodies = any_script(random, "quiet", 120.0).bodies
    body_of = list(bodies.values())
    seats = {NAMES[place]: round(360 / players * place) for place in range(players)}
    script = Script("enrolment", seats, {name: body_of[place % len(body_of)] for place, name in enumerate(seats)})
    now = 1_000_000
    pitch_mm = {}
    for name, seat in seats.items():
        hand = grab(
            random, name, seat, script.bodies[name], now, now + 900_000, int(random.integers(3, 5)), 20.0, 120.0
        )  # fmt: skip
        heights = [touch.patch.height_mm for touch in hand.touches if touch.kind == FINGER]
        pitch_mm[name] = float(np.diff(heights).mean())
        script.groups.append([len(script.hands)])
        script.hands.append(hand)
        script.lifts.append(None)
        script.group_fall.append(None)
        script.turned.append(False)
        now += 2_200_000
    script.duration_us = now
    made = record(random, script, layout, rate_hz, seat_pads, couples_well=True)
    made.truth["pitch_mm"] = pitch_mm
    if dead is not None:
        made.arrays["seat_delta"][made.arrays["seat_index"] == dead] = 0
    return made
