"""What simulated people do about a card they see: who reaches for the totem, rightly or not, and when.

Belongs here: perception and decision, from what lies on the table to reaches. The rules say who is entitled;
people only notice it late, or not at all, or see a match where there is none. Does not belong here: motions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from referee.rules.jungle_speed_state import State
from referee.sim.habits import Habits, Person
from referee.sim.scramble import Reach

SEEN_AFTER_EDGE_US = 60_000
MOST_HANDS = 3


def family(card: str) -> str:
    """Cards whose shapes' names begin with the same word look alike: so our decks and most others name them."""
    return card.split("/")[0].split("-")[0]


class Reactions:
    """Draws each player's reach after a card; `arrive` says how long a hand takes to the totem from where it is."""

    def __init__(
        self,
        people: dict[str, Person],
        habits: Habits,
        random: np.random.Generator,
        free_us: Callable[[str], int],
        travel_us: Callable[[str], int],
    ) -> None:
        self._people, self._habits, self._random = people, habits, random
        self._free_us, self._travel_us = free_us, travel_us

    def after(
        self, state: State, entitled: Sequence[str], flipper: str, edge_us: int, sure: bool = False
    ) -> list[Reach]:
        """Reaches that the card just turned brings about, by time of contact; with `sure` nobody misses it."""
        habits, random = self._habits, self._random
        players = state.setup.players
        reaches = []
        for player in players:
            seat = state.setup.seats[player]
            if state.rank[seat]:
                continue
            if player in entitled:
                wants = sure or random.random() >= habits.miss
            elif self._sees_a_twin(state, player, flipper):
                wants = random.random() < habits.look_alike
            else:
                wants = random.random() < (habits.intrude if entitled else habits.wild)
            if wants:
                reaches.append(self._reach(player, edge_us))
        return sorted(reaches, key=lambda reach: reach.contact_us)

    def _reach(self, player: str, edge_us: int) -> Reach:
        notice = 1000 * self._people[player].draw_ms(self._random, self._habits.notice_ms)
        launch = int(edge_us + SEEN_AFTER_EDGE_US + notice)
        launch = max(launch, self._free_us(player) + int(self._random.uniform(20_000, 120_000)))
        return Reach(player, launch, launch + self._travel_us(player))

    def _sees_a_twin(self, state: State, player: str, flipper: str) -> bool:
        """Whether this player's top looks like the card just turned, or the other way round, and is not the same."""
        seats, tops = state.setup.seats, state.face_up
        turned = tops[seats[flipper]][-1:]
        others = [pile[-1] for seat, pile in enumerate(tops) if pile and seat != seats[flipper]]
        mine = tops[seats[player]][-1:] if player != flipper else tuple(others)
        if not turned or turned[0] is None:
            return False
        card = turned[0]
        return any(
            other is not None and other.split("/")[0] != card.split("/")[0] and family(other) == family(card)
            for other in mine
        )

    def meet(self, reaches: Sequence[Reach]) -> tuple[list[Reach], list[Reach]]:
        """Who touches the totem and who stops on the way, once the first hand is on it."""
        first = reaches[0].contact_us
        landing, stopping = [reaches[0]], []
        for reach in reaches[1:]:
            needs = 1000 * self._random.uniform(*self._habits.inhibit_ms)
            if reach.contact_us < first + needs and len(landing) < MOST_HANDS:
                landing.append(reach)
            elif reach.launch_us < first + needs:
                stopping.append(reach)
        return landing, stopping
