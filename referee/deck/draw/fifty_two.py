"""A pack of 52 with large indices: pips in the usual places, court cards of plain shapes.

Drawn for a referee that looks from above: the index is as large as the corner allows and says everything, and
the four suits have four colours, so that a heart and a diamond differ in more than their outline.
"""

from __future__ import annotations

from referee.deck.draw.drawing import CardDrawing, DeckDrawing
from referee.deck.draw.glyphs import text
from referee.deck.draw.svg import disc, fill, moved, outline, rectangle, stroke
from referee.deck.ids import RANKS, SUITS

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
INKS = {"S": "#1d1f2b", "H": "#c62232", "D": "#d9641a", "C": "#14694a"}
_GOLD = "#e3a82b"

_HEART = (
    "M0 92C-45 48-98 12-98-36C-98-70-75-92-48-92C-25-92-8-76 0-52C8-76 25-92 48-92C75-92 98-70 98-36C98 12 45 48 0 92Z"
)
_DIAMOND = "M0-100Q26-44 74 0Q26 44 0 100Q-26 44-74 0Q-26-44 0-100Z"
_STEM = "M0 20Q-4 76-34 98H34Q4 76 0 20Z"
# Columns and rows of the pips, in millimetres from the card's middle, for the upper half and the middle line;
# what lies below is the upper half turned.
_LEFT, _RIGHT = -8.5, 8.5
_PIP_MM = 11.0
_PIPS: dict[str, tuple[list[tuple[float, float]], list[tuple[float, float]]]] = {
    "2": ([(0, -26)], []),
    "3": ([(0, -26)], [(0, 0)]),
    "4": ([(_LEFT, -26), (_RIGHT, -26)], []),
    "5": ([(_LEFT, -26), (_RIGHT, -26)], [(0, 0)]),
    "6": ([(_LEFT, -26), (_RIGHT, -26)], [(_LEFT, 0), (_RIGHT, 0)]),
    "7": ([(_LEFT, -26), (_RIGHT, -26)], [(_LEFT, 0), (_RIGHT, 0), (0, -13)]),
    "8": ([(_LEFT, -26), (_RIGHT, -26), (0, -13)], [(_LEFT, 0), (_RIGHT, 0)]),
    "9": ([(_LEFT, -28), (_RIGHT, -28), (_LEFT, -10), (_RIGHT, -10)], [(0, 0)]),
    "10": ([(_LEFT, -28), (_RIGHT, -28), (_LEFT, -9.5), (_RIGHT, -9.5), (0, -18.8)], []),
}


def deck() -> DeckDrawing:
    """The 52 cards, once each."""
    cards = tuple(CardDrawing(rank + suit, 1, _face(rank, suit)) for suit in SUITS for rank in RANKS)
    return DeckDrawing("52", "Referee 52", "speed", (WIDTH_MM, HEIGHT_MM), "face", cards)


def _suit(suit: str, x: float, y: float, size: float) -> str:
    """A suit's sign, `size` mm from top to bottom, about (x, y)."""
    ink = INKS[suit]
    match suit:
        case "H":
            body = fill(_HEART, ink)
        case "D":
            body = fill(_DIAMOND, ink)
        case "S":
            body = moved(moved(fill(_HEART, ink), 0, 0, turn_deg=180, scale=0.86), 0, -18) + fill(_STEM, ink)
        case _:
            body = disc((0, -52), 44, ink) + disc((-50, 22), 44, ink) + disc((50, 22), 44, ink) + fill(_STEM, ink)
            body += disc((0, 0), 26, ink)
    return moved(body, x, y, scale=size / 200)


def _face(rank: str, suit: str) -> str:
    middle = _pips(rank, suit) if rank in _PIPS else _ace(suit) if rank == "A" else _court(rank, suit)
    return moved(
        _index(rank, suit) + moved(_index(rank, suit), 0, 0, turn_deg=180) + middle,
        WIDTH_MM / 2,
        HEIGHT_MM / 2,
    )


def _index(rank: str, suit: str) -> str:
    """Rank above suit in the top left corner."""
    x = -23.6
    if rank == "10":
        # Two digits in the room of one: narrower, not lower.
        sign = text("1", (x - 3.0, -33.5), 11.5, INKS[suit], 0.15) + text("0", (x + 3.9, -33.5), 11.5, INKS[suit], 0.15)
    else:
        sign = text(rank, (x, -33.5), 11.5, INKS[suit], 0.16)
    return sign + _suit(suit, x, -20.0, 9.0)


def _pips(rank: str, suit: str) -> str:
    upper, rest = _PIPS[rank]
    half = "".join(_suit(suit, x, y, _PIP_MM) for x, y in upper)
    return half + moved(half, 0, 0, turn_deg=180) + "".join(_suit(suit, x, y, _PIP_MM) for x, y in rest)


def _ace(suit: str) -> str:
    return _suit(suit, 0, 0, 40)


def _court(rank: str, suit: str) -> str:
    """A headdress over the suit's sign, and the same turned: a cap, a diadem or a crown."""
    ink = INKS[suit]
    match rank:
        case "J":
            head = fill("M-10 4H10L7-6C2-10-6-9-9-3Z", ink) + stroke("M6-4C11-7 13-11 11-15", _GOLD, 2.0)
        case "Q":
            head = fill("M-11 4Q0 8 11 4L9-4Q0 0-9-4Z", ink)
            head += "".join(disc(at, 2.3, _GOLD) for at in ((-9, -7.5), (0, -6), (9, -7.5)))
        case _:
            points = [(-11, 4), (11, 4), (13, -12), (6, -4), (0, -15), (-6, -4), (-13, -12)]
            head = fill(outline([(float(x), float(y)) for x, y in points]), ink) + rectangle(-11, 5.5, 22, 3, _GOLD)
    half = moved(head, 0, -20)
    letter = text(rank, (0, 0), 13, ink, 0.14)
    frame = stroke("M-16-36H16V36H-16Z", ink, 0.7)
    signs = _suit(suit, -9.5, -7, 7) + _suit(suit, 9.5, 7, 7)
    return frame + half + moved(half, 0, 0, turn_deg=180) + letter + signs
