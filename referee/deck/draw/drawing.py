"""What a drawn deck is: its cards as SVG bodies in millimetres, from the card's top left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PAPER = "#ffffff"


@dataclass(frozen=True)
class CardDrawing:
    """One different card: its front, and its other side where that is not the deck's common back."""

    id: str
    count: int
    front: str
    back: str | None = None


@dataclass(frozen=True)
class DeckDrawing:
    """A whole drawn deck; `builtin` is the word after `builtin:`, `card_mm` is width and height."""

    builtin: str
    name: str
    game: str
    card_mm: tuple[float, float]
    read: Literal["symbol", "face"]
    cards: tuple[CardDrawing, ...]
