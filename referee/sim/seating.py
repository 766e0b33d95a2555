"""Where people sit at a simulated table, and where their cards, the pot and the mat's markers lie.

Belongs here: places in table millimetres and angles, drawn so that no two zones overlap. Does not belong here:
cameras, people, what happens in a zone.

Table millimetres as everywhere: x to the right, y down in the picture, origin at the totem; angles in degrees
counter-clockwise seen from above, 0 = +x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from referee.sim.places import MARKER_ROOM_MM, Chair, Places, Point, Rect, around, outward

FACE_UP_HALF_MM = 44.0
RESERVE_HALF_MM = 36.0
POT = "pot"
PRINTED_HALF_MM = FACE_UP_HALF_MM - 10
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seat:
    """One player's place: direction, centres of the two piles, and where the arm comes from."""

    player: str
    angle_deg: float
    face_up: Point
    reserve: Point
    shoulder: Point
    rest: Point

    @property
    def outward(self) -> Point:
        """Unit vector from the table's middle to the seat."""
        return outward(self.angle_deg)


@dataclass(frozen=True)
class Seating:
    """All seats, clockwise, with the pot, and the markers' centres (top left, top right, bottom right, bottom left)."""

    seats: tuple[Seat, ...]
    pot: Point
    markers: tuple[Point, ...]
    half_mm: Point  # what a camera has to see, from the middle

    def seat(self, player: str) -> Seat:
        """The seat of a player."""
        return next(seat for seat in self.seats if seat.player == player)

    def places(self) -> Places:
        """The same table in the words all games share."""
        zones: dict[str, Rect] = {}
        for seat in self.seats:
            zones[f"face_up/{seat.player}"] = around(seat.face_up, FACE_UP_HALF_MM)
            zones[f"reserve/{seat.player}"] = around(seat.reserve, RESERVE_HALF_MM)
        zones[POT] = around(self.pot, FACE_UP_HALF_MM)
        chairs = tuple(Chair(seat.player, seat.angle_deg, seat.shoulder, seat.rest) for seat in self.seats)
        printed = tuple(around(seat.face_up, PRINTED_HALF_MM) for seat in self.seats)
        return Places(chairs, zones, printed, self.markers, self.half_mm)


def draw_seating(players: Sequence[str], random: np.random.Generator) -> Seating:
    """Places for these players, clockwise, without overlapping zones."""
    while True:
        seating = _try_seating(players, random)
        if seating is not None:
            return seating


def _try_seating(players: Sequence[str], random: np.random.Generator) -> Seating | None:
    count = len(players)
    # An oblong table: the more people, the further out their cards lie.
    a = 205.0 + 27.0 * count + random.uniform(-12, 12)
    b = 165.0 + 11.0 * count + random.uniform(-8, 8)
    start, side = random.uniform(0, 360), 1 if random.random() < 0.7 else -1
    piles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    # Even distances along the ellipse, not even angles: nobody sits in anybody's lap.
    step = np.hypot(np.diff(a * np.cos(piles), append=a), np.diff(b * np.sin(piles), append=0.0))
    along = np.cumsum(step) / step.sum()
    seats = []
    for place, player in enumerate(players):
        share = (start / 360 - place / count + random.uniform(-0.1, 0.1) / count) % 1.0
        middle = float(np.interp(share, along, piles))
        apart = random.uniform(98.0, 106.0) / 2
        tangent = np.array([-a * np.sin(middle), b * np.cos(middle)])
        tangent /= np.linalg.norm(tangent)
        centre = np.array([a * np.cos(middle), b * np.sin(middle)])
        angle = float(np.rad2deg(np.arctan2(centre[1], centre[0])) % 360)
        face_up, reserve = centre + side * apart * tangent, centre - side * apart * tangent
        outward = np.array([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))])
        shoulder = centre + outward * random.uniform(330, 420)
        rest = centre + outward * random.uniform(150, 330)
        flip = np.array([1.0, -1.0])  # the table's y points down
        seats.append(Seat(player, round(angle, 1), *(_point(p * flip) for p in (face_up, reserve, shoulder, rest))))
    pot = (0.0, 64.0 if random.random() < 0.5 else -64.0)
    if not _apart(seats, pot):
        return None
    half = (
        max(abs(p[0]) for s in seats for p in (s.face_up, s.reserve)) + 52,
        max(abs(p[1]) for s in seats for p in (s.face_up, s.reserve)) + 48,
    )
    markers = _markers(seats, half, random)
    if markers is None:
        return None
    x, y = (max(half[i], max(abs(m[i]) for m in markers) + MARKER_ROOM_MM) for i in (0, 1))
    return Seating(tuple(seats), pot, markers, (x, y))


def _apart(seats: list[Seat], pot: Point) -> bool:
    piles = [(p, FACE_UP_HALF_MM if p is s.face_up else RESERVE_HALF_MM) for s in seats for p in (s.face_up, s.reserve)]
    piles.append((pot, FACE_UP_HALF_MM))
    for (p, r), (q, s) in combinations(piles, 2):
        if max(abs(p[0] - q[0]), abs(p[1] - q[1])) < r + s - 12:
            return False
    return all(np.hypot(*p) > 105 for p, _ in piles[:-1])


def _markers(seats: list[Seat], half: Point, random: np.random.Generator) -> tuple[Point, ...] | None:
    """Four markers at the corners of a rectangle, clear of every pile."""
    for _ in range(60):
        x = random.uniform(0.5, 0.97) * half[0]
        y = random.uniform(0.75, 0.93) * half[1]
        corners = ((-x, -y), (x, -y), (x, y), (-x, y))
        piles = [p for s in seats for p in (s.face_up, s.reserve)]
        if all(max(abs(c[0] - p[0]), abs(c[1] - p[1])) > 74 for c in corners for p in piles):
            return tuple(_point(np.array(c)) for c in corners)
    return None


def _point(p: Array) -> Point:
    return round(float(p[0]), 1), round(float(p[1]), 1)
