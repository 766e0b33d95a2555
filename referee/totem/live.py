"""From a link's batches to grabs and falls while a game runs.

Belongs here: batches (`scans.ScanBatch`) as the blocks the detector reads (`stream.Scans`), and what becomes of a
touch when the totem starts anew, changes its shape, or falls silent in the middle of it. Does not belong here:
ports and pings (`links`, `receiver`: their batches are on the table clock already, by `clock`), what a reading means.

Written rules:
- Times are table time, as the batches bring them; nothing is shifted here.
- A few scans lost are bridged, as in a recording. A silence longer than `BRIDGED_US`, a new start (`boot_id`) or
  another shape of the totem ends what was in flight: it is not judged but told as a `Break`, and the rest goes on.
- After a break the totem may stand turned: direction names nobody until the base says that it is seated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from referee.errors import ProfileError
from referee.totem import scans as raw
from referee.totem import stream
from referee.totem.baseline import WARM_COUNTS
from referee.totem.scrambles import Detector, Fall, Grab
from referee.totem.touch import Known
from referee.totem.trace import Layout

# As long as the host asks for lost scans again (receiver.PATIENCE_US): what has not come by then never will.
BRIDGED_US = 400_000
# A first contact is timed back to the skin: so long before a touch is noticed it may have begun.
SKIN_US = 60_000
# A block is read when it is whole, and a touch is noticed in it: as much later at most.
NOTICED_US = 40_000

Why = Literal["start", "silence", "layout"]


@dataclass(frozen=True)
class Break:
    """The totem was not heard from `from_us` to `to_us` (table clock).

    `why`: it started anew, fell silent, or has another layout. `touched_us` is when the touch began that was in
    flight (None: nobody was at it): what came of that touch is undecided.
    """

    from_us: int
    to_us: int
    why: Why
    touched_us: int | None


def scans_of_batch(batch: raw.ScanBatch) -> stream.Scans:
    """A batch as the detector reads it: the same scans, in the detector's types."""
    return stream.scans(
        batch.t_us,
        batch.counts,
        batch.tilt_deg,
        batch.yaw_deg,
        batch.seat_index,
        batch.seat_delta,
        batch.seated,
    )


def layout_of_batch(layout: raw.Layout) -> Layout:
    """The layout a totem says it has, as the detector knows it."""
    return Layout(layout.rings, layout.sectors, np.array(layout.ring_mm, np.float64), layout.height_mm)


class LiveDetector:
    """Takes the batches of one link in their order; gives grabs (first provisional), falls and breaks.

    `seats_deg` are the players' directions; `seat_names` whose seat pad the totem drives first, second, … (empty:
    its seat pads are not used); `known` what enrolling found (`enrol.Findings.known`);
    `warm_counts` from where something counts as near. Raises `ProfileError` from
    `feed` when the totem has another number of seat pads than there are names.
    """

    def __init__(
        self,
        seats_deg: Mapping[str, float],
        angle0_deg: float = 0.0,
        seat_names: Sequence[str] = (),
        known: Mapping[str, Known] | None = None,
        warm_counts: float = WARM_COUNTS,
    ) -> None:
        self._seats_deg = dict(seats_deg)
        self._angle0_deg = angle0_deg
        self._seat_names = tuple(seat_names)
        self._known = dict(known or {})
        self._warm_counts = warm_counts
        self._detector: Detector | None = None
        self._layout: raw.Layout | None = None
        self._boot_id = 0
        self._has_yaw = False
        self._last_us = 0
        self._told_touch_us: int | None = None
        self.scans_lost = 0

    @property
    def past_us(self) -> int | None:
        """Every grab and fall before this moment has been said, if only provisionally; None before the first scan.

        While somebody is at the totem and nothing is said of it yet, this stands still at the beginning of that touch.
        """
        if self._detector is None:
            return None
        touched_us = self._detector.touched_us
        silent = touched_us is not None and touched_us != self._told_touch_us
        if silent and touched_us is not None:
            return touched_us - SKIN_US
        return self._last_us - NOTICED_US - SKIN_US

    def feed(self, batches: Iterable[raw.ScanBatch]) -> list[Grab | Fall | Break]:
        """What the link's `poll` returned."""
        events: list[Grab | Fall | Break] = []
        for batch in batches:
            if len(batch):
                events += self._one(batch)
        return events

    def finish(self) -> list[Grab | Fall | Break]:
        """The game is over: judge what is still open."""
        detector, self._detector = self._detector, None
        return [] if detector is None else list(detector.finish())

    def _one(self, batch: raw.ScanBatch) -> list[Grab | Fall | Break]:
        events: list[Grab | Fall | Break] = []
        self.scans_lost += batch.lost
        why = self._broken(batch)
        if self._detector is None or why is not None:
            if self._detector is not None and why is not None:
                touched_us = self._detector.touched_us
                events.append(Break(self._last_us, int(batch.t_us[0]), why, touched_us))
            self._detector = self._new_detector(batch, in_place=why is None)
        said = self._detector.feed(scans_of_batch(batch))
        if any(isinstance(event, Grab) and not event.final for event in said):
            self._told_touch_us = self._detector.touched_us
        events += said
        self._last_us = int(batch.t_us[-1])
        return events

    def _broken(self, batch: raw.ScanBatch) -> Why | None:
        """Why this batch does not go on from the one before; None: it does."""
        if self._detector is None:
            return None
        if batch.boot_id != self._boot_id:
            return "start"
        if batch.layout != self._layout or (batch.yaw_deg is not None) != self._has_yaw:
            return "layout"
        return "silence" if int(batch.t_us[0]) - self._last_us > BRIDGED_US else None

    def _new_detector(self, batch: raw.ScanBatch, in_place: bool) -> Detector:
        pads = batch.layout.seats if batch.seat_delta is not None else 0
        if self._seat_names and pads and pads != len(self._seat_names):
            raise ProfileError(f"the totem drives {pads} seat pads, {len(self._seat_names)} players are named for them")
        self._layout, self._boot_id = batch.layout, batch.boot_id
        self._has_yaw = batch.yaw_deg is not None
        return Detector(
            layout_of_batch(batch.layout),
            self._seats_deg,
            self._angle0_deg,
            seat_names=self._seat_names if pads and self._seat_names else None,
            provisional=True,
            has_yaw=self._has_yaw,
            in_place=in_place,
            known=self._known,
            warm_counts=self._warm_counts,
        )
