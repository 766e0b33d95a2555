"""From a written sentence to phrases a voice can say.

Belongs here: names as they are said, signs that are not spoken, cutting into phrases. Does not belong here: the
sentences themselves, or any engine.

Facts this rests on: SVOX Pico hangs on a token of some hundred letters and takes `<…>` for markup; both engines spell
a name written in capitals, and say nothing at all for letters of a script they do not know.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

LONGEST_PHRASE = 160
LONGEST_TOKEN = 32
LONGEST_NAME = 40

_SUITS = {
    "en": {"♠": "of spades", "♥": "of hearts", "♦": "of diamonds", "♣": "of clubs"},
    "fr": {"♠": "de pique", "♥": "de cœur", "♦": "de carreau", "♣": "de trèfle"},
}
_RANKS = {
    "en": {"A": "ace", "J": "jack", "Q": "queen", "K": "king"},
    "fr": {"A": "as", "V": "valet", "D": "dame", "R": "roi"},
}
_SOMEBODY = {"en": "player {}", "fr": "joueur {}"}
_PLACE = {"en": "number {}: ", "fr": "numéro {} : "}
_VOWELS = frozenset("AEIOUY")
_CARD = re.compile(r"\b(10|[2-9AJQKVDR])([♠♥♦♣])")
_RANKED = re.compile(r"(?:(?<=^)|(?<=; )|(?<=\. ))(\d+)\. ")
_END = re.compile(r"(?<=[.?!])\s+")


def said_names(players: Sequence[str], language: str, pronounce: Mapping[str, str]) -> dict[str, str]:
    """How each player's name is said: as `pronounce` has it, else the name without what no voice can say."""
    return {name: _said_name(pronounce.get(name, name), seat, language) for seat, name in enumerate(players, 1)}


def _said_name(name: str, seat: int, language: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    plain = "".join(c if c.isalnum() or unicodedata.category(c) == "Mn" or c in " '’-" else " " for c in plain)
    words = [_word(word) for word in plain.split()]
    said = " ".join(words)[:LONGEST_NAME].strip()
    sayable = any(c.isdecimal() or unicodedata.name(c, "").startswith("LATIN") for c in said)
    return said if sayable else _SOMEBODY[language].format(seat)


def _word(word: str) -> str:
    return word.capitalize() if len(word) > 2 and word.isupper() and _VOWELS & set(word) else word


def phrases(sentence: str, language: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """The phrases of a sentence in the order they are said; each is short enough to be rendered by itself."""
    named = _with_names(sentence, names)
    cards = _CARD.sub(lambda found: _card(found[1], found[2], language), named)
    ranked = _RANKED.sub(lambda found: _PLACE[language].format(found[1]), cards)
    return tuple(part for piece in _END.split(ranked) for part in _pieces(_plain(piece)))


def _with_names(sentence: str, names: Mapping[str, str]) -> str:
    changed = sorted((name for name, said in names.items() if name != said), key=len, reverse=True)
    if not changed:
        return sentence
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in changed)
    return re.sub(pattern, lambda found: names[found[0]], sentence)


def _card(rank: str, suit: str, language: str) -> str:
    return f"{_RANKS[language].get(rank, rank)} {_SUITS[language][suit]}"


def _plain(text: str) -> str:
    """Text without signs: what stays is letters, numbers and the marks that make a pause."""
    text = re.sub(r"\s*[;=()]\s*", ", ", text).replace("’", "'")
    text = "".join(c if c.isalnum() or unicodedata.category(c) == "Mn" or c in " ,.?!:'-" else " " for c in text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(?:,\s*)+([,.?!])", r"\1", re.sub(r"\s+([,.])", r"\1", text))
    return text.strip(" ,")


def _pieces(text: str) -> list[str]:
    """A phrase cut where it is longer than an engine should be given, at a comma or else at a space."""
    words = [
        word[start : start + LONGEST_TOKEN] for word in text.split() for start in range(0, len(word), LONGEST_TOKEN)
    ]
    pieces: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > LONGEST_PHRASE:
            cut = line.rfind(", ") + 1
            keep, line = (line[:cut], line[cut:].strip()) if cut > LONGEST_PHRASE // 2 else (line, "")
            pieces.append(keep)
        line = f"{line} {word}".strip()
    if any(c.isalnum() for c in line):
        pieces.append(line)
    return pieces
