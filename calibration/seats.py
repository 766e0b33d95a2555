"""Seats and zones put where people want them: what dragging one on a page does to the layout.

Belongs here: a zone or a whole seat moved, and why it cannot lie there. Does not belong here: working out a layout
(`referee.table.layouts`), pages.
"""

from __future__ import annotations

import math
from dataclasses import replace

from referee.errors import InputError
from referee.profile import LARGEST_MM, Rect
from referee.table.layouts import Layout, Zone


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
