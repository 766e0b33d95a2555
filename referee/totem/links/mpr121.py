"""MPR121 boards on the Pi's own I2C as a door for scans (build A): 12 pads a board, about 250 scans a second.

Belongs here: the chip's registers and its IRQ lines. Does not belong here: a board on a Pico (`firmware`).

The chip's own touch decision and baseline are switched off: raw readings are what counts, because a baseline
of the chip would calibrate a held totem away. Its IRQ lines still say that something changed, and a scan
starts at once instead of at its turn. A reading falls when a finger comes near; it is turned round (1023 -
reading), so that higher means more touch as everywhere else.

Source: NXP MPR121 data sheet rev. 4 and application note AN3889 (registers); MPU-6000/6050 register map.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from referee.errors import HardwareError
from referee.totem.links.base import Clock, LinkHealth, freshness, table_clock
from referee.totem.scans import Layout, ScanBatch

PADS_A_BOARD = 12
PERIOD_S = 0.004
REOPEN_S = 0.5
ADDRESSES = (0x5A, 0x5B, 0x5C, 0x5D)

_FILTERED = 0x04  # two bytes a pad, low byte first
_SOFT_RESET, _RESET_WORD = 0x80, 0x63
_CONFIG_1, _CONFIG_2, _ELECTRODES = 0x5C, 0x5D, 0x5E
_TOUCH_THRESHOLD = 0x41  # then release threshold, pad by pad
_SIXTEEN_MICROAMPS = 0x10  # first filter of 6 samples
_FASTEST = 0x20  # charge 0.5 us, second filter of 4 samples, one every 1 ms
_RUN_NO_BASELINE = 0x4C  # twelve pads, baseline tracking off
_TOUCH_STATUS = 0x00
_MOTION = 0x68
_MOTION_POWER, _MOTION_ACCELERATION = 0x6B, 0x3B


class Bus(Protocol):
    """What is used of an I2C bus (smbus2.SMBus has it)."""

    def read_i2c_block_data(self, address: int, register: int, length: int) -> Sequence[int]:
        """Bytes from a register on."""
        ...

    def write_byte_data(self, address: int, register: int, value: int) -> None:
        """One byte into a register."""
        ...

    def close(self) -> None:
        """Let go of the bus."""
        ...


def open_bus(number: int = 1) -> Bus:
    """The Pi's I2C bus; raises `HardwareError` without the library or the bus."""
    try:
        from smbus2 import SMBus
    except ImportError as error:
        raise HardwareError("MPR121 boards on the Pi need smbus2: pip install 'referee[pi]'") from error
    try:
        bus: Bus = SMBus(number)
    except OSError as error:
        raise HardwareError(f"I2C bus {number} cannot be opened ({error}): is I2C switched on?") from error
    return bus


class Mpr121Link:
    """Boards at `addresses` in the order of the pads; `layout` must have twelve pads a board.

    `bus` makes the bus (called again after a failure); `irq_pins` are BCM numbers of the boards' IRQ lines,
    none for plain turns; `motion` reads an MPU-6050 at 0x68 for the tilt, without it the totem is taken to
    stand.
    """

    def __init__(
        self,
        layout: Layout,
        bus: Callable[[], Bus] = open_bus,
        addresses: Sequence[int] = ADDRESSES,
        irq_pins: Sequence[int] = (),
        motion: bool = True,
        now_us: Clock | None = None,
    ) -> None:
        if layout.pads != PADS_A_BOARD * len(addresses):
            raise HardwareError(
                f"{len(addresses)} MPR121 boards have {PADS_A_BOARD * len(addresses)} pads: "
                f"the layout has {layout.pads}"
            )
        self._layout = layout
        self._make_bus = bus
        self._addresses = tuple(addresses)
        self._motion = motion
        self._now_us = now_us or table_clock()
        self._bus: Bus | None = None
        self._problem: str | None = "not opened yet"
        self._next_open_s = 0.0
        self._next_scan_s = 0.0
        self._boot_id = 0
        self._last_us: int | None = None
        self._tilt_deg = 0.0
        self._closed = False
        self._scans = 0
        self._starts = 0
        self._changed = threading.Event()
        # The references keep the pins alive: gpiozero lets go of a device that nobody holds.
        self._irqs = [self._watch(pin) for pin in irq_pins]

    def _watch(self, pin: int) -> object:
        from gpiozero import DigitalInputDevice

        device = DigitalInputDevice(pin, pull_up=True)
        device.when_activated = self._changed.set
        return device

    @property
    def name(self) -> str:
        return "MPR121 " + " ".join(f"0x{address:02x}" for address in self._addresses)

    @property
    def layout(self) -> Layout | None:
        return self._layout

    @property
    def ended(self) -> bool:
        return self._closed

    def poll(self, timeout_s: float) -> list[ScanBatch]:
        if self._closed:
            return []
        now_s = time.monotonic()
        wait_s = (self._next_scan_s if self._bus is not None else self._next_open_s) - now_s
        if wait_s > timeout_s:
            if not self._changed.wait(max(timeout_s, 0.0)) or self._bus is None:
                return []
        elif wait_s > 0:
            self._changed.wait(wait_s)
        self._changed.clear()
        try:
            bus = self._bus or self._open()
            batch = self._scan(bus)
        except OSError as error:
            self._problem = f"{self.name}: does not answer ({error})"
            self._let_go()
            return []
        self._next_scan_s = max(self._next_scan_s + PERIOD_S, time.monotonic() - PERIOD_S)
        self._scans += 1
        return [batch]

    def _open(self) -> Bus:
        self._next_open_s = time.monotonic() + REOPEN_S
        self._bus = bus = self._make_bus()
        for address in self._addresses:
            bus.write_byte_data(address, _SOFT_RESET, _RESET_WORD)
            for pad in range(PADS_A_BOARD):
                # Only for the IRQ lines: small, so that they speak early.
                bus.write_byte_data(address, _TOUCH_THRESHOLD + 2 * pad, 6)
                bus.write_byte_data(address, _TOUCH_THRESHOLD + 2 * pad + 1, 3)
            bus.write_byte_data(address, _CONFIG_1, _SIXTEEN_MICROAMPS)
            bus.write_byte_data(address, _CONFIG_2, _FASTEST)
            bus.write_byte_data(address, _ELECTRODES, _RUN_NO_BASELINE)
        if self._motion:
            bus.write_byte_data(_MOTION, _MOTION_POWER, 0)
        self._boot_id = int.from_bytes(np.random.default_rng().bytes(4), "little")
        self._starts += 1
        self._problem = None
        self._next_scan_s = time.monotonic()
        return bus

    def _scan(self, bus: Bus) -> ScanBatch:
        readings: list[int] = []
        for address in self._addresses:
            data = bytes(bus.read_i2c_block_data(address, _FILTERED, 2 * PADS_A_BOARD))
            readings += np.frombuffer(data, dtype="<u2").tolist()
        t_us = self._now_us()
        for address in self._addresses if self._irqs else ():
            # Reading the touch status releases the IRQ line.
            bus.read_i2c_block_data(address, _TOUCH_STATUS, 2)
        if self._motion:
            self._tilt_deg = tilt_deg(bus.read_i2c_block_data(_MOTION, _MOTION_ACCELERATION, 6))
        if self._last_us is not None:
            t_us = max(t_us, self._last_us + 1)
        self._last_us = t_us
        counts = 1023 - np.minimum(np.array([readings], dtype=np.int32), 1023)
        return ScanBatch(
            layout=self._layout,
            boot_id=self._boot_id,
            t_us=np.array([t_us], dtype=np.int64),
            counts=counts.astype(np.int32),
            tilt_deg=np.array([self._tilt_deg], dtype=np.float32),
        )

    def _let_go(self) -> None:
        if self._bus is not None:
            self._bus.close()
        self._bus = None

    def health(self) -> LinkHealth:
        age_us = None if self._last_us is None else self._now_us() - self._last_us
        problem = "closed" if self._closed else self._problem
        return LinkHealth(freshness(age_us, problem), age_us, problem, self._scans, starts=self._starts)

    def close(self) -> None:
        self._let_go()
        for irq in self._irqs:
            irq.close()  # type: ignore[attr-defined]
        self._irqs = []
        self._closed = True


def tilt_deg(raw: Sequence[int]) -> float:
    """Angle from upright of six bytes of acceleration (x, y, z, high byte first), z along the totem."""
    x, y, z = np.frombuffer(bytes(raw), dtype=">i2").astype(float)
    return math.degrees(math.atan2(math.hypot(x, y), z))
