"""Lamps and buzzer: which ruling is seen and heard how, and the output that does it.

Belongs here: one pure table from rulings to signals, and its edge to the pins (`referee.gpio`). Does not belong here:
pins, or what a seat button means: presses are handed on as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from referee.announce.outputs import Clock, Health, Notice, Status
from referee.errors import HardwareError
from referee.gpio import Change, Pins
from referee.words import Ruling

TABLE = "lamp"
_BUTTON, _SEAT = "button ", "lamp "


@dataclass(frozen=True, slots=True)
class Signal:
    """On for `on_s`, off for `off_s`, so many times. `at`: the key of the ruling that names whose seat lamp it is,
    `table` for the table's lamp, `buzzer`, or `all` for every lamp."""

    at: str
    on_s: float
    off_s: float = 0.0
    times: int = 1


_NOTED = Signal("table", 0.8)
_BLINK = Signal("player", 0.25, 0.25, 6)
_HONK = Signal("buzzer", 0.15, 0.10, 2)
_BEEP = Signal("buzzer", 0.06)
_ASKED = Signal("player", 0.5, 0.5, 10)
_END = Signal("all", 0.5, 0.5, 5)

SIGNALS: Mapping[str, tuple[Signal, ...]] = {
    "won": (Signal("winner", 3.0), _NOTED),
    "to-pot": (Signal("player", 3.0), _NOTED),
    "fault": (_BLINK, _HONK),
    "cancelled": (_NOTED,),
    "undecided": (Signal("table", 0.3, 0.3, 8), Signal("buzzer", 0.5)),
    "choice-needed": (_ASKED,),
    "share-needed": (_ASKED,),
    "warning": (_BLINK, _BEEP),
    "arrow": (_NOTED,),
    "duel": (_NOTED,),
    "out": (_BLINK,),
    "over": (_END,),
    "illegal-play": (_BLINK, _HONK),
    "false-start": (_BLINK, _HONK),
    "turn-up": (_BEEP,),
    "reshuffle-needed": (_NOTED, _BEEP),
    "game-won": (Signal("winner", 3.0), _NOTED),
    "match-won": (_END,),
    "picks-up": (Signal("player", 1.5),),
    "oubli": (_BLINK, _HONK),
    "refused": (_BLINK,),
    "returned": (_NOTED,),
    "round-over": (_NOTED, _BEEP),
}
"""A kind that is not here is not shown by lamps."""


def signals_of(ruling: Ruling) -> list[tuple[str, Signal]]:
    """The signals of a ruling, each with the output it is for: `lamp`, `buzzer`, `all`, or `lamp NAME` of a seat."""
    found: list[tuple[str, Signal]] = []
    if ruling.get("why") == "open":
        return found  # it waits for something that was signalled when it was left open
    for signal in SIGNALS.get(ruling["ruling"], ()):
        if signal.at in ("buzzer", "all"):
            found.append((signal.at, signal))
        elif signal.at == "table":
            found.append((TABLE, signal))
        elif isinstance(name := ruling.get(signal.at), str):
            found.append((_SEAT + name, signal))
    return found


@dataclass(frozen=True)
class PinNumbers:
    """BCM pin numbers of the table's lamp and buzzer and of each player's lamp and button, as far as there are any."""

    lamp: int | None = None
    buzzer: int | None = None
    seat_lamps: Mapping[str, int] = field(default_factory=dict)
    seat_buttons: Mapping[str, int] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Whether there is anything on the pins at all."""
        return self.lamp is not None or self.buzzer is not None or bool(self.seat_lamps or self.seat_buttons)


class Lamps:
    """Lamps, buzzer and seat buttons on the Pi's pins."""

    name = "lamps"

    def __init__(self, numbers: PinNumbers, now_us: Clock) -> None:
        self.health = Health()
        self._pins: Pins | None = None
        self._lit: dict[int, set[str]] = {}
        try:
            self._pins = Pins(
                {_BUTTON + name: pin for name, pin in numbers.seat_buttons.items()},
                now_us,
                lamp=numbers.lamp,
                buzzer=numbers.buzzer,
                lamps={_SEAT + name: pin for name, pin in numbers.seat_lamps.items()},
            )
        except HardwareError as error:
            self.health.ill(f"no lamps: {error}")

    def presses(self) -> list[Change]:
        """The seat buttons pressed and let go since the last call, named after their players."""
        if self._pins is None:
            return []
        return [Change(c.name.removeprefix(_BUTTON), c.active, c.t_us) for c in self._pins.changes()]

    def ruled(self, notice: Notice) -> None:
        """Show the signals of a ruling; a newer signal takes a lamp from an older one."""
        for name, signal in signals_of(notice.ruling):
            for output in self._named(name):
                self._lit = {place: lit - {output} for place, lit in self._lit.items() if lit - {output}}
                self._lit.setdefault(notice.place, set()).add(output)
                self._try(partial(Pins.flash, name=output, on_s=signal.on_s, off_s=signal.off_s, times=signal.times))

    def overturned(self, places: frozenset[int]) -> None:
        """Put out what is still lit for rulings that do not hold."""
        for place in places & {*self._lit}:
            for output in self._lit.pop(place):
                self._try(partial(Pins.dark, name=output))

    def status(self, status: Status) -> None:
        """Lamps show rulings alone."""

    def close(self, wait_s: float) -> None:
        """Everything goes dark and silent."""
        pins, self._pins = self._pins, None
        if pins is not None:
            pins.close()

    def _named(self, name: str) -> list[str]:
        if self._pins is None:
            return []
        return [one for one in self._pins.outputs if one == name or (name == "all" and one != "buzzer")]

    def _try(self, order: Callable[[Pins], None]) -> None:
        if self._pins is None:
            return
        try:
            order(self._pins)
            self.health.well()
        except HardwareError as error:
            self.health.ill(f"no lamps: {error}")
