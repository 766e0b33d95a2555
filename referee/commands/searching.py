"""What the commands over a journal have in common: which journal, which games.

Belongs here: their shared options. Does not belong here: what is done with the games (each command's own module).
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from referee.errors import InputError
from referee.journal.reading import JournalView, Search

ALL_GAMES = 1_000_000
LATEST = "latest"
MS_US = 1000


def add_journal(parser: argparse.ArgumentParser) -> None:
    """The option that names the journal."""
    parser.add_argument("--journal", required=True, type=Path, metavar="DIR", help="the journal's folder")


def add_search(parser: argparse.ArgumentParser) -> None:
    """The options that choose games."""
    add = parser.add_argument
    add("--player", metavar="NAME", help="games this player was in")
    add("--day", metavar="DATE", help="games begun on this day (2026-03-01), or in this month or year (2026-03, 2026)")
    add("--kind", metavar="RULING", help="games with such a ruling (won, fault, undecided, …)")
    add("--closer-than", type=float, metavar="MS", help="games with a ruling closer than this (milliseconds)")
    add("--of", metavar="GAME", help="games of jungle-speed, speed, dobro or jungle-bluff")
    add("--text", default="", metavar="WORDS", help="words in the players' names or in a note")
    add("--state", choices=("running", "ended", "interrupted"), help="games that ended, or did not")


def search_of(arguments: argparse.Namespace) -> Search:
    """The search that the options ask for; raises `InputError` for a day that is none."""
    days = (None, None) if arguments.day is None else _days(arguments.day)
    closer = arguments.closer_than
    if closer is not None and not 0 <= closer < 1e9:
        raise InputError(f"--closer-than: {closer} is no number of milliseconds")
    return Search(
        player=arguments.player,
        day_from=days[0],
        day_to=days[1],
        game=arguments.of,
        kind=arguments.kind,
        closer_than_us=None if closer is None else round(closer * MS_US),
        text=arguments.text,
        state=arguments.state,
    )


def _days(text: str) -> tuple[date, date]:
    """The first and last day of a day, month or year."""
    parts = text.split("-")
    try:
        if len(parts) == 1:
            return date(int(parts[0]), 1, 1), date(int(parts[0]), 12, 31)
        if len(parts) == 2:
            first = date(int(parts[0]), int(parts[1]), 1)
            after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
            return first, date.fromordinal(after.toordinal() - 1)
        day = date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--day: {text} is no day, expected 2026-03-01, 2026-03 or 2026") from None
    return day, day


def find_game(view: JournalView, named: str) -> str:
    """The key of a game named by its key, the beginning of it, or `latest`; raises `InputError` for none or several."""
    if named == LATEST:
        found = [row.key for row in view.games(limit=1)]
    else:
        found = view.keys(named)
    if len(found) != 1:
        many = "no game" if not found else "several games"
        raise InputError(f"{view.folder}: {many} {named}, expected a game's key, the beginning of one, or {LATEST}")
    return found[0]


def games_of(view: JournalView, named: list[str], search: Search) -> list[str]:
    """The keys of the games named, or of all that match, the earliest first."""
    if named:
        return [find_game(view, name) for name in named]
    return [row.key for row in reversed(view.games(search, limit=ALL_GAMES))]
