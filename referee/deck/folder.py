"""A deck folder: `deck.toml` and one picture per different card (formats.md, "Deck").

Written rules of this module:
- a deck is refused as a whole, with one sentence that names the file, the key and what was expected;
- every picture is looked at when the deck is loaded (is it there, is it a picture, how large), but decoded
  only when asked for;
- a picture lies inside its deck's folder: a deck somebody sends you reads nothing else of your disk.
Does not belong here: making deck folders (`write`), comparing cards (`near`), cameras.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from referee.deck.ids import game_name, is_legal, legal_ids, shape_and_colour
from referee.deck.pictures import picture_size, read_picture
from referee.errors import DeckError
from referee.resources import resource

__all__ = ["BUILTIN", "Card", "Deck", "load_deck", "picture", "resolve_deck", "shape_and_colour"]

BUILTIN = ("52", "dobro", "jungle-bluff", "totem-rush")
CARD_MM = (20.0, 300.0)
MOST_COPIES = 200
MOST_CARDS = 1_000
LARGEST_TOML_BYTES = 1 << 20


@dataclass(frozen=True)
class Card:
    """One different card of a deck: its id, its picture's path and how many copies the box holds."""

    id: str
    image: Path
    count: int


@dataclass(frozen=True)
class Deck:
    """The cards of one box; `card_mm` is width and height, `read` says what of a card is its identity."""

    name: str
    game: str
    card_mm: tuple[float, float]
    read: Literal["symbol", "face"]
    cards: tuple[Card, ...]
    folder: Path

    def __hash__(self) -> int:
        """By what tells decks apart: hashing every card took longer than what is kept by deck takes to make."""
        return hash((self.name, self.folder))

    def card(self, card_id: str) -> Card:
        """The card of this id; raises `DeckError` when the deck has none."""
        for card in self.cards:
            if card.id == card_id:
                return card
        raise DeckError(f"{self.folder}: there is no card {card_id!r} in this deck")


def resolve_deck(name: str) -> Deck:
    """The deck `--deck` means: `builtin:NAME` for one that ships, anything else is a deck folder.

    Raises `DeckError`.
    """
    if not name.startswith("builtin:"):
        return load_deck(Path(name))
    builtin = name.removeprefix("builtin:")
    if builtin not in BUILTIN:
        raise DeckError(
            f"{name}: no such deck ships with the referee, expected builtin: and one of {', '.join(BUILTIN)}"
        )
    return load_deck(resource(f"decks/{builtin}"))


def load_deck(folder: Path) -> Deck:
    """The deck kept in a folder; raises `DeckError` naming the file, the key and what was expected."""
    path = folder / "deck.toml"
    table = _read_toml(path)
    game = _game(path, table)
    rows = _value(path, table, "card", list, "at least one [[card]]")
    if not 1 <= len(rows) <= MOST_CARDS:
        raise _wrong(path, "card", f"1 to {MOST_CARDS} tables [[card]]")
    cards: dict[str, Card] = {}
    for place, row in enumerate(rows, start=1):
        card = _card(path, folder, game, place, row)
        if card.id in cards:
            raise _wrong(path, f"card {place}, id", f"every id once, {card.id!r} stands there twice")
        cards[card.id] = card
    return Deck(_name(path, table), game, _card_mm(path, table), _read(path, table), tuple(cards.values()), folder)


def picture(card: Card) -> NDArray[np.uint8]:
    """The card's picture, H×W×3, BGR, as stored; what is transparent in it is white paper.

    Raises `DeckError` when it cannot be decoded.
    """
    try:
        return read_picture(card.image)
    except (DeckError, OSError) as error:
        raise DeckError(f"the picture of {card.id} cannot be used: {error}") from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_TOML_BYTES:
            raise DeckError(f"{path}: larger than {LARGEST_TOML_BYTES} bytes, expected a deck description")
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DeckError(f"{path}: there is no such file, expected a deck folder with a deck.toml in it") from error
    except OSError as error:
        raise DeckError(f"{path}: cannot be read ({_short(error)})") from error
    except UnicodeDecodeError as error:
        raise DeckError(f"{path}: not UTF-8 text (byte {error.start}), expected a TOML file") from error
    except DeckError:
        raise
    except (ValueError, RecursionError) as error:
        raise DeckError(f"{path}: not TOML ({_short(error)})") from error


def _card(path: Path, folder: Path, game: str, place: int, row: object) -> Card:
    where = f"card {place}"
    if not isinstance(row, dict):
        raise _wrong(path, where, "a table [[card]]")
    card_id = _value(path, row, "id", str, f"one of {legal_ids(game)}", where)
    if not is_legal(game, card_id):
        raise _wrong(path, f"{where}, id", f"{legal_ids(game)} (cards of {game}), found {card_id!r}")
    name = _value(path, row, "image", str, "the file name of a picture in the folder", where)
    count = row.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_COPIES:
        raise _wrong(path, f"{where}, count", f"a whole number from 1 to {MOST_COPIES}, found {_short(count)!r}")
    image = _inside(path, folder, name, f"{where}, image")
    try:
        picture_size(image)
    except DeckError as error:
        raise DeckError(f"{path}: {where} ({card_id}), image: {error}") from error
    return Card(card_id, image, count)


def _inside(path: Path, folder: Path, name: str, key: str) -> Path:
    """The picture's path when it lies in the folder, links followed."""
    expected = f"a picture inside the deck's folder, found {_short(name)!r}"
    if not name or not name.isprintable() or Path(name).is_absolute():
        raise _wrong(path, key, expected)
    image = folder / name
    try:
        lies_inside = image.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:
        raise _wrong(path, key, expected) from error
    if not lies_inside:
        raise _wrong(path, key, expected)
    return image


def _name(path: Path, table: dict[str, Any]) -> str:
    name: str = _value(path, table, "name", str, "the deck's name")
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise _wrong(path, "name", "1 to 100 printable characters")
    return name


def _game(path: Path, table: dict[str, Any]) -> str:
    known = "one of jungle-speed, speed (or 52), dobro, jungle-bluff"
    word: str = _value(path, table, "game", str, known)
    game = game_name(word)
    if game is None:
        raise _wrong(path, "game", f"{known}, found {_short(word)!r}")
    return game


def _card_mm(path: Path, table: dict[str, Any]) -> tuple[float, float]:
    low, high = CARD_MM
    expected = f"[width, height], two numbers of millimetres from {low:g} to {high:g}"
    pair = _value(path, table, "card_mm", list, expected)
    if len(pair) != 2:
        raise _wrong(path, "card_mm", expected)
    sides: list[float] = []
    for side in pair:
        # `not low <= side` also turns away NaN.
        if isinstance(side, bool) or not isinstance(side, int | float) or not low <= side <= high:
            raise _wrong(path, "card_mm", f"{expected}, found {_short(side)}")
        sides.append(float(side))
    return sides[0], sides[1]


def _read(path: Path, table: dict[str, Any]) -> Literal["symbol", "face"]:
    match table.get("read"):
        case "symbol":
            return "symbol"
        case "face":
            return "face"
        case other:
            raise _wrong(path, "read", f'"symbol" or "face", found {_short(other)!r}')


def _value(path: Path, table: dict[str, Any], key: str, kind: type, expected: str, where: str = "") -> Any:
    value = table.get(key)
    if not isinstance(value, kind):
        found = "it is missing" if value is None else f"found {_short(value)!r}"
        raise _wrong(path, f"{where}, {key}" if where else key, f"{expected}, {found}")
    return value


def _wrong(path: Path, key: str, expected: str) -> DeckError:
    return DeckError(f"{path}: {key}: expected {expected}")


def _short(value: object) -> str:
    text = str(value).splitlines()[0] if str(value) else ""
    return text if len(text) <= 80 else text[:79] + "…"
