"""Card ids of Jungle Speed: what a face shows.

Belongs here: taking an id apart into shape, colour and kind of arrow. Does not belong here: decks (which cards
there are, how many), or anything about a table.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

Card = str | None
"""A card id, `?` for a card that was seen but not read, or None for a card nobody has seen."""

UNREADABLE = "?"

_SYMBOL = re.compile(r"([a-z0-9-]+)/([a-z0-9-]+)")
_ARROWS = {"arrow/in": "in", "arrow/out": "out", "arrow/colour": "colour"}


class Face(NamedTuple):
    """What a card shows; arrow cards and unknown cards have neither shape nor colour (JS-23)."""

    shape: str | None
    colour: str | None
    arrow: str | None


BLANK = Face(None, None, None)


@lru_cache(maxsize=4096)
def face(card: Card) -> Face:
    """What a card shows; an unknown card and `?` show nothing."""
    if card is None or card == UNREADABLE:
        return BLANK
    if (arrow := _ARROWS.get(card)) is not None:
        return Face(None, None, arrow)
    match = _SYMBOL.fullmatch(card)
    return Face(match[1], match[2], None) if match else BLANK


@lru_cache(maxsize=4096)
def in_deck(card: str) -> bool:
    """Whether an id can be in a Jungle Speed deck: any `shape/colour`, the three arrows, or `?`."""
    if card == UNREADABLE or card in _ARROWS:
        return True
    match = _SYMBOL.fullmatch(card)
    return match is not None and match[1] != "arrow"
