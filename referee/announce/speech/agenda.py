"""What is to be said next.

Belongs here: the queue of utterances and its order. Does not belong here: words, sound, threads: a call is handed
the time, and whoever calls holds the lock.

Written rules:
- Rulings are said in the order in which they came, before any notice; notices before a reminder.
- What has expired is not said. A ruling has no expiry.
- A ruling drops every reminder, and every notice that was given before it: the game has moved on.
- An utterance that `replaces` drops the waiting one of its kind.
- What is withdrawn before it was said is not said.
- After a correction a game is worked out again, and rulings come anew that are minutes old. Of those that wait the last
  `MOST_RESTATED` are said: they tell how it stands now.
- There is one reminder at most; it is due at a time, and a new one takes its place.
- At most `MOST` wait. Over that the oldest notice goes; were all of them rulings, the oldest ruling goes and is
  counted in `lost`: some minutes behind, nobody knows any more what it is about.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from referee.announce.manners import Importance

MOST = 64
MOST_RESTATED = 3
LATE_US = 5_000_000
"""A ruling that has waited this long is said in its first phrase alone, so that speech catches up."""
_TELLING_WORDS = 3
"""A phrase of fewer words ("Fault.") tells nothing by itself: the next one belongs to it."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """Phrases to be said in one breath, at `born_us`.

    `place` is that of the ruling, None for anything else; `restated`: it follows from what was overturned.
    """

    phrases: tuple[str, ...]
    importance: Importance
    born_us: int
    expires_us: int | None = None
    place: int | None = None
    kind: str = ""
    replaces: bool = False
    restated: bool = False

    def due_phrases(self, now_us: int) -> tuple[str, ...]:
        """What is said of it now: all of it, or what it begins with when it is late."""
        if self.importance is not Importance.RULING or now_us - self.born_us <= LATE_US:
            return self.phrases
        telling = (n for n, phrase in enumerate(self.phrases, 1) if len(phrase.split()) >= _TELLING_WORDS)
        return self.phrases[: next(telling, 1)]


class Agenda:
    """What waits to be said."""

    def __init__(self) -> None:
        self._waiting: list[Utterance] = []
        self._reminder: tuple[int, Utterance] | None = None
        self.lost = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, utterance: Utterance) -> None:
        """Put in something to be said as soon as possible."""
        if utterance.importance is Importance.RULING:
            self._reminder = None
            self._waiting = [other for other in self._waiting if other.importance is Importance.RULING]
        if utterance.replaces:
            self._waiting = [other for other in self._waiting if other.kind != utterance.kind]
        if utterance.restated:
            again = [other for other in self._waiting if other.restated]
            for other in again[: len(again) + 1 - MOST_RESTATED]:
                self._waiting.remove(other)
        self._waiting.append(utterance)
        if len(self._waiting) > MOST:
            notices = [other for other in self._waiting if other.importance is not Importance.RULING]
            self._waiting.remove(notices[0] if notices else self._waiting[0])
            self.lost += not notices

    def remind(self, due_us: int, utterance: Utterance | None) -> None:
        """Say this at `due_us` if nothing has happened until then; None takes the reminder back."""
        self._reminder = None if utterance is None else (due_us, utterance)

    def withdraw(self, places: AbstractSet[int]) -> frozenset[int]:
        """Drop what was ruled at these places; gives the places that will now never be said."""
        dropped = frozenset(other.place for other in self._waiting if other.place is not None and other.place in places)
        self._waiting = [other for other in self._waiting if other.place not in dropped or other.place is None]
        return dropped

    def next(self, now_us: int) -> Utterance | None:
        """Take out what is to be said now, if anything."""
        self._waiting = [other for other in self._waiting if other.expires_us is None or now_us <= other.expires_us]
        if self._waiting:
            chosen = max(self._waiting, key=lambda other: other.importance)  # the first of the greatest
            self._waiting.remove(chosen)
            return chosen
        if self._reminder is not None and now_us >= self._reminder[0]:
            _, reminder = self._reminder
            self._reminder = None
            return reminder
        return None

    def wait_us(self, now_us: int) -> int | None:
        """For how long there will be nothing to say if nothing is put in; None: for ever."""
        if self._waiting:
            return 0
        return None if self._reminder is None else max(0, self._reminder[0] - now_us)
