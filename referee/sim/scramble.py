"""Scrambles for the totem of a simulated table: whose skin lands when, who lifts it, how it falls.

Belongs here: from reaches (who arrives when) to hands on the cylinder, their truth as events of a record, and
what the totem does afterwards. Does not belong here: why people reach (`reactions`), arms as the camera sees
them (`stage`), electrodes (`touches`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from referee.sim.habits import Habits
from referee.sim.hands import Hand, brush, grab, hover
from referee.sim.scenes import SETTLE_US, Fall, Lift, Script, Wobble, heights
from referee.sim.skin import Cylinder
from referee.sim.skin_signal import HandTruth, feel

FALLEN_TILT_DEG = 45.0
# A falling totem's lean grows as 88 degrees times the square of its time (`motion.tilt_deg`).
FALLEN_SHARE = float(np.sqrt(FALLEN_TILT_DEG / 88.0))
LATEST_FINGER_US = 76_000
SAME_TIME_US = 40_000  # hands closer than this wrestle: the firmer grip carries it away


@dataclass(frozen=True)
class Reach:
    """A hand that has set out at `launch_us` and would touch the totem at `contact_us`."""

    player: str
    launch_us: int
    contact_us: int


@dataclass(frozen=True)
class Outcome:
    """What came of a scramble: the `grab` event, each hand's height and end, the lift or fall, when it is over."""

    event: dict[str, Any]
    middle_mm: dict[str, float]
    lift: Lift | None
    fall: Fall | None
    free_us: int
    carrier: str | None
    leave_us: dict[str, int] = field(default_factory=dict)


class Touching:
    """All hands that ever come to the totem of one table, as a script for its physics."""

    def __init__(self, script: Script, totem: Cylinder, habits: Habits, random: np.random.Generator) -> None:
        self.script, self.totem, self.habits, self.random = script, totem, habits, random

    def scramble(self, reaches: Sequence[Reach], turns_when_put_back: float) -> Outcome | None:
        """Hands that close on the totem, in order of contact; None when no skin lands."""
        random, script = self.random, self.script
        names = [reach.player for reach in reaches]
        fingers = [int(f) for f in random.choice([1, 2, 3, 4, 5], len(names), p=[0.08, 0.17, 0.27, 0.27, 0.21])]
        same = bool(random.random() < self.habits.hand_on_hand)
        lows = heights(random, script, names, fingers, self.totem.height_mm, same)
        last = reaches[-1].contact_us
        tail = last + SETTLE_US
        topples = bool(random.random() < self.habits.topple_in_scramble)
        lift_us = None if topples else max(last + 80_000, tail + int(random.uniform(-50_000, 160_000)))
        fall_us = max(tail + int(random.uniform(-60_000, 100_000)), last + 90_000) if topples else None
        ends = lift_us or fall_us or tail
        free = ends + int(random.uniform(700_000, 1_600_000) if lift_us else 350_000)
        hands: list[Hand] = []
        for i, reach in enumerate(reaches):
            leave = max(ends, tail) + int(random.uniform(20_000, 220_000))
            hands.append(
                grab(
                    random,
                    reach.player,
                    self._seat_deg(reach.player),
                    script.bodies[reach.player],
                    reach.contact_us,
                    leave,
                    fingers[i],
                    lows[i],
                    self.totem.height_mm,
                )
            )
        truths = self._truths(hands)
        landed = sorted((t for t in truths if t is not None), key=lambda t: t.t_us)
        if not landed:
            return None
        event: dict[str, Any] = {
            "t_us": landed[0].t_us,
            "event": "grab",
            "hands": [words(truth) for truth in landed],
            "settle_us": min(x for x in (tail, lift_us, fall_us) if x is not None),
        }
        fall = None
        toppler: str | None = None
        if fall_us is not None:
            toppler = str(random.choice([t.player for t in landed]))
            fall = self._fall(fall_us, toppler)
            event["fell"] = {"t_us": fallen_us(fall), "player": toppler}
        carrier = min(landed, key=lambda t: (t.t_us > landed[0].t_us + SAME_TIME_US, -t.fingers, t.lowest_mm)).player
        if lift_us is not None:
            event["lift_us"] = lift_us
        return self._close(event, hands, reaches, lift_us, fall, free, carrier, turns_when_put_back)

    def _close(
        self,
        event: dict[str, Any],
        hands: list[Hand],
        reaches: Sequence[Reach],
        lift_us: int | None,
        fall: Fall | None,
        free: int,
        carrier: str,
        turns: float,
    ) -> Outcome:
        random, script = self.random, self.script
        lift = Lift(lift_us, free, float(random.uniform(8, 70))) if lift_us is not None else None
        leave: dict[str, int] = {}
        group: list[int] = []
        for hand in hands:
            if lift is not None and hand.player == carrier:
                hand = _until(hand, free - int(random.uniform(30_000, 70_000)))
            leave[hand.player] = max(touch.leave_us for touch in hand.touches)
            group.append(len(script.hands))
            script.hands.append(hand)
        script.groups.append(group)
        script.turned.append(script.turn_deg != 0.0)
        script.lifts.append(lift)
        script.group_fall.append(fall)
        if fall is not None:
            script.falls.append(fall)
        elif lift is not None and random.random() < turns:
            script.turn_deg = float(random.uniform(0.0, 360.0))
        middle = {hand.player: _middle(hand) for hand in hands}
        return Outcome(event, middle, lift, fall, free, carrier if lift is not None else None, leave)

    def brush(self, player: str, contact_us: int) -> tuple[HandTruth, int] | None:
        """One fingertip that grazes the totem: its truth and when it is gone; None when no skin lands."""
        body = self.script.bodies[player]
        hand = brush(self.random, player, self._seat_deg(player), body, contact_us, self.totem.height_mm)
        truth = self._truths([hand])[0]
        if truth is None:
            return None
        self.script.hands.append(hand)
        return truth, hand.touches[0].leave_us

    def hover(self, player: str, near_us: int, stay_us: int) -> None:
        """A hand that comes near and goes away."""
        body = self.script.bodies[player]
        self.script.hands.append(
            hover(self.random, player, self._seat_deg(player), body, near_us, stay_us, self.totem.height_mm)
        )

    def wobble(self, t_us: int) -> float:
        """The table is knocked and the totem stays up; returns how far it leans."""
        lean = float(self.random.uniform(4.0, 28.0))
        self.script.wobbles.append(Wobble(t_us, lean))
        return lean

    def topple(self, t_us: int, player: str | None) -> Fall:
        """It falls with no hand closed on it; a player's touch, where there is one, comes just before."""
        fall = self._fall(t_us, player)
        self.script.falls.append(fall)
        return fall

    def stand_up(self, player: str, from_us: int, done_us: int) -> None:
        """Somebody takes the fallen totem and stands it up: felt, and not to be judged."""
        random = self.random
        self.script.hands.append(
            grab(
                random,
                player,
                self._seat_deg(player),
                self.script.bodies[player],
                from_us,
                done_us,
                int(random.integers(2, 5)),
                float(random.uniform(30, 60)),
                self.totem.height_mm,
            )
        )
        self.script.handling.append((from_us - 100_000, done_us + 200_000))

    def _fall(self, start_us: int, player: str | None) -> Fall:
        random = self.random
        end = start_us + int(random.uniform(180_000, 330_000))
        picked = end + int(random.uniform(900_000, 1_700_000))
        return Fall(start_us, end, picked + int(random.uniform(350_000, 650_000)), player)

    def _seat_deg(self, player: str) -> float:
        """From where a hand comes, as the totem's own sectors see it."""
        return self.script.seats[player] - self.script.turn_deg

    def _truths(self, hands: list[Hand]) -> list[HandTruth | None]:
        return feel(self.totem, hands, np.zeros(1, np.int64), 1.0, 3.0)[1]


def words(truth: HandTruth) -> dict[str, Any]:
    """A hand as it stands in a `grab` event."""
    return {
        "player": truth.player,
        "t_us": truth.t_us,
        "fingers": truth.fingers,
        "lowest_mm": truth.lowest_mm,
        "grip": truth.grip,
    }


def fallen_us(fall: Fall) -> int:
    """When its tilt passes 45 degrees."""
    return int(fall.start_us + FALLEN_SHARE * (fall.end_us - fall.start_us))


def _until(hand: Hand, leave_us: int) -> Hand:
    """The same hand, staying on the totem until `leave_us`; what springs back at once still does."""
    touches = tuple(
        replace(t, leave_us=leave_us) if t.leave_us - t.land_us > LATEST_FINGER_US else t for t in hand.touches
    )
    return replace(hand, touches=touches)


def _middle(hand: Hand) -> float:
    on = [touch.patch.height_mm for touch in hand.touches if touch.lands]
    return float(np.mean(on)) if on else 40.0
