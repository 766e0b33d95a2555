"""A totem on a serial port: opened by its id, for nobody else, and opened again when it comes back.

Belongs here: the port. Does not belong here: what is said over it (`receiver`).

Facts this rests on: pyserial's `is_open` stays true after an unplug, it is the read that raises; opening a
port throws away what had come in, so nothing is expected before we ask; only `/dev/serial/by-id` names the
same totem after a replug; without `exclusive` two programs would share the bytes of one port.
"""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

import serial

from referee.errors import HardwareError
from referee.totem.links.base import Clock, LinkHealth, freshness, table_clock
from referee.totem.receiver import Notice, Receiver
from referee.totem.scans import Layout, ScanBatch

BY_ID = Path("/dev/serial/by-id")
REOPEN_S = 0.5
_TURN_S = 0.01  # how long at most one wait is, so that pings leave on time
_READ_BYTES = 65536
_UNSENT_BYTES = 4096


def find_port(folder: Path = BY_ID) -> Path:
    """The one MicroPython board that is plugged in; raises `HardwareError` for none or more than one."""
    boards = sorted(folder.glob("*MicroPython*")) if folder.is_dir() else []
    if not boards:
        raise HardwareError(f"no totem found: no MicroPython board in {folder} (is the cable plugged in?)")
    if len(boards) > 1:
        names = ", ".join(board.name for board in boards)
        raise HardwareError(f"several MicroPython boards are plugged in: say which is the totem ({names})")
    return boards[0]


class SerialLink:
    """One totem on `port` (a path that stays the same over a replug); the contract is `base.Link`'s."""

    def __init__(self, port: str | Path, now_us: Clock | None = None) -> None:
        self._path = str(port)
        self._now_us = now_us or table_clock()
        self._port: serial.Serial | None = None
        self._problem: str | None = "not opened yet"
        self._next_open_s = 0.0
        self._closed = False
        self._unsent = b""
        self._last_us: int | None = None
        self._scans = 0
        self.receiver = Receiver()

    @property
    def name(self) -> str:
        return self._path

    @property
    def layout(self) -> Layout | None:
        hello = self.receiver.hello
        return None if hello is None else hello.layout

    @property
    def ended(self) -> bool:
        return self._closed

    def send(self, command: bytes) -> None:
        """Queue a command of `protocol` for the totem."""
        self.receiver.send(command)

    def take_notices(self) -> list[Notice]:
        """What the totem said besides scans since the last call."""
        return self.receiver.take_notices()

    def poll(self, timeout_s: float) -> list[ScanBatch]:
        end_s = time.monotonic() + timeout_s
        while not self._closed:
            left_s = end_s - time.monotonic()
            batches = self._turn(min(max(left_s, 0.0), _TURN_S))
            if batches:
                self._scans += sum(len(batch) for batch in batches)
                self._last_us = self._now_us()
                return batches
            if left_s <= 0:
                break
        return []

    def _turn(self, wait_s: float) -> list[ScanBatch]:
        port = self._port or self._open()
        if port is None:
            time.sleep(wait_s)
            return []
        try:
            self._write(port)
            readable, _, _ = select.select([port.fileno()], [], [], wait_s)
            data = port.read(_READ_BYTES) if readable else b""
        except (OSError, ValueError) as error:
            # serial.SerialException is an OSError; ValueError is a descriptor that closed under select.
            self._cut(f"{self._path}: the totem is gone ({error})")
            return []
        return self.receiver.receive(data, self._now_us()) if data else []

    def _write(self, port: serial.Serial) -> None:
        unsent = self._unsent + self.receiver.to_send(self._now_us())
        if unsent:
            # The descriptor does not block: it takes what fits. When a totem reads nothing for so long that
            # this runs over, the commands are stale and are dropped.
            try:
                written = os.write(port.fileno(), unsent)
            except BlockingIOError:
                written = 0
            self._unsent = unsent[written:] if len(unsent) - written <= _UNSENT_BYTES else b""

    def _open(self) -> serial.Serial | None:
        now_s = time.monotonic()
        if now_s < self._next_open_s:
            return None
        self._next_open_s = now_s + REOPEN_S
        try:
            port = serial.Serial(self._path, 115_200, timeout=0, exclusive=True)
        except (OSError, ValueError) as error:
            missing = not Path(self._path).exists()
            self._problem = f"{self._path}: " + ("there is no such port" if missing else f"cannot be opened ({error})")
            return None
        self._port = port
        self._problem = None
        self._unsent = b""
        self.receiver.line_cut()
        return port

    def _cut(self, problem: str) -> None:
        self._problem = problem
        if self._port is not None:
            self._port.close()
        self._port = None
        self.receiver.line_cut()

    def health(self) -> LinkHealth:
        age_us = None if self._last_us is None else self._now_us() - self._last_us
        problem = "closed" if self._closed else self._problem
        if problem is None and self.receiver.problem is not None:
            problem = f"{self._path}: {self.receiver.problem}"
        counters = self.receiver.counters
        return LinkHealth(
            freshness(age_us, problem),
            age_us,
            problem,
            self._scans,
            counters.scans_lost,
            counters.faults,
            counters.starts,
            self.receiver.clock_state.error_us,
        )

    def close(self) -> None:
        if not self._closed and self._port is not None:
            self._port.close()
        self._port = None
        self._closed = True
