"""Who is told what was kept: the terminal, and the announcer behind its door.

Written rules of this module:
- a listener never raises because of a device and never waits for one;
- a ruling that was worked out again and came out the same is not news: it is neither said again nor taken back.
Does not belong here: wording (`referee.announce`), pages (`referee.web`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from referee.announce.announcer import Announcer
from referee.announce.phrases import seconds
from referee.announce.sentences import margin_sentence, ruling_sentence
from referee.ledger import OVERTURNED, Given, same_ruling
from referee.record import to_line
from referee.session import Snapshot
from referee.table.calls import Notice
from referee.words import Ruling


class _Bytes(Protocol):
    def write(self, content: bytes, /) -> object: ...

    def flush(self) -> object: ...


class JsonLines:
    """Prints every ruling as a line of JSON (formats.md, "A recorded table")."""

    def __init__(self, stream: _Bytes) -> None:
        self._stream = stream
        self._gone = False

    def given(self, given: Sequence[Given]) -> None:
        """Print them."""
        if self._gone:
            return
        try:
            for one in given:
                self._stream.write(to_line(one.ruling))
            self._stream.flush()
        except BrokenPipeError:
            self._gone = True  # whoever read along has gone; the game goes on, and is kept

    def noticed(self, notice: Notice) -> None:
        """Nothing: standard output holds rulings alone."""

    def stands(self, snapshot: Snapshot) -> None:
        """Nothing."""


class Sheet:
    """Prints every ruling as a sentence, with how close it was."""

    def __init__(self, show: Callable[[str], None], language: str, game: str) -> None:
        self._show = show
        self._language = language
        self._game = game
        self._news = News()

    def given(self, given: Sequence[Given]) -> None:
        """Print what is news."""
        for one in self._news.of(given):
            ruling = one.ruling
            said = self._void(len(ruling["refs"])) if _is_void(ruling) else self._said(ruling)
            self._show(f"{ruling['t_us'] / 1e6:9.3f} s  {said}")

    def noticed(self, notice: Notice) -> None:
        """Print it."""
        about = ", ".join(f"{key}: {value}" for key, value in notice.about.items())
        self._show(f"{seconds(notice.t_us, 3):>9} s  [{notice.kind}] {about}")

    def stands(self, snapshot: Snapshot) -> None:
        """Nothing."""

    def _void(self, count: int) -> str:
        one, many = _OVERTURNED[self._language]
        return one if count == 1 else many.format(count)

    def _said(self, ruling: Ruling) -> str:
        margin = margin_sentence(ruling.get("margin"), self._language)
        return ruling_sentence(ruling, self._language, self._game) + (f"  ({margin})" if margin else "")


_OVERTURNED = {
    "en": ("Corrected: one earlier ruling no longer stands.", "Corrected: {} earlier rulings no longer stand."),
    "fr": (
        "Corrigé : une décision précédente ne vaut plus.",
        "Corrigé : {} décisions précédentes ne valent plus.",
    ),
}


class News:
    """Of rulings that were worked out again, what is new; remembers under which place each was first given."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._rulings: dict[int, Ruling] = {}

    def of(self, given: Sequence[Given]) -> list[Given]:
        """The news among them: an `overturned` names only places that were news and hold no more."""
        void: list[int] = []
        where: Given | None = None
        news: list[Given] = []
        for one in given:
            if _is_void(one.ruling):
                where = one
                void += [self._first.get(place, place) for place in one.ruling["refs"]]
                continue
            again = next((place for place in void if self._is_same(place, one.ruling)), None)
            if again is None:
                news.append(one)
                self._rulings[one.place] = one.ruling
            else:
                void.remove(again)
                self._first[one.place] = again
        if where is not None and void:
            news.insert(0, Given(where.place, {**where.ruling, "refs": void}))
        return news

    def _is_same(self, place: int, ruling: Ruling) -> bool:
        before = self._rulings.get(place)
        return before is not None and same_ruling(before, ruling)


SAID = ("force-moved", "not-the-forces")
"""Notices that are said aloud."""


class Aloud:
    """Hands what is news to the announcer."""

    def __init__(self, announcer: Announcer) -> None:
        self._announcer = announcer
        self._news = News()

    def given(self, given: Sequence[Given]) -> None:
        """To the announcer."""
        for one in self._news.of(given):
            if _is_void(one.ruling):
                self._announcer.overturned(one.ruling["refs"])
            else:
                self._announcer.ruled(one.place, one.ruling)

    def noticed(self, notice: Notice) -> None:
        """What the whole table should hear at once; other notices are for the operator."""
        if notice.kind in SAID:
            self._announcer.warned(notice.kind, notice.about, notice.t_us)

    def stands(self, snapshot: Snapshot) -> None:
        """How the game stands."""
        sources = {name: source.freshness.value for name, source in snapshot.sources.items()}
        self._announcer.status(snapshot.expected, snapshot.counts, sources)


def _is_void(ruling: Ruling) -> bool:
    return bool(ruling["ruling"] == OVERTURNED)


class Troubles:
    """Says what is wrong with a source, once when it begins and once when it is over."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` is given whole sentences."""
        self._say = say
        self._known: dict[str, str] = {}

    def look(self, name: str, problem: str | None) -> None:
        """How a source is now; `problem` None: nothing is known to be wrong with it."""
        before = self._known.pop(name, None)
        if problem is not None:
            self._known[name] = problem
        if problem is not None and problem != before:
            self._say(f"the {name}: {problem}")
        elif problem is None and before is not None:
            self._say(f"the {name} is there again")

    def given(self, given: Sequence[Given]) -> None:
        """Nothing: rulings are shown elsewhere."""

    def noticed(self, notice: Notice) -> None:
        """Nothing."""

    def stands(self, snapshot: Snapshot) -> None:
        """Look at every source."""
        for name, source in snapshot.sources.items():
            self.look(name, source.problem)
