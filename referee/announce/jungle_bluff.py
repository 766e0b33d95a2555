"""Jungle Bluff in words: its rulings, events and counts.

Belongs here: one sentence a kind of ruling or event, in English and in French. No sentence tells a force: the line
of a `force` event names the player and no card, and a challenge is told by its outcome alone. Does not belong here:
choosing the game or the language (`sentences`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announce.phrases import (
    Fact,
    Sentence,
    correction_en,
    correction_fr,
    de,
    listed,
    listed_and,
    listed_et,
    placed,
)
from referee.announce.reasons import in_french

# --- English --------------------------------------------------------------------------------------------

_SPECIALS_EN = {"1*": "special 1", "5r": "reversed 5", "10a": "alpha 10", "?": "card nobody can read"}
_UNDECIDED_EN = {
    "who": "nobody can tell who took the card",
    "unreadable": "a card of the centre cannot be read",
    "force": "the forces have not both been read",
    "result": "the result that was noted cannot be relied on",
    "final force": "a final force was never read",
}


def _card_en(card: str) -> str:
    return _SPECIALS_EN.get(card, card)


def _cards_en(cards: list[str]) -> str:
    return ", ".join(map(_card_en, cards))


def _undecided_en(ruling: Mapping[str, Any]) -> str:
    between = listed(ruling["candidates"], "or")
    return f"Undecided: {_UNDECIDED_EN[ruling['why']]}" + (f" ({between})." if between else ".") + " A person decides."


def _round_over_en(ruling: Mapping[str, Any]) -> str:
    kept = listed_and([f"{name} the {_card_en(card)}" for name, card in ruling["kept"].items()])
    return f"The round is over. Kept: {kept or 'nothing'}. {ruling['first']} goes first."


def _over_en(ruling: Mapping[str, Any]) -> str:
    totals = ruling["totals"]
    places = [f"{place}. {listed_and(names)} with {totals[names[0]]}" for place, names in placed(ruling["ranking"])]
    return f"The game is over. {'; '.join(places)}."


def _warning_en(ruling: Mapping[str, Any]) -> str:
    """What is noticed and is no ruling."""
    if ruling["kind"] == "force-moved":
        return f"{ruling['player']}'s force was moved."
    return "These are not the forces that were laid. Look again."


_ENGLISH: dict[str, Sentence] = {
    "holds": lambda r: f"The {_card_en(r['card'])} is {r['player']}'s for now.",
    "returned": lambda r: f"No winner: the {_card_en(r['card'])} goes back to the centre.",
    "refused": lambda r: f"{r['player']}, choose again: {r['why']}.",
    "round-over": _round_over_en,
    "over": _over_en,
    "undecided": _undecided_en,
    "rejected": lambda r: f"Rejected (event {r['event']}): {r['why']}.",
    "warning": _warning_en,
}

_ENGLISH_EVENTS: dict[str, Sentence] = {
    "centre": lambda e: f"In the centre: {_cards_en(e['cards'])}",
    "commit": lambda e: f"{e['player']} lays a force",
    "force": lambda e: f"The private reader looks at {e['player']}'s force",
    "take": lambda e: f"{e['player'] or 'Somebody'} takes the {_card_en(e['card'])}",
    "challenge": lambda e: f"{e['player']} challenges {e['target']}",
    "reveal": lambda e: f"The new centre: {_cards_en(e['cards'])}",
    "correct": correction_en,
    "end": lambda e: "End of the record",
}

_ENGLISH_FACTS: dict[str, Fact] = {
    "round": lambda number: "The final" if number > 10 else f"Round {number}",
    "first": lambda name: f"First player: {name}",
    "totals": lambda totals: "",
}


# --- French ---------------------------------------------------------------------------------------------

_SPECIALS_FR = {"1*": "1 spécial", "5r": "5 retourné", "10a": "10 alpha"}
_UNDECIDED_FR = {
    "who": "on ne peut pas dire qui a pris la carte",
    "unreadable": "une carte du centre est illisible",
    "force": "les deux forces n'ont pas été lues",
    "result": "on ne peut pas se fier au résultat noté",
    "final force": "une force de la finale n'a jamais été lue",
}


def _card_fr(card: str) -> str:
    return "une carte illisible" if card == "?" else f"le {_SPECIALS_FR.get(card, card)}"


def _cards_fr(cards: list[str]) -> str:
    return ", ".join(_SPECIALS_FR.get(card, card) for card in cards)


def _undecided_fr(ruling: Mapping[str, Any]) -> str:
    between = listed(ruling["candidates"], "ou")
    said = f"Indécis : {_UNDECIDED_FR[ruling['why']]}"
    return said + (f" ({between})." if between else ".") + " À vous de trancher."


def _round_over_fr(ruling: Mapping[str, Any]) -> str:
    kept = listed_et([f"{name} garde {_card_fr(card)}" for name, card in ruling["kept"].items()])
    return f"La manche est finie. {kept or 'Personne ne garde de carte'}. {ruling['first']} commence."


def _over_fr(ruling: Mapping[str, Any]) -> str:
    totals = ruling["totals"]
    places = [f"{place}. {listed_et(names)} avec {totals[names[0]]}" for place, names in placed(ruling["ranking"])]
    return f"La partie est finie. {' ; '.join(places)}."


def _warning_fr(ruling: Mapping[str, Any]) -> str:
    if ruling["kind"] == "force-moved":
        return f"La force {de(ruling['player'])} a bougé."
    return "Ce ne sont pas les forces posées. Regardez encore."


_FRENCH: dict[str, Sentence] = {
    "holds": lambda r: f"Pour l'instant, {_card_fr(r['card'])} est à {r['player']}.",
    "returned": lambda r: f"Pas de gagnant : {_card_fr(r['card'])} retourne au centre.",
    "refused": lambda r: f"{r['player']}, un autre choix : {in_french(r['why'])}.",
    "round-over": _round_over_fr,
    "over": _over_fr,
    "undecided": _undecided_fr,
    "rejected": lambda r: f"Refusé (événement {r['event']}) : {in_french(r['why'])}.",
    "warning": _warning_fr,
}

_FRENCH_EVENTS: dict[str, Sentence] = {
    "centre": lambda e: f"Au centre : {_cards_fr(e['cards'])}",
    "commit": lambda e: f"{e['player']} pose une force",
    "force": lambda e: f"Le lecteur privé regarde la force {de(e['player'])}",
    "take": lambda e: f"{e['player'] or 'Quelqu’un'} prend {_card_fr(e['card'])}",
    "challenge": lambda e: f"{e['player']} défie {e['target']}",
    "reveal": lambda e: f"Le nouveau centre : {_cards_fr(e['cards'])}",
    "correct": correction_fr,
    "end": lambda e: "Fin de l'enregistrement",
}

_FRENCH_FACTS: dict[str, Fact] = {
    "round": lambda number: "La finale" if number > 10 else f"Manche {number}",
    "first": lambda name: f"Premier joueur : {name}",
    "totals": lambda totals: "",
}


CARDS = {"en": _SPECIALS_EN, "fr": _SPECIALS_FR}
RULINGS = {"en": _ENGLISH, "fr": _FRENCH}
EVENTS = {"en": _ENGLISH_EVENTS, "fr": _FRENCH_EVENTS}
COLUMNS = {
    "en": {"holds": "holds", "piles": "score pile", "totals": "total"},
    "fr": {"holds": "détient", "piles": "pile de score", "totals": "total"},
}
FACTS = {"en": _ENGLISH_FACTS, "fr": _FRENCH_FACTS}
