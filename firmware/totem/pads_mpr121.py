"""Pads read by MPR121 boards on this Pico's I2C (build A), twelve a board.

Belongs here: the chip's registers. Source: NXP MPR121 data sheet rev. 4, application note AN3889.

The chip's own baseline and touch decision are off: raw readings are what counts. They fall with touch and are
turned round, so that higher means more touch as everywhere else.
"""

from array import array

import wire
from compat import const, micropython, ptr8, ptr16, ticks_us

_FILTERED = const(0x04)
_PADS = const(12)
_SETTINGS = ((0x80, 0x63), (0x5C, 0x10), (0x5D, 0x20), (0x5E, 0x4C))


@micropython.viper
def turn_round(data, counts, first: int, pads: int):
    """counts[first + p] = 1023 - the two-byte reading of pad p."""
    raw = ptr8(data)
    out = ptr16(counts)
    pad = 0
    while pad < pads:
        out[first + pad] = 1023 - ((int(raw[2 * pad]) | (int(raw[2 * pad + 1]) << 8)) & 0x3FF)
        pad += 1


class Mpr121Pads:
    """Boards at `addresses` on an I2C bus, in the order of the pads."""

    def __init__(self, i2c, addresses, ticks=ticks_us):
        self._i2c = i2c
        self._addresses = addresses
        self._ticks = ticks
        self._data = bytearray(2 * _PADS)
        self.counts = array("H", [0] * (_PADS * len(addresses)))
        self.deltas = None
        self.seat = -1
        self.when = 0
        self.missed = 0
        self._started = False
        self._start()

    def _start(self):
        try:
            for address in self._addresses:
                for register, value in _SETTINGS:
                    self._i2c.writeto_mem(address, register, bytes([value]))
            self._started = True
        except OSError:
            self._started = False

    def scan(self):
        """Read every board; False when one does not answer (it is set up again at the next scan)."""
        if not self._started:
            self._start()
        first = 0
        try:
            for address in self._addresses:
                self._i2c.readfrom_mem_into(address, _FILTERED, self._data)
                turn_round(self._data, self.counts, first, _PADS)
                first += _PADS
        except OSError:
            self._started = False
            self.missed += 1
            return False
        self.when = self._ticks()
        return True

    def self_test(self, states):
        """A pad at either end of the range is not connected or is shorted."""
        self.scan()
        for pad in range(len(self.counts)):
            reading = self.counts[pad]
            if reading < 16:
                states[pad] = wire.PAD_HIGH
            elif reading > 1007:
                states[pad] = wire.PAD_LOW
            else:
                states[pad] = wire.PAD_FINE
