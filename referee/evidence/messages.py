"""What the game's process and the child that keeps evidence say to each other.

Belongs here: the messages, and the slots of shared memory that pictures travel in. Does not belong here: who sends
when.

A slot belongs to one side at a time and changes hands by a message (`FrameIn` gives it to the child, `Free` back), so
neither side ever waits for a lock, and a side that dies takes nothing with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from referee.evidence.area import Rect
from referee.evidence.crops import Spot
from referee.evidence.files import Item
from referee.evidence.windows import Wanted
from referee.totem.scans import ScanBatch
from referee.vision.table import TableView

Picture = NDArray[np.uint8]
SLOTS = 8  # a quarter of a second: the child may be late by so much and no frame is lost


@dataclass(frozen=True)
class Setup:
    """What the child is started with: where files go and what is kept.

    `rects` are the table's zones in millimetres (with `table_only`), `pad_names` the players of the seat pads; with
    `complete` nothing may be lost, and whoever hands over waits. In `hidden` (mm) cards lie that are somebody's secret:
    no picture shows them.
    """

    folder: Path
    pictures: bool
    table_only: bool
    rects: tuple[Rect, ...]
    pad_names: tuple[str, ...]
    complete: bool
    hidden: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameIn:
    """A picture lies in a slot."""

    slot: int
    number: int
    t_us: int
    exposure_us: int | None
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class ScansIn:
    """Scans of the totem."""

    batches: tuple[ScanBatch, ...]


@dataclass(frozen=True, slots=True)
class Geometry:
    """How the table is seen, from the next frame on; `inset_mm` is cut off its border, because it was moved."""

    view: TableView
    inset_mm: float


@dataclass(frozen=True, slots=True)
class Look:
    """A card was read here."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class Want:
    """This is to be kept; the answer names `key`."""

    key: int
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class Now:
    """The table clock, for when nothing else comes."""

    t_us: int


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more comes: write what is still open."""


@dataclass(frozen=True, slots=True)
class Free:
    """The slot may be used again."""

    slot: int


@dataclass(frozen=True, slots=True)
class Done:
    """What was asked for under `keys` is kept as `items`; or it is not, and `problem` says why."""

    keys: tuple[int, ...]
    items: tuple[Item, ...]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """All is written."""


ToChild = FrameIn | ScansIn | Geometry | Look | Want | Now | End
FromChild = Free | Done | Ended


@dataclass(frozen=True)
class SlotsPlace:
    """What a process needs to join the slots."""

    name: str
    capacity_bytes: int


class Slots:
    """Room for `SLOTS` pictures in shared memory."""

    def __init__(self, memory: SharedMemory, capacity_bytes: int, owner: bool) -> None:
        self.place = SlotsPlace(memory.name, capacity_bytes)
        self._memory = memory
        self._owner = owner
        self._bytes: NDArray[np.uint8] = np.ndarray((SLOTS, capacity_bytes), np.uint8, memory.buf)

    @classmethod
    def create(cls, capacity_bytes: int) -> Slots:
        """New ones; whoever creates them removes them by `close`. Raises `OSError`."""
        slots = cls(SharedMemory(create=True, size=SLOTS * capacity_bytes), capacity_bytes, owner=True)
        slots._bytes[:] = 0  # the pages are made now, and not while a game waits
        return slots

    @classmethod
    def join(cls, place: SlotsPlace) -> Slots:
        """The same slots in another process."""
        return cls(SharedMemory(place.name), place.capacity_bytes, owner=False)

    def write(self, slot: int, picture: Picture) -> None:
        """Copy a picture (H×W×3) into a slot."""
        np.copyto(self._bytes[slot, : picture.nbytes].reshape(picture.shape), picture)

    def picture(self, slot: int, width: int, height: int) -> Picture:
        """The picture in a slot; a view, for as long as the slot is not given back."""
        return self._bytes[slot, : width * height * 3].reshape(height, width, 3)

    def close(self) -> None:
        """Leave them; their creator removes them."""
        del self._bytes  # views into the memory must go before it can be closed
        self._memory.close()
        if self._owner:
            self._memory.unlink()
