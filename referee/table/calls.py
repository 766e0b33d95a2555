"""What people say to the referee, by buttons or on the operator's page: the words of the third source.

Belongs here: the calls. Does not belong here: which button means what (`session`, `web`), whether a call can be
followed (`rules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.words import Event


@dataclass(frozen=True)
class Choose:
    """A taker says which of two situations is taken."""

    t_us: int
    player: str
    choice: Literal["duel", "arrow"]


@dataclass(frozen=True)
class Share:
    """A winner shares out the cards: player → number."""

    t_us: int
    player: str
    shares: Mapping[str, int]


@dataclass(frozen=True)
class Say:
    """A player says what the game lets them say, by their button or the operator's page: the event's name is the `word`
    (`blocked`), its further keys, if any, are `about`."""

    t_us: int
    player: str
    word: str
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Recount:
    """A person counted: player → cards in the reserve, or in another pile of the game's (`pile`)."""

    t_us: int
    reserve: Mapping[str, int]
    pile: str = "reserve"


@dataclass(frozen=True)
class Settle:
    """A person settles what was undecided: event `index` (as it counts in the record) was right so.

    For a scramble `player` is who was first (None: nobody took it, it is taken back) and `others` who gripped it after
    (empty: nothing is said of them, and those whose hands were felt and named stay); for a fall `player` is who did it
    (None: nobody); for a flip `card` is what lies there.
    """

    t_us: int
    index: int
    player: str | None = None
    card: str | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Correct:
    """A person replaces event `ref` with `event` (None: it never happened), or inserts it before event `before`.

    `by` is who says so: the operator, or the name of who reviewed it.
    """

    t_us: int
    reason: str
    event: Event | None
    ref: int | None = None
    before: int | None = None
    by: str = "operator"


@dataclass(frozen=True)
class Notice:
    """Something a person should hear of that is no event of the game; `kind` is a word a page can translate."""

    t_us: int
    kind: str
    about: Mapping[str, Any] = field(default_factory=dict)


Call = Choose | Share | Recount | Settle | Correct | Say


SAYINGS = frozenset({"blocked"})
"""The events that are a player's word and nothing else."""


def call_of(word: Event) -> Choose | Share | Recount | Say:
    """A checked `choose`, `share`, `recount` or word of a player (`SAYINGS`) as the call it came from."""
    match word["event"]:
        case "choose":
            return Choose(word["t_us"], word["player"], word["choice"])
        case "share":
            return Share(word["t_us"], word["player"], word["shares"])
        case name if name in SAYINGS:
            about = {key: value for key, value in word.items() if key not in ("t_us", "event", "player")}
            return Say(word["t_us"], word["player"], name, about)
        case _:
            pile = next((key for key in ("reserve", "hand", "draw") if key in word), "reserve")
            return Recount(word["t_us"], word[pile], pile)
