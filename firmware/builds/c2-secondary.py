"""Build C with two Picos, the other one: 24 pads."""

from defaults import *

BUILD = "C"
ROLE = "secondary"
PAD_PINS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 27, 28)
UART_TX_PIN = 0
SYNC_PIN = 1
SEATS = 6
LAMP_PIN = None
MOTION_SENSOR = False
