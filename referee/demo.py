"""A simulated table behind the referee's own doors: what the demo plays, live or as fast as it can be rendered.

Written rules of this module:
- the referee gets frames, bytes and a profile, as from a real table; the truth goes to the simulated operator, who
  answers on the operator's page when asked, and to whoever scores;
- nothing here is known to the session: it is wired as `referee run` wires it.
Does not belong here: options, views and voices (`referee.commands.demo`), scoring (`referee.sim.scoring`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from referee.begin import Where, begin
from referee.deck.folder import Deck, resolve_deck
from referee.doors import Doors
from referee.errors import RecordError
from referee.evidence.settings import EvidenceSettings
from referee.exhibits import Exhibits, begin_exhibits
from referee.pages import Pages, follow
from referee.play import ended_by_signals, play_live, play_recorded
from referee.private.vault import Vault
from referee.profile import Profile, read_profile
from referee.session import Listener, Session, make_session
from referee.sim.camera import PulledCamera
from referee.sim.operator import Operator
from referee.sim.recorded_table import true_rulings, write_profile
from referee.sim.scoring import never_shown
from referee.sim.settings import Settings, TableSetUp, set_up
from referee.sim.table import SimulatedTable
from referee.sim.touches import scans, trace_arrays
from referee.table.calls import call_of
from referee.totem.links.base import table_clock
from referee.totem.links.opening import open_link
from referee.totem.links.recorded import RecordedLink
from referee.web.desk import Desk
from referee.words import Event, Ruling

END_AFTER_US = 1_500_000
OFFERED_US = 12_000_000  # so long a simulated player waits for the page to offer what they want to say
RECORD = "record.jsonl"


@dataclass(frozen=True)
class Played:
    """A demo's game: its record, what truly happened, and how often a person was asked.

    `start_us` is the truth's time 0 on the record's clock; `unseen` are the flips whose card no frame ever showed
    free enough to be read.
    """

    record: Path
    events: Sequence[Event]
    rulings: Sequence[Ruling]
    asked: int
    start_us: int = 0
    unseen: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Wired:
    """A session with its pages and the operator's desk, and what is kept to show why it ruled so."""

    session: Session
    pages: Pages
    desk: Desk
    exhibits: Exhibits | None = None
    vault: Vault | None = None

    def finish(self) -> None:
        """The game is over: wait for what is still being written of it."""
        if self.exhibits is not None:
            self.exhibits.finish()


class Phones:
    """What simulated players choose on their phones, when its time has come."""

    def __init__(self, vault: Vault | None, secrets: Sequence[Event], start_us: int = 0) -> None:
        self._vault, self._waiting, self._start_us = vault, list(secrets), start_us

    def turn(self, now_us: int) -> None:
        """Whoever has chosen by now taps, as soon as the page offers it."""
        if self._vault is None:
            return
        due = [word for word in self._waiting if word["t_us"] + self._start_us <= now_us]
        for word in due:
            late = now_us > word["t_us"] + self._start_us + OFFERED_US
            if self._vault.choose(word["player"], word["card"]) or late:
                self._waiting.remove(word)


Tell = Callable[[Profile, Pages, Desk, ExitStack], list[Listener]]
"""Makes the listeners of a game (views, voices); what they hold open goes on the stack."""


def play_demo(settings: Settings, folder: Path, tell: Tell, journal: Path | None = None) -> Played:
    """Play at real pace, until the game is over or somebody ends it; raises `RecordError` where a record lies.

    With `journal` the game is also kept in one, with its evidence.
    """
    _check_free(folder)
    with ExitStack() as stack:
        stop = stack.enter_context(ended_by_signals())
        clock = table_clock()
        table = stack.enter_context(SimulatedTable(settings, folder, clock))
        start_us = table.start()
        totem = None if table.totem_port is None else open_link(table.totem_port, clock)
        doors = Doors(table.camera, totem, recorded=False, pads=settings.players if settings.seat_pads else ())
        stack.callback(doors.close)
        wired = _wire(table.profile, Where(journal, folder / RECORD), doors, tell, stack)
        operator = Operator(wired.pages.board, wired.desk, table.truth.events, table.truth.rulings, start_us)
        said = [call_of(event) for event in table.calls_on_clock()]
        phones = Phones(wired.vault, table.set_up.game.secrets, start_us)

        def people(now_us: int) -> None:
            while said and said[0].t_us <= now_us:
                wired.session.call(said.pop(0))
            phones.turn(now_us)
            _follow(wired, operator, now_us, stop.set)
            if now_us > start_us + table.end_us + END_AFTER_US:
                stop.set()

        play_live(wired.session, doors, clock, stop, people=people)
        wired.finish()
        return Played(folder / RECORD, table.truth.events, table.truth.rulings, operator.answered, start_us)


def play_demo_fast(settings: Settings, folder: Path, tell: Tell, journal: Path | None = None) -> Played:
    """Play as fast as frames can be rendered and read; otherwise as `play_demo`."""
    _check_free(folder)
    with ExitStack() as stack:
        stop = stack.enter_context(ended_by_signals())
        table = set_up(settings)
        profile = write_profile(table, folder)
        camera = PulledCamera(table.film(), settings)
        pads = settings.players if settings.seat_pads else ()
        doors = Doors(camera, _recorded_totem(table), recorded=True, pads=pads)
        stack.callback(doors.close)
        wired = _wire(profile, Where(journal, folder / RECORD), doors, tell, stack)
        rulings = true_rulings(table.game)
        operator = Operator(wired.pages.board, wired.desk, table.game.events, rulings)
        calls = [call_of(event) for event in table.game.calls]
        phones = Phones(wired.vault, table.game.secrets)

        def turn(now_us: int) -> None:
            phones.turn(now_us)
            _follow(wired, operator, now_us, stop.set)

        play_recorded(wired.session, doors, calls, turn, stop)
        wired.finish()
        unseen = never_shown(table.game.events, camera.shown)
        return Played(folder / RECORD, table.game.events, rulings, operator.answered, unseen=unseen)


def _recorded_totem(table: TableSetUp) -> RecordedLink | None:
    """What the table's totem felt, as a link; None where the game has none."""
    game, totem = table.game, table.totem
    if game.touching is None or totem is None:
        return None
    batch = scans(trace_arrays(game.touching, totem, table.settings.seed), totem.cylinder)
    return RecordedLink(batch, "simulated totem")


def _check_free(folder: Path) -> None:
    """Before anything is written: a game that is kept there keeps its profile too."""
    if (folder / RECORD).exists():
        raise RecordError(f"{folder / RECORD}: a game is kept there; expected a folder without one")


def _wire(profile_path: Path, where: Where, doors: Doors, tell: Tell, stack: ExitStack) -> Wired:
    profile = read_profile(profile_path)
    deck: Deck = resolve_deck(profile.deck)
    game = begin(where, profile, deck)
    stack.callback(game.close)
    ledger = game.ledger
    pages, desk = Pages(profile.game, profile.players, [card.id for card in deck.cards], ledger), Desk()
    listeners = [pages, *tell(profile, pages, desk, stack)]
    session = make_session(
        profile,
        deck,
        ledger,
        game.kept,
        fps=doors.camera.fps,
        totem=doors.totem is not None,
        pads=doors.pads,
        listeners=listeners,
        beside=game.beside("totem" if doors.totem is not None else "camera"),
        secrets=game.vault,
    )
    game.start()
    exhibits = begin_exhibits(game, profile, deck, EvidenceSettings(), doors, _say)
    if exhibits is not None:
        stack.callback(exhibits.close)
        session.attach(exhibits)
    return Wired(session, pages, desk, exhibits, game.vault)


def _say(sentence: str) -> None:
    print(f"referee: {sentence}", file=sys.stderr)


def _follow(wired: Wired, operator: Operator, now_us: int, end: Callable[[], None]) -> None:
    operator.turn(now_us)
    while (command := wired.desk.take()) is not None:
        follow(command, wired.session, wired.pages, now_us, end)
