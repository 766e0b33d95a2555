"""The session: camera, totem and people on one side, rules, record and voices on the other, in one running game.

Written rules of this module:
- one thread, one order: every datum is handed in by a call, and what follows from it has happened when the call returns;
- an event and its rulings are in the record (synced) before any listener hears of them;
- it knows no device and no clock: whoever drives it (`referee.play`) says what time it is;
- it never asks where a datum came from: a simulated, recorded or real table is the same to it.
Does not belong here: opening doors (`referee.doors`), when an event is ready (`referee.table`), what a ruling sounds like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.health import Freshness
from referee.keeping import RecordFile
from referee.ledger import Given, Ledger
from referee.table.calls import Call
from referee.table.fusion import Fusion
from referee.totem.live import Break, LiveDetector
from referee.totem.scans import ScanBatch
from referee.vision.camera import Frame
from referee.vision.watcher import Watcher
from referee.words import Event, Expected

CAMERA, TOTEM = "camera", "totem"


@dataclass(frozen=True)
class Source:
    """How a source is: `age_us` since its newest datum (None: none yet), `problem` in words if any."""

    freshness: Freshness
    age_us: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Snapshot:
    """How the game stands: for pages and lamps."""

    t_us: int
    expected: Expected
    counts: Mapping[str, Any]
    standing: Sequence[Given]
    events: int
    sources: Mapping[str, Source]
    paused: bool = False


class Listener(Protocol):
    """Whoever is told what was kept."""

    def given(self, given: Given, events: Sequence[Event]) -> None:
        """A ruling was kept; `events` are all events so far."""

    def stands(self, snapshot: Snapshot) -> None:
        """The game stands otherwise than before, or a source does."""


class Session:
    """A running game; see the rules of the module."""

    def __init__(
        self,
        ledger: Ledger,
        kept: RecordFile,
        fusion: Fusion,
        watcher: Watcher,
        detector: LiveDetector | None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self.ledger = ledger
        self._kept = kept
        self._fusion = fusion
        self._watcher = watcher
        self._detector = detector
        self._listeners = tuple(listeners)
        self._sources: dict[str, Source] = {CAMERA: Source(Freshness.LOST)}
        if detector is not None:
            self._sources[TOTEM] = Source(Freshness.LOST)
        self._paused = False
        self._t_us = 0
        fusion.expected(ledger.expected())

    # ---- what comes in

    def frame(self, frame: Frame) -> None:
        """One picture of the table; raises `PictureError` when its size changes, `HardwareError` when nothing can be kept."""
        for sighting in self._watcher.feed(frame):
            self._fusion.sighting(sighting)
        self._advance(frame.t_us)

    def scans(self, batches: Iterable[ScanBatch]) -> None:
        """Scans of the totem, in their order; raises `HardwareError` when nothing can be kept."""
        if self._detector is None:
            return
        last_us = 0
        for batch in batches:
            self._touches(self._detector.feed([batch]))
            last_us = int(batch.t_us[-1])
        past_us = self._detector.past_us
        if past_us is not None:
            self._fusion.totem_past(past_us)
        self._advance(last_us)

    def call(self, call: Call) -> None:
        """What a person said by a button or a page."""
        self._fusion.call(call)
        self._advance(call.t_us)

    def source(self, name: str, source: Source, t_us: int) -> None:
        """How a source is at `t_us` (table clock)."""
        before = self._sources.get(name)
        self._sources[name] = source
        if before is None or before.freshness is not source.freshness or before.problem != source.problem:
            self._fusion.source(name, source.freshness.value, t_us)
            self._advance(t_us)
            self._show()

    def now(self, t_us: int) -> None:
        """The table clock; waits end by it when a source is silent."""
        self._advance(t_us)

    def finish(self) -> None:
        """Nothing more comes: what still waits is ruled, and the record closed with its `end`."""
        for sighting in self._watcher.finish():
            self._fusion.sighting(sighting)
        if self._detector is not None:
            self._touches(self._detector.finish())
        self._judge(self._fusion.finish())
        self._judge([{"t_us": self._t_us, "event": "end"}])
        self._keep([], self.ledger.close())
        self._kept.close()

    # ---- what follows

    def snapshot(self) -> Snapshot:
        """How the game stands now."""
        return Snapshot(
            self._t_us,
            self.ledger.expected(),
            self.ledger.summary(),
            tuple(self.ledger.standing),
            len(self.ledger.events),
            dict(self._sources),
            self._paused,
        )

    def _touches(self, touches: Iterable[Any]) -> None:
        for touch in touches:
            if isinstance(touch, Break):
                self._fusion.broken(touch)
            else:
                self._fusion.touch(touch)

    def _advance(self, t_us: int) -> None:
        self._t_us = max(self._t_us, t_us)
        self._fusion.now(self._t_us)
        self._judge(self._fusion.release())

    def _judge(self, events: Iterable[Event]) -> None:
        any_event = False
        for event in events:
            any_event = True
            self._keep([event], self.ledger.add(event))
            self._fusion.expected(self.ledger.expected())
        if any_event:
            self._show()

    def _keep(self, events: list[Event], given: list[Given]) -> None:
        self._kept.keep([*events, *(one.ruling for one in given)])
        for listener in self._listeners:
            for one in given:
                listener.given(one, self.ledger.events)

    def _show(self) -> None:
        snapshot = self.snapshot()
        for listener in self._listeners:
            listener.stands(snapshot)
