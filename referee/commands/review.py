"""`referee review`: the games of a journal on pages, with no game running.

Belongs here: options, the end by Ctrl-C or SIGTERM. Does not belong here: the pages (`referee.web`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from referee.commands.serving import add_web_options, address_of, serve_pages
from referee.errors import RecordError
from referee.journal.reading import JournalView
from referee.journal.store import Journal
from referee.play import ended_by_signals
from referee.web.desk import Desk
from referee.web.reviews import Reviews


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("--journal", required=True, type=Path, metavar="DIR", help="the journal's folder")
    parser.add_argument("--web", default="8000", metavar="[HOST:]PORT", help="where the pages are (127.0.0.1:8000)")
    add_web_options(parser)
    parser.add_argument("--read-only", action="store_true", help="only show, beside a referee that writes the journal")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the end; 0 then."""
    from referee.totem.curves import read_curves

    folder: Path = arguments.journal
    JournalView.open(folder).close()  # a journal is looked at, never made
    journal = None if arguments.read_only else _writer(folder)
    try:
        for notice in journal.notices if journal is not None else ():
            print(notice, file=sys.stderr)
        reviews = Reviews(folder, read_curves, journal)
        with ended_by_signals() as stop:
            server = serve_pages(address_of(arguments.web), arguments, None, Desk(), "en", folder, reviews)
            print(f"games: {server.address}games", file=sys.stderr)
            try:
                stop.wait()
            finally:
                server.stop()
    finally:
        if journal is not None:
            journal.close()
    return 0


def _writer(folder: Path) -> Journal:
    try:
        return Journal.open(folder)
    except RecordError as error:
        raise RecordError(f"{error} (--read-only shows it all the same)") from error
