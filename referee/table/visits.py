"""Hands that come to a place and go again: whose, from when to when.

Belongs here: turning the camera's words on hands into visits. Does not belong here: what a visit means to a game.

Written rules:
- a hand is at a place when its fingers end in it or near it; where the camera does not say where they end, when its
  hand is over it;
- where two arms are one outline that nothing parts, nobody is named;
- one visit goes on as long as the same seat's same hand is seen there without a gap of `gap_us`; so it does where that
  seat's other one takes its place in the next frames: a hand that is followed anew is counted anew;
- memory is bounded.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from referee.profile import Rect
from referee.vision.sightings import HandSeen

GAP_US = 85_000
NEAR_MM = 18.0  # fingers so far beside a place may have laid or taken a card there
MOST_VISITS = 60


@dataclass
class Visit:
    """One hand at one place from `first_us` to `last_us`; `names` adds up how likely it was each player's.

    `deepest_us`, `nearest_mm`: when its fingers were nearest to the middle of the place, and how near. `joined`: in how
    many of the `seen` frames its arm was one outline with another one, so that it may have been that one's hand. `used`
    is for whoever counts what followed from it, `lost`: it came out of another hand's outline, and when it came to that
    is not known. `met`: it came beside another hand, when it was seen to come. `anew`: in the midst of it the seat's
    hand was counted as another one, so that it may have been two.
    """

    hand: int
    first_us: int
    last_us: int
    deepest_us: int
    names: dict[str, float]
    seen: int = 1
    nearest_mm: float = math.inf
    used: bool = False
    joined: int = 0
    lost: bool = False
    met: bool = False
    anew: bool = False

    def again(self, seen: HandSeen, off_mm: float) -> None:
        """Its hand is seen once more, `off_mm` from the middle."""
        self.last_us = max(self.last_us, seen.t_us)
        self.seen += 1
        self.joined += not seen.apart
        for player, chance in seen.chances.items():
            self.names[player] = self.names.get(player, 0.0) + chance
        if off_mm < self.nearest_mm:
            self.deepest_us, self.nearest_mm = seen.t_us, off_mm

    def player(self, sure: float) -> str | None:
        """Whose hand it was, if that is sure enough."""
        name = max(self.names, key=lambda one: self.names[one], default=None)
        if 2 * self.joined > self.seen:
            return None
        return name if name is not None and self.names[name] / self.seen >= sure else None

    @property
    def likeliest(self) -> str | None:
        """Whose hand it most likely was."""
        return max(self.names, key=lambda one: self.names[one], default=None)


class Visits:
    """The visits to some places (name → rectangle, table mm)."""

    def __init__(
        self,
        places: Mapping[str, Rect],
        near_mm: Mapping[str, float] | None = None,
        least_gap_us: Mapping[str, int] | None = None,
    ) -> None:
        """`near_mm`, `least_gap_us`: for places that have others than `NEAR_MM` and `gap_us`."""
        self._rects = dict(places)
        self._near = dict(near_mm or {})
        self._least_gap_us = dict(least_gap_us or {})
        self.gap_us = GAP_US
        """So long a hand may go unseen in a visit; longer than `GAP_US` where frames come seldom."""
        self._visits: dict[str, deque[Visit]] = {name: deque(maxlen=MOST_VISITS) for name in places}

    def hand(self, seen: HandSeen) -> Visit | None:
        """A hand was seen; the visit that began with it, if one did."""
        rect = self._rects.get(seen.place)
        if rect is None or not self._is_there(seen, rect):
            return None
        off = 0.0 if seen.tip_mm is None else math.dist(seen.tip_mm, _middle(rect))
        name = max(seen.chances, key=lambda one: seen.chances[one], default=None)
        if (visit := self._goes_on(seen, name)) is not None:
            visit.again(seen, off)
            return None
        new = Visit(seen.hand, seen.t_us, seen.t_us, seen.t_us, dict(seen.chances), 1, off, joined=int(not seen.apart))
        self._visits[seen.place].append(new)
        return new

    def _goes_on(self, seen: HandSeen, name: str | None) -> Visit | None:
        """The visit that goes on with a hand, if one does."""
        mine = [visit for visit in reversed(self._visits[seen.place]) if visit.likeliest == name]
        gap_us = max(self.gap_us, self._least_gap_us.get(seen.place, 0))
        mine = [visit for visit in mine if seen.t_us - visit.last_us <= gap_us]
        for visit in mine:
            if visit.hand == seen.hand:
                return visit
        for visit in mine:
            if visit.last_us < seen.t_us:
                visit.hand, visit.anew = seen.hand, True
                return visit
        return None

    def _is_there(self, seen: HandSeen, rect: Rect) -> bool:
        if seen.tip_mm is None:
            return True
        by, (x, y) = self._near.get(seen.place, NEAR_MM), seen.tip_mm
        return rect[0] - by <= x <= rect[2] + by and rect[1] - by <= y <= rect[3] + by

    def within(self, place: str, from_us: int, to_us: int) -> list[Visit]:
        """The visits to a place that were there at some time after `from_us` and began by `to_us`, in their order."""
        return [one for one in self._visits.get(place, ()) if one.last_us > from_us and one.first_us <= to_us]


def _middle(rect: Rect) -> tuple[float, float]:
    return (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
