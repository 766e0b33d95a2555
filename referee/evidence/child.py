"""The child process: holds the last seconds, writes what is asked for.

Written rules of this module:
- one thread takes what comes and encodes it, another writes files, so that a disk never holds up the ring;
- it may be killed at any moment; whoever started it starts another and asks again for what is not answered;
- it ends with its parent, however that ended: the line closes;
- when more waits to be written than `MOST_WAITING_BYTES`, a recording waits, and a live game keeps the frames of the
  decision and the counts without the clip, and says so on the sheet.
Does not belong here: what the files hold (`writing`).
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

import cv2
import numpy as np

from referee.evidence.area import Picture, cut, mask_of, smaller, table_rect, without
from referee.evidence.crops import Crops, straightened
from referee.evidence.files import remove_unfinished
from referee.evidence.messages import (
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
    SlotsPlace,
    ToChild,
    Want,
)
from referee.evidence.rings import CountRing, FrameRing, KeptFrame
from referee.evidence.video import decoded
from referee.evidence.windows import Window, Windows
from referee.evidence.writing import Stretch, write_stretch

QUALITY = 92
NICER = 5  # the game goes before its evidence
MOST_WAITING_BYTES = 200_000_000
NEAR_US = 150_000  # a card lies still: where its own frame was dropped, one so near shows it too
_TOO_SLOW = "no clip: this machine could not write as fast as the game was played"

Job = tuple[tuple[int, ...], Stretch]


def run(setup: Setup, place: SlotsPlace, line: Connection) -> None:
    """Keep evidence until the line closes; the target of the child process."""
    # Ctrl-C reaches the whole group, a service's stop all of its processes; the parent ends its child by the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    cv2.setNumThreads(1)
    if not setup.complete:
        with suppress(OSError):
            os.nice(NICER)
    with suppress(OSError):
        remove_unfinished(setup.folder)
    child = _Child(setup, Slots.join(place), line)
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            child.take(line.recv())
    os._exit(0)  # what the writer still does is not waited for


class _Child:
    """The rings and the windows; everything but the writing happens in the thread that calls `take`."""

    def __init__(self, setup: Setup, slots: Slots, line: Connection) -> None:
        self._setup, self._slots = setup, slots
        self._frames, self._counts, self._crops = FrameRing(), CountRing(), Crops()
        self._windows = Windows()
        self._geometry: Geometry | None = None
        self._mask: Picture | None = None
        self._now_us = 0
        self._writer = _Writer(setup, line)

    def take(self, message: ToChild) -> None:
        """Do what a message says."""
        match message:
            case FrameIn():
                self._frame(message)
                self._writer.say(Free(message.slot))
                self._now_us = max(self._now_us, message.t_us)
            case ScansIn():
                for batch in message.batches:
                    self._counts.add(batch, self._windows.hold_us)
                    self._now_us = max(self._now_us, int(batch.t_us[-1]))
            case Geometry():
                self._geometry, self._mask = message, None
            case Look():
                frame = self._frames.near(message.spot.t_us, NEAR_US)
                crop = None if frame is None else straightened(decoded(frame.jpeg), message.spot, frame.t_us)
                if crop is not None:
                    self._crops.add(crop)
            case Want():
                self._windows.add(message.key, message.wanted)
            case Now():
                self._now_us = max(self._now_us, message.t_us)
            case End():
                for window in self._windows.rest():
                    self._write(window)
                self._writer.end()
                return
        for window in self._windows.over(self._frames.newest_us, self._now_us):
            self._write(window)

    def _frame(self, message: FrameIn) -> None:
        picture = self._slots.picture(message.slot, message.width, message.height)
        if self._setup.table_only or self._setup.hidden:
            mask = self._mask_for(message.width, message.height)
            if mask is None:
                return
            picture = cut(picture, mask)
        done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if done:
            kept = KeptFrame(message.number, message.t_us, message.exposure_us, jpeg.tobytes())
            self._frames.add(kept, self._windows.hold_us)

    def _mask_for(self, width: int, height: int) -> Picture | None:
        """What shows the table; None while that is not known."""
        if self._geometry is None:
            return None
        if self._mask is None or self._mask.shape != (height, width):
            view, rects = self._geometry.view, self._setup.rects
            rect = table_rect(view, rects)
            left = None if rect is None else smaller(rect, self._geometry.inset_mm)
            nothing = np.zeros((height, width), np.uint8)
            mask = nothing if left is None else mask_of(view, left, (width, height))
            if not self._setup.table_only:
                mask = np.full((height, width), 255, np.uint8)
            self._mask = without(mask, view, self._setup.hidden)
        return self._mask

    def _write(self, window: Window) -> None:
        wanted = window.wanted
        crops = {card.number: crop for card in wanted.cards if (crop := self._crops.get(card.number)) is not None}
        self._writer.write(
            (
                window.keys,
                Stretch(
                    wanted,
                    self._frames.between(wanted.from_us, wanted.to_us),
                    self._counts.between(wanted.from_us, wanted.to_us),
                    crops,
                    self._setup.pad_names,
                ),
            )
        )


class _Writer:
    """Writes one stretch after the other in a thread of its own, and answers on the line."""

    def __init__(self, setup: Setup, line: Connection) -> None:
        self._setup, self._line = setup, line
        self._turn = threading.Lock()
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._room = threading.Condition()
        self._waiting_bytes = 0
        threading.Thread(target=self._work, daemon=True).start()

    def say(self, message: FromChild) -> None:
        """Answer; nothing where the parent is gone."""
        with self._turn, suppress(OSError):
            self._line.send(message)

    def write(self, job: Job) -> None:
        """One more stretch to be written."""
        keys, stretch = job
        with self._room:
            if self._setup.complete:
                self._room.wait_for(self._has_room)
            elif not self._has_room():
                job = (keys, stretch.without_clip(_TOO_SLOW))
            self._waiting_bytes += job[1].bytes
        self._jobs.put(job)

    def end(self) -> None:
        """No more jobs; `Ended` is said after the last."""
        self._jobs.put(None)

    def _has_room(self) -> bool:
        return self._waiting_bytes < MOST_WAITING_BYTES

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            keys, stretch = job
            try:
                self.say(Done(keys, tuple(write_stretch(self._setup.folder, stretch))))
            except (OSError, ValueError, cv2.error) as error:
                self.say(Done(keys, (), getattr(error, "strerror", None) or str(error)))
            with self._room:
                self._waiting_bytes -= stretch.bytes
                self._room.notify()
        self.say(Ended())
