"""How one zone looks: its small picture, what lies still in it, how much of it nothing hides.

Belongs here: the state of a zone in which cards lie, and what is known of its pixels. Does not belong here: what a
change means (`pile`, `face_down`), how what lay there goes (`pile_gone`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.camera import Frame
from referee.vision.evidence import Evidence
from referee.vision.geometry import Array
from referee.vision.glance import Face
from referee.vision.halves import shrunk
from referee.vision.laid import Laid, Moment
from referee.vision.light import apart
from referee.vision.masks import Mask, count
from referee.vision.places import Box
from referee.vision.recent import Recent
from referee.vision.sightings import CardSeen

Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

THUMB_SIDE_PX = 28  # a card's short side in the small picture of its zone
AGAIN_US = (0, 300_000, 1_000_000)  # since it came to rest: when a card that could not be read is looked at again
LEAST_HALVED = 0.5  # how much a zone has to be shrunk to be shrunk by way of half the frame
STIR_STEP = 16  # grey levels a pixel of the small picture changes by where something stirs
STIR_SHARE = 0.02  # of a card
MOST_SEEN = 0.7  # of the zone and its margin, to judge the picture's noise there
GRAIN_FACTOR = 0.35  # of the median difference: keeps the thresholds at four standard deviations
WHOLLY_SEEN = 0.9

Read = Callable[[Box, int], list[Face]]


@dataclass(frozen=True)
class Doubt:
    """Something came that could not be read: last frame without it, and when it began to cover its place; `said` is
    what was said of it, if it is most likely a card."""

    clear_us: int
    began_us: int
    said: CardSeen | None = None


@dataclass
class ZoneLook:
    """The state of one zone.

    `box` are its pixels with a margin, `scale` takes pixels of the box to the small picture, `body` are the small
    picture's pixels in which cards of this zone lie, `core` those of the zone itself; `card_px` and `long_px` are a
    card's short and long side there. `attentive`: after something has stirred for a while what lies here is read once
    more, however little seems to have changed: cards with little print look alike from afar, and like the table in bad
    light.
    """

    zone: str
    box: Box
    scale: tuple[float, float]
    body: Mask
    core: Mask
    card_px: float
    copies: Mapping[str, int]
    number: Callable[[], int]
    owns: Callable[[Array], bool]
    busy: bool = False
    long_px: float = 0.0
    laid: list[Laid] = field(default_factory=list)
    weights: Mapping[str, float] = field(default_factory=dict)
    settled: Plane | None = None
    ground: Plane | None = None
    clear_us: int = 0
    doubt: Doubt | None = None
    active: bool = False
    started: bool = False
    attentive: bool = False
    _learned: Mask | None = None
    _recent: Recent = field(default_factory=Recent)
    _still_us: int | None = None
    _tries: int = 0
    _doubts: list[Face] = field(default_factory=list)
    _unread: tuple[Moment, Plane, Mask] | None = None
    _held: int = 0
    _glimpse: tuple[Moment, Read] | None = None
    _noise: float = 1.0
    _stirs: int = 0

    @property
    def top(self) -> Laid | None:
        """The card on top, if any is known."""
        return self.laid[-1] if self.laid else None

    @property
    def open_number(self) -> int | None:
        """The number of the card that is still being read."""
        top = self.top
        return top.said.number if top is not None and top.open and top.said is not None else None

    @property
    def card_area(self) -> float:
        """A card's area in pixels of the small picture."""
        return self.card_px**2

    def thumb(self, frame: Frame) -> Picture:
        """The zone's small picture in a frame; its box is `even`, so that half the frame holds it as well."""
        left, top, right, bottom = self.box
        rows, columns = self.body.shape
        half = frame.half if max(self.scale) <= LEAST_HALVED else None
        if half is None:
            part = frame.picture[top:bottom, left:right]
        else:
            part = half[top // 2 : bottom // 2, left // 2 : right // 2]
        return shrunk(part, (columns, rows))

    def mask(self, quad_px: Array) -> Mask:
        """A quad of the picture as pixels of the small picture."""
        points = (quad_px - np.array(self.box[:2]) + 0.5) * np.array(self.scale) - 0.5
        filled = np.zeros(self.body.shape, np.uint8)
        cv2.fillConvexPoly(filled, np.round(points * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return filled.astype(bool)

    def begin(self, thumb: Picture, t_us: int, faces: list[Face]) -> None:
        """The first look: whatever lies there has been lying there."""
        self.settled = thumb.astype(np.float32)
        self.clear_us, self.started = t_us, True
        # Half a print on a patterned cloth is no card; taken for one, it would hide how the empty zone looks.
        sure = [f for f in faces if f.sighting.card != "?" or (f.fits and f.sighting.look.seen >= WHOLLY_SEEN)]
        if sure:
            face = max(sure, key=lambda f: f.sighting.look.seen)
            self.laid = [Laid(face.sighting.card, face, Evidence(), None, self.mask(face.quad_px))]
        else:
            self.ground = self.settled.copy()

    def calm(self, t_us: int) -> None:
        """A frame in which nothing happens here, nor has since the pile was last looked at."""
        self.clear_us = t_us

    def _rest(self) -> None:
        self.active = False
        self._recent.forget()
        self._still_us = None
        self._tries = 0
        self._doubts = []
        self._unread = None
        self._glimpse = None

    def _noise_of(self, now: Plane, free: Mask, least: float) -> float:
        """What thresholds are to be taken times: most of a zone looks as it did, but for the picture's noise."""
        assert self.settled is not None
        if count(free) <= MOST_SEEN * count(self.body):
            return max(least, self._noise)
        gaps = apart(now, self.settled)[free]
        grain = float(np.partition(gaps, len(gaps) // 2)[len(gaps) // 2])
        return max(least, min(1.0, GRAIN_FACTOR * grain))

    def _stirred(self, moment: Moment) -> bool:
        last = self._recent.last
        if last is None:
            return True
        gap = apart(moment.thumb, last.picture) > STIR_STEP * self._noise
        return bool(count(gap & self.body & ~moment.arms) > STIR_SHARE * self.card_area)

    def _close(self) -> None:
        """The top card is covered for good or gone: nothing more will be known of it."""
        if self.top is not None:
            self.top.open = False

    def _settle(self, now: Plane, free: Mask, share: float = 1.0) -> None:
        assert self.settled is not None
        cv2.accumulateWeighted(now, self.settled, share, mask=free.astype(np.uint8))
        if share == 1.0:
            self._learned = free

    def _done(self, moment: Moment) -> None:
        """Everything until now is said; what comes next is something new."""
        self.clear_us = moment.t_us
        self._recent.forget_before_last()
        self._tries = 0
        self._still_us = moment.t_us
        self._doubts = []
        self._unread = None
        self._glimpse = None

    def take_learned(self) -> Mask | None:
        """The pixels of the small picture taken in since this was last asked; None when there are none."""
        learned, self._learned = self._learned, None
        return learned

    def expose(self, gain: Plane) -> None:
        """Follow a change of the camera's exposure (a factor for each channel)."""
        if self.settled is not None:
            self.settled *= gain
        if self.ground is not None:
            self.ground *= gain
