"""The template of a seat pad: the foil under a player's resting hand or seat.

Belongs here: outline, tab for the wire, hole for the clamp. Does not belong here: the electronics (hardware.md).
"""

from __future__ import annotations

from collections.abc import Mapping

from calibration.sheets.pages import FAINT, INK, Drawing
from referee.deck.draw.glyphs import text
from referee.deck.draw.svg import outline, round_outline, stroke
from referee.errors import InputError

USUAL_MM = (200.0, 150.0)
SMALLEST_MM, LARGEST_MM = 60.0, 400.0
TAB_MM = (30.0, 20.0)
HOLE_MM = 4.0
_BORDER_MM = 10.0  # of the cover that keeps the foil from being touched


WORDS: Mapping[str, tuple[str, str, str, str]] = {
    "en": (
        "seat",
        "of the decoder, 1 kohm, screened cable",
        "foil: outer line    rest the hand inside the inner line",
        "Seat pad",
    ),
    "fr": (
        "place",
        "du décodeur, 1 kohm, câble blindé",
        "feuille : trait extérieur    la main se pose dans le trait intérieur",
        "Plage de siège",
    ),
}


def seat_pad_drawing(seat: int, size_mm: tuple[float, float] = USUAL_MM, language: str = "en") -> Drawing:
    """One seat's foil to cut along the outer line; raises `InputError` for a size that is none."""
    if not all(SMALLEST_MM <= side <= LARGEST_MM for side in size_mm):
        raise InputError(
            f"--size {size_mm[0]:g},{size_mm[1]:g}: expected two numbers from {SMALLEST_MM:g} to {LARGEST_MM:g} mm"
        )
    wide, high = size_mm
    place, wiring, lines, name = WORDS[language]
    left = (wide - TAB_MM[0]) / 2
    foil = [
        (0.0, 0.0),
        (wide, 0.0),
        (wide, high),
        (left + TAB_MM[0], high),
        (left + TAB_MM[0], high + TAB_MM[1]),
        (left, high + TAB_MM[1]),
        (left, high),
        (0.0, high),
    ]
    hole = (wide / 2, high + TAB_MM[1] / 2)
    inner = [
        (_BORDER_MM, _BORDER_MM),
        (wide - _BORDER_MM, _BORDER_MM),
        (wide - _BORDER_MM, high - _BORDER_MM),
        (_BORDER_MM, high - _BORDER_MM),
    ]
    body = [
        stroke(outline(foil), INK, 0.3),
        stroke(outline(inner), FAINT, 0.2),
        stroke(round_outline(hole, HOLE_MM / 2), INK, 0.2),
        text(f"{place} {seat}", (wide / 2, high / 2 - 8), 10, INK, 0.1),
        text(f"Y{seat - 1} {wiring}", (wide / 2, high / 2 + 6), 4, INK, 0.1),
        text(lines, (wide / 2, high / 2 + 16), 3, INK, 0.1),
    ]
    title = f"{name} {seat}, {wide:g} x {high:g} mm"
    return Drawing(title, (wide, high + TAB_MM[1] + 8), body, None, language)
