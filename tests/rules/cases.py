"""Rule cases: what has to be ruled on a record, read from the files in `cases/`.

A case is one JSON object a line: `record` (the lines of a game record), `expect` (rulings that must come, in this
order; those of one moment in any order), `never` (rulings that must not come), `state` (part of the counts after
the last event), `exit` (2 when the record must be refused). Lists of names are compared without their order.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.adjudication import Game, adjudicate
from referee.errors import RecordError
from referee.record import read_records

FOLDER = Path(__file__).parent / "cases"
_UNORDERED = {"players", "losers", "candidates", "options"}


def load(game: str) -> list[dict[str, Any]]:
    """All cases of one game."""
    files = sorted(FOLDER.glob(f"{game}*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]


def as_bytes(lines: list[Any]) -> bytes:
    """The lines of a case as a file; a line that is a text stands as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    return "".join(f"{text}\n" for text in texts).encode()


def run(lines: list[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rulings and the counts of a record."""
    (record,) = read_records(io.BytesIO(as_bytes(lines)), "case")
    game = Game(record.header)
    rulings = [ruling for _, given in adjudicate(game, record.events) for ruling in given]
    return rulings, game.summary()


def failure(case: dict[str, Any]) -> str:
    """Why a case does not pass; empty when it does."""
    try:
        rulings, state = run(case["record"])
    except (RecordError, ValueError) as error:
        return "" if case.get("exit") == 2 and isinstance(error, RecordError) else f"refused: {error}"
    if "exit" in case:
        return "was not refused"
    return "".join(_differences(case, rulings, state))


def _differences(case: dict[str, Any], rulings: list[dict[str, Any]], state: dict[str, Any]) -> Iterator[str]:
    moments = _moments(case["record"], rulings)
    used: set[int] = set()
    reached = 0
    for want in case["expect"]:
        for place, ruling in enumerate(rulings):
            if place not in used and moments[place] >= reached and _matches(want, ruling):
                used.add(place)
                reached = moments[place]
                break
        else:
            yield f"wanted {want} among {rulings}\n"
    for never in case.get("never", []):
        for ruling in rulings:
            if _matches(never, ruling):
                yield f"must not come: {ruling}\n"
    for key, value in case.get("state", {}).items():
        if not _same(key, value, state[key]):
            yield f"state {key}: wanted {value}, found {state[key]}\n"


def _moments(lines: list[Any], rulings: list[dict[str, Any]]) -> list[int]:
    times = sorted({line["t_us"] for line in lines[1:] if isinstance(line, dict) and "t_us" in line})
    return [sum(1 for t_us in times[1:] if t_us <= ruling["t_us"]) for ruling in rulings]


def _matches(want: dict[str, Any], ruling: dict[str, Any]) -> bool:
    return all(key in ruling and _same(key, value, ruling[key]) for key, value in want.items())


def _same(key: str, want: Any, have: Any) -> bool:
    if key in _UNORDERED and isinstance(want, list):
        return sorted(map(str, want)) == sorted(map(str, have))
    if key == "ranking":
        return [sorted(place) for place in want] == [sorted(place) for place in have]
    if isinstance(want, dict):
        return isinstance(have, dict) and all(k in have and _same(k, v, have[k]) for k, v in want.items())
    return type(want) is type(have) and bool(want == have)
