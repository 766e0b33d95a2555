"""`referee games`: the games of a journal, searched.

Belongs here: the options and the list. Does not belong here: searching (`referee.journal.reading`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.amounts import amount
from referee.cli import one_line
from referee.commands.saying import at
from referee.commands.searching import add_search, search_of
from referee.errors import InputError
from referee.journal.reading import GameRow, JournalView, RulingRow, Search
from referee.record import to_line

PAGE_WIDTH = 160


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="the journal's folder")
    parser.add_argument("--journal", type=Path, metavar="DIR", help="the same")
    add_search(parser)
    parser.add_argument("--closest", action="store_true", help="the closest rulings instead, the closest first")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many (default %(default)s)")
    parser.add_argument("--after", metavar="GAME", help="go on after this game of the list before")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Print the list; 1 when nothing matches."""
    search, limit = search_of(arguments), max(1, arguments.limit)
    folders = [folder for folder in (arguments.folder, arguments.journal) if folder is not None]
    if len(folders) != 1:
        raise InputError("expected one journal's folder: `referee games DIR`, or --journal DIR")
    with JournalView.open(folders[0]) as view:
        if arguments.closest:
            return _closest(view, search, limit, arguments.json)
        found = view.games(search, limit, arguments.after)
        if arguments.json:
            _print_json([game_word(row) for row in found])
        else:
            _print_games(found, view.count(search))
    return 0 if found else 1


def _closest(view: JournalView, search: Search, limit: int, as_json: bool) -> int:
    found = view.rulings(search, limit, closest_first=True)
    if as_json:
        _print_json([ruling_word(row) for row in found])
        return 0 if found else 1
    table = Table(box=None, header_style="bold")
    for title in ("closeness", "ruling", "players", "at", "game", "place"):
        table.add_column(title, justify="right" if title in ("closeness", "at", "place") else "left")
    for row in found:
        close = f"{(row.closeness_us or 0) / 1000:.1f} ms"
        players = _text(", ".join(row.players))
        table.add_row(close, row.kind, players, at(row.t_us).strip(), row.key, str(row.place))
    _console().print(table if found else "No ruling matches.")
    return 0 if found else 1


def _print_games(found: Sequence[GameRow], all_of_them: int) -> None:
    table = Table(box=None, header_style="bold")
    for title in ("game", "begun", "of", "players", "state", "rulings", "closest"):
        table.add_column(title, justify="right" if title in ("rulings", "closest") else "left", no_wrap=title == "game")
    for row in found:
        close = "" if row.closest_us is None else f"{row.closest_us / 1000:.1f} ms"
        begun = _text((row.begun or "")[:16].replace("T", " "))
        appeals = f" ({row.open_appeals} appealed)" if row.open_appeals else ""
        state = row.state + appeals
        table.add_row(row.key, begun, row.name, _text(", ".join(row.players)), state, str(row.rulings), close)
    console = _console()
    console.print(table if found else "No game matches.")
    if len(found) < all_of_them:
        console.print(f"{len(found)} of {amount(all_of_them, 'game')}; --limit and --after show more")


def _console() -> Console:
    """The terminal, or a page wide enough for a line a game."""
    console = Console()
    return console if console.is_terminal else Console(width=PAGE_WIDTH)


def _text(words: str) -> Text:
    """A stranger's words: shown, never obeyed."""
    return Text(one_line(words))


def _print_json(words: Sequence[dict[str, Any]]) -> None:
    sys.stdout.flush()
    for word in words:
        sys.stdout.buffer.write(to_line(word))
    sys.stdout.buffer.flush()


def game_word(row: GameRow) -> dict[str, Any]:
    """A game of a list as JSON."""
    return {**vars(row), "players": list(row.players)}


def ruling_word(row: RulingRow) -> dict[str, Any]:
    """A ruling of a list as JSON."""
    return {**vars(row), "players": list(row.players)}
