"""Why something was rejected or cancelled, in French.

The rules give their reasons in English, free text by the record's format; players who read French get them in
French. Belongs here: one pattern a reason. A reason without a pattern is shown as it is.
"""

from __future__ import annotations

import re

_FRENCH: tuple[tuple[str, str], ...] = (
    (r"(.*) is not among the players", r"\1 ne fait pas partie des joueurs"),
    (r"(.*) is not an event of this game", r"\1 n'est pas un événement de ce jeu"),
    (r"(.*) is not a card of this game", r"\1 n'est pas une carte de ce jeu"),
    (
        r"three players play without colour arrows: .+",
        "à trois, on joue sans flèches de couleur : mettez-la de côté et retournez-en une autre (JS-09)",
    ),
    (r"(.*) is out", r"\1 a déjà fini"),
    (r"(.*) has no reserve to flip from", r"\1 n'a plus de pioche"),
    (r"a recount waits until the outward arrow is settled", "on recompte une fois la flèche vers l'extérieur réglée"),
    (r"pile: expected 0 to (\d+) cards", r"pioche : de 0 à \1 cartes attendues"),
    (r"(.*): expected 0 to (\d+) cards", r"\1 : de 0 à \2 cartes attendues"),
    (r"the game is over", "la partie est finie"),
    (r"(.*) has to choose between the duel and the arrow first", r"\1 doit d'abord choisir entre le duel et la flèche"),
    (r"a scramble without hands", "une ruée sans aucune main"),
    (r"fingers: expected whole numbers from 0 to (\d+), low first", r"doigts : de 0 à \1 attendus, [bas, haut]"),
    (r"lowest_mm: expected .+", "lowest_mm : une hauteur attendue, ou [bas, haut]"),
    (r"no choice is open", "aucun choix n'est à faire"),
    (r"the choice is (.*)'s", r"c'est à \1 de choisir"),
    (r"expected duel or arrow", "le duel ou la flèche, rien d'autre"),
    (r"nothing is to be shared", "il n'y a rien à répartir"),
    (r"the cards are (.*)'s to share", r"c'est à \1 de répartir les cartes"),
    (r"only (.*) can be given cards", r"seuls \1 peuvent recevoir des cartes"),
    (r"the shares must add up to (\d+)", r"il faut répartir exactement \1 cartes"),
    (r"expected one or two cards", "une ou deux cartes attendues"),
    (
        r"two players play without reverses: .+",
        "à deux, on joue sans « Changement de sens » : remplacez la carte (DO-59)",
    ),
    (r"nobody holds so many cards", "personne n'a autant de cartes en main"),
    (r"(.*) holds only (\d+) of the (\d+) cards", r"\1 n'a que \2 des \3 cartes en main"),
    (r"an auction is opened with .+", "on ouvre une enchère avec une carte ou une paire, on n'y passe pas"),
    (r"expected at least 1 card", "au moins une carte attendue"),
    (r"only (\d+) cards are left to draw", r"il ne reste que \1 cartes à piocher"),
    (r"(.*) cannot call themselves", r"\1 ne peut pas se signaler soi-même"),
    (r"a recount waits until (.*) has drawn", r"on recompte une fois que \1 a pioché"),
    (r"a correction either .+", "une correction remplace un événement (ref) ou en ajoute un (before), pas les deux"),
    (r"event (-?\d+) does not come before this correction", r"l'événement \1 ne précède pas cette correction"),
    (r"event (\d+) is itself a correction", r"l'événement \1 est lui-même une correction"),
    (r"there is nothing to insert", "il n'y a rien à ajouter"),
    (r"a correction cannot put in a correction", "une correction ne peut pas en introduire une autre"),
    (r"the arrow was taken", "la flèche a été prise"),
    (r"another duel was taken", "un autre duel a été remporté"),
    (r"the duel was chosen", "le duel a été choisi"),
    (r"somebody without the right took the totem", "quelqu'un a pris le totem sans en avoir le droit"),
    # Speed
    (r"the match is over", "le match est fini"),
    (r"expected pile 1 or pile 2", "la pile 1 ou la pile 2, rien d'autre"),
    (r"(.+) has no card in hand", r"\1 n'a pas de carte en main"),
    (r"(.+) has no card to turn up now", r"\1 n'a pas de carte à retourner en ce moment"),
    (r"expected 1 card or more", "une carte au moins"),
    (r"(.+) has only (\d+) to draw", r"\1 n'a plus que \2 à piocher"),
    (r"cards are still to be turned up", "il reste des cartes à retourner"),
    (r"(.+) has to draw first", r"\1 doit d'abord piocher"),
    (r"nothing is to be shuffled now", "il n'y a rien à mélanger en ce moment"),
    (r"the two piles must add up to (\d+)", r"les deux piles doivent faire \1 en tout"),
    (r"the two piles may differ by one card at most", "les deux piles ne peuvent différer que d'une carte"),
    (r"the odd card goes to whoever has more cards left", "la carte en trop va à qui a le plus de cartes"),
    (r"expected hand or draw", "la main (hand) ou la pioche (draw) est attendue"),
    (r"both cannot be rid of all their cards", "tous deux ne peuvent pas être à court de cartes"),
    # Jungle Bluff
    (r"the first score cards are already laid", "les premières cartes de score sont déjà au centre"),
    (r"no forces are to be shown now", "il n'y a pas de forces à montrer en ce moment"),
    (r"expected (\d+) cards, one a player", r"\1 cartes attendues, une par joueur"),
    (r"a special card does not belong in .+", "pas de carte spéciale en partie classique (JB-04)"),
    (r"these are not the forces that were laid .+", "ce ne sont pas les forces qui ont été posées (JB-21)"),
    (r"the score cards of the round are not laid yet", "les cartes de score de la manche ne sont pas encore là"),
    (r"(.+) has no score pile and sits out the final", r"\1 n'a pas de pile de score et ne joue pas la finale"),
    (r"(.+) has already laid a force", r"\1 a déjà posé une force"),
    (r"(.+) has laid no force", r"\1 n'a pas posé de force"),
    (r"(.+)'s force has already been read", r"\1 : cette force a déjà été lue"),
    (r"(.+)'s force has already been compared", r"\1 : cette force a déjà été comparée"),
    (r"the card that was read cannot be (.+)'s force", r"\1 : la carte lue ne peut pas être cette force"),
    (r"not all forces are laid", "toutes les forces ne sont pas posées"),
    (r"(.+) has already chosen", r"\1 a déjà choisi"),
    (r"it is (.+)'s choice", r"c'est à \1 de choisir"),
    (r"the (.+) is not in the centre", r"le \1 n'est pas au centre"),
    (r"the first player must take", "le premier joueur doit se servir au centre"),
    (r"(.+) has nothing to defend", r"\1 n'a rien à défendre"),
    (r"expected a result: .+", "un résultat attendu : holder ou challenger (en partie avancée aussi none)"),
)
_PATTERNS = tuple((re.compile(english, re.DOTALL), french) for english, french in _FRENCH)


def in_french(reason: str) -> str:
    """A reason in French; unchanged where nobody has words for it yet."""
    for english, french in _PATTERNS:
        if match := english.fullmatch(reason):
            return match.expand(french)
    return reason
