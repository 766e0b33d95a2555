"""Build C with three Picos, the one with the USB cable: 12 rings of 4 pads, up to 8 seat pads, base contact."""

from defaults import *

BUILD = "C"
RINGS = 12
RING_TENTHS = (50, 150, 250, 350, 450, 550, 650, 750, 850, 950, 1050, 1150)
PAD_PINS = (2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20)
SECONDARIES = ((1, 5, 16), (0, 13, 16))
SYNC_PIN = 17
SEATS = 6
SEAT_ADDRESS_PINS = (21, 22, 26)
SEAT_ENABLE_PIN = 27
BASE_PIN = 28
