"""Build A on a Pico: four MPR121 boards on its I2C, 12 rings of 4 pads."""

from defaults import *

BUILD = "A"
RINGS = 12
RING_TENTHS = (50, 150, 250, 350, 450, 550, 650, 750, 850, 950, 1050, 1150)
PERIOD_US = 4000
BATCH = 1
PAD_PINS = ()
BASE_PIN = 2
