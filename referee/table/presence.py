"""Whose hands were at a place, from when until when.

Belongs here: from `HandSeen` words, frame by frame, to visits of one place. Does not belong here: what somebody did
there.

Written rules:
- a hand is at a place when its fingers end there; a hand that only lies over it on its way somewhere else is not;
- a visit may miss a frame or two; whose it is, is a chance for each player, the mean over its frames;
- memory is bounded in number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.table.layouts import Layout
from referee.vision.sightings import HandSeen

BRIDGED_US = 120_000
MOST_VISITS = 300


@dataclass
class Visit:
    """A hand at a place from `first_us` to `last_us`; `sums` are the frames' chances by player, added up."""

    first_us: int
    last_us: int
    frames: int = 0
    sums: dict[str, float] = field(default_factory=dict)

    @property
    def stay_us(self) -> int:
        """How long it stayed, at least."""
        return self.last_us - self.first_us

    def chance(self, player: str) -> float:
        """How likely it was this player's hand."""
        return self.sums.get(player, 0.0) / max(1, self.frames)

    def likeliest(self) -> str | None:
        """Whose hand it most likely was."""
        return max(self.sums, key=lambda name: (self.sums[name], name), default=None)

    def add(self, t_us: int, chances: Mapping[str, float]) -> None:
        """One more frame of it."""
        self.last_us = t_us
        self.frames += 1
        for player, chance in chances.items():
            self.sums[player] = self.sums.get(player, 0.0) + chance


class Visits:
    """The visits of some places of a table that count as one."""

    def __init__(self, layout: Layout, places: frozenset[str]) -> None:
        self._layout = layout
        self._places = places
        self._visits: deque[Visit] = deque(maxlen=MOST_VISITS)

    def hand(self, seen: HandSeen) -> Visit | None:
        """A hand was seen; the visit it belongs to, None where it is not here."""
        if seen.place not in self._places:
            return None
        if seen.tip_mm is not None and self._layout.zone_at(*seen.tip_mm) != seen.place:
            return None
        who = max(seen.chances, key=lambda name: (seen.chances[name], name), default=None)
        for visit in reversed(self._visits):
            if 0 <= seen.t_us - visit.last_us <= BRIDGED_US and visit.likeliest() == who:
                visit.add(seen.t_us, seen.chances)
                return visit
        begun = Visit(seen.t_us, seen.t_us)
        begun.add(seen.t_us, seen.chances)
        self._visits.append(begun)
        return begun

    def between(self, from_us: int, to_us: int) -> list[Visit]:
        """The visits that touch the time from `from_us` to `to_us`, the earliest first."""
        return [visit for visit in self._visits if visit.last_us >= from_us and visit.first_us <= to_us]
