"""How high a camera hangs: from the table's size and the lens's angles to height, field and pixels a card.

Belongs here: the geometry of a camera that looks straight down, and the table of hardware.md made from it. Does not
belong here: what a real camera sees (`calibration.table`), the lens's distortion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from referee.table.layouts import make_layout, marker_reach_mm

EDGE_MM = 34.0  # from a marker's centre to the picture's edge: half a marker and some room to hang askew
CARD_MM = 60.0
SIZES = ((1280, 720), (1920, 1080))
PLAYERS = (3, 4, 6, 8, 10)


@dataclass(frozen=True)
class Lens:
    """A lens's angles across and up (degrees) in its 16:9 pictures, and where they are from."""

    name: str
    across_deg: float
    up_deg: float
    source: str


def from_diagonal(name: str, diagonal_deg: float, source: str) -> Lens:
    """A lens whose maker says the diagonal angle of its 16:9 pictures only; taken to be free of distortion."""
    half = math.tan(math.radians(diagonal_deg / 2)) / math.hypot(16, 9)
    across, up = (2 * math.degrees(math.atan(half * side)) for side in (16, 9))
    return Lens(name, across, up, source)


LENSES = (
    Lens("Pi Camera Module 3", 66.0, 41.0, "Raspberry Pi product brief: 66° × 41°"),
    Lens("Pi Camera Module 3 Wide", 102.0, 67.0, "Raspberry Pi product brief: 102° × 67°"),
    from_diagonal("webcam, 78° diagonal", 78.0, "a usual webcam: 78° diagonal (Logitech C920 data sheet)"),
)


def half_field_mm(players: int, card_mm: float = CARD_MM) -> tuple[float, float]:
    """What has to be in the picture from its middle outwards: all zones and the markers outside them."""
    names = [str(place) for place in range(players)]
    x, y = marker_reach_mm(make_layout("jungle-speed", names, (card_mm, card_mm)))
    return x + EDGE_MM, y + EDGE_MM


def height_mm(lens: Lens, half_mm: tuple[float, float]) -> float:
    """How high above the table the lens has to be for a field of so much from its middle outwards."""
    angles = (lens.across_deg, lens.up_deg)
    return max(half / math.tan(math.radians(angle / 2)) for half, angle in zip(half_mm, angles, strict=True))


def field_mm(lens: Lens, height: float) -> tuple[float, float]:
    """Width and height of the table that is seen from so high."""
    across, up = (2 * height * math.tan(math.radians(angle / 2)) for angle in (lens.across_deg, lens.up_deg))
    return across, up


def card_px(field: tuple[float, float], size_px: tuple[int, int], card_mm: float = CARD_MM) -> float:
    """A card's shorter side in a picture of `size_px` that shows a field of so many millimetres."""
    return card_mm * min(px / mm for px, mm in zip(size_px, field, strict=True))


def closest_px(players: int, card_mm: float, size_px: tuple[int, int]) -> float:
    """A card's shorter side in a picture that just holds the table of so many players."""
    half = half_field_mm(players, card_mm)
    return card_px((2 * half[0], 2 * half[1]), size_px, card_mm)


def mast_table(lenses: Sequence[Lens] = LENSES) -> str:
    """The table of hardware.md, as Markdown."""
    heads = ["players", *(f"{lens.name}: height" for lens in lenses), "field seen from there"]
    heads += [f"a 60 mm card at {size[1]}p" for size in SIZES]
    lines = [heads, ["---"] * len(heads)]
    for players in PLAYERS:
        half = half_field_mm(players)
        heights = [math.ceil(height_mm(lens, half) / 10) * 10 for lens in lenses]
        first = field_mm(lenses[0], heights[0])
        row = [str(players), *(f"{height / 10:.0f} cm" for height in heights), f"{first[0]:.0f} × {first[1]:.0f} mm"]
        lines.append([*row, *(f"{card_px(first, size):.0f} px" for size in SIZES)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
