"""Scans as a stream: batches of any size in, blocks of fixed time out.

Belongs here: the arrays of a run of scans as one value, joining and cutting them. Does not belong here: what
is done with a block (scrambles.py).

Rule: the blocks depend on the scans' times alone and never on how the scans came in batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

BLOCK_US = 16_000
# The first block is longer: the level of the untouched totem is learnt from it.
START_US = 200_000


@dataclass(frozen=True)
class Scans:
    """A run of scans: `t_us` (n), `counts` (n, E), `tilt_deg` (n); the rest zero, -1, true or empty if unknown.

    `yaw_deg` (n) turn about the axis, `seated` (n) whether the base says it stands in its keyed place,
    `seat_index` (n) and `seat_delta` (n, E) the seat pads.
    """

    t_us: NDArray[np.int64]
    counts: Floats
    tilt_deg: Floats
    yaw_deg: Floats
    seated: NDArray[np.bool_]
    seat_index: NDArray[np.int8]
    seat_delta: Floats

    def __len__(self) -> int:
        return len(self.t_us)

    def rows(self, begin: int, end: int | None) -> Scans:
        """Some of the scans."""
        return Scans(*(getattr(self, f.name)[begin:end] for f in fields(self)))


def join(parts: Sequence[Scans]) -> Scans:
    """Runs of scans as one."""
    if len(parts) == 1:
        return parts[0]
    return Scans(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Scans)))


def scans(
    t_us: NDArray[np.int64],
    counts: NDArray[np.int32],
    tilt_deg: Floats,
    yaw_deg: Floats | None = None,
    seat_index: NDArray[np.int8] | None = None,
    seat_delta: NDArray[np.int16] | None = None,
    seated: NDArray[np.bool_] | None = None,
) -> Scans:
    """Scans with what is not measured filled in."""
    many = len(t_us)
    return Scans(
        t_us,
        counts.astype(np.float32),
        tilt_deg.astype(np.float32),
        np.zeros(many, np.float32) if yaw_deg is None else yaw_deg.astype(np.float32),
        np.zeros(many, bool) if seated is None else seated,
        np.full(many, -1, np.int8) if seat_index is None else seat_index,
        np.zeros((many, 0), np.float32) if seat_delta is None else seat_delta.astype(np.float32),
    )


class Blocks:
    """Cuts a stream into blocks of `BLOCK_US`, counted from its first scan."""

    def __init__(self) -> None:
        self._first_us: int | None = None
        self._waiting: list[Scans] = []
        self._number = START_US // BLOCK_US - 1

    def add(self, batch: Scans) -> None:
        """More scans."""
        if not len(batch):
            return
        if self._first_us is None:
            self._first_us = int(batch.t_us[0])
        self._waiting.append(batch)

    def take(self, last: bool) -> Iterator[Scans]:
        """The blocks that are complete; with `last` also what is left."""
        if not self._waiting or self._first_us is None:
            return
        newest = (int(self._waiting[-1].t_us[-1]) - self._first_us) // BLOCK_US
        if newest <= self._number and not last:
            return
        whole = join(self._waiting)
        number = np.maximum((whole.t_us - self._first_us) // BLOCK_US, START_US // BLOCK_US - 1)
        cuts = (np.nonzero(np.diff(number))[0] + 1).tolist()
        start = 0
        for cut in [*cuts, len(whole)] if last else cuts:
            yield whole.rows(start, cut)
            start = cut
        self._waiting = [whole.rows(start, None)] if start < len(whole) else []
        self._number = int(number[-1])
