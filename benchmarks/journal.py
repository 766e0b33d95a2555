"""A journal of many games: how long lists, searches, one game and replaying all of them take.

    python benchmarks/journal.py [--games 10000] [--folder DIR] [--rounds 9]

The games come from the simulator's rules side (whole games of all four kinds, with their rulings and decision
records), played once and kept under other players' names and days until there are enough; the journal is made in one
go with `Journal.take_in` and left in --folder when that is named. Prints medians and the slowest of each question, each
asked of a view that was just opened, and games a second of `referee replay`.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median

import orjson

from referee.adjudication import Game, adjudicate
from referee.decision import Decisions
from referee.journal import entries as kinds
from referee.journal.entries import Entry, Settings, entry_of
from referee.journal.reading import JournalView, Search
from referee.journal.store import Journal
from referee.ledger import Ledger
from referee.record import Record, to_line
from referee.replaying import replay_all, sources_of
from referee.sealing import with_result
from referee.sim import bluff_games, dobro_games, games, speed_games

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaëlle", "Hugo", "Inès", "Jonas")
PEOPLE = [f"{name} {number}" for name in NAMES for number in range(10)]
ANY_NAME = re.compile("|".join(NAMES))
PLAYED = 200  # different games; the others are the same games of other people
FIRST_DAY = datetime.fromisoformat("2020-01-01T19:00:00+01:00")


def played(number: int) -> Record:
    """One whole game, each kind in its turn."""
    players = NAMES[: 3 + number // 4 % 4]
    match number % 4:
        case 0:
            return games.play(number, players)
        case 1:
            return speed_games.play(number, players[:2])
        case 2:
            return dobro_games.play(number, players)
        case _:
            return bluff_games.play(number, players)


def entries_of(record: Record) -> list[Entry]:
    """A game's entries without its settings, decision records included."""
    ledger, known = Ledger(record.header), Decisions(record.header)
    found = [entry_of(record.header)]
    for event in record.events:
        given = ledger.add(event)
        event = with_result(event, [one.ruling for one in given])
        found += [entry_of(event), *(entry_of(one.ruling) for one in given)]
        found += [Entry(kinds.DECISION, word) for word in known.of(ledger.events, given)]
    found += [entry_of(one.ruling) for one in ledger.close()]
    return [*found, Entry(kinds.ENDED, {})]


def renamed(entries: Sequence[Entry], chance: Random) -> list[Entry]:
    """The same game of other people, also where a sentence names them."""
    others = dict(zip(NAMES, chance.sample(PEOPLE, len(NAMES)), strict=True))
    lines = b"".join(to_line(one.word) for one in entries).decode()
    lines = ANY_NAME.sub(lambda found: others[found[0]], lines)
    return [Entry(one.kind, orjson.loads(line)) for one, line in zip(entries, lines.splitlines(), strict=True)]


def fill(folder: Path, count: int) -> None:
    """Make the journal."""
    begun = time.perf_counter()
    originals = [entries_of(played(number)) for number in range(min(PLAYED, count))]
    chance = Random(1)
    settings = Settings("", "0.1")
    kept = 0
    with Journal.open(folder) as journal:
        for number in range(count):
            entries = renamed(originals[number % len(originals)], chance)
            day = FIRST_DAY + timedelta(hours=5 * number)
            entries.insert(1, Entry(kinds.SETTINGS, replace(settings, begun=day.isoformat()).word()))
            journal.take_in(entries)
            kept += len(entries)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    seconds = time.perf_counter() - begun
    print(f"{count} games, {kept} entries, {size:.0f} MB, made in {seconds:.0f} s")


def questions(folder: Path) -> Iterator[tuple[str, Callable[[JournalView], object]]]:
    """What is asked, with its name."""
    with JournalView.open(folder) as view:
        keys = [row.key for row in view.games(limit=1_000_000)]
        longest = max(view.games(limit=1_000_000), key=lambda row: row.events + row.rulings)
    middle = keys[len(keys) // 2]
    january = Search(day_from=date(2021, 1, 1), day_to=date(2021, 1, 31))
    yield "the latest 100 games", lambda view: view.games()
    yield "a page in the middle", lambda view: view.games(after=middle)
    yield (
        "one player's games",
        lambda view: (view.games(Search(player="chloé 3")), view.count(Search(player="chloé 3"))),
    )
    yield "a month", lambda view: (view.games(january), view.count(january))
    yield "games with a kind of ruling", lambda view: view.games(Search(kind="fault"))
    yield "a rare kind of ruling", lambda view: view.games(Search(kind="undecided"))
    yield "games with a close ruling", lambda view: view.games(Search(closer_than_us=2000))
    yield "close duels of one player", lambda view: view.games(Search(player="ana 1", kind="won", closer_than_us=20000))
    yield "words", lambda view: (view.games(Search(text="gaëlle 7")), view.count(Search(text="gaëlle 7")))
    yield "the closest rulings", lambda view: view.rulings(closest_first=True)
    yield "a player's closest rulings", lambda view: view.rulings(Search(player="Ana 1"), closest_first=True)
    yield "a player's latest rulings", lambda view: view.rulings(Search(player="Ana 1"))
    yield f"a game page ({longest.events} events)", lambda view: view.game(longest.key)


def main() -> None:
    """Make the journal, ask, replay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="referee-journal-") as place:
        folder: Path = chosen.folder or Path(place) / "journal"
        if not folder.exists():
            fill(folder, chosen.games)
        for name, ask in questions(folder):
            times = []
            for _ in range(chosen.rounds):
                begun = time.perf_counter()
                with JournalView.open(folder) as view:
                    ask(view)
                times.append((time.perf_counter() - begun) * 1000)
            print(f"{name:36} {median(times):7.1f} ms   slowest {max(times):7.1f} ms")
        begun = time.perf_counter()
        with Journal.open(folder):
            pass
        print(f"{'opening it for writing':36} {(time.perf_counter() - begun) * 1000:7.1f} ms")
        with JournalView.open(folder) as view:
            keys = [row.key for row in view.games(limit=1_000_000)]
        _replay(folder, keys)


def _replay(folder: Path, keys: list[str]) -> None:
    """Replaying on the clock and in processor time, beside judging the same games when they are read already."""
    some = Random(1).sample(keys, min(400, len(keys)))  # the kinds of games come in turns: no fixed step
    with JournalView.open(folder) as view:
        records = [view.record(key) for key in some]
    used = time.process_time()
    for record in records:
        for _ in adjudicate(Game(record.header), record.events):
            pass
    used = time.process_time() - used
    print(f"judging alone: {len(some) / used:.0f} games a second of processor time")
    used = time.process_time()
    for found in replay_all(sources_of(folder, some), {}, 1):
        assert not any(answer.differences for answer in found)
    used = time.process_time() - used
    print(f"replay, one process: {len(some) / used:.0f} games a second of processor time")
    begun = time.perf_counter()
    answers = [answer for found in replay_all(sources_of(folder, keys), {}) for answer in found]
    seconds = time.perf_counter() - begun
    assert not any(answer.differences for answer in answers)
    events = sum(answer.events for answer in answers) / len(answers)
    print(f"replay of all, a process a processor: {len(answers) / seconds:.0f} games/s on the clock", end="")
    print(f" ({events:.0f} events a game, load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
