"""Base contact and lamp on pins.

Belongs here: two pins. A pin that is None is a part that is not there.
"""

from machine import Pin


class Switches:
    """`base_pin` is drawn to ground while the totem stands in its place; `lamp_pin` high lights the lamp."""

    def __init__(self, base_pin, lamp_pin):
        self._base = None if base_pin is None else Pin(base_pin, Pin.IN, Pin.PULL_UP)
        self._lamp = None if lamp_pin is None else Pin(lamp_pin, Pin.OUT, value=0)

    def seated(self):
        """Whether the totem stands in its place; without a contact it is taken to."""
        return True if self._base is None else self._base.value() == 0

    def lamp(self, on):
        """Light or darken the lamp."""
        if self._lamp is not None:
            self._lamp.value(1 if on else 0)
