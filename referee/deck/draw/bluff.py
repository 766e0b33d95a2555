"""Jungle Bluff: nine series of 1 to 10 (eight players and the first centre) and the advanced cards.

A number stands white on a leaf, dark in two corners and as so many dots along the leaf's edge; 6 and 9 are
underlined. The advanced cards keep their
value's number and add a sign of their own on the leaf and in the corners: a star (1*), a turned arrow (5r),
an alpha (10a); their leaves have another colour.
"""

from __future__ import annotations

from math import cos, pi, sin

from referee.deck.draw.drawing import PAPER, CardDrawing, DeckDrawing
from referee.deck.draw.glyphs import text, text_width
from referee.deck.draw.svg import disc, fill, moved, on_circle, outline, stroke
from referee.deck.ids import BOX

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
_DARK = "#1f2a22"
_GREEN = "#2c6e3f"
_SPECIAL = {"1*": "#b8860b", "5r": "#b04a1f", "10a": "#5a3a8a"}
_TWO_WAY = ("6", "9")
_LEAF = "M0-33C21-25 27-8 26 6C24 22 12 31 0 35C-12 31-24 22-26 6C-27-8-21-25 0-33Z"


def deck() -> DeckDrawing:
    """The 90 number cards and eight of each advanced one."""
    cards = tuple(CardDrawing(card_id, count, _face(card_id)) for card_id, count in BOX["jungle-bluff"].items())
    return DeckDrawing("jungle-bluff", "Referee Jungle Bluff", "jungle-bluff", (WIDTH_MM, HEIGHT_MM), "face", cards)


def _face(card_id: str) -> str:
    value = card_id.rstrip("*ra")
    leaf = fill(_LEAF, _SPECIAL.get(card_id, _GREEN)) + _dots(int(value))
    middle = _value(value, (0, 2), 25.0 if len(value) == 1 else 21.0, PAPER)
    corner = _value(value, (-26.5 + text_width(value, 9.0) / 2, -36.0), 9.0, _DARK)
    if card_id in _SPECIAL:
        middle += _sign(card_id, (0, 24.0), 9.0, PAPER)
        corner += _sign(card_id, (-23.5, -25.5), 7.0, _SPECIAL[card_id])
    body = leaf + middle + corner + moved(corner, 0, 0, turn_deg=180)
    return moved(body, WIDTH_MM / 2, HEIGHT_MM / 2)


def _dots(value: int) -> str:
    """As many light dots as the card is worth, along the leaf's upper edge and down its sides."""
    angles = [(-90 + 26 * (i - (value - 1) / 2)) * pi / 180 for i in range(value)]
    return "".join(disc((21.5 * cos(angle), 26.5 * sin(angle)), 1.5, PAPER) for angle in angles)


def _value(value: str, at: tuple[float, float], height: float, ink: str) -> str:
    body = text(value, at, height, ink, 0.17)
    if value in _TWO_WAY:
        half, y = text_width(value, height) / 2, at[1] + height * 0.72
        body += stroke(outline([(at[0] - half, y), (at[0] + half, y)], closed=False), ink, 0.15 * height)
    return body


def _sign(card_id: str, at: tuple[float, float], size: float, ink: str) -> str:
    """What marks an advanced card, `size` mm high about `at`."""
    if card_id == "1*":
        star = [on_circle(0.5 if i % 2 == 0 else 0.21, -90 + 36 * i) for i in range(10)]
        return moved(fill(outline(star), ink), *at, scale=size)
    if card_id == "10a":
        return text("α", at, size, ink, 0.17)
    arc = outline([on_circle(0.36, -60 - 280 * i / 40) for i in range(41)], closed=False)
    head = outline([on_circle(0.14, -340), on_circle(0.60, -340), on_circle(0.40, -15)])
    return moved(stroke(arc, ink, 0.15) + fill(head, ink), *at, scale=size)
