"""The pages' own words, in English and in French.

Belongs here: headings, buttons, states. Does not belong here: sentences about the game (`referee.announce`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from referee.announce.phrases import de
from referee.health import Freshness

LANGUAGES = ("en", "fr")
GAMES = {"jungle-speed": "Jungle Speed", "speed": "Speed", "dobro": "Dobro", "jungle-bluff": "Jungle Bluff"}


@dataclass(frozen=True)
class Words:
    """Everything the pages say by themselves, in one language."""

    labels: Mapping[str, str]
    """What stands in the pages from the start, by the name a page gives it."""
    turn_of: Callable[[str], str]
    no_turn: str
    phases: Mapping[str, str]
    paused: str
    asked: str
    shapes: str
    colours: str
    sources: Mapping[str, str]
    states: Mapping[Freshness, str]
    since: Callable[[int], str]
    choices: Mapping[str, str]
    happened: Callable[[str], str]
    never: str
    nobody: str
    by_itself: str
    too: str
    corrections: Mapping[str, str]
    recount: Callable[[str], str]
    under: Callable[[str], str]
    sayings: Mapping[str, str]
    """What players may say, by the event's name."""


def _turn_en(name: str) -> str:
    return f"{name}’s turn"


def _turn_fr(name: str) -> str:
    return f"Au tour {de(name)}"


WORDS: Mapping[str, Words] = {
    "en": Words(
        labels={
            "scoreboard": "Scoreboard",
            "operator": "Operator",
            "other": "Français",
            "rulings": "Rulings",
            "none": "Nothing has been ruled yet.",
            "players": "Players",
            "lost": "No connection to the referee",
            "silent": "The referee has stopped answering",
            "overturned": "overturned",
            "out": "out",
            "question": "To decide",
            "calm": "Nothing to decide.",
            "correct": "Correct the last event",
            "say": "Said by a player",
            "recount": "Count again",
            "game": "Game",
            "start": "Start a game",
            "pause": "Pause",
            "resume": "Go on",
            "end": "End the game",
            "sure": "Sure?",
            "share": "Share out",
            "left": "left to share",
            "set": "Set",
            "which": "Which card?",
            "done": "Done.",
            "failed": "The referee could not be reached.",
            "late": "Too late: something else has happened since.",
            "refused": "That cannot be.",
            "login": "Log in",
            "logout": "Log out",
            "name": "Name",
            "password": "Password",
            "login-wrong": "Name or password is wrong.",
            "login-wait": "Too many tries. Wait {} min.",
            "login-busy": "Busy, try again.",
            "games": "Games",
            "replay": "How close it was",
        },
        turn_of=_turn_en,
        no_turn="No turn now",
        phases={"waiting": "Not started", "playing": "", "over": "The game is over"},
        paused="Paused",
        asked="To decide",
        shapes="Shapes count",
        colours="Colours count",
        sources={"camera": "Camera", "totem": "Totem"},
        states={Freshness.FRESH: "ok", Freshness.STALE: "late", Freshness.LOST: "no signal"},
        since=lambda seconds: f"({seconds} s)",
        choices={"duel": "The duel", "arrow": "The arrow"},
        happened=lambda name: f"It was {name}",
        never="It never happened",
        nobody="Nobody: it does not count",
        by_itself="Nobody: it fell by itself",
        too="Who gripped it too, later?",
        corrections={"who": "Who was it?", "card": "Which card was it?"},
        recount=lambda pile: f"Cards counted by hand: {pile}",
        under=lambda card: f"Was a card laid just before, under {card}?",
        sayings={"blocked": "Stuck:"},
    ),
    "fr": Words(
        labels={
            "scoreboard": "Tableau",
            "operator": "Meneur",
            "other": "English",
            "rulings": "Décisions",
            "none": "Aucune décision pour l'instant.",
            "players": "Joueurs",
            "lost": "Pas de liaison avec l'arbitre",
            "silent": "L'arbitre ne répond plus",
            "overturned": "annulée",
            "out": "a fini",
            "question": "À trancher",
            "calm": "Rien à trancher.",
            "correct": "Corriger le dernier événement",
            "say": "Dit par un joueur",
            "recount": "Recompter",
            "game": "Partie",
            "start": "Commencer une partie",
            "pause": "Pause",
            "resume": "Reprendre",
            "end": "Terminer la partie",
            "sure": "Vraiment ?",
            "share": "Répartir",
            "left": "à répartir",
            "set": "Valider",
            "which": "Quelle carte ?",
            "done": "C'est fait.",
            "failed": "L'arbitre est injoignable.",
            "late": "Trop tard : autre chose s'est passé depuis.",
            "refused": "Ce n'est pas possible.",
            "login": "Connexion",
            "logout": "Se déconnecter",
            "name": "Nom",
            "password": "Mot de passe",
            "login-wrong": "Nom ou mot de passe incorrect.",
            "login-wait": "Trop d'essais. Attendez {} min.",
            "login-busy": "Occupé, réessayez.",
            "games": "Parties",
            "replay": "L'écart en image",
        },
        turn_of=_turn_fr,
        no_turn="Pas de tour en cours",
        phases={"waiting": "Pas encore commencé", "playing": "", "over": "La partie est finie"},
        paused="En pause",
        asked="À trancher",
        shapes="Les formes comptent",
        colours="Les couleurs comptent",
        sources={"camera": "Caméra", "totem": "Totem"},
        states={Freshness.FRESH: "ok", Freshness.STALE: "en retard", Freshness.LOST: "sans signal"},
        since=lambda seconds: f"({seconds} s)",
        choices={"duel": "Le duel", "arrow": "La flèche"},
        happened=lambda name: f"C'était {name}",
        never="Ça n'a pas eu lieu",
        nobody="Personne : ça ne compte pas",
        by_itself="Personne : il est tombé tout seul",
        too="Qui l'a saisi aussi, ensuite ?",
        corrections={"who": "Qui était-ce ?", "card": "Quelle carte était-ce ?"},
        recount=lambda pile: f"Cartes comptées à la main : {pile}",
        under=lambda card: f"Une carte a-t-elle été posée juste avant, sous {card} ?",
        sayings={"blocked": "Coincé :"},
    ),
}


def language_of(wanted: str | None, accepted: str, usual: str) -> str:
    """The language of a page: the one asked for, else the first of the browser's that we have, else the usual one."""
    if wanted in LANGUAGES:
        return wanted
    for part in accepted.split(","):
        tongue = part.split(";")[0].strip().lower().split("-")[0]
        if tongue in LANGUAGES:
            return tongue
    return usual
