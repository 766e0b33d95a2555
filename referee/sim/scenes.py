"""What happens around the totem: scripts of grabs, feints, brushes, falls and quiet, drawn at random.

Belongs here: who reaches when, what comes of it, when the totem is lifted, falls, is stood up again. Does not
belong here: anatomy (hands.py) and electronics.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from referee.sim.hands import Body, Hand, brush, grab, hover, random_body, spill
from referee.sim.manner import USUAL, Manner

NAMES = ("Ana", "Bilal", "Chloé", "David", "Eva", "Farid", "Gina", "Hugo")
KINDS = (
    "single", "far", "near", "verynear", "ties", "stacked", "handonhand", "multi", "sequence",
    "fall_scramble", "fall_free", "fall_brush", "wobble", "feint", "hover", "sleeve", "spill", "brush",
    "quiet",
)  # fmt: skip
SETTLE_US = 150_000


@dataclass(frozen=True)
class Lift:
    """The totem is carried from `start_us` to `end_us`, tilted by up to `tilt_deg`."""

    start_us: int
    end_us: int
    tilt_deg: float


@dataclass(frozen=True)
class Fall:
    """The totem begins to tip at `start_us` and lies at `end_us`; stood up again at `up_us`."""

    start_us: int
    end_us: int
    up_us: int
    player: str | None
    contact: bool = False


@dataclass(frozen=True)
class Wobble:
    """A knock that does not fell it: tilt up to `tilt_deg`, dying away."""

    start_us: int
    tilt_deg: float


@dataclass
class Script:
    """One recording's events in time."""

    kind: str
    seats: dict[str, int]
    bodies: dict[str, Body]
    hands: list[Hand] = field(default_factory=list)
    groups: list[list[int]] = field(default_factory=list)
    lifts: list[Lift | None] = field(default_factory=list)
    group_fall: list[Fall | None] = field(default_factory=list)
    falls: list[Fall] = field(default_factory=list)
    wobbles: list[Wobble] = field(default_factory=list)
    handling: list[tuple[int, int]] = field(default_factory=list)
    duration_us: int = 3_000_000
    turn_deg: float = 0.0
    turned: list[bool] = field(default_factory=list)
    manner: Manner = USUAL


def random_seats(random: np.random.Generator) -> dict[str, int]:
    """2 to 8 players around the table, degrees."""
    count = int(random.choice([2, 3, 3, 4, 4, 5, 6, 8]))
    start = random.uniform(0, 360)
    step = 360 / count
    return {NAMES[i]: round(start + i * step + random.uniform(-0.12, 0.12) * step) % 360 for i in range(count)}


def random_script(random: np.random.Generator, kind: str, height_mm: float, manner: Manner = USUAL) -> Script:
    """A whole recording of one kind."""
    seats = random_seats(random)
    script = Script(kind, seats, {name: random_body(random) for name in seats}, manner=manner)
    now = int(random.uniform(900_000, 1_900_000))
    if kind in ("quiet", "feint", "hover", "sleeve", "spill", "brush"):
        return quiet_script(random, script, now, height_mm)
    if kind in ("fall_free", "fall_brush", "wobble"):
        return knock_script(random, script, now, height_mm)
    rounds = int(random.integers(2, 4)) if kind == "sequence" else 1
    for _ in range(rounds):
        if random.random() < 0.25:
            name = str(random.choice(list(seats)))
            at = now - int(random.uniform(250_000, 600_000))
            script.hands.append(brush(random, name, seats[name], script.bodies[name], at, height_mm))
        now = add_scramble(random, script, now, height_mm) + int(random.uniform(1_000_000, 2_500_000))
    script.duration_us = now
    return script


def quiet_script(random: np.random.Generator, script: Script, now: int, height_mm: float) -> Script:
    """Nobody takes the totem: hovering, feinting, brushing hands, or nothing at all."""
    count = {"quiet": 0, "spill": 1}.get(script.kind, int(random.integers(2, 5)))
    for _ in range(count):
        name = str(random.choice(list(script.seats)))
        seat, body = script.seats[name], script.bodies[name]
        if script.kind == "brush" or (script.kind == "feint" and random.random() < 0.3):
            script.hands.append(brush(random, name, seat, body, now, height_mm))
        elif script.kind == "spill":
            script.hands.append(spill(random, now))
        elif script.kind == "sleeve":
            stay = int(random.uniform(100_000, 700_000))
            for _ in range(2):
                body_of_cloth = replace(body, reach=float(random.uniform(0.1, 0.4)))
                script.hands.append(hover(random, name, seat, body_of_cloth, now, stay, height_mm))
                now += stay // 3
            now += stay
        else:
            stay = int(random.uniform(3_000, 60_000) if script.kind == "feint" else random.uniform(2e5, 1.2e6))
            script.hands.append(hover(random, name, seat, body, now, stay, height_mm))
            now += stay
        now += int(random.uniform(500_000, 1_500_000))
    script.duration_us = now + int(random.uniform(300_000, 4_000_000))
    return script


def knock_script(random: np.random.Generator, script: Script, now: int, height_mm: float) -> Script:
    """The table is knocked: the totem wobbles, or falls and is stood up again."""
    if script.kind == "wobble":
        for _ in range(int(random.integers(1, 4))):
            script.wobbles.append(Wobble(now, float(random.uniform(4.0, 30.0))))
            now += int(random.uniform(900_000, 1_800_000))
        script.duration_us = now
        return script
    who = None
    if script.kind == "fall_brush":
        who = str(random.choice(list(script.seats)))
        script.hands.append(brush(random, who, script.seats[who], script.bodies[who], now, height_mm))
        now += int(random.uniform(5_000, 40_000))
    end = add_fall(random, script, now, who, who is not None)
    script.duration_us = end + int(random.uniform(600_000, 1_200_000))
    return script


def add_fall(random: np.random.Generator, script: Script, start: int, player: str | None, hit: bool) -> int:
    """A fall and the standing up after it; returns when the totem is free again."""
    end = start + int(random.uniform(180_000, 330_000))
    up = end + int(random.uniform(1_000_000, 2_500_000))
    done = up + int(random.uniform(400_000, 900_000))
    script.falls.append(Fall(start, end, done - 150_000, player, hit))
    name = str(random.choice(list(script.seats)))
    body = script.bodies[name]
    fingers, low = int(random.integers(2, 5)), float(random.uniform(30, 60))
    script.hands.append(grab(random, name, script.seats[name], body, up, done, fingers, low, 120.0, script.manner))
    script.handling.append((up - 100_000, done + 200_000))
    return done + 300_000


GAPS_US = {
    "far": (100_000, 340_000),
    "near": (5_000, 100_000),
    "verynear": (200, 5_000),
    "ties": (500, 60_000),
    "stacked": (1_000, 120_000),
    "handonhand": (10_000, 130_000),
    "multi": (500, 60_000),
    "sequence": (2_000, 320_000),
    "fall_scramble": (2_000, 80_000),
}


def add_scramble(random: np.random.Generator, script: Script, now: int, height_mm: float) -> int:
    """One scramble from `now` on; returns when the totem is free again."""
    kind = script.kind
    wanted = 1 if kind == "single" else 3 if kind == "multi" else 2
    if kind == "sequence" and random.random() < 0.35:
        wanted = 1
    wanted = min(wanted, len(script.seats))
    names = [str(n) for n in random.permutation(list(script.seats))[:wanted]]
    times = [now]
    for _ in names[1:]:
        low, high = GAPS_US[kind]
        times.append(times[-1] + int(random.uniform(low, high)))
    fingers = [int(f) for f in random.choice([1, 2, 3, 4, 5], wanted, p=[0.08, 0.17, 0.27, 0.27, 0.21])]
    if kind == "ties":
        fingers = [fingers[0]] * wanted
    lows = heights(random, script, names, fingers, height_mm, kind == "handonhand")
    tail = times[-1] + SETTLE_US
    lift_us: int | None = None
    fall_us: int | None = None
    if kind == "fall_scramble":
        fall_us = max(tail - int(random.uniform(-100_000, 60_000)), times[-1] + 90_000)
    elif random.random() < 0.8:
        lift_us = max(times[-1] + 80_000, tail + int(random.uniform(-50_000, 160_000)))
    free = (lift_us or fall_us or tail) + int(random.uniform(400_000, 1_800_000) if lift_us else 350_000)
    winner = int(random.integers(0, wanted))
    group: list[int] = []
    for i, name in enumerate(names):
        leave = free - int(random.uniform(30_000, 70_000))
        if i != winner or fall_us:
            leave = min(leave, max((lift_us or fall_us or tail), tail) + int(random.uniform(20_000, 250_000)))
        hand = grab(
            random, name, script.seats[name] - script.turn_deg, script.bodies[name], times[i], leave,
            fingers[i], lows[i], height_mm, script.manner,
        )  # fmt: skip
        group.append(len(script.hands))
        script.hands.append(hand)
    script.groups.append(group)
    script.turned.append(script.turn_deg != 0.0)
    if lift_us and random.random() < 0.6:
        # It is put back as the winner likes.
        script.turn_deg = float(random.uniform(0.0, 360.0))
    script.lifts.append(Lift(lift_us, free, float(random.uniform(8, 110))) if lift_us else None)
    if fall_us:
        end = add_fall(random, script, fall_us, names[int(random.integers(0, wanted))], False)
        script.group_fall.append(script.falls[-1])
        return end
    script.group_fall.append(None)
    return free


def heights(
    random: np.random.Generator,
    script: Script,
    names: list[str],
    fingers: list[int],
    height_mm: float,
    same: bool,
) -> list[float]:
    """Where each hand's lowest finger goes: hands stack, with little room between; or lie on one another."""
    spans = [script.bodies[n].breadth_mm * max(1, f - 1) * 1.25 for n, f in zip(names, fingers, strict=True)]
    if same or len(names) == 1:
        low = random.uniform(1.0, max(4.0, height_mm - max(spans) - 8.0))
        return [float(np.clip(low + random.normal(0, 8.0), 1.0, 95.0)) for _ in names]
    order = random.permutation(len(names))
    room = max(height_mm - sum(spans), 4.0)
    lows = [0.0] * len(names)
    at = random.uniform(1.0, room * 0.5 + 1.0)
    for index in order:
        lows[index] = float(np.clip(at, 1.0, height_mm - 18.0))
        at += spans[index] + random.uniform(0.0, room / len(names))
    return lows
