"""A game played by script into a journal, the way a session keeps it: kept first, then said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from referee.decision import decisions
from referee.journal import entries as kinds
from referee.journal.entries import Entry, Settings
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.store import GameKeeper, Journal
from referee.ledger import Given, Ledger
from referee.record import to_line
from referee.secrecy import with_results
from referee.sim import bluff_games
from referee.sim.games import play
from referee.words import Event, Header

SETTINGS = Settings("2026-03-01T19:00:00+01:00", "0.1", deck={"knot/red": 1})
CHECKPOINT_PAGES = 12  # small, so that the log is copied into the database several times in a short game
Told = Callable[[str, Any], None]
"""Told `acknowledged` with all lines kept so far, and `said` with a ruling's place."""


def ignore(what: str, value: Any) -> None:
    """Nobody listens."""


JUNGLE_SPEED, JUNGLE_BLUFF = "jungle-speed", "jungle-bluff"


class Chosen:
    """Which game is played by script; one with secrets keeps them apart."""

    game = JUNGLE_SPEED


def script() -> tuple[Header, tuple[Event, ...]]:
    """The header and events of a game with a correction, ended: duels and faults, or forces and challenges."""
    return _script(Chosen.game)


@lru_cache(maxsize=2)
def _script(game: str) -> tuple[Header, tuple[Event, ...]]:
    if game == JUNGLE_BLUFF:
        record = bluff_games.play(5, ["Ana", "Bo", "Chloé"], most_events=44)
        lines, wrong_kind = with_results(record), "force"
    else:
        record = play(5, ["Ana", "Bo", "Chloé"], most_events=36, clumsy=0.2)
        lines, wrong_kind = list(record.events), "grab"
    events = [event for event in lines if event["event"] != "end"]
    ref = next(place for place, event in enumerate(events) if event["event"] == wrong_kind)
    right = {**events[ref], "card": "9"} if game == JUNGLE_BLUFF else None
    wrong = {"t_us": events[-1]["t_us"], "event": "correct", "ref": ref, "with": right, "by": "Ana", "reason": "no"}
    middle = len(events) * 2 // 3
    events = [*events[:middle], wrong, *events[middle:], {"t_us": events[-1]["t_us"] + 1, "event": "end"}]
    return record.header, tuple(events)


@dataclass
class Player:
    """Plays events into a keeper; `lines` are those of the record so far."""

    keeper: GameKeeper
    ledger: Ledger
    told: Told
    lines: list[bytes] = field(default_factory=list)

    def play(self, events: Sequence[Event]) -> None:
        """Judge, keep, say: one event after the other."""
        for event in events:
            self.keep([event], self.ledger.add(event))

    def keep(self, events: Sequence[Event], given: Sequence[Given]) -> None:
        """Keep events and rulings together, and only then say the rulings."""
        words = [*events, *(one.ruling for one in given)]
        beside = [Entry(kinds.DECISION, word) for word in decisions(self.ledger.header, self.ledger.events, given)]
        self.keeper.keep(words, beside=beside)
        self.lines += map(to_line, words)
        self.told("acknowledged", tuple(self.lines))
        for one in given:
            self.told("said", one.place)


def whole_game(folder: Path, told: Told = ignore, opened: Callable[[Journal], None] = lambda _: None) -> None:
    """Play the script from a journal that is opened (or made) to one that is closed."""
    header, events = script()
    with Journal.open(folder) as journal:
        copy_often(journal)
        opened(journal)
        keeper = journal.begin(header, SETTINGS)
        player = Player(keeper, Ledger(header), told, [to_line(header)])
        told("acknowledged", tuple(player.lines))
        player.play(events[: len(events) // 2])
        seen = {"id": "clip-1", "kind": "clip", "name": "clip-1.webm", "bytes": 9, "sha256": "", "places": [0]}
        keeper.keep_beside([Entry(kinds.EVIDENCE, seen)])
        player.play(events[len(events) // 2 :])
        keeper.close()


def copy_often(journal: Journal) -> None:
    """Have the log copied into the database every few writes."""
    journal._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")


def live() -> tuple[tuple[bytes, ...], tuple[dict[str, Any], ...]]:
    """What the game gives when nothing happens: all its lines, and the counts after each event."""
    return _live(Chosen.game)


@lru_cache(maxsize=2)
def _live(game: str) -> tuple[tuple[bytes, ...], tuple[dict[str, Any], ...]]:
    header, events = _script(game)
    ledger = Ledger(header)
    lines, counts = [to_line(header)], [ledger.summary()]
    for event in events:
        given = ledger.add(event)
        lines += map(to_line, [event, *(one.ruling for one in given)])
        counts.append(ledger.summary())
    return tuple(lines), tuple(counts)


def check_after_a_crash(folder: Path, acknowledged: Sequence[bytes], said: Sequence[int]) -> None:
    """What must hold of a journal that was cut off when so much had been acknowledged and said; then it goes on."""
    events = script()[1]
    all_lines, counts = live()
    with Journal.open(folder) as journal:
        assert not journal.notices, journal.notices  # a power cut never looks like damage
        _check_whole(folder)
        keys = _games(folder)
        if not keys:
            assert not acknowledged
            return
        (key,) = keys
        kept = _lines(folder, key)
        assert kept[: len(acknowledged)] == list(acknowledged)
        assert kept == list(all_lines[: len(kept)])
        again: list[int] = [*said]
        if b'"event":"end"' not in kept[-1]:
            record, keeper = journal.go_on(key)
            ledger = Ledger(record.header, record.events, record.rulings)
            assert ledger.summary() == counts[len(record.events)]
            player = Player(keeper, ledger, lambda what, value: again.append(value) if what == "said" else None)
            if owed := ledger.catch_up():
                player.keep([], owed)
            player.play(events[len(record.events) :])
            keeper.close()
            assert ledger.summary() == counts[-1]
        assert len(set(again)) == len(again)
        assert _lines(folder, key) == list(all_lines)
        _check_whole(folder)


def _check_whole(folder: Path) -> None:
    with JournalView.open(folder) as view:
        assert find_chain_breaks(view) == []
        assert [link.sequence for link in view.links()] == list(range(1, view.length() + 1))
        for row in view.games():
            game = view.game(row.key)
            assert game.decisions.keys() == {ruling.place for ruling in game.rulings}
            assert (row.events, row.rulings) == (len(game.events), len(game.rulings))


def _games(folder: Path) -> list[str]:
    with JournalView.open(folder) as view:
        return [row.key for row in view.games()]


def _lines(folder: Path, key: str) -> list[bytes]:
    with JournalView.open(folder) as view:
        return view.record_lines(key, with_secrets=True)
