"""What the review pages read and do: one journal, seen by whoever may see it.

Written rules of this module:
- a game that is being played is seen by those who run it; whoever only looks may see it when it is over, for its
  evidence and its unsaid rulings would spoil it;
- evidence is given by its id within its own game, from that game's folder, and never by a path;
- what is decided about the running game goes by the session, all else straight into the journal; what was shown is
  what is kept, or nothing.
Does not belong here: HTTP, words for people, what a correction changes (`referee.review`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee import review
from referee.corrections import Saying
from referee.errors import InputError, RecordError
from referee.journal.entries import Entry
from referee.journal.files import EVIDENCE
from referee.journal.reading import EvidenceRow, JournalView, KeptGame
from referee.journal.store import Journal
from referee.review import Difference
from referee.review_settings import Replay
from referee.web.accounts import Role
from referee.web.desk import Desk, Overturn

NAME = re.compile(r"[0-9a-z]{1,64}")
"""What the key of a game and the id of a piece of evidence look like."""
MEDIA = {".webm": "video/webm", ".jpg": "image/jpeg", ".png": "image/png", ".npz": "application/octet-stream"}
RUNNING = "running"

Curves = Callable[[Path, int | None, int | None], Mapping[str, Any]]


class MissingError(InputError):
    """There is no such game, ruling or evidence, or none that the caller may know of."""


class HiddenError(InputError):
    """The game is still being played, and the caller only looks."""


class ReadOnlyError(InputError):
    """Nothing can be kept from here."""


class ChangedError(InputError):
    """The game is no longer what was shown."""


@dataclass(frozen=True)
class Reviews:
    """A journal and what may be done with it.

    `journal` is the writer (None: these pages only show), `running` gives the key of the game that is being played
    here and `desk` is the way to its session; `curves` reads a trace for a plot. `replay` is what the scoreboard shows
    everybody of the last ruling (`referee.review_settings`).
    """

    folder: Path
    curves: Curves
    journal: Journal | None = None
    running: Callable[[], str | None] = lambda: None
    desk: Desk | None = None
    replay: Replay = "off"
    turn: threading.Lock = field(default_factory=threading.Lock)

    def view(self) -> JournalView:
        """The journal, for one answer."""
        return JournalView.open(self.folder)

    def game(self, key: str, role: Role) -> KeptGame:
        """A game that the role may see; raises `MissingError` or `HiddenError`."""
        with self.view() as view:
            return self._game(view, key, role)

    def media(self, key: str, evidence: str, role: Role) -> tuple[Path, EvidenceRow]:
        """The file of one piece of evidence of a game; raises `MissingError` or `HiddenError`."""
        with self.view() as view:
            row = view.evidence(evidence) if NAME.fullmatch(evidence) else None
            if row is None or row.key != key or not NAME.fullmatch(key):
                raise MissingError("There is no such evidence.")
            self._game(view, key, role)
        if row.gone is not None:
            raise MissingError("This evidence was deleted.")
        return self.file(row), row

    def file(self, row: EvidenceRow) -> Path:
        """Where it lies, if that is in its game's own folder: a journal may have come from elsewhere.

        Raises `MissingError`.
        """
        home = (self.folder / EVIDENCE / row.key).resolve()
        path = row.path.resolve()
        if path.parent != home or not path.is_file():
            raise MissingError("The file of this evidence is not there.")
        return path

    def is_played(self, key: str, state: str) -> bool:
        """Whether a game is being played; one that goes on is marked so in the journal at its first event only."""
        return state == RUNNING or key == self.running()

    def _game(self, view: JournalView, key: str, role: Role) -> KeptGame:
        kept = self._read(view, key)
        if role < Role.OPERATOR and self.is_played(key, kept.row.state):
            raise HiddenError("This game is still being played; it can be seen when it is over.")
        return kept

    def _read(self, view: JournalView, key: str) -> KeptGame:
        try:
            if NAME.fullmatch(key):
                return view.game(key)
        except RecordError:
            pass
        raise MissingError("There is no such game.")

    # ---- what is decided

    def preview(self, key: str, place: int, saying: Saying, by: str, reason: str) -> tuple[KeptGame, Difference]:
        """What a correction would change; raises `ReviewError` for one that cannot be."""
        with self.view() as view:
            kept = self._read(view, key)
        return kept, review.preview(kept, review.correction(kept, place, saying, by, reason))

    def overturn(self, key: str, place: int, saying: Saying, by: str, reason: str, digest: str) -> bool:
        """Keep a correction whose difference was shown (`digest`); False: the running game will do it.

        Raises `ReviewError`, and `ChangedError` where it would now change something else.
        """
        journal = self._writer()
        with self.turn:
            kept, difference = self.preview(key, place, saying, by, reason)
            if difference.digest != digest:
                raise ChangedError("the game has changed since, look at the difference again")
            if self.desk is not None and key == self.running():
                correct = next(word for word in difference.words if word.get("event") == "correct")
                self.desk.put(Overturn(correct["ref"], correct["with"], by, correct["reason"]))
                return False
            journal.add(key, review.overturn(kept, difference))
        return True

    def keep(self, key: str, entries: Callable[[KeptGame], list[Entry]]) -> None:
        """Keep what is said beside a game: that a ruling is upheld, an appeal, a bookmark. Raises `ReviewError`."""
        journal = self._writer()
        with self.turn:
            with self.view() as view:
                kept = self._read(view, key)
            if new := entries(kept):
                journal.add(key, new)

    def _writer(self) -> Journal:
        if self.journal is None:
            raise ReadOnlyError("these pages only show: another referee is writing this journal")
        return self.journal
