"""Listens to the totem for a few seconds: port, program, scans, clock and self-test."""

from __future__ import annotations

import errno
import time
from dataclasses import replace
from pathlib import Path

import serial

from referee.doctor.judges.totem import TotemFacts
from referee.doctor.plan import Plan
from referee.doctor.rights import group_to_join
from referee.doors import totem_layout
from referee.errors import HardwareError, ProfileError
from referee.profile import Profile
from referee.totem import protocol
from referee.totem.install import shipped_version
from referee.totem.links.base import Link, LinkHealth, table_clock
from referee.totem.links.opening import TWELVE_BY_FOUR, open_link
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.messages import PROTOCOL_VERSION, Cause, Fault, SelfTest
from referee.totem.receiver import Notice

GREET_S = 4.0
SELF_TEST_S = 3.0
_TURN_S = 0.05
MPR121_PERIOD_US = 4000  # NXP MPR121 data sheet: the shortest interval of its readings we set (hardware.md)


def probe(plan: Plan) -> TotemFacts:
    """What the plan's totem says; without a name the one board that is plugged in is looked at."""
    try:
        profile = plan.read_profile()
    except ProfileError:
        profile = None  # said by the profile's own finding
    port = plan.totem or (None if profile is None else profile.totem.port)
    try:
        if port is None and profile is not None:
            return TotemFacts("plain")
        if port is None or port == "auto":
            port = str(find_port())
    except HardwareError as error:
        return TotemFacts("plain") if port is None else TotemFacts("live", "missing", why=str(error))
    if port.endswith(".npz"):
        return TotemFacts("recording")
    if not port.startswith("mpr121"):
        trouble = port_trouble(Path(port))
        if trouble is not None:
            return trouble
    return listen(port, profile, plan.seconds)


def port_trouble(port: Path) -> TotemFacts | None:
    """Why a serial port cannot be had; None when it can."""
    if not port.exists():
        return TotemFacts("live", "missing")
    if (group := group_to_join(port)) is not None:
        return TotemFacts("live", "rights", group)
    try:
        serial.Serial(str(port), 115_200, timeout=0, exclusive=True).close()
    except (OSError, ValueError) as error:
        taken = getattr(error, "errno", None) in (errno.EBUSY, errno.EAGAIN) or "lock" in str(error)
        return TotemFacts("live", "busy" if taken else "silent", why=str(error))
    return None


def listen(port: str, profile: Profile | None, seconds: float) -> TotemFacts:
    """Talk to the totem behind `port` for `seconds` after its greeting."""
    facts = TotemFacts("live", shipped=shipped_version())
    try:
        link = open_link(port, table_clock(), TWELVE_BY_FOUR if profile is None else totem_layout(profile))
    except (HardwareError, ProfileError) as error:
        return replace(facts, trouble="missing", why=str(error))
    try:
        notices: list[Notice] = []
        _turns(link, GREET_S, notices, until_scans=True)
        other = _other_protocol(notices)
        if other:
            return replace(facts, other_protocol=other)
        begun = link.health()
        if begun.scans == 0:
            return replace(facts, trouble="silent", why=begun.problem or "")
        start_s = time.monotonic()
        _turns(link, seconds, notices)
        watched_s, ended = time.monotonic() - start_s, link.health()
        facts = _counted(facts, begun, ended, watched_s)
        return _said(facts, link) if isinstance(link, SerialLink) else replace(facts, period_us=MPR121_PERIOD_US)
    finally:
        link.close()


def _turns(link: Link, seconds: float, notices: list[Notice], *, until_scans: bool = False) -> None:
    """Listen for so long; with `until_scans` only until the first scans, or words of another protocol."""
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        came = link.poll(_TURN_S)
        if isinstance(link, SerialLink):
            notices += link.take_notices()
        if until_scans and (came or _other_protocol(notices)):
            return


def _other_protocol(notices: list[Notice]) -> str:
    for said in notices:
        if isinstance(said, Fault) and said.cause is Cause.VERSION:
            return said.detail
    return ""


def _counted(facts: TotemFacts, begun: LinkHealth, ended: LinkHealth, seconds: float) -> TotemFacts:
    return replace(
        facts,
        seconds=seconds,
        scans=ended.scans - begun.scans,
        lost=ended.scans_lost - begun.scans_lost,
        starts=max(1, ended.starts),
        clock_error_us=ended.clock_error_us,
    )


def _said(facts: TotemFacts, link: SerialLink) -> TotemFacts:
    """The same with what the totem's greeting and its self-test said."""
    hello = link.receiver.hello
    if hello is None:
        return facts
    link.send(protocol.ask_self_test())
    end_s, test = time.monotonic() + SELF_TEST_S, None
    while test is None and time.monotonic() < end_s:
        link.poll(_TURN_S)
        test = next((said for said in link.take_notices() if isinstance(said, SelfTest)), None)
    return replace(
        facts,
        protocol=PROTOCOL_VERSION,
        firmware=hello.firmware,
        build=hello.build,
        boot_id=f"{hello.boot_id:08x}",
        rings=hello.layout.rings,
        sectors=hello.layout.sectors,
        period_us=hello.period_us,
        faulty=None if test is None else [f"{pad} {test.pads[pad].name.lower()}" for pad in test.faulty],
    )
