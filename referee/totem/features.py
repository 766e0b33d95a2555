"""What the network is shown of a touch when it is asked for one hand.

Belongs here: numbers per electrode, laid on the network's grid. Does not belong here: the network, and how readings
become such numbers (contacts.py, course.py, seats.py).

Rule: training makes its lessons with this very code.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.course import FRAMES
from referee.totem.grid import DIRECTIONS, HEIGHTS, Grid
from referee.totem.seats import SeatView

Floats = NDArray[np.float32]

STILL = 22
FEATURES = STILL + FRAMES + FRAMES - 1
CONTEXT = 5
CHANNELS = FEATURES + CONTEXT


def query_us(felt: Feel, query: int) -> int:
    """The moment the question is about: when the skin landed on the electrode `query`."""
    return felt.t0_us + int(felt.landed_us[query])


def electrode_features(felt: Feel, query: int, assigned: Floats, seat: SeatView | None) -> Floats:
    """What is known of each electrode, (FEATURES, E).

    `query` is the electrode whose hand is asked for, `assigned` (E, 0..1) what belongs to hands already found,
    `seat` what the seat of the hand asked for answers (None: no seat pad speaks).
    """
    active = felt.active.astype(np.float32)
    size = np.clip(felt.final / felt.scale, -0.2, 1.0)

    def squashed(us: Floats, fine_us: float, most: float) -> Floats:
        return np.asarray(np.arcsinh(us / fine_us) / most * active, np.float32)

    mark = np.zeros(len(active), np.float32)
    mark[query] = 1.0
    since = felt.landed_us - felt.landed_us[query]
    silent = np.zeros_like(active)
    share, apart, own, others, flag = (
        (silent, silent, silent, silent, silent)
        if seat is None
        else (seat.share * active, seat.apart * active, seat.own * active, seat.others * active, silent + 1.0)
    )
    course = felt.course.around(query_us(felt, query))
    gains = np.arcsinh(np.diff(course, axis=0) / (3.0 * felt.noise)) / 4.0
    still = np.stack(
        [
            size,
            np.log1p(np.clip(felt.final, 0, None)) / 6.0,
            squashed(felt.early_us, 10_000.0, 3.0),
            squashed(felt.half_us, 10_000.0, 3.0),
            squashed(felt.late_us, 10_000.0, 3.0),
            squashed(since, 10_000.0, 3.0),
            squashed(since, 800.0, 5.0),
            (felt.landed_step > 0) * active,
            np.clip(felt.landed_step / np.maximum(felt.final, 0.1 * felt.scale), 0, 1) * active,
            np.clip(felt.step / np.maximum(felt.final, 0.1 * felt.scale), 0, 1) * active,
            np.clip(felt.peak / felt.scale, 0, 2),
            active,
            mark,
            assigned * active,
            assigned * size,
            share,
            apart,
            np.clip(2.0 * own, -0.2, 1.5),
            np.clip(2.0 * others, -0.2, 1.5),
            flag,
            silent + (0.0 if seat is None else seat.pitch_mm / 20.0),
            apart * size,
        ]
    )
    return np.concatenate([still, np.clip(course / felt.scale, -0.3, 1.5), gains]).astype(np.float32)


def context(grid: Grid, scale: float) -> Floats:
    """What is known of each place of the grid and of the touch as a whole, (CONTEXT, HEIGHTS, DIRECTIONS)."""
    plain = np.ones((HEIGHTS, DIRECTIONS), np.float32)
    rise = (np.arange(HEIGHTS, dtype=np.float32) + 0.5) / HEIGHTS
    return np.stack(
        [
            plain * grid.offset[:, None],
            plain * np.float32(grid.pitch_mm / 30.0),
            plain * np.float32(2.0 / grid.sectors),
            plain * rise[:, None],
            plain * np.float32(np.log1p(scale) / 6.0),
        ]
    ).astype(np.float32)


def channels(grid: Grid, felt: Feel, query: int, assigned: Floats, seat: SeatView | None) -> Floats:
    """What the network sees, (CHANNELS, HEIGHTS, DIRECTIONS); see `electrode_features`."""
    laid = grid.lay(electrode_features(felt, query, assigned, seat))
    return np.concatenate([laid, context(grid, felt.scale)])
