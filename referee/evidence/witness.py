"""The game's side: hands frames and scans over, asks for what is to be kept, is told what is.

Written rules of this module:
- a live game never waits: what the child cannot take is dropped and counted;
- a recording is complete: there is time, and handing over waits until the child has room (it is played as fast as it
  can be kept);
- a child that died or hangs is started anew and asked again for what was not answered; what its memory held is lost.
  One that cannot be kept alive, or that cannot write, ends the evidence of this game with one sentence;
- nothing here raises because of evidence.
Does not belong here: files (`writing`), why something is asked for.
"""

from __future__ import annotations

import atexit
import multiprocessing
import queue
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from referee.evidence import child
from referee.evidence.area import Rect
from referee.evidence.crops import Spot
from referee.evidence.files import Item
from referee.evidence.messages import (
    SLOTS,
    Done,
    End,
    Ended,
    FrameIn,
    Free,
    FromChild,
    Geometry,
    Look,
    Now,
    ScansIn,
    Setup,
    Slots,
    ToChild,
    Want,
)
from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import Wanted
from referee.totem.scans import ScanBatch
from referee.vision.cameras.base import Frame
from referee.vision.table import TableView

MOST_MESSAGES = 512
MOST_DEATHS = 3  # without anything written in between
HANGS_S = 10.0
SLOW_S = 600.0  # a recording's child takes nothing while it writes what waits
STARTS_S = 30.0  # a child may take so long to its first answer: on a busy machine its imports do
SCANS_US = 100_000  # scans go over together
SAY_EVERY_US = 500_000
LIVE_END_S, RECORDED_END_S = 60.0, 1_800.0


@dataclass
class _Run:
    """One life of the child."""

    process: SpawnProcess
    line: Connection
    slots: Slots
    outbox: queue.Queue[ToChild | None]
    post: threading.Thread
    ear: select.poll  # `Connection.poll` makes a new one for every look
    free: list[int]
    heard_s: float
    answered: bool = False
    ended: bool = False


@dataclass
class Tally:
    """What was handed over, and what was not: frames and batches of scans dropped, children lost, wishes unanswered."""

    frames: int = 0
    frames_dropped: int = 0
    scans_dropped: int = 0
    deaths: int = 0
    unanswered: int = 0


class Witness:
    """Keeps what is asked of it; see the rules of the module."""

    def __init__(
        self,
        folder: Path,
        settings: EvidenceSettings,
        size: tuple[int, int],
        rects: Sequence[Rect] = (),
        *,
        complete: bool,
        pad_names: Sequence[str] = (),
        hidden: Sequence[Rect] = (),
        tell: Callable[[str], None],
    ) -> None:
        """Start the child; `folder` is the game's own, `size` the pictures', `rects` the table's zones (mm).

        No picture shows what lies in `hidden` (mm). `tell` gets the one sentence by which evidence ends.
        """
        table_only = settings.area == "table"
        self._setup = Setup(
            folder, settings.pictures, table_only, tuple(rects), tuple(pad_names), complete, tuple(hidden)
        )
        self._capacity = 3 * size[0] * size[1]
        self._tell = tell
        self._context = multiprocessing.get_context("spawn")  # fork would copy locks that other threads hold
        self._open: dict[int, Wanted] = {}
        self._asked = 0
        self._items: list[Item] = []
        self._scans: list[ScanBatch] = []
        self._view: TableView | None = None
        self._inset_mm = 0.0
        self._said_us = 0
        self._deaths = 0
        self.off = settings.keep == "nothing"
        self.tally = Tally()
        self._run: _Run | None = None
        if not self.off:
            atexit.register(self.close)  # the child lets no signal end it, and leaving the program waits for it
            self._start()

    @property
    def process_id(self) -> int | None:
        """The child of this moment."""
        return self._run.process.pid if self._run is not None else None

    @property
    def waiting(self) -> int:
        """How much was asked for and is not answered."""
        return len(self._open)

    # ---- what is handed over

    def frame(self, frame: Frame, view: TableView | None) -> None:
        """One picture; nothing is kept of it while `view` is None and the table alone may be seen."""
        self._tend()
        self._flush()
        if self.off or not self._setup.pictures or (self._setup.table_only and view is None):
            return
        if view is not None and view is not self._view:
            self._view = view
            self._send_geometry()
        height, width = frame.picture.shape[:2]
        if frame.picture.nbytes > self._capacity:
            self._capacity = frame.picture.nbytes
            self._again()
        slot = self._slot()
        run = self._run
        if slot is None or run is None:
            self.tally.frames_dropped += 1
            return
        run.slots.write(slot, frame.picture)
        if self._send(FrameIn(slot, frame.number, frame.t_us, frame.exposure_us, width, height)):
            self.tally.frames += 1
        else:
            run.free.append(slot)
            self.tally.frames_dropped += 1

    def scans(self, batch: ScanBatch) -> None:
        """Scans of the totem."""
        if self.off or not len(batch):
            return
        self._scans.append(batch)
        if int(batch.t_us[-1]) - int(self._scans[0].t_us[0]) >= SCANS_US:
            self._tend()
            self._flush()

    def look(self, spot: Spot) -> None:
        """A card was read in a frame that was handed over."""
        if not self.off and self._setup.pictures:
            self._send(Look(spot))

    def moved(self, by_mm: float) -> None:
        """The table is no longer quite where it was: what is kept of it shrinks by twice as much."""
        self._inset_mm = max(self._inset_mm, 2 * abs(by_mm))
        self._send_geometry()

    def want(self, wanted: Wanted) -> None:
        """This is to be kept."""
        if self.off:
            return
        self._flush()
        self._asked += 1
        self._open[self._asked] = wanted
        self._send(Want(self._asked, wanted))

    def now(self, t_us: int) -> None:
        """The table clock: windows end by it when nothing else comes."""
        self._tend()
        if not self.off and self._open and t_us - self._said_us >= SAY_EVERY_US:
            self._said_us = t_us
            self._flush()
            self._send(Now(t_us))

    # ---- what comes back

    def take(self) -> list[Item]:
        """The files written since the last call."""
        self._hear()
        items, self._items = self._items, []
        return items

    def finish(self) -> list[Item]:
        """Nothing more comes: wait until all that is open is written, and end."""
        if self._run is not None and not self.off:
            self._flush()
            limit_s = RECORDED_END_S if self._setup.complete else LIVE_END_S
            until_s = time.monotonic() + limit_s
            if self._send(End(), until_s):
                self._await_end(until_s)
            if self._open and not self.off:
                self._stop_for(f"{len(self._open)} moments of this game could not be kept as evidence")
        self.tally.unanswered = len(self._open)
        items = self.take()
        self.close()
        return items

    def close(self) -> None:
        """End the child, whatever it does; a second time does nothing."""
        atexit.unregister(self.close)
        self._end_run()

    # ---- the child

    def _await_end(self, until_s: float) -> None:
        while (run := self._run) is not None and not run.ended and time.monotonic() < until_s:
            run.line.poll(0.2)
            self._hear()
            if not run.process.is_alive() and not run.line.poll(0):
                return

    def _slot(self) -> int | None:
        """A free slot; a recording waits for one."""
        self._hear()
        while self._setup.complete and (run := self._run) is not None and not run.free:
            run.line.poll(0.1)
            self._hear()
            self._tend()
        run = self._run
        return run.free.pop() if run is not None and run.free else None

    def _send(self, message: ToChild, until_s: float | None = None) -> bool:
        """Whether it went over; a recording waits for room."""
        while (run := self._run) is not None:
            try:
                if self._setup.complete or until_s is not None:
                    run.outbox.put(message, timeout=0.1)
                else:
                    run.outbox.put_nowait(message)
                return True
            except queue.Full:
                if not self._setup.complete and (until_s is None or time.monotonic() > until_s):
                    return False
                self._hear()
                self._tend()
                if self._run is not run and isinstance(message, FrameIn):
                    return False  # its slot has gone with the child
        return False

    def _flush(self) -> None:
        if self._scans and not self.off:
            batches, self._scans = tuple(self._scans), []
            if not self._send(ScansIn(batches)):
                self.tally.scans_dropped += len(batches)

    def _send_geometry(self) -> None:
        if self._view is not None and not self.off:
            self._send(Geometry(self._view, self._inset_mm))

    def _hear(self) -> None:
        run = self._run
        if run is None:
            return
        try:
            while run.ear.poll(0):
                run.heard_s, run.answered = time.monotonic(), True
                self._heard(run, run.line.recv())
        except (EOFError, OSError):
            return  # it died; `_tend` sees to it

    def _heard(self, run: _Run, message: FromChild) -> None:
        match message:
            case Free():
                run.free.append(message.slot)
            case Ended():
                run.ended = True
            case Done():
                for key in message.keys:
                    self._open.pop(key, None)
                if message.problem is not None:
                    self._stop_for(f"no more evidence is kept of this game ({message.problem}); the game goes on")
                else:
                    self._items += message.items
                    self._deaths = 0

    def _tend(self) -> None:
        """Start again a child that died or hangs."""
        run = self._run
        if run is None or self.off:
            return
        if not run.free:
            self._hear()
        limit_s = SLOW_S if self._setup.complete else HANGS_S if run.answered else STARTS_S
        hangs = not run.free and time.monotonic() - run.heard_s > limit_s
        if run.process.is_alive() and not hangs:
            return
        self._hear()  # its last words
        if self.off or self._run is not run:
            return
        self.tally.deaths += 1
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            self._stop_for("no more evidence is kept of this game (its process died again and again); the game goes on")
        else:
            self._again()

    def _again(self) -> None:
        self._end_run()
        self._start()
        self._send_geometry()
        for key, wanted in self._open.items():
            self._send(Want(key, wanted))

    def _start(self) -> None:
        try:
            slots = Slots.create(self._capacity if self._setup.pictures else 1)
            ours, theirs = self._context.Pipe()
            process = self._context.Process(
                target=child.run, args=(self._setup, slots.place, theirs), name="evidence", daemon=True
            )
            process.start()
        except OSError as error:
            self._stop_for(f"no evidence is kept of this game ({error.strerror or error}); the game goes on")
            return
        theirs.close()
        outbox: queue.Queue[ToChild | None] = queue.Queue(MOST_MESSAGES)
        post = threading.Thread(target=_post, args=(outbox, ours), name="evidence", daemon=True)
        post.start()
        ear = select.poll()
        ear.register(ours.fileno(), select.POLLIN)
        self._run = _Run(process, ours, slots, outbox, post, ear, list(range(SLOTS)), time.monotonic())

    def _stop_for(self, why: str) -> None:
        if not self.off:
            self.off = True
            self._tell(why)

    def _end_run(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        run.process.kill()
        run.process.join()
        # The sender may be in the middle of a message: with the child gone its send fails, and it ends.
        while run.post.is_alive():
            with suppress(queue.Full):
                run.outbox.put_nowait(None)
            run.post.join(0.05)
        run.line.close()
        run.process.close()
        run.slots.close()


def _post(outbox: queue.Queue[ToChild | None], line: Connection) -> None:
    """Send what lies in the outbox, in a thread that may wait where the game may not."""
    try:
        while (message := outbox.get()) is not None:
            line.send(message)
    except (OSError, ValueError):
        return  # the child is gone, or the line closed
