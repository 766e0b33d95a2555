"""The totem's program on a desk: no board, pads that count, the terminal as the USB port.

Belongs here: stand-ins for the hardware at its very edge, so that everything else of the firmware runs under the
desktop's MicroPython, through a pty, against the real host. Start it as
`micropython desk.py RINGS SECTORS SEATS BATCH PERIOD_US FIRST_TICK LOCK_HEAP WINDOW_BYTES`.

What its pads say can be worked out by whoever reads them: pad 0 is the number of the scan modulo 2^15, pad p is
`(scan * 7 + p * 13) % 1024`; with seats, `seat = scan % SEATS` and `delta[p] = p - scan % 50`.
"""

import sys
from array import array

from compat import TICKS_MASK, ticks_us
from device import Device, run
from terminal import TerminalPort


class Settings:
    """What `config` holds on a board."""

    VERSION = (0, 1, 0)
    BUILD = "D"
    DIAMETER_TENTHS = 300
    HEIGHT_TENTHS = 1200
    FEATURES = 0x0F

    def __init__(self, rings, sectors, seats, batch, period_us, window_bytes):
        self.RINGS = rings
        self.SECTORS = sectors
        self.SEATS = seats
        self.BATCH = batch
        self.PERIOD_US = period_us
        self.WINDOW_BYTES = window_bytes
        self.RING_TENTHS = [50 + 1100 * ring // rings for ring in range(rings)]


class CountingPads:
    """Pads whose readings follow from the number of the scan."""

    def __init__(self, settings, ticks):
        self._pads = settings.RINGS * settings.SECTORS
        self._seats = settings.SEATS
        self._ticks = ticks
        self._scan = 0
        self.counts = array("H", [0] * self._pads)
        self.deltas = array("h", [0] * self._pads)
        self.seat = -1
        self.when = 0
        self.missed = 0

    def scan(self):
        number = self._scan
        pad = 0
        while pad < self._pads:
            self.counts[pad] = (number * 7 + pad * 13) & 1023
            self.deltas[pad] = pad - number % 50
            pad += 1
        self.counts[0] = number & 0x7FFF
        if self._seats:
            self.seat = number % self._seats
        self.when = self._ticks()
        self._scan = number + 1
        return True

    def self_test(self, states):
        for pad in range(self._pads):
            states[pad] = 0
        states[self._pads - 1] = 2


class StillMotion:
    """A totem that leans by 1.5° and is turned by -20°."""

    tilt = 150
    yaw = -2000
    tilt_valid = True
    yaw_valid = True
    errors = 0

    def read(self, now, seated):
        pass


class DeskSwitches:
    """Always seated; a lamp that nobody sees."""

    def seated(self):
        return True

    def lamp(self, on):
        pass


def main():
    rings, sectors, seats, batch, period_us, first_tick, lock_heap, window_bytes = [int(word) for word in sys.argv[1:9]]
    offset = first_tick - ticks_us()

    def ticks():
        return (ticks_us() + offset) & TICKS_MASK

    from os import urandom

    settings = Settings(rings, sectors, seats, batch, period_us, window_bytes)
    device = Device(
        settings, CountingPads(settings, ticks), StillMotion(), DeskSwitches(), TerminalPort(), urandom(4), ticks
    )
    if lock_heap:
        import micropython

        # From here on an allocation is an error: the proof that the scan loop makes none.
        micropython.heap_lock()
    run(device, period_us, ticks, collect=not lock_heap)


if __name__ == "__main__":
    main()
