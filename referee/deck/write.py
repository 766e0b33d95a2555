"""Deck folders written: `deck.toml` and the pictures beside it.

Belongs here: the file's text, picture names, and that nothing that exists is overwritten unasked.
Does not belong here: where pictures come from.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from referee.deck.folder import Deck, load_deck
from referee.errors import DeckError

# Names that file systems do not like, and what is written instead.
_SPELLED = {"1*": "1star"}
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_DECK_FILES = (".toml", *PICTURE_SUFFIXES)


@dataclass(frozen=True)
class NewCard:
    """A card on its way into a deck folder: its picture as the bytes of a file, and that file's suffix."""

    id: str
    count: int
    picture: bytes
    suffix: str = ".png"


def picture_stem(card_id: str) -> str:
    """The name of a card's picture, without suffix: `knot/green` → `knot+green`."""
    return _SPELLED.get(card_id, card_id.replace("/", "+"))


def id_of_stem(stem: str) -> str:
    """The id a picture's name means: `knot+green` → `knot/green`."""
    for card_id, spelled in _SPELLED.items():
        if stem == spelled:
            return card_id
    return stem.replace("+", "/")


def deck_toml(
    name: str, game: str, card_mm: tuple[float, float], read: str, cards: Iterable[tuple[str, str, int]]
) -> str:
    """The text of a deck.toml; each card is (id, picture's file name, count)."""
    lines = [
        f"name = {_quoted(name)}",
        f"game = {_quoted(game)}",
        f"card_mm = [{card_mm[0]!r}, {card_mm[1]!r}]",
        f"read = {_quoted(read)}",
    ]
    for card_id, image, count in cards:
        lines += ["", "[[card]]", f"id = {_quoted(card_id)}", f"image = {_quoted(image)}", f"count = {count}"]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    # Every JSON string is a TOML basic string, but for one character JSON leaves bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_deck(
    folder: Path,
    name: str,
    game: str,
    card_mm: tuple[float, float],
    read: str,
    cards: Iterable[NewCard],
    *,
    force: bool = False,
) -> Deck:
    """Make a deck folder and load it again; raises `DeckError` when the folder is there already.

    Everything is written beside the folder first and moved into place when it is whole and can be loaded.
    With `force` an older deck folder is replaced; a folder with anything else in it never is.
    """
    _may_be_written(folder, force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".deck-") as scratch:
        fresh = Path(scratch) / "deck"
        fresh.mkdir()
        rows = []
        for card in cards:
            image = picture_stem(card.id) + card.suffix
            (fresh / image).write_bytes(card.picture)
            rows.append((card.id, image, card.count))
        (fresh / "deck.toml").write_text(deck_toml(name, game, card_mm, read, rows), encoding="utf-8")
        try:
            load_deck(fresh)
        except DeckError as error:
            raise DeckError(str(error).replace(str(fresh), str(folder))) from error
        _put_in_place(fresh, folder, Path(scratch) / "old")
    return load_deck(folder)


def _put_in_place(fresh: Path, folder: Path, old: Path) -> None:
    """Rename the fresh folder to its name; the old one gives way, and comes back when that fails."""
    replaces = folder.exists()
    if replaces:
        folder.rename(old)
    try:
        fresh.rename(folder)
    except OSError:
        if replaces:
            old.rename(folder)
        raise


def _may_be_written(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise DeckError(f"{folder}: this is a file, expected the name of a new deck folder")
    if not any(folder.iterdir()):
        return
    strangers = [path for path in folder.iterdir() if path.suffix.lower() not in _DECK_FILES or path.is_dir()]
    if strangers or not (folder / "deck.toml").is_file():
        raise DeckError(f"{folder}: there is something else in this folder, expected a new or an empty one")
    if not force:
        raise DeckError(f"{folder}: there is a deck already, give --force to replace it")
