"""The referee's sheet on a terminal: who, what, why, how close.

Belongs here: the layout of rulings for people. Does not belong here: the words (`sentences`, the catalogue), or
judging: the sheet is handed rulings and shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from unicodedata import category

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee import catalogue
from referee.announce.phrases import clock
from referee.announce.sentences import count_words, event_sentence, margin_sentence, ruling_sentence
from referee.record import Record, Step
from referee.words import Ruling

_STYLES = {
    "won": "bold green",
    "fault": "bold red",
    "undecided": "bold yellow",
    "warning": "yellow",
    "rejected": "red",
    "out": "bold cyan",
    "over": "bold cyan",
    "duel": "magenta",
    "arrow": "magenta",
    "to-pot": "green",
}

_WORDS = {
    "en": {
        "record": "Record",
        "house": "House rules",
        "nothing": "No rulings.",
        "player": "player",
        "turn": "Turn",
        "nobody": "nobody",
        "over": "The game is over",
    },
    "fr": {
        "record": "Enregistrement",
        "house": "Règles maison",
        "nothing": "Aucune décision.",
        "player": "joueur",
        "turn": "Tour ",
        "nobody": "personne",
        "over": "La partie est finie",
    },
}

_STEERING = frozenset(("Cc", "Cf", "Zl", "Zp"))
"""Unicode categories of what a terminal obeys instead of showing: control, format and line-breaking characters."""


class Counted(Protocol):
    """Something that can say how the game stands."""

    def summary(self) -> dict[str, Any]: ...


class _Terminal(Console):
    """A console that leaves it to the program what happens when nobody reads on."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Sheet:
    """The sheet of one record."""

    def __init__(self, record: Record, language: str, *, explain: bool = False, events: bool = False) -> None:
        self._record = record
        self._language = language
        self._game = record.header["game"]
        self._explain = explain
        self._events = events
        self._words = _WORDS[language]
        self._console = _Terminal(highlight=False, soft_wrap=True)

    def show(
        self, game: Counted, judged: Iterator[tuple[Step, list[Ruling]]], number: int | None, *, state: bool
    ) -> None:
        """Print the heading, the rulings (with the events between them where asked), and the counts."""
        self._heading(number)
        any_ruling = False
        for step, rulings in judged:
            if self._events:
                self._line(
                    step.event["t_us"], Text(event_sentence(step.event, self._language, self._game), style="dim")
                )
            for ruling in rulings:
                any_ruling = True
                self._ruling(ruling)
        if not any_ruling:
            self._console.print(Text(self._words["nothing"]))
        if state:
            self._counts(game.summary())

    def _heading(self, number: int | None) -> None:
        header = self._record.header
        title = f"{header['game']}: {', '.join(header['players'])}"
        if number is not None:
            title = f"{self._words['record']} {number}. {title}"
        self._console.print(Text(title, style="bold"))
        if options := header.get("options"):
            house = ", ".join(f"{key} = {value}" for key, value in options.items())
            self._console.print(Text(f"{self._words['house']}: {house}", style="dim"))

    def _ruling(self, ruling: Ruling) -> None:
        said = Text(ruling_sentence(ruling, self._language, self._game), style=_STYLES.get(ruling["ruling"], ""))
        if close := margin_sentence(ruling.get("margin"), self._language):
            said.append(f" ({close})", style="italic")
        if ruling["clauses"]:
            said.append(f"  [{', '.join(ruling['clauses'])}]", style="dim")
        self._line(ruling["t_us"], said)
        if self._explain:
            for clause in ruling["clauses"]:
                if sentence := catalogue.sentence(clause, self._language):
                    self._console.print(Text(f"             {clause}: {sentence}", style="dim"))

    def _line(self, t_us: int, said: Text) -> None:
        # Cards and names come from a file: what would steer the terminal is shown as a mark, one for one.
        said.plain = "".join("\N{REPLACEMENT CHARACTER}" if category(c) in _STEERING else c for c in said.plain)
        self._console.print(Text(f"{clock(t_us):>10}  ") + said)

    def _counts(self, summary: Mapping[str, Any]) -> None:
        """What each player has as a table, the rest of the counts in one line below it.

        A count for which its game has no words is shown under its own name.
        """
        words, players = self._words, self._record.header["players"]
        headings, facts = count_words(self._language, self._game)
        piles = {
            key: value for key, value in summary.items() if isinstance(value, Mapping) and set(value) <= {*players}
        }
        counts = Table(words["player"], *(headings.get(key, key) for key in piles), box=None, pad_edge=False)
        for name in players:
            counts.add_row(Text(name), *(_count(pile.get(name, "")) for pile in piles.values()))
        self._console.print(counts)
        said = [
            facts[key](value) if key in facts else f"{key}: {value}"
            for key, value in summary.items()
            if key not in piles and key not in ("turn", "over")
        ]
        if summary["over"]:
            said.append(words["over"])
        elif "turn" in summary:
            said.append(f"{words['turn']}: {summary['turn'] or words['nobody']}")
        self._console.print(Text(f"{'. '.join(fact for fact in said if fact)}."))


def _count(count: Any) -> str:
    """A count; `?` where something that nobody has settled leaves it open."""
    return "?" if count is None else str(count)
