"""The stage of a simulated table while a game is being played: gestures are added, a timeline comes out.

Belongs here: how a gesture that any game knows (reach, carry a card, turn one over, push a pile) becomes motions of
arms and cards. Does not belong here: who does what and when (`people`), rules, Jungle Speed's own gestures (`stage`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from referee.sim.habits import Person, Range
from referee.sim.places import Places, Point
from referee.sim.timeline import (
    BACK,
    FLAT,
    PINCH,
    REACH,
    ArmKey,
    Flight,
    Pose,
    Rest,
    Slide,
    SlideKey,
    Stock,
    Timeline,
    TotemKey,
    Turn,
    turning,
)

HOME_Z_MM = 40.0
HELD_LEAN_DEG = 55.0  # how a card is held that its player looks at
HELD_Z_MM = 70.0
LAID_Z_MM = 16.0


class CardStage:
    """Everything that has moved so far at a table of cards."""

    def __init__(
        self,
        places: Places,
        people: dict[str, Person],
        fitts_ms: Range,
        card_mm: tuple[float, float],
        random: np.random.Generator,
    ) -> None:
        self.places, self.people, self.card_mm, self.random = places, people, card_mm, random
        self._fitts_ms = fitts_ms
        self._number = 0
        self._arms = {
            chair.player: [ArmKey(0, chair.rest[0], chair.rest[1], HOME_Z_MM, REACH)] for chair in places.chairs
        }
        self._rests: list[Rest] = []
        self._open: defaultdict[str, list[Rest]] = defaultdict(list)
        self._stocks: list[Stock] = []
        self._turns: list[Turn] = []
        self._slides: list[Slide] = []
        self._flights: list[Flight] = []
        self._totem: list[TotemKey] = []

    # -- asking

    def facing(self, player: str) -> float:
        """How a card is turned that its owner sees upright (degrees, clockwise in the picture)."""
        out = self.places.chair(player).outward
        return float(np.rad2deg(np.arctan2(-out[0], out[1])))

    def free_us(self, player: str) -> int:
        """When a player's hand has done what it is doing."""
        return self._arms[player][-1].t_us

    def hand(self, player: str) -> ArmKey:
        """The last thing a hand does so far."""
        return self._arms[player][-1]

    def pile(self, zone: str) -> int:
        """How many cards lie spread out on a pile (by the name the game's player gives it)."""
        return len(self._open[zone])

    def stock(self, name: str) -> int:
        """How many cards lie face down in a stock."""
        return next((pile.count for pile in reversed(self._stocks) if pile.name == name), 0)

    def centre(self, zone: str) -> Point:
        """Where a pile lies while nothing lies on it."""
        return self.places.centre(zone)

    def reach_us(self, player: str, to: Point) -> int:
        """How long this hand takes from where it is."""
        at = self.hand(player)
        far = float(np.hypot(at.x - to[0], at.y - to[1]))
        return int(1000 * self.people[player].reach_ms(self._fitts_ms, far))

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
        rest = self.places.chair(player).rest
        self.hold(player, self.free_us(player) + after_us)
        spot = (rest[0] + float(self.random.normal(0, 8)), rest[1] + float(self.random.normal(0, 8)))
        out = self.free_us(player)
        self.move(player, out + int(1.25 * self.reach_us(player, spot)), spot, HOME_Z_MM, REACH, out)

    # -- cards

    def set_stock(self, name: str, count: int, t_us: int, pose: Pose) -> None:
        """From `t_us` on so many cards lie face down there; 0 takes the stock away."""
        self._stocks.append(Stock(name, count, pose, t_us))

    def put_down(self, card: str, zone: str, pose: Pose, t_us: int, *, face_down: bool = False) -> Rest:
        """A card lies there from `t_us` on, on top of its pile."""
        self._number += 1
        rest = Rest(self._number, card, zone, self.pile(zone), pose, t_us, face_down=face_down)
        self._lay(rest)
        return rest

    def carry(
        self,
        player: str,
        card: str,
        zone: str,
        end: Pose,
        grip_us: int,
        laid_us: int,
        *,
        face_down: bool = False,
        grip_mm: Point = (0.0, 0.0),
        shape: str = PINCH,
        lean_deg: float | None = None,
    ) -> Rest:
        """A card goes from the hand onto a pile: in sight from `grip_us`, lying from `laid_us`.

        The hand is where it is by now, and lands on the card `grip_mm` off its centre. `lean_deg` is how the card is
        held at first (`Flight`), by default as its player reads it.
        """
        lean = (180.0 - HELD_LEAN_DEG if face_down else HELD_LEAN_DEG) if lean_deg is None else lean_deg
        self.hold(player, grip_us)
        to = (end.x + grip_mm[0], end.y + grip_mm[1])
        self.move(player, laid_us, to, LAID_Z_MM, shape, self.free_us(player))
        held = end.turn_deg + float(self.random.normal(0, 12))
        self._number += 1
        self._flights.append(
            Flight(
                self._number, card, player, zone, self.pile(zone), (-grip_mm[0], -grip_mm[1]),
                (held, end.turn_deg), (lean, 180.0 if face_down else 0.0), grip_us, laid_us,
            )
        )  # fmt: skip
        rest = Rest(self._number, card, zone, self.pile(zone), end, laid_us, face_down=face_down)
        self._lay(rest)
        return rest

    def take_back(self, player: str, zone: str, grip_us: int, gone_us: int, to: Point) -> Rest:
        """The top card of a pile goes into a hand, which has come there by `grip_us` and is at `to` by `gone_us`."""
        rest = self._open[zone][-1]
        self.pull_out(player, rest, grip_us, gone_us, to)
        return rest

    def pull_out(self, player: str, rest: Rest, grip_us: int, gone_us: int, to: Point) -> None:
        """The same with a card that others may lie on."""
        self.move(player, grip_us, (rest.pose.x, rest.pose.y), LAID_Z_MM, PINCH)
        self._open[rest.zone].remove(rest)
        self._rests[self._rests.index(rest)] = replace(rest, until_us=self.free_us(player))
        self._carried_off(player, rest.card, rest.pose, rest.face_down, gone_us, to)

    def draw_card(self, player: str, stock: str, grip_us: int, gone_us: int, to: Point, count: int = 1) -> None:
        """Cards from a stock go face down into a hand; the stock is `count` lower from `grip_us` on."""
        pile = next(pile for pile in reversed(self._stocks) if pile.name == stock)
        self.move(player, grip_us, (pile.pose.x, pile.pose.y), LAID_Z_MM, PINCH)
        self.set_stock(stock, pile.count - count, self.free_us(player), pile.pose)
        self._carried_off(player, "", pile.pose, True, gone_us, to)

    def _carried_off(self, player: str, card: str, pose: Pose, face_down: bool, gone_us: int, to: Point) -> None:
        from_us, flat = self.free_us(player), 180.0 if face_down else 0.0
        self.move(player, gone_us, to, HELD_Z_MM, PINCH, from_us)
        self._number += 1
        lean = 180.0 - HELD_LEAN_DEG if face_down else HELD_LEAN_DEG
        turns = (pose.turn_deg, pose.turn_deg + float(self.random.normal(0, 15)))
        self._flights.append(
            Flight(self._number, card, player, None, 0, (0.0, 0.0), turns, (flat, lean), from_us, self.free_us(player))
        )

    def turn_over(self, turn: Turn) -> None:
        """A hand turns a card over from a stock onto a pile, where it stays unless the turn stops."""
        self._turns.append(turn)
        player = turn.by
        self.move(player, turn.lift_us, self._grip(turn, turn.lift_us)[:2], 14.0, PINCH)
        steps = np.linspace(turn.lift_us, turn.laid_us, 17)[1:]
        self.follow(player, [ArmKey(int(t), *self._grip(turn, int(t)), PINCH, False) for t in steps])

    def next_number(self) -> int:
        """A number for one more card in motion."""
        self._number += 1
        return self._number

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
        return tuple((rest.number, BACK if rest.face_down else rest.card, rest.pose) for rest in taken)

    def push(
        self, player: str, zones: Sequence[tuple[str, int]], to: Point, start_us: int, onto: str | None
    ) -> tuple[int, int]:
        """Push piles (zone and how many cards of it), one after another, together to `to`.

        `onto` is the pile they come to lie on, or None when they go where no card is seen (under a stock, away).
        Returns when the first pile is taken and when all have arrived.
        """
        random, speed = self.random, self.people[player].speed
        stops = [self._top_of(zone) for zone, _ in zones]
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
                    self._lay(Rest(self._number, card, onto, self.pile(onto), place_at, t, face_down=card == BACK))
        return taken_us, t

    def _top_of(self, zone: str) -> Point:
        """Where a hand takes a pile: at its top card."""
        if not self._open[zone]:
            return self.centre(zone)
        pose = self._open[zone][-1].pose
        return pose.x, pose.y

    def timeline(self, end_us: int) -> Timeline:
        """What has happened, as a value."""
        return Timeline(
            end_us,
            {name: tuple(keys) for name, keys in self._arms.items()},
            tuple(self._rests),
            tuple(self._stocks),
            tuple(self._turns),
            tuple(self._slides),
            tuple(self._totem),
            tuple(self._flights),
        )
