"""Small games for the tests of the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.journal import entries as kinds
from referee.journal.entries import Entry, Settings
from referee.journal.store import Journal
from referee.words import Header

HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Bo", "Chloé"]}
SETTINGS = Settings("2026-03-01T19:00:00+01:00", "0.1", deck={"knot/red": 1})
FLIP: dict[str, Any] = {"t_us": 5, "event": "flip", "player": "Ana", "card": "knot/red"}
END: dict[str, Any] = {"t_us": 99, "event": "end"}


def won(t_us: int, by_us: int, winner: str = "Ana", loser: str = "Bo") -> dict[str, Any]:
    """A duel that was won by so many microseconds."""
    margin = {"by": "time", "us": by_us}
    return {"t_us": t_us, "ruling": "won", "winner": winner, "losers": [loser], "clauses": [], "public": True} | {
        "margin": margin
    }


def clip(name: str, places: list[int] | None = None) -> Entry:
    """A piece of evidence."""
    word = {"id": name, "kind": "clip", "name": f"{name}.webm", "bytes": 9, "sha256": "00", "places": places or [0]}
    return Entry(kinds.EVIDENCE, word)


def one_game(folder: Path, *rulings: dict[str, Any], settings: Settings = SETTINGS, header: Header = HEADER) -> str:
    """A journal with one more game that has ended; returns its key."""
    with Journal.open(folder) as journal:
        keeper = journal.begin(header, settings)
        keeper.keep([FLIP, *rulings])
        keeper.keep([END])
        keeper.close()
    return keeper.key
