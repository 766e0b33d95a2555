"""What a totem feels right now, as a picture in a terminal and as numbers for a page.

Belongs here: a quick look for whoever builds or repairs a totem. Does not belong here: who touched it. What
is shown as "touch" is only the difference to a slow floor, without any of the care of `contacts`.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from referee.totem.links.base import LinkHealth
from referee.totem.scans import Layout, ScanBatch

_FLOOR_DOWN = 0.2  # the floor follows a falling reading quickly and a rising one slowly, scan by scan
_FLOOR_UP = 0.0005
_LEAST_RANGE = 60.0  # counts of a light touch, until a stronger one was seen
_SHADES = " .:-=+*#%@"
_RATE_BATCHES = 250


class View:
    """The present state of a totem; `update` and `snapshot` may be called from different threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._layout: Layout | None = None
        self._floor: np.ndarray[Any, np.dtype[np.float64]] | None = None
        self._levels: np.ndarray[Any, np.dtype[np.float64]] | None = None
        self._range = _LEAST_RANGE
        self._latest: ScanBatch | None = None
        self._ends: deque[tuple[int, int]] = deque(maxlen=_RATE_BATCHES)

    def update(self, batch: ScanBatch) -> None:
        """Take in a batch."""
        if not len(batch):
            return
        counts = batch.counts.astype(np.float64)
        with self._lock:
            if self._layout != batch.layout or self._floor is None:
                self._layout = batch.layout
                self._floor = counts[0].copy()
                self._range = _LEAST_RANGE
                self._ends.clear()
            floor = self._floor
            for row in counts:
                floor += np.where(row < floor, _FLOOR_DOWN, _FLOOR_UP) * (row - floor)
            above = np.maximum(counts[-1] - floor, 0.0)
            self._range = max(self._range * 0.9999, float(above.max()), _LEAST_RANGE)
            self._levels = np.minimum(above / self._range, 1.0)
            self._latest = batch
            self._ends.append((int(batch.t_us[-1]), len(batch)))

    def snapshot(self, health: LinkHealth) -> dict[str, Any]:
        """Everything that is shown, as plain values fit for JSON."""
        state: dict[str, Any] = {
            "health": health.freshness.value,
            "problem": health.problem,
            "scans": health.scans,
            "scans_lost": health.scans_lost,
            "faults": health.faults,
            "starts": health.starts,
            "clock_error_us": round(health.clock_error_us) if np.isfinite(health.clock_error_us) else None,
        }
        with self._lock:
            if self._layout is None or self._levels is None or self._latest is None:
                return state
            last = self._latest
            span_us = self._ends[-1][0] - self._ends[0][0]
            scans = sum(count for _, count in self._ends) - self._ends[0][1]
            state |= {
                "rings": self._layout.rings,
                "sectors": self._layout.sectors,
                "levels": [round(float(level), 3) for level in self._levels],
                "counts": [int(count) for count in last.counts[-1]],
                "tilt_deg": round(float(last.tilt_deg[-1]), 1),
                "yaw_deg": None if last.yaw_deg is None else round(float(last.yaw_deg[-1]), 1),
                "seated": None if last.seated is None else bool(last.seated[-1]),
                "t_us": int(last.t_us[-1]),
                "rate": round(scans / span_us * 1e6) if span_us > 0 else None,
            }
        return state


def picture(state: dict[str, Any]) -> Group:
    """A snapshot for a terminal: the cylinder unrolled, the highest ring on top."""
    words = Text()
    words.append(f"{state['health']}", "green" if state["health"] == "fresh" else "red")
    if state["problem"]:
        words.append(f"  {state['problem']}")
    if "levels" not in state:
        return Group(words)
    words.append(f"  {state['rate'] or '?'} scans/s  lost {state['scans_lost']}  faults {state['faults']}")
    words.append(f"  clock ±{state['clock_error_us']} µs" if state["clock_error_us"] is not None else "")
    words.append(f"\ntilt {state['tilt_deg']:.1f}°")
    if state["yaw_deg"] is not None:
        words.append(f"  turn {state['yaw_deg']:.1f}°")
    if state["seated"] is not None:
        words.append("  in its place" if state["seated"] else "  lifted")
    table = Table(show_header=True, box=None, pad_edge=False)
    table.add_column("ring", justify="right")
    for sector in range(state["sectors"]):
        table.add_column(f"{round(sector * 360 / state['sectors'])}°", justify="center")
    for ring in reversed(range(state["rings"])):
        cells = []
        for sector in range(state["sectors"]):
            level = state["levels"][ring * state["sectors"] + sector]
            shade = _SHADES[min(int(level * len(_SHADES)), len(_SHADES) - 1)]
            cells.append(Text(shade * 4, f"on rgb({int(40 + 215 * level)},{int(40 + 60 * level)},40)"))
        table.add_row(str(ring), *cells)
    return Group(words, table)
