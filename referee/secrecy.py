"""Records that are taken in with their secrets: what has to be kept so that the secrets can be given up.

Belongs here: results of challenges for a record that has none. Does not belong here: how a secret is sealed
(`referee.sealing`), where it lies (`referee.journal.vault`), a running game (`referee.private`).
"""

from __future__ import annotations

from referee.adjudication import Game, adjudicate
from referee.record import Record
from referee.sealing import with_result
from referee.words import Event

WITH_CHALLENGES = ("jungle-bluff",)


def with_results(record: Record) -> list[Event]:
    """A record's lines, each challenge with the result that is ruled on it, so that its secrets can be given up.

    Raises `RecordError` for a header that is refused.
    """
    if record.header["game"] not in WITH_CHALLENGES:
        return list(record.lines)
    judged = adjudicate(Game(record.header), record.events)
    right = {id(step.event): with_result(step.event, rulings) for step, rulings in judged}
    return [right.get(id(line), line) for line in record.lines]
