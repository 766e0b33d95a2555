"""What may be made known at all, and that it is made known once.

Belongs here: `public`, `announce.duel`, places already made known, places overturned. Does not belong here: how and
when it is said.

A ruling with `public` false is a secret (a force of Jungle Bluff) with one exception: in Jungle Speed a duel, or a
third card of one colour, is not public because saying it would play for the players. `announce.duel = "at-once"`
lets these two out when they are born (training); with `"after"` they are never said, and the `won` that follows
tells who met whom.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.words import Ruling

DUEL = ("after", "at-once")


class Publicity:
    """Remembers what was let out; one for a game."""

    def __init__(self, game: str, duel: str = "after") -> None:
        self._duels_at_once = game == "jungle-speed" and duel == "at-once"
        self._seen: set[int] = set()

    def admit(self, place: int, ruling: Ruling) -> bool:
        """Whether this ruling may be made known now; true at most once for a place."""
        if place in self._seen:
            return False
        self._seen.add(place)
        return ruling["public"] is True or (self._duels_at_once and _spoils_a_duel(ruling))

    def overturn(self, places: Iterable[int]) -> frozenset[int]:
        """These places do not hold; one that has not come yet will not be let out any more."""
        found = frozenset(places)
        self._seen |= found
        return found


def _spoils_a_duel(ruling: Ruling) -> bool:
    named: str = ruling["ruling"]
    return named == "duel" or (named == "arrow" and bool(ruling["kind"] == "triple"))
