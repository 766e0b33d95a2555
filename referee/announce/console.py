"""The output for a terminal or a log: a line a ruling.

Belongs here: the line. Does not belong here: words (`sentences`), the sheet of a kept game (`sheet`).
"""

from __future__ import annotations

from collections.abc import Callable

from referee.announce.outputs import Health, Notice, Status
from referee.announce.phrases import clock
from referee.announce.sentences import margin_sentence, ruling_sentence

_OVERTURNED = {"en": "{places}: does not hold any more", "fr": "{places} : n'est plus valable"}


class Console:
    """Hands a line for each ruling to `write`, which must come back at once."""

    name = "console"

    def __init__(self, game: str, language: str, write: Callable[[str], None]) -> None:
        self.health = Health()
        self._game = game
        self._language = language
        self._write = write
        self._shown: dict[int, int] = {}

    def ruled(self, notice: Notice) -> None:
        """A line with the moment, the sentence and how close it was."""
        ruling = notice.ruling
        said = ruling_sentence(ruling, self._language, self._game)
        close = margin_sentence(ruling.get("margin"), self._language)
        self._shown[notice.place] = ruling["t_us"]
        self._line(f"{clock(ruling['t_us']):>10}  {said}" + (f" ({close})" if close else ""))

    def overturned(self, places: frozenset[int]) -> None:
        """A line with the moments of the rulings that were shown and do not hold."""
        moments = [clock(self._shown.pop(place)) for place in sorted(places) if place in self._shown]
        if moments:
            self._line(f"{'':>10}  {_OVERTURNED[self._language].format(places=', '.join(moments))}")

    def status(self, status: Status) -> None:
        """Not shown: whoever wants the counts looks at the scoreboard."""

    def close(self, wait_s: float) -> None:
        """Nothing to let go of."""

    def _line(self, line: str) -> None:
        try:
            # Names come from outside: what would steer a terminal is shown as a mark.
            self._write("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line))
            self.health.well()
        except (OSError, ValueError) as error:  # ValueError: the stream has been closed
            self.health.ill(f"the console takes no more lines ({error})")
