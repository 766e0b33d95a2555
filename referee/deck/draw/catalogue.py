"""The decks we draw, by the word that follows `builtin:`."""

from __future__ import annotations

from referee.deck.draw import bluff, dobro, fifty_two, totem_rush
from referee.deck.draw.drawing import DeckDrawing
from referee.errors import DeckError

_DECKS = {
    "52": fifty_two.deck,
    "dobro": dobro.deck,
    "jungle-bluff": bluff.deck,
    "totem-rush": totem_rush.deck,
}
NAMES = tuple(_DECKS)


def drawing(builtin: str) -> DeckDrawing:
    """The drawn deck of this name; raises `DeckError` when we draw none."""
    if builtin not in _DECKS:
        raise DeckError(f"builtin:{builtin}: no such deck is drawn by us, expected one of {', '.join(NAMES)}")
    return _DECKS[builtin]()
