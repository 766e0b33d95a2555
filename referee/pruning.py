"""Removing and pinning the evidence of a journal.

Written rules of this module:
- evidence goes by moments: all files of a stretch of time, and a pin on one of them holds all;
- the journal says that a file is gone before it goes; one that is still there afterwards goes the next time;
- what a program that was killed left behind is taken up where it is whole, and removed where it is not: only files
  that bear a name evidence has, only in the folders of the latest games and of those that did not end.
Does not belong here: the choice (`referee.evidence.quota`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from referee.amounts import amount
from referee.errors import RecordError
from referee.evidence.files import OWN_NAME, SHEET, stretch_of
from referee.evidence.quota import Held, to_go
from referee.evidence.settings import EvidenceSettings
from referee.journal import entries as kinds
from referee.journal.derived import INTERRUPTED
from referee.journal.entries import Entry
from referee.journal.files import EVIDENCE
from referee.journal.reading import EvidenceRow, JournalView, Search
from referee.journal.store import Journal

SECONDS_A_DAY = 86_400.0
LATEST_GAMES = 50


@dataclass(frozen=True)
class Moment:
    """The files kept of one stretch of a game, and when the game began."""

    rows: tuple[EvidenceRow, ...]
    begun: str | None

    @property
    def bytes(self) -> int:
        """What they take."""
        return sum(row.bytes for row in self.rows)

    @property
    def pinned(self) -> bool:
        """Whether it stays whatever the quota says."""
        return any(row.pinned for row in self.rows)


def moments(view: JournalView) -> list[Moment]:
    """All that is kept, the oldest first."""
    found: dict[tuple[object, ...], list[tuple[EvidenceRow, str | None]]] = {}
    for row, begun in view.kept_evidence():
        found.setdefault((row.key, row.from_us, row.to_us, row.places), []).append((row, begun))
    return [Moment(tuple(row for row, _ in rows), rows[0][1]) for rows in found.values()]


def prune(journal: Journal, settings: EvidenceSettings, now: datetime, running: str | None = None) -> list[Moment]:
    """Remove what the quota has no room for; returns it. Raises `OSError` where a file cannot be removed."""
    with JournalView.open(journal.folder) as view:
        kept = moments(view)
    held = [Held(one.bytes, _age_days(one.begun, now), one.pinned or one.rows[0].key == running) for one in kept]
    gone = [(kept[place], why) for place, why in to_go(held, settings.most_bytes, settings.most_days).items()]
    for moment, why in gone:
        journal.add(moment.rows[0].key, [Entry(kinds.EVIDENCE_GONE, {"id": row.id, "why": why}) for row in moment.rows])
        for row in moment.rows:
            row.path.unlink(missing_ok=True)
    return [moment for moment, _ in gone]


def take_up(journal: Journal) -> list[str]:
    """Bring to an end what was on its way when the program ended; returns what was done, in sentences.

    A stretch whose files are all there is named in the journal, other files that nobody names are removed. No game may
    be writing evidence. Raises `OSError`.
    """
    with JournalView.open(journal.folder) as view:
        rows = [*view.games(limit=LATEST_GAMES), *view.games(Search(state=INTERRUPTED), limit=LATEST_GAMES)]
        folders = {row.key: journal.folder / EVIDENCE / row.key for row in rows}
        known = {
            key: {one.path.name: one for one in view.game(key).evidence} for key in folders if folders[key].is_dir()
        }
        counts = {row.key: row.rulings for row in rows}
    said: list[str] = []
    for key, named in known.items():
        left = {path.name: path for path in folders[key].iterdir() if OWN_NAME.fullmatch(path.name)}
        unnamed = {name: path for name, path in left.items() if name not in named}
        gone = [path for name, path in left.items() if name in named and named[name].gone is not None]
        for name in sorted(unnamed):
            items = stretch_of(unnamed[name], unnamed, counts[key]) if name.endswith(SHEET) else []
            if items:
                journal.add(key, [Entry(kinds.EVIDENCE, item.word()) for item in items])
                files = amount(len(items), "file")
                said.append(f"game {key}: {files} of evidence that a crash left unnamed, named now")
            for item in items:
                unnamed[item.name] = folders[key]  # no file of its own any more
        lost = [path for path in unnamed.values() if path != folders[key]]
        for path in [*lost, *gone]:
            path.unlink(missing_ok=True)
        if lost:
            said.append(f"game {key}: {amount(len(lost), 'file')} of evidence that a crash left unfinished, removed")
    return said


def pin(journal: Journal, ids: Sequence[str], pinned: bool) -> None:
    """Pin evidence, or let it go again; raises `RecordError` for an id that is not there."""
    with JournalView.open(journal.folder) as view:
        rows = {one: view.evidence(one) for one in ids}
    for one, row in rows.items():
        if row is None or row.gone is not None:
            raise RecordError(f"{journal.folder}: there is no evidence {one}")
    for one, row in rows.items():
        if row is not None:
            journal.add(row.key, [Entry(kinds.PIN if pinned else kinds.UNPIN, {"id": one})])


def _age_days(begun: str | None, now: datetime) -> float | None:
    try:
        return None if begun is None else (now - datetime.fromisoformat(begun)).total_seconds() / SECONDS_A_DAY
    except (ValueError, TypeError):  # a date without an offset, or none: its age is not known
        return None
