"""Dobro at a simulated table: how its gestures become motions of arms and cards.

Belongs here: laying one card or two, drawing, taking back, picking up the auction, turning the direction card, moving
the Oubli card. Does not belong here: who does what and when (`dobro_people`), what any game knows (`card_stage`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.sim.card_stage import CardStage
from referee.sim.places import Point
from referee.sim.timeline import Pose

PLACES = ("table", "pair")  # of the first and of the second card of a play
CROOKED = 0.1
OFF_MM, CROOKED_OFF_MM, MOST_OFF_MM = 4.5, 8.0, 14.0
TURN_DEG, CROOKED_DEG = 8.0, 45.0
SOON_MS = (60, 160)  # from a hand arriving to the next thing it does


class DobroStage:
    """The table of one game: gestures in, a timeline of motions out (`cards`)."""

    def __init__(self, cards: CardStage, random: np.random.Generator) -> None:
        self.cards = cards
        self.random = random
        self._clockwise = True
        self._oubli = "oubli"
        self._personal = {chair.player: 0 for chair in cards.places.chairs}
        for name in ("direction", "oubli"):
            cards.put_down(name, name, self._pose(name, None), 0)

    def _pose(self, zone: str, player: str | None) -> Pose:
        """How a card comes to lie in a zone, from this player's hand (None: as the table was set up)."""
        x, y = self.cards.centre(zone)
        facing = 0.0 if player is None else self.cards.facing(player)
        crooked = player is not None and self.random.random() < CROOKED
        off = np.clip(self.random.normal(0, CROOKED_OFF_MM if crooked else OFF_MM, 2), -MOST_OFF_MM, MOST_OFF_MM)
        turn = float(self.random.uniform(-CROOKED_DEG, CROOKED_DEG) if crooked else self.random.normal(0, TURN_DEG))
        return Pose(x + float(off[0]), y + float(off[1]), facing + turn)

    def _rest(self, player: str) -> Point:
        return self.cards.places.chair(player).rest

    def _soon_us(self) -> int:
        return int(1000 * self.random.uniform(*SOON_MS))

    def deal(self, count: int, t_us: int) -> None:
        """So many cards are left to draw from `t_us` on; the personal piles are gone."""
        self.cards.set_stock("draw", count, t_us, self._pose("draw", None))
        for player, cards in self._personal.items():
            if cards:
                self.cards.set_stock(f"pile/{player}", 0, t_us, self._pose(f"pile/{player}", None))
                self._personal[player] = 0

    # -- cards of the auction

    def lay(self, player: str, cards: Sequence[str], laid_us: int) -> int:
        """One card or two from the hand onto the auction, the first lying from about `laid_us`; returns from when."""
        stage, first_us = self.cards, 0
        for place, card in enumerate(cards):
            pose = self._pose(PLACES[place], player)
            reach = stage.reach_us(player, (pose.x, pose.y))
            grip_us = max(stage.free_us(player) + (self._soon_us() if place else 0), laid_us - reach)
            quick = int((0.7 if place else 1.0) * reach)
            rest = stage.carry(player, card, PLACES[place], pose, grip_us, grip_us + max(quick, 180_000))
            first_us = first_us or rest.from_us
        stage.home(player, self._soon_us())
        return first_us

    def take_back(self, player: str, count: int, start_us: int) -> None:
        """The cards laid last go back to the hand, the second one first."""
        stage = self.cards
        for place in range(count - 1, -1, -1):
            zone = PLACES[place]
            out = max(stage.free_us(player), start_us)
            stage.hold(player, out)
            grip_us = out + stage.reach_us(player, stage.centre(zone)) + self._soon_us()
            stage.take_back(
                player,
                zone,
                grip_us,
                grip_us + stage.reach_us(player, self._rest(player)) + 350_000,
                self._rest(player),
            )

    def pick_up(self, player: str, start_us: int) -> int:
        """The whole auction goes to a player's personal pile; returns when the first cards leave."""
        stage, zone = self.cards, f"pile/{player}"
        piles = [(name, stage.pile(name)) for name in ("pair", "table") if stage.pile(name)]
        taken_us, done_us = stage.push(player, piles, stage.centre(zone), start_us, None)
        self._personal[player] += sum(count for _, count in piles)
        stage.set_stock(zone, self._personal[player], done_us, self._pose(zone, player))
        stage.home(player, self._soon_us())
        return taken_us

    def clear(self, player: str, start_us: int) -> int:
        """What is left on the table when a round is over is pushed away; returns when it is."""
        stage = self.cards
        piles = [(name, stage.pile(name)) for name in ("pair", "table") if stage.pile(name)]
        if not piles:
            return start_us
        _, done_us = stage.push(player, piles, self._rest(player), start_us, None)
        stage.home(player, self._soon_us())
        return done_us

    # -- the draw pile

    def draw(self, player: str, count: int, start_us: int) -> int:
        """One hand goes to the draw pile, takes so many cards and comes back; returns when they are lifted."""
        stage = self.cards
        out = max(stage.free_us(player), start_us)
        stage.hold(player, out)
        grip_us = out + stage.reach_us(player, stage.centre("draw"))
        stage.move(player, grip_us, stage.centre("draw"), 20.0, "reach")
        lift_us = grip_us + int(self.random.uniform(90_000, 260_000)) + 90_000 * (count - 1)
        home = self._rest(player)
        stage.draw_card(
            player, "draw", lift_us, lift_us + int(1.2 * stage.reach_us(player, home)) + 250_000, home, count
        )
        return lift_us

    # -- the markers

    def turn_direction(self, player: str, start_us: int) -> None:
        """The direction card is turned over where it lies."""
        stage = self.cards
        self._clockwise = not self._clockwise
        grip_us = max(stage.free_us(player), start_us) + stage.reach_us(player, stage.centre("direction"))
        pose, near = self._pose("direction", player), stage.centre("direction")
        stage.take_back(player, "direction", grip_us, grip_us + 260_000, (near[0] + 12.0, near[1] + 18.0))
        free = stage.free_us(player)
        stage.carry(player, "direction", "direction", pose, free, free + 280_000, face_down=not self._clockwise)
        stage.home(player, self._soon_us())

    def move_oubli(self, player: str, to: str, start_us: int) -> int:
        """The Oubli card goes to a zone, by a player's hand; returns when it lies there."""
        stage = self.cards
        if self._oubli == to:
            return start_us
        out = max(stage.free_us(player), start_us)
        grip_us = out + stage.reach_us(player, stage.centre(self._oubli)) + self._soon_us()
        middle = tuple((a + b) / 2 for a, b in zip(stage.centre(self._oubli), stage.centre(to), strict=True))
        stage.take_back(player, self._oubli, grip_us, grip_us + 450_000, (middle[0], middle[1]))
        free = stage.free_us(player)
        rest = stage.carry(player, "oubli", to, self._pose(to, player), free, free + 420_000)
        stage.home(player, self._soon_us())
        self._oubli = to
        return rest.from_us
