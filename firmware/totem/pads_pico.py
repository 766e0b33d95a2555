"""The pads that Picos read themselves (builds B and C), and the seat pads driven in step with them.

Belongs here: which pin is which pad, the order of charging, letting go and driving, the wires between Picos.
Does not belong here: the loops on the registers (`sampling`), frames to the host (`device`).

Build C: on the sync wire the primary raises a pulse; its rise tells the secondaries to charge, its fall to let
go, so that all pads move together. With seat pads each scan has two pulses: nothing driven, then one seat pad
raised at the moment of letting go. A secondary sends its readings over a serial wire; they are joined to the
primary's one scan later. The link frame: 0xA5, pulses, readings of each pulse in two bytes a pad, sum of all
bytes in two bytes.
"""

from array import array

import machine
import sampling
import wire
from compat import ticks_us
from machine import Pin

_SIO = sampling.SIO


def _mask(pins):
    mask = 0
    for pin in pins:
        mask |= 1 << pin
    return mask


class SeatPads:
    """The driver of the seat pads: a pin each, or a decoder with three address pins and an enable pin."""

    def __init__(self, config):
        self.seats = config.SEATS
        self._direct = config.SEAT_PINS
        self._address = [Pin(pin, Pin.OUT, value=0) for pin in config.SEAT_ADDRESS_PINS]
        self._enable = 0 if config.SEAT_ENABLE_PIN is None else 1 << config.SEAT_ENABLE_PIN
        self._masks = array("I", [1 << pin for pin in self._direct] or [self._enable] * max(1, self.seats))
        self.all = _mask(self._direct) | self._enable
        for pin in self._direct:
            Pin(pin, Pin.OUT, value=0)
        if self._enable:
            Pin(config.SEAT_ENABLE_PIN, Pin.OUT, value=0)

    def choose(self, seat):
        """Get ready to drive this seat pad; returns the mask that raises it."""
        place = 0
        for pin in self._address:
            pin.value((seat >> place) & 1)
            place += 1
        return self._masks[seat]


class OwnPads:
    """The pads on this Pico's own pins."""

    def __init__(self, pins, charge_us, steps):
        self.count = len(pins)
        self.pins = bytes(pins)
        self.mask = _mask(pins)
        self.steps = steps
        self._charge_us = charge_us
        self._words = array("I", [0] * steps)
        for pin in pins:
            Pin(pin, Pin.IN, None)
        sampling.rest(_SIO, self.mask)

    def read(self, counts, sync, seat):
        """One reading into counts[:count]; `sync` and `seat` are masks of other pins, 0 for none."""
        if sync:
            sampling.raise_pins(_SIO, sync)
        sampling.charge(_SIO, self.mask)
        began = ticks_us()
        while (ticks_us() - began) & 0x3FFFFFFF < self._charge_us:
            pass
        state = machine.disable_irq()
        sampling.release(_SIO, self.mask, sync, seat, self._words, self.steps)
        machine.enable_irq(state)
        sampling.rest(_SIO, self.mask)
        sampling.decode(self._words, self.steps, self.pins, self.count, counts, 0, self.mask)

    def follow(self, counts, sync):
        """One reading in step with another Pico: charge now, let go when the sync wire falls; False if it does not."""
        sampling.charge(_SIO, self.mask)
        state = machine.disable_irq()
        came = sampling.follow_release(_SIO, self.mask, sync, self._words, self.steps)
        machine.enable_irq(state)
        sampling.rest(_SIO, self.mask)
        if came:
            sampling.decode(self._words, self.steps, self.pins, self.count, counts, 0, self.mask)
        return came

    def self_test(self, states):
        """Raise one pad alone after another: it must fall in time, and no other may rise with it."""
        for pad in range(self.count):
            one = 1 << self.pins[pad]
            sampling.let_go(_SIO, self.mask)
            sampling.charge(_SIO, one)
            joined = sampling.look(_SIO) & self.mask & ~one
            state = machine.disable_irq()
            sampling.release(_SIO, one, 0, 0, self._words, self.steps)
            machine.enable_irq(state)
            sampling.rest(_SIO, self.mask)
            if joined:
                states[pad] = wire.PAD_JOINED
            elif not self._words[0] & one:
                states[pad] = wire.PAD_LOW
            elif self._words[self.steps - 1] & one:
                states[pad] = wire.PAD_HIGH
            else:
                states[pad] = wire.PAD_FINE


class SecondaryLink:
    """The primary's end of the serial wire from one secondary."""

    def __init__(self, number, pin, pads, pulses, baud):
        self.pads = pads
        self._frame = bytearray(2 + 2 * pads * pulses + 2)
        self._rest = bytearray(256)
        self._uart = machine.UART(number, baudrate=baud, rx=Pin(pin), rxbuf=4 * len(self._frame))

    def take(self, counts, driven, at):
        """Put the readings of the last scan into the arrays at `at`; False when they did not come whole."""
        frame = self._frame
        size = len(frame)
        waiting = self._uart.any()
        if waiting != size:
            while waiting > 0:
                self._uart.readinto(self._rest, min(waiting, 256))
                waiting = self._uart.any()
            return False
        self._uart.readinto(frame)
        return sampling.unpack_link(frame, size, self.pads, counts, driven, at) != 0


class Pads:
    """All pads of a totem of build B, or of build C seen from its primary."""

    def __init__(self, config):
        self.own = OwnPads(config.PAD_PINS, config.CHARGE_US, config.STEPS)
        self._seats = SeatPads(config) if config.SEATS else None
        pulses = 2 if config.SEATS else 1
        self._links = [
            SecondaryLink(number, pin, pads, pulses, config.BAUD) for number, pin, pads in config.SECONDARIES
        ]
        self._sync = 0
        if config.SYNC_PIN is not None:
            self._sync = 1 << config.SYNC_PIN
            Pin(config.SYNC_PIN, Pin.OUT, value=0)
        total = self.own.count + sum([link.pads for link in self._links])
        if total != config.RINGS * config.SECTORS:
            raise ValueError(
                "config: %d pads are wired, RINGS x SECTORS is %d" % (total, config.RINGS * config.SECTORS)
            )
        # Two sets, because a secondary's readings come one scan later than our own.
        self._now = array("H", [0] * total)
        self._now_driven = array("H", [0] * total)
        self.counts = array("H", [0] * total)
        self._driven = array("H", [0] * total)
        self.deltas = array("h", [0] * total)
        self._seat_now = -1
        self.seat = -1
        self._when_now = 0
        self.when = 0
        self.missed = 0
        self._first = True

    def scan(self):
        """Make a scan and complete one; False when there is none to give yet or a secondary's part is missing."""
        linked = len(self._links) > 0
        complete = True
        if linked:
            complete = self._join() and not self._first
            self._first = False
        own = self.own
        own.read(self._now, self._sync, 0)
        if self._seats is not None:
            self._seat_now = self._seat_now + 1 if self._seat_now + 1 < self._seats.seats else 0
            own.read(self._now_driven, self._sync, self._seats.choose(self._seat_now))
            sampling.lower_pins(_SIO, self._seats.all)
        self._when_now = ticks_us()
        if not linked:
            sampling.copy_words(self.counts, self._now, own.count)
            if self._seats is not None:
                sampling.subtract(self.deltas, self._now, self._now_driven, 0, own.count)
            self.seat = self._seat_now
            self.when = self._when_now
        return complete

    def _join(self):
        """Join the scan made last time with what the secondaries have sent of it."""
        count = self.own.count
        sampling.copy_words(self.counts, self._now, count)
        sampling.copy_words(self._driven, self._now_driven, count)
        whole = True
        at = count
        for link in self._links:
            if not link.take(self.counts, self._driven, at):
                whole = False
            at += link.pads
        if not whole:
            if not self._first:
                self.missed += 1
            return False
        if self._seats is not None:
            sampling.subtract(self.deltas, self.counts, self._driven, 0, at)
        self.seat = self._seat_now
        self.when = self._when_now
        return True

    def self_test(self, states):
        """Tests this Pico's own pads; a secondary's pad that reads 0 or never falls is told by its last reading."""
        self.own.self_test(states)
        for pad in range(self.own.count, len(self.counts)):
            reading = self.counts[pad]
            if reading == 0:
                states[pad] = wire.PAD_LOW
            elif reading >= self.own.steps:
                states[pad] = wire.PAD_HIGH
            else:
                states[pad] = wire.PAD_FINE
