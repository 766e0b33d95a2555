"""`referee demo`: a simulated table, refereed live, as a real one would be.

Belongs here: options, what is shown and said, the sheet at the end. Does not belong here: the game and the table
(`referee.demo`), comparing with the truth (`referee.sim.scoring`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from referee.adjudication import adjudicate
from referee.amounts import amount
from referee.announce.announcer import Announcer
from referee.announce.settings import read_settings
from referee.announce.sheet import Sheet
from referee.demo import Played, play_demo, play_demo_fast
from referee.errors import HardwareError, InputError
from referee.ledger import find_difference
from referee.listeners import Aloud, JsonLines
from referee.pages import Pages
from referee.profile import Profile
from referee.record import Record, read_records
from referee.session import Listener
from referee.sim.plays import PLAYS
from referee.sim.scoring import Score, score
from referee.sim.settings import JUNGLE_SPEED, Settings, names_of, usual_players
from referee.terminal import Terminal
from referee.web.desk import Desk
from referee.words import Event, Ruling
from referee.worlds import Worlds

DEFAULT_SEED = 4
JOURNAL = "journal"
LAST_PORT = 65535


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--game", default=JUNGLE_SPEED, help=f"{', '.join(PLAYS)} (default {JUNGLE_SPEED})")
    add("--players", metavar="N|NAMES", help="how many, or their names clockwise (default 4, or what the game is for)")
    add("--seconds", type=float, default=90.0, metavar="S", help="about how long (default 90)")
    add("--seed", type=int, default=DEFAULT_SEED, metavar="K", help="the same seed gives the same table")
    add("--fast", action="store_true", help="as fast as this machine can, instead of real pace")
    add("--headless", action="store_true", help="fast, with no view, no pages and no voice")
    add("--games", type=int, default=1, metavar="N", help="that many, seeds K, K+1, …")
    add("--score", action="store_true", help="compare with what truly happened")
    add("--lang", choices=("en", "fr"), default="en", help="language of what is shown and said")
    add("--quiet", action="store_true", help="no voice")
    add("--seat-pads", action="store_true", help="the totem has a pad at each seat")
    add("--port", type=int, default=8000, metavar="PORT", help="of the scoreboard (default 8000, 0 any)")
    add("--out", type=Path, metavar="FOLDER", help="where the games are kept (default: a folder of their own)")
    add("--json", action="store_true", help="with --headless: rulings as JSON, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Play and referee the games; 1 when a kept ruling comes out differently, or --score finds a wrong one."""
    _check(arguments)
    game = arguments.game
    names = names_of(arguments.players or usual_players(game), game)
    settings = Settings(names, arguments.seconds, arguments.seed, seat_pads=arguments.seat_pads, game=game)
    into = arguments.out or Path(tempfile.mkdtemp(prefix="referee-demo-"))
    journal = None if arguments.headless else into / JOURNAL
    total, good = Score(), True
    for number in range(arguments.games):
        folder = into if arguments.games == 1 else into / f"game-{number + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        one = replace(settings, seed=settings.seed + number)
        played = _play(arguments, one, folder, journal)
        record = _read(played.record)
        good = _same_again(played.record, record) and good
        scored = _scored(played, record)
        total.add(scored)
        if not arguments.headless or (arguments.games == 1 and not arguments.json):
            _sheet(record, arguments.lang)
        for told in _told(one, played, scored) if arguments.score else [f"the game is kept in {played.record}"]:
            print(told, file=sys.stderr)
    if journal is not None:
        print(f"why it was ruled so: referee review --journal {journal}", file=sys.stderr)
    if arguments.score:
        Console(stderr=arguments.json).print(_table(total))
        good = good and not total.rulings_wrong and not total.flips_wrong
    return 0 if good else 1


def _check(arguments: argparse.Namespace) -> None:
    if arguments.games < 1:
        raise InputError(f"--games: {arguments.games}: expected 1 or more")
    if arguments.seed < 0:
        raise InputError(f"--seed: {arguments.seed}: expected 0 or more")
    if not 0 <= arguments.port <= LAST_PORT:
        raise InputError(f"--port: {arguments.port}: expected 0 to {LAST_PORT}")


def _play(arguments: argparse.Namespace, settings: Settings, folder: Path, journal: Path | None) -> Played:
    def tell(profile: Profile, pages: Pages, desk: Desk, stack: ExitStack) -> list[Listener]:
        if arguments.headless:
            return [JsonLines(sys.stdout.buffer)] if arguments.json else []
        address = _serve(arguments, pages, desk, stack)
        title = f"{profile.game}   {address}" if address else profile.game
        listeners: list[Listener] = [stack.enter_context(Terminal(profile.game, arguments.lang, title))]
        if not arguments.fast and not arguments.quiet:
            table = {**profile.announce, "language": arguments.lang}
            settings = read_settings(table, f"{profile.path}: announce", profile.players)
            announcer = Announcer(settings, profile.players, profile.game)
            stack.callback(announcer.close)
            listeners.append(Aloud(announcer))
        return listeners

    fast = arguments.fast or arguments.headless
    play = play_demo_fast if fast else play_demo
    return play(settings, folder, tell, journal)


def _serve(arguments: argparse.Namespace, pages: Pages, desk: Desk, stack: ExitStack) -> str | None:
    from referee.web.server import serve

    for port in (arguments.port, 0):  # somebody else may be on the usual port
        try:
            server = serve(pages.board, desk, port=port, language=arguments.lang)
        except HardwareError:
            continue
        stack.callback(server.stop)
        if port != arguments.port:
            print(f"port {arguments.port} is taken: the scoreboard is at {server.address}", file=sys.stderr)
        return server.address
    print(f"port {arguments.port} is taken, and no other is free: there is no scoreboard", file=sys.stderr)
    return None


def _read(path: Path) -> Record:
    with path.open("rb") as stream:
        (record,) = read_records(stream, str(path))
    return record


def _sheet(record: Record, language: str) -> None:
    """The score sheet: what stands in the end, and the last counts."""
    game = Worlds(record.header)
    sheet = Sheet(record, language)
    sheet.show(game, adjudicate(game, record.events), None, state=True)


def _same_again(path: Path, record: Record) -> bool:
    differences = find_difference(record.rulings, record.header, record.events)
    if differences:
        print(
            f"{path}: {amount(len(differences), 'ruling comes', 'rulings come')} out differently when worked out again",
            file=sys.stderr,
        )
    return not differences


def _scored(played: Played, record: Record) -> Score:
    def on_clock(word: Event) -> Event:
        return {**word, "t_us": word["t_us"] + played.start_us}

    rulings: list[Ruling] = [dict(on_clock(ruling)) for ruling in played.rulings]
    events = [on_clock(event) for event in played.events]
    return score(events, rulings, record.events, record.rulings, played.unseen)


def _told(settings: Settings, played: Played, one: Score) -> list[str]:
    """How a game was refereed, and each thing that was not as it truly happened."""
    return [
        (
            f"seed {settings.seed}: {one.flips_right} of {one.flips} cards right, {one.flips_wrong} wrong; "
            f"{one.rulings_right} of {one.rulings} rulings right, {one.rulings_wrong} wrong; "
            f"a person was asked {amount(played.asked, 'time')} ({played.record})"
        ),
        *(f"  {note}" for note in one.notes),
    ]


def _table(total: Score) -> Table:
    table = Table("", "count", box=None)
    for name, count in total.counts().items():
        table.add_row(name.replace("_", " "), str(count))
    return table
