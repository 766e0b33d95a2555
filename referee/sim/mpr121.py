"""An I2C bus with MPR121 boards and a motion sensor that play a trace: for the door of build A without
hardware.

Belongs here: registers that answer. Does not belong here: what is asked of them
(`referee/totem/links/mpr121`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from referee.totem.links.base import Clock
from referee.totem.scans import ScanBatch

_FILTERED, _ELECTRODES, _SOFT_RESET = 0x04, 0x5E, 0x80
_MOTION, _ACCELERATION = 0x68, 0x3B
_PADS = 12
_G = 16_384


class SimulatedBus:
    """Boards at `addresses` that say what `trace` says at the time `now_us`; `broken` unplugs them."""

    def __init__(self, trace: ScanBatch, addresses: Sequence[int], now_us: Clock) -> None:
        self._trace = trace
        self._boards = {address: board for board, address in enumerate(addresses)}
        self._running: set[int] = set()
        self._now_us = now_us
        self.broken = False

    def _at(self) -> int:
        found = int(np.searchsorted(self._trace.t_us, self._now_us(), side="right")) - 1
        return min(max(found, 0), len(self._trace) - 1)

    def _check(self, address: int) -> None:
        if self.broken or (address not in self._boards and address != _MOTION):
            raise OSError(121, "Remote I/O error")

    def read_i2c_block_data(self, address: int, register: int, length: int) -> Sequence[int]:
        """Bytes from a register on."""
        self._check(address)
        if address == _MOTION:
            tilt = math.radians(float(self._trace.tilt_deg[self._at()]))
            axes = (math.sin(tilt) * _G, 0.0, math.cos(tilt) * _G)
            return list(np.round(axes).astype(">i2").tobytes())[:length]
        if register != _FILTERED or address not in self._running:
            return [0] * length
        first = self._boards[address] * _PADS
        counts = np.clip(self._trace.counts[self._at(), first : first + _PADS], 0, 1023)
        return list((1023 - counts).astype("<u2").tobytes())[:length]

    def write_byte_data(self, address: int, register: int, value: int) -> None:
        """One byte into a register."""
        self._check(address)
        if register == _SOFT_RESET:
            self._running.discard(address)
        elif register == _ELECTRODES and value:
            self._running.add(address)

    def close(self) -> None:
        """Nothing is held."""
