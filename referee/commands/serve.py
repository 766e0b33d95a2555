"""`referee serve`: one table game after game, as a service runs it.

Belongs here: which record a start goes on with. Does not belong here: the game (`referee run`, which this command
calls), the service's unit (`scripts/pi`).
"""

from __future__ import annotations

import argparse
import io
from datetime import datetime
from pathlib import Path

from referee.errors import InputError, RecordError
from referee.profile import read_profile
from referee.record import read_records


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--profile", required=True, type=Path, metavar="P", help="the table's profile (TOML)")
    add("--games", required=True, type=Path, metavar="FOLDER", help="where games are kept, a file each")
    add("--web", default="8000", metavar="[HOST:]PORT", help="scoreboard and operator's page (default %(default)s)")
    add("--lang", choices=("en", "fr"), help="language of what is printed and said (else the profile's)")


def run(arguments: argparse.Namespace) -> int:
    """Go on with the game that was interrupted, else wait for the operator to begin one."""
    from referee.cli import main

    if not arguments.games.is_dir():
        raise InputError(f"{arguments.games}: expected a folder for games")
    words = ["run", "--profile", str(arguments.profile), "--web", arguments.web]
    if arguments.lang is not None:
        words += ["--lang", arguments.lang]
    interrupted = interrupted_game(arguments.games, read_profile(arguments.profile).digest)
    if interrupted is not None:
        return main([*words, "--resume", "--record", str(interrupted)])
    fresh = arguments.games / f"game-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    return main([*words, "--wait", "--record", str(fresh)])


def interrupted_game(folder: Path, profile_digest: str) -> Path | None:
    """The newest record, if its game has not ended and was kept with this very profile.

    An older one that has not ended is left: people have played another game since.
    """
    newest = max(folder.glob("game-*.jsonl"), key=lambda path: path.name, default=None)
    if newest is None:
        return None
    try:
        content = newest.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]  # a torn last line is sealed by whoever goes on
        records = list(read_records(io.BytesIO(whole), str(newest)))
    except (OSError, RecordError):
        return None
    if len(records) != 1 or any(event["event"] == "end" for event in records[0].events):
        return None
    return newest if dict(records[0].header).get("profile") == profile_digest else None
