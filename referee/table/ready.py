"""Before the first card: the totem stands in the middle, and every player has taken it once.

Belongs here: what is still wanted before a game may begin. Does not belong here: saying it, the deck (`census`).

Written rules: the totem stands upright in its place and no nearer to one player than to another (JS-02); a roll call is
the first use of every part of the referee that names people: who cannot be named here would not be named in a
duel either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from referee.table.layouts import Layout
from referee.words import Event

UNEVEN_MM = 30.0
"""So much nearer to one player's pile than to another's is still "the middle": a thumb's breadth."""


@dataclass(frozen=True)
class TotemPlaceCheck:
    """Where the totem stands: `off_mm` from its spot; `nearest` and `farthest` player where that is unfair."""

    standing: bool
    off_mm: float | None
    nearest: str | None = None
    farthest: str | None = None

    @property
    def good(self) -> bool:
        """Whether the game may begin with it."""
        return self.standing and self.nearest is None


def check_totem(layout: Layout, standing: bool, at_mm: tuple[float, float] | None = None) -> TotemPlaceCheck:
    """Whether the totem stands, and stands fairly; `at_mm` is where it was seen (None: in its place).

    Fair is as far from each player as its spot is, to within `UNEVEN_MM`: tables are longer than wide.
    """
    if at_mm is None:
        return TotemPlaceCheck(standing, None)
    spot = layout.totem.centre_mm
    nearer = {}
    for player in layout.players:
        zone = layout.zones.get(f"face_up/{player}")
        if zone is not None:
            nearer[player] = math.dist(zone.centre_mm, spot) - math.dist(zone.centre_mm, at_mm)
    off_mm = math.dist(spot, at_mm)
    nearest = max(nearer, key=lambda player: nearer[player], default=None)
    farthest = min(nearer, key=lambda player: nearer[player], default=None)
    if nearest is None or farthest is None or nearer[nearest] - nearer[farthest] <= UNEVEN_MM:
        return TotemPlaceCheck(standing, off_mm)
    return TotemPlaceCheck(standing, off_mm, nearest, farthest)


class RollCall:
    """Every player takes the totem once; feed it the `grab` events of a fusion."""

    def __init__(self, players: Sequence[str]) -> None:
        self._players = tuple(players)
        self._taken: dict[str, int] = {}
        self.unknown = 0
        """Scrambles in which a hand could not be named."""

    def event(self, event: Event) -> str | None:
        """An event; returns the player who is crossed off by it."""
        if event["event"] != "grab":
            return None
        hands = [hand for hand in event["hands"] if hand.get("grip", True)]
        names = {hand["player"] for hand in hands}
        if None in names:
            self.unknown += 1
            return None
        if len(names) != 1:
            return None  # two at once: it is not said whose turn it was
        player: str = names.pop()
        if player in self._taken or player not in self._players:
            return None
        self._taken[player] = event["t_us"]
        return player

    @property
    def missing(self) -> tuple[str, ...]:
        """The players who have not taken it yet, clockwise."""
        return tuple(player for player in self._players if player not in self._taken)

    @property
    def done(self) -> bool:
        """Whether everybody has."""
        return not self.missing
