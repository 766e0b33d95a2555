"""`referee stats`: what a journal's games say about its players.

Belongs here: the options, the table, which file the chart goes to. Does not belong here: figures (`referee.figures`),
drawing (`referee.charts`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.amounts import amount
from referee.charts import as_png, as_svg, reaction_chart
from referee.cli import one_line
from referee.commands.searching import add_journal, add_search, games_of, search_of
from referee.errors import InputError
from referee.figures import PERIODS, Figures, Played, figures_of, word_of
from referee.journal.reading import JournalView
from referee.record import to_line

FORMS = {".svg": as_svg, ".png": as_png}


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add_journal(parser)
    parser.add_argument("games", nargs="*", metavar="GAME", help="keys of games (default: all that match)")
    add_search(parser)
    parser.add_argument("--by", choices=PERIODS, default="all", help="figures for each year, month or day (season)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="reaction times as a picture (.svg or .png)")
    parser.add_argument("--force", action="store_true", help="replace the picture if it is there")
    parser.add_argument("--json", action="store_true", help="one JSON object a player and period")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures; 1 when no game matches."""
    plot: Path | None = arguments.plot
    if plot is not None and plot.suffix.lower() not in FORMS:
        raise InputError(f"--plot: {plot}, expected a name that ends in .svg or .png")
    if plot is not None and plot.exists() and not arguments.force:
        raise InputError(f"--plot: {plot} exists; expected a new file (--force replaces it)")
    with JournalView.open(arguments.journal) as view:
        keys = games_of(view, arguments.games, search_of(arguments))
        found = figures_of(_played(view, keys), arguments.by)
    if arguments.json:
        sys.stdout.buffer.writelines(to_line(word_of(*whose, figures)) for whose, figures in found.items())
        sys.stdout.buffer.flush()
    elif found:
        _print(found, arguments.by != "all")
    else:
        print("No game matches.")
    if plot is not None and found:
        _draw(plot, found, len(keys))
    return 0 if found else 1


def _played(view: JournalView, keys: list[str]) -> Iterator[Played]:
    for key in keys:
        game = view.game(key)
        yield Played(game.record(), [one.ruling for one in game.rulings if one.stands], game.row.begun)


def _print(found: Mapping[tuple[str, str], Figures], several: bool) -> None:
    table = Table(box=None, header_style="bold")
    if several:
        table.add_column("when")
    table.add_column("player")
    for title in ("games", "won", "lost", "taken", "faults", "reaction", "of", "closest"):
        table.add_column(title, justify="right")
    for (period, player), figures in found.items():
        counts = (figures.games, figures.duels_won, figures.duels_lost, figures.taken, figures.faults)
        times = (_ms(figures.reaction_us, 0), str(len(figures.reactions_us)), _ms(figures.closest_us, 1))
        name = Text(one_line(player))
        table.add_row(*([period] if several else []), name, *map(str, counts), *times)
    Console().print(table)


def _ms(value_us: int | None, digits: int) -> str:
    return "" if value_us is None else f"{value_us / 1000:.{digits}f} ms"


def _draw(path: Path, found: Mapping[tuple[str, str], Figures], games: int) -> None:
    several = len({period for period, _ in found}) > 1
    rows = [(f"{player}, {period}" if several else player, one.reactions_us) for (period, player), one in found.items()]
    title = f"Reaction times in {amount(games, 'game')}"
    chart = reaction_chart(title, rows, "ms from the last card of a duel to the winner's first contact; line: median")
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_bytes(FORMS[path.suffix.lower()](chart))
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InputError(f"--plot: {path} cannot be written ({error.strerror or error})") from error
