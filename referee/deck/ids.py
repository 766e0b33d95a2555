"""Which card ids there are in each game, and what an id says.

Belongs here: the ids of formats.md ("Card ids") and how many of each card a box of the game holds.
Does not belong here: pictures, folders, what a card does in its game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")
ARROWS = ("arrow/in", "arrow/out", "arrow/colour")

# Shape and colour are free words; they become file names, so nothing a file system or a shell could mistake.
_WORD = r"[^\W_](?:[\w.' -]{0,62}[\w.'-])?"
_SYMBOL = re.compile(rf"(?P<shape>{_WORD})/(?P<colour>{_WORD})")
_PLAYING_CARD = re.compile(rf"(?P<rank>{'|'.join(RANKS)})(?P<suit>[{''.join(SUITS)}])")

# Dobro: the box of rules/dobro.md G-02 (50 numbers, 3 jokers, 2 skips, 2 reverses, and the two markers).
_DOBRO = {
    **{str(value): copies for value, copies in zip(range(2, 13), (5, 6, 6, 6, 6, 5, 4, 3, 3, 3, 3), strict=True)},
    "joker": 3,
    "skip": 2,
    "reverse": 2,
    "direction": 1,
    "oubli": 1,
}
# Jungle Bluff for eight: a series of 1-10 a player (JB-01) and one nobody plays with for the first centre
# (JB-02), so nine of each number; the advanced 1*, 5r and 10a once a player (rules/jungle-bluff.md G-02).
_BLUFF = {**{str(value): 9 for value in range(1, 11)}, "1*": 8, "5r": 8, "10a": 8}
_FIFTY_TWO = {rank + suit: 1 for suit in SUITS for rank in RANKS}

# What a whole box holds, id by id; Jungle Speed's shapes have free names, so only its arrows stand here.
BOX: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "jungle-speed": MappingProxyType({"arrow/in": 3, "arrow/out": 3, "arrow/colour": 2}),
        "speed": MappingProxyType(_FIFTY_TWO),
        "dobro": MappingProxyType(_DOBRO),
        "jungle-bluff": MappingProxyType(_BLUFF),
    }
)
GAMES = tuple(BOX)
# People call the pack by its size as readily as by the game played with it.
_OTHER_NAMES = {"52": "speed"}


def game_name(word: str) -> str | None:
    """The game a word means (`speed` for `52`), or None when we know no such game."""
    name = _OTHER_NAMES.get(word, word)
    return name if name in BOX else None


def is_legal(game: str, card_id: str) -> bool:
    """Whether a deck of this game may hold a card of this id; `back` and `?` are never cards of a deck."""
    if game != "jungle-speed":
        return card_id in BOX[game]
    if card_id in ARROWS:
        return True
    match = _SYMBOL.fullmatch(card_id)
    return match is not None and match["shape"] != "arrow"


def legal_ids(game: str) -> str:
    """The legal ids of a game in words, for the end of an error's sentence."""
    return {
        "jungle-speed": "SHAPE/COLOUR, arrow/in, arrow/out or arrow/colour",
        "speed": "a rank A 2-10 J Q K and a suit S H D C, as in 10S",
        "dobro": "2 to 12, joker, skip, reverse, direction or oubli",
        "jungle-bluff": "1 to 10, 1*, 5r or 10a",
    }[game]


def shape_and_colour(card_id: str) -> tuple[str, str | None]:
    """What decides about a card, and what is told on its own: `knot/green` → (`knot`, `green`).

    Playing cards give rank and suit (`10S` → (`10`, `S`)); arrows and cards without a colour give their whole
    id and None (`arrow/in` → (`arrow/in`, None), `joker` → (`joker`, None)).
    """
    if card_id in ARROWS:
        return card_id, None
    symbol = _SYMBOL.fullmatch(card_id)
    if symbol is not None:
        return symbol["shape"], symbol["colour"]
    playing = _PLAYING_CARD.fullmatch(card_id)
    if playing is not None:
        return playing["rank"], playing["suit"]
    return card_id, None


def corner_sign(game: str, card_id: str) -> str | None:
    """What stands in the corners of any maker's card of this id, or None where makers differ or print pictures.

    Ranks of playing cards, numbers, and `joker`: `10S` → `10`, `5r` → `5`, `skip` → None.
    """
    match game:
        case "speed":
            return shape_and_colour(card_id)[0]
        case "jungle-bluff":
            return card_id.rstrip("*ra")
        case "dobro":
            return card_id if card_id.isdecimal() or card_id == "joker" else None
        case _:
            return None
