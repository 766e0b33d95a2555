"""A journal of a few played games, for the tests of the commands that read journals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from referee.decision import decisions
from referee.journal import entries as kinds
from referee.journal.entries import Entry
from referee.journal.store import Journal
from referee.ledger import Ledger
from referee.sim.games import play
from tests.journal.samples import SETTINGS


def keep_games(folder: Path, count: int = 3, most_events: int = 90) -> list[str]:
    """Games of Ana, Bilal and Chloé, a month apart; their keys."""
    keys = []
    with Journal.open(folder) as journal:
        for seed in range(count):
            record = play(seed, ["Ana", "Bilal", "Chloé"], most_events=most_events, clumsy=0.1)
            ledger = Ledger(record.header)
            begun = f"2026-0{1 + seed}-15T20:00:00+01:00"
            keeper = journal.begin(record.header, replace(SETTINGS, begun=begun))
            for event in record.events:
                given = ledger.add(event)
                words = decisions(ledger.header, ledger.events, given)
                keeper.keep(
                    [event, *(one.ruling for one in given)], beside=[Entry(kinds.DECISION, word) for word in words]
                )
            keeper.close()
            keys.append(keeper.key)
    return keys
