"""Speed in words: its rulings, events and counts.

Belongs here: one sentence a kind of ruling or event, in English and in French. Does not belong here: choosing the
game or the language (`sentences`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announce.phrases import Fact, Sentence, cards, cartes, correction_en, correction_fr, de, listed
from referee.announce.reasons import in_french

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣", "?": ""}
_FRENCH_RANKS = {"J": "V", "Q": "D", "K": "R"}  # valet, dame, roi


def _card_en(card: str) -> str:
    return "a card nobody can read" if card == "?" else card[:-1] + _SUITS.get(card[-1:], card[-1:])


def _card_fr(card: str) -> str:
    if card == "?":
        return "une carte illisible"
    rank = card[:-1]
    return _FRENCH_RANKS.get(rank, rank) + _SUITS.get(card[-1:], card[-1:])


def _counted(event: Mapping[str, Any], hand: str, draw: str) -> str:
    counts = [
        f"{player} {word} {count}"
        for key, word in (("hand", hand), ("draw", draw))
        for player, count in event.get(key, {}).items()
    ]
    return ", ".join(counts)


# --- English --------------------------------------------------------------------------------------------

_UNDECIDED_EN = {
    "who": "nobody can tell who it was",
    "unreadable": "a card cannot be read",
    "order": "nobody can tell which card came first",
}


def _undecided_en(ruling: Mapping[str, Any]) -> str:
    return f"Undecided: {_UNDECIDED_EN[ruling['why']]} ({listed(ruling['candidates'], 'or')}). A person decides."


_ENGLISH: dict[str, Sentence] = {
    "illegal-play": lambda r: (
        f"Not playable: {_card_en(r['card'])} on {_card_en(r['on'])}. {r['player']} takes it back."
    ),
    "false-start": lambda r: f"False start: {r['player']} takes the card back.",
    "turn-up": lambda r: "Turn one up, both of you. Three, two, one, go.",
    "reshuffle-needed": lambda r: "Both are stuck and a side pile is empty: shuffle the middle.",
    "game-won": lambda r: f"{r['winner']} wins the game.",
    "match-won": lambda r: f"{r['winner']} wins the match.",
    "fault": lambda r: f"Too many cards: {r['player']} puts back what was drawn.",
    "warning": lambda r: f"{r['player']}'s cards were counted anew.",
    "undecided": _undecided_en,
    "rejected": lambda r: f"Rejected (event {r['event']}): {r['why']}.",
}

_ENGLISH_EVENTS: dict[str, Sentence] = {
    "turn_up": lambda e: f"{e['player']} turns up {_card_en(e['card'])}",
    "play": lambda e: f"{e['player'] or 'Somebody'} lays {_card_en(e['card'])} on pile {e['pile']}",
    "draw": lambda e: f"{e['player']} draws {cards(e['count'])}",
    "blocked": lambda e: f"{e['player'] or 'Somebody'} says: stuck!",
    "reshuffle": lambda e: f"The middle is shuffled into {e['counts'][0]} and {e['counts'][1]}",
    "recount": lambda e: "Counted: " + _counted(e, "in hand", "to draw"),
    "correct": correction_en,
    "end": lambda e: "End of the record",
}

_ENGLISH_FACTS: dict[str, Fact] = {"central": lambda piles: f"Central piles: {piles[0]} and {piles[1]}"}


# --- French ---------------------------------------------------------------------------------------------

_UNDECIDED_FR = {
    "who": "on ne peut pas dire qui c'était",
    "unreadable": "une carte est illisible",
    "order": "on ne peut pas dire quelle carte est arrivée la première",
}


def _undecided_fr(ruling: Mapping[str, Any]) -> str:
    return f"Indécis : {_UNDECIDED_FR[ruling['why']]} ({listed(ruling['candidates'], 'ou')}). À vous de trancher."


_FRENCH: dict[str, Sentence] = {
    "illegal-play": lambda r: f"Injouable : {_card_fr(r['card'])} sur {_card_fr(r['on'])}. {r['player']} la reprend.",
    "false-start": lambda r: f"Faux départ : {r['player']} reprend sa carte.",
    "turn-up": lambda r: "Retournez chacun une carte. Trois, deux, un, partez.",
    "reshuffle-needed": lambda r: "Tous deux coincés et une pile latérale est vide : mélangez le milieu.",
    "game-won": lambda r: f"{r['winner']} gagne la partie.",
    "match-won": lambda r: f"{r['winner']} gagne le match.",
    "fault": lambda r: f"Trop de cartes : {r['player']} remet ce qui vient d'être pioché.",
    "warning": lambda r: f"Les cartes {de(r['player'])} ont été recomptées.",
    "undecided": _undecided_fr,
    "rejected": lambda r: f"Refusé (événement {r['event']}) : {in_french(r['why'])}.",
}

_FRENCH_EVENTS: dict[str, Sentence] = {
    "turn_up": lambda e: f"{e['player']} retourne {_card_fr(e['card'])}",
    "play": lambda e: f"{e['player'] or 'Quelqu’un'} pose {_card_fr(e['card'])} sur la pile {e['pile']}",
    "draw": lambda e: f"{e['player']} pioche {cartes(e['count'])}",
    "blocked": lambda e: f"{e['player'] or 'Quelqu’un'} annonce : « coincé ! »",
    "reshuffle": lambda e: f"Le milieu est mélangé et coupé en {e['counts'][0]} et {e['counts'][1]}",
    "recount": lambda e: "Recompté : " + _counted(e, "en main", "à piocher"),
    "correct": correction_fr,
    "end": lambda e: "Fin de l'enregistrement",
}

_FRENCH_FACTS: dict[str, Fact] = {"central": lambda piles: f"Piles centrales : {piles[0]} et {piles[1]}"}


RULINGS = {"en": _ENGLISH, "fr": _FRENCH}
EVENTS = {"en": _ENGLISH_EVENTS, "fr": _FRENCH_EVENTS}
COLUMNS = {
    "en": {"hand": "hand", "draw": "to draw", "side": "side pile", "wins": "games won"},
    "fr": {"hand": "main", "draw": "pioche", "side": "pile latérale", "wins": "parties gagnées"},
}
FACTS = {"en": _ENGLISH_FACTS, "fr": _FRENCH_FACTS}
