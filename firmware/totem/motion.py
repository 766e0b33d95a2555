"""Tilt and turn from an MPU-6050 on I2C.

Belongs here: the sensor's registers and what they amount to. Source: MPU-6000/6050 register map, revision 4.2.

The tilt is the direction of gravity against the totem's axis (z), right while it stands or lies and only about
right while it is swung. The turn about the axis is the sum of what the gyroscope says less its zero, which is
learned while the totem stands in its place; in a keyed place the turn is zero.
"""

import angles
from compat import TICKS_MASK, const

_ADDRESS = const(0x68)
_POWER = const(0x6B)
_FILTER = const(0x1A)
_GYRO_RANGE = const(0x1B)
_ACCELERATION = const(0x3B)
# ±500 degrees a second: 65.5 counts a degree a second, so 0.01 degrees are 655000 counts * microseconds.
_COUNTS_US = const(655)
_LONGEST_STEP_US = const(30000)
_SILENT_READS = const(200)


def _signed(high, low):
    value = (high << 8) | low
    return value - 65536 if value & 0x8000 else value


class Motion:
    """`i2c` has `readfrom_mem_into` and `writeto_mem` as MicroPython's I2C; `keyed`: the place fixes the turn."""

    def __init__(self, i2c, keyed):
        self._i2c = i2c
        self._keyed = keyed
        self._data = bytearray(14)
        self._zero = 0  # of the gyroscope, 1/256 count
        self._turn = 0  # 0.00001 degrees
        self._read_at = 0
        self._running = False
        self._silent = 0
        self.tilt = 0
        self.yaw = 0
        self.tilt_valid = False
        self.yaw_valid = False
        self.errors = 0
        self._start()

    def _start(self):
        try:
            self._i2c.writeto_mem(_ADDRESS, _POWER, b"\x01")
            self._i2c.writeto_mem(_ADDRESS, _FILTER, b"\x02")
            self._i2c.writeto_mem(_ADDRESS, _GYRO_RANGE, b"\x08")
            self._running = True
        except OSError:
            self._fail()

    def _fail(self):
        self.errors += 1
        self.tilt_valid = False
        self.yaw_valid = False
        self._running = False
        # Asking a sensor that does not answer costs time: it is asked again a second later.
        self._silent = _SILENT_READS

    def read(self, now, seated):
        """Take a reading at the counter `now`; never raises."""
        if not self._running:
            self._silent -= 1
            if self._silent <= 0:
                self._start()
            return
        try:
            self._i2c.readfrom_mem_into(_ADDRESS, _ACCELERATION, self._data)
        except OSError:
            self._fail()
            return
        data = self._data
        x = _signed(data[0], data[1])
        y = _signed(data[2], data[3])
        z = _signed(data[4], data[5])
        # `length` comes out 1.6468 times too long; so is z made.
        self.tilt = angles.direction(angles.length(x, y), z * 1686 // 1024, angles.STEPS)
        self.tilt_valid = True
        step_us = (now - self._read_at) & TICKS_MASK
        self._read_at = now
        rate = _signed(data[12], data[13])
        if seated and self.tilt < 500:
            self._zero += rate - (self._zero >> 8)
            if self._keyed:
                self._turn = 0
        elif step_us < _LONGEST_STEP_US:
            self._turn += (rate - (self._zero >> 8)) * step_us // _COUNTS_US
        if self._turn >= 18000000:
            self._turn -= 36000000
        elif self._turn < -18000000:
            self._turn += 36000000
        self.yaw = self._turn // 1000
        self.yaw_valid = True


class NoMotion:
    """A totem without a motion sensor."""

    tilt = 0
    yaw = 0
    tilt_valid = False
    yaw_valid = False
    errors = 0

    def read(self, now, seated):
        """Nothing to read."""
