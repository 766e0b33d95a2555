"""A table whose view is known, frame by frame: who reaches where, what covers what, what its piles do.

Written rules of this module:
- only the zones in which something differs are looked at;
- at most one spot is read for each `READ_EVERY_US` that a frame stands for, and whoever was read last waits for the
  others: where all turn their cards at once, each of them is read while it is in sight;
- arms are found first: what belongs to an arm is neither card nor ground.
Does not belong here: how the view is found and looked after (`watcher`), how arms (`hands`), piles (`pile`) and the
totem (`standing`) are told.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.camera import Frame
from referee.vision.colourless import is_colourless
from referee.vision.face_down import FaceDown
from referee.vision.geometry import Array
from referee.vision.glance import Face, glance
from referee.vision.ground import Change, Ground
from referee.vision.hands import Arm, Arms
from referee.vision.laid import Moment
from referee.vision.masks import Mask, count
from referee.vision.pile import Pile
from referee.vision.places import (
    Box,
    Rect,
    TotemPlace,
    box_of,
    cells_in,
    cells_millimetres,
    even,
    grown,
    totem_cells,
    zone_of,
)
from referee.vision.reader import Reader
from referee.vision.recent import NOBODY
from referee.vision.sightings import TOTEM, CameraPast, HandSeen, Sighting, ZoneCovered
from referee.vision.standing import Standing
from referee.vision.table import TableView
from referee.vision.zone_look import THUMB_SIDE_PX

HOLD_US = 3_000_000  # how long a zone that cannot be judged holds up what is known of the table
COVERED_SHARE = 0.3  # of a zone
CLEAR_SHARE = 0.1
HAND_SHARE = 0.06  # of a zone: so much of it under a hand is a hand there
REST_EVERY_US = 100_000
READ_EVERY_US = 30_000  # a spot costs about so long to be read
MOST_READ = 3  # spots a frame, however long ago the frame before was
SMALLEST_BOX_PX = 8
AROUND_MM = 6.0
FIRST_PLACES = 3  # of a zone looked at closely before anything has happened there


@dataclass(frozen=True)
class Layout:
    """What a table has: zones (table mm), those in which cards land face up, seats' directions, the totem, and the
    zones in which cards lie face down.

    `attentive` are the zones in which one card mostly comes to lie on another that is much like it (`Pile`), `busy`
    those in which cards follow one another at once, and where one that was taken back may be laid anew.
    """

    zones: Mapping[str, Rect]
    face_up: Set[str]
    seats_deg: Mapping[str, float]
    totem: TotemPlace | None
    hidden: Set[str] = frozenset()
    attentive: Set[str] = frozenset()
    busy: Set[str] = frozenset()


@dataclass
class _Zone:
    """A zone as the picture shows it: its cells, those with a margin, and whether something hides it."""

    cells: Mask
    near: Mask
    area: int
    covered: bool = False


class Scene:
    """One table, seen by one camera."""

    def __init__(self, layout: Layout, reader: Reader, view: TableView, ground: Ground, frame: Frame) -> None:
        """Make the places ready as a frame shows them; the zones themselves are read by `begin`."""
        self.layout, self.reader, self.view = layout, reader, view
        self._ground = ground
        card_mm = reader.prints.deck.card_mm
        cells_mm = cells_millimetres(view, ground.rows, ground.columns, ground.cell)
        margin = 0.5 * float(np.hypot(*card_mm)) + AROUND_MM
        self._zones = {}
        for name, rect in layout.zones.items():
            cells = cells_in(rect, cells_mm)
            self._zones[name] = _Zone(cells, cells_in(grown(rect, margin), cells_mm), max(1, int(cells.sum())))
        self._numbers = 0
        self.piles: dict[str, Pile] = {}
        for name in sorted({*layout.face_up, *layout.hidden}):
            pile = self._pile_of(name, margin)
            if pile is not None:
                self.piles[name] = pile
        self._totem: Mask | None = None
        self._standing: Standing | None = None
        if layout.totem is not None:
            shape = (ground.rows, ground.columns)
            self._totem = totem_cells(layout.totem, view, ground.size, shape, ground.cell)
            self._standing = Standing.of(layout.totem, view, ground.size)
        self._arms = Arms(cells_mm, layout.seats_deg)
        self._colourless = is_colourless(frame.picture)
        self._to_begin = list(self.piles.values())
        self._nothing = np.zeros((ground.rows, ground.columns), bool)
        self._rest_us = 0
        self._past_us = self._frame_us = frame.t_us
        self._may_read = 0
        self._turns = list(self.piles)  # whose turn it is to be read, first to last

    def _pile_of(self, name: str, margin: float) -> Pile | None:
        """A zone made ready; None where it is out of the picture."""
        rect, view = self.layout.zones[name], self.view
        card_mm = self.reader.prints.deck.card_mm
        box = even(box_of(grown(rect, margin), view, self._ground.size))
        width, height = box[2] - box[0], box[3] - box[1]
        if min(width, height) < SMALLEST_BOX_PX:
            return None
        middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
        side = float(np.sqrt(abs(np.linalg.det(view.local(middle))))) * min(card_mm)
        shrink = min(1.0, THUMB_SIDE_PX / side)
        columns, rows = max(4, round(width * shrink)), max(4, round(height * shrink))
        scale = (columns / width, rows / height)
        y, x = np.mgrid[0:rows, 0:columns].astype(np.float64)
        pixels = (np.stack([x.ravel(), y.ravel()], 1) + 0.5) / np.array(scale) - 0.5 + np.array(box[:2])
        mm = view.millimetres(pixels).reshape(rows, columns, 2)

        def owns(point_mm: Array) -> bool:
            return zone_of(point_mm, self.layout.zones) == name

        return (FaceDown if name in self.layout.hidden else Pile)(
            zone=name,
            box=box,
            scale=scale,
            body=cells_in(grown(rect, 0.5 * min(card_mm)), mm),
            core=cells_in(rect, mm),
            card_px=side * shrink,
            long_px=side * shrink * max(card_mm) / min(card_mm),
            # Where a card may be taken back and laid again, it is as if there were several of it.
            copies={card.id: card.count + (name in self.layout.busy) for card in self.reader.prints.deck.cards},
            number=self._number,
            owns=owns,
            busy=name in self.layout.busy,
            attentive=name in self.layout.attentive,
        )

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def begin(self, frame: Frame) -> bool:
        """The first look at the zones, one a frame; whether there was one left to look at."""
        if not self._to_begin:
            return False
        pile = self._to_begin.pop(0)
        # Where a card lies face down nothing is ever read.
        faces = [] if isinstance(pile, FaceDown) else self._read(frame.picture, pile.box, FIRST_PLACES)
        pile.begin(pile.thumb(frame), frame.t_us, [f for f in faces if pile.owns(f.centre_mm)])
        return True

    def quiet(self, frame: Frame) -> list[Sighting]:
        """A frame in which nothing differs from what lies still."""
        said = self._uncover(self._nothing, frame.t_us)
        self._allow(frame.t_us)
        for name in tuple(self._turns):
            pile = self.piles[name]
            if pile.active:
                # The whole picture may be as it was before something lay here: the pile knows what it has seen.
                said += self._feed(frame, pile, self._zones[name], self._nothing, [], None)
            else:
                pile.calm(frame.t_us)
        if self._standing is not None:
            said += self._standing.feed(frame.picture, frame.t_us, False)
        return said

    def busy(self, frame: Frame, change: Change) -> list[Sighting]:
        """A frame in which something differs."""
        ground, t_us = self._ground, frame.t_us
        gain = ground.take_gain()
        if gain is not None:
            for pile in self.piles.values():
                pile.expose(gain)
        other = change.other & ~ground.recover(change.other)
        arms = self._arms.find(other, t_us, ground.last)
        if t_us - self._rest_us > REST_EVERY_US:
            self._rest_us = t_us
            ground.rest(other, t_us)
        covering = np.zeros_like(other)
        for arm in arms:
            covering |= arm.cells
        said = self._hands(arms, t_us) + self._uncover(covering, t_us)
        if self._standing is not None:
            over = covering if self._arms.loose is None else covering | self._arms.loose
            hidden = self._totem is not None and bool((over & self._totem).any())
            said += self._standing.feed(frame.picture, t_us, hidden)
        self._allow(t_us)
        stirring = other | change.moving
        for name in tuple(self._turns):
            pile, zone = self.piles[name], self._zones[name]
            if pile.active or (stirring & zone.near).any():
                said += self._feed(frame, pile, zone, covering, arms, self._arms.loose)
            else:
                pile.calm(t_us)
        return said

    def _allow(self, t_us: int) -> None:
        """How many spots of this frame may be read."""
        self._may_read = min(MOST_READ, max(1, (t_us - self._frame_us) // READ_EVERY_US))
        self._frame_us = t_us

    def _feed(
        self, frame: Frame, pile: Pile, zone: _Zone, covering: Mask, arms: list[Arm], loose: Mask | None
    ) -> list[Sighting]:
        hands: dict[str, float] = {}
        if loose is not None and (share := count(loose & zone.near) / zone.area) > HAND_SHARE:
            # An arm as dark as the table's edge is seen over the mat alone: then it was not the other one's hand.
            hands[NOBODY] = min(1.0, share)
        for arm in arms:
            share = count(arm.hand & zone.near) / zone.area
            if share > HAND_SHARE:
                for seat, chance in arm.chances.items():
                    hands[seat] = hands.get(seat, 0.0) + chance * min(1.0, share)
        rows, columns = pile.body.shape
        near = cv2.dilate(covering.astype(np.uint8), np.ones((3, 3), np.uint8))
        over = cv2.warpAffine(near, self._cells_to_thumb(pile), (columns, rows), flags=cv2.INTER_NEAREST).astype(bool)
        covered = count(covering & zone.cells) / zone.area
        noise = self._ground.noise_of(1 / (pile.scale[0] * pile.scale[1]))
        moment = Moment(frame.t_us, str(frame.number), pile.thumb(frame), over, covered, hands, noise)

        def read(box: Box, most: int) -> list[Face]:
            self._may_read -= 1
            self._turns.remove(pile.zone)
            self._turns.append(pile.zone)
            return self._read(frame.picture, box, most)

        said = pile.feed(moment, read, may_read=self._may_read > 0)
        learned = pile.take_learned()
        if learned is not None:
            # What a pile has taken in lies still from now on, for the whole picture too.
            back = cv2.invertAffineTransform(self._cells_to_thumb(pile))
            size = (self._ground.columns, self._ground.rows)
            cells = cv2.warpAffine(learned.astype(np.uint8), back, size, flags=cv2.INTER_NEAREST)
            self._ground.learn(cells.astype(bool))
        return said

    def _cells_to_thumb(self, pile: Pile) -> NDArray[np.float64]:
        """Where a pile's small picture has the cells of the ground (2×3)."""
        cell, scale = self._ground.cell, np.array(pile.scale)
        move = np.diag(cell * scale) @ np.eye(2, 3)
        move[:, 2] = ((cell - 1) / 2 - np.array(pile.box[:2]) + 0.5) * scale - 0.5
        return np.asarray(move, np.float64)

    def _read(self, picture: NDArray[np.uint8], box: Box, most: int) -> list[Face]:
        return glance(picture, box, self.reader, self.view, most, self._colourless)

    def _hands(self, arms: list[Arm], t_us: int) -> list[Sighting]:
        said: list[Sighting] = []
        for arm in arms:
            for name, zone in self._zones.items():
                if count(arm.hand & zone.cells) > HAND_SHARE * zone.area:
                    said.append(HandSeen(name, t_us, arm.chances, arm.turn, arm.tip_mm, arm.apart))
            if self._totem is not None and arm.at(self._totem):
                said.append(HandSeen(TOTEM, t_us, arm.chances, arm.turn, arm.tip_mm, arm.apart))
        return said

    def _uncover(self, covering: Mask, t_us: int) -> list[Sighting]:
        """Which zones have become covered or clear."""
        said: list[Sighting] = []
        for name, zone in self._zones.items():
            share = count(covering & zone.cells) / zone.area
            if not zone.covered and share > COVERED_SHARE:
                zone.covered = True
                said.append(ZoneCovered(name, t_us, False))
            elif zone.covered and share < CLEAR_SHARE:
                zone.covered = False
                said.append(ZoneCovered(name, t_us, True))
        return said

    def past(self, t_us: int) -> CameraPast:
        """Until when everything has been said, after the frame at `t_us`; it never goes back."""
        past = t_us
        numbers, looked = [], {}
        for name, pile in self.piles.items():
            looked[name] = pile.clear_us if pile.active else t_us
            if pile.open_number is not None:
                numbers.append(pile.open_number)
            if pile.active:
                past = min(past, max(pile.clear_us, t_us - HOLD_US))
        self._past_us = max(self._past_us, past)
        return CameraPast(self._past_us, tuple(numbers), t_us, looked)
