"""A totem without hardware: the firmware's own program, fed from a trace, at the far end of a cable.

Belongs here: stand-ins for pads, motion sensor, switches and port that read a trace instead of pins. Does not
belong here: the program itself (`firmware/totem`, run unchanged under CPython), the cable's faults (`cable`),
how a trace comes about.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import threading
import time
from array import array
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from referee.sim import fast_codec, firmware
from referee.sim.cable import Cable
from referee.totem.scans import ScanBatch

_TICKS_MASK = 0x3FFFFFFF


def load_logic() -> ModuleType:
    """The firmware's `device`, its byte loops replaced by the equal ones of `fast_codec`."""
    return firmware.load(("compat", "wire", "stamp", "outbox", "device"), {"codec": fast_codec})["device"]


class TraceSettings:
    """What `config.py` holds on a board; the names are the firmware's."""

    def __init__(self, trace: ScanBatch, batch: int, window_bytes: int) -> None:
        layout = trace.layout
        self.VERSION = (0, 1, 0)
        self.BUILD = "S"
        self.RINGS = layout.rings
        self.SECTORS = layout.sectors
        self.SEATS = layout.seats
        self.BATCH = batch
        self.PERIOD_US = int(np.median(np.diff(trace.t_us))) & 0xFFFF if len(trace) > 1 else 1000
        self.WINDOW_BYTES = window_bytes
        self.DIAMETER_TENTHS = round(layout.diameter_mm * 10)
        self.HEIGHT_TENTHS = round(layout.height_mm * 10)
        self.RING_TENTHS = [round(ring * 10) for ring in layout.ring_mm]
        self.FEATURES = 0x09 | (0x02 if trace.yaw_deg is not None else 0) | (0x04 if trace.seated is not None else 0)


class TracePads:
    """The pads, motion sensor and switches of a recorded totem: scan k says what the trace's scan k says."""

    tilt_valid = True
    missed = 0
    errors = 0

    def __init__(self, trace: ScanBatch) -> None:
        self._counts = np.clip(trace.counts, 0, 0xFFFF).astype(np.uint16)
        self._deltas = trace.seat_delta
        self._seats = trace.seat_index
        self._t_us = trace.t_us
        self._tilts = np.clip(np.rint(trace.tilt_deg * 100), 0, 18_000).astype(int)
        turned = 0 if trace.yaw_deg is None else (trace.yaw_deg + 180) % 360 - 180
        self._yaws = np.broadcast_to(np.rint(np.asarray(turned) * 100).astype(int), (len(trace),))
        self._seated = trace.seated
        self.yaw_valid = trace.yaw_deg is not None
        self.at = -1
        self.counts = array("H")
        self.deltas = array("h")
        self.seat = -1
        self.when = 0
        self.tilt = 0
        self.yaw = 0
        self.lamp_on = False
        self.lamp_changes: list[tuple[float, bool]] = []

    @property
    def finished(self) -> bool:
        return self.at + 1 >= len(self._t_us)

    def next_us(self) -> int:
        """Stamp of the scan that comes next."""
        return int(self._t_us[self.at + 1])

    def scan(self) -> bool:
        self.at += 1
        at = self.at
        self.counts = array("H", self._counts[at].tobytes())
        self.when = int(self._t_us[at]) & _TICKS_MASK
        self.tilt = int(self._tilts[at])
        self.yaw = int(self._yaws[at])
        if self._deltas is not None and self._seats is not None:
            self.deltas = array("h", self._deltas[at].tobytes())
            self.seat = int(self._seats[at])
        return True

    def self_test(self, states: bytearray) -> None:
        states[:] = bytes(len(states))

    def read(self, now: int, seated: bool) -> None:
        """The motion sensor is read with the scan."""

    def seated(self) -> bool:
        return True if self._seated is None else bool(self._seated[max(self.at, 0)])

    def lamp(self, on: bool) -> None:
        if on != self.lamp_on:
            self.lamp_changes.append((time.monotonic(), on))
        self.lamp_on = on


class _PipePort:
    """The firmware's port on two non-blocking descriptors."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = answers
        self._came = b""
        self._at = 0

    def read_byte(self) -> int:
        if self._at == len(self._came):
            try:
                self._came = os.read(self._commands, 256)
            except BlockingIOError:
                self._came = b""
            self._at = 0
            if not self._came:
                return -1
        self._at += 1
        return self._came[self._at - 1]

    def ready(self) -> bool:
        return bool(select.select([], [self._answers], [], 0)[1])

    def write(self, block: bytearray) -> int:
        # A pipe takes 64 bytes whole or not at all (PIPE_BUF); what it does not take is a short write.
        try:
            return os.write(self._answers, block)
        except BlockingIOError:
            return 0


class SimulatedTotem:
    """A totem that plays `trace` behind a cable at `path`, in a thread of its own.

    `pace` is how many times faster than life it goes; the host's table clock must go as fast
    (`links.base.table_clock(pace)`). After the end of the trace the totem goes on answering. `boot_id` is
    drawn anew at each reset. `pads` None: those of the trace, one scan after another.
    """

    def __init__(
        self,
        trace: ScanBatch,
        path: Path,
        pace: float = 1.0,
        batch: int = 4,
        window_bytes: int = 64 * 1024,
        seed: int = 0,
        pads: TracePads | None = None,
    ) -> None:
        self._trace = trace
        self._pace = pace
        self._batch = batch
        self._window_bytes = window_bytes
        self._logic = load_logic()
        self._ends: list[int] = []
        self._generation = 0
        self._stop = False
        self._frozen = False
        self._pads = TracePads(trace) if pads is None else pads
        self.boot_id = b""
        self._start_s = time.monotonic()
        commands, answers = self._new_pipes()
        self.cable = Cable(path, answers[0], commands[1], seed)
        self._thread = self._start(commands[0], answers[1])

    @property
    def finished(self) -> bool:
        """True when the last scan of the trace was made."""
        return self._pads.finished

    @property
    def lamp_on(self) -> bool:
        """Whether the lamp is lit."""
        return self._pads.lamp_on

    @property
    def lamp_changes(self) -> list[tuple[float, bool]]:
        """When the lamp changed (seconds of the machine's monotonic clock), and to what."""
        return list(self._pads.lamp_changes)

    def now_us(self) -> int:
        """The totem's own time."""
        return int(self._trace.t_us[0]) + int((time.monotonic() - self._start_s) * 1e6 * self._pace)

    def _new_pipes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        commands, answers = os.pipe(), os.pipe()
        for descriptor in (*commands, *answers):
            os.set_blocking(descriptor, False)
            self._ends.append(descriptor)
        with contextlib.suppress(OSError, AttributeError):
            # Little, so that a host that stops reading is felt soon: a USB port holds 256 bytes.
            fcntl.fcntl(answers[1], fcntl.F_SETPIPE_SZ, 16384)
        return commands, answers

    def _start(self, commands: int, answers: int) -> threading.Thread:
        self.boot_id = os.urandom(4)
        thread = threading.Thread(
            target=self._run, args=(commands, answers, self._generation), name="simulated totem", daemon=True
        )
        thread.start()
        return thread

    def reset(self) -> None:
        """The totem starts anew, in the middle of whatever it was sending; the trace goes on."""
        self._generation += 1
        self._thread.join(timeout=5)
        commands, answers = self._new_pipes()
        self.cable.reconnect(answers[0], commands[1])
        self._thread = self._start(commands[0], answers[1])

    def close(self) -> None:
        """Stop the totem and take its port away."""
        self._stop = True
        self._thread.join(timeout=5)
        self.cable.close()
        while self._ends:
            os.close(self._ends.pop())

    def __enter__(self) -> SimulatedTotem:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _seal_at_the_end(self, device: Any) -> None:
        """After the last scan what waits in the batch is sent."""
        if self._pads.finished:
            device.seal()

    def _run(self, commands: int, answers: int, generation: int) -> None:
        pads = self._pads
        device = self._logic.Device(
            TraceSettings(self._trace, self._batch, self._window_bytes),
            pads,
            pads,
            pads,
            _PipePort(commands, answers),
            self.boot_id,
            lambda: self.now_us() & _TICKS_MASK,
        )
        while not self._stop and self._generation == generation:
            if not pads.finished and pads.next_us() <= self.now_us():
                device.step()
                self._seal_at_the_end(device)
            else:
                device.service()
                time.sleep(0.0003)
