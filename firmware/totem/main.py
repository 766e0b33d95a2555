"""What the board runs: builds the totem that `config` describes and lets it go on for ever.

Belongs here: which hardware goes with which build. For one second after the start Ctrl-C still stops the board;
after that bytes of the protocol must pass, and the command LEAVE does it.
"""

import gc
import os
import time

import config
import micropython
import wire


def features():
    """What this totem has besides pads, as the hello says it."""
    found = 0
    if config.MOTION_SENSOR:
        found |= wire.HAS_TILT | wire.HAS_YAW
    if config.BASE_PIN is not None:
        found |= wire.HAS_BASE
    if config.LAMP_PIN is not None:
        found |= wire.HAS_LAMP
    return found


def build():
    """The totem of `config`."""
    from device import Device
    from motion import Motion, NoMotion
    from switches import Switches
    from terminal import TerminalPort

    i2c = None
    if config.BUILD == "A" or config.MOTION_SENSOR:
        from machine import I2C, Pin

        i2c = I2C(0, sda=Pin(config.I2C_SDA_PIN), scl=Pin(config.I2C_SCL_PIN), freq=400000)
    if config.BUILD == "A":
        from pads_mpr121 import Mpr121Pads

        pads = Mpr121Pads(i2c, config.MPR121_ADDRESSES)
    else:
        from pads_pico import Pads

        pads = Pads(config)
    motion = Motion(i2c, config.BASE_IS_KEYED) if config.MOTION_SENSOR else NoMotion()
    switches = Switches(config.BASE_PIN, config.LAMP_PIN)
    config.FEATURES = features()
    port = TerminalPort()
    while True:
        gc.collect()
        try:
            return Device(config, pads, motion, switches, port, os.urandom(4))
        except MemoryError:
            # A smaller window forgets sooner, which is better than not starting.
            config.WINDOW_BYTES //= 2
            if config.WINDOW_BYTES < 4096:
                raise


def main():
    """Run as what `config.ROLE` says."""
    time.sleep_ms(1000)
    if config.BUILD == "C" and config.ROLE == "secondary":
        import secondary

        secondary.run(config)
    from device import run

    totem = build()
    micropython.kbd_intr(-1)
    run(totem, config.PERIOD_US)
    micropython.kbd_intr(3)


main()
