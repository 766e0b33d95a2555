"""Zones: named rectangles of the table, and what is reckoned with rectangles.

Belongs here: a zone, squares about a point, distances between rectangles, all in table millimetres. Does not belong
here: which zones a game has (arrangements.py), what they mean to it (layouts.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.profile import Rect


@dataclass(frozen=True)
class Zone:
    """A named rectangle of the table (mm); `kind` is the name's first part, `player` its owner or None."""

    name: str
    kind: str
    player: str | None
    rect: Rect

    @property
    def centre_mm(self) -> tuple[float, float]:
        """The middle of the zone."""
        return (self.rect[0] + self.rect[2]) / 2, (self.rect[1] + self.rect[3]) / 2


def square(x: float, y: float, side: float) -> Rect:
    """A square about a point."""
    return upright(x, y, side, side)


def upright(x: float, y: float, width: float, height: float) -> Rect:
    """A rectangle about a point."""
    return (round(x - width / 2, 1), round(y - height / 2, 1), round(x + width / 2, 1), round(y + height / 2, 1))


def about(x: float, y: float, half: tuple[float, float]) -> Rect:
    """A rectangle that reaches so far to either side of a point."""
    return (round(x - half[0], 1), round(y - half[1], 1), round(x + half[0], 1), round(y + half[1], 1))


def apart(a: Rect, b: Rect) -> bool:
    """Whether two rectangles have no point in common but an edge."""
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def grown(rect: Rect, by_mm: float) -> Rect:
    """A rectangle with so much more on every side (mm)."""
    return (rect[0] - by_mm, rect[1] - by_mm, rect[2] + by_mm, rect[3] + by_mm)


def reach_mm(zones: Mapping[str, Zone]) -> tuple[float, float]:
    """How far zones reach from the origin (x, y)."""
    x = max(max(abs(zone.rect[0]), abs(zone.rect[2])) for zone in zones.values())
    y = max(max(abs(zone.rect[1]), abs(zone.rect[3])) for zone in zones.values())
    return x, y


def picture_size(zones: Mapping[str, Zone]) -> float:
    """How small a picture of 16:9 makes zones that it shows all of: less is better."""
    x, y = reach_mm(zones)
    return max(x / 16.0, y / 9.0)
