"""From scans to scrambles, as they come: the one path for live readings and recorded ones.

Belongs here: cutting the stream into cold stretches and touches, deciding when a touch is over or has
settled,
whether the totem stood upright and free before it, and the words that leave this room (`Grab`, `Fall`).
Does not belong here: how hands are told apart (hands.py), files, devices, games.

Rules: results do not depend on how the stream is cut into batches (it is cut again into blocks of
`BLOCK_US` counted from the first scan); memory is bounded; a touch of a totem that does not stand upright and
free is left out until it has stood untouched for half a second (the format's rule).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.totem.baseline import Baseline, without_spikes
from referee.totem.hands import HandReading, TouchReading, read_touch
from referee.totem.motion import FALLEN_DEG, LYING_DEG, STANDING_DEG, Rest, fall_index, track_rest
from referee.totem.touch import Segment, Touch, split_touches
from referee.totem.trace import Layout, SeatReadings, Trace

Floats = NDArray[np.float32]
Reader = Callable[[Touch, Mapping[str, float], float], TouchReading | None]

BLOCK_US = 16_000
START_US = 200_000
HISTORY_US = 400_000
QUIET_US = 120_000
UNTOUCHED_US = 500_000
SETTLE_US = 150_000
# A touch longer than this is closed and judged as it is: memory stays bounded.
LONGEST_US = 30_000_000
# Something that lies still on the electrodes this long is not a hand in a scramble: a spill, a sleeve.
STILL_US = 1_500_000


@dataclass(frozen=True)
class Fall:
    """The totem fell: `t_us` its tilt passed 45 degrees; `player` None where it cannot be told."""

    t_us: int
    player: str | None


@dataclass(frozen=True)
class Grab:
    """One scramble: its hands in order of first contact; `final` false while the totem is still held."""

    t_us: int
    hands: tuple[HandReading, ...]
    fell: Fall | None = None
    lifted_us: int | None = None
    settled_us: int | None = None
    final: bool = True


@dataclass
class _Buffers:
    """Cleaned scans since a little before the current touch."""

    t: list[NDArray[np.int64]] = field(default_factory=list)
    above: list[Floats] = field(default_factory=list)
    tilt: list[Floats] = field(default_factory=list)
    yaw: list[Floats] = field(default_factory=list)
    seat_index: list[NDArray[np.int8]] = field(default_factory=list)
    seat_delta: list[Floats] = field(default_factory=list)

    def drop_before(self, t_us: int) -> None:
        while len(self.t) > 1 and self.t[0][-1] < t_us:
            for part in (
                    self.t, self.above, self.tilt, self.yaw, self.seat_index, self.seat_delta,
                ):  # fmt: skip
                if part:
                    part.pop(0)


class Detector:
    """Feed it scans; it returns grabs and falls as they settle (`final` false) and end (`final` true)."""

    def __init__(
        self,
        layout: Layout,
        seats_deg: Mapping[str, float],
        angle0_deg: float = 0.0,
        seat_names: tuple[str, ...] | None = None,
        provisional: bool = False,
        has_yaw: bool = False,
        reader: Reader = read_touch,
    ) -> None:
        self.layout = layout
        self.seats_deg = dict(seats_deg)
        self.angle0_deg = angle0_deg
        self.seat_names = seat_names
        self.provisional = provisional
        self.has_yaw = has_yaw
        self._reader = reader
        self._baseline = Baseline(layout.electrodes)
        self._rest = Rest()
        self._first_us: int | None = None
        self._pending: list[tuple[NDArray[np.int64], Floats, Floats, Floats, NDArray[np.int8], Floats]] = []
        self._edge: tuple[NDArray[np.int64], Floats, Floats, Floats, NDArray[np.int8], Floats] | None = None
        self._buffers = _Buffers()
        self._active_from: int | None = None
        self._last_warm_us = 0
        self._peak = 0.0
        self._down = False
        self._free_since: int | None = None
        self._not_free_until = -(2**62)
        self._direction_known = True
        self._last_upright_us = 0
        self._last_rise_us = 0
        self._told: Grab | None = None
        self._still_from: tuple[int, Floats] | None = None
        self._yaw_start: float | None = None

    # ---- feeding

    def feed(
        self,
        t_us: NDArray[np.int64],
        counts: NDArray[np.int32],
        tilt_deg: Floats,
        yaw_deg: Floats | None = None,
        seat_index: NDArray[np.int8] | None = None,
        seat_delta: NDArray[np.int16] | None = None,
    ) -> list[Grab | Fall]:
        """A batch of scans, (n), (n, E), (n), and where there are seat pads (n), (n, E)."""
        if not len(t_us):
            return []
        if self._first_us is None:
            self._first_us = int(t_us[0])
        none = np.zeros((len(t_us), 0), np.float32)
        self._pending.append(
            (
                t_us,
                counts.astype(np.float32),
                tilt_deg,
                np.zeros(len(t_us), np.float32) if yaw_deg is None else yaw_deg,
                np.full(len(t_us), -1, np.int8) if seat_index is None else seat_index,
                none if seat_delta is None else seat_delta.astype(np.float32),
            )
        )
        return self._take_blocks(last=False)

    def finish(self) -> list[Grab | Fall]:
        """The stream has ended: judge what is still open."""
        if self._first_us is None:
            return []
        events = self._take_blocks(last=True)
        if self._active_from is not None:
            events += self._close(int(self._buffers.t[-1][-1]))
        return events

    def _take_blocks(self, last: bool) -> list[Grab | Fall]:
        if not self._pending:
            return []
        parts = [np.concatenate([p[i] for p in self._pending]) for i in range(6)]
        t = parts[0]
        assert self._first_us is not None
        # The start needs more readings than a block has: the first blocks are taken together.
        number = np.maximum((t - self._first_us) // BLOCK_US, START_US // BLOCK_US - 1)
        cuts = np.nonzero(np.diff(number))[0] + 1
        events: list[Grab | Fall] = []
        start = 0
        for cut in [*cuts.tolist(), len(t)] if last else cuts.tolist():
            block = tuple(p[start:cut] for p in parts)
            events += self._block(block)  # type: ignore[arg-type]
            start = cut
        self._pending = [tuple(p[start:] for p in parts)] if start < len(t) else []  # type: ignore[list-item]
        return events

    def _block(
        self, block: tuple[NDArray[np.int64], Floats, Floats, Floats, NDArray[np.int8], Floats]
    ) -> list[Grab | Fall]:
        """One block: clean, measure, and move between cold and touched."""
        t, counts, tilt, yaw, seat_index, seat_delta = block
        if not self._baseline.started:
            self._baseline.start(counts, int(t[-1] - t[0]))
            self._edge = tuple(p[:1] for p in block)  # type: ignore[assignment]
            self._last_upright_us = int(t[0])
        assert self._edge is not None
        joined = tuple(np.concatenate([e, b]) for e, b in zip(self._edge, block, strict=True))
        self._edge = tuple(p[-2:] for p in joined)  # type: ignore[assignment]
        if len(joined[0]) < 3:
            return []
        clean = without_spikes(joined[1])
        t, tilt, yaw, seat_index = (joined[0][1:-1], joined[2][1:-1], joined[3][1:-1], joined[4][1:-1])
        seat_delta = joined[5][1:-1]
        above = self._baseline.above(clean)
        warm = np.asarray((above > self._baseline.threshold()).any(axis=1))
        buffers = self._buffers
        buffers.t.append(t)
        buffers.above.append(above)
        buffers.tilt.append(tilt)
        buffers.yaw.append(yaw)
        buffers.seat_index.append(seat_index)
        buffers.seat_delta.append(seat_delta)
        end = int(t[-1])
        if self._active_from is None:
            return self._cold_block(t, clean, above, tilt, yaw, warm, end)
        return self._touched_block(t, clean, above, tilt, warm, end)

    # ---- cold

    def _cold_block(
        self,
        t: NDArray[np.int64],
        clean: Floats,
        above: Floats,
        tilt: Floats,
        yaw: Floats,
        warm: NDArray[np.bool_],
        end: int,
    ) -> list[Grab | Fall]:
        span = end - int(t[0]) + 1000
        if int(warm.sum()) >= min(3, max(2, len(warm) // 2)):
            self._active_from = int(t[int(np.argmax(warm))])
            self._last_warm_us = end
            self._last_rise_us = end
            self._peak = float(above.max())
            self._baseline.hold()
            self._told = None
            self._still_from = None
            self._buffers.drop_before(self._active_from - HISTORY_US)
            return []
        self._baseline.learn(clean, end, span)
        self._rest = track_rest(self._rest, tilt, min(1.0, span / 300_000))
        self._buffers.drop_before(end - HISTORY_US)
        events: list[Grab | Fall] = []
        lean = float(np.partition(tilt, len(tilt) // 2)[len(tilt) // 2])
        if lean < FALLEN_DEG:
            self._last_upright_us = int(t[np.nonzero(tilt < FALLEN_DEG)[0][-1]])
        if lean > LYING_DEG and not self._down and end - self._last_upright_us > 100_000:
            self._down = True
            self._free_since = None
            self._direction_known = False
            events.append(Fall(self._last_upright_us, None))
        if self._down:
            if lean > STANDING_DEG:
                self._free_since = None
            elif self._free_since is None:
                self._free_since = int(t[0])
            elif end - self._free_since >= UNTOUCHED_US:
                self._down = False
        return events

    # ---- touched

    def _touched_block(
        self,
        t: NDArray[np.int64],
        clean: Floats,
        above: Floats,
        tilt: Floats,
        warm: NDArray[np.bool_],
        end: int,
    ) -> list[Grab | Fall]:
        before = self._peak
        self._peak = max(self._peak, float(above.max()))
        held = warm & (above.max(axis=1) > 0.06 * self._peak)
        if held.any():
            self._last_warm_us = int(t[np.nonzero(held)[0][-1]])
        if self._rises() or self._peak > before * 1.08:
            self._last_rise_us = end
        assert self._active_from is not None
        quiet = end - self._last_warm_us
        lean = float(np.partition(tilt, len(tilt) // 2)[len(tilt) // 2])
        moved = abs(lean - self._rest.lean_deg) > 4.0 and lean < LYING_DEG
        if quiet >= (3 * QUIET_US if moved else QUIET_US) or end - self._active_from > LONGEST_US:
            events = self._close(end)
            self._baseline.rest(clean)
            return events
        if self._lies_still(clean, end):
            events = self._close(end)
            self._baseline.rest(clean)
            return events
        lifted = abs(lean - self._rest.lean_deg) > 4.0
        settled = end - self._last_rise_us > SETTLE_US or lifted
        if self.provisional and settled and not self._down and end - self._active_from > 80_000:
            return self._tell()
        return []

    def _rises(self) -> bool:
        """Whether an electrode rose clearly over the last two blocks."""
        above = self._buffers.above
        if len(above) < 3:
            return False
        step = above[-1][-1] - above[-3][-1]
        return bool((step > np.maximum(8.0 * self._baseline.noise, 0.08 * self._peak)).any())

    def _lies_still(self, clean: Floats, end: int) -> bool:
        middle = clean.mean(axis=0)
        if self._still_from is not None:
            moved = np.abs(middle - self._still_from[1]) > np.maximum(3.0 * self._baseline.noise, 3.0)
            if not moved.any():
                weak = self._peak < 40.0
                return end - self._still_from[0] > (STILL_US if weak else 4 * STILL_US)
        self._still_from = (end, middle)
        return False

    def _segment(self) -> Segment:
        buffers = self._buffers
        above = np.concatenate(buffers.above)
        # Blocks from before the touch were measured against a level that may have moved a little since.
        delta = np.concatenate(buffers.seat_delta) if self.seat_names else None
        return Segment(
            t_us=np.concatenate(buffers.t),
            above=above,
            tilt_deg=np.concatenate(buffers.tilt),
            noise=self._baseline.noise.copy(),
            rest=self._rest,
            layout=self.layout,
            seat_index=np.concatenate(buffers.seat_index) if self.seat_names else None,
            seat_delta=delta,
            seat_names=self.seat_names or (),
            yaw_deg=np.concatenate(buffers.yaw) if self.has_yaw else None,
        )

    def _tell(self) -> list[Grab | Fall]:
        """Judge the touch while it lasts; returns a grab only if there is something new to say."""
        grabs = [e for e in self._judge(self._segment(), final=False) if isinstance(e, Grab)]
        self._last_rise_us = 2**62
        grips = [g for g in grabs if any(h.grip for h in g.hands)]
        if not grips:
            return []
        grab = grips[-1]
        if self._told is not None and len(self._told.hands) == len(grab.hands):
            return []
        self._told = grab
        return [grab]

    def _close(self, end: int) -> list[Grab | Fall]:
        """The touch is over: judge it and go back to cold."""
        segment = self._segment()
        events = self._judge(segment, final=True)
        self._active_from = None
        self._buffers.drop_before(end - HISTORY_US)
        self._buffers.above = [np.zeros_like(a) for a in self._buffers.above]
        return events

    def _judge(self, segment: Segment, final: bool) -> list[Grab | Fall]:
        assert self._active_from is not None
        fallen = fall_index(segment.tilt_deg)
        fell = None if fallen is None or self._down else Fall(int(segment.t_us[fallen]), None)
        events: list[Grab | Fall] = []
        if not self._down:
            for touch in split_touches(segment, self._active_from):
                if touch.t_us[touch.start] < self._not_free_until:
                    continue
                reading = self._reader(touch, self.seats_deg if self._direction_known else {}, self.angle0_deg)
                if reading is None:
                    continue
                events.append(
                    Grab(
                        min(h.t_us for h in reading.hands),
                        reading.hands,
                        None,
                        reading.lifted_us,
                        reading.settled_us,
                        final,
                    )
                )
        if fell is not None and final:
            events = self._with_fall(events, fell)
            self._down = True
            self._free_since = None
        if final:
            self._after(events, segment)
        return events

    def _with_fall(self, events: list[Grab | Fall], fell: Fall) -> list[Grab | Fall]:
        """The fall goes into the scramble it ended; a brush that topples the totem is a fall by that
        player.
        """
        grips = [i for i, e in enumerate(events) if isinstance(e, Grab) and any(h.grip for h in e.hands)]
        if not grips:
            brushes = [e for e in events if isinstance(e, Grab)]
            who = brushes[-1].hands[0].player if brushes else None
            return [Fall(fell.t_us, who)]
        last = events[grips[-1]]
        assert isinstance(last, Grab)
        names = {h.player for h in last.hands if h.grip}
        who = names.pop() if len(names) == 1 else None
        events[grips[-1]] = Grab(
            last.t_us, last.hands, Fall(fell.t_us, who), last.lifted_us, last.settled_us, last.final
        )
        return events

    def _after(self, events: list[Grab | Fall], segment: Segment) -> None:
        """What a judged touch leaves behind: a carried totem may stand turned, and must stand free first."""
        grips = [e for e in events if isinstance(e, Grab) and any(h.grip for h in e.hands)]
        lean = np.abs(segment.tilt_deg - segment.rest.lean_deg)
        if float(lean.max(initial=0.0)) > 4.0 and (grips or self._down) and not self.has_yaw:
            self._direction_known = False
        if grips:
            self._not_free_until = self._last_warm_us + UNTOUCHED_US


def detect(
    trace: Trace, seats_deg: Mapping[str, float], angle0_deg: float = 0.0, reader: Reader = read_touch
) -> list[Grab | Fall]:
    """All grabs and falls of a recorded trace, by feeding it to the live detector."""
    seats: SeatReadings | None = trace.seats
    detector = Detector(
        trace.layout,
        seats_deg,
        angle0_deg,
        seat_names=None if seats is None else seats.names,
        has_yaw=trace.yaw_deg is not None,
        reader=reader,
    )
    events = detector.feed(
        trace.t_us,
        trace.counts,
        trace.tilt_deg,
        trace.yaw_deg,
        None if seats is None else seats.index,
        None if seats is None else seats.delta,
    )
    return events + detector.finish()
