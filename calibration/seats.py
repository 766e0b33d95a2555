"""Seats and zones put where people want them: what dragging one on a page does to the layout.

Belongs here: a zone or a whole seat moved, and why it cannot lie there; a layout worked out anew, put on the mat that
lies there. Does not belong here: working out a layout (`referee.table.layouts`), pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.sheets.mat import QUIET_MM, plan_mat
from calibration.sheets.paper import PAPERS
from referee.errors import InputError
from referee.profile import LARGEST_MM, Rect
from referee.table.layouts import Layout
from referee.table.zones import Zone

SAME_MAT_MM = 4.0  # a mat worked out from its markers' own sides is good to a millimetre or two without a lens
LARGEST_SPREAD, SPREAD_STEP = 2.0, 0.02


def laid_on(layout: Layout, markers_mm: Sequence[tuple[float, float]], side_mm: float) -> Layout:
    """A layout worked out anew, on the mat whose four markers lie there (centres, mm): where one of our own mats has
    its zones printed, else each seat moved out along its direction as far as the mat's rim lets all of them.

    Games without a totem stay as they are: their piles lie in the middle.
    """
    if not layout.has_totem or len(markers_mm) != 4 or _is_printed(layout, markers_mm):
        return layout
    x, y = (max(abs(centre[axis]) for centre in markers_mm) + side_mm / 2 for axis in (0, 1))
    reach = side_mm / 2 + QUIET_MM
    taken = [(u - reach, v - reach, u + reach, v + reach) for u, v in markers_mm]
    for factor in np.arange(LARGEST_SPREAD, 1.0, -SPREAD_STEP).tolist():
        try:
            spread = _spread(layout, factor)
        except InputError:
            continue
        rects = [zone.rect for zone in spread.zones.values()]
        inside = all(-x <= a[0] and a[2] <= x and -y <= a[1] and a[3] <= y for a in rects)
        if inside and not any(_overlap(a, b) for a in rects for b in taken):
            return spread
    return layout


def _is_printed(layout: Layout, markers_mm: Sequence[tuple[float, float]]) -> bool:
    """Whether this is one of our own mats for just this layout: they print its zones."""
    here = sorted(markers_mm)
    for paper in PAPERS.values():
        try:
            printed = sorted(plan_mat(layout, paper).centres_mm)
        except InputError:
            continue
        if all(math.dist(a, b) <= SAME_MAT_MM for a, b in zip(here, printed, strict=True)):
            return True
    return False


def _spread(layout: Layout, factor: float) -> Layout:
    """Each player's places moved out together, the main one to so many times its distance from the totem."""
    x0, y0 = layout.totem.centre_mm
    moved: dict[str, Zone] = {}
    for player in layout.players:
        main = main_zone(layout, player)
        if main is not None:
            x, y = (factor - 1) * (main.centre_mm[0] - x0), (factor - 1) * (main.centre_mm[1] - y0)
            mine = (zone for zone in layout.zones.values() if zone.player == player)
            moved |= {zone.name: replace(zone, rect=_shifted(zone.rect, x, y)) for zone in mine}
    return _with(layout, moved)


def move_zone(layout: Layout, name: str, centre_mm: tuple[float, float]) -> Layout:
    """The same table with one zone's centre elsewhere; raises `InputError` where another zone or the totem is.

    A seat's direction follows its place for face-up cards.
    """
    zone = layout.zones.get(name)
    if zone is None:
        raise InputError(f"{name}: there is no such zone, expected one of {', '.join(layout.zones)}")
    if not all(math.isfinite(value) and abs(value) < LARGEST_MM for value in centre_mm):
        raise InputError(f"{name}: expected a place within {LARGEST_MM:g} mm of the totem")
    moved = replace(zone, rect=_shifted(zone.rect, centre_mm[0] - zone.centre_mm[0], centre_mm[1] - zone.centre_mm[1]))
    return _with(layout, {name: moved})


def move_seat(layout: Layout, player: str, centre_mm: tuple[float, float]) -> Layout:
    """The same table with all of a player's zones moved, their main place to a new centre; raises `InputError`."""
    main = main_zone(layout, player)
    if main is None:
        raise InputError(f"{player}: has no place on this table, expected one of {', '.join(layout.players)}")
    x, y = centre_mm[0] - main.centre_mm[0], centre_mm[1] - main.centre_mm[1]
    mine = {name: zone for name, zone in layout.zones.items() if zone.player == player}
    return _with(layout, {name: replace(zone, rect=_shifted(zone.rect, x, y)) for name, zone in mine.items()})


def main_zone(layout: Layout, player: str) -> Zone | None:
    """The place that stands for a player's seat: where their cards lie face up, else the first they have."""
    mine = [zone for zone in layout.zones.values() if zone.player == player]
    return layout.zones.get(f"face_up/{player}") or next(iter(mine), None)


def _with(layout: Layout, moved: dict[str, Zone]) -> Layout:
    zones = {**layout.zones, **moved}
    for zone in moved.values():
        for other in zones.values():
            if other.name != zone.name and _overlap(zone.rect, other.rect):
                raise InputError(f"{zone.name} would lie over {other.name}")
        x, y = layout.totem.centre_mm
        half = layout.totem.diameter_mm / 2
        if layout.has_totem and _overlap(zone.rect, (x - half, y - half, x + half, y + half)):
            raise InputError(f"{zone.name} would lie under the totem")
    angles = dict(layout.angles_deg)
    for player in layout.players:
        main = main_zone(layout, player)
        if main is not None and main.name in moved:
            x, y = moved[main.name].centre_mm
            dx, dy = x - layout.totem.centre_mm[0], layout.totem.centre_mm[1] - y
            angles[player] = round(math.degrees(math.atan2(dy, dx)) % 360.0, 1)
    return replace(layout, zones=zones, angles_deg=angles)


def _shifted(rect: Rect, x: float, y: float) -> Rect:
    return (round(rect[0] + x, 1), round(rect[1] + y, 1), round(rect[2] + x, 1), round(rect[3] + y, 1))


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
