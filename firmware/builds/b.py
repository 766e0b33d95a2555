"""Build B: one Pico reads 24 pads itself, 6 rings of 4."""

from defaults import *

BUILD = "B"
