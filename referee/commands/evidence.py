"""`referee evidence`: lists, removes and pins what a journal keeps as evidence.

Belongs here: options, how the list is printed. Does not belong here: what has to go (`referee.pruning`).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from referee.amounts import amount
from referee.commands.saying import at
from referee.errors import InputError
from referee.evidence.settings import MEGABYTE, EvidenceSettings
from referee.journal.reading import JournalView
from referee.journal.store import Journal
from referee.pruning import Moment, moments, pin, prune


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("what", choices=("list", "prune", "pin", "unpin"))
    parser.add_argument("ids", nargs="*", metavar="ID", help="pin, unpin: which evidence (any file of a moment)")
    parser.add_argument("--journal", required=True, type=Path, metavar="DIR", help="the journal's folder")
    parser.add_argument("--most-mb", type=float, metavar="MB", help="prune: keep at most so much")
    parser.add_argument("--most-days", type=float, metavar="DAYS", help="prune: keep nothing that is older")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(arguments: argparse.Namespace) -> int:
    """Do it; raises `InputError` for options that do not fit and for ids that are not there."""
    if (arguments.what in ("pin", "unpin")) != bool(arguments.ids):
        raise InputError("evidence: pin and unpin take the ids of evidence, list and prune take none")
    if arguments.what == "list":
        with JournalView.open(arguments.journal) as view:
            for moment in moments(view):
                _print(moment, arguments.json)
        return 0
    with JournalView.open(arguments.journal):
        pass  # a folder that holds no journal is not made into one
    with Journal.open(arguments.journal) as journal:
        if arguments.what == "prune":
            gone = prune(journal, _limits(arguments), datetime.now().astimezone())
            for moment in gone:
                _print(moment, arguments.json)
            if not arguments.json:
                print(f"deleted: {amount(sum(len(moment.rows) for moment in gone), 'file')}")
        else:
            pin(journal, arguments.ids, arguments.what == "pin")
    return 0


def _limits(arguments: argparse.Namespace) -> EvidenceSettings:
    limits = (arguments.most_mb, arguments.most_days)
    if limits == (None, None) or any(limit is not None and not limit >= 0 for limit in limits):
        raise InputError("evidence prune: expected --most-mb or --most-days, with a number from 0")
    return replace(EvidenceSettings(), most_mb=arguments.most_mb, most_days=arguments.most_days)


def _print(moment: Moment, as_json: bool) -> None:
    for row in moment.rows:
        word = {"id": row.id, "game": row.key, "kind": row.kind, "bytes": row.bytes, "pinned": moment.pinned}
        if as_json:
            print(json.dumps({**word, "from_us": row.from_us, "to_us": row.to_us, "places": list(row.places)}))
        else:
            moment_at = "" if row.from_us is None else at(row.from_us)
            held = "  pinned" if moment.pinned else ""
            print(f"{row.id}  game {row.key}  {moment_at}  {row.kind:7} {row.bytes / MEGABYTE:8.3f} MB{held}")
