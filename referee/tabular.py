"""Kept games as tables: games, events, hands on the totem, rulings; a row a thing, for spreadsheets and data frames.

Written rules of this module:
- names and units of columns stay; new ones come at the end;
- what a column cannot hold whole is in the row's `json`, the word as it was kept.
Does not belong here: where games come from (`referee.journal`), choosing them (`referee.commands.export`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.journal.derived import closeness_us, players_in
from referee.journal.reading import KeptGame
from referee.record import to_line

Cell = str | int | float | bool | None
TEXT, WHOLE, NUMBER, FLAG = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"


@dataclass(frozen=True)
class Columns:
    """A table's columns with their types (as SQL names them), and how a game gives rows."""

    types: Mapping[str, str]
    rows: Callable[[KeptGame], Iterator[tuple[Cell, ...]]]


def _games(game: KeptGame) -> Iterator[tuple[Cell, ...]]:
    row = game.row
    engine = str(game.settings[-1]["engine"]) if game.settings else None
    counts = (row.events, row.rulings, row.last_us, row.closest_us)
    yield row.key, row.name, row.begun, row.state, ", ".join(row.players), len(row.players), *counts, engine


def _events(game: KeptGame) -> Iterator[tuple[Cell, ...]]:
    for index, event in enumerate(game.events):
        where = (game.row.key, index, event["t_us"], event["event"])
        sure = event.get("confidence")
        yield *where, _text(event.get("player")), _text(event.get("card")), _number(sure), _json(event)


def _hands(game: KeptGame) -> Iterator[tuple[Cell, ...]]:
    for index, event in enumerate(game.events):
        hands = event.get("hands") if event["event"] == "grab" else None
        for hand in hands or ():
            fingers, lowest = _both(hand["fingers"]), _both(hand["lowest_mm"])
            where = (game.row.key, index, _text(hand["player"]), hand["t_us"], hand["t_us"] - event["t_us"])
            yield *where, *fingers, *lowest, bool(hand.get("grip", True)), _number(hand.get("confidence"))


def _rulings(game: KeptGame) -> Iterator[tuple[Cell, ...]]:
    for kept in game.rulings:
        ruling = kept.ruling
        margin = ruling.get("margin")
        by = _text(margin.get("by")) if isinstance(margin, dict) else None
        where = (game.row.key, kept.place, kept.event, ruling["t_us"], str(ruling["ruling"]), kept.stands)
        who = ", ".join(players_in(ruling))
        loser = ruling.get("losers")
        losers = ", ".join(map(str, loser)) if isinstance(loser, list) else None
        clauses = " ".join(map(str, ruling.get("clauses") or ()))
        yield *where, who, _text(ruling.get("winner")), losers, by, closeness_us(ruling), clauses, _json(ruling)


TABLES: Mapping[str, Columns] = {
    "games": Columns(
        {
            "game": TEXT, "name": TEXT, "begun": TEXT, "state": TEXT, "players": TEXT, "player_count": WHOLE,
            "events": WHOLE, "rulings": WHOLE, "last_us": WHOLE, "closest_us": WHOLE, "engine": TEXT,
        },
        _games,
    ),
    "events": Columns(
        {
            "game": TEXT, "event": WHOLE, "t_us": WHOLE, "kind": TEXT, "player": TEXT, "card": TEXT,
            "confidence": NUMBER, "json": TEXT,
        },
        _events,
    ),
    "hands": Columns(
        {
            "game": TEXT, "event": WHOLE, "player": TEXT, "t_us": WHOLE, "after_first_us": WHOLE,
            "fingers_low": NUMBER, "fingers_high": NUMBER, "lowest_mm_low": NUMBER, "lowest_mm_high": NUMBER,
            "grip": FLAG, "confidence": NUMBER,
        },
        _hands,
    ),
    "rulings": Columns(
        {
            "game": TEXT, "place": WHOLE, "after_event": WHOLE, "t_us": WHOLE, "kind": TEXT, "stands": FLAG,
            "players": TEXT, "winner": TEXT, "losers": TEXT, "margin_by": TEXT, "closeness_us": WHOLE, "clauses": TEXT,
            "json": TEXT,
        },
        _rulings,
    ),
}  # fmt: skip


def csv_parts(table: str, games: Iterable[KeptGame]) -> Iterator[bytes]:
    """A table as CSV (RFC 4180, UTF-8), a part a game, the heading first; what is not known is an empty field."""
    columns = TABLES[table]
    yield _lines([tuple(columns.types)])
    for game in games:
        yield _lines(columns.rows(game))


def parquet(table: str, path: Path, games: Iterable[KeptGame]) -> None:
    """Write a table as Parquet to `path`; raises `InputError` where the extra `parquet` is not installed.

    The rows pass through a file of CSV beside it, however many they are.
    """
    try:
        import duckdb
    except ImportError as error:
        raise InputError('Parquet needs the extra: pip install "referee[parquet]"; CSV needs nothing') from error
    beside = path.with_name(f"{path.name}.csv")
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in TABLES[table].types.items())
    try:
        with beside.open("wb") as stream:
            stream.writelines(csv_parts(table, games))
        source, target = (_quoted(place) for place in (beside, path))
        read = f"read_csv({source}, header = true, columns = {{{types}}}, quote = '\"', escape = '\"', delim = ',')"
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT * FROM {read}) TO {target} (FORMAT parquet)")
    finally:
        beside.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    """A path as SQL writes a text."""
    return "'" + str(path).replace("'", "''") + "'"


def _lines(rows: Iterable[Sequence[Cell]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _both(value: float | list[float]) -> tuple[float, float]:
    return (value[0], value[1]) if isinstance(value, list) else (value, value)


def _json(word: Mapping[str, Any]) -> str:
    return to_line(word).decode().rstrip("\n")
