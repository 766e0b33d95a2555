"""What the operator says: commands, checked against what is shown, in a queue the session takes from.

Written rules of this module:
- a command names what it answers (a question's id, an event's place), so that a tap that came too late answers
  nothing else; the session looks again before it acts on one;
- the queue is bounded, and the same command waiting twice is one command.
Does not belong here: what a command does to a game.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import InputError
from referee.web.board import Saying, TableSnapshot
from referee.words import Event

LARGEST_QUEUE = 32
LARGEST_COUNT = 1000  # formats: a pile


class CommandError(InputError):
    """A command that cannot be; the message is for the operator."""


class LateError(CommandError):
    """A command about something that is no longer so."""


@dataclass(frozen=True, slots=True)
class Choose:
    """The player asked has chosen (`choice-needed`)."""

    question: int
    choice: str


@dataclass(frozen=True, slots=True)
class Share:
    """The player asked has shared cards out (`share-needed`); pairs of player and number."""

    question: int
    shares: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Settle:
    """A person has decided an `undecided`: a player, or a card; None: nothing of the kind happened.

    `others` are the players who gripped the totem too, after the one named.
    """

    question: int
    answer: str | None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correct:
    """The event at `ref` was in truth this one's (a player) or this (a card); None: it never happened."""

    ref: int
    choice: str | None


@dataclass(frozen=True, slots=True)
class Say:
    """A player says something of the game (`Offer`); `player` is "" where whoever runs the game says it."""

    player: str
    call: Saying
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class Recount:
    """A pile of each player was counted anew; pairs of player and number."""

    pile: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing that happens now counts."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The game goes on."""


@dataclass(frozen=True, slots=True)
class Start:
    """A game begins."""


@dataclass(frozen=True, slots=True)
class End:
    """The game is ended as it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class Overturn:
    """A ruling of the running game was reviewed: the event at `ref` was `event` (None: it never happened).

    It comes from the review pages, which have looked at it and show what it changes; `by` and `reason` are kept.
    """

    ref: int
    event: Event | None
    by: str
    reason: str


Command = Choose | Share | Settle | Correct | Say | Recount | Pause | Resume | Start | End | Overturn


class Desk:
    """The queue between the operator's page and the session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Command] = deque()

    def put(self, command: Command) -> None:
        """Queue a command; raises `CommandError` when the session has stopped listening."""
        with self._lock:
            if command in self._waiting:
                return
            if len(self._waiting) >= LARGEST_QUEUE:
                raise CommandError("the referee is busy, try again")
            self._waiting.append(command)

    def take(self) -> Command | None:
        """The oldest command, for the session; None when there is none."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None


def command_from(said: Any, snapshot: TableSnapshot) -> Command:
    """The command in a page's words, if it answers what is shown.

    Raises `CommandError`, and `LateError` where it would have answered what was shown before.
    """
    if not isinstance(said, Mapping) or not isinstance(said.get("do"), str) or said["do"] not in _READERS:
        raise CommandError(f"expected a command: one of {', '.join(_READERS)}")
    return _READERS[said["do"]](said, snapshot)


def _choose(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    number, ruling = _asked(said, snapshot, "choice-needed")
    choice = said.get("choice")
    if choice not in ruling["options"]:
        raise CommandError(f"choice: expected one of {', '.join(ruling['options'])}")
    return Choose(number, str(choice))


def _share(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    number, ruling = _asked(said, snapshot, "share-needed")
    shares = _numbers(said.get("shares"), ruling["losers"])
    if sum(count for _, count in shares) != ruling["cards"]:
        raise CommandError(f"shares: expected {ruling['cards']} cards in all")
    return Share(number, shares)


def _settle(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    number, ruling = _asked(said, snapshot, "undecided")
    question = snapshot.question
    cards, players = (question.cards, question.others) if question is not None else ((), ())
    answer = _answer(said, "answer", cards or (*ruling["candidates"], *players))
    others = said.get("others", [])
    if not isinstance(others, list) or not all(isinstance(name, str) and name in players for name in others):
        raise CommandError("others: expected a list of players")
    return Settle(number, answer, tuple(name for name in dict.fromkeys(others) if name != answer))


def _correct(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    last = snapshot.correctable
    if not _is_number(said.get("ref")):
        raise CommandError("ref: expected the place of an event")
    if last is None or said["ref"] != last.ref:
        raise LateError("something else has happened since")
    return Correct(last.ref, _answer(said, "choice", last.choices))


def _recount(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    pile = said.get("pile")
    if pile not in snapshot.recountable:
        raise CommandError("pile: this cannot be counted anew")
    counts = _numbers(said.get("counts"), [seat.name for seat in snapshot.seats], whole=False)
    return Recount(str(pile), counts)


def _say(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    player, call, choice = said.get("player"), said.get("call"), said.get("choice")
    if not isinstance(player, str) or not isinstance(call, str) or not (choice is None or isinstance(choice, str)):
        raise CommandError("expected a player, a call, and a choice where there is one")
    offer = next((one for one in snapshot.offers if (one.player, one.call) == (player, call)), None)
    if offer is None:
        raise LateError("this cannot be said now")
    if bool(offer.choices) != (choice is not None) or (choice is not None and choice not in offer.choices):
        raise CommandError("choice: expected one of those offered")
    return Say(offer.player, offer.call, choice)


def _pause(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    return _when(snapshot.phase == "playing" and not snapshot.paused, Pause())


def _resume(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    return _when(snapshot.phase == "playing" and snapshot.paused, Resume())


def _start(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    return _when(snapshot.phase != "playing", Start())


def _end(said: Mapping[str, Any], snapshot: TableSnapshot) -> Command:
    return _when(snapshot.phase == "playing", End())


_READERS: Mapping[str, Callable[[Mapping[str, Any], TableSnapshot], Command]] = {
    "choose": _choose,
    "share": _share,
    "settle": _settle,
    "correct": _correct,
    "say": _say,
    "recount": _recount,
    "pause": _pause,
    "resume": _resume,
    "start": _start,
    "end": _end,
}


def _when(possible: bool, command: Command) -> Command:
    if not possible:
        raise LateError("the game is no longer at that point")
    return command


def _asked(said: Mapping[str, Any], snapshot: TableSnapshot, kind: str) -> tuple[int, Mapping[str, Any]]:
    number, question = said.get("question"), snapshot.question
    if not _is_number(number):
        raise CommandError("question: expected its number")
    if question is None or number != question.id or question.ruling["ruling"] != kind:
        raise LateError("this question has been answered")
    return question.id, question.ruling


def _answer(said: Mapping[str, Any], key: str, answers: tuple[str, ...]) -> str | None:
    answer = said.get(key, "")
    if answer is None:
        return None
    if answer not in answers:
        raise CommandError(f"{key}: expected one of those offered, or null")
    return str(answer)


def _numbers(said: Any, names: list[str], whole: bool = True) -> tuple[tuple[str, int], ...]:
    """Pairs of name and number in the order of `names`; `whole`: each of them must be there."""
    if not isinstance(said, Mapping) or not said or not set(said) <= set(names) or (whole and set(said) != set(names)):
        raise CommandError(f"expected a number of cards for {', '.join(names)}")
    if not all(_is_number(count) and 0 <= count <= LARGEST_COUNT for count in said.values()):
        raise CommandError(f"expected whole numbers of cards, from 0 to {LARGEST_COUNT}")
    return tuple((name, said[name]) for name in names if name in said)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
