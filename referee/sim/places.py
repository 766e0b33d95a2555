"""The places of a simulated table, whatever is played on it: chairs, zones, what is printed on the mat, markers.

Belongs here: what camera, arms and profile need to know of a table, and drawing it from a game's layout. Does not
belong here: what a zone means to a game, how Jungle Speed's people sit (`seating`).

Table millimetres as everywhere: x to the right, y down in the picture; angles in degrees counter-clockwise seen from
above, 0 = +x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from referee.table.layouts import Layout, marker_reach_mm

Point = tuple[float, float]
Rect = tuple[float, float, float, float]
MARKER_ROOM_MM = 34.0  # from a marker's centre to the edge of what the camera sees, at least
SHOULDER_MM = (330.0, 420.0)  # beyond a player's nearest zone
REST_MM = (150.0, 330.0)
OFF_ANGLE_DEG = 6.0  # how far somebody sits beside the middle of their side, at most
PRINTED_INSIDE_MM = 10.0  # the printed outline of a zone lies inside it


def outward(angle_deg: float) -> Point:
    """Unit vector from the table's middle in a direction (degrees counter-clockwise seen from above, y down)."""
    angle = np.deg2rad(angle_deg)
    return float(np.cos(angle)), float(-np.sin(angle))


@dataclass(frozen=True)
class Chair:
    """Where one player sits: the direction, where the arm comes from and where the hand rests."""

    player: str
    angle_deg: float
    shoulder: Point
    rest: Point

    @property
    def outward(self) -> Point:
        """Unit vector from the table's middle to the chair."""
        return outward(self.angle_deg)


@dataclass(frozen=True)
class Places:
    """A whole table: chairs clockwise, zones by their names (`face_up/Ana`, `pot`), printed outlines, markers' centres
    (top left, top right, bottom right, bottom left), and what a camera has to see from the middle."""

    chairs: tuple[Chair, ...]
    zones: Mapping[str, Rect]
    printed: tuple[Rect, ...]
    markers: tuple[Point, ...]
    half_mm: Point

    def chair(self, player: str) -> Chair:
        """The chair of a player."""
        return next(chair for chair in self.chairs if chair.player == player)

    def centre(self, zone: str) -> Point:
        """The middle of a zone."""
        return middle(self.zones[zone])

    def own_zones(self, player: str) -> dict[str, Rect]:
        """A player's zones by kind, as they stand in a profile."""
        return {name.partition("/")[0]: rect for name, rect in self.zones.items() if name.partition("/")[2] == player}

    def shared_zones(self) -> dict[str, Rect]:
        """The zones that are nobody's, by name."""
        players = {chair.player for chair in self.chairs}
        return {name: rect for name, rect in self.zones.items() if name.partition("/")[2] not in players}


def around(centre: Point, half: float) -> Rect:
    """A square about a point."""
    return centre[0] - half, centre[1] - half, centre[0] + half, centre[1] + half


def middle(rect: Rect) -> Point:
    """The centre of a rectangle."""
    return (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2


def draw_places(layout: Layout, random: np.random.Generator) -> Places:
    """A table as a game's layout has it: the zones as they are, people and markers a little otherwise each time."""
    chairs = []
    for player in layout.players:
        angle = layout.angles_deg[player] + float(random.uniform(-OFF_ANGLE_DEG, OFF_ANGLE_DEG))
        out = (float(np.cos(np.deg2rad(angle))), float(-np.sin(np.deg2rad(angle))))
        edge = max(_reach_towards(rect, out) for rect in (zone.rect for zone in layout.zones.values()))
        shoulder, rest = (edge + float(random.uniform(*span)) for span in (SHOULDER_MM, REST_MM))
        chairs.append(Chair(player, round(angle % 360, 1), *((d * out[0], d * out[1]) for d in (shoulder, rest))))
    x, y = marker_reach_mm(layout)
    x, y = x + float(random.uniform(0, 15)), y + float(random.uniform(0, 10))
    markers = tuple((round(a, 1), round(b, 1)) for a, b in ((-x, -y), (x, -y), (x, y), (-x, y)))
    printed = tuple(_inside(zone.rect) for zone in layout.zones.values() if layout.meaning(zone.name) != "stock")
    half = (x + MARKER_ROOM_MM, y + MARKER_ROOM_MM)
    return Places(tuple(chairs), {name: zone.rect for name, zone in layout.zones.items()}, printed, markers, half)


def _reach_towards(rect: Rect, out: Point) -> float:
    """How far a rectangle's middle lies out in a direction."""
    x, y = middle(rect)
    return x * out[0] + y * out[1]


def _inside(rect: Rect) -> Rect:
    by = PRINTED_INSIDE_MM
    return rect[0] + by, rect[1] + by, rect[2] - by, rect[3] - by
