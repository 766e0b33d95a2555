"""The forces in front of players, as the camera sees their backs: which lie, which were moved, and what is not known.

Belongs here: the places of forces and what may be said of them. Does not belong here: which card a force is (nobody
here knows), when an event leaves (`bluff_table`).

Written rules:
- a force is laid at the earliest moment at which it may have been; a choice inside that interval is nobody's fault;
- that none lies is believed only at a place where one was seen before and which could be seen for a while; not where
  one seemed to go while the round went on, for there it may lie and not be seen;
- a force that is taken up was moved only if the round went on without it: after the last choice all are.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.table.layouts import Layout
from referee.table.watermarks import START_US
from referee.vision.sightings import Back, BackGone, BackLaid, ZoneCovered

LOOKED_US = 1_000_000  # the place of a force could be seen for so long: then it is known whether one lies there


class Forces:
    """The forces of one table; `committed` are those in the record, with the time they bear there."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lying: dict[str, tuple[int, int]] = {}  # between when and when a force came to lie
        self._told: dict[str, tuple[int, int]] = {}  # the same of those in the record that the camera has seen
        self._gone: dict[str, int] = {}
        self._proven: set[str] = set()
        self._covered: set[str] = set()
        self._cleared: dict[str, int] = {}
        self.committed: dict[str, int] = {}

    def back(self, s: Back, in_round: bool) -> str | None:
        """A word of the camera; returns whose force was moved. `in_round`: forces are being laid, or choices made."""
        player = self._layout.owner(s.zone)
        if player is None:
            return None
        counts = in_round and player in self.committed
        if isinstance(s, BackGone):
            self._lying.pop(player, None)
            if counts:
                self._gone[player] = s.between_us[1]
                self._proven.discard(player)
            return None
        if isinstance(s, BackLaid):
            self._proven.add(player)
        self._lying[player] = s.between_us
        self._gone.pop(player, None)
        return player if counts else None

    def cover(self, s: ZoneCovered) -> None:
        """Something hides the place of a force, or hides it no longer."""
        (self._covered.discard if s.clear else self._covered.add)(s.zone)
        self._cleared[s.zone] = s.t_us

    def lying(self, players: Iterable[str], since_us: int) -> list[tuple[int, str]]:
        """Whose forces lie that are not in the record yet, each with the time from which it may have lain."""
        return [
            (max(self._lying[name][0], since_us) + 1, name)
            for name in players
            if name in self._lying and name not in self.committed
        ]

    def commit(self, player: str, t_us: int) -> None:
        """A force is in the record."""
        self.committed[player] = t_us
        if player in self._lying:
            self._told[player] = self._lying[player]

    def missing(self, players: Iterable[str]) -> list[str]:
        """Who has no force in the record."""
        return [name for name in players if name not in self.committed]

    def is_known(self, t_us: int, missing: Iterable[str]) -> bool:
        """Whether it is known who had laid a force at a moment; `missing` are those who are not in the record."""
        if any(from_us < t_us < to_us for from_us, to_us in self._told.values()):
            return False
        for player in missing:
            zone = f"force/{player}"
            if player not in self._proven or zone in self._covered:
                return False
            if self._cleared.get(zone, START_US) > t_us - LOOKED_US:
                return False
        return True

    def after(self, t_us: int) -> int:
        """A choice that was held until the last force was seen, or said, counts from then on."""
        return max(t_us, max(self.committed.values(), default=START_US) + 1)

    def chosen(self, t_us: int) -> list[str]:
        """A choice was made at a moment: whose force was taken up before it, and did not come back."""
        moved = [player for player, gone_us in self._gone.items() if gone_us < t_us]
        for player in moved:
            del self._gone[player]
        return moved

    def new_round(self, choice_us: int) -> None:
        """The next cards lie in the centre; what was laid before the last choice is an old force, not seen taken up."""
        self._lying = {player: between for player, between in self._lying.items() if between[1] > choice_us}
        self._told.clear()
        self._gone.clear()
        self.committed.clear()
