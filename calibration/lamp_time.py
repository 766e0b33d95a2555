"""From a blinking lamp to the time between camera and totem.

The method. The totem says when its lamp changed (table clock), blinking in lengths drawn at random. A picture exposed
from a to b shows the lamp as bright as the share of that span in which it was lit. Each picture's time is late by the
same offset, so one offset, one length of exposure and one drift make all shares come out as seen: they are fitted. A
wrong offset cannot hide, because no part of a random pattern looks like another. How long a picture was exposed needs
not be known.

What it cannot see: a rolling shutter reads the lamp's row at its own moment. With the lamp in the middle of the picture
its row is the mean of all; elsewhere the difference is part of the error that is said.

Does not belong here: finding the lamp in pictures (`calibration.lamp_light`), switching it (`calibration.lamp`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.errors import InputError
from referee.vision.geometry import Array

Lit = Callable[[float, float, float], Array]
"""From offset and exposure (us) and drift to the share of each exposure in which the lamp was lit."""

FEWEST_CHANGES = 24
SEARCH_US = 400_000  # cameras take 50 to 200 ms from light to program
COARSE_US = 4_000
EXPOSURES = (0.05, 0.25, 0.5, 0.75, 1.0)  # of a frame period
LEAST_FIT = 0.8  # share of the brightness's variation that must be explained
APART = 0.5  # the best offset's misfit over that of any far from it, at most
FAR_US = 60_000
MOST_DRIFT_PPM = 400.0
USUAL_DRIFT_PPM = 20.0
LEAST_ERROR_US = 300.0  # encodings of light differ from camera to camera


@dataclass(frozen=True)
class CameraOffset:
    """What to add to a camera's times: `offset_us`, good to ± `error_us` (two deviations and what cannot be seen).

    `drift_ppm` is how the offset changed meanwhile, `exposure_us` the exposure that fits, `fit` the share of the
    brightness's variation that is explained; `changes` of the lamp were used.
    """

    offset_us: float
    error_us: float
    drift_ppm: float
    drift_error_ppm: float
    exposure_us: float
    fit: float
    changes: int
    pictures: int


def fit_offset(
    t_us: NDArray[np.int64],
    brightness: Array,
    changes_us: NDArray[np.int64],
    row: float = 0.5,
    clock_error_us: float = 0.0,
) -> CameraOffset:
    """The offset from pictures (`t_us`, N; `brightness`, N) and the lamp's changes (M, on first, then off and on …).

    `row` is the lamp's row as a share of the picture's height. Raises `InputError` when the two do not belong together.
    """
    if len(changes_us) < FEWEST_CHANGES:
        raise InputError(f"the lamp changed {len(changes_us)} times, expected {FEWEST_CHANGES} at least")
    if np.any(np.diff(changes_us) <= 0):
        raise InputError("the lamp's changes run backwards")
    period = float(np.median(np.diff(t_us)))
    zero = int(t_us[len(t_us) // 2])
    times, changes = (t_us - zero).astype(np.float64), (changes_us - zero).astype(np.float64)
    # Only where the lamp's whole course around is known, whatever the offset.
    inside = (times > changes[0] - SEARCH_US) & (times < changes[-1] + SEARCH_US)
    times, seen = times[inside], brightness[inside]
    if len(times) < FEWEST_CHANGES:
        raise InputError("no pictures were taken while the lamp blinked")

    def lit(offset: float, exposure: float, drift: float) -> Array:
        return _share(times * (1 + drift) + offset, max(exposure, 1.0), changes)

    start = _coarse(times, seen, changes, period)
    best = _refine(lit, seen, np.array([start[0], start[1], 0.0]), period)
    model = lit(*best)
    residual, slope = _residual(model, seen)
    fit = 1 - float(residual.var() / max(seen.var(), 1e-12))
    if fit < LEAST_FIT:
        raise InputError(
            f"the lamp's blinking explains {fit:.0%} of what changes in the picture, expected {LEAST_FIT:.0%}: does "
            "something else move or flicker there, or do the pictures come unevenly?"
        )
    offset, exposure, drift = (float(value) for value in best)
    deviations = _deviations(lit, seen, best, residual, slope)
    # The shutter's unknown direction and speed: at most a period from the first row to the last.
    shutter = abs(row - 0.5) * period
    error = 2 * float(deviations[0]) + shutter + clock_error_us + LEAST_ERROR_US
    return CameraOffset(
        offset_us=offset,
        error_us=error,
        drift_ppm=drift * 1e6,
        drift_error_ppm=2e6 * float(deviations[2]),
        exposure_us=exposure,
        fit=fit,
        changes=len(changes_us),
        pictures=len(times),
    )


def _share(middles: Array, exposure: float, changes: Array) -> Array:
    """The share of each exposure in which the lamp was lit."""
    lit_until = _lit(np.concatenate([middles - exposure / 2, middles + exposure / 2]), changes)
    count = len(middles)
    return np.asarray((lit_until[count:] - lit_until[:count]) / exposure, np.float64)


def _lit(times: Array, changes: Array) -> Array:
    """How long the lamp was lit until each time; it is dark before the first change, and lit after each odd one."""
    place = np.searchsorted(changes, times, side="right")
    spans = np.diff(changes)
    before = np.concatenate([[0.0, 0.0], np.cumsum(np.where(np.arange(len(spans)) % 2 == 0, spans, 0.0))])
    since = np.where(place > 0, times - changes[np.maximum(place - 1, 0)], 0.0)
    return np.asarray(before[place] + np.where(place % 2 == 1, since, 0.0), np.float64)


def _residual(model: Array, seen: Array) -> tuple[Array, float]:
    """What is left of the brightness when dark and lit are fitted, and how much brighter lit is than dark."""
    spread = float(((model - model.mean()) ** 2).sum())
    slope = float(((model - model.mean()) * (seen - seen.mean())).sum()) / max(spread, 1e-12)
    left = seen - seen.mean() - slope * (model - model.mean())
    return left, slope


def _coarse(times: Array, seen: Array, changes: Array, period: float) -> tuple[float, float]:
    """The offset and exposure that fit best on a grid; raises `InputError` when others fit nearly as well."""
    offsets = np.arange(-SEARCH_US, SEARCH_US + 1, COARSE_US, dtype=np.float64)
    misfits = np.full((len(offsets), len(EXPOSURES)), np.inf)
    for column, share in enumerate(EXPOSURES):
        for line, offset in enumerate(offsets):
            left, slope = _residual(_share(times + offset, share * period, changes), seen)
            misfits[line, column] = float(left @ left) if slope > 0 else np.inf
    line, column = divmod(int(misfits.argmin()), len(EXPOSURES))
    far = misfits[np.abs(offsets - offsets[line]) > FAR_US]
    if not misfits[line, column] < APART * float(far.min()):
        raise InputError("the lamp's blinking is not found in the pictures: is it the totem's lamp that is seen?")
    return float(offsets[line]), EXPOSURES[column] * period


def _refine(lit: Lit, seen: Array, start: Array, period: float) -> Array:
    """Least squares by shrinking steps along each unknown: the model has corners, where slopes mislead."""
    best = start.copy()
    steps = np.array([COARSE_US / 2, period / 8, 50e-6])
    low = np.array([-np.inf, 100.0, -MOST_DRIFT_PPM * 1e-6])
    high = np.array([np.inf, 1.2 * period, MOST_DRIFT_PPM * 1e-6])

    left, _ = _residual(lit(*best), seen)
    # Both times come from clocks that were brought together already: a drift is not believed without need.
    doubt = float(left @ left) / len(seen) / (USUAL_DRIFT_PPM * 1e-6) ** 2

    def cost(values: Array) -> float:
        left, slope = _residual(lit(*values), seen)
        return float(left @ left) + doubt * values[2] ** 2 if slope > 0 else float("inf")

    now = cost(best)
    while steps[0] > 5.0:
        moved = False
        for place in range(3):
            for sign in (1.0, -1.0):
                trial = best.copy()
                trial[place] = np.clip(trial[place] + sign * steps[place], low[place], high[place])
                then = cost(trial)
                if then < now:
                    best, now, moved = trial, then, True
        if not moved:
            steps = steps / 2
    return best


def _deviations(lit: Lit, seen: Array, best: Array, residual: Array, slope: float) -> Array:
    """Standard deviations of offset, exposure and drift, from the slopes of the model about them."""
    steps = np.array([500.0, 500.0, 20e-6])
    columns = []
    for place in range(3):
        step = np.zeros(3)
        step[place] = steps[place]
        columns.append(slope * (lit(*(best + step)) - lit(*(best - step))) / (2 * steps[place]))
    columns += [np.ones(len(seen)), lit(*best)]
    design = np.stack(columns, 1)
    scale = np.maximum(np.abs(design).max(0), 1e-30)
    normal = (design / scale).T @ (design / scale)
    back = np.linalg.pinv(normal)
    # Where a time is uncertain, only pictures in which the lamp changes suffer: each counts with its own residual
    # (White, A heteroskedasticity-consistent covariance matrix estimator, Econometrica 1980).
    weighted = (design / scale) * residual[:, None]
    spread = back @ (weighted.T @ weighted) @ back * len(seen) / max(len(seen) - 5, 1)
    return np.asarray(np.sqrt(np.maximum(np.diag(spread), 0.0)) / scale, np.float64)[:3]
