"""What every output of the announcer has in common: speech, lamps, MQTT, console.

Belongs here: the protocol, the words handed to an output, and how an output says that it is unwell. Does not
belong here: what may be made known (`publicity`), when something is said (`speech.agenda`), or any device.

Rules every output keeps (one contract test holds them all):
- A call comes back at once; what takes time waits behind a bounded queue of the output's own.
- A device that is missing, busy or gone is no exception but a sentence in `health`; the game goes on.
- What it is handed may be made known: an output never looks at `public`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from referee.words import Expected, Ruling

Clock = Callable[[], int]
"""Microseconds of a clock that never goes back."""

_SHOWN_COUNTS = frozenset(
    [
        "reserve",
        "face_up",
        "pot",
        "colour_mode",
        "out",
        "hand",
        "draw",
        "side",
        "central",
        "wins",
        "round",
        "pile",
        "table",
        "value",
        "direction",
        "oubli",
        "holds",
        "piles",
        "first",
        "totals",
    ]
)
"""Counts that anybody at the table can see for themselves; a count not named here is not passed on."""


def monotonic_us() -> int:
    """Microseconds of the machine's monotonic clock."""
    return time.monotonic_ns() // 1000


@dataclass(frozen=True, slots=True)
class Notice:
    """A ruling that may be made known; `place` is its place among the rulings given (0 first)."""

    place: int
    ruling: Ruling


@dataclass(frozen=True)
class Status:
    """How the game stands, as far as everybody may know it.

    `turn` is who plays next, `asked` who has to answer (a choice, a share), `waiting_for` what for. Whether somebody
    may take the totem is not in it: that would give a duel away. `sources` says how each source of data is.
    """

    turn: str | None = None
    asked: str | None = None
    waiting_for: str = "nothing"
    over: bool = False
    counts: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


def status_of(expected: Expected, summary: Mapping[str, Any], sources: Mapping[str, str]) -> Status:
    """The public part of what is expected and how the game stands."""
    waiting_for = expected["waiting_for"]
    may_flip = expected["may_flip"]
    turn = summary.get("turn") or (may_flip[0] if waiting_for == "flip" and len(may_flip) == 1 else None)
    return Status(
        turn=turn,
        asked=expected["asked"],
        # "take" means that somebody may: said as "nothing", as in every other pause.
        waiting_for="nothing" if waiting_for == "take" else waiting_for,
        over=bool(summary.get("over", False)),
        counts={key: value for key, value in summary.items() if key in _SHOWN_COUNTS},
        sources=dict(sources),
    )


class Health:
    """How an output is: an empty sentence when it is well. Set by its thread, read by any."""

    def __init__(self) -> None:
        self.sentence = ""

    def ill(self, sentence: object) -> None:
        """Say in one sentence what is wrong."""
        self.sentence = str(sentence)

    def well(self) -> None:
        """Say that it works (again)."""
        self.sentence = ""


class Output(Protocol):
    """A way to make rulings known."""

    name: str
    health: Health

    def ruled(self, notice: Notice) -> None:
        """A ruling was given."""

    def overturned(self, places: frozenset[int]) -> None:
        """Rulings at these places do not hold any more; some may never have been handed to this output."""

    def status(self, status: Status) -> None:
        """The game stands differently from the last time."""

    def close(self, wait_s: float) -> None:
        """Finish what has begun, for `wait_s` seconds at most, and let go of every device; safe to call twice."""
