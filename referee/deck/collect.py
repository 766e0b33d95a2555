"""A deck made from a folder of pictures that are named after their cards.

Belongs here: which file is which card, and whether its picture can be that card. The pictures are copied as
they are. Does not belong here: cutting a card out of a photograph of a table (calibration's).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from referee.deck.folder import Card, Deck, picture
from referee.deck.ids import BOX, is_legal, legal_ids
from referee.deck.write import PICTURE_SUFFIXES, NewCard, check_new_folder, id_of_stem, write_deck
from referee.errors import DeckError

# How far a picture's proportions may be off the card's: a hand-cut picture is rarely exact.
_PROPORTION_SLACK = 0.12
_USUAL_MM = {"jungle-speed": (60.0, 60.0)}
_POKER_MM = (63.0, 88.0)


@dataclass(frozen=True)
class DeckPlan:
    """What a new deck will be; see `plan_for` for what is usual for a game."""

    name: str
    game: str
    card_mm: tuple[float, float]
    read: Literal["symbol", "face"]


def plan_for(
    name: str,
    game: str,
    card_mm: tuple[float, float] | None = None,
    read: Literal["symbol", "face"] | None = None,
) -> DeckPlan:
    """A new deck's description, with the usual card size and reading of its game where none is given."""
    usual: Literal["symbol", "face"] = "symbol" if game == "jungle-speed" else "face"
    return DeckPlan(name, game, card_mm or _USUAL_MM.get(game, _POKER_MM), read or usual)


def usual_count(game: str, card_id: str) -> int:
    """How many of this card a whole box holds."""
    return BOX[game].get(card_id, 1)


def add_images(folder: Path, plan: DeckPlan, out: Path, *, force: bool = False) -> Deck:
    """Make a deck folder from pictures named after their ids (`knot+green.png`).

    Files that are no PNG, JPEG or WebP are left alone. Raises `DeckError` for a name that is no card of the
    game, a card with two pictures, a picture that cannot be read or has other proportions than the card, and
    when `out` is there already and `force` is not given; nothing is written then.
    """
    check_new_folder(out, force=force)
    found: dict[str, Path] = {}
    for path in picture_files(folder):
        card_id = id_of_stem(path.stem)
        if not is_legal(plan.game, card_id):
            known = f"{legal_ids(plan.game)} (with + for /)"
            raise DeckError(f"{path}: {card_id!r} is no card of {plan.game}, expected {known}")
        if card_id in found:
            raise DeckError(
                f"{path}: a second picture of {card_id!r} (the first is {found[card_id].name}), expected one"
            )
        check_picture(path, card_id, plan.card_mm)
        found[card_id] = path
    if not found:
        raise DeckError(f"{folder}: there is no picture in this folder, expected PNG, JPEG or WebP files")
    cards = [
        NewCard(card_id, usual_count(plan.game, card_id), path.read_bytes(), path.suffix.lower())
        for card_id, path in found.items()
    ]
    return write_deck(out, plan.name, plan.game, plan.card_mm, plan.read, cards, force=force)


def picture_files(folder: Path) -> list[Path]:
    """The pictures lying in a folder, by name; raises `DeckError` when it is no folder."""
    if not folder.is_dir():
        raise DeckError(f"{folder}: there is no such folder, expected one with pictures of the cards")
    paths = sorted(folder.iterdir())
    return [path for path in paths if path.suffix.lower() in PICTURE_SUFFIXES and not path.name.startswith(".")]


def check_picture(path: Path, card_id: str, card_mm: tuple[float, float]) -> None:
    """Raise `DeckError` unless the picture can be decoded and has the card's proportions, upright or not."""
    height, width = picture(Card(card_id, path, 1)).shape[:2]
    card = max(card_mm) / min(card_mm)
    if abs(max(width, height) / min(width, height) / card - 1) > _PROPORTION_SLACK:
        raise DeckError(
            f"{path}: the picture is {width}×{height} pixels, expected the proportions of a card of "
            f"{card_mm[0]:g}×{card_mm[1]:g} mm (is it the card alone? is --card-mm right?)"
        )
