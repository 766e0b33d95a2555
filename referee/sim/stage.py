"""The stage of a simulated table while a game is being played: gestures are added, a timeline comes out.

Belongs here: how a gesture (turn a card, reach, push a pile, carry the totem) becomes motions of arms, cards
and totem. Does not belong here: who does what and when (`people`), rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from referee.sim.habits import Habits, Person
from referee.sim.seating import POT, Point, Seating
from referee.sim.timeline import (
    FLAT,
    PINCH,
    REACH,
    ArmKey,
    Pose,
    Reserve,
    Rest,
    Slide,
    SlideKey,
    Timeline,
    TotemKey,
    Turn,
    turning,
)

BESIDE = "beside "  # before a player's name: cards that lie on that reserve and should not
HOME_Z_MM = 40.0


class Stage:
    """Everything that has moved so far."""

    def __init__(
        self,
        seating: Seating,
        people: dict[str, Person],
        habits: Habits,
        card_mm: tuple[float, float],
        random: np.random.Generator,
    ) -> None:
        self.seating, self.people, self.habits = seating, people, habits
        self.card_mm, self.random = card_mm, random
        self._number = 0
        self._arms = {seat.player: [ArmKey(0, seat.rest[0], seat.rest[1], HOME_Z_MM, REACH)] for seat in seating.seats}
        self._rests: list[Rest] = []
        self._open: defaultdict[str, list[Rest]] = defaultdict(list)
        self._reserves: list[Reserve] = []
        self._turns: list[Turn] = []
        self._slides: list[Slide] = []
        self._totem = [TotemKey(0, 0.0, 0.0, 0.0, 0.0, 0.0)]
        self._reserve_pose = {
            seat.player: Pose(*seat.reserve, self.facing(seat.player) + float(random.normal(0, 4)))
            for seat in seating.seats
        }

    # -- asking

    def facing(self, player: str) -> float:
        """How a card is turned that its owner sees upright (degrees, clockwise in the picture)."""
        out = self.seating.seat(player).outward
        return float(np.rad2deg(np.arctan2(-out[0], out[1])))

    def free_us(self, player: str) -> int:
        """When a player's hand has done what it is doing."""
        return self._arms[player][-1].t_us

    def hand(self, player: str) -> ArmKey:
        """The last thing a hand does so far."""
        return self._arms[player][-1]

    def pile(self, zone: str) -> int:
        """How many cards lie face up on a pile (a player's name, or the pot)."""
        return len(self._open[zone])

    def reserve(self, player: str) -> int:
        """How many cards lie face down before a player."""
        return next(pile.count for pile in reversed(self._reserves) if pile.player == player)

    def reach_us(self, player: str, to: Point) -> int:
        """How long this hand takes from where it is."""
        at = self.hand(player)
        far = float(np.hypot(at.x - to[0], at.y - to[1]))
        return int(1000 * self.people[player].reach_ms(self.habits, far))

    # -- arms

    def move(self, player: str, t_us: int, to: Point, z: float, shape: str, set_out_us: int | None = None) -> None:
        """The hand arrives at `t_us`; it sets out at `set_out_us`, or as late as it can."""
        keys = self._arms[player]
        out = t_us - self.reach_us(player, to) if set_out_us is None else set_out_us
        if out > keys[-1].t_us:
            keys.append(keys[-1]._replace(t_us=out, smooth=True))
        keys.append(ArmKey(max(t_us, keys[-1].t_us + 1000), to[0], to[1], z, shape))

    def hold(self, player: str, t_us: int) -> None:
        """The hand stays where it is until `t_us`."""
        keys = self._arms[player]
        if t_us > keys[-1].t_us:
            keys.append(keys[-1]._replace(t_us=t_us))

    def follow(self, player: str, keys: Sequence[ArmKey]) -> None:
        """The hand goes through these points without stopping."""
        self._arms[player].extend(key for key in keys if key.t_us > self._arms[player][-1].t_us)

    def home(self, player: str, after_us: int = 0) -> None:
        """The hand goes back to where it rests."""
        rest = self.seating.seat(player).rest
        self.hold(player, self.free_us(player) + after_us)
        spot = (rest[0] + float(self.random.normal(0, 8)), rest[1] + float(self.random.normal(0, 8)))
        out = self.free_us(player)
        self.move(player, out + int(1.25 * self.reach_us(player, spot)), spot, HOME_Z_MM, REACH, out)

    # -- cards

    def set_reserve(self, player: str, count: int, t_us: int) -> None:
        """From `t_us` on this many cards lie face down before a player."""
        self._reserves.append(Reserve(player, count, self._reserve_pose[player], t_us))

    def turn_card(
        self, player: str, card: str, edge_us: int, lift_us: int, laid_us: int, left: int, *, stopped: bool = False
    ) -> Turn:
        """A card is turned over onto its owner's pile; `left` cards stay in the reserve."""
        habits, random, seat = self.habits, self.random, self.seating.seat(player)
        crooked = random.random() < habits.crooked
        turn_deg = self.facing(player) + float(random.uniform(-70, 70) if crooked else random.normal(0, 9))
        off = np.clip(random.normal(0, 9.0 if crooked else 4.0, 2), -16, 16)
        end = Pose(seat.face_up[0] + float(off[0]), seat.face_up[1] + float(off[1]), turn_deg)
        self._number += 1
        turn = Turn(
            self._number, card, player, self.pile(player), self._reserve_pose[player], end,
            self.facing(player) + float(random.normal(0, 14)), lift_us, edge_us, laid_us,
            bool(random.random() < habits.inward), stopped,
        )  # fmt: skip
        self._turns.append(turn)
        self.move(player, lift_us, self._grip(turn, lift_us)[:2], 14.0, PINCH)
        steps = np.linspace(lift_us, laid_us, 17)[1:]
        self.follow(player, [ArmKey(int(t), *self._grip(turn, int(t)), PINCH, False) for t in steps])
        if stopped:
            return turn
        self.set_reserve(player, left, lift_us + 30_000)
        self._lay(Rest(turn.number, card, player, turn.depth, end, laid_us))
        return turn

    def _grip(self, turn: Turn, t_us: int) -> tuple[float, float, float]:
        """Where the fingertips hold a card that is being turned: a little inside the edge that rises."""
        quad, _ = turning(turn, self.card_mm, t_us)
        a = np.deg2rad(turn.axis_deg)
        across = np.array([-np.sin(a), np.cos(a)]) * (-1 if turn.inward else 1)
        end = quad[:, :2].mean(0)
        flat = turning(turn, self.card_mm, turn.laid_us + 1)[0] - [turn.end.x, turn.end.y, 0]
        order = np.argsort(flat[:, :2] @ across)
        rim = quad[order[-2:]].mean(0)
        middle = np.array([*end, quad[:, 2].mean()])
        x, y, z = rim + 0.3 * (middle - rim)
        return float(x), float(y), float(z) + 8.0

    def _lay(self, rest: Rest) -> None:
        self._rests.append(rest)
        self._open[rest.zone].append(rest)

    def _lift_off(self, zone: str, count: int, t_us: int) -> tuple[tuple[int, str, Pose], ...]:
        """Take the top `count` cards of a pile; they rest no more from `t_us` on."""
        pile = self._open[zone]
        taken = pile[len(pile) - count :]
        del pile[len(pile) - count :]
        for rest in taken:
            at = self._rests.index(rest)
            self._rests[at] = replace(rest, until_us=t_us)
        return tuple((rest.number, rest.card, rest.pose) for rest in taken)

    def push(
        self, player: str, zones: Sequence[tuple[str, int]], to: Point, start_us: int, onto: str | None
    ) -> tuple[int, int]:
        """Push piles (zone and how many cards of it), one after another, together to `to`.

        `onto` is the pile they come to lie on face up, or None when they go under the player's reserve.
        Returns when the first pile is taken and when all have arrived.
        """
        random, speed = self.random, self.people[player].speed
        stops = [self._centre(zone) for zone, _ in zones]
        taken_us = max(start_us, self.free_us(player) + self.reach_us(player, stops[0]))
        self.move(player, taken_us, stops[0], 16.0, FLAT)
        t = taken_us + int(random.uniform(60_000, 160_000))
        self.hold(player, t)
        times = [t]
        for a, b in zip(stops, [*stops[1:], to], strict=True):
            far = float(np.hypot(a[0] - b[0], a[1] - b[1]))
            t += int(speed * (240_000 + 900 * far) * random.uniform(0.9, 1.2))
            self.move(player, t, b, 16.0, FLAT, times[-1])
            times.append(t)
        path = [*stops, to]
        slides = []
        for place, (zone, count) in enumerate(zones):
            cards = self._lift_off(zone, count, times[place])
            squeeze = float(random.normal(0, 12))
            keys = [
                SlideKey(times[k], path[k][0] - path[place][0], path[k][1] - path[place][1], squeeze * (k > place))
                for k in range(place, len(path))
            ]
            slides.append(Slide(zone, cards, tuple(keys), player))
        self._slides.extend(slides)
        if onto is not None:
            for slide in slides:
                last = slide.keys[-1]
                for _, card, pose in slide.cards:
                    self._number += 1
                    place_at = Pose(pose.x + last.dx, pose.y + last.dy, pose.turn_deg + last.turn_deg)
                    self._lay(Rest(self._number, card, onto, self.pile(onto), place_at, t))
        return taken_us, t

    def _centre(self, zone: str) -> Point:
        """Where a hand takes a pile: at its top card."""
        if not self._open[zone]:
            return self.seating.pot if zone == POT else self.seating.seat(zone.removeprefix(BESIDE)).face_up
        pose = self._open[zone][-1].pose
        return pose.x, pose.y

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

    def timeline(self, end_us: int) -> Timeline:
        """What has happened, as a value."""
        return Timeline(
            end_us,
            {name: tuple(keys) for name, keys in self._arms.items()},
            tuple(self._rests),
            tuple(self._reserves),
            tuple(self._turns),
            tuple(self._slides),
            tuple(self._totem),
        )
