"""The table on a terminal: counts, turn, mode, the last rulings and how each source is, always in sight.

Belongs here: laying out a snapshot with rich. Does not belong here: the words of rulings (`referee.announce`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from referee.announce.phrases import seconds
from referee.announce.sentences import count_words, margin_sentence, ruling_sentence
from referee.health import Freshness
from referee.ledger import OVERTURNED, Given
from referee.listeners import News
from referee.session import Snapshot
from referee.table.calls import Notice

LINES = 9
MOST_FRAMES_S = 8
_LIGHT = {Freshness.FRESH: "green", Freshness.STALE: "yellow", Freshness.LOST: "red"}
_WORDS = {
    "en": {"turn": "turn", "colour": "by COLOUR", "shape": "by shape", "void": "corrected", "kept": "kept in",
           "paused": "PAUSED"},
    "fr": {"turn": "à jouer", "colour": "par COULEUR", "shape": "par forme", "void": "corrigé", "kept": "gardée dans",
           "paused": "EN PAUSE"},
}  # fmt: skip


class Terminal:
    """A listener that redraws one view; a context manager. What is not public yet is not shown."""

    def __init__(self, game: str, language: str, title: str, console: Console | None = None) -> None:
        self._game, self._language, self._title = game, language, title
        self._news = News()
        self._lines: deque[Text] = deque(maxlen=LINES)
        self._snapshot: Snapshot | None = None
        self._live = Live(console=console, refresh_per_second=MOST_FRAMES_S, auto_refresh=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()
        if not self._live.console.is_terminal:
            self._live.console.line()  # a file or a pipe: what is printed next begins on a line of its own

    def given(self, given: Sequence[Given]) -> None:
        """Add what is news to the last lines."""
        for one in self._news.of(given):
            ruling = one.ruling
            if not ruling["public"]:
                continue
            at = Text(f"{ruling['t_us'] / 1e6:8.2f} s  ", style="dim")
            if ruling["ruling"] == OVERTURNED:
                self._lines.append(at.append(_WORDS[self._language]["void"], style="magenta"))
                continue
            style = "yellow" if ruling["ruling"] == "undecided" else "bold"
            at.append(ruling_sentence(ruling, self._language, self._game), style=style)
            if margin := margin_sentence(ruling.get("margin"), self._language):
                at.append(f"  ({margin})", style="cyan")
            self._lines.append(at)
        self._draw()

    def noticed(self, notice: Notice) -> None:
        """Add it to the last lines."""
        about = ", ".join(f"{value}" for value in notice.about.values())
        self._lines.append(Text(f"{seconds(notice.t_us, 2):>8} s  {notice.kind} {about}", style="dim"))
        self._draw()

    def stands(self, snapshot: Snapshot) -> None:
        """Draw how the game stands."""
        self._snapshot = snapshot
        self._draw()

    def _draw(self) -> None:
        if self._snapshot is not None:
            self._live.update(Group(self._head(self._snapshot), self._table(self._snapshot), *self._lines))

    def _head(self, snapshot: Snapshot) -> RenderableType:
        words = _WORDS[self._language]
        head = Text(f"{self._title}   {seconds(snapshot.t_us, 1):>6} s   ", style="bold")
        mode = snapshot.counts.get("colour_mode")
        if mode is not None:
            head.append(words["colour"] if mode else words["shape"], style="bold magenta" if mode else "")
        if snapshot.paused:
            head.append(f"   {words['paused']}", style="bold yellow")
        for name, source in snapshot.sources.items():
            head.append(f"   ● {name}", style=_LIGHT[source.freshness])
            if source.problem:
                head.append(f" {source.problem}", style="red")
        return head

    def _table(self, snapshot: Snapshot) -> RenderableType:
        columns, facts = count_words(self._language, self._game)
        counts = snapshot.counts
        table = Table(box=None, pad_edge=False)
        table.add_column("")
        keys = [key for key, value in counts.items() if isinstance(value, dict)]
        for key in keys:
            table.add_column(columns.get(key, key), justify="right")
        players = list(dict.fromkeys(player for key in keys for player in counts[key]))
        expected = snapshot.expected
        asked = expected["asked"] if expected["waiting_for"] == "choice" else None
        for player in players:
            turn = (counts.get("turn") or asked) == player
            name = f"{player}  ← {_WORDS[self._language]['turn']}" if turn else player
            table.add_row(name, *(_count(counts[key].get(player, "")) for key in keys), style="bold" if turn else "")
        shown = [facts[key](counts[key]) for key in facts if key in counts]
        return Group(table, Text("   ".join(line for line in shown if line), style="dim"))


def _count(count: Any) -> str:
    """A count; `?` where something that nobody has settled leaves it open."""
    return "?" if count is None else str(count)
