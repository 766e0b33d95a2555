"""Game records: JSON Lines in and out, corrections applied.

Belongs here: records, the collecting reader and the strict one, the writer, and `correct`. Does not belong here:
which keys and types a word must have (`referee.record_checks`), whether an event can happen (`referee.rules`), or
where it came from.

A file may hold several records, one after another. Reading keeps one record in memory at a time; a line is
never read beyond its limit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import IO, Any, NamedTuple, cast

import orjson

from referee.errors import RecordError
from referee.record_checks import (
    EVENT_CHECKS,
    NAME_LIMIT,
    EventCheck,
    WrongWord,
    check_header,
    check_unknown_event,
    kind_of,
)
from referee.words import Event, Header, Ruling

LINE_LIMIT_BYTES = 1024 * 1024
NESTING_LIMIT = 200  # levels; what is deeper than 254 could be read but not written again


class Defect(NamedTuple):
    """One thing wrong with a file: where it stands and what was expected there."""

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}"
        return f"{place}, {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


class DefectiveFileError(RecordError):
    """A record (or a file of records) that has defects; `defects` holds all that were looked for."""

    def __init__(self, name: str, defects: list[Defect]) -> None:
        more = "" if len(defects) == 1 else f" (and {len(defects) - 1} more)"
        super().__init__(f"{name}, {defects[0]}{more}")
        self.name, self.defects = name, defects

    def __reduce__(self) -> tuple[type[DefectiveFileError], tuple[str, list[Defect]]]:
        """So that it can be raised in one process and told by another."""
        return DefectiveFileError, (self.name, self.defects)


@dataclass(frozen=True, slots=True)
class Record:
    """One game: its header, its events in the order in which they happened, and all its lines.

    `lines` holds events and kept rulings as they stood in the file; `events` only the events, which is what
    `ref` and `before` of a correction count. `header_line` is the header's line number in its file.
    """

    header: Header
    events: list[Event]
    lines: list[Event]
    header_line: int = 1

    @property
    def rulings(self) -> list[Ruling]:
        """The rulings that were kept with the events."""
        return [dict(line) for line in self.lines if "ruling" in line]


class Step(NamedTuple):
    """One event as it counts after all corrections.

    `place` is the event's place among the record's events; `refused` says why a `correct` is no good (the
    step is then ruled `rejected`), else it is empty.
    """

    place: int
    event: Event
    refused: str = ""


_new_step = partial(tuple.__new__, Step)  # from a whole tuple: a third of the time of calling Step


# --- reading --------------------------------------------------------------------------------------------


def read_records(stream: IO[bytes], name: str) -> Iterator[Record]:
    """The records of a file, one at a time; stops at a record's first defect.

    Raises `DefectiveFileError` (a `RecordError`) that names file, line and key, with every defect of the file from
    there on. Records before the defective one have been yielded by then.
    """
    read = Reader(stream)
    for found in read:
        if isinstance(found, Defect):
            raise DefectiveFileError(name, [found, *(other for other in read if isinstance(other, Defect))])
        yield found


def find_defects(stream: IO[bytes]) -> list[Defect]:
    """Every defect of a file of records, in order; an empty list when there is none."""
    return [found for found in Reader(stream) if isinstance(found, Defect)]


class Reader:
    """Reads a stream of lines and yields whole records and defects as they come.

    A record that has a defect is not yielded; reading goes on at the next line.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._found = self._read()

    def __iter__(self) -> Iterator[Record | Defect]:
        return self._found

    def _read(self) -> Iterator[Record | Defect]:
        header: Header | None = None
        header_line, sound, any_line = 1, True, False
        events: list[Event] = []
        lines = events
        checks: Mapping[str, EventCheck] = {}
        number = 0
        readline = self._stream.readline
        while raw := readline(LINE_LIMIT_BYTES + 1):
            number += 1
            if number == 1 and raw.startswith(_UTF_16_MARKS):
                yield Defect(1, "", _NOT_UTF_8)  # its line breaks are not ours: one sentence for the whole file
                return
            if len(raw) > LINE_LIMIT_BYTES and raw[LINE_LIMIT_BYTES:] != b"\n":
                self._skip_rest_of_line(raw)
                yield Defect(number, "", f"longer than {LINE_LIMIT_BYTES} bytes")
                sound = False
                continue
            try:
                word = parse_line(raw if number > 1 else _without_mark(raw))
                if word is None:
                    continue
                any_line = True
                if (kind := word.get("event")) is not None and "ruling" not in word:  # `rejected` names an event too
                    if header is None:
                        if sound:
                            raise WrongWord("", 'an event before any header; expected a header with "record"')
                        continue
                    check = checks.get(kind, check_unknown_event) if type(kind) is str else check_unknown_event
                    check(word)
                    events.append(word)
                    if lines is not events:
                        lines.append(word)
                elif "record" in word:
                    if header is not None and sound:
                        yield Record(header, events, lines, header_line)
                    header, sound, header_line = None, False, number
                    events = lines = []
                    check_header(word)
                    header, sound = cast(Header, word), True
                    checks = EVENT_CHECKS[header["game"]]
                elif "ruling" in word:
                    if lines is events:  # one list serves for both until the first kept ruling
                        lines = [*events]
                    lines.append(word)
                else:
                    raise WrongWord("", 'neither "event" nor "ruling" nor "record" is there')
            except WrongWord as wrong:
                sound = False
                yield Defect(number, wrong.key, wrong.message)
        if header is not None and sound:
            yield Record(header, events, lines, header_line)
        elif not any_line and sound:
            yield Defect(1, "", "the file is empty; expected a header")

    def _skip_rest_of_line(self, part: bytes) -> None:
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(LINE_LIMIT_BYTES)


def parse_line(raw: bytes) -> dict[str, Any] | None:
    """One line as a JSON object; None for a blank line."""
    try:
        word = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if not raw.strip():
            return None
        raise WrongWord("", _why_not_json(raw, error)) from None
    if type(word) is not dict:
        raise WrongWord("", f"expected a JSON object, found {kind_of(word)}")
    if len(raw) > 2 * NESTING_LIMIT and _nests_too_deep(word):  # each level takes two brackets
        raise WrongWord("", f"nested deeper than {NESTING_LIMIT} levels")
    # Every key stands before a colon; as many colons as keys means that no key is there twice.
    if raw.count(b":") != len(word) and raw.count(b":") != _count_keys(word):
        json.loads(raw, object_pairs_hook=_refuse_twin_keys)
    return word


_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NOT_UTF_8 = "not UTF-8 text (it looks like UTF-16 or binary data); expected JSON Lines in UTF-8"


def _without_mark(raw: bytes) -> bytes:
    return raw.removeprefix(b"\xef\xbb\xbf")


def _why_not_json(raw: bytes, error: orjson.JSONDecodeError) -> str:
    if b"\x00" in raw:
        return _NOT_UTF_8
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"not UTF-8 text (byte {wrong.start + 1}); expected JSON Lines in UTF-8"
    try:
        json.loads(raw, parse_constant=_refuse_constant)
    except WrongWord as wrong:
        return wrong.message
    except (ValueError, RecursionError):
        pass
    if error.pos >= len(error.doc.rstrip()) and not raw.endswith(b"\n"):
        return f"the line breaks off (column {error.colno}), as when power fails while it is written"
    return f"not a JSON object: {error.msg} (column {error.colno})"


def _refuse_constant(text: str) -> None:
    raise WrongWord("", f"{text} is not a JSON number")


def _refuse_twin_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    word = dict(pairs)
    if len(word) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twin = next(key for key, count in counts.items() if count > 1)
        raise WrongWord(twin[:NAME_LIMIT], "the key stands twice in one object")
    return word


def _nests_too_deep(word: dict[str, Any]) -> bool:
    level: list[Any] = [word]
    for _ in range(NESTING_LIMIT):
        inner = [value for outer in level for value in (outer.values() if type(outer) is dict else outer)]
        level = [value for value in inner if type(value) in (dict, list)]
        if not level:
            return False
    return True


def _count_keys(value: Any) -> int:
    if type(value) is dict:
        return len(value) + sum(_count_keys(v) for v in value.values() if type(v) in (dict, list))
    return sum(_count_keys(v) for v in value if type(v) in (dict, list))


# --- writing --------------------------------------------------------------------------------------------


def to_line(word: Mapping[str, Any]) -> bytes:
    """One word as a line of JSON, UTF-8, with its newline."""
    return orjson.dumps(word, option=orjson.OPT_APPEND_NEWLINE)


def write_record(stream: IO[bytes], record: Record) -> None:
    """Write a record's header and all its lines; reading it back gives an equal record."""
    stream.write(to_line(record.header))
    for line in record.lines:
        stream.write(to_line(line))


# --- corrections ----------------------------------------------------------------------------------------


def resolve(events: list[Event]) -> Iterable[Step]:
    """The events as they count once every correction is applied, in the order in which they are judged.

    A replaced event stands in its old place with its old index; an insertion stands just before its event
    and bears that event's index; a valid `correct` leaves no step of its own.
    """
    for event in events:
        if event["event"] == "correct":
            return _resolve_corrections(events)
    return map(_new_step, zip(range(len(events)), events, repeat("")))


def _resolve_corrections(events: list[Event]) -> Iterator[Step]:
    replaced: dict[int, Event | None] = {}  # event index -> what counts in its place
    inserted: dict[int, list[int]] = {}  # event index -> the corrections that stand before it, in order
    inserts: dict[int, Event | None] = {}  # correction index -> what it inserts
    refused: dict[int, str] = {}
    for index, event in enumerate(events):
        if event["event"] != "correct":
            continue
        if why := _why_no_good(event, index, events, inserts):
            refused[index] = why
        elif "before" in event:
            inserted.setdefault(event["before"], []).append(index)
            inserts[index] = event["with"]
        elif event["ref"] in inserts:
            inserts[event["ref"]] = event["with"]
        else:
            replaced[event["ref"]] = event["with"]
    for index, event in enumerate(events):
        for correction in inserted.get(index, ()):
            if (new := inserts[correction]) is not None:
                yield Step(index, new if "t_us" in new else {"t_us": event["t_us"], **new})
        if event["event"] == "correct":
            if index in refused:
                yield Step(index, event, refused[index])
        elif index not in replaced:
            yield Step(index, event)
        elif (right := replaced[index]) is not None:
            yield Step(index, right if "t_us" in right else {"t_us": event["t_us"], **right})


def _why_no_good(event: Event, index: int, events: list[Event], inserts: Mapping[int, Event | None]) -> str:
    """Why a `correct` cannot be applied; empty when it can."""
    if "ref" in event and "before" in event:
        return "a correction either replaces an event (ref) or inserts one (before), not both"
    inserting = "before" in event
    target = event["before"] if inserting else event["ref"]
    if not 0 <= target < index:
        return f"event {target} does not come before this correction"
    if events[target]["event"] == "correct" and (inserting or target not in inserts):
        return f"event {target} is itself a correction"
    right = event["with"]
    if right is None:
        return "there is nothing to insert" if inserting else ""
    return "a correction cannot put in a correction" if right.get("event") == "correct" else ""
