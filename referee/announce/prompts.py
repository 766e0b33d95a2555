"""What the announcer says of itself, beside rulings: whose turn it is, and that a ruling does not hold.

Belongs here: these sentences in both languages. Does not belong here: rulings in words (`sentences`).
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.announce.outputs import Status

OVERTURNED: Mapping[str, str] = {
    "en": "Correction: the last ruling does not hold.",
    "fr": "Correction : la dernière décision est annulée.",
}
OVERTURNED_SEVERAL: Mapping[str, str] = {
    "en": "Correction: the last rulings do not hold.",
    "fr": "Correction : les dernières décisions sont annulées.",
}

_REMINDERS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "turn": "{name}, it is your turn.",
        "choose": "{name}, duel or arrow?",
        "share": "{name}, share out the cards.",
    },
    "fr": {
        "turn": "{name}, à toi de jouer.",
        "choose": "{name}, le duel ou la flèche ?",
        "share": "{name}, les cartes sont à répartir.",
    },
}


def reminder(status: Status, language: str) -> str:
    """What to say when the table waits too long for one person; empty when it waits for nobody by name."""
    words = _REMINDERS[language]
    if status.over:
        return ""
    if status.asked is not None:
        sentence = words.get(status.waiting_for, words["turn"])
        return sentence.format(name=status.asked)
    return words["turn"].format(name=status.turn) if status.turn is not None else ""
