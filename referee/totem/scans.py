"""What a totem says, once its bytes are read: scans, in batches, with the layout of its pads.

Belongs here: the shape of the totem and the arrays of raw readings, checked once where they enter, so that
whoever works on them need not check again. Does not belong here: how the bytes were coded (`protocol`), which
clock is meant beyond "microseconds", what the readings mean (contacts, hands), files.

Arrays are not copied and are made read-only: a batch is a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.errors import TraceError

MAX_PADS = 255
MAX_SEATS = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the pads of a totem are: `rings` × `sectors` pads, index = ring * sectors + sector.

    Ring 0 is the lowest; `ring_mm` holds each ring's centre height above the table. Sector 0 is at 0°, and
    sectors go counter-clockwise seen from above. `seats` is the number of seat pads the totem drives in turn
    (0: none). Raises `TraceError` for a totem that cannot be.
    """

    rings: int
    sectors: int
    ring_mm: tuple[float, ...]
    diameter_mm: float = 30.0
    height_mm: float = 120.0
    seats: int = 0

    def __post_init__(self) -> None:
        if not (self.rings >= 1 and self.sectors >= 1 and self.rings * self.sectors <= MAX_PADS):
            raise TraceError(
                f"layout of {self.rings} rings × {self.sectors} sectors: "
                f"expected at least 1 × 1 and at most {MAX_PADS} pads"
            )
        if len(self.ring_mm) != self.rings:
            raise TraceError(f"layout: {len(self.ring_mm)} ring heights for {self.rings} rings: expected one a ring")
        sizes = (*self.ring_mm, self.diameter_mm, self.height_mm)
        if not all(0.0 <= size <= 2_000.0 for size in sizes):
            raise TraceError("layout: ring heights, diameter and height must be numbers from 0 to 2000 mm")
        if any(low >= high for low, high in zip(self.ring_mm, self.ring_mm[1:], strict=False)):
            raise TraceError("layout: ring heights must rise from ring 0 on")
        if not 0 <= self.seats <= MAX_SEATS:
            raise TraceError(f"layout: {self.seats} seat pads: expected 0 to {MAX_SEATS}")

    @property
    def pads(self) -> int:
        """Number of pads on the totem itself."""
        return self.rings * self.sectors


@dataclass(frozen=True, slots=True)
class ScanBatch:
    """N scans in the order of their stamps, from one start (`boot_id`) of one totem.

    `t_us` int64 (N): end of each scan, microseconds. `counts` int32 (N, pads): raw readings, higher = more
    touch. `tilt_deg` float32 (N): angle from upright. Optional: `yaw_deg` float32 (N), turn about the totem's
    axis since it started; `seated` bool (N), whether the base contact says that it stands in its place;
    `seat_index` int8 (N), the seat pad driven in this scan, -1 for none, with `seat_delta` int16 (N, pads),
    how far each reading moved when it was driven. `lost` counts the scans known to be missing just before the
    first one of this batch. Raises `TraceError` when shapes disagree or the stamps run backwards.
    """

    layout: Layout
    boot_id: int
    t_us: NDArray[np.int64]
    counts: NDArray[np.int32]
    tilt_deg: NDArray[np.float32]
    yaw_deg: NDArray[np.float32] | None = None
    seated: NDArray[np.bool_] | None = None
    seat_index: NDArray[np.int8] | None = None
    seat_delta: NDArray[np.int16] | None = None
    lost: int = 0

    def __post_init__(self) -> None:
        scans, pads = len(self.t_us), self.layout.pads
        expected: Sequence[tuple[str, object, type[np.generic], tuple[int, ...]]] = (
            ("t_us", self.t_us, np.int64, (scans,)),
            ("counts", self.counts, np.int32, (scans, pads)),
            ("tilt_deg", self.tilt_deg, np.float32, (scans,)),
            ("yaw_deg", self.yaw_deg, np.float32, (scans,)),
            ("seated", self.seated, np.bool_, (scans,)),
            ("seat_index", self.seat_index, np.int8, (scans,)),
            ("seat_delta", self.seat_delta, np.int16, (scans, pads)),
        )
        for name, array, kind, shape in expected:
            if array is None:
                continue
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != shape:
                found = getattr(array, "dtype", type(array).__name__), getattr(array, "shape", "")
                raise TraceError(f"scans: {name} is {found[0]} {found[1]}: expected {kind.__name__} {shape}")
            array.setflags(write=False)
        if (self.seat_index is None) != (self.seat_delta is None):
            raise TraceError("scans: seat_index and seat_delta come together or not at all")
        if scans > 1 and not bool((np.diff(self.t_us) > 0).all()):
            raise TraceError("scans: t_us must rise from scan to scan")

    def later(self, shift_us: int) -> ScanBatch:
        """The same scans on a clock that is `shift_us` ahead."""
        return self if shift_us == 0 else replace(self, t_us=self.t_us + shift_us)

    def __len__(self) -> int:
        return len(self.t_us)
