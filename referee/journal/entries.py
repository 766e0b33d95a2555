"""What a journal keeps: entries of a few kinds, each a word with the line it is written as.

Belongs here: the kinds, what an entry and a game's settings look like. Does not belong here: where they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.errors import RecordError

HEADER, EVENT, RULING = "header", "event", "ruling"
DECISION = "decision"
EVIDENCE, EVIDENCE_GONE = "evidence", "evidence-gone"
PIN, UNPIN = "pin", "unpin"
SETTINGS = "settings"
UPHELD, APPEAL, NOTE = "upheld", "appeal", "note"
ENDED, INTERRUPTED = "ended", "interrupted"

RECORD_KINDS = frozenset((HEADER, EVENT, RULING))
"""The kinds whose lines, in order, are the game record."""

KEYS: Mapping[str, frozenset[str]] = {
    HEADER: frozenset(("record", "game", "players")),
    EVENT: frozenset(("t_us", "event")),
    RULING: frozenset(("t_us", "ruling")),
    DECISION: frozenset(("place",)),
    EVIDENCE: frozenset(("id", "kind", "name", "bytes", "sha256", "places")),
    EVIDENCE_GONE: frozenset(("id", "why")),
    PIN: frozenset(("id",)),
    UNPIN: frozenset(("id",)),
    SETTINGS: frozenset(("begun", "engine")),
    UPHELD: frozenset(("place", "by", "reason")),
    APPEAL: frozenset(("place", "player")),
    NOTE: frozenset(),
    ENDED: frozenset(),
    INTERRUPTED: frozenset(),
}
"""Every kind, with the keys its word must have."""


@dataclass(frozen=True)
class Entry:
    """One thing to keep: its kind (one of `KEYS`) and its word, a JSON object."""

    kind: str
    word: Mapping[str, Any]


@dataclass(frozen=True)
class Settings:
    """What a game was played with.

    `begun` is the wall clock's date and time, ISO 8601 with offset (only lists use it); `engine` the program's version;
    `profile` the profile's text and `profile_hash` its digest; `deck` how often each card is in it.
    """

    begun: str
    engine: str
    options: Mapping[str, Any] = field(default_factory=dict)
    profile: str | None = None
    profile_hash: str | None = None
    deck_name: str | None = None
    deck: Mapping[str, int] = field(default_factory=dict)

    def word(self) -> dict[str, Any]:
        """As it is kept; what is not known is left out."""
        word = {
            "begun": self.begun,
            "engine": self.engine,
            "options": dict(self.options),
            "profile": self.profile,
            "profile_hash": self.profile_hash,
            "deck_name": self.deck_name,
            "deck": dict(self.deck),
        }
        return {key: value for key, value in word.items() if value is not None}


def entry_of(word: Mapping[str, Any]) -> Entry:
    """A word of a record as an entry; raises `RecordError` for a word that is no header, event or ruling."""
    if "ruling" in word:  # `rejected` names an event too
        return Entry(RULING, word)
    if "event" in word:
        return Entry(EVENT, word)
    if "record" in word:
        return Entry(HEADER, word)
    raise RecordError("neither a header nor an event nor a ruling; expected a word of a game record")


def check_entry(entry: Entry) -> None:
    """Raise `RecordError` for a kind that is not known or a word that lacks a key."""
    keys = KEYS.get(entry.kind)
    if keys is None:
        raise RecordError(f"entry: {entry.kind} is no kind of entry, expected one of {', '.join(KEYS)}")
    if missing := keys - entry.word.keys():
        raise RecordError(f"entry {entry.kind}: {', '.join(sorted(missing))} is missing")
