"""Our own letters and digits, as strokes: no card and no printed sheet depends on a font.

Each glyph is path data in a box 60 wide and 100 high (y down, 100 is the base line). The 6 is curved all the
way and the 9 stands on a straight leg, so that neither is the other turned upside down.
"""

from __future__ import annotations

import unicodedata

from referee.deck.draw.svg import moved, stroke

GLYPHS: dict[str, str] = {
    "0": "M30 0C52 0 60 22 60 50C60 78 52 100 30 100C8 100 0 78 0 50C0 22 8 0 30 0Z",
    "1": "M8 22L34 0V100M10 100H58",
    "2": "M2 28C2 9 14 0 30 0C48 0 58 12 58 28C58 50 30 68 2 100H60",
    "3": "M2 14C10 4 20 0 30 0C48 0 56 11 56 24C56 39 44 47 24 47"
    "M24 47C46 47 60 57 60 74C60 90 48 100 30 100C15 100 5 94 0 84",
    "4": "M44 100V0L0 70H60",
    "5": "M54 0H10L6 44C14 38 21 36 30 36C50 36 60 50 60 67C60 88 46 100 28 100C14 100 6 95 0 87",
    "6": "M50 2C22 14 2 40 2 68C2 88 14 100 31 100C48 100 60 87 60 70C60 52 48 42 32 42C18 42 6 52 3 64",
    "7": "M0 0H60L22 100",
    "8": "M30 47C14 47 5 37 5 24C5 10 15 0 30 0C45 0 55 10 55 24C55 37 46 47 30 47"
    "C12 47 0 58 0 74C0 90 12 100 30 100C48 100 60 90 60 74C60 58 48 47 30 47Z",
    "9": "M58 30C58 12 46 0 30 0C13 0 2 13 2 30C2 47 13 58 30 58C46 58 58 47 58 30M58 0V100",
    "A": "M0 100L30 0L60 100M11 66H49",
    "B": "M4 0V100M4 0H32C46 0 54 10 54 23C54 37 46 47 32 47H4M32 47C50 47 60 58 60 73C60 90 50 100 32 100H4",
    "C": "M58 18C52 6 43 0 32 0C12 0 0 22 0 50C0 78 12 100 32 100C43 100 52 94 58 82",
    "D": "M4 0V100H26C48 100 60 80 60 50C60 20 48 0 26 0Z",
    "E": "M56 0H4V100H58M4 48H46",
    "F": "M56 0H4V100M4 48H46",
    "G": "M58 18C52 6 43 0 32 0C12 0 0 22 0 50C0 78 12 100 32 100C46 100 56 94 60 86V54H36",
    "H": "M4 0V100M56 0V100M4 48H56",
    "I": "M10 0V100",
    "J": "M20 0H56M44 0V72C44 90 36 100 22 100C8 100 0 92 0 78",
    "K": "M4 0V100M58 0L4 62M22 42L60 100",
    "L": "M4 0V100H56",
    "M": "M2 100V0L30 58L58 0V100",
    "N": "M4 100V0L56 100V0",
    "O": "M30 0C50 0 60 22 60 50C60 78 50 100 30 100C10 100 0 78 0 50C0 22 10 0 30 0Z",
    "P": "M4 100V0H30C48 0 58 11 58 27C58 43 48 54 30 54H4",
    "Q": "M30 0C50 0 60 22 60 50C60 78 50 100 30 100C10 100 0 78 0 50C0 22 10 0 30 0ZM36 72L62 106",
    "R": "M4 100V0H30C48 0 56 11 56 26C56 42 48 52 30 52H4M30 52L60 100",
    "S": "M56 14C50 4 41 0 30 0C14 0 4 10 4 24C4 54 60 42 60 74C60 90 48 100 30 100C16 100 6 95 0 84",
    "T": "M0 0H60M30 0V100",
    "U": "M4 0V64C4 88 14 100 30 100C46 100 56 88 56 64V0",
    "V": "M0 0L30 100L60 0",
    "W": "M0 0L14 100L30 34L46 100L60 0",
    "X": "M2 0L58 100M58 0L2 100",
    "Y": "M0 0L30 50L60 0M30 50V100",
    "Z": "M2 0H58L2 100H60",
    "α": "M60 34C50 72 40 98 22 98C8 98 0 84 0 66C0 47 10 33 24 33C42 33 48 64 62 98",
    "?": "M4 24C6 8 16 0 30 0C46 0 56 10 56 25C56 46 30 48 30 70M30 98V100",
    ".": "M8 99V100",
    ",": "M10 98L4 114",
    ":": "M8 40V41M8 90V91",
    "-": "M4 54H40",
    "+": "M2 54H58M30 26V82",
    "/": "M2 108L50 -6",
    "%": "M4 100L56 0M14 4C6 4 2 12 2 20C2 28 6 36 14 36C22 36 26 28 26 20C26 12 22 4 14 4Z"
    "M46 64C38 64 34 72 34 80C34 88 38 96 46 96C54 96 58 88 58 80C58 72 54 64 46 64Z",
    "'": "M8 0L6 22",
    "(": "M22 -8C2 26 2 74 22 108",
    ")": "M2 -8C22 26 22 74 2 108",
}
_WIDTHS = {"I": 20, ".": 16, ",": 16, ":": 16, "'": 16, "-": 44, "(": 24, ")": 24, " ": 34}
_GAP = 24


def text_width(words: str, height: float) -> float:
    """How wide `text` comes out, between the centre lines of its first and last strokes, in millimetres."""
    advances = [_WIDTHS.get(letter, 60) for letter in drawn_letters(words)]
    return (sum(advances) + _GAP * (len(advances) - 1)) * height / 100 if advances else 0.0


def text(
    words: str, at: tuple[float, float], height: float, colour: str, weight: float = 0.12, anchor: float = 0.5
) -> str:
    """Words as strokes, `height` mm high; `at` is the middle of their height.

    `weight` is the stroke's width as a share of the height; `anchor` says which point of the width stands at
    `at` (0 its left end, 0.5 its middle, 1 its right end). Letters we do not draw are left out.
    """
    x = at[0] - anchor * text_width(words, height)
    pieces = []
    for letter in drawn_letters(words):
        if letter in GLYPHS:
            pieces.append(
                moved(stroke(GLYPHS[letter], colour, weight * 100), x, at[1] - height / 2, scale=height / 100)
            )
        x += (_WIDTHS.get(letter, 60) + _GAP) * height / 100
    return "".join(pieces)


def drawn_letters(words: str) -> str:
    """The words in capitals, without accents and without what has no glyph."""
    plain = unicodedata.normalize("NFKD", words)
    return "".join(c for c in (c if c in GLYPHS else c.upper() for c in plain) if c in GLYPHS or c == " ")
