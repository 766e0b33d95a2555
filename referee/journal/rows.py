"""What a journal answers: searches, rows of lists, one game.

Belongs here: the shape of questions and answers. Does not belong here: how they are found (`referee.journal.reading`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from referee.record import Record
from referee.words import Event, Header, Ruling


@dataclass(frozen=True)
class Search:
    """What is looked for; None (and "") matches all. Names and text are compared without regard to case.

    `kind` is a kind of ruling; `closer_than_us` finds rulings whose margin in time is smaller, and games that hold one
    (of that kind). `text` is looked for in the game's name, its players and its notes.
    """

    player: str | None = None
    day_from: date | None = None
    day_to: date | None = None
    game: str | None = None
    kind: str | None = None
    closer_than_us: int | None = None
    text: str = ""
    state: str | None = None


EVERYTHING = Search()


@dataclass(frozen=True)
class GameRow:
    """A game in a list. `begun` is ISO 8601 (None: not known), `state` running, ended or interrupted."""

    key: str
    name: str
    players: tuple[str, ...]
    begun: str | None
    state: str
    events: int
    rulings: int
    last_us: int
    closest_us: int | None
    open_appeals: int


@dataclass(frozen=True)
class RulingRow:
    """A ruling in a list; `place` names it within its game, `closeness_us` None where no time decided it."""

    key: str
    place: int
    kind: str
    t_us: int
    closeness_us: int | None
    players: tuple[str, ...]
    stands: bool
    upheld: bool
    appealed: bool


@dataclass(frozen=True)
class EvidenceRow:
    """A piece of evidence: `path` is where its file lies, `gone` why it was deleted, `places` the rulings it shows."""

    id: str
    key: str
    kind: str
    path: Path
    bytes: int
    sha256: str
    from_us: int | None
    to_us: int | None
    places: tuple[int, ...]
    pinned: bool
    gone: str | None


@dataclass(frozen=True)
class KeptRuling:
    """A ruling of a kept game: its place, and the index of the event after which it was given (-1: before any)."""

    place: int
    ruling: Ruling
    event: int
    stands: bool


@dataclass(frozen=True)
class KeptGame:
    """One game, whole. `lines` are its events and rulings as they were kept; `decisions` by the ruling's place.

    `judged` are the events with the secrets that are still there: for working the game out again, and never shown.
    """

    row: GameRow
    header: Header
    lines: Sequence[Event]
    events: Sequence[Event]
    rulings: Sequence[KeptRuling]
    decisions: Mapping[int, Mapping[str, Any]]
    evidence: Sequence[EvidenceRow]
    settings: Sequence[Mapping[str, Any]]
    upheld: Sequence[Mapping[str, Any]]
    appeals: Sequence[Mapping[str, Any]]
    notes: Sequence[Mapping[str, Any]]
    judged: Sequence[Event]

    def record(self) -> Record:
        """The game as a record."""
        return Record(self.header, list(self.events), list(self.lines))


@dataclass(frozen=True)
class ApartRecord:
    """One game for whoever judges it again: `events` with the secrets that are still there, `given` as lines.

    `whole`: no secret of it is gone.
    """

    header: Header
    events: list[Event]
    given: Sequence[bytes]
    whole: bool
