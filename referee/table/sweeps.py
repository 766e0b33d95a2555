"""Who picked cards up: piles that are gone, and where the hand went that took them.

Belongs here: from `PileTaken` and hands at reserves and shared piles to pick-ups. Does not belong here: whether it
was right to pick up (the rules say).

Written rules:
- a pick-up is told when a hand that surely took a pile comes to its own reserve; cards that went to a shared pile
  are no pick-up, and an own pile alone, which might have gone there, is not told as one;
- several piles swept together are one pick-up;
- a wrong name here would be a false warning: whatever is not sure is dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.table.layouts import Layout
from referee.table.settings import FusionSettings
from referee.vision.sightings import PileTaken

MOST_OPEN = 40
MOST_VISITS = 400


@dataclass(frozen=True)
class PickUp:
    """A player was seen taking cards from `t_us` on; `zones` are the piles, `chance` that it was this player.

    `to_pot`: an own pile that went to a shared pile, which is no pick-up; `own`: nothing but the own pile, which may
    have gone to the pot with nobody seeing it.
    """

    t_us: int
    player: str
    zones: tuple[str, ...]
    chance: float
    evidence: tuple[str, ...]
    to_pot: bool = False
    own: bool = False


class Sweeps:
    """Piles on their way from the table to a reserve."""

    def __init__(self, layout: Layout, settings: FusionSettings) -> None:
        self._layout = layout
        self._settings = settings
        self._open: list[PileTaken] = []
        self._last: dict[str, int] = {}
        self._visits: deque[tuple[str, int, Mapping[str, float]]] = deque(maxlen=MOST_VISITS)

    def taken(self, pile: PileTaken) -> list[PickUp]:
        """A pile is gone; without a sure arm nothing follows from it.

        It may be said when the hand has long been where it went: visits since then count.
        """
        if pile.by is None or pile.by_chance < self._settings.sweep_sure:
            return []
        self._open = [*self._open[-MOST_OPEN + 1 :], pile]
        since = [visit for visit in self._visits if visit[1] >= pile.between_us[1]]
        return [found for place, t_us, chances in since for found in self._visit(place, t_us, chances)]

    def hand(self, place: str, t_us: int, chances: Mapping[str, float]) -> list[PickUp]:
        """A hand was seen at a zone: that may end a sweep."""
        if self._layout.meaning(place) in ("stock", "shared"):
            self._visits.append((place, t_us, chances))
        return self._visit(place, t_us, chances)

    def _visit(self, place: str, t_us: int, chances: Mapping[str, float]) -> list[PickUp]:
        self._open = [pile for pile in self._open if t_us - pile.between_us[1] <= self._settings.sweep_us]
        if not self._open:
            return []
        meaning = self._layout.meaning(place)
        if meaning == "shared":
            return self._to_pot(chances)
        player = self._layout.owner(place)
        if meaning != "stock" or player is None or chances.get(player, 0.0) < self._settings.sweep_sure:
            return []
        mine = [pile for pile in self._open if pile.by == player and pile.between_us[1] <= t_us]
        self._open = [pile for pile in self._open if pile not in mine]
        if not mine:
            return []
        own = all(self._layout.owner(pile.zone) == player for pile in mine)
        first_us = mine[0].between_us[0]
        if not own:
            again = first_us - self._last.get(player, -(2**62)) <= self._settings.sweep_us
            self._last[player] = t_us
            if again:
                return []
        return [_pick_up(player, mine, chances[player], own=own)]

    def _to_pot(self, chances: Mapping[str, float]) -> list[PickUp]:
        """Own piles whose players' hands are at the pot went there."""
        found = []
        for player, chance in chances.items():
            if chance <= 1.0 - self._settings.sweep_sure:
                continue
            own = [pile for pile in self._open if pile.by == player and self._layout.owner(pile.zone) == player]
            self._open = [pile for pile in self._open if pile not in own]
            if own and chance >= self._settings.sweep_sure:
                found.append(_pick_up(player, own, chance, to_pot=True))
        return found


def _pick_up(
    player: str, piles: Sequence[PileTaken], chance: float, *, to_pot: bool = False, own: bool = False
) -> PickUp:
    evidence = tuple(dict.fromkeys(one for pile in piles for one in pile.evidence))
    zones = tuple(pile.zone for pile in piles)
    least = min(chance, *(pile.by_chance for pile in piles))
    return PickUp(piles[0].between_us[1], player, zones, least, evidence, to_pot, own)
