"""A Pico's pins, serial wires and pads, so that the firmware's own scanning runs without one.

Belongs here: stand-ins for MicroPython's `machine` and for the loops of `sampling` that touch registers. Does not
belong here: what is scanned in which order (`firmware/totem/pads_pico.py`, run unchanged).

Time is counted in samples: a pad charged at a moment falls `fall` samples after it was let go. What is simulated is
the order of things and the wires, not electronics.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

_MOTION = 0x68


class SimulatedPico:
    """One Pico: `fall[pin]` says how many samples that pad takes, `driven_fall` how many more with a seat raised.

    `joined` holds pairs of pins that are shorted. `on_release` is called with the mask of pins that fell together
    with the letting go (the sync wire), so that other Picos can follow.
    """

    def __init__(self) -> None:
        self.fall: dict[int, int] = {}
        self.driven_fall: dict[int, dict[int, int]] = {}
        self.joined: set[frozenset[int]] = set()
        self.high = 0
        self.driven_high = 0
        self.on_release: Callable[[], None] = lambda: None
        self.inboxes: dict[int, bytearray] = {}
        self.outbox: Callable[[bytes], None] = lambda data: None
        self.irqs_off = False

    # -- sampling's register loops

    def charge(self, _sio: int, mask: int) -> None:
        """Pads high, and whatever is shorted to them."""
        self.high |= mask
        for one, other in (sorted(pair) for pair in self.joined):
            if self.high >> one & 1 or self.high >> other & 1:
                self.high |= 1 << one | 1 << other

    def release(self, _sio: int, mask: int, falling: int, rising: int, words: array[int], steps: int) -> None:
        """Let pads go and fill the samples; interrupts must be off, as on the board."""
        if not self.irqs_off:
            raise AssertionError("pads were let go with interrupts on")
        self.driven_high |= rising
        if falling:
            self.on_release()
        self._sample(mask, words, steps)

    def _sample(self, mask: int, words: array[int], steps: int) -> None:
        more = self.driven_fall.get(self.driven_high, {})
        charged = self.high & mask
        pins = [pin for pin in range(30) if charged >> pin & 1]
        ends = {pin: self.fall.get(pin, 0) + more.get(pin, 0) for pin in pins}
        for step in range(steps):
            words[step] = sum(1 << pin for pin in pins if step < ends[pin])
        self.high &= ~mask

    def follow_release(self, _sio: int, mask: int, _sync: int, words: array[int], steps: int) -> int:
        """As `release`, called by the other Pico's `on_release`."""
        self._sample(mask, words, steps)
        return 1

    def rest(self, _sio: int, mask: int) -> None:
        """Pads low."""
        self.high &= ~mask

    def raise_pins(self, _sio: int, mask: int) -> None:
        """Outputs high: the sync wire; pads do not feel it."""

    def lower_pins(self, _sio: int, mask: int) -> None:
        """Outputs low."""
        self.driven_high &= ~mask

    def let_go(self, _sio: int, mask: int) -> None:
        """Pins as inputs."""

    def look(self, _sio: int) -> int:
        """The input word."""
        return self.high

    def modules(self, sampling: ModuleType) -> dict[str, Any]:
        """`machine` and `sampling` for this Pico; everything of `sampling` that is arithmetic stays the firmware's."""
        registers = (
            "charge",
            "release",
            "follow_release",
            "rest",
            "raise_pins",
            "lower_pins",
            "let_go",
            "look",
        )
        mixed = SimpleNamespace(**vars(sampling))
        for name in registers:
            setattr(mixed, name, getattr(self, name))
        return {"sampling": mixed, "machine": self._machine()}

    def _machine(self) -> Any:
        pico = self

        class Pin:
            IN, OUT, PULL_UP, PULL_DOWN = range(4)

            def __init__(self, number: int, *_: object, value: int | None = None) -> None:
                self.number = number
                self.level = value or 0

            def value(self, level: int | None = None) -> int:
                if level is not None:
                    self.level = level
                return self.level

        class UART:
            def __init__(self, number: int, **_: object) -> None:
                self._inbox = pico.inboxes.setdefault(number, bytearray())

            def any(self) -> int:
                return len(self._inbox)

            def readinto(self, target: bytearray, count: int | None = None) -> int:
                taken = min(len(target) if count is None else count, len(self._inbox))
                target[:taken] = self._inbox[:taken]
                del self._inbox[:taken]
                return taken

            def write(self, data: bytes) -> None:
                pico.outbox(bytes(data))

        class I2C:
            """A motion sensor that stands upright, and MPR121 boards that nobody touches."""

            def __init__(self, number: int, **_: object) -> None:
                self.number = number

            def writeto_mem(self, address: int, register: int, data: bytes) -> None:
                """Every setting is taken."""

            def readfrom_mem_into(self, address: int, register: int, target: bytearray) -> None:
                target[:] = bytes(len(target))
                if address == _MOTION:
                    target[4:6] = (16_384).to_bytes(2, "big")

        def disable_irq() -> int:
            pico.irqs_off = True
            return 1

        def enable_irq(_state: int) -> None:
            pico.irqs_off = False

        return SimpleNamespace(Pin=Pin, UART=UART, I2C=I2C, disable_irq=disable_irq, enable_irq=enable_irq)
