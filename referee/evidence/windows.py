"""Which stretches of time are to be kept, and which of them are one.

Belongs here: a stretch with what is marked in it, joining stretches that overlap, when one is over. Pure: times come
with the calls. Does not belong here: frames, files, why a stretch matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_US = 20_000_000
"""A window is no longer than this, so that what waits in memory has an end; what follows is a window of its own."""
SETTLES_US = 1_500_000
"""A window waits so long after its end: a ruling is often given again once the totem is let go, and is kept with it."""
SILENT_US = 1_000_000
"""So much longer it waits where no frame says that its end has passed."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the decision: what happened (`contact`, `arrival`, `fall`, `call`), to whom, by which event."""

    t_us: int
    what: str
    who: str | None = None
    event: int = -1


@dataclass(frozen=True, slots=True)
class CardShown:
    """A card the decision rests on: the number of its sighting, the event that turned it, what it may be.

    `card` is what was said of it (`?`: not read), `candidates` the likeliest ids, likeliest first.
    """

    number: int
    event: int
    player: str | None
    zone: str
    card: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be kept: a stretch of time (table clock), the places of the rulings it shows, what they rest on.

    `pictures`: the deck's own pictures (JPEG) of the cards that those shown may be, by their id.
    """

    from_us: int
    to_us: int
    places: tuple[int, ...]
    marks: tuple[Mark, ...] = ()
    cards: tuple[CardShown, ...] = ()
    pictures: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """One or more wishes that are kept together; `keys` are the names under which they were asked for."""

    keys: tuple[int, ...]
    wanted: Wanted


def joined(one: Wanted, other: Wanted) -> Wanted:
    """Both as one stretch."""
    return Wanted(
        min(one.from_us, other.from_us),
        max(one.to_us, other.to_us),
        tuple(sorted({*one.places, *other.places})),
        tuple(sorted({*one.marks, *other.marks}, key=lambda mark: (mark.t_us, mark.event))),
        tuple({card.number: card for card in (*one.cards, *other.cards)}.values()),
        tuple(dict((*one.pictures, *other.pictures)).items()),
    )


class Windows:
    """The windows that are not over yet."""

    def __init__(self) -> None:
        self._open: list[Window] = []

    def add(self, key: int, wanted: Wanted) -> None:
        """One more wish; it is joined with every window it overlaps, as far as `LONGEST_US` allows."""
        new = Window((key,), wanted)
        rest: list[Window] = []
        for window in self._open:
            both = joined(window.wanted, new.wanted)
            apart = window.wanted.to_us < new.wanted.from_us or new.wanted.to_us < window.wanted.from_us
            if apart or both.to_us - both.from_us > LONGEST_US:
                rest.append(window)
            else:
                new = Window((*window.keys, *new.keys), both)
        self._open = sorted([*rest, new], key=lambda window: window.wanted.from_us)

    def over(self, frame_us: int | None, now_us: int) -> list[Window]:
        """Take out those that are over: by the newest frame, or a while later by the newest of all data."""
        seen_us = max(now_us - SILENT_US, now_us if frame_us is None else frame_us)
        return self._take(window for window in self._open if window.wanted.to_us + SETTLES_US <= seen_us)

    def rest(self) -> list[Window]:
        """Take out all of them: nothing more comes."""
        return self._take(self._open)

    @property
    def hold_us(self) -> int | None:
        """What is later than this is still needed; None: nothing is waited for."""
        return min((window.wanted.from_us for window in self._open), default=None)

    def _take(self, which: Iterable[Window]) -> list[Window]:
        taken = list(which)
        self._open = [window for window in self._open if window not in taken]
        return taken
