"""Draws our decks anew: `python -m referee.deck.draw [--out FOLDER] [--contact FOLDER] [DECK…]`.

Makes the deck folders that ship (`referee/data/decks`) and, with `--contact`, one small picture a deck that
shows all its cards, for the documentation.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from referee.deck.draw.catalogue import NAMES, drawing
from referee.deck.draw.drawing import DeckDrawing
from referee.deck.draw.picture import card_picture, card_png, small_png
from referee.deck.write import NewCard, write_deck

_SHIPPED = Path(__file__).resolve().parents[2] / "data" / "decks"
_CONTACT_PX_PER_MM = 1.35


def new_cards(deck: DeckDrawing) -> list[NewCard]:
    """The deck's cards with their pictures made."""
    return [NewCard(card.id, card.count, card_png(deck.card_mm, card.front)) for card in deck.cards]


def contact_sheet(deck: DeckDrawing, columns: int) -> Image.Image:
    """All cards of a deck in one picture, on grey; the other side of a card stands after its front."""
    sides = [side for card in deck.cards for side in (card.front, card.back) if side is not None]
    faces = [card_picture(deck.card_mm, side, _CONTACT_PX_PER_MM) for side in sides]
    (width_px, height_px), gap = faces[0].size, 4
    rows = -(-len(faces) // columns)
    size = (columns * (width_px + gap) + gap, rows * (height_px + gap) + gap)
    sheet = Image.new("RGB", size, (150, 150, 150))
    for place, face in enumerate(faces):
        row, column = divmod(place, columns)
        sheet.paste(face, (gap + column * (width_px + gap), gap + row * (height_px + gap)))
    return sheet


def main() -> None:
    """Draw the decks named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m referee.deck.draw", description=__doc__)
    parser.add_argument("decks", nargs="*", metavar="DECK", help=f"of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--out", type=Path, default=_SHIPPED, help="where the deck folders go")
    parser.add_argument("--contact", type=Path, help="a folder for one picture a deck of all its cards")
    arguments = parser.parse_args()
    for name in arguments.decks or NAMES:
        deck = drawing(name)
        folder = arguments.out / name
        write_deck(folder, deck.name, deck.game, deck.card_mm, deck.read, new_cards(deck), force=True)
        print(f"{folder}: {len(deck.cards)} pictures")
        if arguments.contact is not None:
            arguments.contact.mkdir(parents=True, exist_ok=True)
            columns = 13 if name in ("52", "totem-rush") else 9
            sheet = arguments.contact / f"deck-{name}.png"
            sheet.write_bytes(small_png(contact_sheet(deck, columns), 64))
            print(sheet)


if __name__ == "__main__":
    main()
