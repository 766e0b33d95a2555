"""The pages' own words, in English and in French.

Belongs here: headings, buttons, states. Does not belong here: sentences about the game (`referee.announce`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.announce.phrases import de, listed_and, listed_et
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
    fell: str
    by_itself: str
    too: str
    corrections: Mapping[str, str]
    recount: Callable[[str], str]
    holds: Callable[[str], str]
    under: Callable[[str], str]
    on_pile: Callable[[str], str]
    soon: str
    had_drawn: str
    lay: Callable[[str, str], str]
    already: str
    not_yet: str
    calls: Mapping[str, str]
    choice: Mapping[str, Callable[[str], str]]
    notices: Mapping[str, Callable[[Mapping[str, Any]], str]]
    seat_states: Mapping[str, str]
    waits: Mapping[str, Callable[[Sequence[str]], str]]

    def call_choice(self, call: str, choice: str) -> str:
        """A choice of something one says, as the text of its button."""
        return self.choice[call](choice) if call in self.choice else choice


def _turn_en(name: str) -> str:
    return f"{name}’s turn"


def _turn_fr(name: str) -> str:
    return f"Au tour {de(name)}"


WORDS: Mapping[str, Words] = {
    "en": Words(
        labels={
            "scoreboard": "Scoreboard",
            "first-page": "To the first page",
            "no-page": "There is no such page.",
            "no-game": "No game is being played here.",
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
            "seat": "Seat",
            "seats": "Seats and phones",
            "seat-how": "Scan the code that the operator shows.",
            "seat-wrong": "This code does not work any more. Ask for a new one.",
            "seat-gone": "This seat was taken back. Ask for a new code.",
            "seat-hand-out": "Show a code",
            "seat-take-back": "Take back",
            "seat-close": "Close",
            "leave": "Leave this seat",
            "say": "Say it",
            "nothing-to-say": "Nothing to say now.",
            "force": "Your force",
            "force-choose": "Choose it, then lay it face down.",
            "force-chosen": "Chosen. Lay it face down. Until then you may change it.",
            "force-laid": "It lies. Nothing to do.",
            "force-late": "It lies: tell which card it is.",
            "force-wrong": "That card cannot be it now.",
            "force-hide": "Hide",
            "force-show": "Show my cards",
            "for": "For",
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
        fell="The totem fell over. Who knocked it over?",
        by_itself="Nobody did, or nobody knows who",
        too="Who gripped it too, later?",
        corrections={"who": "Who was it?", "card": "Which card was it?"},
        recount=lambda pile: f"Cards counted by hand: {pile}",
        holds=lambda name: f"{name} has the card",
        under=lambda card: f"Was a card laid just before, under {card}?",
        on_pile=lambda owner: f"The pile on {owner}'s side:",
        soon="Who laid it once both side cards were up? Nobody, if it was too soon: then it goes back.",
        had_drawn="Who says so, and had drawn before? Nobody, if a card was still to be drawn.",
        lay=lambda player, card: f"Did {player}’s card ({card}) lie there when the totem was touched?",
        already="Yes, it lay there",
        not_yet="No, it came after the touch",
        calls={
            "blocked": "I am stuck",
            "pass": "I pass",
            "pass-specials": "I pass: nothing but specials",
            "joker": "The joker is worth …",
            "forgot": "Somebody forgot to draw",
            "show": "I show my force to the hooded camera",
            "lay": "My force lies",
            "take": "I take a card",
            "challenge": "I challenge",
            "accept": "The cards shown count",
        },
        choice={
            "joker": lambda value: value,
            "forgot": lambda name: f"{name} forgot",
            "take": lambda card: f"Take the {card}",
            "challenge": lambda name: f"Challenge {name}",
        },
        notices={
            "force-moved": lambda about: f"{about['player']}’s force was moved.",
            "not-the-forces": lambda about: "These are not the forces that were laid. Look again.",
            "force-not-seen": lambda about: f"No force can be seen of {about['player']}: say that it lies.",
            "not-read": lambda about: f"{about['player']}’s card was not read: show it again.",
            "was-read": lambda about: f"{about['player']}’s card was read.",
        },
        seat_states={"free": "free", "offered": "code shown", "taken": "on a phone"},
        waits={
            "centre": lambda names: "Lay the score cards open",
            "reveal": lambda names: "Shuffle the forces and lay them open",
            "commit": lambda names: f"Forces: {listed_and(list(names))}",
        },
    ),
    "fr": Words(
        labels={
            "scoreboard": "Tableau",
            "first-page": "Vers la première page",
            "no-page": "Cette page n'existe pas.",
            "no-game": "Aucune partie n'est en cours ici.",
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
            "seat": "Place",
            "seats": "Places et téléphones",
            "seat-how": "Scannez le code que montre le meneur.",
            "seat-wrong": "Ce code ne marche plus. Demandez-en un autre.",
            "seat-gone": "Cette place a été reprise. Demandez un autre code.",
            "seat-hand-out": "Montrer un code",
            "seat-take-back": "Reprendre",
            "seat-close": "Fermer",
            "leave": "Quitter cette place",
            "say": "Dire",
            "nothing-to-say": "Rien à dire pour l'instant.",
            "force": "Votre force",
            "force-choose": "Choisissez-la, puis posez-la face cachée.",
            "force-chosen": "C'est choisi. Posez-la face cachée. D'ici là, vous pouvez changer.",
            "force-laid": "Elle est posée. Rien à faire.",
            "force-late": "Elle est posée : dites quelle carte c'est.",
            "force-wrong": "Ce ne peut pas être cette carte.",
            "force-hide": "Cacher",
            "force-show": "Voir mes cartes",
            "for": "Pour",
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
        fell="Le totem est tombé. Qui l'a renversé\N{NO-BREAK SPACE}?",
        by_itself="Personne, ou personne ne sait qui",
        too="Qui l'a saisi aussi, ensuite ?",
        corrections={"who": "Qui était-ce ?", "card": "Quelle carte était-ce ?"},
        recount=lambda pile: f"Cartes comptées à la main : {pile}",
        holds=lambda name: f"La carte est à {name}",
        under=lambda card: f"Une carte a-t-elle été posée juste avant, sous {card} ?",
        on_pile=lambda owner: f"La pile du côté de {owner} :",
        soon="Qui l'a posée une fois les deux cartes retournées ? Personne, si c'était trop tôt : elle est reprise.",
        had_drawn="Qui le dit, et avait pioché avant ? Personne, s'il restait une carte à piocher.",
        lay=lambda player, card: f"La carte {de(player)} ({card}) était-elle là quand le totem a été touché ?",
        already="Oui, elle était là",
        not_yet="Non, elle est venue après",
        calls={
            "blocked": "Je suis bloqué",
            "pass": "Je passe",
            "pass-specials": "Je passe : que des spéciales",
            "joker": "Le joker vaut …",
            "forgot": "Quelqu'un n'a pas pioché",
            "show": "Je montre ma force à la caméra cachée",
            "lay": "Ma force est posée",
            "take": "Je prends une carte",
            "challenge": "Je défie",
            "accept": "Les cartes montrées comptent",
        },
        choice={
            "joker": lambda value: value,
            "forgot": lambda name: f"{name} n'a pas pioché",
            "take": lambda card: f"Prendre le {card}",
            "challenge": lambda name: f"Défier {name}",
        },
        notices={
            "force-moved": lambda about: f"La force {de(about['player'])} a bougé.",
            "not-the-forces": lambda about: "Ce ne sont pas les forces posées. Regardez encore.",
            "force-not-seen": lambda about: f"On ne voit pas la force {de(about['player'])} : dites qu'elle est posée.",
            "not-read": lambda about: f"La carte {de(about['player'])} n'a pas été lue : montrez-la encore.",
            "was-read": lambda about: f"La carte {de(about['player'])} a été lue.",
        },
        seat_states={"free": "libre", "offered": "code affiché", "taken": "sur un téléphone"},
        waits={
            "centre": lambda names: "Étalez les cartes de score",
            "reveal": lambda names: "Mélangez les forces et étalez-les",
            "commit": lambda names: f"Forces : {listed_et(list(names))}",
        },
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
