"""`referee calibrate totem`: hands off, one finger, hands all over it; what it reads goes into the profile."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import replace

from calibration.devices import device_name
from calibration.profile_file import check_may_write
from calibration.totem import at_rest, finger_swing, in_hands, judge, totem_part
from calibration.totem_link import (
    POLL_S,
    firmware_of,
    grips_in,
    hello_of,
    listen,
    pads_of,
    port_of,
    seats_of,
    self_test,
)
from referee.commands.calibrate.common import EXIT_DONE, EXIT_NO, ask, hint, keep, tell
from referee.errors import HardwareError, InputError
from referee.grips import grips_path, keep_grips
from referee.totem.enrol import Findings
from referee.totem.links.base import table_clock
from referee.totem.links.serial_port import SerialLink
from referee.totem.scans import ScanBatch

REST_S, FINGER_S, HANDS_S, PLAYER_S = 4.0, 6.0, 30.0, 8.0
STEPS = (
    ("Hands off the totem and off the table.", REST_S),
    ("Now touch the totem with one finger, let go, and again.", FINGER_S),
    (
        "Now take it with a whole hand, again and again, low and high, from all sides, until all of it was held.",
        HANDS_S,
    ),
)


def run(arguments: argparse.Namespace) -> int:
    """Go through the steps, judge, keep; 1 when something on the totem is broken."""
    keys = ("totem.warm_counts",)
    check_may_write(arguments.profile, "totem", keys, arguments.force)
    if arguments.players:
        seats_of(arguments.profile)
        if grips_path(arguments.profile).exists() and not arguments.force:
            raise InputError(f"{grips_path(arguments.profile)}: is there already; --force writes over it")
    port = port_of(arguments.profile, arguments.port)
    with closing(SerialLink(port, table_clock())) as link:
        listen(link)
        steps = [_step(arguments, link, words, seconds) for words, seconds in STEPS]
        hello = hello_of(link)
        rest = at_rest(steps[0])
        found = judge(hello.layout, rest, finger_swing(steps[1], rest), in_hands(steps[2], rest))
        players = _players(arguments, link) if arguments.players else None
        problems = [*found.problems, *self_test(link, found)]
    for problem in problems:
        tell(arguments, problem, {"problem": problem})
    tell(
        arguments,
        f"a finger moves the readings by {found.finger:.0f}, a hand by {found.hand:.0f} counts; noise "
        f"{float(sorted(rest.noise)[len(rest.noise) // 2]):.1f}; near is from {found.warm_counts:g} counts on",
        {"finger": round(found.finger), "hand": round(found.hand), "warm_counts": found.warm_counts},
    )
    part = totem_part(found, device_name(port), firmware_of(hello), players)
    # A totem that was measured is one to be played with.
    keep(arguments, replace(part, first={"totem.port": arguments.port or "auto"}))
    if players is not None:
        _keep_grips(arguments, players)
    return EXIT_NO if problems else EXIT_DONE


def _step(arguments: argparse.Namespace, link: SerialLink, words: str, seconds: float) -> list[ScanBatch]:
    """The readings while somebody does what is said."""
    hint(words)
    if arguments.step_seconds is not None:
        seconds = arguments.step_seconds
    elif ask(f"(Enter, then {seconds:.0f} s)") is None:
        raise InputError("nobody answers; --step-seconds S goes through the steps without questions")
    # What came while the question stood is not of this step.
    while link.poll(0.0):
        continue
    batches: list[ScanBatch] = []
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        batches += link.poll(POLL_S)
    if not batches:
        raise HardwareError(link.health().problem or f"{link.name}: the totem fell silent")
    return batches


def _players(arguments: argparse.Namespace, link: SerialLink) -> Findings:
    """Everybody takes the totem once."""
    seats = seats_of(arguments.profile)
    names = ", then ".join(seats)
    seconds = PLAYER_S * len(seats)
    batches = _step(arguments, link, f"Each takes the totem once and lets it go: {names}.", seconds)
    found = grips_in(batches, arguments.profile)
    for what, some in (("swapped", found.swapped), ("silent", found.silent)):
        if some:
            hint(f"seat pads that are {what}: {', '.join(some)}")
    return found


def _keep_grips(arguments: argparse.Namespace, found: Findings) -> None:
    """For the next games at this table, as `referee ready players` does."""
    path = grips_path(arguments.profile)
    keep_grips(path, pads_of(arguments.profile), found, replace=True)
    hint(f"what the grips showed is kept in {path} for the next games")
