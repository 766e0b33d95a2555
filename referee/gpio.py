"""Pins of the Pi beside the totem: a second witness for tilt and base, seat buttons, lamps, buzzer.

Belongs here: pins turned into stamped changes, and switched outputs. Does not belong here: what a button means.

Facts this rests on: gpiozero's `bounce_time` loses edges, so it is never given and bouncing is taken out
here, keeping the FIRST edge's time; a device without a reference is closed at once, so every device is held
here; off a Pi gpiozero is told to use its mock pins (`GPIOZERO_PIN_FACTORY=mock`), which `pin_factory` does
by itself.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from referee.errors import HardwareError

DEBOUNCE_US = 20_000
_MOST_CHANGES = 1024
_MODEL = Path("/proc/device-tree/model")

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Change:
    """A pin changed: `name` as the profile calls it, `active`, and the table time of the first edge."""

    name: str
    active: bool
    t_us: int


class Debouncer:
    """Takes the bouncing out of one contact: a change counts from its first edge, once it has held.

    An edge to the other state opens a window of `settle_us`. The state at its end is the state; when that is
    a new one, the change is dated to the edge that opened the window. A bounce that comes back is no change.
    """

    def __init__(self, settle_us: int = DEBOUNCE_US, active: bool = False) -> None:
        self._settle_us = settle_us
        self._settled = active
        self._now = active
        self._since_us: int | None = None

    @property
    def due_us(self) -> int | None:
        """When `settle` has something to say, if at all."""
        return None if self._since_us is None else self._since_us + self._settle_us

    def edge(self, active: bool, t_us: int) -> tuple[bool, int] | None:
        """Take in an edge; gives the change that was settled before it, if any."""
        change = self.settle(t_us)
        self._now = active
        if self._since_us is None and active != self._settled:
            self._since_us = t_us
        return change

    def settle(self, now_us: int) -> tuple[bool, int] | None:
        """The change that has held long enough by `now_us`: new state and time of its first edge."""
        since_us = self._since_us
        if since_us is None or now_us < since_us + self._settle_us:
            return None
        self._since_us = None
        if self._now == self._settled:
            return None
        self._settled = self._now
        return self._settled, since_us


def on_a_pi() -> bool:
    """True on a Raspberry Pi."""
    try:
        return "Raspberry Pi" in _MODEL.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def pin_factory() -> Any:
    """gpiozero's pin factory: the one it is told to use by its environment, else mock pins off a Pi."""
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    if os.environ.get("GPIOZERO_PIN_FACTORY") == "mock" or ("GPIOZERO_PIN_FACTORY" not in os.environ and not on_a_pi()):
        if not isinstance(Device.pin_factory, MockFactory):
            Device.pin_factory = MockFactory()
        return Device.pin_factory
    # None lets gpiozero choose; it is asked by the first device.
    return Device.pin_factory


class Pins:
    """Inputs by name (BCM numbers, contact to ground = active), the outputs `lamp` and `buzzer`, further lamps by name.

    `changes` gives what happened since the last call, in order of its stamps. Raises `HardwareError` when a
    pin cannot be had. Use as a context manager, or call `close`.
    """

    def __init__(
        self,
        inputs: Mapping[str, int],
        now_us: Clock,
        lamp: int | None = None,
        buzzer: int | None = None,
        settle_us: int = DEBOUNCE_US,
        lamps: Mapping[str, int] | None = None,
    ) -> None:
        from gpiozero import Buzzer, DigitalInputDevice
        from gpiozero.exc import GPIOZeroError

        self._now_us = now_us
        self._edges: queue.Queue[tuple[str, bool, int]] = queue.Queue(_MOST_CHANGES)
        self.edges_lost = 0
        self._devices: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._debouncers: dict[str, Debouncer] = {}
        try:
            factory = pin_factory()
            for name, pin in inputs.items():
                device = DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
                self._devices[name] = device
                self._debouncers[name] = Debouncer(settle_us, bool(device.value))
                device.when_activated = self._on_edge(name, True)
                device.when_deactivated = self._on_edge(name, False)
            for name, output in {"lamp": lamp, "buzzer": buzzer, **(lamps or {})}.items():
                if output is not None:
                    # A Buzzer is a switched output that can beep by itself: right for a lamp, too.
                    self._outputs[name] = Buzzer(output, pin_factory=factory)
        except (GPIOZeroError, OSError, ImportError) as error:
            self.close()
            raise HardwareError(f"a pin cannot be used: {error}") from error

    def _on_edge(self, name: str, active: bool) -> Callable[[], None]:
        def note() -> None:
            try:
                self._edges.put_nowait((name, active, self._now_us()))
            except queue.Full:
                self.edges_lost += 1

        return note

    def active(self, name: str) -> bool:
        """Whether the input is active right now, bouncing or not."""
        return bool(self._devices[name].value)

    def changes(self) -> list[Change]:
        """The changes that have settled since the last call."""
        found: list[Change] = []
        while True:
            try:
                name, active, t_us = self._edges.get_nowait()
            except queue.Empty:
                break
            settled = self._debouncers[name].edge(active, t_us)
            if settled is not None:
                found.append(Change(name, *settled))
        now_us = self._now_us()
        for name, debouncer in self._debouncers.items():
            settled = debouncer.settle(now_us)
            if settled is not None:
                found.append(Change(name, *settled))
        return sorted(found, key=lambda change: change.t_us)

    def lamp(self, on: bool) -> int:
        """Switch the lamp; returns the table time of it. Raises `HardwareError` without one."""
        if "lamp" not in self._outputs:
            raise HardwareError("there is no lamp on the Pi's pins")
        self._outputs["lamp"].value = on
        return self._now_us()

    def buzz(self, on_s: float = 0.1, off_s: float = 0.1, times: int = 1) -> None:
        """Sound the buzzer without waiting for its end; silent without one."""
        if "buzzer" in self._outputs:
            self._outputs["buzzer"].beep(on_s, off_s, times, background=True)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs there are."""
        return tuple(self._outputs)

    def flash(self, name: str, on_s: float, off_s: float = 0.0, times: int = 1) -> None:
        """Switch an output on and off without waiting for the end; what it was doing before ends.

        Raises `HardwareError` when the pin does not obey.
        """
        from gpiozero.exc import GPIOZeroError

        try:
            self._outputs[name].off()  # a pin that is gone says so here, and not in the thread that beeps
            self._outputs[name].beep(on_s, off_s, times, background=True)
        except (GPIOZeroError, OSError) as error:
            raise HardwareError(f"the pin of {name} cannot be used: {error}") from error

    def dark(self, name: str) -> None:
        """Switch an output off, whatever it was doing; raises `HardwareError` when the pin does not obey."""
        from gpiozero.exc import GPIOZeroError

        try:
            self._outputs[name].off()
        except (GPIOZeroError, OSError) as error:
            raise HardwareError(f"the pin of {name} cannot be used: {error}") from error

    def close(self) -> None:
        """Let go of every pin; the outputs go off."""
        for device in (*self._devices.values(), *self._outputs.values()):
            device.close()
        self._devices.clear()
        self._outputs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
