"""What people said during a recorded game: a file of calls, one JSON object a line.

Belongs here: what people say (`TABLE_EVENTS`) in the words of the game record, as calls, and what a joker is said to be
worth, which the record keeps with its play: `{"t_us":…,"event":"joker","player":…,"value":…}`. Does not belong here:
calls of a running game (buttons, pages).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.errors import RecordError
from referee.record import parse_line
from referee.record_checks import EVENT_CHECKS, WrongWord
from referee.table.calls import TABLE_EVENTS, Call, call_of

JOKER = "joker"
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
    kind, checks = word.get("event"), EVENT_CHECKS[game]
    if kind == JOKER and game == "dobro":
        _check_joker(word)
        return call_of(word)
    if kind not in TABLE_EVENTS or kind not in checks:
        kinds = [*(one for one in TABLE_EVENTS if one in checks), *([JOKER] if game == "dobro" else [])]
        raise WrongWord("event", f"expected {', '.join(kinds[:-1])} or {kinds[-1]}")
    checks[kind](word)
    return call_of(word)


def _check_joker(word: dict[str, Any]) -> None:
    if type(word.get("t_us")) is not int or type(word.get("value")) is not int:
        raise WrongWord("", "expected t_us and value as whole numbers")
    if not isinstance(word.get("player"), str):
        raise WrongWord("player", "expected text")
