"""Secrets in a game that is played or taken in: when they are given up, and what has to be kept so that they can be.

Belongs here: the listener that gives them up, and results of challenges for a record that has none. Does not belong
here: how a secret is sealed (`referee.sealing`), where it lies (`referee.journal.vault`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from referee.adjudication import Game, adjudicate
from referee.ledger import Given
from referee.record import Record
from referee.sealing import with_result
from referee.words import Event

WITH_CHALLENGES = ("jungle-bluff",)
ENDS = {"round-over": "the round is over", "over": "the game is over"}
Forget = Callable[[str], Any]
"""Gives up all secrets that are kept so far; told why."""


class GivesUpSecrets:
    """A listener: when a round ends, and when the game does, its secrets are given up for good."""

    def __init__(self, forget: Forget) -> None:
        self._forget = forget

    def given(self, given: Sequence[Given]) -> None:
        """Rulings were kept."""
        for why in dict.fromkeys(ENDS[kind] for one in given if (kind := one.ruling["ruling"]) in ENDS):
            self._forget(why)

    def noticed(self, notice: object) -> None:
        """Nothing to do."""

    def stands(self, snapshot: object) -> None:
        """Nothing to do."""


def with_results(record: Record) -> list[Event]:
    """A record's lines, each challenge with the result that is ruled on it, so that its secrets can be given up.

    Raises `RecordError` for a header that is refused.
    """
    if record.header["game"] not in WITH_CHALLENGES:
        return list(record.lines)
    judged = adjudicate(Game(record.header), record.events)
    right = {id(step.event): with_result(step.event, rulings) for step, rulings in judged}
    return [right.get(id(line), line) for line in record.lines]
