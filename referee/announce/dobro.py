"""Dobro in words: its rulings, events and counts.

Belongs here: one sentence a kind of ruling or event, in English and in French. The words must keep apart the pass,
which ends an auction, and the card that is called skip. Does not belong here: choosing the game or the language
(`sentences`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.announce.phrases import Fact, Sentence, cards, cartes, listed, listed_and, listed_et, placed
from referee.announce.reasons import in_french

# --- English --------------------------------------------------------------------------------------------

_ILLEGAL_EN = {
    "opening-special": "nobody opens with a special card",
    "special-with-another": "a special card is laid alone",
    "unequal": "a pair is two equal cards",
    "joker-value": "a joker needs a value from 2 to 12, said aloud",
    "joker-number": "a joker beside a number is worth that number",
    "too-low": "too low for {on}",
}
_WARNINGS_EN = {
    "out-of-turn": "It is not {player}'s turn: take it back.",
    "early-play": "{player} played too soon, before the hand before could be filled. The cards stand.",
    "too-many": "{player} drew too many: the surplus goes back.",
    "false-call": "Nothing to call, {player}.",
    "miscount": "{player}'s hand was counted anew.",
}
_UNDECIDED_EN = {
    "who": "it cannot be told who played",
    "unreadable": "a card cannot be read",
    "drawn": "it cannot be told who had drawn",
}
_KINDS_EN = {"joker": "a joker", "skip": "a skip", "reverse": "a reverse", "?": "an unreadable card"}


def _value_en(ruling: Mapping[str, Any]) -> str:
    following = f" {ruling['next']} is next." if ruling["next"] else ""
    return (f"Dobro! Value {ruling['value']}." if ruling["doubled"] else f"Value {ruling['value']}.") + following


def _round_over_en(ruling: Mapping[str, Any]) -> str:
    scored = ", ".join(
        f"{name} {cards(count)} = {_points_en(ruling['points'][name])}" for name, count in ruling["counts"].items()
    )
    following = f" {ruling['opener']} opens the next one." if ruling["round"] < ruling["rounds"] else ""
    return f"Round {ruling['round']} of {ruling['rounds']} is over: {scored}.{following}"


def _points_en(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _over_en(ruling: Mapping[str, Any]) -> str:
    places = "; ".join(
        f"{place}. {listed_and(names)} ({_points_en(ruling['totals'][names[0]])})"
        for place, names in placed(ruling["ranking"])
    )
    return f"The game is over, lowest total first. {places}."


def _undecided_en(ruling: Mapping[str, Any]) -> str:
    return f"Undecided: {_UNDECIDED_EN[ruling['why']]} ({listed(ruling['candidates'], 'or')}). A person decides."


_ENGLISH: dict[str, Sentence] = {
    "value": _value_en,
    "illegal-play": lambda r: f"Take it back, {r['player']}: {_ILLEGAL_EN[r['why']].format_map(r)}.",
    "picks-up": lambda r: f"{r['player']} passes, picks up {cards(r['cards'])} and opens the next auction.",
    "oubli": lambda r: f"{r['player']} forgot to draw and takes the Oubli card. Now fill up the hand.",
    "round-over": _round_over_en,
    "over": _over_en,
    "warning": lambda r: _WARNINGS_EN[r["kind"]].format_map(r),
    "undecided": _undecided_en,
    "rejected": lambda r: f"Rejected (event {r['event']}): {r['why']}.",
}


def _laid_en(played: Sequence[str], said: int | None) -> str:
    return listed_and([_KINDS_EN.get(card, card) for card in played]) + ("" if said is None else f", said to be {said}")


def _recount_en(event: Mapping[str, Any]) -> str:
    parts = [f"{name} {count}" for name, count in event.get("hand", {}).items()]
    if "pile" in event:
        parts.append(f"draw pile {event['pile']}")
    return "Counted: " + ", ".join(parts)


def _drawn_en(count: int | list[int]) -> str:
    return f"{count[0]} to {cards(count[1])}" if isinstance(count, list) else cards(count)


_ENGLISH_EVENTS: dict[str, Sentence] = {
    "play": lambda e: f"{e['player'] or 'Somebody'} lays {_laid_en(e['cards'], e.get('value'))}",
    "pass": lambda e: f"{e['player']} " + ("has only specials" if e.get("only_specials") else "passes"),
    "draw": lambda e: f"{e['player']} draws {_drawn_en(e['count'])}",
    "call": lambda e: f"{e['player']} says that {e['on']} forgot to draw",
    "recount": _recount_en,
    "end": lambda e: "End of the record",
}

_ENGLISH_FACTS: dict[str, Fact] = {
    "round": lambda number: f"Round {number}",
    "pile": lambda count: f"Draw pile: {count}",
    "table": lambda count: f"On the table: {count}",
    "value": lambda value: "" if value is None else f"Value: {value}",
    "direction": lambda way: f"Direction: {way}",
    "oubli": lambda name: f"Oubli: {name or 'in the centre'}",
}


# --- French ---------------------------------------------------------------------------------------------

_ILLEGAL_FR = {
    "opening-special": "on n'ouvre pas avec une carte spéciale",
    "special-with-another": "une carte spéciale se pose seule",
    "unequal": "une paire, ce sont deux cartes égales",
    "joker-value": "un Joker a besoin d'une valeur de 2 à 12, dite à voix haute",
    "joker-number": "à côté d'un nombre, le Joker vaut ce nombre",
    "too-low": "trop bas, il faut au moins {on}",
}
_WARNINGS_FR = {
    "out-of-turn": "Ce n'est pas à {player} de jouer : on reprend le coup.",
    "early-play": "{player} a joué trop tôt, sans laisser le temps de compléter la main précédente. Le coup tient.",
    "too-many": "{player} a pioché trop de cartes : le surplus retourne à la pioche.",
    "false-call": "Rien à signaler, {player}.",
    "miscount": "La main de {player} a été recomptée.",
}
_UNDECIDED_FR = {
    "who": "on ne peut pas dire qui a joué",
    "unreadable": "une carte est illisible",
    "drawn": "on ne peut pas dire qui avait pioché",
}
_KINDS_FR = {
    "joker": "un Joker",
    "skip": "un « Passe mon tour »",
    "reverse": "un « Changement de sens »",
    "?": "une carte illisible",
}


def _value_fr(ruling: Mapping[str, Any]) -> str:
    following = f" À {ruling['next']} de jouer." if ruling["next"] else ""
    return (f"Dobro ! Valeur {ruling['value']}." if ruling["doubled"] else f"Valeur {ruling['value']}.") + following


def _round_over_fr(ruling: Mapping[str, Any]) -> str:
    scored = ", ".join(
        f"{name} {cartes(count)} = {_points_fr(ruling['points'][name])}" for name, count in ruling["counts"].items()
    )
    following = f" {ruling['opener']} ouvre la suivante." if ruling["round"] < ruling["rounds"] else ""
    return f"Manche {ruling['round']} sur {ruling['rounds']} terminée : {scored}.{following}"


def _points_fr(count: int) -> str:
    return f"{count} point" if abs(count) < 2 else f"{count} points"


def _over_fr(ruling: Mapping[str, Any]) -> str:
    places = " ; ".join(
        f"{place}. {listed_et(names)} ({_points_fr(ruling['totals'][names[0]])})"
        for place, names in placed(ruling["ranking"])
    )
    return f"La partie est finie, le plus petit total d'abord. {places}."


def _undecided_fr(ruling: Mapping[str, Any]) -> str:
    return f"Indécis : {_UNDECIDED_FR[ruling['why']]} ({listed(ruling['candidates'], 'ou')}). À vous de trancher."


_FRENCH: dict[str, Sentence] = {
    "value": _value_fr,
    "illegal-play": lambda r: f"Coup refusé, {r['player']} : {_ILLEGAL_FR[r['why']].format_map(r)}.",
    "picks-up": lambda r: f"{r['player']} passe, ramasse {cartes(r['cards'])} et ouvre l'enchère suivante.",
    "oubli": lambda r: f"{r['player']} a oublié de piocher et prend la carte Oubli. On complète maintenant la main.",
    "round-over": _round_over_fr,
    "over": _over_fr,
    "warning": lambda r: _WARNINGS_FR[r["kind"]].format_map(r),
    "undecided": _undecided_fr,
    "rejected": lambda r: f"Refusé (événement {r['event']}) : {in_french(r['why'])}.",
}


def _laid_fr(played: Sequence[str], said: int | None) -> str:
    return listed_et([_KINDS_FR.get(card, card) for card in played]) + ("" if said is None else f", annoncé {said}")


def _recount_fr(event: Mapping[str, Any]) -> str:
    parts = [f"{name} {count}" for name, count in event.get("hand", {}).items()]
    if "pile" in event:
        parts.append(f"pioche {event['pile']}")
    return "Recompté : " + ", ".join(parts)


def _drawn_fr(count: int | list[int]) -> str:
    return f"de {count[0]} à {cartes(count[1])}" if isinstance(count, list) else cartes(count)


_FRENCH_EVENTS: dict[str, Sentence] = {
    "play": lambda e: f"{e['player'] or 'Quelqu’un'} pose {_laid_fr(e['cards'], e.get('value'))}",
    "pass": lambda e: f"{e['player']} " + ("n'a que des cartes spéciales" if e.get("only_specials") else "passe"),
    "draw": lambda e: f"{e['player']} pioche {_drawn_fr(e['count'])}",
    "call": lambda e: f"{e['player']} signale que {e['on']} a oublié de piocher",
    "recount": _recount_fr,
    "end": lambda e: "Fin de l'enregistrement",
}

_DIRECTIONS_FR = {"clockwise": "horaire", "anticlockwise": "antihoraire"}

_FRENCH_FACTS: dict[str, Fact] = {
    "round": lambda number: f"Manche {number}",
    "pile": lambda count: f"Pioche : {count}",
    "table": lambda count: f"Sur la table : {count}",
    "value": lambda value: "" if value is None else f"Valeur : {value}",
    "direction": lambda way: f"Sens {_DIRECTIONS_FR[way]}",
    "oubli": lambda name: f"Oubli : {name or 'au centre'}",
}


RULINGS = {"en": _ENGLISH, "fr": _FRENCH}
EVENTS = {"en": _ENGLISH_EVENTS, "fr": _FRENCH_EVENTS}
COLUMNS = {
    "en": {"hand": "hand", "piles": "picked up", "totals": "points"},
    "fr": {"hand": "main", "piles": "ramassées", "totals": "points"},
}
FACTS = {"en": _ENGLISH_FACTS, "fr": _FRENCH_FACTS}
