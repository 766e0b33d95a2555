"""`referee calibrate light`: frames of the table at rest in, what the light is like out."""

from __future__ import annotations

import argparse
from itertools import islice

from calibration.light import FEWEST_FRAMES, judge_light, light_part
from calibration.profile_file import check_may_write
from calibration.sources import shots
from referee.commands.calibrate.common import EXIT_DONE, EXIT_NO, device_of, keep, settings_of, tell
from referee.errors import InputError
from referee.totem.links.base import table_clock

MOST_FRAMES = 600


def run(arguments: argparse.Namespace) -> int:
    """Judge the light and keep the figures; 1 when something is to be bettered."""
    check_may_write(arguments.profile, "light", (), arguments.force)
    if not FEWEST_FRAMES <= arguments.frames <= MOST_FRAMES:
        raise InputError(f"--frames {arguments.frames}: expected a number from {FEWEST_FRAMES} to {MOST_FRAMES}")
    settings = settings_of(arguments)
    taken = list(islice(shots(settings, table_clock()), arguments.frames))
    fps = settings.fps or 30.0
    times = [round(place * 1e6 / fps) if shot.t_us is None else shot.t_us for place, shot in enumerate(taken)]
    found = judge_light([shot.picture for shot in taken], times)
    for problem in found.problems:
        tell(arguments, problem, {"problem": problem})
    if not found.problems:
        tell(arguments, "the light is good: no glare, no flicker, the exposure stands still", {"problem": None})
    keep(arguments, light_part(found, device_of(settings)))
    return EXIT_NO if found.problems else EXIT_DONE
