"""Every setting of a totem with the value it has unless `config` says otherwise; hardware.md explains them.

Belongs here: numbers and pin numbers of build B, and the program's version. Nothing runs here. A builder edits
`config.py`, not this file: installing a newer program replaces this one.
"""

VERSION = (0, 1, 0)

# "A": MPR121 boards on this Pico's I2C. "B": this Pico reads up to 24 pads itself, 1 MOhm each.
# "C": two Picos of 24 pads each, joined by a sync wire and a serial wire, with seat pads if there are any.
BUILD = "B"
ROLE = "primary"  # build C only: "primary" has the USB cable, "secondary" reads the other 24 pads

# The electrodes: RINGS × SECTORS, index = ring * SECTORS + sector, ring 0 lowest, counter-clockwise from above.
RINGS = 6
SECTORS = 4
RING_TENTHS = (100, 300, 500, 700, 900, 1100)  # centre height of each ring above the table, 0.1 mm
DIAMETER_TENTHS = 300
HEIGHT_TENTHS = 1200

# Scanning
PERIOD_US = 1000  # A: 4000
BATCH = 4  # scans in one frame; A: 1
WINDOW_BYTES = 64 * 1024  # memory for frames that can be sent again

# Builds B and C: the GPIO of each pad of THIS Pico, in the order of the index; each pad has 1 MOhm to ground.
# GPIO 23, 24, 25 and 29 are not free on a Pico.
PAD_PINS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 27, 28)
CHARGE_US = 8
STEPS = 700  # samples of one reading; a pad still charged after them reads STEPS

# Build A: I2C addresses of the MPR121 boards, in the order of the index, 12 pads each.
MPR121_ADDRESSES = (0x5A, 0x5B, 0x5C, 0x5D)

# Build C: the primary's pads come first in the index, then those of each secondary.
SYNC_PIN = None
UART_TX_PIN = None  # on a secondary
SECONDARIES = ()  # on the primary: (UART number, its receiving pin, pads) of each secondary
BAUD = 2000000
SEATS = 0
# One pin a seat pad, in the order in which they are driven; or, for more seats than free pins, a 74HC238 decoder:
# its three address pins (lowest bit first) and its enable pin.
SEAT_PINS = ()
SEAT_ADDRESS_PINS = ()
SEAT_ENABLE_PIN = None

# The rest. I2C carries the motion sensor (MPU-6050) and, in build A, the MPR121 boards.
I2C_SDA_PIN = 0
I2C_SCL_PIN = 1
MOTION_SENSOR = True
BASE_PIN = None  # contact to ground while the totem stands in its place
BASE_IS_KEYED = True  # the place holds the totem at one turn only: seated means yaw 0
LAMP_PIN = 25  # the Pico's own green light
