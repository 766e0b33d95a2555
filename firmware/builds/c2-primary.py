"""Build C with two Picos, the one with the USB cable: 10 rings of 4 pads, up to 8 seat pads, base contact."""

from defaults import *

BUILD = "C"
RINGS = 10
RING_TENTHS = (60, 180, 300, 420, 540, 660, 780, 900, 1020, 1140)
PAD_PINS = (2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20)
SECONDARIES = ((1, 5, 24),)
SYNC_PIN = 17
SEATS = 6
SEAT_ADDRESS_PINS = (21, 22, 26)
SEAT_ENABLE_PIN = 27
BASE_PIN = 28
