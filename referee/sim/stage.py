"""The stage of a simulated game of Jungle Speed: what only this game's people do, on top of what all do with cards.

Belongs here: a card turned onto its owner's pile, reserves, the totem. Does not belong here: what any game's people do
(`card_stage`), who does what and when (`people`), rules.
"""

from __future__ import annotations

import numpy as np

from referee.sim.card_stage import CardStage
from referee.sim.habits import Habits, Person
from referee.sim.places import Point
from referee.sim.seating import POT, Seating
from referee.sim.timeline import Pose, Rest, TotemKey, Turn

BESIDE = "beside "  # before a player's name: cards that lie on that reserve and should not


class Stage(CardStage):
    """Everything that has moved so far; piles are named after their players, and the pot."""

    def __init__(
        self,
        seating: Seating,
        people: dict[str, Person],
        habits: Habits,
        card_mm: tuple[float, float],
        random: np.random.Generator,
    ) -> None:
        super().__init__(seating.places(), people, habits.fitts_ms, card_mm, random)
        self.seating, self.habits = seating, habits
        self._totem = [TotemKey(0, 0.0, 0.0, 0.0, 0.0, 0.0)]
        self._reserve_pose = {
            seat.player: Pose(*seat.reserve, self.facing(seat.player) + float(random.normal(0, 4)))
            for seat in seating.seats
        }

    def reserve(self, player: str) -> int:
        """How many cards lie face down before a player."""
        return self.stock(player)

    def set_reserve(self, player: str, count: int, t_us: int) -> None:
        """From `t_us` on this many cards lie face down before a player."""
        self.set_stock(player, count, t_us, self._reserve_pose[player])

    def centre(self, zone: str) -> Point:
        """Where a pile lies while nothing lies on it."""
        return self.seating.pot if zone == POT else self.seating.seat(zone.removeprefix(BESIDE)).face_up

    def turn_card(
        self, player: str, card: str, edge_us: int, lift_us: int, laid_us: int, left: int, *, stopped: bool = False
    ) -> Turn:
        """A card is turned over onto its owner's pile; `left` cards stay in the reserve."""
        habits, random, seat = self.habits, self.random, self.seating.seat(player)
        crooked = random.random() < habits.crooked
        turn_deg = self.facing(player) + float(random.uniform(-70, 70) if crooked else random.normal(0, 9))
        off = np.clip(random.normal(0, 9.0 if crooked else 4.0, 2), -16, 16)
        end = Pose(seat.face_up[0] + float(off[0]), seat.face_up[1] + float(off[1]), turn_deg)
        turn = Turn(
            self.next_number(), card, player, self.pile(player), self._reserve_pose[player], end,
            self.facing(player) + float(random.normal(0, 14)), lift_us, edge_us, laid_us,
            bool(random.random() < habits.inward), stopped, player,
        )  # fmt: skip
        self.turn_over(turn)
        if stopped:
            return turn
        self.set_reserve(player, left, lift_us + 30_000)
        self._lay(Rest(turn.number, card, player, turn.depth, end, laid_us))
        return turn

    # -- the totem

    def totem(self, *keys: TotemKey) -> None:
        """The totem goes through these places; it stays put before the first."""
        last = self._totem[-1]
        if keys[0].t_us > last.t_us + 1:
            self._totem.append(last._replace(t_us=keys[0].t_us - 1))
        self._totem.extend(keys)

    def totem_spot(self) -> Point:
        """Where the totem stands now."""
        return self._totem[-1].x, self._totem[-1].y
