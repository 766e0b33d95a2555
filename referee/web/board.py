"""What the pages show: one snapshot of the table, replaced whole, and whoever waits for the next.

Written rules of this module:
- a snapshot is in words alone (players, counts, rulings, events as they stand in a record) and never changes;
- the newest snapshot wins: a slow page skips some and never holds up the game.
Does not belong here: where the words come from; which of them may be shown (`view`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from referee.health import Freshness
from referee.words import Event, Ruling

OVERTURNED = "overturned"  # the ruling that makes earlier ones void (docs/records.md)
CARDS = ("holds",)  # what of a player is a card and no count
Phase = Literal["waiting", "playing", "over"]
Wake = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player; `counts` (or the card, where it is one: `holds`) under the names the game's state gives them.

    A count is None where something that nobody has settled leaves it open.
    """

    name: str
    counts: Mapping[str, int | str | None]
    out: bool = False


@dataclass(frozen=True, slots=True)
class SourceState:
    """How the camera or the totem is; `problem` in words, if any."""

    freshness: Freshness
    age_us: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ShownRuling:
    """A ruling and its place among all that were given, 0 first."""

    place: int
    ruling: Ruling
    overturned: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What a person must say before the game goes on.

    `ruling` is the `choice-needed`, `share-needed` or `undecided` that asks; `cards` are the cards to choose
    from where a card could not be read, `others` the players who may be named besides the candidates or as having
    gripped too; `fell`: it asks who knocked the totem over, `holds`: who has a card after a challenge, `under`: for the
    card that may lie under this one; `card`: which card it is about; `between_us`: when a card that is asked for was
    turned, at the earliest and the latest; `soon`: it asks who laid a card that counts (nobody, where it was laid too
    soon and goes back); `claims`: who says they are stuck, and had drawn before (nobody, where they had not);
    `lay`: it asks whether the card that this player turned lay there when the totem was touched (None: not yet);
    `pile`: on which central pile of Speed the card lies.
    `id` tells this question from every other one of the game.
    """

    id: int
    ruling: Ruling
    cards: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    fell: bool = False
    under: str | None = None
    card: str | None = None
    between_us: tuple[int, int] | None = None
    holds: bool = False
    soon: bool = False
    claims: bool = False
    lay: str | None = None
    pile: int | None = None


Saying = Literal["blocked", "pass", "pass-specials", "joker", "forgot", "show", "lay", "take", "challenge", "accept"]
"""What people may say in a game, besides answering a question."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something `player` may say now ("": whoever runs the game), with one of `choices` where there are any.

    `sure`: it cannot be taken back, and is asked once more. Nothing secret belongs in here.
    """

    player: str
    call: Saying
    choices: tuple[str, ...] = ()
    sure: bool = False


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """Something people should hear of that is no ruling; `kind` is a word that a page has words for."""

    t_us: int
    kind: str
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Correctable:
    """The last event a person may correct: take it back, or put one of `choices` in its place.

    `asks` says what the choices are: players who may have been the one, or cards it may have been. Nothing
    secret belongs in here.
    """

    ref: int
    event: Event
    asks: Literal["who", "card"] | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """How the table stands.

    `seats` are in clockwise order, `facts` the counts of the whole table under the names the game's state gives
    them (`pot`, `round`, ...), `colour_mode` is None in a game that has none. `rulings` are in the order given,
    the newest last; a snapshot may hold the last few only. `recountable` are the counts a person may set.
    `waiting_for` is what a game without turns waits for, `waiting_on` for whom. `t_us` is the table clock; `camera` and
    `totem` are None where there is none.
    """

    game: str
    seats: tuple[Seat, ...]
    phase: Phase = "waiting"
    t_us: int = 0
    turn: str | None = None
    colour_mode: bool | None = None
    facts: Mapping[str, Any] | None = None
    rulings: tuple[ShownRuling, ...] = ()
    question: Question | None = None
    correctable: Correctable | None = None
    recountable: tuple[str, ...] = ()
    camera: SourceState | None = None
    totem: SourceState | None = None
    paused: bool = False
    ranking: tuple[tuple[str, ...], ...] = ()
    offers: tuple[Offer, ...] = ()
    notices: tuple[ShownNotice, ...] = ()
    waiting_for: str = ""
    waiting_on: tuple[str, ...] = ()


def seats_of(players: Sequence[str], state: Mapping[str, Any]) -> tuple[Seat, ...]:
    """The seats from a game's state as `referee adjudicate --state` prints it."""
    piles = {key: value for key, value in state.items() if isinstance(value, Mapping) and set(value) <= {*players}}
    out = set(state.get("out") or ())

    def counts(name: str) -> dict[str, int | str | None]:
        """What one player has; a card that one may hold has its place also while there is none."""
        return {
            key: pile.get(name, "") if key in CARDS else pile[name]
            for key, pile in piles.items()
            if key in CARDS or (name in pile and isinstance(pile[name], int | None))
        }

    return tuple(Seat(name, counts(name), name in out) for name in players)


def facts_of(players: Sequence[str], state: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of the whole table from the same state; turn, mode and end have places of their own."""
    own_place = ("turn", "colour_mode", "over", "out")
    return {
        key: value
        for key, value in state.items()
        if key not in own_place and not (isinstance(value, Mapping) and set(value) <= {*players})
    }


def shown_rulings(given: Sequence[Ruling]) -> tuple[ShownRuling, ...]:
    """Every ruling in the order given, those marked that an `overturned` ruling made void.

    Those that are not public are left out here already, and once more by the pages.
    """
    void = {place for ruling in given if ruling["ruling"] == OVERTURNED for place in ruling["refs"]}
    return tuple(
        ShownRuling(place, ruling, place in void)
        for place, ruling in enumerate(given)
        if ruling["ruling"] != OVERTURNED and ruling["public"]
    )


class Board:
    """The newest snapshot, for any number of readers in any thread."""

    def __init__(self, snapshot: TableSnapshot, now_s: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._now_s = now_s
        self._snapshot = snapshot
        self._version = 0
        self._updated_s = now_s()
        self._waiting: set[Wake] = set()

    def update(self, snapshot: TableSnapshot) -> None:
        """Replace what is shown. Cheap; a session calls it at every change, and once a second at least."""
        with self._lock:
            self._updated_s = self._now_s()
            if snapshot == self._snapshot:
                return
            self._snapshot = snapshot
            self._version += 1
            waiting = list(self._waiting)
        for wake in waiting:
            wake()

    def current(self) -> tuple[int, TableSnapshot]:
        """The version, which rises with every change, and the snapshot."""
        with self._lock:
            return self._version, self._snapshot

    def age_s(self) -> float:
        """How long ago the session last said anything."""
        with self._lock:
            return max(0.0, self._now_s() - self._updated_s)

    @contextmanager
    def watched(self, wake: Wake) -> Iterator[None]:
        """Call `wake` at every change, from the thread that made it; it must return at once."""
        with self._lock:
            self._waiting.add(wake)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.discard(wake)
