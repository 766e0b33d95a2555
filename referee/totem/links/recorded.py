"""A recording as a door: the same scans in the same order, at their own pace or as fast as they are taken.

Belongs here: pacing. Does not belong here: reading files (`recording`).
"""

from __future__ import annotations

import time
from dataclasses import replace

from referee.totem.links.base import Clock, LinkHealth, freshness, table_clock
from referee.totem.scans import Layout, ScanBatch

_SCANS_A_BATCH = 8
_SCANS_AT_ONCE = 32  # where nobody waits for them: much less to do, and still far less than a frame's time


def cut(scans: ScanBatch, start: int, end: int) -> ScanBatch:
    """The scans from `start` to just before `end`."""
    return replace(
        scans,
        t_us=scans.t_us[start:end],
        counts=scans.counts[start:end],
        tilt_deg=scans.tilt_deg[start:end],
        yaw_deg=None if scans.yaw_deg is None else scans.yaw_deg[start:end],
        seated=None if scans.seated is None else scans.seated[start:end],
        seat_index=None if scans.seat_index is None else scans.seat_index[start:end],
        seat_delta=None if scans.seat_delta is None else scans.seat_delta[start:end],
        lost=scans.lost if start == 0 else 0,
    )


class RecordedLink:
    """Plays `scans`; with `paced`, each batch comes no earlier than its stamps say on the clock `now_us`."""

    def __init__(
        self, scans: ScanBatch, name: str = "recording", paced: bool = False, now_us: Clock | None = None
    ) -> None:
        self._scans = scans
        self._name = name
        self._paced = paced
        self._now_us = now_us or table_clock()
        self._at = 0
        self._last_us: int | None = None
        self._closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def layout(self) -> Layout | None:
        return self._scans.layout

    @property
    def ended(self) -> bool:
        return self._closed or self._at >= len(self._scans)

    def poll(self, timeout_s: float) -> list[ScanBatch]:
        if self.ended:
            return []
        end = min(self._at + (_SCANS_A_BATCH if self._paced else _SCANS_AT_ONCE), len(self._scans))
        if self._paced:
            wait_s = (int(self._scans.t_us[end - 1]) - self._now_us()) / 1e6
            if wait_s > timeout_s:
                time.sleep(max(timeout_s, 0.0))
                return []
            if wait_s > 0:
                time.sleep(wait_s)
        batch = cut(self._scans, self._at, end)
        self._at = end
        self._last_us = self._now_us()
        return [batch]

    def health(self) -> LinkHealth:
        age_us = None if self._last_us is None else self._now_us() - self._last_us
        problem = "closed" if self._closed else "the recording is over" if self.ended else None
        return LinkHealth(freshness(age_us, problem), age_us, problem, self._at, self._scans.lost, starts=1)

    def close(self) -> None:
        self._closed = True
