"""The disk that records are kept on, and the board's heat and power."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from referee.doctor.finding import Finding

SLOW_SYNC_MS = 50.0  # a ruling is kept before it is said: this much later it is heard
LOW_MB, NO_MB = 1000.0, 100.0  # a game with evidence takes some tens of MB
# Raspberry Pi documentation, "Frequency management and thermal control": the ARM cores are throttled back from 80 °C.
HOT_C, WARM_C = 80.0, 70.0
# The same, "vcgencmd get_throttled": bits for now, and 16 higher for since the start.
UNDER_VOLTAGE, CAPPED, THROTTLED, SOFT_LIMIT = 0x1, 0x2, 0x4, 0x8
SINCE_START = 16


@dataclass(frozen=True)
class MachineFacts:
    """`sync_ms` are the times of several synced writes, `write_errno` why they failed; `throttled` the firmware's bits.

    `celsius`, `throttled`, `under_voltage` are None where this machine does not tell.
    """

    sync_ms: Sequence[float] = ()
    write_errno: int | None = None
    free_mb: float | None = None
    celsius: float | None = None
    throttled: int | None = None
    under_voltage: bool | None = None


def judge(facts: MachineFacts) -> list[Finding]:
    """What disk, heat and power amount to."""
    found = [_sync(facts)]
    if facts.free_mb is not None:
        verdict = "none" if facts.free_mb < NO_MB else "low" if facts.free_mb < LOW_MB else "ok"
        found.append(Finding("disk.space", verdict, {"free_mb": facts.free_mb}))
    return [*found, _heat(facts.celsius), _speed(facts.throttled), _volt(facts)]


def _sync(facts: MachineFacts) -> Finding:
    if facts.write_errno is not None or not facts.sync_ms:
        number = facts.write_errno or 0
        if number == errno.EROFS:
            return Finding("disk.sync", "readonly")
        if number in (errno.ENOSPC, errno.EDQUOT):
            return Finding("disk.sync", "full")
        return Finding("disk.sync", "broken", {"why": errno.errorcode.get(number, "no answer")})
    usual = median(facts.sync_ms)
    verdict = "slow" if usual > SLOW_SYNC_MS else "ok"
    return Finding("disk.sync", verdict, {"ms": usual, "worst_ms": max(facts.sync_ms)})


def _heat(celsius: float | None) -> Finding:
    if celsius is None:
        return Finding("board.heat", "unknown")
    verdict = "hot" if celsius >= HOT_C else "warm" if celsius >= WARM_C else "ok"
    return Finding("board.heat", verdict, {"celsius": celsius})


def _speed(throttled: int | None) -> Finding:
    if throttled is None:
        return Finding("board.speed", "unknown")
    slowed = CAPPED | THROTTLED | SOFT_LIMIT
    if throttled & slowed:
        return Finding("board.speed", "now")
    return Finding("board.speed", "before" if throttled >> SINCE_START & slowed else "ok")


def _volt(facts: MachineFacts) -> Finding:
    if facts.throttled is None and facts.under_voltage is None:
        return Finding("board.volt", "unknown")
    bits = facts.throttled or 0
    if facts.under_voltage or bits & UNDER_VOLTAGE:
        return Finding("board.volt", "now")
    return Finding("board.volt", "before" if bits >> SINCE_START & UNDER_VOLTAGE else "ok")
