"""What people said during a recorded game: a file of calls, one JSON object a line.

Belongs here: `choose`, `share`, `recount` and players' words in the words of the game record, as calls. Does not
belong here: calls of a running game (buttons, pages).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.errors import RecordError
from referee.record import parse_line
from referee.record_checks import EVENT_CHECKS, WrongWord
from referee.table.calls import SAYINGS, Call, call_of

MOST_CALLS = 100_000


def read_calls(path: Path, game: str) -> list[Call]:
    """The calls of a file in the order of their times; raises `RecordError` that names the line."""
    calls: list[Call] = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}), expected a file of calls") from error
    if len(lines) > MOST_CALLS:
        raise RecordError(f"{path}: {len(lines)} lines; expected at most {MOST_CALLS} calls")
    for number, line in enumerate(lines, start=1):
        try:
            word = parse_line(line)
            if word is not None:
                calls.append(_call(word, game))
        except WrongWord as wrong:
            where = f"line {number}" + (f", {wrong.key}" if wrong.key else "")
            raise RecordError(f"{path}, {where}: {wrong.message}") from None
    return sorted(calls, key=lambda call: call.t_us)


def _call(word: dict[str, Any], game: str) -> Call:
    kind = word.get("event")
    check = EVENT_CHECKS[game].get(kind) if isinstance(kind, str) else None
    if check is None or kind not in ("choose", "share", "recount", *SAYINGS):
        raise WrongWord("event", f"expected choose, share, recount or {', '.join(sorted(SAYINGS))}")
    check(word)
    return call_of(word)
