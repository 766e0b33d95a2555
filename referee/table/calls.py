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
class Recount:
    """A person counted: player → cards in the reserve, in the hand, or to draw (Speed); `pile` are the cards left to
    draw for all (Dobro)."""

    t_us: int
    reserve: Mapping[str, int] = field(default_factory=dict)
    hand: Mapping[str, int] = field(default_factory=dict)
    pile: int | None = None
    draw: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Pass:
    """Dobro: a player passes and takes what lies in the auction; `only_specials`: an opener who holds nothing else."""

    t_us: int
    player: str
    only_specials: bool = False


@dataclass(frozen=True)
class JokerValue:
    """Dobro: a player says what a joker is worth (of two jokers: each), just before or after it is laid."""

    t_us: int
    player: str
    value: int


@dataclass(frozen=True)
class ForgotToDraw:
    """Dobro: `player` says that `on` has not drawn."""

    t_us: int
    player: str
    on: str


@dataclass(frozen=True)
class Blocked:
    """Speed: a player says "I am stuck"."""

    t_us: int
    player: str


@dataclass(frozen=True)
class Lay:
    """Jungle Bluff: a player says that their force lies face down in front of them."""

    t_us: int
    player: str


@dataclass(frozen=True)
class Take:
    """Jungle Bluff: a player says which score card of the centre they take."""

    t_us: int
    player: str
    card: str


@dataclass(frozen=True)
class Challenge:
    """Jungle Bluff: a player challenges one who holds a score card."""

    t_us: int
    player: str
    target: str


@dataclass(frozen=True)
class Accept:
    """Jungle Bluff: a person says that the cards shown in the centre count, though other forces were read."""

    t_us: int


NO_CARD = ""


@dataclass(frozen=True)
class Settle:
    """A person settles what was undecided: event `index` (as it counts in the record) was right so.

    For a scramble `player` is who was first (None: nobody took it, it is taken back) and `others` who gripped it after
    (empty: nothing is said of them, and those whose hands were felt and named stay); for a fall `player` is who did it
    (None: nobody); for a flip `card` is what lies there. For a play `player` is who laid it, or `card` what could not
    be read of it (`NO_CARD`: nothing, the other card was laid alone); for a call `player` is who forgot to draw after
    all.
    """

    t_us: int
    index: int
    player: str | None = None
    card: str | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class InOrder:
    """A person says whether a card lay there when the totem was touched: events `grab` and `flip` (as `Settle` counts).

    `lay`: it did. `moved`: the two stand the other way round in the record.
    """

    t_us: int
    grab: int
    flip: int
    lay: bool
    moved: bool


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

    def recorded(self) -> Event:
        """What it is in a record."""
        where = {"before": self.before} if self.before is not None else {"ref": self.ref}
        said = {"by": self.by, "reason": self.reason, "with": self.event}
        return {"t_us": self.t_us, "event": "correct", **where, **said}


@dataclass(frozen=True)
class Notice:
    """Something a person should hear of that is no event of the game; `kind` is a word a page can translate."""

    t_us: int
    kind: str
    about: Mapping[str, Any] = field(default_factory=dict)


DobroCall = Pass | JokerValue | ForgotToDraw
"""What is said in Dobro alone."""

BluffCall = Lay | Take | Challenge | Accept
"""What is said in Jungle Bluff alone."""

Call = Choose | Share | Recount | Blocked | Settle | InOrder | Correct | DobroCall | BluffCall


TABLE_EVENTS = ("choose", "share", "recount", "pass", "call", "challenge", "blocked")
"""The events of a record that come from calls, word by word."""


def call_of(word: Event) -> Choose | Share | Recount | Blocked | DobroCall | Challenge:
    """A checked event of `TABLE_EVENTS`, or what a joker is worth (`joker`), as the call it came from."""
    match word["event"]:
        case "blocked":
            return Blocked(word["t_us"], word["player"])
        case "challenge":
            return Challenge(word["t_us"], word["player"], word["target"])
        case "choose":
            return Choose(word["t_us"], word["player"], word["choice"])
        case "share":
            return Share(word["t_us"], word["player"], word["shares"])
        case "pass":
            return Pass(word["t_us"], word["player"], bool(word.get("only_specials", False)))
        case "joker":
            return JokerValue(word["t_us"], word["player"], word["value"])
        case "call":
            return ForgotToDraw(word["t_us"], word["player"], word["on"])
        case _:
            return Recount(
                word["t_us"], word.get("reserve", {}), word.get("hand", {}), word.get("pile"), word.get("draw", {})
            )
