"""Working kept games out again, many at once: which rulings would come out differently.

Written rules of this module:
- games are judged in processes of their own, in chunks; answers come in the order of the games;
- other house rules take the place of the record's own; everything else is the record's.
Does not belong here: comparing (`referee.ledger`), how answers are shown (`referee.commands.replay`).
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from itertools import islice, zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

from referee.adjudication import rulings_of
from referee.errors import RecordError
from referee.journal.reading import JournalView
from referee.keeping import with_secrets
from referee.ledger import differences, rulings_in_worlds, same_ruling, standing
from referee.record import Record, read_records, to_line
from referee.sealing import may_hold_secrets, seals
from referee.words import Event, Header, Ruling
from referee.worlds import JUDGED_IN_WORLDS

Pair = tuple[Ruling | None, Ruling | None]
"""A ruling as it was given and as it comes out now; None for missing."""
CHUNK_GAMES = 100
FEW_CHUNKS = 2  # fewer are done here: a process takes longer to begin than they do


@dataclass(frozen=True)
class Source:
    """Where games are: a file of records (`keys` empty), or games of a journal's folder."""

    path: Path
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """One game worked out again: `key` in a journal, else its `number` in its file.

    `events` is how many it has, `kept` how many of its rulings stand, `any_kept` whether any was kept at all.
    """

    path: Path
    number: int
    key: str | None
    game: str
    events: int
    kept: int
    any_kept: bool
    differences: list[Pair] = field(default_factory=list)


def sources_of(journal: Path, keys: Sequence[str]) -> list[Source]:
    """A journal's games in chunks."""
    chunks = range(0, len(keys), CHUNK_GAMES)
    return [Source(journal, tuple(keys[first : first + CHUNK_GAMES])) for first in chunks]


def replay_all(
    sources: Sequence[Source], options: Mapping[str, Any], processes: int | None = None
) -> Iterator[list[Answer]]:
    """The answers of each source, in order; raises `RecordError` when a game cannot be judged.

    `processes` None takes as many as there are processors.
    """
    work = partial(replay, options=dict(options))
    count = min(len(sources), processes or len(os.sched_getaffinity(0)))
    if count < 2 or len(sources) < FEW_CHUNKS:
        yield from map(work, sources)
        return
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(count, mp_context=get_context("forkserver")))
        stack.callback(partial(pool.shutdown, cancel_futures=True))
        waiting = iter(sources)
        running = [pool.submit(work, source) for source in islice(waiting, 2 * count)]
        while running:
            done = running.pop(0).result()
            running += [pool.submit(work, source) for source in islice(waiting, 1)]
            yield done


def replay(source: Source, options: Mapping[str, Any]) -> list[Answer]:
    """The answers of one source."""
    with _no_search_for_cycles():
        return list(_answers(source, options))


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Words and states are trees: counting references frees them, and looking for cycles costs a twentieth."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _answers(source: Source, options: Mapping[str, Any]) -> Iterator[Answer]:
    if not source.keys:
        with source.path.open("rb") as stream:
            for number, record in enumerate(read_records(stream, str(source.path))):
                yield _answer(source.path, number, record, options)
        return
    with JournalView.open(source.path) as view:
        for key in source.keys:
            yield _kept_answer(view, key, options)


def _answer(path: Path, number: int, record: Record, options: Mapping[str, Any]) -> Answer:
    """The answer of a record in a file, with the secrets that lie beside it."""
    record = with_secrets(path, record)
    where = f"{path}, line {record.header_line}"
    header = _with_options(record.header, options)
    now = _worked_out(where, header, record.events)
    rulings = record.rulings
    count, any_kept = len(standing(rulings)), bool(rulings)
    if any(seals(event) for event in record.events if may_hold_secrets(event)):
        rulings, now = _without_secrets(rulings), _without_secrets(now)
    found = differences(rulings, now, _in_worlds(header, record.events))
    return Answer(path, number, None, record.header["game"], len(record.events), count, any_kept, _aligned(found))


def _kept_answer(view: JournalView, key: str, options: Mapping[str, Any]) -> Answer:
    """The answer of a game in a journal.

    Its rulings were written by `to_line` when they were given: where the same line comes out, the ruling is the same,
    and only the others are read as words.
    """
    kept = view.record_apart(key)
    header = _with_options(kept.header, options)
    now = _worked_out(f"{view.folder}, game {key}", header, kept.events)
    found: list[Pair] = []
    count = len(kept.given)
    if b"".join(kept.given) != b"".join(map(to_line, now)):
        rulings = view.words(key, kept.given)
        count = len(standing(rulings))
        if not kept.whole:  # what was ruled on a secret alone cannot come out again when the secret is gone
            rulings, now = _without_secrets(rulings), _without_secrets(now)
        found = differences(rulings, now, _in_worlds(header, kept.events))
    return Answer(view.folder, 0, key, kept.header["game"], len(kept.events), count, bool(kept.given), _aligned(found))


def _without_secrets(rulings: Sequence[Ruling]) -> list[Ruling]:
    """The rulings that stand and can come out again where secrets are gone.

    Not so what was ruled on a secret alone (it is not public), and a final whose forces are nowhere opened.
    """
    public = [given.ruling for given in standing(rulings) if given.ruling.get("public", True)]
    return [ruling for ruling in public if (ruling["ruling"], ruling.get("why")) not in _NEEDS_FINAL_FORCES]


_NEEDS_FINAL_FORCES = (("over", "final"), ("undecided", "final force"))


def _with_options(header: Header, options: Mapping[str, Any]) -> Header:
    """The header with other house rules where `options` has some."""
    if not options:
        return header
    return cast(Header, {**header, "options": {**header.get("options", {}), **options}})


def _worked_out(where: str, header: Header, events: list[Event]) -> list[Ruling]:
    """The rulings as they come out now."""
    try:
        return rulings_of(header, events)
    except RecordError as error:
        raise RecordError(f"{where}, {error}") from None


def _in_worlds(header: Header, events: list[Event]) -> Callable[[], list[Ruling]] | None:
    """What works a game out as a running game does, where that may differ from what the rules alone give."""
    return partial(rulings_in_worlds, header, events) if header["game"] in JUDGED_IN_WORLDS else None


def _aligned(pairs: Sequence[Pair]) -> list[Pair]:
    """The same differences with what comes out alike left out, also where rulings fell out or came in between."""
    if not pairs:
        return []
    before = [given for given, _ in pairs if given is not None]
    now = [new for _, new in pairs if new is not None]
    lines_before, lines_now = ([to_line(_without_margin(one)) for one in rulings] for rulings in (before, now))
    found: list[Pair] = []
    for what, a, b, c, d in SequenceMatcher(a=lines_before, b=lines_now, autojunk=False).get_opcodes():
        if what == "equal":
            both = zip(before[a:b], now[c:d], strict=True)
            found += [pair for pair in both if not same_ruling(*pair)]
        else:
            found += zip_longest(before[a:b], now[c:d])
    return found


def _without_margin(ruling: Ruling) -> Ruling:
    return {key: value for key, value in ruling.items() if key != "margin"}
