"""Dobro: numbers 2 to 12, jokers, the two specials and the two markers that lie beside the pack.

A number stands large in the middle, small in two corners, and as so many dots on a ring, so that it can be
read from any side and by counting; 6 and 9 are underlined. Copies as in the box (`ids.BOX`).
"""

from __future__ import annotations

from referee.deck.draw.drawing import PAPER, CardDrawing, DeckDrawing
from referee.deck.draw.glyphs import text, text_width
from referee.deck.draw.svg import disc, fill, moved, on_circle, outline, stroke
from referee.deck.ids import BOX

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
# From cool to hot as the value climbs; neighbours differ in lightness or hue.
_INKS = {
    "2": "#4a6fb5",
    "3": "#2f8fb0",
    "4": "#1f9c8d",
    "5": "#2e8b45",
    "6": "#6d9a22",
    "7": "#a18a12",
    "8": "#cf8116",
    "9": "#d5611d",
    "10": "#c63b2f",
    "11": "#a82a5b",
    "12": "#6f2f86",
}
_DARK = "#26262f"
_TWO_WAY = ("6", "9")


def deck() -> DeckDrawing:
    """The 57 cards in play and the direction and oubli cards."""
    faces = {
        **{value: _number(value) for value in _INKS},
        "joker": _joker(),
        "skip": _skip(),
        "reverse": _reverse(),
        "direction": _direction(clockwise=True),
        "oubli": _oubli(),
    }
    backs = {"direction": _placed(_direction(clockwise=False))}
    cards = tuple(
        CardDrawing(card_id, BOX["dobro"][card_id], _placed(face), backs.get(card_id))
        for card_id, face in faces.items()
    )
    return DeckDrawing("dobro", "Referee Dobro", "dobro", (WIDTH_MM, HEIGHT_MM), "face", cards)


def _placed(body: str) -> str:
    return moved(body, WIDTH_MM / 2, HEIGHT_MM / 2)


def _twice(corner: str) -> str:
    """A corner's sign, and the same in the opposite corner the other way up."""
    return corner + moved(corner, 0, 0, turn_deg=180)


def _underlined(value: str, at: tuple[float, float], height: float, ink: str, weight: float) -> str:
    body = text(value, at, height, ink, weight)
    if value in _TWO_WAY:
        half, y = text_width(value, height) / 2, at[1] + height * 0.72
        line = outline([(at[0] - half, y), (at[0] + half, y)], closed=False)
        body += stroke(line, ink, weight * height)
    return body


def _number(value: str) -> str:
    ink, dots = _INKS[value], int(value)
    ring = "".join(disc(on_circle(24.5, -90 + 360 * i / dots), 2.3, ink) for i in range(dots))
    height = 24.0 if dots < 10 else 20.0
    middle = _underlined(value, (0, -2.0 if value in _TWO_WAY else 0), height, ink, 0.17)
    width = text_width(value, 9.0)
    corner = _underlined(value, (-26.0 + width / 2, -36.0), 9.0, ink, 0.17)
    return ring + middle + _twice(corner)


def _joker() -> str:
    """A cap with three points, each with a bell."""
    cap = "M-15 10C-22 2-24-8-20-17C-14-12-10-8-7-3C-5-12-3-18 0-23C3-18 5-12 7-3C10-8 14-12 20-17C24-8 22 2 15 10Z"
    bells = "".join(disc(at, 3.0, "#e3a82b") for at in ((-20.5, -18.5), (0, -25.0), (20.5, -18.5)))
    band = fill("M-16.5 12.5H16.5V19H-16.5Z", "#e3a82b")
    small = moved(fill(cap, "#8a2f86"), -23.0, -35.0, scale=0.24)
    return moved(fill(cap, "#8a2f86") + band + bells, 0, 3) + _twice(small)


def _chevron(x: float) -> str:
    return fill(outline([(x - 9, -16), (x - 1, -16), (x + 10, 0), (x - 1, 16), (x - 9, 16), (x + 2, 0)]), _DARK)


def _skip() -> str:
    """Two chevrons that leap over a bar."""
    sign = _chevron(-11) + _chevron(5) + fill(outline([(17.5, -16), (23, -16), (23, 16), (17.5, 16)]), _DARK)
    return sign + _twice(moved(sign, -22.5, -36.0, scale=0.24))


def _reverse() -> str:
    """Two arrows side by side, one each way."""
    arrow = fill(outline([(-4, 20), (-4, -6), (-10, -6), (0, -21), (10, -6), (4, -6), (4, 20)]), _DARK)
    sign = moved(arrow, -11, 0) + moved(arrow, 11, 0, turn_deg=180)
    return sign + _twice(moved(sign, -24.0, -36.0, scale=0.24))


def _direction(*, clockwise: bool) -> str:
    """Three arrows round a ring: the way play goes. Clockwise is the front, the other way the back."""
    ink = "#1f6f8b" if clockwise else "#b5532a"
    way = 1 if clockwise else -1
    pieces = []
    for start in (-90.0, 30.0, 150.0):
        arc = [on_circle(19, start + way * 85 * i / 30) for i in range(31)]
        pieces.append(stroke(outline(arc, closed=False), ink, 5.0))
        tip = start + way * 112
        base = start + way * 84
        pieces.append(fill(outline([on_circle(12, base), on_circle(26, base), on_circle(19, tip)]), ink))
    return "".join(pieces) + disc((0, 0), 4.0, ink)


def _oubli() -> str:
    """A thought that holds nothing but a question."""
    ink = "#5b3f8f"
    puffs = (
        (-12.0, -6.0, 9.0),
        (0.0, -11.0, 10.5),
        (12.0, -6.0, 9.0),
        (11.0, 5.0, 8.5),
        (-10.0, 5.0, 8.5),
        (0.0, 6.0, 9.5),
    )
    cloud = "".join(disc((x, y), radius, ink) for x, y, radius in puffs) + disc((0, 0), 9.0, ink)
    trail = disc((-12, 19), 3.6, ink) + disc((-17, 26), 2.3, ink)
    return cloud + trail + text("?", (0, -2.5), 15, PAPER, 0.18) + _cost(ink)


def _cost(ink: str) -> str:
    """One point: what the card costs whoever holds it when the round ends."""
    return _twice(text("+1", (-23.0, -37.0), 7.0, ink, 0.16))
