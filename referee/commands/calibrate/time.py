"""`referee calibrate time`: the totem's lamp blinks, the camera sees it, the offset goes into the profile."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace

from calibration.devices import device_name
from calibration.lamp import measure_offset, time_part
from calibration.profile_file import check_may_write
from calibration.totem_link import port_of
from referee.commands.calibrate.common import EXIT_DONE, hint, keep, settings_of, tell
from referee.errors import InputError
from referee.totem.links.base import table_clock
from referee.totem.links.serial_port import SerialLink
from referee.vision.camera import is_live, open_camera


def run(arguments: argparse.Namespace) -> int:
    """Blink, fit, keep."""
    check_may_write(arguments.profile, "time", ("camera.offset_us",), arguments.force)
    settings = settings_of(arguments)
    if not is_live(settings.source):
        raise InputError(f"{settings.source}: is a recording, expected a live camera that sees the totem's lamp")
    port = port_of(arguments.profile, arguments.port)
    clock = table_clock()
    with (
        closing(SerialLink(port, clock)) as link,
        closing(open_camera(replace(settings, offset_us=0), clock)) as camera,
    ):
        hint(f"the totem blinks for {arguments.seconds:g} s: leave it standing where the camera sees its lamp")
        found = measure_offset(link, camera, clock, arguments.seconds)
    tell(
        arguments,
        f"add {found.offset_us / 1000:.1f} ms to the camera's times (± {found.error_us / 1000:.1f} ms; "
        f"{found.changes} changes of the lamp, drift {found.drift_ppm:.0f} ± {found.drift_error_ppm:.0f} ppm)",
        {
            "offset_us": round(found.offset_us),
            "error_us": round(found.error_us),
            "drift_ppm": round(found.drift_ppm, 1),
        },
    )
    keep(arguments, time_part(found, device_name(settings.source), device_name(port)))
    return EXIT_DONE
