"""Telling the service manager that the referee is alive: only while what it lives by is fresh.

Written rules of this module:
- a sign of life is sent from the session's own turn, so that a session that hangs sends none;
- none is sent while the camera or the totem is stale or lost, or while what is kept cannot be written: then the
  manager starts the service anew, which goes on with the game (`referee serve`);
- without a manager (`NOTIFY_SOCKET` is not set) nothing of this exists.

The protocol is sd_notify's: lines `KEY=value` in one datagram to the Unix socket that the environment names, a leading
`@` standing for the abstract namespace (man sd_notify(3)). That is a dozen lines here and no dependency.
Does not belong here: how a source's freshness comes about (`referee.play`), the unit file (`scripts/pi`).
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from referee.amounts import amount
from referee.health import Freshness
from referee.ledger import Given
from referee.session import Snapshot
from referee.table.calls import Notice

Send = Callable[[str], None]
LEAST_FREE_BYTES = 1_000_000  # a few thousand events


def sender(environment: Mapping[str, str]) -> Send | None:
    """What sends words to the service manager; None without one."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return None
    name = "\0" + address[1:] if address.startswith("@") else address

    def send(words: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line, suppress(OSError):
            # A manager that does not take it now would not be helped by waiting for it.
            line.setblocking(False)
            line.sendto(words.encode(), name)

    return send


def why_not_kept(place: Path) -> str | None:
    """Why nothing more can be kept in a file or folder; None while it can."""
    try:
        status = os.statvfs(place)
    except OSError as error:
        return f"the record is gone ({error.strerror})"
    if status.f_flag & os.ST_RDONLY:
        return "the disk is read-only"
    if status.f_bavail * status.f_frsize < LEAST_FREE_BYTES:
        return "the disk is full"
    return None


class Watchdog:
    """A listener of the session that feeds the service manager's watchdog."""

    def __init__(self, send: Send, kept: Path, every_s: float, clock_s: Callable[[], float] = time.monotonic) -> None:
        """`kept` is the file or folder in which the game is kept; a sign of life is sent every `every_s` at most."""
        self._send = send
        self._kept = kept
        self._every_s = every_s
        self._clock_s = clock_s
        self._fed_s = -every_s
        self._status = ""

    def ready(self) -> None:
        """The referee has begun."""
        self._send("READY=1\nSTATUS=the table is watched")

    def stopping(self) -> None:
        """The referee ends by itself."""
        self._send("STOPPING=1\nSTATUS=the game is being closed")

    def given(self, given: Sequence[Given]) -> None:
        """Nothing: a ruling is no sign of a fresh source."""

    def noticed(self, notice: Notice) -> None:
        """Nothing, likewise."""

    def stands(self, snapshot: Snapshot) -> None:
        """Feed the watchdog if everything is fresh; say in the status what is not."""
        trouble = self._trouble(snapshot)
        now_s = self._clock_s()
        status = trouble or f"{amount(snapshot.events, 'event')}, everything is fresh"
        if trouble is None and now_s - self._fed_s >= self._every_s:
            self._fed_s, self._status = now_s, status
            self._send(f"WATCHDOG=1\nSTATUS={status}")
        elif trouble is not None and status != self._status:
            self._status = status
            self._send(f"STATUS={status}")

    def _trouble(self, snapshot: Snapshot) -> str | None:
        ill = [name for name, source in snapshot.sources.items() if source.freshness is not Freshness.FRESH]
        if ill:
            return ", ".join(f"{name} {snapshot.sources[name].freshness.value}" for name in ill)
        return why_not_kept(self._kept)


def watchdog_for(kept: Path, environment: Mapping[str, str] | None = None) -> Watchdog | None:
    """The watchdog that the environment asks for; None without a service manager."""
    environment = os.environ if environment is None else environment
    send = sender(environment)
    if send is None:
        return None
    limit_us = environment.get("WATCHDOG_USEC", "")
    # A third of the manager's limit: one sign may be late without harm (man sd_watchdog_enabled(3) says half).
    every_s = int(limit_us) / 3e6 if limit_us.isdigit() and int(limit_us) > 0 else 1.0
    return Watchdog(send, kept, min(every_s, 1.0))


def life_without_a_game(status: str, environment: Mapping[str, str] | None = None) -> Callable[[], None]:
    """What tells the service manager, where there is one, that the service is ready and alive while no game is played.

    Call it again and again; it says something once a second at most.
    """
    environment = os.environ if environment is None else environment
    send = sender(environment)
    said_s: list[float] = []

    def alive() -> None:
        now_s = time.monotonic()
        if send is None or (said_s and now_s - said_s[0] < 1.0):
            return
        send(f"{'WATCHDOG=1' if said_s else 'READY=1'}\nSTATUS={status}")
        said_s[:] = [now_s]

    return alive
