"""The back of our cards: the same either way up, and like no card's front.

A dark field that runs out over the card's edge, a light frame, and two spools standing foot to foot, after
the totem of turned wood that this referee feels.
"""

from __future__ import annotations

from referee.deck.draw.svg import fill, moved, outline, rectangle, stroke

BLEED_MM = 2.0
_LIGHT = "#f4efe2"
_FIELDS = {"52": "#3b2f63", "dobro": "#7a2f3a", "jungle-bluff": "#1f4a38", "totem-rush": "#20304f"}
_PLAIN = "#3c4450"


def field(card_mm: tuple[float, float], builtin: str | None) -> str:
    """The dark field with its bleed, from the card's top left corner; it goes below all motifs of a page."""
    width, height = card_mm
    colour = _FIELDS.get(builtin or "", _PLAIN)
    return rectangle(-BLEED_MM, -BLEED_MM, width + 2 * BLEED_MM, height + 2 * BLEED_MM, colour)


def motif(card_mm: tuple[float, float]) -> str:
    """Frame and spools, from the card's top left corner."""
    width, height = card_mm
    inset = 4.0
    frame = outline([(inset, inset), (width - inset, inset), (width - inset, height - inset), (inset, height - inset)])
    scale = min(width, height) / 60
    spool = moved(fill(_SPOOL, _LIGHT), 0, -1.2)
    pair = spool + moved(spool, 0, 0, turn_deg=180)
    lines = "".join(
        stroke(outline([(-22 + 3 * i, side * 1.2), (-20 + 3 * i, side * 4)], closed=False), _LIGHT, 0.7)
        for i in range(5)
        for side in (-1, 1)
    )
    sides = lines + moved(lines, 0, 0, turn_deg=180)
    return stroke(frame, _LIGHT, 0.8) + moved(pair + sides, width / 2, height / 2, scale=scale)


# A turned spool standing on the card's middle line, 21 mm high: foot, waist, head.
_SPOOL = "M-9 0H9V-3.2L5-6.4L3.6-13.6L8-17V-21H-8V-17L-3.6-13.6L-5-6.4L-9-3.2Z"
