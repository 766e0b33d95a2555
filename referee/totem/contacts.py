"""What each electrode felt during a touch: how strongly, from when, how abruptly.

Belongs here: numbers per electrode and the back-dating of a contact to the skin. Does not belong here: whose
hand it was.

Back-dating: an approaching hand raises the reading smoothly, about as one over its distance, and up to 20 ms
before it arrives; skin that lands makes a step within one scan. So a contact is the first scan whose step
is at least half of the largest step of the rise, never the crossing of a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.totem.course import Course, course_of
from referee.totem.motion import lift_index
from referee.totem.touch import Touch

Floats = NDArray[np.float32]

LEAD_US = 120_000
PLATEAU_US = 22_000
MAINS_US = 20_000
SETTLE_US = 150_000
# A hand that arrives later than this after the last landing does not change what has settled.
CHAIN_US = 420_000
# A step is clear of the noise of steps from this many standard deviations on.
CLEAR_STEP = 5.0
# A landing is this much sharper than the nearing before it.
SHARPER = 1.8
# How long before an electrode is half as strong as in the end its skin may have landed.
RISE_US = 40_000


@dataclass(frozen=True)
class Feel:
    """Per electrode (E): final counts, times of 25/50/75 % (us after `t0_us`), largest 2 ms step, peak.

    `landed_us` (us after `t0_us`) is when its skin landed, `landed_step` the counts of the largest step of that
    landing (0: no step stood clear, and `landed_us` is when it was half as strong as in the end); `noise` is the
    scatter of its reading, `course` all of it in time.
    """

    t0_us: int
    settle_us: int
    lifted_us: int | None
    first: int
    settle: int
    final: Floats
    scale: float
    active: NDArray[np.bool_]
    early_us: Floats
    half_us: Floats
    late_us: Floats
    step: Floats
    peak: Floats
    landed_us: Floats
    landed_step: Floats
    noise: Floats
    course: Course


def feel(touch: Touch) -> Feel:
    """Measure a touch."""
    segment = touch.segment
    t = segment.t_us
    first = max(int(np.searchsorted(t, t[touch.start] - LEAD_US)), 0)
    lift = lift_index(segment.tilt_deg[: touch.stop], segment.rest, touch.start)
    if lift is not None and t[lift] - t[touch.start] < 12_000:
        lift = None if t[touch.stop - 1] - t[touch.start] > 12_000 else lift
    settle = settle_index(touch, lift)
    rows = segment.above[first : settle + 1]
    times = t[first : settle + 1]
    plateau = max(int(np.searchsorted(times, times[-1] - PLATEAU_US)), 0)
    final = rows[plateau:].mean(axis=0, dtype=np.float32)
    scale = float(max(final.max(), 1.0))
    active = final > np.maximum(4.0 * segment.noise, 0.04 * scale)
    early = first_above(rows, times, 0.25 * final)
    half = last_below(rows, times, 0.5 * final)
    late = last_below(rows, times, 0.75 * final)
    strong = active & (final > 0.2 * scale)
    t0 = int(early[strong].min()) if strong.any() else int(t[touch.start])
    period = float(np.median(np.diff(times))) if len(times) > 1 else 1000.0
    lag = max(1, round(2000.0 / period))
    step = (rows[lag:] - rows[:-lag]).max(axis=0) if len(rows) > lag else np.zeros_like(final)
    landed, sharp = landings(touch, active, half)
    zero = np.float32(0.0)
    return Feel(
        t0,
        int(t[settle]),
        None if lift is None else int(t[lift]),
        first,
        settle,
        final,
        scale,
        active,
        np.where(active, early - t0, zero).astype(np.float32),
        np.where(active, half - t0, zero).astype(np.float32),
        np.where(active, late - t0, zero).astype(np.float32),
        step,
        rows.max(axis=0),
        np.where(active, landed - t0, zero).astype(np.float32),
        sharp,
        np.asarray(segment.noise, np.float32),
        course_of(times, rows),
    )


def landings(touch: Touch, active: NDArray[np.bool_], half_us: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """(time, counts of the largest step) of the landing on each electrode (E); see `Feel`."""
    t, above, noise = touch.segment.t_us, touch.segment.above, step_noise(touch)
    landed = half_us.copy()
    sharp = np.zeros(len(half_us), np.float32)
    for electrode in np.nonzero(active)[0]:
        end = int(np.searchsorted(t, half_us[electrode]))
        begin = max(int(np.searchsorted(t, half_us[electrode] - RISE_US)), 1)
        contact = contact_us(t, above[:, electrode], float(noise[electrode]), begin, end + 2)
        if contact is not None:
            landed[electrode], sharp[electrode] = contact
    return landed, sharp


def settle_index(touch: Touch, lift: int | None) -> int:
    """The scan at which fingers are counted: before the lift, or 150 ms after the last landing."""
    t, above = touch.segment.t_us, touch.segment.above
    stop = touch.stop - 1
    limit = stop if lift is None else max(min(lift - 1, stop), touch.start + 1)
    period = float(np.median(np.diff(t))) if len(t) > 1 else 1000.0
    # Means over one mains period: pickup that grows with the touch must not look like landings.
    span = max(1, round(MAINS_US / period))
    begin = max(touch.start - 2 * span, 0)
    sums = np.cumsum(above[begin : limit + 1], axis=0, dtype=np.float64)
    mean = (sums[span:] - sums[:-span]) / span
    rise = mean[span:] - mean[:-span]
    if not len(rise):
        return limit
    bar = np.maximum(3.0 * touch.segment.noise, 0.1 * touch.peak)
    rising = np.nonzero((rise > bar).any(axis=1))[0] + begin + span + 1
    # A hand may have hovered, or the level drifted, long before the first landing.
    last = int(rising[0]) if len(rising) else touch.start
    for index in rising:
        if t[index] - t[last] > CHAIN_US:
            break
        last = int(index)
    # Counted is 150 ms after the last hand's first contact; its fingers have landed for a while after that.
    at = int(np.searchsorted(t, t[last] + SETTLE_US - 30_000))
    return max(min(at, limit), min(touch.start + 1, stop))


def first_above(rows: Floats, times: NDArray[np.int64], bar: Floats) -> NDArray[np.int64]:
    """Time of the first of two successive scans above `bar`, per electrode."""
    over = rows > bar
    both = over[:-1] & over[1:] if len(over) > 1 else over
    return np.asarray(times[np.where(both.any(axis=0), both.argmax(axis=0), 0)])


def last_below(rows: Floats, times: NDArray[np.int64], bar: Floats) -> NDArray[np.int64]:
    """Time of the scan after the last one below `bar`, per electrode."""
    under = rows < bar
    back = under[::-1].argmax(axis=0)
    last = np.where(under.any(axis=0), len(rows) - 1 - back, -1)
    return np.asarray(times[np.minimum(last + 1, len(rows) - 1)])


def step_noise(touch: Touch) -> Floats:
    """Scatter of the step from one scan to the next before the touch, per electrode (mains hardly matter)."""
    segment = touch.segment
    calm = max(int(np.searchsorted(segment.t_us, segment.t_us[touch.start] - 40_000)), 0)
    rows = segment.above[:calm]
    if len(rows) < 12:
        return np.asarray(segment.noise, np.float32)
    steps = np.abs(np.diff(rows, axis=0))
    return np.asarray(np.maximum(steps.mean(axis=0) * 1.25, 0.8), np.float32)


def contact_us(
    times: NDArray[np.int64], signal: Floats, noise: float, begin: int, end: int
) -> tuple[int, float] | None:
    """(time of the contact, size of its largest step) in a rise of `signal` between scans `begin` and `end`.

    `noise` is the scatter of steps; None where no step stands clear of it.
    """
    part = signal[max(begin - 1, 0) : end + 1]
    if len(part) < 3:
        return None
    steps = np.diff(part)
    largest = float(steps.max())
    if largest < CLEAR_STEP * noise:
        return None
    clear = steps >= max(0.5 * largest, CLEAR_STEP * noise)
    if SHARPER > 0:
        lead = np.concatenate([np.zeros(3, steps.dtype), steps])
        earlier = np.maximum((lead[:-3] + lead[1:-2] + lead[2:-1]) / 3.0, 0.0)
        clear &= steps >= SHARPER * earlier + 2.0 * noise
    if not clear.any():
        return None
    at = int(np.argmax(clear)) + max(begin - 1, 0) + 1
    before = int(times[at] - times[at - 1]) if at > 0 else 1000
    return int(times[at]) - min(before, 8000) // 2, largest
