"""What every door for scans promises.

Belongs here: the contract and the words of its health. Does not belong here: any device.

The contract (tests/totem_link/contract.py holds every link to it):
- `poll` waits at most about as long as it is told, and returns the batches that have come, oldest first.
- Stamps are on the table clock and rise from batch to batch for as long as the link lives.
- A device that is missing, busy or gone is a state of `health`, never an exception of `poll`; the link looks
  for it again by itself.
- `close` may be called twice; a closed link gives no more batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from referee import health
from referee.health import Freshness
from referee.totem.scans import Layout, ScanBatch

STALE_AFTER_US = 100_000
LOST_AFTER_US = 1_000_000

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """The state of a link; `age_us` of its last scan (None: none yet), `problem` in words if any."""

    freshness: Freshness
    age_us: int | None
    problem: str | None = None
    scans: int = 0
    scans_lost: int = 0
    faults: int = 0
    starts: int = 0
    clock_error_us: float = 0.0


class Link(Protocol):
    """A door for scans."""

    @property
    def name(self) -> str:
        """What a person calls it: a port, a file."""
        ...

    @property
    def layout(self) -> Layout | None:
        """The totem's pads, once known."""
        ...

    @property
    def ended(self) -> bool:
        """True when no scan will ever come again: the link is closed or its recording is over."""
        ...

    def poll(self, timeout_s: float) -> list[ScanBatch]:
        """Wait up to `timeout_s` for scans; returns at once when some are there."""
        ...

    def health(self) -> LinkHealth:
        """How the link is right now."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


def freshness(age_us: int | None, problem: str | None) -> Freshness:
    """The state that an age and a known problem amount to: a totem is stale after 0.1 s and lost after 1 s."""
    return health.freshness(age_us, problem, STALE_AFTER_US, LOST_AFTER_US)


def table_clock(pace: float = 1.0) -> Clock:
    """A table clock of its own: microseconds since this call, `pace` times faster than life."""
    start_ns = time.monotonic_ns()
    return lambda: int((time.monotonic_ns() - start_ns) * pace) // 1000
