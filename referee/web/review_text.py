"""The review pages' own words, in English and in French.

Belongs here: headings, buttons, kinds of rulings, what an alternative is called; each word once, both languages side by
side. Does not belong here: sentences about the game (`referee.announce`), the clauses (`referee.catalogue`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.web.text import WORDS

Both = Mapping[str, tuple[str, str]]
"""Words by their key: English, French."""


@dataclass(frozen=True)
class ReviewWords:
    """All of it in one language; `{}` stands for a name or a number."""

    labels: Mapping[str, str]
    kinds: Mapping[str, str]
    states: Mapping[str, str]
    sources: Mapping[str, str]
    inputs: Mapping[str, str]
    alternatives: Mapping[str, str]
    why_not: Mapping[str, str]
    refusals: Mapping[str, str]


_LABELS: Both = {
    "review": ("Review", "Vérification"),
    "closest": ("Closest calls", "Les plus serrées"),
    "search": ("Search", "Chercher"),
    "player": ("Player", "Joueur"),
    "any": ("any", "tous"),
    "from": ("From", "Du"),
    "to": ("To", "Au"),
    "kind": ("Kind of ruling", "Type de décision"),
    "closer": ("Closer than (ms)", "À moins de (ms)"),
    "text": ("Words", "Mots"),
    "more": ("More", "Suite"),
    "no-journal": ("No journal is kept here.", "Aucun journal n'est tenu ici."),
    "no-games": ("No game fits.", "Aucune partie ne correspond."),
    "begun": ("Begun", "Début"),
    "state": ("State", "État"),
    "events-count": ("events", "événements"),
    "rulings-count": ("rulings", "décisions"),
    "closest-call": ("closest", "la plus serrée"),
    "appeal-open": ("under appeal", "en appel"),
    "appeals": ("Appeals", "Appels"),
    "upheld": ("upheld", "confirmée"),
    "stands": ("stands", "tient"),
    "stands-not": ("overturned", "annulée"),
    "timeline": ("Timeline", "Déroulement"),
    "all": ("Everything", "Tout"),
    "only-rulings": ("Rulings alone", "Décisions seules"),
    "counts": ("How it stood at the end", "À la fin"),
    "corrected": ("corrected", "corrigé"),
    "correction": ("Correction", "Correction"),
    "bookmarked": ("bookmarked", "marquée"),
    "video": ("Video", "Vidéo"),
    "frame": ("frame", "image"),
    "of": ("of", "sur"),
    "before": ("Frame before", "Image précédente"),
    "after": ("Frame after", "Image suivante"),
    "play": ("Play", "Lecture"),
    "stop": ("Stop", "Arrêt"),
    "to-touch": ("To the first touch", "Au premier contact"),
    "keys": (
        "Keys: ← → or , . one frame, Home and End, space plays",
        "Touches : ← → ou , . une image, Début et Fin, espace pour lire",
    ),
    "exposed": ("exposed at", "exposée à"),
    "not-kept": ("frames not kept before this one", "images non gardées avant celle-ci"),
    "no-video": ("No video is kept of this ruling.", "Aucune vidéo n'est gardée pour cette décision."),
    "decision-frames": ("Frames of the decision", "Images de la décision"),
    "totem": ("On the totem", "Sur le totem"),
    "no-totem": (
        "No readings of the totem are kept of this ruling.",
        "Aucune mesure du totem n'est gardée pour cette décision.",
    ),
    "rings": ("rings, lowest at the bottom", "anneaux, le plus bas en bas"),
    "near": ("Around the first touch", "Autour du premier contact"),
    "whole": ("The whole stretch", "Tout l'extrait"),
    "sides": ("sides of the totem", "côtés du totem"),
    "first-touch": ("first contact", "premier contact"),
    "fingers": ("fingers", "doigts"),
    "lowest": ("lowest contact", "contact le plus bas"),
    "perhaps": ("may have been this hand, not felt as such", "c'était peut-être cette main, sans que rien ne le dise"),
    "unfelt": ("seen by a person, not felt", "vue par une personne, non sentie"),
    "brush": ("brush", "effleurement"),
    "cards": ("Cards as they were read", "Les cartes comme elles ont été lues"),
    "candidates": ("It may be", "Ce peut être"),
    "nearest": ("nearest other", "la plus proche"),
    "in-the-deck": ("in the deck", "dans le jeu"),
    "which-event": ("Which event", "Quel événement"),
    "which-choice": ("What was chosen", "Ce qui a été choisi"),
    "choice-duel": ("the duel", "le duel"),
    "choice-arrow": ("the arrow", "la flèche"),
    "which-shares": ("How many cards each was given", "Combien de cartes chacun a reçues"),
    "why": ("Why", "Pourquoi"),
    "clauses": ("The rules it rests on", "Les règles appliquées"),
    "margin": ("How close", "L'écart"),
    "inputs": ("What was seen and felt", "Ce qui a été vu et senti"),
    "confidence": ("sure to", "sûr à"),
    "alternatives": ("What was not ruled, and why", "Ce qui n'a pas été décidé, et pourquoi"),
    "not-ruled": ("Not ruled", "Pas décidé"),
    "comes-same": ("This ruling would come out all the same.", "La décision serait la même."),
    "would-give": ("It would have given:", "Cela aurait donné :"),
    "evidence": ("Evidence", "Preuves"),
    "gone": ("deleted", "effacée"),
    "missing": ("Missing", "Il manque"),
    "decide": ("Uphold or overturn", "Confirmer ou annuler"),
    "clear": (
        "A ruling stands unless the evidence against it is clear. In doubt, uphold.",
        "Une décision tient, sauf si la preuve contraire est claire. Dans le doute, confirmez.",
    ),
    "reason": ("Reason", "Raison"),
    "uphold": ("Uphold", "Confirmer"),
    "overturn": ("Overturn …", "Annuler …"),
    "what": ("What happened", "Ce qui s'est passé"),
    "who-first": ("Who was first", "Qui était premier"),
    "which-order": ("In which order (first to last)", "Dans quel ordre (du premier au dernier)"),
    "whose": ("Whose it was", "Qui c'était"),
    "which-card": ("Which card it was", "Quelle carte c'était"),
    "never": ("It never happened", "Ça n'a pas eu lieu"),
    "show": ("Show what it changes", "Voir ce que cela change"),
    "confirm": ("Overturn as shown", "Annuler comme montré"),
    "cancel": ("Do not", "Ne rien faire"),
    "void": ("No longer stands", "Ne tient plus"),
    "instead": ("Stands instead", "Vaut à la place"),
    "changes": ("Counts", "Comptes"),
    "nothing": ("This would change nothing.", "Cela ne changerait rien."),
    "owed": (
        "Other rulings come out differently too: the game was judged by another version of the rules.",
        "D'autres décisions changent aussi : la partie a été jugée par une autre version des règles.",
    ),
    "appeal": ("Appeal", "Faire appel"),
    "appeals-left": ("{} has {} left", "{} : encore {}"),
    "bookmark": ("Bookmark (keeps its evidence)", "Marquer (garde les preuves)"),
    "unbookmark": ("Remove the bookmark", "Enlever la marque"),
    "read-only": (
        "Nothing can be decided here: another referee is writing this journal.",
        "Rien ne peut être décidé ici : un autre arbitre écrit ce journal.",
    ),
    "running": ("This game is being played.", "Cette partie est en cours."),
    "kept": ("Kept.", "C'est gardé."),
    "on-its-way": ("The running game is worked out again …", "La partie en cours est rejugée …"),
    "changed": (
        "The game has changed since. Look at the difference again.",
        "La partie a changé depuis. Regardez de nouveau ce qui change.",
    ),
    "previous": ("Ruling before", "Décision précédente"),
    "next": ("Ruling after", "Décision suivante"),
    "game-page": ("The whole game", "Toute la partie"),
    "print": ("Print", "Imprimer"),
    "by": ("by", "par"),
    "replaced": ("Ruled anew:", "Décidé de nouveau :"),
}

_KINDS: Both = {
    "won": ("Totem taken", "Totem pris"),
    "to-pot": ("Cards to the pot", "Cartes au pot"),
    "fault": ("Fault", "Faute"),
    "duel": ("Duel", "Duel"),
    "arrow": ("Arrow", "Flèche"),
    "cancelled": ("Cancelled", "Annulé"),
    "choice-needed": ("Choice asked", "Choix demandé"),
    "share-needed": ("Share asked", "Partage demandé"),
    "colour-mode": ("Colours or shapes", "Couleurs ou formes"),
    "out": ("Out", "A fini"),
    "over": ("End of the game", "Fin de la partie"),
    "warning": ("Warning", "Avertissement"),
    "undecided": ("Undecided", "Non tranché"),
    "rejected": ("Rejected", "Rejeté"),
    "overturned": ("Overturned", "Annulation"),
    "illegal-play": ("Illegal play", "Coup interdit"),
    "false-start": ("False start", "Faux départ"),
    "turn-up": ("Turn up", "Retournement"),
    "reshuffle-needed": ("Reshuffle", "Mélange"),
    "game-won": ("Game won", "Partie gagnée"),
    "match-won": ("Match won", "Match gagné"),
    "value": ("Value", "Valeur"),
    "picks-up": ("Picks up", "Ramasse"),
    "oubli": ("Forgotten draw", "Oubli"),
    "round-over": ("End of a round", "Fin de manche"),
    "holds": ("Holds", "Tient"),
    "refused": ("Refused", "Refusé"),
    "returned": ("Returned", "Rendu"),
}

_STATES: Both = {
    "running": ("being played", "en cours"),
    "ended": ("ended", "finie"),
    "interrupted": ("interrupted", "interrompue"),
}

_SOURCES: Both = {
    "totem": ("totem", "totem"),
    "camera": ("camera", "caméra"),
    "person": ("person", "personne"),
    "operator": ("operator", "meneur"),
    "players": ("players", "joueurs"),
}

_INPUTS: Both = {
    "hand": ("Hand of {}", "Main : {}"),
    "flip": ("Card of {}", "Carte : {}"),
    "fell": ("The totem fell", "Le totem est tombé"),
    "doubt": ("In doubt", "En doute"),
}

_ALTERNATIVES: Both = {
    "other-hand-first": ("{} first", "{} en premier"),
    "touch-before-card": ("The touch before the card of {}", "Le contact avant la carte de {}"),
    "other-card": ("The card of {} another one", "La carte de {} en serait une autre"),
    "candidate": ("It was {}", "C'était {}"),
}

_WHY_NOT: Both = {
    "reading": ("the card was read otherwise", "la carte a été lue autrement"),
    "evidence": ("the evidence does not say so", "les preuves ne le disent pas"),
}

_REFUSALS: Both = {
    "a reason is needed": ("a reason is needed", "il faut une raison"),
    "this ruling stands no more": ("this ruling stands no more", "cette décision ne tient plus"),
    "nothing stands any more that this ruling came from": (
        "nothing stands any more that this ruling came from",
        "il ne reste rien de ce dont cette décision venait",
    ),
    "this correction cannot be applied to the game": (
        "this correction cannot be applied to the game",
        "cette correction ne s'applique pas à cette partie",
    ),
    "this ruling was looked at again already, and stands": (
        "this ruling was looked at again already, and stands",
        "cette décision a déjà été vérifiée, et elle tient",
    ),
    "this ruling is under appeal already": ("this ruling is under appeal already", "cette décision est déjà en appel"),
    "the game has changed since, look at the difference again": (
        "the game has changed since, look at the difference again",
        "la partie a changé depuis, regardez de nouveau ce qui change",
    ),
    "these pages only show: another referee is writing this journal": (
        "these pages only show: another referee is writing this journal",
        "ces pages ne font que montrer : un autre arbitre écrit ce journal",
    ),
    "There is no such game.": ("There is no such game.", "Cette partie n'existe pas."),
    "There is no such ruling.": ("There is no such ruling.", "Cette décision n'existe pas."),
    "This game is still being played; it can be seen when it is over.": (
        "This game is still being played; it can be seen when it is over.",
        "Cette partie est en cours ; elle se regarde quand elle est finie.",
    ),
}


def _in(place: int) -> ReviewWords:
    def own(both: Both) -> dict[str, str]:
        return {key: said[place] for key, said in both.items()}

    return ReviewWords(
        labels={**WORDS[LANGUAGES[place]].labels, **own(_LABELS)},
        kinds=own(_KINDS),
        states=own(_STATES),
        sources=own(_SOURCES),
        inputs=own(_INPUTS),
        alternatives=own(_ALTERNATIVES),
        why_not=own(_WHY_NOT),
        refusals=own(_REFUSALS),
    )


LANGUAGES = ("en", "fr")
REVIEW: Mapping[str, ReviewWords] = {language: _in(place) for place, language in enumerate(LANGUAGES)}
