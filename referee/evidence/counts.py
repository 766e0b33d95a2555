"""The totem's scans of a stretch of time as trace files (formats.md, "Totem trace").

Belongs here: scans in batches as the arrays of a trace. Does not belong here: reading traces (`referee.totem.trace`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from referee.totem.scans import ScanBatch

Arrays = dict[str, NDArray[np.generic]]


def traces_of(batches: Sequence[ScanBatch], from_us: int, to_us: int, names: Sequence[str] = ()) -> list[bytes]:
    """The scans between two times as `.npz` files: one for each start and layout of the totem, in order.

    `names` are those of the seat pads, in the order in which the totem drives them.
    """
    found = []
    for _, group in groupby(batches, key=_sort):
        arrays = _arrays(list(group), from_us, to_us, names)
        if len(arrays["t_us"]):
            content = io.BytesIO()
            np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
            found.append(content.getvalue())
    return found


def _sort(batch: ScanBatch) -> tuple[object, ...]:
    """What must be the same throughout one trace."""
    return (batch.boot_id, batch.layout, batch.yaw_deg is None, batch.seated is None, batch.seat_index is None)


def _arrays(batches: Sequence[ScanBatch], from_us: int, to_us: int, names: Sequence[str]) -> Arrays:
    first = batches[0]
    t_us = np.concatenate([batch.t_us for batch in batches])
    within = (t_us >= from_us) & (t_us <= to_us)
    # A batch that was sent twice would make the times stand still, which no trace may.
    within[1:] &= t_us[1:] > np.maximum.accumulate(t_us)[:-1]
    layout = first.layout
    arrays: Arrays = {
        "rings": np.array(layout.rings, np.int64),
        "sectors": np.array(layout.sectors, np.int64),
        "ring_mm": np.array(layout.ring_mm, np.float64),
        "boot_id": np.array(first.boot_id, np.int64),
        "diameter_mm": np.array(layout.diameter_mm, np.float64),
        "height_mm": np.array(layout.height_mm, np.float64),
    }
    for name in ("t_us", "counts", "tilt_deg", "yaw_deg", "seated", "seat_index", "seat_delta"):
        if getattr(first, name) is not None:
            arrays[name] = np.concatenate([getattr(batch, name) for batch in batches])[within]
    if layout.seats and first.seat_index is not None:
        more = (f"seat {seat}" for seat in range(len(names), layout.seats))
        arrays["seat_names"] = np.array([*names, *more][: layout.seats], np.str_)
    return arrays
