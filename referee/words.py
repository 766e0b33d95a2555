"""The words that cross the walls: header, events, rulings.

Belongs here: the shape of what rooms say to each other, exactly as it stands in a game record (one JSON
object a word). Words are plain mappings, so that a record is the log itself, unknown keys survive a round
trip, and reading a million events costs no object for each. Whoever is given a word must not change it.
Does not belong here: reading or checking words (`referee.record`), or what follows from them (`referee.rules`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

Interval = list[float]
"""`[low, high]`, both ends possible, where a sensor cannot tell more closely."""

Event = Mapping[str, Any]
"""Any event; it has `t_us` (microseconds on the table clock) and `event` (its name)."""

Ruling = dict[str, Any]
"""Any ruling; it has `t_us`, `ruling`, `clauses`, `public`, and `margin` where a decision was close."""


class Header(TypedDict):
    """First line of a record; `players` in clockwise order."""

    record: str
    game: str
    players: list[str]
    options: NotRequired[dict[str, Any]]
    start: NotRequired[dict[str, Any]]


class Hand(TypedDict):
    """One hand of a scramble: first contact, fingers when it settled, height of the lowest contact."""

    player: str | None
    t_us: int
    fingers: float | Interval
    lowest_mm: float | Interval
    grip: NotRequired[bool]


UNFELT: Mapping[str, list[int]] = {"fingers": [1, 5], "lowest_mm": [0, 1000]}
"""What stands for a hand that only a person saw: any number of fingers, at any height."""


def was_felt(hand: Mapping[str, Any]) -> bool:
    """Whether fingers and height of a hand were measured, and do not stand for one that nothing felt."""
    return any(hand.get(key) != value for key, value in UNFELT.items())


class Fell(TypedDict):
    """The totem fell during a scramble."""

    t_us: int
    player: str | None


class Flip(TypedDict):
    """A card was turned; `between` holds the last moment without and the first moment with it."""

    t_us: int
    event: Literal["flip"]
    player: str
    card: str
    between: NotRequired[list[int]]


class Grab(TypedDict):
    """One scramble for the totem."""

    t_us: int
    event: Literal["grab"]
    hands: list[Hand]
    fell: NotRequired[Fell]


class Fall(TypedDict):
    """The totem fell with no hand closed on it."""

    t_us: int
    event: Literal["fall"]
    player: str | None


class Expected(TypedDict):
    """What may come next: shown on screens, and a prior (never a verdict) for perception."""

    waiting_for: Literal[
        "flip", "volley", "choose", "share", "take", "play", "nothing",
        "shuffle",  # Speed
        "centre", "commit", "choice", "reveal",  # Jungle Bluff
    ]  # fmt: skip
    may_flip: list[str]
    may_take: list[str]
    asked: str | None
    open: NotRequired[bool]  # who may take the totem depends on something that nobody has settled
    may_play: NotRequired[list[str]]
    may_draw: NotRequired[list[str]]
    split: NotRequired[list[int]]  # Speed: the side piles that a shuffle of the middle makes
    steps: NotRequired[list[dict[str, int]]]  # Speed: how far each rank is from each pile's top, up or down; 1 fits
    may_pass: NotRequired[list[str]]  # Dobro: whoever may end the auction now
    lacking: NotRequired[dict[str, int]]  # Dobro, Speed: how many cards those who may draw lack, at most
    left: NotRequired[dict[str, int]]  # Speed: how many cards each player still has to get rid of
    markers: NotRequired[
        dict[str, str | None]
    ]  # Dobro: `direction` that is to be shown, who is to have the `oubli` card


class Lying(TypedDict):
    """Where cards lie as far as anybody knows; None for a card that is not known.

    `reserve` next card first, `face_up` and `pot` bottom first.
    """

    reserve: Mapping[str, Sequence[str | None]]
    face_up: Mapping[str, Sequence[str | None]]
    pot: Sequence[str | None]
