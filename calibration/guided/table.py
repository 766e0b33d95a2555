"""The step for the table: the mat or four tapped corners, seats dragged into place, cards large enough or what to do.

Written rules:
- places on a page are pixels of the picture; millimetres are worked out here, by the view the picture has now;
- a seat that cannot lie where it was dragged stays where it was, and why is said;
- the view follows the mat for as long as the step is open; nothing is kept before somebody asks for it.
Does not belong here: finding markers and views, layouts.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from calibration.charuco import Picture
from calibration.guide import drawn_table
from calibration.guided.bench import Bench, Sentence, Step, Values, asked_number, unknown
from calibration.guided.camera import with_camera
from calibration.placing import deck_of, judged, layout_for, lens_for, setup_of
from calibration.profile_file import CALIBRATION, value_at
from calibration.seats import laid_on, main_zone, move_seat, move_zone
from calibration.sources import Shot
from calibration.table import CardSize, Mat, TableFound, find_table, found_by, markers_mm, table_part
from referee.errors import InputError, ProfileError
from referee.table.layouts import Layout
from referee.vision.geometry import Array
from referee.vision.table import MARKER_IDS, view_from_corners

FRAMES = 5
LOOK_EVERY_S = 0.4
LARGEST_MM = 10_000.0
SAME_PX = 0.5  # markers that moved less are where they were: what is drawn stands still under a finger


class TableStep(Step):
    """Follow the mat, or believe four corners; lay out, drag, judge, keep."""

    name = "table"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        content = bench.content
        self._setup = setup_of(bench.profile)
        self._deck = deck_of(bench.profile, content)
        self._layout = layout_for(bench.profile, content, self._deck, lay_out=False)
        self._new = not content.get("seat")  # seats that nobody has put anywhere yet
        self._mat: Mat | None = Mat(self._setup.centres_mm, self._setup.side_mm)
        self._corners: tuple[Array, float, float] | None = None
        self._pictures: deque[Picture] = deque(maxlen=FRAMES)
        self._found: TableFound | None = None
        self._why: str | None = None
        self._problems: list[str] = []
        self._card: CardSize | None = None
        self._looked_s = 0.0
        self._told = False

    def see(self, shot: Shot) -> None:
        if self._pictures and self._pictures[-1].shape != shot.picture.shape:
            self._pictures.clear()
        self._pictures.append(shot.picture)
        if time.monotonic() - self._looked_s >= LOOK_EVERY_S and len(self._pictures) >= min(FRAMES, 3):
            self._look()
            self._looked_s = time.monotonic()

    def _look(self) -> None:
        """The view by the newest pictures."""
        if self._found is not None and self._mat is None:
            return
        size = (self._pictures[-1].shape[1], self._pictures[-1].shape[0])
        try:
            lens = lens_for(self._setup, size)
            if self._mat is not None:
                seen = find_table(list(self._pictures), self._mat, lens)
                if self._found is None or _moved_px(self._found, seen) > SAME_PX:
                    self._found = seen
                self._why = None
                self._lay_on(seen, self._mat)
            elif self._corners is not None:
                quad, width, height = self._corners
                view = view_from_corners(quad, width, height, lens)
                self._found, self._why = found_by(view, size, 1, lens is not None), None
            else:
                self._found, self._why = None, None
                return
        except InputError as error:
            self._found, self._why = None, str(error)
            return
        self._judge()

    def _lay_on(self, found: TableFound, mat: Mat) -> None:
        """Put a layout that was worked out anew on the mat that lies there, once."""
        if self._new and self._layout is not None:
            self._layout, self._new = laid_on(self._layout, markers_mm(found), mat.side_mm), False

    def _judge(self) -> None:
        if self._found is not None:
            if self._deck is not None and not self._told:
                self._told = True
                self.bench.breathe()  # comparing a deck's cards takes seconds, once
            self._problems, self._card = judged(self._found, self._layout, self._deck)

    def do(self, word: str, values: Values) -> None:
        if word == "by":
            mat = values.get("way") == "mat"
            self._mat = Mat(self._setup.centres_mm, self._setup.side_mm) if mat else None
            self._corners = self._found = self._why = None
        elif word == "mat":
            x, y = (_length(values, key) / 2 for key in ("width_mm", "height_mm"))
            places = ((-x, -y), (x, -y), (x, y), (-x, y))
            centres = {k: np.array(place) for k, place in zip(MARKER_IDS, places, strict=True)}
            self._mat, self._corners, self._found = Mat(centres, self._setup.side_mm), None, None
        elif word == "corners":
            self._by_corners(values)
        elif word == "move":
            self._move(values)
        elif word == "lay-out":
            self._layout = layout_for(self.bench.profile, self.bench.content, self._deck, lay_out=True)
            self._new = True
            if self._found is not None and self._mat is not None:
                self._lay_on(self._found, self._mat)
            self._judge()
        elif word == "keep":
            self._keep()
        else:
            raise unknown(self.name, word)

    def _by_corners(self, values: Values) -> None:
        points = values.get("points")
        try:
            quad: Array = np.array(points, np.float64).reshape(4, 2)
        except (TypeError, ValueError) as error:
            raise InputError("points: expected four places in the picture") from error
        width, height = _length(values, "width_mm"), _length(values, "height_mm")
        try:
            view_from_corners(quad, width, height)
        except ProfileError as error:
            raise InputError(
                "these four corners are no rectangle seen from above: tap them clockwise, beginning at the top left"
            ) from error
        self._mat, self._corners, self._found = None, (quad, width, height), None
        if self._pictures:
            self._look()

    def _move(self, values: Values) -> None:
        """A zone, or with `whole` all of a player's, to where it was dragged in the picture."""
        if self._found is None or self._layout is None:
            raise InputError("the table is not seen: nothing can be moved on it")
        name = str(values.get("zone"))
        at = np.array([[asked_number(values, "x"), asked_number(values, "y")]])
        x, y = (float(value) for value in self._found.view.millimetres(at)[0])
        zone = self._layout.zones.get(name)
        if zone is not None and zone.player is not None and values.get("whole"):
            main = main_zone(self._layout, zone.player) or zone
            # Dragged by any of the places, all of them go along.
            x, y = x + main.centre_mm[0] - zone.centre_mm[0], y + main.centre_mm[1] - zone.centre_mm[1]
            self._layout = move_seat(self._layout, zone.player, (x, y))
        else:
            self._layout = move_zone(self._layout, name, (x, y))
        self._judge()

    def _keep(self) -> None:
        if self._found is None:
            raise InputError("the table is not seen yet: there is nothing to keep")
        lens_date = value_at(self.bench.content, f"{CALIBRATION}.camera.date")
        figures = {**self.bench.camera_device, **({} if lens_date is None else {"lens_date": lens_date})}
        part = table_part(self._found, self._mat, self._layout, self._card, figures)
        known = {"camera.width": self._found.size[0], "camera.height": self._found.size[1]}
        self.bench.write(with_camera(self.bench, replace(part, first=known)))

    def words(self) -> dict[str, Any]:
        found, card = self._found, self._card
        said: dict[str, Any] = {
            "by": "mat" if self._mat is not None else "corners",
            "mat_known": self._mat is not None and self._mat.centres_mm is not None,
            "seen": found is not None,
            "why": None if self._why is None else Sentence(self._why),
            "problems": [Sentence(problem) for problem in self._problems] if found is not None else [],
            "lens_known": self._setup.lens is not None,
            "players": [] if self._layout is None else list(self._layout.players),
            "zones": [],
            "card": None,
        }
        if found is None:
            return said
        said |= {
            "height_cm": round(found.height_mm / 10),
            "lean_deg": round(found.lean_deg),
            "residual_mm": round(found.view.residual_mm, 1),
        }
        if card is not None:
            said["card"] = {"have_px": round(card.have_px), "need_px": card.need_px, "enough": card.enough}
        if self._layout is not None:
            said["zones"] = [_outline(found, zone.name, self._layout) for zone in self._layout.zones.values()]
        return said

    def drawn(self, picture: Picture) -> Picture:
        return np.asarray(picture, np.uint8) if self._found is None else drawn_table(picture, self._found, None)


def _moved_px(before: TableFound, now: TableFound) -> float:
    """How far a marker lies from where it was at most; without end where other ones are seen."""
    old, new = before.view.markers, now.view.markers
    if before.size != now.size or set(old) != set(new):
        return float("inf")
    return max(float(np.abs(old[k] - new[k]).max()) for k in old)


def _outline(found: TableFound, name: str, layout: Layout) -> dict[str, Any]:
    """A zone as a page draws it: its outline and middle in pixels."""
    zone = layout.zones[name]
    x0, y0, x1, y1 = zone.rect
    along = np.linspace(0, 1, 5)[:-1, None]
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    sides = [corners[k] + along * (corners[(k + 1) % 4] - corners[k]) for k in range(4)]
    outline = found.view.pixels(np.concatenate(sides))
    middle = found.view.pixels(np.array([zone.centre_mm]))[0]
    return {
        "name": name,
        "kind": zone.kind,
        "player": zone.player,
        "points": [[round(float(x), 1), round(float(y), 1)] for x, y in outline],
        "middle": [round(float(value), 1) for value in middle],
    }


def _length(values: Values, key: str) -> float:
    length = asked_number(values, key)
    if not 0 < length < LARGEST_MM:
        raise InputError(f"{key}: expected a length in millimetres, found {length:g}")
    return length
