"""`referee calibrate totem`: hands off, one finger, hands all over it; what it reads goes into the profile."""

from __future__ import annotations

import argparse
import time
from contextlib import closing

from calibration.devices import device_name
from calibration.profile_file import check_may_write, read_raw, value_at
from calibration.totem import TotemFound, at_rest, finger_swing, in_hands, judge, name_of, totem_part
from referee.commands.calibrate.common import EXIT_DONE, EXIT_NO, ask, hint, keep, tell
from referee.errors import HardwareError, InputError
from referee.profile import read_profile
from referee.totem import protocol
from referee.totem.enrol import Findings, enrol
from referee.totem.links.base import table_clock
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.live import layout_of_batch, scans_of_batch
from referee.totem.messages import SelfTest
from referee.totem.scans import ScanBatch
from referee.totem.stream import join

REST_S, FINGER_S, HANDS_S, PLAYER_S = 4.0, 6.0, 30.0, 8.0
FIRST_S = 10.0
_POLL_S = 0.1
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
    port = arguments.port or value_at(read_raw(arguments.profile), "totem.port")
    port = str(find_port()) if port in (None, "auto") else str(port)
    with closing(SerialLink(port, table_clock())) as link:
        _listen(link)
        steps = [_step(arguments, link, words, seconds) for words, seconds in STEPS]
        hello = link.receiver.hello
        if hello is None:
            raise HardwareError(f"{port}: the totem did not say who it is")
        rest = at_rest(steps[0])
        found = judge(hello.layout, rest, finger_swing(steps[1], rest), in_hands(steps[2], rest))
        players = _players(arguments, link) if arguments.players else None
        problems = [*found.problems, *_self_test(link, found)]
    for problem in problems:
        tell(arguments, problem, {"problem": problem})
    tell(
        arguments,
        f"a finger moves the readings by {found.finger:.0f}, a hand by {found.hand:.0f} counts; noise "
        f"{float(sorted(rest.noise)[len(rest.noise) // 2]):.1f}; near is from {found.warm_counts:g} counts on",
        {"finger": round(found.finger), "hand": round(found.hand), "warm_counts": found.warm_counts},
    )
    firmware = ".".join(map(str, hello.firmware))
    keep(arguments, totem_part(found, device_name(port), f"{hello.build} {firmware}", players))
    return EXIT_NO if problems else EXIT_DONE


def _listen(link: SerialLink) -> None:
    """Until the totem sends readings."""
    end_s = time.monotonic() + FIRST_S
    while not link.poll(_POLL_S):
        if time.monotonic() > end_s:
            raise HardwareError(link.health().problem or f"{link.name}: the totem sends no readings")


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
        batches += link.poll(_POLL_S)
    if not batches:
        raise HardwareError(link.health().problem or f"{link.name}: the totem fell silent")
    return batches


def _players(arguments: argparse.Namespace, link: SerialLink) -> Findings:
    """Everybody takes the totem once."""
    profile = read_profile(arguments.profile)
    seats = {seat.player: seat.angle_deg for seat in profile.seats}
    if not seats:
        raise InputError(f"{arguments.profile}: seat: expected one [[seat]] for each player (referee calibrate table)")
    names = ", then ".join(seats)
    seconds = PLAYER_S * len(seats)
    batches = _step(arguments, link, f"Each takes the totem once and lets it go: {names}.", seconds)
    pads = profile.players if profile.totem.seat_pads else ()
    scans = join([scans_of_batch(batch) for batch in batches])
    found = enrol(scans, seats, layout_of_batch(batches[0].layout), pads, profile.totem.angle0_deg)
    for what, some in (("swapped", found.swapped), ("silent", found.silent)):
        if some:
            hint(f"seat pads that are {what}: {', '.join(some)}")
    return found


def _self_test(link: SerialLink, found: TotemFound) -> list[str]:
    """What the totem says of its own electrodes, besides what was felt."""
    link.take_notices()
    link.send(protocol.ask_self_test())
    end_s = time.monotonic() + 3.0
    while time.monotonic() < end_s:
        link.poll(_POLL_S)
        for said in link.take_notices():
            if isinstance(said, SelfTest):
                known = {*found.felt.dead, *(pad for pair in found.felt.joined for pad in pair)}
                words = ("fine", "short to ground", "not connected, or short to the supply", "joined with another")
                return [
                    f"electrode {name_of(found.layout, pad)}: the totem's self-test says: {words[said.pads[pad]]}"
                    for pad in said.faulty
                    if pad not in known
                ]
    return []
