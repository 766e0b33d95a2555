"""The totem's probe before simulated totems: sound, of another protocol, not there, taken, silent, forbidden."""

from __future__ import annotations

import os
import pty
import struct
import threading
import tty
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import serial

from referee.doctor.judges.totem import judge
from referee.doctor.plan import Plan
from referee.doctor.probes.totem import port_trouble, probe
from referee.doctor.rights import may_use
from referee.sim.totem_device import SimulatedTotem
from referee.totem import cobs
from referee.totem.messages import FromTotem
from tests.totem_link.back_to_back import trace


def verdicts(plan: Plan) -> dict[str, str]:
    return {finding.probe: finding.verdict for finding in judge(probe(plan))}


def test_a_totem_that_works_tells_its_program_its_scans_and_its_clock(tmp_path: Path) -> None:
    with SimulatedTotem(trace(20_000, rings=6), tmp_path / "port"):
        facts = probe(Plan(totem=str(tmp_path / "port"), seconds=1.0))
    found = {finding.probe: finding.verdict for finding in judge(facts)}
    assert facts.boot_id
    assert facts.scans > 100
    assert (facts.rings, facts.sectors) == (6, 4)
    assert found["totem.there"] == found["totem.protocol"] == found["totem.firmware"] == found["totem.pads"] == "ok"
    assert found["totem.lost"] == "ok"


@contextmanager
def board_saying(words: bytes, path: Path) -> Iterator[None]:
    """A serial port on which a board answers whatever it is asked with the same words."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    path.symlink_to(os.ttyname(theirs))
    done = threading.Event()

    def answer() -> None:
        while not done.is_set():
            try:
                if os.read(ours, 256):
                    os.write(ours, words)
            except OSError:
                return

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        os.close(theirs)
        os.close(ours)
        thread.join(2.0)


def framed(payload: bytes) -> bytes:
    """A frame of the totem's wire (docs/protocol.md)."""
    return b"\0" + cobs.encode(payload + struct.pack("<I", zlib.crc32(payload))) + b"\0"


def test_a_totem_of_another_protocol_is_told_with_its_version(tmp_path: Path) -> None:
    hello = framed(bytes([FromTotem.HELLO, 0]) + bytes(60))
    with board_saying(hello, tmp_path / "port"):
        (_, protocol) = judge(probe(Plan(totem=str(tmp_path / "port"), seconds=0.5)))
    assert (protocol.probe, protocol.verdict) == ("totem.protocol", "other")
    assert "protocol 0" in str(protocol.facts["found"])


def test_a_board_that_says_nothing_sensible_is_silent(tmp_path: Path) -> None:
    with board_saying(b">>> \r\n", tmp_path / "port"):
        assert verdicts(Plan(totem=str(tmp_path / "port"), seconds=0.5)) == {"totem.there": "silent"}


def test_a_port_that_is_not_there_is_missing(tmp_path: Path) -> None:
    assert verdicts(Plan(totem=str(tmp_path / "port"))) == {"totem.there": "missing"}


def test_a_port_that_another_program_has_is_busy(tmp_path: Path) -> None:
    with board_saying(b"", tmp_path / "port"), serial.Serial(str(tmp_path / "port"), exclusive=True):
        trouble = port_trouble(tmp_path / "port")
    assert trouble is not None
    assert trouble.trouble == "busy"


@pytest.mark.parametrize(
    ("mode", "owner", "group", "user", "groups", "may"),
    [
        (0o660, 0, 20, 1000, [1000, 20], True),
        (0o660, 0, 20, 1000, [1000], False),
        (0o666, 0, 20, 1000, [1000], True),
        (0o600, 1000, 20, 1000, [], True),
        (0o060, 1000, 20, 1000, [20], False),  # the owner's bits decide for the owner
        (0o640, 0, 20, 1000, [20], False),
        (0o600, 0, 0, 0, [], True),
    ],
)
def test_rights_are_those_of_the_first_class_that_fits(
    mode: int, owner: int, group: int, user: int, groups: list[int], may: bool
) -> None:
    assert may_use(mode, owner, group, user, groups) is may


def test_a_recorded_totem_opens_no_port() -> None:
    assert verdicts(Plan(totem="trace.npz")) == {"totem.there": "recording"}
