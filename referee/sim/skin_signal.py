"""From hands in time to what each electrode would feel: who covers what, and how strongly, at every scan.

Belongs here: the order of contacts (skin does not reach the totem through a hand that lies there already),
the
truth about each hand (first contact, fingers, lowest point), hover and contact as functions of time.
Does not belong here: electronics, baselines, noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.sim.hands import FINGER, PALM, THUMB, Hand, Touch
from referee.sim.manner import USUAL, Manner
from referee.sim.skin import HEIGHT_STEP_MM, Cylinder, Floats, electrode_weights

# A finger counts when its skin covers 40 square millimetres and a fifth of its pad (the samples' README).
LEAST_FINGER_MM2 = 40.0
LEAST_FINGER_SHARE = 0.2
# The gap at which a near hand gives half of what it gives at no gap, mm.
HALF_GAP_MM = 0.8


@dataclass(frozen=True)
class HandTruth:
    """What really happened with one hand; `area_mm2` is all the skin it has on the totem, `counted` which of its
    touches are fingers that count.
    """

    player: str
    t_us: int
    fingers: int
    lowest_mm: float
    grip: bool
    area_mm2: float
    counted: tuple[int, ...] = ()


def shares_in_time(touch: Touch, t_us: NDArray[np.int64], manner: Manner = USUAL) -> tuple[Floats, Floats]:
    """(contact, hover) of one patch at each scan: 0..1 spread of contact, 0..1 nearness."""
    t = t_us.astype(np.float64)
    before_ms = np.maximum(touch.land_us - t, 0.0) / 1000.0
    after_us = np.maximum(t - touch.leave_us, 0.0)
    gap = touch.near_mm + touch.speed_mm_ms * before_ms + after_us / 1000.0 * touch.speed_mm_ms * 0.3
    half_mm = HALF_GAP_MM * manner.gap
    hover = half_mm / (gap + half_mm)
    if not touch.lands:
        return np.zeros(len(t), np.float32), hover.astype(np.float32)
    on_us = np.clip(t - touch.land_us, 0.0, max(touch.leave_us - touch.land_us, 0))
    quick = 1.0 - np.exp(-on_us / touch.spread_us)
    slow = 1.0 - np.exp(-on_us / (6.0 * touch.spread_us))
    contact = (0.85 * quick + 0.15 * slow) ** manner.growth * np.exp(-after_us / touch.peel_us)
    hover = hover * np.exp(-after_us / (2.0 * touch.peel_us))
    return contact.astype(np.float32), hover.astype(np.float32)


def feel(
    totem: Cylinder,
    hands: Sequence[Hand],
    t_us: NDArray[np.int64],
    blur_mm: float,
    hover_blur_mm: float,
    manner: Manner = USUAL,
) -> tuple[list[Floats], list[HandTruth | None]]:
    """Each hand's signal, (scans, electrodes), 1 = an electrode fully covered by typical skin, and its truth.

    A hand that never touches the totem itself has the truth None.
    """
    weights = electrode_weights(totem, blur_mm)
    far = electrode_weights(totem, hover_blur_mm)
    owner = np.full((len(totem.grid_mm), 72), -1)
    order = sorted(
        ((touch.land_us, h, k) for h, hand in enumerate(hands) for k, touch in enumerate(hand.touches)),
    )
    masks: dict[tuple[int, int], NDArray[np.bool_]] = {}
    full: dict[tuple[int, int], float] = {}
    # Who covered a cell before, and until when: skin lands where nobody else's lies at that moment.
    until = np.zeros(owner.shape, np.int64)
    for _land, h, k in order:
        touch = hands[h].touches[k]
        mask = touch.patch.mask(totem)
        full[h, k] = float(mask.sum()) * totem.cell_mm2
        if touch.lands:
            taken = (owner >= 0) & (owner != h) & (until > touch.land_us + 5000)
            own = (owner == h) & (until > touch.land_us + 5000)
            mask = mask & ~taken & ~own
            owner[mask] = h
            until[mask] = touch.leave_us
        masks[h, k] = mask
    signals: list[Floats] = []
    truths: list[HandTruth | None] = []
    for h, hand in enumerate(hands):
        signal = np.zeros((len(t_us), totem.rings * totem.sectors), np.float32)
        for k, touch in enumerate(hand.touches):
            contact, hovering = shares_in_time(touch, t_us, manner)
            mask = masks[h, k].ravel().astype(np.float32)
            near = far @ mask
            if touch.lands:
                signal += (touch.reach * (1.0 - touch.hover_share)) * np.outer(contact, weights @ mask)
            signal += (touch.reach * touch.hover_share) * np.outer(hovering, near)
        signals.append(signal)
        truths.append(truth_of(totem, hand, [masks[h, k] for k in range(len(hand.touches))], h, full))
    return signals, truths


def truth_of(
    totem: Cylinder,
    hand: Hand,
    masks: list[NDArray[np.bool_]],
    index: int,
    full: dict[tuple[int, int], float],
) -> HandTruth | None:
    """First contact, fingers and lowest point of one hand from what it really covers."""
    first, lowest, area_all = None, None, 0.0
    counted: list[int] = []
    if not hand.player:
        return None
    for k, (touch, mask) in enumerate(zip(hand.touches, masks, strict=True)):
        area = float(mask.sum()) * totem.cell_mm2
        if not touch.lands or area < totem.cell_mm2 * 2:
            continue
        first = touch.land_us if first is None else min(first, touch.land_us)
        if touch.kind in (FINGER, THUMB) and area >= max(LEAST_FINGER_MM2, LEAST_FINGER_SHARE * full[index, k]):
            counted.append(k)
        if touch.kind == PALM and touch.leave_us - touch.land_us < 20000:
            continue
        area_all += area
        bottom = float(totem.grid_mm[np.nonzero(mask.any(axis=1))[0][0]]) - HEIGHT_STEP_MM / 2
        lowest = bottom if lowest is None else min(lowest, bottom)
    if first is None or lowest is None:
        return None
    return HandTruth(hand.player, int(first), len(counted), round(lowest, 1), hand.grip, area_all, tuple(counted))
