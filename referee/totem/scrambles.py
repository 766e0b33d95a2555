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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.totem.baseline import WARM_COUNTS, Baseline, without_spikes
from referee.totem.hands import HandReading, TouchReading, read_touch
from referee.totem.history import Block, History, whole
from referee.totem.motion import FALLEN_DEG, LYING_DEG, STANDING_DEG, Rest, fall_index, track_rest
from referee.totem.stream import Blocks, Scans, join, scans
from referee.totem.toppling import toppler
from referee.totem.touch import Known, Segment, Touch, fall_within, split_touches
from referee.totem.trace import Layout, SeatReadings, Trace

Floats = NDArray[np.float32]
Reader = Callable[[Touch, Mapping[str, float], float], TouchReading | None]

HISTORY_US = 400_000
QUIET_US = 120_000
UNTOUCHED_US = 500_000
SETTLE_US = 150_000
# A totem that leans as far as a lying one for this long without a hand lies; a carried one sways back.
LYING_US = 350_000
# A touch longer than this is closed and judged as it is: memory stays bounded.
LONGEST_US = 30_000_000
# Something that lies still on the electrodes this long is not a hand in a scramble: a spill, a sleeve.
STILL_US = 1_500_000
WEAK_COUNTS = 40.0  # no more is felt of an arm near the totem, of damp, or of a very dry hand


@dataclass(frozen=True)
class Fall:
    """The totem fell: `t_us` its tilt passed 45 degrees; `player` None where it cannot be told.

    `skin`: whether skin was felt just before it tipped; None: not clear, or a hand was closed on it.
    """

    t_us: int
    player: str | None
    skin: bool | None = None


@dataclass(frozen=True)
class Grab:
    """One scramble: its hands in order of first contact; `final` false while the totem is still held.

    `doubt`: why the taker is left open that the values by themselves would name (taking.py); mostly "".
    """

    t_us: int
    hands: tuple[HandReading, ...]
    fell: Fall | None = None
    lifted_us: int | None = None
    settled_us: int | None = None
    final: bool = True
    doubt: str = ""


class Detector:
    """Feed it scans; it returns grabs and falls as they settle (`final` false) and end (`final` true).

    `in_place` false: the totem may stand turned, so direction names nobody until the base feels it seated.
    `known` is what enrolling found about the players (`enrol.Findings.known`), `warm_counts` from how many counts above
    the untouched level on something counts as near.
    """

    def __init__(
        self,
        layout: Layout,
        seats_deg: Mapping[str, float],
        angle0_deg: float = 0.0,
        seat_names: tuple[str, ...] | None = None,
        provisional: bool = False,
        has_yaw: bool = False,
        reader: Reader = read_touch,
        in_place: bool = True,
        known: Mapping[str, Known] | None = None,
        warm_counts: float = WARM_COUNTS,
    ) -> None:
        self.layout = layout
        self.seats_deg = dict(seats_deg)
        self.angle0_deg = angle0_deg
        self.seat_names = seat_names
        self.known = dict(known or {})
        self.provisional = provisional
        self.has_yaw = has_yaw
        self._reader = reader
        self._baseline = Baseline(layout.electrodes, warm_counts)
        self._rest = Rest()
        self._incoming = Blocks()
        self._edge: Scans | None = None
        self._history = History()
        self._active_from: int | None = None
        self._last_warm_us = 0
        self._peak = 0.0
        self._down = False
        self._free_since: int | None = None
        self._not_free_until = -(2**62)
        self._direction_known = in_place
        self._last_upright_us = 0
        self._last_rise_us = 0
        self._told: Grab | None = None
        self._unjudged = False
        self._patience_us = LYING_US
        self._still_from: tuple[int, Floats] | None = None

    @property
    def touched_us(self) -> int | None:
        """When the touch that is going on began; None: nobody is at the totem."""
        return self._active_from

    # ---- feeding

    def feed(self, batch: Scans) -> list[Grab | Fall]:
        """A batch of scans of any size (see `stream.scans`)."""
        self._incoming.add(batch)
        return self._work(last=False)

    def finish(self) -> list[Grab | Fall]:
        """The stream has ended: judge what is still open."""
        events = self._work(last=True)
        if self._active_from is not None:
            events += self._close(int(self._history.kept[-1].scans.t_us[-1]))
        return events

    def _work(self, last: bool) -> list[Grab | Fall]:
        events: list[Grab | Fall] = []
        for block in self._incoming.take(last):
            events += self._block(block)
        return events

    def _block(self, block: Scans) -> list[Grab | Fall]:
        """One block: clean, measure, and move between cold and touched."""
        if self._edge is None:
            self._baseline.start(block.counts, int(block.t_us[-1] - block.t_us[0]))
            self._edge = block.rows(0, 1)
            self._last_upright_us = int(block.t_us[0])
            # A totem that lies when it is first heard fell before: that is no fall now.
            self._down = float(np.median(block.tilt_deg)) > LYING_DEG
        joined = join([self._edge, block])
        self._edge = joined.rows(-2, None)
        if len(joined) < 3:
            return []
        # A spike is known only from the scan after it: this block ends one scan before the incoming one.
        now = replace(joined.rows(1, -1), counts=without_spikes(joined.counts))
        above = self._baseline.above(now.counts)
        warm = np.asarray((above > self._baseline.threshold()).any(axis=1))
        self._history.add(now, above)
        if self._active_from is None:
            return self._cold_block(now, above, warm)
        return self._touched_block(now, above, warm)

    # ---- cold

    def _cold_block(self, now: Scans, above: Floats, warm: NDArray[np.bool_]) -> list[Grab | Fall]:
        t, tilt = now.t_us, now.tilt_deg
        end = int(t[-1])
        span = end - int(t[0]) + 1000
        if int(warm.sum()) >= min(3, max(2, len(warm) // 2)):
            self._active_from = int(t[int(np.argmax(warm))])
            self._last_warm_us = end
            self._last_rise_us = end
            self._peak = float(above.max())
            self._baseline.hold()
            self._told = None
            self._unjudged = True
            self._still_from = None
            self._history.drop_before(self._active_from - HISTORY_US)
            return []
        self._baseline.learn(now.counts, end, span)
        self._rest = track_rest(self._rest, tilt, min(1.0, span / 300_000))
        self._history.drop_before(end - HISTORY_US)
        if now.seated[-1] and not self._down:
            self._direction_known = True
        events: list[Grab | Fall] = []
        lean = self._lean(now)
        if lean > LYING_DEG and not self._down and end - self._last_upright_us > self._patience_us:
            self._down = True
            self._free_since = None
            self._direction_known = False
            events.append(self._fall(self._last_upright_us))
        if self._down:
            if lean > STANDING_DEG:
                self._free_since = None
            elif self._free_since is None:
                self._free_since = int(t[0])
            elif end - self._free_since >= UNTOUCHED_US:
                self._down = False
        return events

    def _lean(self, now: Scans) -> float:
        """How far the totem leans in a block (degrees, the median), and since when it has not stood, kept."""
        tilt = now.tilt_deg
        lean = float(np.partition(tilt, len(tilt) // 2)[len(tilt) // 2])
        if lean < FALLEN_DEG:
            self._last_upright_us = int(now.t_us[np.nonzero(tilt < FALLEN_DEG)[0][-1]])
        return lean

    # ---- touched

    def _touched_block(self, now: Scans, above: Floats, warm: NDArray[np.bool_]) -> list[Grab | Fall]:
        t, clean = now.t_us, now.counts
        end = int(t[-1])
        before = self._peak
        self._peak = max(self._peak, float(above.max()))
        held = warm & (above.max(axis=1) > 0.06 * self._peak)
        if held.any():
            self._last_warm_us = int(t[np.nonzero(held)[0][-1]])
        if self._rises() or self._peak > before * 1.08:
            self._last_rise_us = end
            self._unjudged = True
        assert self._active_from is not None
        quiet = end - self._last_warm_us
        lean = self._lean(now)
        moved = abs(lean - self._rest.lean_deg) > 4.0 and lean < LYING_DEG
        # A dry hand may be lost in the air: what leans then is carried until it lies for long.
        self._patience_us = 4 * LYING_US if moved else LYING_US
        if quiet >= (3 * QUIET_US if moved else QUIET_US) or end - self._active_from > LONGEST_US:
            events = self._close(end)
            self._baseline.rest(clean)
            return events
        if self._lies_still(clean, end, float(above.mean(axis=0).max())):
            events = self._close(end)
            self._baseline.rest(clean)
            return events
        lifted = abs(lean - self._rest.lean_deg) > 4.0
        settled = end - self._last_rise_us > SETTLE_US or (lifted and self._told is None)
        due = self.provisional and self._unjudged and settled and not self._down
        if due and end - self._active_from > 80_000:
            return self._tell()
        return []

    def _rises(self) -> bool:
        """Whether an electrode rose clearly over the last two blocks."""
        if len(self._history.kept) < 3:
            return False
        step = self._history.kept[-1].above.mean(axis=0) - self._history.kept[-3].above.mean(axis=0)
        return bool((step > np.maximum(4.0 * self._baseline.noise, 0.1 * self._peak)).any())

    def _lies_still(self, clean: Floats, end: int, level: float) -> bool:
        """Whether what is felt has not changed for so long that nobody's hand is there.

        After a fall nothing is judged until the totem stands untouched: there it is enough that little is felt now, as
        of an arm beside it or of electrodes that read otherwise since, however strong the hand was that stood it up.
        """
        middle = clean.mean(axis=0)
        if self._still_from is not None:
            moved = np.abs(middle - self._still_from[1]) > np.maximum(3.0 * self._baseline.noise, 3.0)
            if not moved.any():
                if self._down and level < WEAK_COUNTS:
                    return end - self._still_from[0] > UNTOUCHED_US
                weak = self._peak < WEAK_COUNTS
                return end - self._still_from[0] > (STILL_US if weak else 4 * STILL_US)
        self._still_from = (end, middle)
        return False

    def _segment(self, blocks: Sequence[Block]) -> Segment:
        run, above = whole(blocks)
        return Segment(
            t_us=run.t_us,
            above=above,
            tilt_deg=run.tilt_deg,
            noise=self._baseline.noise.copy(),
            rest=self._rest,
            layout=self.layout,
            seat_names=self.seat_names or (),
            seat_index=run.seat_index if self.seat_names else None,
            seat_delta=run.seat_delta if self.seat_names else None,
            yaw_deg=run.yaw_deg if self.has_yaw else None,
            known=self.known,
        )

    def _tell(self) -> list[Grab | Fall]:
        """Judge the touch while it lasts; returns a grab only if there is something new to say."""
        grabs = [e for e in self._judge(self._segment(self._history.kept), final=False) if isinstance(e, Grab)]
        self._unjudged = False
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
        segment = self._segment(self._history.kept)
        events = self._judge(segment, final=True)
        self._active_from = None
        self._history.drop_before(end - HISTORY_US)
        self._history.forget_touch()
        return events

    def _judge(self, segment: Segment, final: bool) -> list[Grab | Fall]:
        assert self._active_from is not None
        fallen = fall_index(segment.tilt_deg)
        if fallen is None:
            fallen = fall_within(segment)
        fell = None if fallen is None or self._down else Fall(int(segment.t_us[fallen]), None)
        events: list[Grab | Fall] = []
        free_us = self._not_free_until
        if not self._down:
            for touch in split_touches(segment, self._active_from):
                begins = int(touch.t_us[touch.start])
                if begins < self._not_free_until or (fell is not None and begins > fell.t_us):
                    continue
                reading = self._reader(touch, self.seats_deg if self._direction_known else {}, self.angle0_deg)
                # Who came after it fell stands it up again.
                if reading is None or (fell is not None and min(h.t_us for h in reading.hands) > fell.t_us):
                    continue
                if final and any(hand.grip for hand in reading.hands):
                    free_us = int(touch.t_us[touch.stop - 1]) + UNTOUCHED_US
                events.append(
                    Grab(
                        min(h.t_us for h in reading.hands),
                        reading.hands,
                        None,
                        reading.lifted_us,
                        reading.settled_us,
                        final,
                        reading.doubt,
                    )
                )
        if fell is not None and final:
            events = self._with_fall(events, fell)
            self._down = True
            self._free_since = None
        self._not_free_until = free_us
        if final:
            self._after(events, segment)
        return events

    def _with_fall(self, events: list[Grab | Fall], fell: Fall) -> list[Grab | Fall]:
        """The fall goes into the scramble it ended; a brush that topples the totem is a fall by that
        player.
        """
        grips = [i for i, e in enumerate(events) if isinstance(e, Grab) and any(h.grip for h in e.hands)]
        if not grips:
            fall = self._fall(fell.t_us)
            return [replace(fall, skin=True) if events else fall]
        last = events[grips[-1]]
        assert isinstance(last, Grab)
        names = {h.player for h in last.hands if h.grip}
        who = names.pop() if len(names) == 1 else None
        events[grips[-1]] = replace(last, fell=Fall(fell.t_us, who))
        return events

    def _fall(self, t_us: int) -> Fall:
        """A fall with no hand closed on the totem."""
        by = toppler(self._segment(self._history.about_fall(t_us)), t_us)
        return Fall(t_us, by.player, by.skin)

    def _after(self, events: list[Grab | Fall], segment: Segment) -> None:
        """What a judged touch leaves behind: a carried totem may stand turned, and must stand free first."""
        grips = [e for e in events if isinstance(e, Grab) and any(h.grip for h in e.hands)]
        lean = np.abs(segment.tilt_deg - segment.rest.lean_deg)
        if float(lean.max(initial=0.0)) > 4.0 and (grips or self._down) and not self.has_yaw:
            self._direction_known = False


def detect(
    trace: Trace,
    seats_deg: Mapping[str, float],
    angle0_deg: float = 0.0,
    reader: Reader = read_touch,
    warm_counts: float = WARM_COUNTS,
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
        warm_counts=warm_counts,
    )
    events = detector.feed(scans_of(trace))
    return events + detector.finish()


def scans_of(trace: Trace) -> Scans:
    """All scans of a recorded trace."""
    pads = trace.seats
    return scans(
        trace.t_us,
        trace.counts,
        trace.tilt_deg,
        trace.yaw_deg,
        None if pads is None else pads.index,
        None if pads is None else pads.delta,
        trace.seated,
    )
