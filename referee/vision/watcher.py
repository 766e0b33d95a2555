"""The watcher: frames in, sightings out.

Written rules of this module:
- frames come in the order of their exposure, with gaps or without; nothing is counted in frames, all in time;
- a frame in which nothing differs from what lies still costs one resize and one difference;
- a card is read in its own spot of the picture and only once it has come to rest, at most one spot a frame;
- the table's view is found once, from the markers of several frames, and looked after when the picture is still;
- `CameraPast` never claims a moment in which a zone could not be seen, for as long as `HOLD_US`.
Does not belong here: what a zone means to a game, how arms (`hands`), piles (`pile`) and cards (`glance`) are told.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import PictureError
from referee.vision.camera import Frame
from referee.vision.colourless import is_colourless
from referee.vision.geometry import Array
from referee.vision.glance import Face, glance
from referee.vision.ground import Change, Ground
from referee.vision.hands import Arm, Arms
from referee.vision.pile import THUMB_SIDE_PX, Moment, Pile
from referee.vision.places import (
    Box,
    Mask,
    Rect,
    TotemPlace,
    box_of,
    cells_in,
    cells_millimetres,
    grown,
    totem_cells,
    zone_of,
)
from referee.vision.reader import Reader
from referee.vision.sightings import TOTEM, CameraPast, HandSeen, Sighting, TableMoved, ZoneCovered
from referee.vision.standing import Standing
from referee.vision.table import MARKER_IDS, TableView, find_markers
from referee.vision.table import drift_mm as marker_drift_mm

HOLD_US = 3_000_000  # how long a zone under an arm holds up what is known of the table
COVERED_SHARE = 0.3  # of a zone
CLEAR_SHARE = 0.1
HAND_SHARE = 0.06  # of a zone: so much of it under a hand is a hand there
DRIFT_EVERY_US = 4_000_000
DRIFT_MM = 3.0
VIEW_FRAMES = 5  # the view is made from the markers of so many frames
REST_EVERY_US = 100_000


@dataclass
class _Zone:
    """A zone as the picture shows it: its cells, those with a margin, and whether something hides it."""

    rect: Rect
    cells: Mask
    near: Mask
    covered: bool = False
    clear_us: int = 0


@dataclass
class _Table:
    """What is known once the table's view is."""

    view: TableView
    cells_mm: Array
    zones: dict[str, _Zone]
    piles: dict[str, Pile]
    arms: Arms
    totem: Mask | None
    standing: Standing | None
    colourless: bool
    to_read: list[str] = field(default_factory=list)


class Watcher:
    """Watches one table: give it frame after frame, it says what it saw.

    `zones` are the table's zones in table mm, `face_up` the names of those in which cards land face up, `seats_deg`
    the directions of the seats (degrees counter-clockwise seen from above, 0 = +x).
    """

    def __init__(
        self,
        reader: Reader,
        zones: Mapping[str, Rect],
        seats_deg: Mapping[str, float],
        totem: TotemPlace | None = None,
        face_up: Set[str] | None = None,
    ) -> None:
        """Without `face_up` the zones whose names begin with `face_up` are those."""
        self.reader = reader
        self.zones = dict(zones)
        self.seats_deg = dict(seats_deg)
        self.totem = totem
        self.face_up = frozenset(face_up if face_up is not None else (z for z in zones if z.startswith("face_up")))
        self.card_mm = reader.prints.deck.card_mm
        self._copies = {card.id: card.count for card in reader.prints.deck.cards}
        self._ground: Ground | None = None
        self._table: _Table | None = None
        self._markers: list[dict[int, Array]] = []
        self._numbers = 0
        self._t_us = 0
        self._drift_us = 0
        self._rest_us = 0
        self._read_in_frame = False
        self._weights: dict[str, dict[str, float]] = {}
        self._moved_said = 0.0

    @property
    def view(self) -> TableView | None:
        """How the table is seen; None until markers or the profile told."""
        return self._table.view if self._table is not None else None

    def weigh(self, zone: str, chances: Mapping[str, float]) -> None:
        """How likely each card is to be the next in a zone, from where cards are known to be.

        It may settle a near thing between two cards and never overrules what is seen.
        """
        self._weights[zone] = dict(chances)
        if self._table is not None and zone in self._table.piles:
            self._table.piles[zone].weights = self._weights[zone]

    def feed(self, frame: Frame) -> list[Sighting]:
        """One frame (H×W×3, BGR); the sightings that follow, in order, `CameraPast` last.

        Raises `PictureError` when the frames change their size.
        """
        picture = frame.picture
        size = (picture.shape[1], picture.shape[0])
        if self._ground is None:
            self._ground = Ground(size)
        elif self._ground.size != size:
            raise PictureError(f"frame {frame.number}: {size[0]}x{size[1]}, expected {self._ground.size} as before")
        self._t_us = frame.t_us
        change = self._ground.feed(picture, frame.t_us)
        if self._table is None:
            self._see_table(frame)
            return [] if self._table is None else [CameraPast(frame.t_us)]
        table = self._table
        if self._begin(frame):
            return [CameraPast(frame.t_us)]
        said: list[Sighting] = []
        if change.quiet:
            for pile in table.piles.values():
                pile.calm(frame.t_us)
            said += self._uncover(frame.t_us)
            said += self._look_after_view(frame)
            if table.standing is not None:
                said += table.standing.feed(picture, frame.t_us, False)
        else:
            said += self._busy(frame, change)
        said.append(self._past(frame.t_us))
        return said

    def finish(self) -> list[Sighting]:
        """The end of the frames: all that will ever be said has been."""
        return [CameraPast(self._t_us)] if self._table is not None else []

    # ---- the table's view

    def _see_table(self, frame: Frame) -> None:
        setup = self.reader.setup
        if setup is not None and setup.homography is not None:
            view = self.reader.view(frame.picture)
        else:
            ids = setup.marker_ids if setup is not None else MARKER_IDS
            found = find_markers(frame.picture, ids)
            if found:
                self._markers.append(found)
            most = max((len(m) for m in self._markers), default=0)
            if len(self._markers) < VIEW_FRAMES and most < len(ids):
                return
            if not self._markers:
                return
            view = self.reader.view_of(_middle(self._markers), (frame.picture.shape[1], frame.picture.shape[0]))
        if view is not None:
            self._table = self._table_of(view, frame)

    def _table_of(self, view: TableView, frame: Frame) -> _Table:
        assert self._ground is not None
        ground = self._ground
        cells_mm = cells_millimetres(view, ground.rows, ground.columns, ground.cell)
        margin = 0.5 * float(np.hypot(*self.card_mm)) + 6
        zones = {
            name: _Zone(rect, cells_in(rect, cells_mm), cells_in(grown(rect, margin), cells_mm), clear_us=frame.t_us)
            for name, rect in self.zones.items()
        }
        piles = {}
        for name in sorted(self.face_up):
            pile = self._pile_of(name, self.zones[name], view, margin)
            if pile is not None:
                piles[name] = pile
        totem = standing = None
        if self.totem is not None:
            shape = (ground.rows, ground.columns)
            totem = totem_cells(self.totem, view, ground.size, shape, ground.cell)
            standing = Standing.of(self.totem, view, ground.size)
        arms = Arms(cells_mm, self.seats_deg)
        colourless = is_colourless(frame.picture)
        return _Table(view, cells_mm, zones, piles, arms, totem, standing, colourless, list(piles))

    def _pile_of(self, name: str, rect: Rect, view: TableView, margin: float) -> Pile | None:
        assert self._ground is not None
        box = box_of(grown(rect, margin), view, self._ground.size)
        width, height = box[2] - box[0], box[3] - box[1]
        middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
        if min(width, height) < 8:
            return None
        side = float(np.sqrt(abs(np.linalg.det(view.local(middle))))) * min(self.card_mm)
        shrink = min(1.0, THUMB_SIDE_PX / side)
        columns, rows = max(4, round(width * shrink)), max(4, round(height * shrink))
        scale = (columns / width, rows / height)
        y, x = np.mgrid[0:rows, 0:columns].astype(np.float64)
        pixels = (np.stack([x.ravel(), y.ravel()], 1) + 0.5) / np.array(scale) - 0.5 + np.array(box[:2])
        mm = view.millimetres(pixels).reshape(rows, columns, 2)
        return Pile(
            zone=name,
            rect=rect,
            box=box,
            scale=scale,
            body=cells_in(grown(rect, 0.5 * min(self.card_mm)), mm),
            core=cells_in(rect, mm),
            card_px=side * shrink,
            copies=self._copies,
            number=self._number,
            owns=lambda point: zone_of(point, self.zones) == name,
            weights=self._weights.get(name, {}),
        )

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _begin(self, frame: Frame) -> bool:
        """The first look at each zone, one a frame."""
        assert self._table is not None
        table = self._table
        if not table.to_read:
            return False
        pile = table.piles[table.to_read.pop(0)]
        faces = glance(frame.picture, pile.box, self.reader, table.view, table.colourless)
        pile.begin(pile.thumb(frame.picture), frame.t_us, [f for f in faces if pile.owns(f.centre_mm)])
        return True

    def _look_after_view(self, frame: Frame) -> list[Sighting]:
        """Seldom, and only in a still picture: do the mat's markers lie where they lay?"""
        assert self._table is not None
        view = self._table.view
        if not view.markers or frame.t_us - self._drift_us < DRIFT_EVERY_US:
            return []
        self._drift_us = frame.t_us
        found = find_markers(frame.picture, tuple(view.markers))
        off = marker_drift_mm(view, found)
        by = float(np.median(list(off.values()))) if off else 0.0
        if by > DRIFT_MM and abs(by - self._moved_said) > 1.0:
            self._moved_said = by
            return [TableMoved(frame.t_us, by)]
        return []

    # ---- a frame in which something differs

    def _busy(self, frame: Frame, change: Change) -> list[Sighting]:
        assert self._table is not None and self._ground is not None
        table, ground, t_us = self._table, self._ground, frame.t_us
        gain = ground.take_gain()
        if gain is not None:
            for pile in table.piles.values():
                pile.expose(gain)
        other = change.other
        if other.any():
            other = other & ~ground.recover(other)
        arms = table.arms.find(other, t_us)
        if t_us - self._rest_us > REST_EVERY_US:
            self._rest_us = t_us
            ground.rest(other, t_us)
        covering = np.zeros_like(other)
        for arm in arms:
            covering |= arm.cells
        said: list[Sighting] = self._hands(arms, t_us)
        said += self._covers(covering, t_us)
        if table.standing is not None:
            hidden = table.totem is not None and bool((covering & table.totem).any())
            said += table.standing.feed(frame.picture, t_us, hidden)
        self._read_in_frame = False
        stirring = other | change.moving
        for name, pile in table.piles.items():
            zone = table.zones[name]
            if not pile.active and not (stirring & zone.near).any():
                pile.calm(t_us)
                continue
            said += self._pile(frame, pile, zone, covering, arms)
        return said

    def _pile(self, frame: Frame, pile: Pile, zone: _Zone, covering: Mask, arms: list[Arm]) -> list[Sighting]:
        assert self._ground is not None and self._table is not None
        for arm in arms:
            share = float((arm.hand & zone.near).sum()) / max(1, int(zone.cells.sum()))
            if share > HAND_SHARE:
                for seat, chance in arm.chances.items():
                    pile.by[seat] = max(pile.by.get(seat, 0.0), chance * min(1.0, share))
        cell = self._ground.cell
        rows, columns = pile.body.shape
        shrink = np.array([[cell * pile.scale[0], 0, 0], [0, cell * pile.scale[1], 0]])
        shrink[:, 2] = ((cell - 1) / 2 - np.array(pile.box[:2]) + 0.5) * np.array(pile.scale) - 0.5
        near = cv2.dilate(covering.astype(np.uint8), np.ones((3, 3), np.uint8))
        over = cv2.warpAffine(near, shrink, (columns, rows), flags=cv2.INTER_NEAREST).astype(bool)
        covered = float((covering & zone.cells).sum()) / max(1, int(zone.cells.sum()))
        moment = Moment(frame.t_us, str(frame.number), pile.thumb(frame.picture), over, covered)

        def read(box: Box) -> list[Face]:
            assert self._table is not None
            self._read_in_frame = True
            return glance(frame.picture, box, self.reader, self._table.view, self._table.colourless)

        said = pile.feed(moment, read, may_read=not self._read_in_frame)
        if pile.learned is not None:
            self._learn(pile)
        return said

    def _learn(self, pile: Pile) -> None:
        """What a pile has taken in lies still from now on, for the whole picture too."""
        assert self._ground is not None
        part, pile.learned = pile.learned, None
        if part is None:
            return
        ground = self._ground
        cell = ground.cell
        grow = np.array([[1 / (cell * pile.scale[0]), 0, 0], [0, 1 / (cell * pile.scale[1]), 0]])
        corner = np.array(pile.box[:2])
        grow[:, 2] = ((0.5 / np.array(pile.scale) - 0.5 + corner) - (cell - 1) / 2) / cell
        cells = cv2.warpAffine(part.astype(np.uint8), grow, (ground.columns, ground.rows), flags=cv2.INTER_NEAREST)
        ground.learn(cells.astype(bool))

    def _hands(self, arms: list[Arm], t_us: int) -> list[Sighting]:
        assert self._table is not None
        said: list[Sighting] = []
        for arm in arms:
            for name, zone in self._table.zones.items():
                if (arm.hand & zone.cells).sum() > HAND_SHARE * zone.cells.sum():
                    said.append(HandSeen(name, t_us, arm.chances, arm.turn))
            totem = self._table.totem
            if totem is not None and (arm.hand & totem).any():
                said.append(HandSeen(TOTEM, t_us, arm.chances, arm.turn))
        return said

    def _covers(self, covering: Mask, t_us: int) -> list[Sighting]:
        assert self._table is not None
        said: list[Sighting] = []
        for name, zone in self._table.zones.items():
            share = float((covering & zone.cells).sum()) / max(1, int(zone.cells.sum()))
            if not zone.covered and share > COVERED_SHARE:
                zone.covered = True
                said.append(ZoneCovered(name, t_us, False))
            elif zone.covered and share < CLEAR_SHARE:
                zone.covered = False
                said.append(ZoneCovered(name, t_us, True))
        return said

    def _uncover(self, t_us: int) -> list[Sighting]:
        assert self._table is not None
        said: list[Sighting] = []
        for name, zone in self._table.zones.items():
            if zone.covered:
                zone.covered = False
                said.append(ZoneCovered(name, t_us, True))
        return said

    def _past(self, t_us: int) -> CameraPast:
        assert self._table is not None
        past = t_us
        numbers = []
        for pile in self._table.piles.values():
            if pile.open_number is not None:
                numbers.append(pile.open_number)
            if pile.active:
                past = min(past, max(pile.clear_us, t_us - HOLD_US))
        return CameraPast(past, tuple(numbers))


def _middle(frames: list[dict[int, NDArray[np.float64]]]) -> dict[int, Array]:
    """Each marker's corners, the middle of the frames in which it was found."""
    ids = {number for frame in frames for number in frame}
    return {n: np.asarray(np.median([f[n] for f in frames if n in f], axis=0)) for n in sorted(ids)}
