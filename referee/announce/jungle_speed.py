"""Jungle Speed in words: its rulings and events, and the margins of a scramble.

Belongs here: one sentence a kind of ruling or event, in English and in French. Does not belong here: choosing the
game or the language (`sentences`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announce.phrases import (
    Fact,
    Sentence,
    cards,
    cartes,
    clock,
    correction_en,
    correction_fr,
    listed,
    listed_and,
    listed_et,
    millisecondes,
    milliseconds,
    placed,
    range_of,
)
from referee.announce.reasons import in_french
from referee.words import was_felt

# --- English --------------------------------------------------------------------------------------------


def _picks_up_en(ruling: Mapping[str, Any]) -> str:
    parts = [f"{name} picks up {cards(count)}" for name, count in ruling["picks_up"].items()]
    return listed_and(parts)


def _next_en(ruling: Mapping[str, Any]) -> str:
    return f" {ruling['next']} flips next." if ruling.get("next") else ""


_ARROWS_EN = {
    "in": "{player} turns an inward arrow: everybody may take the totem.",
    "out": "{player} turns an outward arrow: everybody flips.",
    "colour": "{player} turns a colour arrow.",
    "triple": "Three of one colour, completed by {player}: everybody may take the totem.",
}
_FAULTS_EN = {
    "wrong-grab": "{player} takes the totem without the right to.",
    "wrong-fall": "{player} knocks the totem over without the right to touch it.",
    "intervention": "{player} interferes in a duel of others.",
    "own-duel": "{player} takes the totem in a duel between their own two hands.",
    "last-in": "{player} misses the totem on a last inward arrow.",
    "last-colour": "{player}'s last card is a colour arrow.",
}
_WARNINGS_EN = {
    "out-of-turn": "{player} flipped out of turn. The card counts; play goes on from there.",
    "brush": "{player} only brushed the totem.",
    "out-player": "{player} is out and leaves the totem alone.",
    "knocked-over": "{player} knocked the totem over, with the right to reach for it. Set it up again.",
    "wrong-pick-up": "Wrong way: {player} has no cards to pick up.",
    "miscount": "{player}'s reserve was counted anew.",
}
_UNDECIDED_EN = {
    "who": "it cannot be told whose hand was there",
    "fingers": "the finger counts do not decide",
    "height": "the heights do not decide",
    "equal": "everything is equal",
    "unreadable": "a card cannot be read",
    "open": "it follows from something still open",
}
_OVER_EN = {
    "two-left": "Two players are left.",
    "first-out": "The first player is out.",
    "stalemate": "Nobody can turn a card any more.",
}


def _known_en(known: Mapping[str, Any]) -> str:
    """What holds whatever comes of what is open: who, but not how many cards."""
    match known["ruling"]:
        case "won":
            against = f" against {listed_and(known['losers'])}" if "losers" in known else ""
            return f"{known['winner']} wins{against}."
        case "to-pot":
            return f"{known['player']} puts the own pile into the pot."
        case "fault" if "kind" in known:
            return f"Fault. {_FAULTS_EN[known['kind']].format_map(known)}"
        case "share-needed":
            return f"{known['player']} shares out the cards."
        case "choice-needed":
            return f"{known['player']}, choose: duel or arrow?"
        case _:
            return f"Fault: {known['player']}."


def _undecided_en(ruling: Mapping[str, Any]) -> str:
    if known := ruling.get("known"):
        return f"{_known_en(known)} The rest is undecided: {_UNDECIDED_EN['open']}."
    why = _UNDECIDED_EN.get(ruling["why"], ruling["why"])
    between = listed(ruling["candidates"], "or")
    return f"Undecided: {why}" + (f" ({between})." if between else ".") + " A person decides."


def _over_en(ruling: Mapping[str, Any]) -> str:
    places = "; ".join(f"{place}. {listed_and(names)}" for place, names in placed(ruling["ranking"]))
    return f"The game is over. {_OVER_EN.get(ruling['why'], '')} {places}."


def _to_pot_en(ruling: Mapping[str, Any]) -> str:
    moved = cards(ruling["cards"])
    if ruling["player"]:
        return f"{ruling['player']} puts {moved} into the pot (now {ruling['pot']}).{_next_en(ruling)}"
    go = "goes" if ruling["cards"] == 1 else "go"
    return f"Nobody knows who knocked it over: {moved} {go} to the pot (now {ruling['pot']}).{_next_en(ruling)}"


_ENGLISH: dict[str, Sentence] = {
    "duel": lambda r: f"Duel by {r['by']}: {listed_and(r['players'])}.",
    "arrow": lambda r: _ARROWS_EN[r["kind"]].format_map(r),
    "won": lambda r: f"{r['winner']} wins against {listed_and(r['losers'])}. {_picks_up_en(r)}.{_next_en(r)}",
    "to-pot": _to_pot_en,
    "fault": lambda r: f"Fault. {_FAULTS_EN[r['kind']].format_map(r)} {_picks_up_en(r)}.{_next_en(r)}",
    "cancelled": lambda r: f"Cancelled: {listed_and(r['players'])} ({r['why']}).",
    "choice-needed": lambda r: f"{r['player']}, choose: duel or arrow?",
    "share-needed": lambda r: f"{r['player']} shares {cards(r['cards'])} among {listed_and(r['losers'])}.",
    "colour-mode": lambda r: "Colours count now." if r["on"] else "Shapes count again.",
    "out": lambda r: f"{r['player']} is out, rank {r['rank']}.",
    "over": _over_en,
    "warning": lambda r: _WARNINGS_EN[r["kind"]].format_map(r),
    "undecided": _undecided_en,
    "rejected": lambda r: f"Rejected (event {r['event']}): {r['why']}.",
}

_ENGLISH_EVENTS: dict[str, Sentence] = {
    "flip": lambda e: f"{e['player']} turns {e['card']}",
    "grab": lambda e: "On the totem: " + ("; ".join(_hand_en(h) for h in e["hands"]) or "nobody"),
    "fall": lambda e: f"The totem falls ({e['player'] or 'nobody knows by whom'})",
    "choose": lambda e: f"{e['player']} chooses the {e['choice']}",
    "share": lambda e: f"{e['player']} gives " + listed_and([f"{n} to {p}" for p, n in e["shares"].items()]),
    "pick_up": lambda e: f"{e['player']} takes cards",
    "recount": lambda e: "Counted: " + ", ".join(f"{p} {n}" for p, n in e["reserve"].items()),
    "correct": correction_en,
    "end": lambda e: "End of the record",
}


def _hand_en(hand: Mapping[str, Any]) -> str:
    if not hand.get("grip", True):
        return f"{hand['player'] or 'somebody'} brushes it"
    if not was_felt(hand):
        return f"{hand['player'] or 'somebody'} {clock(hand['t_us'])} (not felt)"
    fingers, lowest = range_of(hand["fingers"], "to"), range_of(hand["lowest_mm"], "to")
    noun = "finger" if hand["fingers"] == 1 else "fingers"
    return f"{hand['player'] or 'somebody'} {clock(hand['t_us'])} ({fingers} {noun}, {lowest} mm)"


_ENGLISH_MARGINS: dict[str, Sentence] = {
    "time": lambda m: f"first by {milliseconds(m['us'])}",
    "fingers": lambda m: (
        f"{range_of(m['count'][0], 'to')} {'finger' if m['count'][0] == 1 else 'fingers'} against"
        f" {range_of(m['count'][1], 'to')}"
    ),
    "height": lambda m: f"lowest contact {range_of(m['mm'][0], 'to')} mm against {range_of(m['mm'][1], 'to')} mm",
    "entitled": lambda m: "together with a hand that had no right",
    "arrival": lambda m: (
        f"the card arrived between {milliseconds(m['us'][0])} and {milliseconds(m['us'][1])} from the touch"
    ),
}

_ENGLISH_FACTS: dict[str, Fact] = {
    "pot": lambda count: f"Pot: {'?' if count is None else count}",
    "colour_mode": lambda on: "Colours count" if on else "",
    "out": lambda names: f"Out: {', '.join(names)}" if names else "",
}


# --- French ---------------------------------------------------------------------------------------------


def _picks_up_fr(ruling: Mapping[str, Any]) -> str:
    parts = [f"{name} ramasse {cartes(count)}" for name, count in ruling["picks_up"].items()]
    return listed_et(parts)


def _next_fr(ruling: Mapping[str, Any]) -> str:
    return f" {ruling['next']} retourne la prochaine carte." if ruling.get("next") else ""


_ARROWS_FR = {
    "in": "{player} retourne une flèche vers l'intérieur : tout le monde peut prendre le totem.",
    "out": "{player} retourne une flèche vers l'extérieur : tout le monde retourne une carte.",
    "colour": "{player} retourne une flèche de couleur.",
    "triple": "Trois cartes d'une même couleur, la dernière par {player} : le totem est à prendre.",
}
_FAULTS_FR = {
    "wrong-grab": "{player} prend le totem sans en avoir le droit.",
    "wrong-fall": "{player} renverse le totem sans avoir le droit d'y toucher.",
    "intervention": "{player} se mêle du duel des autres.",
    "own-duel": "{player} prend le totem dans un duel entre ses deux propres mains.",
    "last-in": "{player} manque le totem sur sa dernière flèche vers l'intérieur.",
    "last-colour": "{player} a une flèche de couleur pour dernière carte.",
}
_WARNINGS_FR = {
    "out-of-turn": "{player} a joué hors de son tour. La carte compte, on continue à partir de là.",
    "brush": "{player} n'a fait qu'effleurer le totem.",
    "out-player": "{player} a fini et laisse le totem tranquille.",
    "knocked-over": "{player} a renversé le totem en ayant le droit de le prendre. On le redresse.",
    "wrong-pick-up": "Mauvais sens : {player} n'a rien à ramasser.",
    "miscount": "{player} : la pioche a été recomptée.",
}
_UNDECIDED_FR = {
    "who": "on ne peut pas dire à qui était cette main",
    "fingers": "le nombre de doigts ne tranche pas",
    "height": "la hauteur ne tranche pas",
    "equal": "tout est à égalité",
    "unreadable": "une carte est illisible",
    "open": "cela dépend d'une décision encore ouverte",
}
_OVER_FR = {
    "two-left": "Il ne reste que deux joueurs.",
    "first-out": "Un premier joueur a fini.",
    "stalemate": "Plus personne ne peut retourner de carte.",
}


def _known_fr(known: Mapping[str, Any]) -> str:
    """Ce qui vaut quoi qu'il en soit : qui, mais pas combien de cartes."""
    match known["ruling"]:
        case "won":
            against = f" sur {listed_et(known['losers'])}" if "losers" in known else ""
            return f"{known['winner']} l'emporte{against}."
        case "to-pot":
            return f"{known['player']} met sa pile au pot."
        case "fault" if "kind" in known:
            return f"Faute. {_FAULTS_FR[known['kind']].format_map(known)}"
        case "share-needed":
            return f"{known['player']} répartit les cartes."
        case "choice-needed":
            return f"{known['player']}, au choix : le duel ou la flèche ?"
        case _:
            return f"Faute : {known['player']}."


def _undecided_fr(ruling: Mapping[str, Any]) -> str:
    if known := ruling.get("known"):
        return f"{_known_fr(known)} Le reste est indécis : {_UNDECIDED_FR['open']}."
    why = _UNDECIDED_FR.get(ruling["why"], ruling["why"])
    between = listed(ruling["candidates"], "ou")
    return f"Indécis : {why}" + (f" ({between})." if between else ".") + " À vous de trancher."


def _over_fr(ruling: Mapping[str, Any]) -> str:
    places = " ; ".join(f"{place}. {listed_et(names)}" for place, names in placed(ruling["ranking"]))
    return f"La partie est finie. {_OVER_FR.get(ruling['why'], '')} {places}."


_FRENCH: dict[str, Sentence] = {
    "duel": lambda r: f"Duel {'de forme' if r['by'] == 'shape' else 'de couleur'} : {listed_et(r['players'])}.",
    "arrow": lambda r: _ARROWS_FR[r["kind"]].format_map(r),
    "won": lambda r: f"{r['winner']} l'emporte sur {listed_et(r['losers'])}. {_picks_up_fr(r)}.{_next_fr(r)}",
    "to-pot": lambda r: (
        f"{r['player']} met {cartes(r['cards'])} au pot (qui en compte {r['pot']}).{_next_fr(r)}"
        if r["player"]
        else f"On ne sait pas qui l'a renversé : {cartes(r['cards'])} au pot (qui en compte {r['pot']}).{_next_fr(r)}"
    ),
    "fault": lambda r: f"Faute. {_FAULTS_FR[r['kind']].format_map(r)} {_picks_up_fr(r)}.{_next_fr(r)}",
    "cancelled": lambda r: f"Annulé : {listed_et(r['players'])} ({in_french(r['why'])}).",
    "choice-needed": lambda r: f"{r['player']}, au choix : le duel ou la flèche ?",
    "share-needed": lambda r: f"{r['player']} répartit {cartes(r['cards'])} entre {listed_et(r['losers'])}.",
    "colour-mode": lambda r: "Ce sont les couleurs qui comptent." if r["on"] else "Les formes comptent de nouveau.",
    "out": lambda r: f"{r['player']} a fini, rang {r['rank']}.",
    "over": _over_fr,
    "warning": lambda r: _WARNINGS_FR[r["kind"]].format_map(r),
    "undecided": _undecided_fr,
    "rejected": lambda r: f"Refusé (événement {r['event']}) : {in_french(r['why'])}.",
}

_FRENCH_EVENTS: dict[str, Sentence] = {
    "flip": lambda e: f"{e['player']} retourne {e['card']}",
    "grab": lambda e: "Sur le totem : " + (" ; ".join(_hand_fr(h) for h in e["hands"]) or "personne"),
    "fall": lambda e: f"Le totem tombe ({e['player'] or 'on ne sait pas par qui'})",
    "choose": lambda e: f"{e['player']} choisit {'le duel' if e['choice'] == 'duel' else 'la flèche'}",
    "share": lambda e: f"{e['player']} donne " + listed_et([f"{n} à {p}" for p, n in e["shares"].items()]),
    "pick_up": lambda e: f"{e['player']} prend des cartes",
    "recount": lambda e: "Recompté : " + ", ".join(f"{p} {n}" for p, n in e["reserve"].items()),
    "correct": correction_fr,
    "end": lambda e: "Fin de l'enregistrement",
}


def _hand_fr(hand: Mapping[str, Any]) -> str:
    if not hand.get("grip", True):
        return f"{hand['player'] or 'quelqu’un'} l'effleure"
    if not was_felt(hand):
        return f"{hand['player'] or 'quelqu’un'} {clock(hand['t_us'])} (main non sentie)"
    fingers, lowest = range_of(hand["fingers"], "à"), range_of(hand["lowest_mm"], "à")
    noun = "doigt" if hand["fingers"] in (0, 1) else "doigts"
    return f"{hand['player'] or 'quelqu’un'} {clock(hand['t_us'])} ({fingers} {noun}, {lowest} mm)"


_FRENCH_MARGINS: dict[str, Sentence] = {
    "time": lambda m: f"en premier, à {millisecondes(m['us'])} près",
    "fingers": lambda m: (
        f"{range_of(m['count'][0], 'à')} {'doigt' if m['count'][0] in (0, 1) else 'doigts'} contre"
        f" {range_of(m['count'][1], 'à')}"
    ),
    "height": lambda m: f"contact le plus bas {range_of(m['mm'][0], 'à')} mm contre {range_of(m['mm'][1], 'à')} mm",
    "entitled": lambda m: "en même temps qu'une main sans droit",
    "arrival": lambda m: (
        f"la carte est arrivée entre {millisecondes(m['us'][0])} et {millisecondes(m['us'][1])} du contact"
    ),
}

_FRENCH_FACTS: dict[str, Fact] = {
    "pot": lambda count: f"Pot : {'?' if count is None else count}",
    "colour_mode": lambda on: "Les couleurs comptent" if on else "",
    "out": lambda names: f"Ont fini : {', '.join(names)}" if names else "",
}


RULINGS = {"en": _ENGLISH, "fr": _FRENCH}
EVENTS = {"en": _ENGLISH_EVENTS, "fr": _FRENCH_EVENTS}
MARGINS = {"en": _ENGLISH_MARGINS, "fr": _FRENCH_MARGINS}
SETTLED: dict[str, dict[Any, str]] = {
    "en": {"operator": "settled by the operator", "players": "settled by the players", "": "settled by a person"},
    "fr": {"operator": "tranché par l'arbitre", "players": "tranché par les joueurs", "": "tranché par une personne"},
}
"""Instead of a margin: who said how it was."""
COLUMNS = {"en": {"reserve": "reserve", "face_up": "face up"}, "fr": {"reserve": "pioche", "face_up": "visibles"}}
FACTS = {"en": _ENGLISH_FACTS, "fr": _FRENCH_FACTS}
