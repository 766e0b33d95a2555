"""Driving a session: from doors that are open to its end, recorded or live.

Written rules of this module:
- a recorded game is driven by the times of its data alone, as fast as it can be read: frames and scans in the order
  of their stamps, so that the same recording always ends in the same record;
- a live game is driven by whatever comes first; nothing is waited for longer than `TURN_S`;
- how a source is follows from the age of its newest datum, by the same limits in both.
Does not belong here: what is done with a datum (`referee.session`).
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from referee.doors import Doors
from referee.health import freshness
from referee.session import CAMERA, TOTEM, Name, Source
from referee.table.calls import Call
from referee.totem.links.base import LOST_AFTER_US as TOTEM_LOST_US
from referee.totem.links.base import STALE_AFTER_US as TOTEM_STALE_US
from referee.totem.links.base import Clock, Link
from referee.totem.scans import ScanBatch
from referee.vision.camera import Frame

CAMERA_STALE_US = 400_000
CAMERA_LOST_US = 1_500_000
LIMITS_US = {CAMERA: (CAMERA_STALE_US, CAMERA_LOST_US), TOTEM: (TOTEM_STALE_US, TOTEM_LOST_US)}
TURN_S = 0.004
HEALTH_EVERY_US = 50_000
Turn = Callable[[int], None]


class Taker(Protocol):
    """Whoever takes a table's data: a session, or what comes before one."""

    def frame(self, frame: Frame) -> None:
        """One picture of the table."""

    def scans(self, batches: Iterable[ScanBatch]) -> None:
        """Scans of the totem, in their order."""

    def call(self, call: Call) -> None:
        """What a person said."""

    def source(self, name: Name, source: Source, t_us: int) -> None:
        """How a source is."""

    def now(self, t_us: int) -> None:
        """The table clock."""

    def finish(self) -> None:
        """Nothing more comes."""


class _Ages:
    """When each source last gave something, and what that makes of it."""

    def __init__(self, session: Taker) -> None:
        self._session = session
        self._last_us: dict[Name, int] = {}
        self._looked_us = -HEALTH_EVERY_US

    def heard(self, name: Name, t_us: int) -> None:
        """A source gave a datum of the time `t_us`."""
        self._last_us[name] = t_us
        self.look(name, t_us)

    def look(self, name: Name, now_us: int, problem: str | None = None) -> None:
        """How the source is at `now_us`."""
        last_us = self._last_us.get(name)
        age_us = None if last_us is None else max(0, now_us - last_us)
        self._session.source(name, Source(freshness(age_us, problem, *LIMITS_US[name]), age_us, problem), now_us)

    def due(self, now_us: int) -> bool:
        """Whether it is time to look at all sources again."""
        if now_us - self._looked_us < HEALTH_EVERY_US:
            return False
        self._looked_us = now_us
        return True


@contextmanager
def ended_by_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, for a clean end; a second one ends the program at once."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {one: signal.signal(one, end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def play_recorded(
    session: Taker,
    doors: Doors,
    calls: Sequence[Call] = (),
    turn: Turn | None = None,
    stop: threading.Event | None = None,
) -> None:
    """Play a recording through a session, to its end; raises what the session raises, and for a broken video.

    `calls` are what people said, in the order of their times; `turn` is called after every frame with its time.
    """
    ages = _Ages(session)
    said = deque(calls)
    scans = _batches(doors.totem)
    waiting = next(scans, None)
    for frame in doors.camera.frames():
        while waiting is not None and int(waiting.t_us[-1]) <= frame.t_us:
            waiting = _scan(session, ages, scans, waiting)
        while said and said[0].t_us <= frame.t_us:
            session.call(said.popleft())
        session.frame(frame)
        ages.heard(CAMERA, frame.t_us)
        if doors.totem is not None:
            ages.look(TOTEM, frame.t_us)
        if turn is not None:
            turn(frame.t_us)
        if stop is not None and stop.is_set():
            waiting, said = None, deque()
            break
    while waiting is not None:
        waiting = _scan(session, ages, scans, waiting)
    for call in said:
        session.call(call)
    session.finish()


def _scan(session: Taker, ages: _Ages, scans: Iterator[ScanBatch], batch: ScanBatch) -> ScanBatch | None:
    session.scans([batch])
    t_us = int(batch.t_us[-1])
    ages.heard(TOTEM, t_us)
    if ages.due(t_us):
        ages.look(CAMERA, t_us)
    return next(scans, None)


def _batches(link: Link | None) -> Iterator[ScanBatch]:
    while link is not None and not link.ended:
        yield from link.poll(0.0)


def play_live(
    session: Taker,
    doors: Doors,
    clock: Clock,
    stop: threading.Event,
    *,
    people: Turn | None = None,
    lag: Turn | None = None,
) -> None:
    """Play until `stop` is set or the camera's door is closed.

    `people` is called in every turn with the time, to do what people asked; `lag` with how old each frame was once
    it was done (us).
    """
    ages = _Ages(session)
    camera, totem = doors.camera, doors.totem
    while not stop.is_set() and not camera.ended:
        if totem is not None:
            if batches := totem.poll(TURN_S):
                session.scans(batches)
                ages.heard(TOTEM, int(batches[-1].t_us[-1]))
            frame = camera.poll(0.0)
        else:
            frame = camera.poll(TURN_S)
        if frame is not None:
            session.frame(frame)
            ages.heard(CAMERA, frame.t_us)
            if lag is not None:
                lag(clock() - frame.t_us)
        now_us = clock()
        if people is not None:
            people(now_us)
        if ages.due(now_us):
            ages.look(CAMERA, now_us, camera.health().problem)
            if totem is not None:
                ages.look(TOTEM, now_us, totem.health().problem)
            session.now(now_us)
    session.finish()
