"""The referee's sheet on a terminal: who, what, why, how close.

Belongs here: the layout of rulings for people. Does not belong here: the words (`sentences`, the catalogue), or
judging: the sheet is handed rulings and shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee import catalogue
from referee.announce.phrases import clock
from referee.announce.sentences import event_sentence, margin_sentence, ruling_sentence
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
        "reserve": "reserve",
        "face_up": "face up",
        "pot": "Pot",
        "turn": "Turn",
        "nobody": "nobody",
        "over": "The game is over",
        "colour": "colours count",
    },
    "fr": {
        "record": "Enregistrement",
        "house": "Règles maison",
        "nothing": "Aucune décision.",
        "player": "joueur",
        "reserve": "pioche",
        "face_up": "visibles",
        "pot": "Pot",
        "turn": "Tour",
        "nobody": "personne",
        "over": "La partie est finie",
        "colour": "les couleurs comptent",
    },
}


class Counted(Protocol):
    """Something that can say how the game stands."""

    def summary(self) -> dict[str, Any]: ...


class Sheet:
    """The sheet of one record."""

    def __init__(self, record: Record, language: str, *, explain: bool = False, events: bool = False) -> None:
        self._record = record
        self._language = language
        self._game = record.header["game"]
        self._explain = explain
        self._events = events
        self._words = _WORDS[language]
        self._console = Console(highlight=False, soft_wrap=True)

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
        self._console.print(Text(f"{clock(t_us):>10}  ") + said)

    def _counts(self, summary: Mapping[str, Any]) -> None:
        words = self._words
        counts = Table(words["player"], words["reserve"], words["face_up"], box=None, pad_edge=False)
        for name, cards in summary["reserve"].items():
            counts.add_row(Text(name), str(cards), str(summary["face_up"][name]))
        self._console.print(counts)
        turn = words["over"] if summary["over"] else f"{words['turn']}: {summary['turn'] or words['nobody']}"
        mode = f", {words['colour']}" if summary["colour_mode"] else ""
        self._console.print(Text(f"{words['pot']}: {summary['pot']}. {turn}{mode}."))
