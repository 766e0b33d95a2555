"""Why something was rejected or cancelled, in French.

The rules give their reasons in English, free text by the record's format; players who read French get them in
French. Belongs here: one pattern a reason. A reason without a pattern is shown as it is.
"""

from __future__ import annotations

import re

_FRENCH: tuple[tuple[str, str], ...] = (
    (r"(.+) is not among the players", r"\1 ne fait pas partie des joueurs"),
    (r"(.+) is not an event of this game", r"\1 n'est pas un événement de ce jeu"),
    (r"(.+) is not a card of this game", r"\1 n'est pas une carte de ce jeu"),
    (
        r"three players play without colour arrows: .+",
        "à trois, on joue sans flèches de couleur : mettez-la de côté et retournez-en une autre (JS-09)",
    ),
    (r"(.+) is out", r"\1 a déjà fini"),
    (r"(.+) has no reserve to flip from", r"\1 n'a plus de pioche"),
    (r"a recount waits until .+", "on recompte une fois la flèche vers l'extérieur réglée"),
    (r"(.+): expected 0 to (\d+) cards", r"\1 : de 0 à \2 cartes attendues"),
    (r"the game is over", "la partie est finie"),
    (r"(.+) has to choose between the duel and the arrow first", r"\1 doit d'abord choisir entre le duel et la flèche"),
    (r"a scramble without hands", "une ruée sans aucune main"),
    (r"fingers: expected whole numbers from 0 to (\d+)", r"doigts : des nombres entiers de 0 à \1 attendus"),
    (r"lowest_mm: expected .+", "lowest_mm : une hauteur attendue, ou [bas, haut]"),
    (r"no choice is open", "aucun choix n'est à faire"),
    (r"the choice is (.+)'s", r"c'est à \1 de choisir"),
    (r"expected duel or arrow", "le duel ou la flèche, rien d'autre"),
    (r"nothing is to be shared", "il n'y a rien à répartir"),
    (r"the cards are (.+)'s to share", r"c'est à \1 de répartir les cartes"),
    (r"only (.+) can be given cards", r"seuls \1 peuvent recevoir des cartes"),
    (r"the shares must add up to (\d+)", r"il faut répartir exactement \1 cartes"),
    (r"a correction either .+", "une correction remplace un événement (ref) ou en ajoute un (before), pas les deux"),
    (r"event (-?\d+) does not come before this correction", r"l'événement \1 ne précède pas cette correction"),
    (r"event (\d+) is itself a correction", r"l'événement \1 est lui-même une correction"),
    (r"there is nothing to insert", "il n'y a rien à ajouter"),
    (r"a correction cannot put in a correction", "une correction ne peut pas en introduire une autre"),
    (r"the arrow was taken", "la flèche a été prise"),
    (r"another duel was taken", "un autre duel a été remporté"),
    (r"the duel was chosen", "le duel a été choisi"),
    (r"somebody without the right took the totem", "quelqu'un a pris le totem sans en avoir le droit"),
)
_PATTERNS = tuple((re.compile(english), french) for english, french in _FRENCH)


def in_french(reason: str) -> str:
    """A reason in French; unchanged where nobody has words for it yet."""
    for english, french in _PATTERNS:
        if match := english.fullmatch(reason):
            return match.expand(french)
    return reason
