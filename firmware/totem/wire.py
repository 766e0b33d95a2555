"""Names of the wire protocol as the totem speaks it; docs/protocol.md is its specification."""

from compat import const

PROTOCOL_VERSION = const(1)

# From the totem to the host
HELLO = const(0x01)
SCANS = const(0x02)
PAUSE = const(0x03)
PONG = const(0x04)
HEALTH = const(0x05)
SELF_TEST = const(0x06)
LAMP = const(0x07)
GONE = const(0x08)
REFUSED = const(0x09)

# From the host to the totem
ASK_HELLO = const(0x81)
PING = const(0x82)
RESEND = const(0x83)
ASK_HEALTH = const(0x84)
ASK_SELF_TEST = const(0x85)
STREAM = const(0x86)
SET_LAMP = const(0x87)
COLLECT = const(0x88)
LEAVE = const(0x89)

# Features in HELLO
HAS_TILT = const(0x01)
HAS_YAW = const(0x02)
HAS_BASE = const(0x04)
HAS_LAMP = const(0x08)

# State of one scan
SEATED = const(0x01)
LAMP_ON = const(0x02)
TILT_VALID = const(0x04)
YAW_VALID = const(0x08)

# Why the scanning paused
PAUSE_COLLECT = const(1)
PAUSE_SELF_TEST = const(2)

# Why a command was refused
REFUSED_UNKNOWN = const(1)
REFUSED_LENGTH = const(2)

# Pad states in SELF_TEST
PAD_FINE = const(0)
PAD_LOW = const(1)
PAD_HIGH = const(2)
PAD_JOINED = const(3)
