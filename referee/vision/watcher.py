"""The watcher: frames in, sightings out.

Written rules of this module:
- frames come in the order of their exposure, with gaps or without; nothing is counted in frames, all in time;
- a frame in which nothing differs from what lies still costs one resize and one difference;
- the table's view is found once, from the markers of several frames, and looked after when the picture is still;
- `CameraPast` never claims a moment in which a zone could not be judged, for as long as `scene.HOLD_US`.
Does not belong here: what a zone means to a game, what happens on the table (`scene`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np
from numpy.typing import NDArray

from referee.errors import PictureError
from referee.vision.camera import Frame
from referee.vision.geometry import Array
from referee.vision.ground import Ground
from referee.vision.places import Rect, TotemPlace
from referee.vision.reader import Reader
from referee.vision.scene import Layout, Scene
from referee.vision.sightings import CameraPast, CardSeen, Sighting, TableMoved
from referee.vision.table import DRIFT_MM, MARKER_IDS, TableView, drift_mm, find_markers

DRIFT_EVERY_US = 4_000_000
DRIFT_STEP_MM = 1.0  # said again once it has moved on by so much
VIEW_FRAMES = 5  # the view is made from the markers of at most so many frames


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
        hidden: Set[str] = frozenset(),
        attentive: Set[str] = frozenset(),
        busy: Set[str] = frozenset(),
    ) -> None:
        """Without `face_up` the zones whose names begin with `face_up` are those; in `hidden` ones cards lie face down
        and are never read; `attentive`, `busy`: see `scene.Layout`."""
        self.reader = reader
        chosen = face_up if face_up is not None else {name for name in zones if name.startswith("face_up")}
        sets = (frozenset(hidden), frozenset(attentive), frozenset(busy))
        self._layout = Layout(dict(zones), frozenset(chosen), dict(seats_deg), totem, *sets)
        self._ground: Ground | None = None
        self._scene: Scene | None = None
        self._markers: list[dict[int, Array]] = []
        self._weights: dict[str, dict[str, float]] = {}
        self._t_us = 0
        self._drift_us = 0
        self._moved_mm = 0.0

    @property
    def view(self) -> TableView | None:
        """How the table is seen; None until markers or the profile told."""
        return self._scene.view if self._scene is not None else None

    def corners(self, seen: CardSeen) -> Array | None:
        """Where a card that was just said to be on top of its pile lies (4×2 px, clockwise); None when it is not."""
        pile = self._scene.piles.get(seen.zone) if self._scene is not None else None
        top = pile.top if pile is not None else None
        if top is None or top.said is None or top.said.number != seen.number:
            return None
        return top.face.quad_px

    def weigh(self, zone: str, chances: Mapping[str, float]) -> None:
        """How likely each card is to be the next in a zone, from where cards are known to be.

        It may settle a near thing between two cards and never overrules what is seen.
        """
        self._weights[zone] = dict(chances)
        if self._scene is not None and zone in self._scene.piles:
            self._scene.piles[zone].weights = self._weights[zone]

    def feed(self, frame: Frame) -> list[Sighting]:
        """One frame (H×W×3, BGR); the sightings that follow, in order, `CameraPast` last.

        Nothing is said before the table's view is known. Raises `PictureError` when the frames change their size.
        """
        size = (frame.picture.shape[1], frame.picture.shape[0])
        self._t_us = frame.t_us
        if self._ground is None:
            self._ground = Ground(frame.picture, frame.t_us)
        elif self._ground.size != size:
            was = self._ground.size
            raise PictureError(f"frame {frame.number}: {size[0]}x{size[1]}, expected {was[0]}x{was[1]} as before")
        change = self._ground.feed(frame.picture, frame.t_us, frame.half)
        if self._scene is None:
            self._scene = self._see(frame, self._ground)
            return [self._scene.past(frame.t_us)] if self._scene is not None else []
        scene = self._scene
        if scene.begin(frame):
            return [scene.past(frame.t_us)]
        if change.quiet:
            said = scene.quiet(frame) + self._look_after(frame, scene.view)
        else:
            said = scene.busy(frame, change)
        return [*said, scene.past(frame.t_us)]

    def finish(self) -> list[Sighting]:
        """The end of the frames: all that will ever be said has been."""
        return [CameraPast(self._t_us)] if self._scene is not None else []

    def _see(self, frame: Frame, ground: Ground) -> Scene | None:
        """The table, once enough of it has been seen."""
        setup = self.reader.setup
        if setup is not None and setup.homography is not None:
            view = self.reader.view(frame.picture)
        else:
            ids = setup.marker_ids if setup is not None else MARKER_IDS
            found = find_markers(frame.picture, ids)
            if found:
                self._markers.append(found)
            seen = {number for markers in self._markers for number in markers}
            if not seen or (len(self._markers) < VIEW_FRAMES and len(seen) < len(ids)):
                return None
            view = self.reader.view_of(_middle(self._markers), ground.size)
        if view is None:
            return None
        scene = Scene(self._layout, self.reader, view, ground, frame)
        for zone, weights in self._weights.items():
            if zone in scene.piles:
                scene.piles[zone].weights = weights
        return scene

    def _look_after(self, frame: Frame, view: TableView) -> list[Sighting]:
        """Seldom, and only in a still picture: do the mat's markers lie where they lay?"""
        if not view.markers or frame.t_us - self._drift_us < DRIFT_EVERY_US:
            return []
        self._drift_us = frame.t_us
        off = drift_mm(view, find_markers(frame.picture, tuple(view.markers)))
        by = float(np.median(list(off.values()))) if off else 0.0
        if by > DRIFT_MM and abs(by - self._moved_mm) > DRIFT_STEP_MM:
            self._moved_mm = by
            return [TableMoved(frame.t_us, by)]
        return []


def _middle(frames: list[dict[int, NDArray[np.float64]]]) -> dict[int, Array]:
    """Each marker's corners, the middle of the frames in which it was found."""
    ids = {number for frame in frames for number in frame}
    return {n: np.asarray(np.median([f[n] for f in frames if n in f], axis=0)) for n in sorted(ids)}
