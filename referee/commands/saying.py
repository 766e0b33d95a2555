"""Kept rulings as lines for a terminal, whatever a file holds.

Belongs here: what commands that show kept games have in common. Does not belong here: the words (`referee.announce`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.announce.phrases import seconds
from referee.announce.sentences import margin_sentence, ruling_sentence
from referee.cli import one_line
from referee.record import to_line
from referee.words import Ruling

NOT_AS_KEPT = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What comes of a ruling that somebody changed and that lacks what its words need."""


def said(ruling: Ruling, language: str, game: str) -> str:
    """A ruling in words; as it stands where it lacks what the words need: somebody changed the file."""
    try:
        return one_line(ruling_sentence(ruling, language, game))
    except NOT_AS_KEPT:
        return one_line(to_line(ruling).decode().strip())


def how_close(margin: Mapping[str, Any] | None, language: str) -> str:
    """A margin in words, "" where there is none."""
    try:
        return one_line(margin_sentence(margin, language))
    except NOT_AS_KEPT:
        return ""


def at(t_us: int) -> str:
    """A time of the table clock."""
    return f"{seconds(t_us, 3):>9} s"
