"""Rulings and events as sentences, in English and in French.

Belongs here: finding the words of a game. Does not belong here: the words themselves (one module a game), why a
ruling was given, or whether it may be said aloud (`public` says that).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announce import dobro, jungle_bluff, jungle_speed, speed
from referee.announce.phrases import Fact, Sentence
from referee.words import Event, Ruling

LANGUAGES = ("en", "fr")

_RULINGS: Mapping[str, Mapping[str, Mapping[str, Sentence]]] = {
    "dobro": dobro.RULINGS,
    "jungle-bluff": jungle_bluff.RULINGS,
    "jungle-speed": jungle_speed.RULINGS,
    "speed": speed.RULINGS,
}
_EVENTS: Mapping[str, Mapping[str, Mapping[str, Sentence]]] = {
    "dobro": dobro.EVENTS,
    "jungle-bluff": jungle_bluff.EVENTS,
    "jungle-speed": jungle_speed.EVENTS,
    "speed": speed.EVENTS,
}
_COLUMNS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "dobro": dobro.COLUMNS,
    "jungle-bluff": jungle_bluff.COLUMNS,
    "jungle-speed": jungle_speed.COLUMNS,
    "speed": speed.COLUMNS,
}
_FACTS: Mapping[str, Mapping[str, Mapping[str, Fact]]] = {
    "dobro": dobro.FACTS,
    "jungle-bluff": jungle_bluff.FACTS,
    "jungle-speed": jungle_speed.FACTS,
    "speed": speed.FACTS,
}


def ruling_sentence(ruling: Ruling, language: str, game: str = "jungle-speed") -> str:
    """One ruling as one or two sentences; a kind of ruling nobody has words for yet is named as it is."""
    say = _RULINGS[game][language].get(ruling["ruling"])
    return str(ruling["ruling"]) if say is None else say(ruling)


def ruling_kinds(game: str) -> frozenset[str]:
    """The kinds of ruling that a game has words for."""
    return frozenset(_RULINGS[game]["en"])


def event_sentence(event: Event, language: str, game: str = "jungle-speed") -> str:
    """One event as a short line; an event nobody has words for is named as it is."""
    say = _EVENTS[game][language].get(event["event"])
    return str(event["event"]) if say is None else say(event)


def card_words(card: str, language: str, game: str = "jungle-speed") -> str:
    """A card in a word or two; a card whose id says it all stays as it is."""
    return jungle_bluff.CARDS[language].get(card, card) if game == "jungle-bluff" else card


def margin_sentence(margin: Mapping[str, Any] | None, language: str) -> str:
    """How close a decision was; empty when it was not."""
    if margin is None:
        return ""
    margins = jungle_speed.MARGINS[language]
    if "settled_by" in margin:  # a person said who was first, and not by how much
        settled = jungle_speed.SETTLED[language]
        said = settled.get(margin["settled_by"], settled[""])
    else:
        said = margins[margin["by"]](margin)
    if "arrival_us" in margin:
        said += (" ; " if language == "fr" else "; ") + margins["arrival"]({"us": margin["arrival_us"]})
    return said


def count_words(language: str, game: str) -> tuple[Mapping[str, str], Mapping[str, Fact]]:
    """The words for a game's counts: headings of what every player has, and phrases for the rest."""
    return _COLUMNS.get(game, {}).get(language, {}), _FACTS.get(game, {}).get(language, {})
