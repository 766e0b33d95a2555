"""A stretch of a trace as curves for a page: how strongly each ring and each sector is touched over time.

Belongs here: plain numbers, few enough to be sent and drawn. Does not belong here: who touched (`scrambles`), drawing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.totem.picture import above_level
from referee.totem.trace import load_trace

MOST_POINTS = 600


def read_curves(path: Path, from_us: int | None = None, to_us: int | None = None) -> dict[str, Any]:
    """The curves of a trace file between two times, counts above rest; raises `TraceError`.

    `t_us` (N), `rings`: for each, lowest first, its height `mm` and its `level` (N), the strongest of its electrodes;
    `sectors`: for each its direction `deg` on the totem and its `level` (N); `tilt_deg` (N). A longer trace is given
    in N steps, of which each holds the strongest of its scans: a short touch is not lost.
    """
    trace = load_trace(path)
    layout = trace.layout
    first = 0 if from_us is None else int(np.searchsorted(trace.t_us, from_us))
    last = len(trace.t_us) if to_us is None else int(np.searchsorted(trace.t_us, to_us, "right"))
    times, tilt = trace.t_us[first:last], trace.tilt_deg[first:last]
    if not len(times):
        return {"t_us": [], "rings": [], "sectors": [], "tilt_deg": []}
    # What is at rest is known from the whole trace.
    above = above_level(trace)[first:last].reshape(len(times), layout.rings, layout.sectors)
    starts = np.unique(np.linspace(0, len(times) - 1, min(MOST_POINTS, len(times))).astype(np.int64))
    rings, sectors = _strongest(above.max(2), starts), _strongest(above.max(1), starts)
    return {
        "t_us": times[starts].tolist(),
        "rings": [
            {"mm": round(float(layout.ring_mm[ring]), 1), "level": rings[:, ring].tolist()}
            for ring in range(layout.rings)
        ],
        "sectors": [
            {"deg": round(360 * sector / layout.sectors, 1), "level": sectors[:, sector].tolist()}
            for sector in range(layout.sectors)
        ],
        "tilt_deg": np.round(np.nan_to_num(tilt[starts]), 1).tolist(),
    }


def _strongest(levels: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest level of each step, a whole number from 0 up."""
    return np.rint(np.maximum(np.maximum.reduceat(levels, starts, axis=0), 0)).astype(np.int64)
