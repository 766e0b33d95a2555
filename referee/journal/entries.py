"""What a journal keeps: entries of a few kinds, each a word with the line it is written as.

Belongs here: the kinds, what an entry and a game's settings look like. Does not belong here: where they are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
SEALED, OPENED, SECRETS_GONE = "sealed", "opened", "secrets-gone"

RECORD_KINDS = frozenset((HEADER, EVENT, RULING))
"""The kinds whose lines, in order, are the game record."""

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
"""Names of evidence and its files: no folder, no way out of one, no hidden file."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_places(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_whole, value))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and SAFE_NAME.fullmatch(value) is not None


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


KEYS: Mapping[str, Mapping[str, Callable[[object], bool]]] = {
    HEADER: {"record": _is_text, "game": _is_text, "players": _are_texts},
    EVENT: {"t_us": _is_whole, "event": _is_text},
    RULING: {"t_us": _is_whole, "ruling": _is_text},
    DECISION: {"place": _is_whole},
    EVIDENCE: {
        "id": _is_name, "kind": _is_text, "name": _is_name, "bytes": _is_whole, "sha256": _is_text, "places": _is_places
    },
    EVIDENCE_GONE: {"id": _is_name, "why": _is_text},
    PIN: {"id": _is_name},
    UNPIN: {"id": _is_name},
    SETTINGS: {"begun": _is_text, "engine": _is_text},
    UPHELD: {"place": _is_whole, "by": _is_text, "reason": _is_text},
    APPEAL: {"place": _is_whole, "player": _is_text},
    NOTE: {},
    SEALED: {"sealed": _is_text, "round": _is_whole, "player": _is_text},
    OPENED: {"sealed": _is_text, "salt": _is_text, "value": _is_text},
    SECRETS_GONE: {"why": _is_text, "seals": _are_texts},
    ENDED: {},
    INTERRUPTED: {},
}  # fmt: skip
"""Every kind, with the keys its word must have and what they must be."""


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
    """Raise `RecordError` for a kind that is not known, or a word that lacks a key or holds something else there."""
    keys = KEYS.get(entry.kind)
    if keys is None:
        raise RecordError(f"entry: {entry.kind} is no kind of entry, expected one of {', '.join(KEYS)}")
    for key, fits in keys.items():
        if key not in entry.word:
            raise RecordError(f"entry {entry.kind}: {key} is missing")
        if not fits(entry.word[key]):
            raise RecordError(f"entry {entry.kind}: {key} is not what it must be ({type(entry.word[key]).__name__})")
    if entry.kind == RULING and entry.word["ruling"] == "overturned" and not _is_places(entry.word.get("refs")):
        raise RecordError("entry ruling: overturned without refs, expected the places of the rulings it makes void")
