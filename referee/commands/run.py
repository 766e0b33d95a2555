"""`referee run`: referees a game, live or recorded.

Belongs here: options, where the record goes, the end by Ctrl-C or SIGTERM. Does not belong here: the game
(`referee.session`), its doors (`referee.doors`), its pace (`referee.play`).
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from calibration.at_start import looked_over
from calibration.whole import check_whole
from referee.announce.announcer import Announcer
from referee.announce.settings import AnnounceSettings, read_settings
from referee.begin import Begun, Where, begin
from referee.calls_file import read_calls
from referee.commands.serving import add_web_options, address_of, serve_pages
from referee.deck.folder import Deck, resolve_deck
from referee.doors import Doors, is_recorded, open_doors
from referee.errors import DeckError, InputError, ProfileError
from referee.evidence.settings import read_evidence
from referee.exhibits import begin_exhibits
from referee.grips import grips_path, read_grips
from referee.listeners import Aloud, JsonLines, Sheet, Troubles
from referee.pages import Pages, follow, pressed
from referee.play import Turn, ended_by_signals, play_live, play_recorded
from referee.private.opening import read_private
from referee.private.watching import HoodedCamera
from referee.profile import Profile, read_profile
from referee.qr import qr_rows
from referee.review_settings import Replay, read_review
from referee.session import Listener, Session, make_session
from referee.table.calls import Notice
from referee.totem.links.base import table_clock
from referee.watchdog import watchdog_for
from referee.web.desk import Desk
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors, Seats

GAP_US = 1_000_000  # between the last event kept and the first moment of a game that goes on
LATE_US = 500_000
LATE_FRAMES = 30
DEFAULT_FPS = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    add = parser.add_argument
    add("--profile", required=True, type=Path, metavar="P", help="the table's profile (TOML)")
    add("--camera", metavar="SOURCE", help="instead of the profile's: picamera2, a device, a URL, a video or a folder")
    add("--frames-t", type=Path, metavar="TIMES", help="exposure times of a video's frames, one a line (microseconds)")
    add("--totem", metavar="TRACE", help="instead of the profile's: a port, or a recorded trace (.npz)")
    add(
        "--calls", type=Path, metavar="FILE", help="with a recording: what people said (choose, share, recount; .jsonl)"
    )
    add("--record", type=Path, metavar="OUT", help="where the game is kept (.jsonl; without it game-DATE-TIME.jsonl)")
    add(
        "--journal",
        type=Path,
        metavar="DIR",
        help="the journal the game is kept in (else the profile's, if it has one)",
    )
    add("--resume", action="store_true", help="go on with the interrupted game in --record or the journal")
    add("--game", metavar="KEY", help="with --resume: which game of the journal (else the latest of this table)")
    add("--force", action="store_true", help="if the record exists, set it aside under another name")
    add("--json", action="store_true", help="print rulings as JSON, one a line")
    add("--lang", choices=("en", "fr"), help="language of what is printed and said (else the profile's)")
    add("--web", nargs="?", const="8000", metavar="[HOST:]PORT", help="scoreboard and operator's page (127.0.0.1:8000)")
    add_web_options(parser)
    add("--wait", action="store_true", help="live: the game begins when the operator's page says so")
    add("--dry", action="store_true", help="no speaker, no lamps, no network")
    add("--say-into", type=Path, metavar="FOLDER", help="what is said as WAV files, instead of a speaker")


def run(arguments: argparse.Namespace) -> int:
    """Referee one game to its end; 0 when it ended as it should."""
    check_whole(arguments.profile)
    profile = read_profile(arguments.profile)
    deck = _deck_of(profile)
    settings = read_settings(profile.announce, f"{profile.path}: announce", profile.players)
    keeps = read_evidence(profile.rest.get("evidence"), str(profile.path))
    reviewed = read_review(profile.rest.get("review"), str(profile.path))
    said = [] if arguments.calls is None else read_calls(arguments.calls, profile.game)
    grips = read_grips(grips_path(profile.path))
    with ExitStack() as stack:
        stop = stack.enter_context(ended_by_signals())
        goes_on = _goes_on(arguments)
        if goes_on and is_recorded(profile, arguments.camera):  # before anything is written
            raise InputError("--resume: a recording is played from its beginning, expected a live camera")
        game = begin(_where(arguments, profile), profile, deck) if goes_on else None
        if game is not None:
            stack.callback(game.close)
        begun_us = 0 if game is None or game.last_us is None else game.last_us + GAP_US
        since = table_clock()

        def clock() -> int:
            """The table clock; a game that goes on goes on after all that is kept of it."""
            return begun_us + since()

        doors = open_doors(profile, clock, arguments.camera, arguments.frames_t, arguments.totem)
        stack.callback(doors.close)
        doors = looked_over(arguments.profile, doors, _warn)
        if said and not doors.recorded:
            raise InputError(f"--calls: {arguments.calls} is for a recorded game, and the camera is live")
        if arguments.wait and doors.recorded:
            raise InputError("--wait: a recorded game does not wait for anybody, expected a live camera")
        if game is None:
            game = begin(_where(arguments, profile), profile, deck)
            stack.callback(game.close)
        for notice in game.notices:
            print(notice, file=sys.stderr)
        language = arguments.lang or settings.language
        shown = JsonLines(sys.stdout.buffer) if arguments.json else Sheet(_show, language, profile.game)
        pages, desk = Pages(profile.game, profile.players, [card.id for card in deck.cards], game.ledger), Desk()
        listeners: list[Listener] = [shown, pages, Troubles(_warn)]
        announcer = _announcer(arguments, profile, settings, doors.recorded)
        if announcer is not None:
            stack.callback(announcer.close)
            listeners.append(Aloud(announcer))
        watchdog = watchdog_for(game.place)
        if watchdog is not None:
            listeners.append(watchdog)
            stack.callback(watchdog.stopping)
        if arguments.web is not None:
            live = not doors.recorded
            seats = SeatDoors(Seats(profile.players), qr_rows, private=game.vault) if live else None
            stack.callback(_serve(arguments, pages, desk, language, game, live, reviewed.replay, seats))
        fps = doors.camera.fps or DEFAULT_FPS
        totem = doors.totem is not None
        session = make_session(
            profile,
            deck,
            game.ledger,
            game.kept,
            fps=fps,
            totem=totem,
            camera_error_us=doors.camera.health().clock_error_us,
            pads=grips.order(doors.pads),
            known=grips.known,
            listeners=listeners,
            beside=game.beside("totem" if totem else "camera"),
            secrets=game.vault,
        )
        game.start()
        exhibits = begin_exhibits(game, profile, deck, keeps, doors, _say)
        if exhibits is not None:
            stack.callback(exhibits.close)
            session.attach(exhibits)
        session.catch_up()
        if doors.recorded:
            play_recorded(session, doors, said, stack.enter_context(_progress(doors)), stop)
        else:
            if arguments.wait:
                pages.waiting = True
                session.pause(True, clock())
            if watchdog is not None:
                watchdog.ready()
            hood = _hood(profile, deck, game, listeners, clock)
            if hood is not None:
                stack.callback(hood.close)
                pages.show = hood.hood.show
            people = _people(session, pages, desk, announcer, hood, stop)
            play_live(session, doors, clock, stop, people=people, lag=_Late().frame)
        if exhibits is not None:
            exhibits.finish()
    print(f"the game is kept in {game.kept_in}", file=sys.stderr)
    return 0


def _warn(sentence: str) -> None:
    print(f"referee: {sentence}", file=sys.stderr)


def _deck_of(profile: Profile) -> Deck:
    try:
        deck = resolve_deck(profile.deck)
    except DeckError as error:
        raise ProfileError(f"{profile.path}: deck: {error}") from error
    if deck.game != profile.game:
        raise ProfileError(f"{profile.path}: deck: {profile.deck} is for {deck.game}, expected one for {profile.game}")
    return deck


def _goes_on(arguments: argparse.Namespace) -> bool:
    """Whether a game goes on; raises `InputError` for options that contradict it."""
    if not arguments.resume:
        if arguments.game is not None:
            raise InputError("--game: names a game to go on with, expected --resume")
        return False
    if arguments.force:
        raise InputError("--resume: goes on with a record and --force sets it aside, expected one of the two")
    if arguments.record is not None and arguments.journal is not None:
        raise InputError("--resume: a game goes on in one place, expected --record or --journal")
    return True


def _where(arguments: argparse.Namespace, profile: Profile) -> Where:
    journal = arguments.journal or profile.journal
    return Where(journal, arguments.record, arguments.resume, arguments.game, arguments.force)


def _announcer(
    arguments: argparse.Namespace, profile: Profile, settings: AnnounceSettings, recorded: bool
) -> Announcer | None:
    """Nobody speaks over a recording, which is played faster than anybody could listen."""
    if recorded and arguments.say_into is None:
        return None
    dry = settings.dry(arguments.say_into, paced=not recorded, overwrite=arguments.force)
    chosen = dry if arguments.dry or recorded else settings
    return Announcer(chosen, profile.players, profile.game)


def _serve(
    arguments: argparse.Namespace,
    pages: Pages,
    desk: Desk,
    language: str,
    game: Begun,
    live: bool,
    replay: Replay,
    seats: SeatDoors | None,
) -> Callable[[], None]:
    """Serve the pages; returns what ends them. While a recording is played its games are only shown."""
    from referee.totem.curves import read_curves

    journal = game.journal
    folder = None if journal is None else journal.folder
    reviews = None
    if journal is not None:
        reviews = Reviews(journal.folder, read_curves, journal if live else None, lambda: game.key, desk, replay)
    server = serve_pages(address_of(arguments.web), arguments, pages.board, desk, language, folder, reviews, seats)
    more = "" if reviews is None else f"   games: {server.address}games"
    print(f"scoreboard: {server.address}   operator: {server.address}operator{more}", file=sys.stderr)
    return server.stop


def _hood(
    profile: Profile, deck: Deck, game: Begun, listeners: list[Listener], clock: Callable[[], int]
) -> HoodedCamera | None:
    """The hooded camera that reads forces, where the profile names one and the game has them."""
    source = read_private(profile.rest.get("private"), str(profile.path)).source
    if source is None or game.vault is None:
        return None

    def told(player: str, was_read: bool, t_us: int) -> None:
        for listener in listeners:
            listener.noticed(Notice(t_us, "was-read" if was_read else "not-read", {"player": player}))

    return HoodedCamera.open(source, deck, game.vault, told, clock)


def _people(
    session: Session,
    pages: Pages,
    desk: Desk,
    announcer: Announcer | None,
    hood: HoodedCamera | None,
    stop: threading.Event,
) -> Turn:
    """Does what the operator's page, phones and the seat buttons ask, and looks under the hood."""

    def turn(now_us: int) -> None:
        if hood is not None:
            hood.turn(now_us)
        while (command := desk.take()) is not None:
            follow(command, session, pages, now_us, stop.set)
        for press in announcer.presses() if announcer is not None else ():
            if press.active:
                for call in pressed(press.name, pages, now_us):
                    session.call(call)

    return turn


def _say(sentence: str) -> None:
    print(f"referee: {sentence}", file=sys.stderr)


def _show(line: str) -> None:
    print(line, flush=True)


@contextmanager
def _progress(doors: Doors) -> Iterator[Turn | None]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console) as progress:
        task = progress.add_task(doors.camera.name, total=None)
        yield lambda t_us: progress.update(task, description=f"{t_us / 1e6:.1f} s")


class _Late:
    """Says once when the referee falls behind its camera."""

    def __init__(self) -> None:
        self._late = 0
        self._told = False

    def frame(self, lag_us: int) -> None:
        """A frame was done, so long after its exposure."""
        self._late = self._late + 1 if lag_us > LATE_US else 0
        if self._late > LATE_FRAMES and not self._told:
            self._told = True
            print(
                "referee: falls behind its camera by more than half a second: choose a smaller picture or fewer frames",
                file=sys.stderr,
            )
