"""`referee demo`: a simulated table, refereed live, as a real one would be.

Belongs here: putting a simulated table behind the referee's own doors, and its people before its own pages. Does not
belong here: the game (`referee.session`), the table (`referee.sim`), scoring (`referee.sim.scoring`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from referee.announce.announcer import Announcer
from referee.announce.settings import read_settings
from referee.deck.folder import resolve_deck
from referee.doors import Doors
from referee.errors import HardwareError
from referee.keeping import RecordFile
from referee.ledger import Ledger, find_difference
from referee.listeners import Aloud, JsonLines
from referee.pages import Pages, follow
from referee.play import ended_by_signals, play_live, play_recorded
from referee.profile import read_profile
from referee.record import read_records
from referee.session import Listener, Session, make_session
from referee.sim.camera import PulledCamera
from referee.sim.operator import Operator
from referee.sim.recorded_table import true_rulings, write_profile
from referee.sim.settings import Settings, names_of, set_up
from referee.sim.table import SimulatedTable
from referee.sim.touches import scans, trace_arrays
from referee.table.calls import Call, Choose, Recount, Share
from referee.terminal import Terminal
from referee.totem.links.base import table_clock
from referee.totem.links.opening import open_link
from referee.totem.links.recorded import RecordedLink
from referee.web.desk import Desk
from referee.words import Event, Header

DEFAULT_SEED = 4
END_AFTER_US = 1_500_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--players", default="4", metavar="N|NAMES", help="how many, or their names clockwise (default 4)")
    add("--seconds", type=float, default=90.0, metavar="S", help="about how long (default 90)")
    add("--seed", type=int, default=DEFAULT_SEED, metavar="K", help="the same seed gives the same table")
    add("--fast", action="store_true", help="as fast as this machine can, instead of real pace")
    add("--headless", action="store_true", help="no view, no pages, no voice")
    add("--games", type=int, default=1, metavar="N", help="with --headless: that many, seeds K, K+1, …")
    add("--score", action="store_true", help="compare with what truly happened")
    add("--lang", choices=("en", "fr"), default="en", help="language of what is shown and said")
    add("--quiet", action="store_true", help="no voice")
    add("--seat-pads", action="store_true", help="the totem has a pad at each seat")
    add("--port", type=int, default=8000, metavar="PORT", help="of the scoreboard (default 8000, 0 any)")
    add("--out", type=Path, metavar="FOLDER", help="where the games are kept (default: a folder of their own)")
    add("--json", action="store_true", help="with --headless: rulings as JSON, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Play and referee the games; 1 when a kept ruling would come out differently, or a score has a wrong one."""
    into = arguments.out or Path(tempfile.mkdtemp(prefix="referee-demo-"))
    settings = Settings(names_of(arguments.players), arguments.seconds, arguments.seed, seat_pads=arguments.seat_pads)
    good = True
    for number in range(arguments.games):
        folder = into if arguments.games == 1 else into / f"game-{number + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        one = replace(settings, seed=settings.seed + number)
        good = _play(arguments, one, folder) and good
    return 0 if good else 1


def _play(arguments: argparse.Namespace, settings: Settings, folder: Path) -> bool:
    record = folder / "record.jsonl"
    with ExitStack() as stack:
        if arguments.fast or arguments.headless:
            _play_fast(arguments, settings, folder, record, stack)
        else:
            _play_live(arguments, settings, folder, record, stack)
    print(f"the game is kept in {record}", file=sys.stderr)
    return _same_again(record)


def _play_live(
    arguments: argparse.Namespace,
    settings: Settings,
    folder: Path,
    record: Path,
    stack: ExitStack,
) -> None:
    stop = stack.enter_context(ended_by_signals())
    clock = table_clock()
    table = stack.enter_context(SimulatedTable(settings, folder, clock))
    start_us = table.start()
    totem = open_link(table.totem_port, clock)
    doors = Doors(table.camera, totem, recorded=False, pads=settings.players if settings.seat_pads else ())
    stack.callback(doors.close)
    session, pages, desk = _wire(arguments, table.profile, record, doors, stack)
    operator = Operator(pages.board, desk, table.truth.events, table.truth.rulings, start_us)
    said = [_call(event) for event in table.calls_on_clock()]

    def people(now_us: int) -> None:
        while said and said[0].t_us <= now_us:
            session.call(said.pop(0))
        operator.turn(now_us)
        while (command := desk.take()) is not None:
            follow(command, session, pages, now_us, stop.set)
        if now_us > start_us + table.end_us + END_AFTER_US:
            stop.set()

    play_live(session, doors, clock, stop, people=people)


def _play_fast(arguments: argparse.Namespace, settings: Settings, folder: Path, record: Path, stack: ExitStack) -> None:
    table = set_up(settings)
    profile = write_profile(table, folder)
    batch = scans(trace_arrays(table.game.touching, table.totem, settings.seed), table.totem.cylinder)
    doors = Doors(
        PulledCamera(table.film(), settings),
        RecordedLink(batch, "simulated totem"),
        recorded=True,
        pads=settings.players if settings.seat_pads else (),
    )
    stack.callback(doors.close)
    session, pages, desk = _wire(arguments, profile, record, doors, stack)
    operator = Operator(pages.board, desk, table.game.events, true_rulings(table.game))

    def people(now_us: int) -> None:
        operator.turn(now_us)
        while (command := desk.take()) is not None:
            follow(command, session, pages, now_us, lambda: None)

    play_recorded(session, doors, [_call(event) for event in table.game.calls], people)


def _wire(
    arguments: argparse.Namespace, profile_path: Path, record: Path, doors: Doors, stack: ExitStack
) -> tuple[Session, Pages, Desk]:
    profile = read_profile(profile_path)
    deck = resolve_deck(profile.deck)
    header: Header = {
        "record": "referee/1",
        "game": profile.game,
        "players": list(profile.players),
        "options": dict(profile.options),
        "start": {},
    }
    ledger = Ledger(header)
    kept = stack.enter_context(RecordFile(record, header))
    pages, desk = Pages(profile.game, profile.players, [card.id for card in deck.cards], ledger), Desk()
    listeners: list[Listener] = [pages]
    if arguments.json:
        listeners.append(JsonLines(sys.stdout.buffer))
    elif not arguments.headless:
        address = _pages(arguments, pages, desk, stack)
        title = f"{profile.game}: {address}" if address else profile.game
        listeners.append(stack.enter_context(Terminal(profile.game, arguments.lang, title, Console())))
        if not arguments.fast and not arguments.quiet:
            table = {**profile.announce, "language": arguments.lang}
            announcer = Announcer(
                read_settings(table, f"{profile.path}: announce", profile.players), profile.players, profile.game
            )
            stack.callback(announcer.close)
            listeners.append(Aloud(announcer))
    fps = doors.camera.fps
    session = make_session(profile, deck, ledger, kept, fps=fps, totem=True, pads=doors.pads, listeners=listeners)
    return session, pages, desk


def _pages(arguments: argparse.Namespace, pages: Pages, desk: Desk, stack: ExitStack) -> str | None:
    from referee.web.server import serve

    for port in (arguments.port, 0):  # somebody else may be on the usual port
        try:
            server = serve(pages.board, desk, port=port, language=arguments.lang)
        except HardwareError:
            continue
        stack.callback(server.stop)
        return server.address
    return None


def _call(event: Event) -> Call:
    match event["event"]:
        case "choose":
            return Choose(event["t_us"], event["player"], event["choice"])
        case "share":
            return Share(event["t_us"], event["player"], event["shares"])
        case _:
            return Recount(event["t_us"], event["reserve"])


def _same_again(path: Path) -> bool:
    with path.open("rb") as stream:
        (record,) = read_records(stream, str(path))
    differences = find_difference(record.rulings, record.header, record.events)
    if differences:
        print(
            f"{path}: {len(differences)} rulings come out differently when the record is judged again", file=sys.stderr
        )
    return not differences
