"""Hands that reach for a cylinder: fingers, thumb and palm as patches of skin with their own times.

Belongs here: the anatomy (how many fingers, how broad, how far apart, where around the totem from a given
seat), the order in which they land, spread and peel off, and how near they come when they do not land.
Does not belong here: electrodes and noise.

The anatomy follows what is commonly measured on adults and children: index finger 14-20 mm broad
(children 10-14 mm), a gap of 1-5 mm between gripping fingers; the sizes are ranges and not data of persons.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from referee.sim.manner import USUAL, Manner
from referee.sim.skin import Patch

FINGER, THUMB, PALM = "finger", "thumb", "palm"
NEVER_US = 10**15
# How often the thumb is among the fingers that close on the totem; with five it always is.
THUMB_CHANCE = {1: 0.0, 2: 0.5, 3: 0.6, 4: 0.7, 5: 1.0}


@dataclass(frozen=True)
class Touch:
    """One patch of skin in time: it nears, lands at `land_us`, spreads, and is gone at `leave_us`.

    `reach` is its signal per covered area once spread (1 = a typical moist finger); `near_mm` the least
    gap of
    a patch that never lands (`lands` false), `speed_mm_ms` its speed while it nears.
    """

    patch: Patch
    kind: str
    land_us: int
    leave_us: int
    spread_us: float
    peel_us: float
    reach: float
    speed_mm_ms: float = 0.6
    lands: bool = True
    near_mm: float = 0.0
    hover_share: float = 0.2


@dataclass(frozen=True)
class Hand:
    """One hand at the totem; `grip` false for a brush; player "" for what is no hand (spilled water)."""

    player: str
    seat_deg: float
    touches: tuple[Touch, ...]
    grip: bool = True


@dataclass(frozen=True)
class Body:
    """What stays the same of one player's hand over a whole recording."""

    breadth_mm: float
    gap_mm: float
    reach: float
    side: int
    far_deg: float
    spread_us: float


def random_body(random: np.random.Generator) -> Body:
    """A player's hand: breadth and gap of the fingers, moisture, right (+1) or left (-1)."""
    child = random.random() < 0.2
    return Body(
        breadth_mm=float(random.uniform(11.0, 14.0) if child else random.uniform(13.5, 19.0)),
        gap_mm=float(random.uniform(0.5, 5.0)),
        reach=float(np.clip(np.exp(random.normal(0.0, 0.5)), 0.25, 2.2)),
        side=1 if random.random() < 0.85 else -1,
        far_deg=float(np.clip(random.normal(138.0, 14.0), 105.0, 172.0)),
        spread_us=float(np.exp(random.normal(np.log(6000.0), 0.45))),
    )


def grab(
    random: np.random.Generator,
    player: str,
    seat_deg: float,
    body: Body,
    land_us: int,
    leave_us: int,
    fingers: int,
    lowest_mm: float,
    height_mm: float,
    manner: Manner = USUAL,
) -> Hand:
    """A hand that closes on the totem with `fingers` fingers (the thumb among them), from `lowest_mm` up."""
    breadth_mm = body.breadth_mm * manner.breadth
    pitch = breadth_mm + body.gap_mm * manner.finger_gap * random.uniform(0.6, 1.4)
    thumb = random.random() < (1.0 if fingers == 5 else THUMB_CHANCE[fingers] * manner.thumbs)
    strips = fingers - 1 if thumb else fingers
    arc = random.uniform(85.0, 150.0) * manner.arc
    centre = seat_deg + body.side * body.far_deg
    palm_first = random.random() < 0.22 * manner.slaps
    order_us = landing_times(random, strips + (1 if thumb else 0), palm_first, manner.landings)
    touches: list[Touch] = []

    def touch(patch: Patch, kind: str, late_us: float, reach: float, share: float, peel_us: float) -> Touch:
        return Touch(
            patch,
            kind,
            int(land_us + late_us),
            int(leave_us + random.normal(0.0, 12000.0)),
            body.spread_us * manner.spread * float(random.uniform(0.6, 1.6)),
            peel_us,
            reach * body.reach,
            float(random.uniform(0.3, 1.4)) * manner.speed,
            hover_share=min(share * manner.hover, 0.8),
        )

    peel = float(random.uniform(8000.0, 30000.0))
    tilt = random.normal(0.0, 4.0)
    for index in range(strips):
        height = lowest_mm + breadth_mm / 2 + index * pitch
        if height + breadth_mm / 3 > height_mm:
            break
        patch = Patch(
            centre + index * tilt + random.normal(0.0, 6.0),
            height + random.normal(0.0, 0.6) * manner.ragged,
            arc * random.uniform(0.8, 1.15),
            breadth_mm * random.uniform(0.92, 1.05),
        )
        touches.append(touch(patch, FINGER, order_us[index], random.uniform(0.8, 1.2), random.uniform(0.08, 0.3), peel))
    top = touches[-1].patch.height_mm
    if thumb:
        thumb_height = float(np.clip(top + random.normal(-2.0, 6.0), lowest_mm + 8.0, height_mm - 5.0))
        patch = Patch(
            seat_deg - body.side * random.uniform(50.0, 120.0),
            thumb_height,
            random.uniform(45.0, 95.0) * manner.arc,
            breadth_mm * random.uniform(1.05, 1.35),
        )
        touches.append(touch(patch, THUMB, order_us[-1], random.uniform(0.7, 1.2), 0.2, peel))
    middle = (lowest_mm + top + breadth_mm / 2) / 2
    palm = Patch(
        seat_deg + body.side * random.uniform(0.0, 45.0),
        min(middle, height_mm - 10.0),
        random.uniform(50.0, 110.0),
        max(24.0, (top - lowest_mm) * random.uniform(0.7, 1.1)),
    )
    share, strength = random.uniform(0.25, 0.6), manner.palm_reach
    if palm_first:
        reach = random.uniform(0.5, 1.2) * strength
        bump = touch(palm, PALM, 0.0, reach, share, float(random.uniform(4000.0, 12000.0)))
        stays = random.random() < 0.4 * manner.slaps_stay
        # A slap: the palm meets the totem, springs back and rests near it (or stays on it).
        touches.append(bump if stays else replace(bump, leave_us=land_us + int(random.uniform(2500, 14000))))
    elif random.random() < 0.45 * manner.palms:
        late = float(max(order_us)) + random.uniform(5000.0, 40000.0)
        touches.append(touch(palm, PALM, late, random.uniform(0.15, 0.7) * strength, share, peel))
    rest_us = 0.0 if palm_first else max(order_us)
    rest = touch(palm, PALM, rest_us, random.uniform(0.4, 1.0) * strength, share, peel)
    touches.append(replace(rest, lands=False, near_mm=float(random.uniform(0.8, 6.0))))
    return Hand(player, seat_deg, tuple(touches))


def landing_times(random: np.random.Generator, count: int, palm_first: bool, slower: float = 1.0) -> list[float]:
    """Microseconds after the hand's first contact at which each finger lands; the earliest is 0 (no slap)."""
    shape = random.random()
    spread = random.uniform(500.0, 6000.0) if shape < 0.4 else random.uniform(3000.0, 25000.0)
    times = random.exponential(spread, count)
    times -= times.min()
    if count > 1 and random.random() < 0.45:
        # The thumb closes last, or the fingers wrap after the thumb.
        times[-1] = random.uniform(3000.0, 35000.0)
        times -= times.min()
    times *= slower
    if palm_first:
        times += random.uniform(8000.0, 40000.0)
    return [float(t) for t in np.minimum(times, 75000.0)]


def brush(
    random: np.random.Generator, player: str, seat_deg: float, body: Body, land_us: int, height_mm: float
) -> Hand:
    """One fingertip that grazes the totem for less than 80 ms."""
    patch = Patch(
        seat_deg + body.side * random.uniform(20.0, 150.0),
        float(random.uniform(10.0, height_mm - 8.0)),
        random.uniform(25.0, 60.0),
        body.breadth_mm,
    )
    stay = int(random.uniform(12000.0, 60000.0))
    touch = Touch(
        patch,
        FINGER,
        land_us,
        land_us + stay,
        min(body.spread_us, 8000.0),
        float(random.uniform(2000.0, 6000.0)),
        body.reach * float(random.uniform(0.6, 1.0)),
        float(random.uniform(0.4, 1.4)),
    )
    return Hand(player, seat_deg, (touch,), grip=False)


def hover(
    random: np.random.Generator,
    player: str,
    seat_deg: float,
    body: Body,
    start_us: int,
    stay_us: int,
    height_mm: float,
) -> Hand:
    """A hand that comes near, stays `stay_us` (a feint: a few ms) and goes away without touching."""
    near = float(np.exp(random.uniform(np.log(1.0), np.log(15.0))))
    middle = random.uniform(25.0, height_mm - 25.0)
    touches = []
    palm = (seat_deg + body.side * random.uniform(0, 60), 70.0, random.uniform(35.0, 75.0), 0.6)
    finger = (seat_deg + body.side * body.far_deg, 80.0, body.breadth_mm, 0.25)
    shapes = [palm, *[finger] * int(random.integers(0, 4))]
    for angle, arc, breadth, share in shapes:
        patch = Patch(angle, middle + random.normal(0, 14.0), arc, breadth)
        touches.append(
            Touch(
                patch,
                PALM,
                start_us,
                start_us + stay_us,
                5000.0,
                float(random.uniform(10000.0, 60000.0)),
                body.reach,
                float(random.uniform(0.05, 1.0)),
                lands=False,
                near_mm=near * float(random.uniform(0.9, 2.0)),
                hover_share=share,
            )
        )
    return Hand(player, seat_deg, tuple(touches), grip=False)


def spill(random: np.random.Generator, start_us: int) -> Hand:
    """Water that runs around the foot of the totem and stays: slow, low, wide."""
    patch = Patch(
        float(random.uniform(0, 360)),
        0.0,
        float(random.uniform(120.0, 720.0)),
        float(random.uniform(8.0, 45.0)),
    )
    touch = Touch(
        patch,
        PALM,
        start_us,
        NEVER_US,
        float(random.uniform(60_000.0, 400_000.0)),
        1e6,
        float(random.uniform(0.1, 0.7)),
        hover_share=0.0,
    )
    return Hand("", 0.0, (touch,), grip=False)
