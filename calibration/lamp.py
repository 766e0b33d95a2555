"""The time between camera and totem: the totem blinks, the camera looks on.

Belongs here: switching the lamp at random, taking both sides' times, the part of the profile. Does not belong here: the
fit (`calibration.lamp_time`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.lamp_light import LampWatch
from calibration.lamp_time import CameraOffset, fit_offset
from calibration.profile_file import Part
from referee.errors import HardwareError, InputError
from referee.totem import protocol
from referee.totem.links.serial_port import SerialLink
from referee.totem.messages import Feature, LampSwitched
from referee.vision.camera import Clock, FrameSource

BLINK_US = (70_000, 330_000)  # longer than an exposure and never the same twice
SECONDS = 20.0
WAIT_US = 10_000_000
_POLL_S = 0.002
_CAMERA_S = 0.003
GOOD_US = 2_000.0


@dataclass
class _Lamp:
    """The lamp's own account of its changes, on the table clock."""

    changes_us: list[int]
    on: bool = False

    def take(self, link: SerialLink) -> None:
        for said in link.take_notices():
            if isinstance(said, LampSwitched) and said.on != self.on:
                self.on = said.on
                self.changes_us.append(round(said.t_us + link.receiver.clock_state.offset_us))


def measure_offset(
    link: SerialLink,
    camera: FrameSource,
    clock: Clock,
    seconds: float = SECONDS,
    seed: int | None = None,
    told: Callable[[float], None] = lambda share: None,
) -> CameraOffset:
    """Blink for so long and fit; `told` hears how much is done (0..1).

    Raises `HardwareError` for a totem without a lamp or a silent device, `InputError` when the lamp is not seen.
    """
    _wait_for(link, camera, clock)
    chance = random.Random(seed)
    lamp, watch = _Lamp([]), LampWatch()
    begin_us = clock()
    next_us, wanted = begin_us, False
    try:
        while (now_us := clock()) - begin_us < seconds * 1e6:
            if now_us >= next_us:
                wanted = not wanted
                link.send(protocol.set_lamp(wanted))
                next_us = now_us + round(chance.uniform(*BLINK_US))
            link.poll(_POLL_S)
            lamp.take(link)
            frame = camera.poll(_CAMERA_S)
            if frame is not None:
                watch.add(frame.picture, frame.t_us)
                told(min(1.0, (now_us - begin_us) / seconds / 1e6))
    finally:
        link.send(protocol.set_lamp(False))
        link.poll(0.05)
    problem = link.health().problem or camera.health().problem
    if problem is not None:
        raise HardwareError(problem)
    if len(lamp.changes_us) < 2:
        raise HardwareError(f"{link.name}: the totem did not switch its lamp")
    brightness, row = watch.brightness()
    t_us, changes = np.array(watch.t_us, np.int64), np.array(lamp.changes_us, np.int64)
    return fit_offset(t_us, brightness, changes, row, link.health().clock_error_us)


def _wait_for(link: SerialLink, camera: FrameSource, clock: Clock) -> None:
    """Until totem and camera both are there."""
    begin_us = clock()
    heard = seen = False
    while not (heard and seen):
        heard = bool(link.poll(_POLL_S)) or heard
        seen = camera.poll(_CAMERA_S) is not None or seen
        if clock() - begin_us > WAIT_US:
            silent = link.health().problem or "the totem says nothing" if not heard else camera.health().problem
            raise HardwareError(silent or f"{camera.name}: no picture comes")
    hello = link.receiver.hello
    if hello is None or not hello.features & Feature.LAMP:
        raise HardwareError(f"{link.name}: this totem has no lamp (LAMP_PIN in its settings)")


def time_part(found: CameraOffset, camera: str, totem: str) -> Part:
    """What the profile keeps; raises `InputError` for an offset too uncertain to be of use."""
    if found.error_us > 10 * GOOD_US:
        raise InputError(
            f"the offset is only known to {found.error_us / 1000:.0f} ms, expected {10 * GOOD_US / 1000:g}"
        )
    figures: dict[str, Any] = {
        "device": camera,
        "totem_device": totem,
        "offset_us": round(found.offset_us),
        "offset_error_us": round(found.error_us),
        "drift_ppm": round(found.drift_ppm, 1),
        "drift_uncertain_ppm": round(found.drift_error_ppm, 1),
        "exposure_us": round(found.exposure_us),
        "fit": round(found.fit, 3),
        "changes": found.changes,
        "pictures": found.pictures,
    }
    return Part("time", {"camera.offset_us": round(found.offset_us)}, figures)
