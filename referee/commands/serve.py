"""`referee serve`: one table game after game, as a service runs it.

Belongs here: a set-up before the first game, which game a start goes on with, and who may see the pages. Does not
belong here: the game (`referee run`, which this command calls), the service's unit (`scripts/pi`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, cast

from referee.commands.calibrate.web import is_set_up, set_up_table
from referee.commands.serving import add_web_options, address_of
from referee.journal.reading import JournalView
from referee.journal.store import Journal
from referee.profile import read_profile
from referee.watchdog import life_without_a_game
from referee.web.accounts import Accounts

AGAIN = "set-up-again"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--profile", required=True, type=Path, metavar="P", help="the table's profile (TOML)")
    add("--journal", required=True, type=Path, metavar="DIR", help="the journal all games are kept in")
    add("--web", default="8000", metavar="[HOST:]PORT", help="scoreboard and operator's page (default %(default)s)")
    add_web_options(parser)
    add("--lang", choices=("en", "fr"), help="language of what is printed and said (else the profile's)")


def run(arguments: argparse.Namespace) -> int:
    """Set the table up first if it is not; then go on with the interrupted game, else wait for the operator's word."""
    from referee.cli import main

    address_of(arguments.web)
    again = wish_of(arguments.profile)
    if again.exists() or not is_set_up(arguments.profile):
        if not _set_up(arguments):
            return 0
        again.unlink(missing_ok=True)
    profile, journal = read_profile(arguments.profile), str(arguments.journal)
    words = ["run", "--profile", str(arguments.profile), "--journal", journal, "--web", arguments.web]
    for option in ("lang", "tls_cert", "tls_key"):
        if (value := getattr(arguments, option)) is not None:
            words += [f"--{option.replace('_', '-')}", str(value)]
    key = interrupted_game(arguments.journal, profile.digest)
    if arguments.scoreboard_only or not Accounts(arguments.journal).exist():
        # A service must not stop because nobody has an account yet: then the network sees the scoreboard alone.
        words.append("--scoreboard-only")
    return main([*words, *(["--wait"] if key is None else ["--resume", "--game", key])])


def wish_of(profile: Path) -> Path:
    """The file beside a profile by whose being there somebody says: at the next start, set the table up again first."""
    return profile.with_name(AGAIN)


def _set_up(arguments: argparse.Namespace) -> bool:
    """The set-up pages, on the same address; True when the table is set up."""
    why = "is to be set up again" if wish_of(arguments.profile).exists() else "no table is set up yet"
    print(f"{arguments.profile}: {why}; the set-up pages come first", file=sys.stderr, flush=True)
    open_to_all = arguments.scoreboard_only or not Accounts(arguments.journal).exist()
    words = {"camera": None, "port": None, "scoreboard_only": open_to_all}
    return set_up_table(argparse.Namespace(**{**vars(arguments), **words}), life_without_a_game("being set up"))


def interrupted_game(folder: Path, profile_digest: str) -> str | None:
    """The key of the newest game, if it has not ended and was kept with this very profile.

    An older one that has not ended is left: people have played another game since. Raises `InputError` for a folder
    that is no journal.
    """
    journal = Journal.open(folder, anew=True)
    for notice in journal.notices:
        print(notice, file=sys.stderr, flush=True)
    try:
        key = next(iter(journal.interrupted()), None)
        header = {} if key is None else cast(dict[str, Any], dict(journal.header(key)))
    finally:
        journal.close()
    if key is None or header.get("profile") != profile_digest:
        return None
    with JournalView.open(folder) as view:
        newest = view.games(limit=1)
    return key if newest and newest[0].key == key else None
