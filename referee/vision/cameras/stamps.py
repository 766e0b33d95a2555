"""When a picture was exposed, from what a driver says about it.

Belongs here: which clock a driver's stamp is on, and from a stamp to the middle of the exposure. Does not
belong here: devices; the table clock (`live` brings stamps onto it).

All times are microseconds on CLOCK_MONOTONIC, which every process of a machine shares.
Sources: Linux V4L2, "Buffers" (a buffer's stamp is monotonic, unless the driver is of the old kind that used the
time of day; the UVC driver takes it at the frame's first packet); libcamera `controls::SensorTimestamp`
(nanoseconds on the boot clock, which runs with the monotonic one on a machine that does not sleep).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

OLDEST_US = 5_000_000  # a frame older than this was not just delivered: its stamp is on another clock
NEWEST_US = 1_000  # a stamp may lie this far ahead: the driver and we round differently
# Light to program, where nothing else is known: 50-120 ms were measured on a Pi.
USUAL_LATENCY_US = 85_000
USUAL_LATENCY_ERROR_US = 35_000


@dataclass(frozen=True, slots=True)
class Exposure:
    """Mid-exposure of a frame, good to ± `error_us`, and its length if known."""

    middle_us: int
    exposure_us: int | None
    error_us: int


def monotonic_us() -> int:
    """CLOCK_MONOTONIC, now."""
    return time.monotonic_ns() // 1000


def _boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def _day_us() -> int:
    return time.time_ns() // 1000


CLOCKS: Mapping[str, Callable[[], int]] = {"monotonic": monotonic_us, "boot": _boot_us, "day": _day_us}
"""The clocks a driver's stamp may be on, the likeliest first."""


def on_monotonic(stamp_us: int, clocks: Mapping[str, Callable[[], int]] = CLOCKS) -> int | None:
    """A driver's stamp of a frame that has just come, on the monotonic clock; None when it fits no clock."""
    for now in clocks.values():
        age_us = now() - stamp_us
        if -NEWEST_US <= age_us <= OLDEST_US:
            return clocks["monotonic"]() - max(age_us, 0)
    return None


def from_readout(first_row_us: int, exposure_us: int | None, period_us: int) -> Exposure:
    """Mid-exposure of a frame whose first row was read out at `first_row_us`.

    A rolling shutter exposes the last row up to a frame period after the first; calibration takes the mean of
    that out (`camera.offset_us`), and half a period either way is what is left. An unknown exposure lasted
    between nothing and a whole period: the middle of that is taken.
    """
    length_us = period_us // 2 if exposure_us is None else exposure_us
    return Exposure(first_row_us - length_us // 2, exposure_us, period_us // 2)


def from_arrival(arrived_us: int, latency_us: int | None, period_us: int) -> Exposure:
    """Mid-exposure of a frame of which only the arrival is known, less the latency measured for this camera."""
    if latency_us is None:
        return Exposure(arrived_us - USUAL_LATENCY_US, None, USUAL_LATENCY_ERROR_US + period_us // 2)
    # A measured latency is a mean; a frame may have waited up to a period for the program.
    return Exposure(arrived_us - latency_us, None, period_us)
