"""From the `port` of a profile or a command to the door it means.

Belongs here: the words for doors. `auto` is the one MicroPython board that is plugged in; `mpr121` the boards on
the Pi's own I2C, `mpr121:17,27,22,23` with their IRQ lines on those pins; a name that ends in `.npz` a recording
at its own pace; anything else a serial port.
"""

from __future__ import annotations

from pathlib import Path

from referee.errors import ProfileError
from referee.totem.links.base import Clock, Link
from referee.totem.links.mpr121 import ADDRESSES, PADS_A_BOARD, Mpr121Link
from referee.totem.links.recorded import RecordedLink
from referee.totem.links.serial_port import SerialLink, find_port
from referee.totem.recording import read_scans
from referee.totem.scans import Layout

# The recommended totem: 12 rings of 4 pads, 10 mm from ring to ring (hardware.md).
TWELVE_BY_FOUR = Layout(12, 4, tuple(5.0 + 10.0 * ring for ring in range(12)))


def open_link(port: str, now_us: Clock, layout: Layout = TWELVE_BY_FOUR) -> Link:
    """The door that `port` names, on the table clock `now_us`; `layout` is asked only of MPR121 boards.

    Raises `HardwareError` when `auto` finds no board or several, `TraceError` for an unsound recording,
    `ProfileError` for IRQ pins that are no numbers.
    """
    if port == "auto":
        return SerialLink(find_port(), now_us)
    if port.endswith(".npz"):
        return RecordedLink(read_scans(Path(port)), port, paced=True, now_us=now_us)
    kind, _, rest = port.partition(":")
    if kind == "mpr121":
        try:
            pins = [int(pin) for pin in rest.split(",") if pin]
        except ValueError as error:
            raise ProfileError(f"{port}: expected the numbers of IRQ pins after mpr121:, as 17,27") from error
        boards = ADDRESSES[: max(1, layout.pads // PADS_A_BOARD)]
        return Mpr121Link(layout, addresses=boards, irq_pins=pins, now_us=now_us)
    return SerialLink(port, now_us)
