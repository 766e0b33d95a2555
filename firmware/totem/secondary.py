"""The program of a secondary Pico of build C: follow the sync wire, send the readings to the primary.

Belongs here: nothing but that; a secondary has no USB traffic, no clock and no frames of the host's protocol.
"""

from array import array

import machine
import sampling
from machine import Pin
from pads_pico import OwnPads

_SIO = sampling.SIO


def run(config):
    """For ever; a pulse that does not come whole is skipped, and the primary counts the scan as missed."""
    pads = OwnPads(config.PAD_PINS, config.CHARGE_US, config.STEPS)
    pulses = 2 if config.SEATS else 1
    counts = array("H", [0] * pads.count)
    driven = array("H", [0] * pads.count)
    frame = bytearray(4 + 2 * pads.count * pulses)
    uart = machine.UART(0, baudrate=config.BAUD, tx=Pin(config.UART_TX_PIN), txbuf=2 * len(frame))
    sync = 1 << config.SYNC_PIN
    Pin(config.SYNC_PIN, Pin.IN, Pin.PULL_DOWN)
    while True:
        if not sampling.wait_high(_SIO, sync, 100000):
            continue
        if not pads.follow(counts, sync):
            continue
        if pulses == 2:
            # The second pulse follows at once; one that does not come belongs to the next scan.
            if not sampling.wait_high(_SIO, sync, 4000) or not pads.follow(driven, sync):
                continue
        sampling.pack_link(frame, pulses, pads.count, counts, driven)
        uart.write(frame)
