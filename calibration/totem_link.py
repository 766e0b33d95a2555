"""A totem on its port while it is calibrated: waiting for it, its own self-test, everybody's first grip.

Belongs here: what the steps at a terminal and at a page share. Does not belong here: asking people, judging readings
(`calibration.totem`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from calibration.profile_file import read_raw, value_at
from calibration.totem import TotemFound, name_of
from referee.errors import HardwareError, InputError
from referee.profile import read_profile
from referee.totem import protocol
from referee.totem.enrol import Findings, enrol
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.live import layout_of_batch, scans_of_batch
from referee.totem.messages import Hello, SelfTest
from referee.totem.scans import ScanBatch
from referee.totem.stream import join

FIRST_S = 10.0
SELF_TEST_S = 3.0
POLL_S = 0.1
_STATES = ("fine", "short to ground", "not connected, or short to the supply", "joined with another")


def port_of(profile: Path, named: str | None = None) -> str:
    """The port named, else the profile's, else the one board that is plugged in; raises `HardwareError`."""
    port = named or value_at(read_raw(profile), "totem.port")
    return str(find_port()) if port in (None, "auto") else str(port)


def listen(link: SerialLink) -> None:
    """Wait until the totem sends readings; raises `HardwareError` when it does not."""
    end_s = time.monotonic() + FIRST_S
    while not link.poll(POLL_S):
        if time.monotonic() > end_s:
            raise HardwareError(link.health().problem or f"{link.name}: the totem sends no readings")


def hello_of(link: SerialLink) -> Hello:
    """Who the totem says it is; raises `HardwareError` when it never said."""
    hello = link.receiver.hello
    if hello is None:
        raise HardwareError(f"{link.name}: the totem did not say who it is")
    return hello


def firmware_of(hello: Hello) -> str:
    """Build and version in one word."""
    return f"{hello.build} {'.'.join(map(str, hello.firmware))}"


def self_test(link: SerialLink, found: TotemFound) -> list[str]:
    """What the totem says of its own electrodes, besides what was felt."""
    link.take_notices()
    link.send(protocol.ask_self_test())
    end_s = time.monotonic() + SELF_TEST_S
    while time.monotonic() < end_s:
        link.poll(POLL_S)
        for said in link.take_notices():
            if isinstance(said, SelfTest):
                known = {*found.felt.dead, *(pad for pair in found.felt.joined for pad in pair)}
                return [
                    f"electrode {name_of(found.layout, pad)}: the totem's self-test says: {_STATES[said.pads[pad]]}"
                    for pad in said.faulty
                    if pad not in known
                ]
    return []


def seats_of(profile: Path) -> dict[str, float]:
    """Who sits where (degrees), in the order in which they take the totem; raises `InputError` without seats."""
    seats = {seat.player: seat.angle_deg for seat in read_profile(profile).seats}
    if not seats:
        raise InputError(f"{profile}: seat: expected one [[seat]] for each player (referee calibrate table)")
    return seats


def pads_of(profile: Path) -> tuple[str, ...]:
    """Whose seat pads the totem drives, in its order; empty where there are none."""
    read = read_profile(profile)
    return read.players if read.totem.seat_pads else ()


def grips_in(batches: Sequence[ScanBatch], profile: Path) -> Findings:
    """What everybody's one grip, in the order of the seats, says; raises `TraceError` for another number of grips."""
    scans = join([scans_of_batch(batch) for batch in batches])
    angle0 = read_profile(profile).totem.angle0_deg
    return enrol(scans, seats_of(profile), layout_of_batch(batches[0].layout), pads_of(profile), angle0)
