"""The clause catalogues: every rule of every game with its sentence, in English and in French.

Belongs here: reading `seeds/<game>.toml`, checking it, and finding a clause or a decision by its id.
Does not belong here: the state of a game, what follows from a rule, how a page of rules looks.

A *clause* is one rule of a game's source; a *decision* is what stands where the source is silent or
contradicts itself, with the house option that changes it, where there is one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from referee.errors import InputError
from referee.resources import resource

LANGUAGES = ("en", "fr")

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | Mapping[str, Value]"
"""A value of a house option, as it stands in a record's header; lists are tuples, tables are read-only."""

# The prefix of a game's own ids; the order is that of the games wherever all of them are listed.
PREFIXES: Mapping[str, str] = {"jungle-speed": "JS", "speed": "SP", "dobro": "DO", "jungle-bluff": "JB"}

_DISPUTE = re.compile(r"D-[0-9][0-9]")
_PARAGRAPH = re.compile(r"[a-z]+(-[a-z]+)*(-[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence in both languages; both are empty where there is nothing to say."""

    en: str
    fr: str

    def said(self, language: str) -> str:
        """The sentence in French for `fr`, in English for anything else."""
        return self.fr if language == "fr" else self.en


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule: its sentence, where its source states it, what it asks of the sensors and of the voice."""

    id: str
    title: Text
    text: Text
    lines: tuple[int, ...]
    implied: bool
    observe: Text
    announce: Text


@dataclass(frozen=True, slots=True)
class Decision:
    """What stands where the source is silent; `option` is empty where no house rule changes it.

    `values` are the option's values, or a description where they cannot be listed (numbers, tables).
    """

    id: str
    title: Text
    text: Text
    option: str
    default: Value | None
    values: tuple[Value, ...] | str
    reason: Text
    disputes: tuple[str, ...]


Entry: TypeAlias = Clause | Decision


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All clauses and decisions of one game, in the order of its file."""

    game: str
    name: Text
    source: str
    clauses: tuple[Clause, ...]
    decisions: tuple[Decision, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Clauses first, then decisions."""
        return self.clauses + self.decisions

    def find(self, clause_id: str) -> Entry | None:
        """The clause or decision of that id, or None."""
        return next((entry for entry in self.entries if entry.id == clause_id), None)

    def near(self, word: str) -> list[str]:
        """At most three ids that somebody who wrote `word` may have meant, best first."""
        wanted = _bare(word)
        ids = {_bare(entry.id): entry.id for entry in self.entries}
        ends = [bare for bare in ids if wanted and bare.endswith(wanted)]
        similar = get_close_matches(wanted, list(ids), n=3)
        return [ids[bare] for bare in dict.fromkeys(ends + similar)][:3]


@cache
def games() -> tuple[str, ...]:
    """The games whose catalogue ships with the program."""
    seeds = resource("seeds")
    return tuple(game for game in PREFIXES if (seeds / f"{game}.toml").is_file())


@cache
def load(game: str) -> Catalogue:
    """The catalogue of a game; raises `InputError` for a game there is none of, or a broken catalogue."""
    known = games()
    if game not in known:
        near = get_close_matches(game.casefold(), known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the games are {', '.join(known)}"
        raise InputError(f"no rules for the game {game}: {hint}")
    return read(resource("seeds") / f"{game}.toml")


@lru_cache(maxsize=1024)  # explaining a whole game asks for few clauses many times
def find(clause_id: str, game: str | None = None) -> Entry | None:
    """The clause or decision of that id in one game, or in any; None where there is none.

    Ids are unique across the games, so the first catalogue that has it is the only one. Raises `InputError`
    for a `game` without a catalogue.
    """
    if game is not None:
        return load(game).find(clause_id)
    # The catalogue that the prefix points to comes first: most look-ups then read one file only.
    likely_first = sorted(games(), key=lambda name: not clause_id.startswith((f"{PREFIXES[name]}-", f"{name}-")))
    for name in likely_first:
        entry = load(name).find(clause_id)
        if entry is not None:
            return entry
    return None


def sentence(clause_id: str, language: str) -> str | None:
    """Title and rule in one line, for explaining a ruling; None for an id that no catalogue has."""
    entry = find(clause_id)
    if entry is None:
        return None
    return f"{entry.title.said(language)} — {entry.text.said(language)}"


def read(path: Path) -> Catalogue:
    """Read and check one catalogue file; raises `InputError` that names the file, the entry and the key."""
    try:
        page = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: expected TOML in UTF-8: {error}") from error
    top = _Table(path.name, page)
    top.allow("game", "name", "source", "clause", "decision")
    game = top.word("game")
    if game not in PREFIXES:
        raise top.wrong("game", f"expected one of {', '.join(PREFIXES)}")
    if game != path.stem:
        raise top.wrong("game", f"expected {path.stem}, the name of the file")
    catalogue = Catalogue(
        game=game,
        name=top.text("name"),
        source=top.word("source"),
        clauses=tuple(_clause(table, PREFIXES[game]) for table in top.tables("clause")),
        decisions=tuple(_decision(table, PREFIXES[game]) for table in top.tables("decision")),
    )
    seen: set[str] = set()
    for entry in catalogue.entries:
        if entry.id in seen:
            raise InputError(f"{path.name}: id {entry.id}: expected once, found again")
        seen.add(entry.id)
    return catalogue


def _bare(clause_id: str) -> str:
    """An id without dashes and capitals: how people type it in a hurry."""
    return clause_id.replace("-", "").casefold()


def _clause(table: _Table, prefix: str) -> Clause:
    table.allow("id", "title", "text", "lines", "implied", "observe", "announce")
    name = table.word("id")
    if not re.fullmatch(rf"{prefix}-[0-9][0-9]", name):
        raise table.wrong("id", f"expected {prefix}- and two digits")
    return Clause(
        id=name,
        title=table.text("title"),
        text=table.text("text"),
        lines=table.line_numbers("lines"),
        implied=table.truth("implied"),
        observe=table.text("observe", may_be_empty=True),
        announce=table.text("announce", may_be_empty=True),
    )


def _decision(table: _Table, prefix: str) -> Decision:
    table.allow("id", "title", "text", "option", "default", "values", "reason", "disputes")
    name = table.word("id")
    if not re.fullmatch(rf"{prefix}-G[0-9][0-9][a-z]?", name) and not _PARAGRAPH.fullmatch(name):
        raise table.wrong("id", f"expected {prefix}-G and two digits, or the name of a paragraph")
    option = table.word("option", may_be_empty=True)
    default, values = table.option_values() if option else table.no_option_values()
    return Decision(
        id=name,
        title=table.text("title"),
        text=table.text("text"),
        option=option,
        default=default,
        values=values,
        reason=table.text("reason"),
        disputes=table.dispute_ids("disputes"),
    )


class _Table:
    """One table of the file under check; every method takes a key and raises `InputError` that names it."""

    def __init__(self, where: str, page: Mapping[str, object]) -> None:
        self.where = where
        self.page = page

    def wrong(self, key: str, expected: str) -> InputError:
        return InputError(f"{self.where}: {key}: {expected}")

    def allow(self, *keys: str) -> None:
        for key in self.page:
            if key not in keys:
                raise self.wrong(key, f"expected no such key (the keys are {', '.join(keys)})")

    def get(self, key: str) -> object:
        if key not in self.page:
            raise self.wrong(key, "expected this key, it is missing")
        return self.page[key]

    def word(self, key: str, may_be_empty: bool = False) -> str:
        value = self.get(key)
        if not isinstance(value, str) or (not value.strip() and not may_be_empty):
            raise self.wrong(key, "expected text" if may_be_empty else "expected text that is not empty")
        return value

    def truth(self, key: str) -> bool:
        value = self.get(key)
        if not isinstance(value, bool):
            raise self.wrong(key, "expected true or false")
        return value

    def text(self, key: str, may_be_empty: bool = False) -> Text:
        value = self.get(key)
        if not isinstance(value, dict):
            raise self.wrong(key, "expected text in both languages, { en = …, fr = … }")
        both = _Table(f"{self.where}: {key}", value)
        both.allow(*LANGUAGES)
        text = Text(en=both.word("en", may_be_empty), fr=both.word("fr", may_be_empty))
        if bool(text.en) != bool(text.fr):
            raise self.wrong(key, "expected text in both languages or in neither")
        return text

    def items(self, key: str) -> list[object]:
        value = self.get(key)
        if not isinstance(value, list):
            raise self.wrong(key, "expected a list")
        return value

    def tables(self, key: str) -> list[_Table]:
        found = []
        for place, item in enumerate(self.items(key), start=1):
            if not isinstance(item, dict):
                raise self.wrong(key, f"expected tables, [[{key}]]")
            name = item.get("id")
            named = isinstance(name, str) and name.isprintable() and name
            label = f"{key} {place} ({name})" if named else f"{key} {place}"
            found.append(_Table(f"{self.where}: {label}", item))
        return found

    def line_numbers(self, key: str) -> tuple[int, ...]:
        numbers: list[int] = []
        for item in self.items(key):
            if isinstance(item, bool) or not isinstance(item, int) or item < 1:
                raise self.wrong(key, "expected line numbers, counted from 1")
            numbers.append(item)
        return tuple(numbers)

    def dispute_ids(self, key: str) -> tuple[str, ...]:
        names: list[str] = []
        for item in self.items(key):
            if not isinstance(item, str) or not _DISPUTE.fullmatch(item):
                raise self.wrong(key, "expected ids of disputes, D- and two digits")
            names.append(item)
        return tuple(names)

    def option_values(self) -> tuple[Value, tuple[Value, ...] | str]:
        default = self.value("default", self.get("default"))
        values = self.get("values")
        if isinstance(values, str):
            return default, self.word("values")
        listed = tuple(self.value("values", item) for item in self.items("values"))
        # Python holds True equal to 1; a record's header does not, so the type is compared as well.
        if not any(type(item) is type(default) and item == default for item in listed):
            raise self.wrong("default", "expected one of the values")
        return default, listed

    def no_option_values(self) -> tuple[None, tuple[Value, ...]]:
        for key in ("default", "values"):
            if key in self.page:
                raise self.wrong(key, "expected only together with an option")
        return None, ()

    def value(self, key: str, item: object) -> Value:
        if isinstance(item, bool | int | float | str):
            return item
        if isinstance(item, list):
            return tuple(self.value(key, part) for part in item)
        if isinstance(item, dict):
            return MappingProxyType({name: self.value(key, part) for name, part in item.items()})
        raise self.wrong(key, "expected true, false, a number, text, a list or a table")
