"""What hands do at the totem of a simulated table, as the camera sees it: close on it, carry it, stop short, brush it.

Belongs here: motions of arms and totem, and handing them to the touch physics. Does not belong here: who does so
and why (`people`), what skin is felt (`scramble`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from referee.sim.places import Point
from referee.sim.scenes import Fall
from referee.sim.scramble import Outcome, Reach, Touching
from referee.sim.skin_signal import HandTruth
from referee.sim.stage import Stage
from referee.sim.timeline import GRIP, OPEN, ArmKey, TotemKey

FINGERS_MM = 55.0  # so far an open hand's fingers reach beyond the middle of its grip
HAND_MM = 60.0  # how high a hand is that only comes near
UNTOUCHED_US = 600_000  # after it was stood up the totem is left alone: earlier touches would not count


class TotemGestures:
    """Shows on the stage what is felt at the totem."""

    def __init__(self, stage: Stage, touching: Touching, random: np.random.Generator) -> None:
        self._stage, self._touching, self._random = stage, touching, random

    def scramble(self, landing: Sequence[Reach], outcome: Outcome) -> int:
        """Hands close on the totem, one carries it or it falls; returns when it is free and alone again."""
        stage = self._stage
        spot = stage.totem_spot()
        for reach in landing:
            height = outcome.middle_mm[reach.player]
            stage.move(reach.player, reach.contact_us + 12_000, spot, height, OPEN, reach.launch_us)
            stage.follow(reach.player, [ArmKey(reach.contact_us + 45_000, *spot, height, GRIP)])
        done = outcome.free_us
        if outcome.lift is not None and outcome.carrier is not None:
            self._carry(outcome, outcome.carrier)
        elif outcome.fall is not None:
            done = self.fall(outcome.fall, outcome.leave_us)
        for player, leave in outcome.leave_us.items():
            if player != outcome.carrier:
                stage.hold(player, leave)
                stage.home(player)
        return done

    def _carry(self, outcome: Outcome, carrier: str) -> None:
        """The totem goes with the hand that has it, and comes back to the middle."""
        stage, random, lift = self._stage, self._random, outcome.lift
        assert lift is not None
        out, spot = stage.seating.seat(carrier).outward, stage.totem_spot()
        far = float(random.uniform(30, 150))
        away = (spot[0] + far * out[0], spot[1] + far * out[1])
        back = (float(np.clip(random.normal(0, 3), -7, 7)), float(np.clip(random.normal(0, 3), -7, 7)))
        lasts = lift.end_us - lift.start_us
        top, turn, down = lift.start_us + int(0.35 * lasts), lift.start_us + int(0.6 * lasts), lift.end_us - 60_000
        lean = min(lift.tilt_deg, 60.0)
        toward = float(np.rad2deg(np.arctan2(-out[1], out[0])))
        stage.totem(
            TotemKey(lift.start_us, *spot, 0.0, 0.0, toward),
            TotemKey(top, *away, float(random.uniform(30, 80)), lean, toward),
            TotemKey(turn, *away, 40.0, lean, toward),
            TotemKey(down, *back, 0.0, 0.0, toward),
        )
        z = outcome.middle_mm[carrier]
        stage.hold(carrier, lift.start_us)
        way = [ArmKey(top, *away, z + 50, GRIP), ArmKey(turn, *away, z + 40, GRIP), ArmKey(down, *back, z, GRIP)]
        stage.follow(carrier, way)
        stage.hold(carrier, outcome.leave_us[carrier])
        stage.home(carrier)

    def fall(self, fall: Fall, holding: Mapping[str, int]) -> int:
        """It tips over, lies there, and somebody stands it up; `holding` has whose hands are busy, and until when.

        Returns when it has stood untouched for long enough to be played for.
        """
        stage, random = self._stage, self._random
        toward = float(random.uniform(0, 360))
        way = (float(np.cos(np.deg2rad(toward))), -float(np.sin(np.deg2rad(toward))))
        spot, roll = stage.totem_spot(), float(random.uniform(10, 50))
        lies = (spot[0] + roll * way[0], spot[1] + roll * way[1])
        back = (float(random.normal(0, 2)), float(random.normal(0, 2)))
        raised = fall.up_us - 250_000
        stage.totem(
            TotemKey(fall.start_us, *spot, 0.0, 0.0, toward),
            TotemKey(fall.end_us, *lies, 0.0, 88.0, toward),
            TotemKey(raised, *lies, 0.0, 88.0, toward),
            TotemKey(fall.up_us, *back, 0.0, 0.0, toward),
        )
        players = list(stage.people)
        helper = str(random.choice([p for p in players if p not in holding] or players))
        if helper in holding:
            stage.hold(helper, min(holding[helper], fall.up_us - 800_000))
        done = fall.up_us + 150_000
        taken = max(raised - 50_000, stage.free_us(helper) + 50_000)
        stage.move(helper, taken, (lies[0] + 55 * way[0], lies[1] + 55 * way[1]), 20.0, GRIP)
        stage.hold(helper, max(raised, taken))
        stage.follow(helper, [ArmKey(max(fall.up_us, taken + 150_000), *back, HAND_MM, GRIP)])
        stage.hold(helper, done)
        stage.home(helper)
        self._touching.stand_up(helper, taken, done)
        return done + UNTOUCHED_US

    def stop_short(self, reach: Reach) -> None:
        """A hand that comes too late turns back on the way."""
        far = float(self._random.uniform(FINGERS_MM + 25, FINGERS_MM + 130))
        turns = reach.launch_us + int(0.8 * (reach.contact_us - reach.launch_us))
        self._stage.move(reach.player, turns, self._beside(reach.player, far), 50.0, OPEN, reach.launch_us)
        self._stage.home(reach.player, int(self._random.uniform(50_000, 250_000)))

    def feint(self, player: str, start_us: int, arrive_us: int) -> int:
        """A hand comes near and goes back; returns when it does."""
        stay = int(self._random.uniform(20_000, 400_000))
        self._touching.hover(player, arrive_us, stay)
        far = FINGERS_MM + float(self._random.uniform(16, 40))
        self._stage.move(player, arrive_us, self._beside(player, far), HAND_MM, OPEN, start_us)
        self._stage.home(player, stay)
        return arrive_us + stay

    def brush(self, player: str, start_us: int, arrive_us: int) -> HandTruth | None:
        """A fingertip grazes it; returns what is felt, None when no skin lands."""
        felt = self._touching.brush(player, arrive_us)
        self._stage.move(player, arrive_us, self._beside(player, FINGERS_MM + 8), HAND_MM, OPEN, start_us)
        self._stage.home(player, 30_000)
        return felt[0] if felt is not None else None

    def topple(self, player: str, start_us: int, arrive_us: int) -> tuple[Fall, str | None]:
        """Knocked over in passing: by a fingertip, which is felt, or by a sleeve, which is nobody's."""
        felt = self._touching.brush(player, arrive_us) if self._random.random() < 0.6 else None
        self._stage.move(player, arrive_us, self._beside(player, FINGERS_MM), HAND_MM, OPEN, start_us)
        self._stage.home(player, 60_000)
        culprit = player if felt is not None else None
        return self._touching.topple(arrive_us + int(self._random.uniform(5_000, 40_000)), culprit), culprit

    def wobble(self, t_us: int) -> None:
        """The table is knocked; the totem rocks and stands."""
        lean, toward = self._touching.wobble(t_us), float(self._random.uniform(0, 360))
        spot = self._stage.totem_spot()
        self._stage.totem(
            TotemKey(t_us, *spot, 0.0, 0.0, toward),
            TotemKey(t_us + 70_000, *spot, 0.0, 0.7 * lean, toward),
            TotemKey(t_us + 300_000, *spot, 0.0, 0.0, toward),
        )

    def _beside(self, player: str, far_mm: float) -> Point:
        spot, out = self._stage.totem_spot(), self._stage.seating.seat(player).outward
        return spot[0] + far_mm * out[0], spot[1] + far_mm * out[1]
