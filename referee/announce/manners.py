"""How a ruling is said: how much it matters and how long it is worth saying.

Belongs here: one table from a kind of ruling to its manner. Does not belong here: the words (`sentences`), whether
it may be said (`publicity`), or the order in which things are said (`speech.agenda`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from referee.words import Ruling

SECOND_US = 1_000_000


class Importance(IntEnum):
    """What gives way to what: a reminder to a notice, a notice to a ruling, a ruling to nothing."""

    REMINDER = 0
    NOTICE = 1
    RULING = 2


@dataclass(frozen=True, slots=True)
class Manner:
    """Importance; for how long after it was given it is still worth saying (None: always).

    `replaces`: a newer one of the same kind makes it out of date. `brief`: its first phrase is enough for the ear.
    """

    importance: Importance
    lives_us: int | None = None
    replaces: bool = False
    brief: bool = False


_RULING = Manner(Importance.RULING)

MANNERS: Mapping[str, Manner | None] = {
    # Jungle Speed. An arrow is seen by everybody: late, it only disturbs.
    "duel": Manner(Importance.NOTICE, 1_500_000),
    "arrow": Manner(Importance.NOTICE, 2 * SECOND_US),
    "colour-mode": Manner(Importance.NOTICE, 10 * SECOND_US, replaces=True),
    "warning": Manner(Importance.NOTICE, 6 * SECOND_US),
    # Dobro and Jungle Bluff: these come with every card and tell only the latest.
    "value": Manner(Importance.NOTICE, 4 * SECOND_US, replaces=True),
    "holds": Manner(Importance.NOTICE, 6 * SECOND_US, replaces=True),
    # Speed: a countdown that comes late starts nobody.
    "turn-up": Manner(Importance.NOTICE, 5 * SECOND_US, replaces=True),
    # That a person decides is on the screen, and the same every time.
    "undecided": Manner(Importance.RULING, brief=True),
    # About the record and not about the game: shown to the operator, not said to the table.
    "rejected": None,
}
"""A kind that is not here is a ruling: said whatever happens, unless it is overturned before. None is never said."""


def for_the_ear(ruling: Ruling) -> Ruling:
    """The ruling without what goes without saying: who alone picks up cards, or puts them into the pot, goes on.

    It saves a third of the commonest announcements; what is shown or written keeps it.
    """
    following = ruling.get("next")
    about = [ruling.get("player")] if ruling["ruling"] == "to-pot" else [*ruling.get("picks_up", ())]
    return {**ruling, "next": None} if following is not None and about == [following] else ruling


def manner_of(ruling: Ruling) -> Manner | None:
    """How to say this ruling aloud; None when it is not for saying."""
    return MANNERS.get(ruling["ruling"], _RULING)
