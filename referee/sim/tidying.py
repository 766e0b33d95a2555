"""Picking up: the piles on a simulated table are brought to where the rules say they belong.

Belongs here: who pushes which pile where, also the wrong way first. Does not belong here: what the rules say;
the state is compared with what lies on the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.rules.jungle_speed_state import State
from referee.sim.habits import Habits
from referee.sim.places import Point
from referee.sim.seating import POT
from referee.sim.stage import BESIDE, Stage

PILES_A_SWEEP = 3


class Tidying:
    """Keeps the table in step with the rules' state."""

    def __init__(self, stage: Stage, habits: Habits, random: np.random.Generator) -> None:
        self._stage, self._habits, self._random = stage, habits, random
        self.done_us = 0

    def follow(self, state: State, start_us: int) -> list[dict[str, Any]]:
        """Move whatever lies elsewhere than in `state`; returns who was seen picking up, as events in order."""
        stage, players = self._stage, state.setup.players
        gone = {name: stage.pile(name) - len(state.face_up[seat]) for seat, name in enumerate(players)}
        gone[POT] = max(0, stage.pile(POT) - len(state.pot))
        gone = {zone: count for zone, count in gone.items() if count > 0}
        needs = {name: len(state.reserve[seat]) - stage.reserve(name) for seat, name in enumerate(players)}
        needs = {name: count for name, count in needs.items() if count > 0}
        events: list[dict[str, Any]] = []
        self.done_us = t = start_us if gone else 0
        for taker in sorted(needs, key=lambda name: gone.get(name, 0) < needs[name]):
            parts = self._parts(taker, needs[taker], gone)
            if parts:
                t = self._pick_up(taker, parts, t, events)
                stage.set_reserve(taker, stage.reserve(taker) + sum(count for _, count in parts), t)
        for zone in list(gone):
            if zone != POT:
                to = self._pot_spot()
                _, t = stage.push(zone, [(zone, gone.pop(zone))], to, t, POT)
                stage.home(zone)
        self.done_us = t
        return sorted(events, key=lambda event: event["t_us"])

    def _parts(self, taker: str, need: int, gone: dict[str, int]) -> list[tuple[str, int]]:
        """Which piles a player takes: the own one first, then the nearest ones, as many cards as are due."""
        home = self._stage.seating.seat(taker).reserve

        def far(zone: str) -> float:
            x, y = self._stage.seating.pot if zone == POT else self._stage.seating.seat(zone).face_up
            return -1.0 if zone == taker else float(np.hypot(x - home[0], y - home[1]))

        parts = []
        for zone in sorted(gone, key=far):
            count = min(need, gone[zone])
            if count:
                parts.append((zone, count))
                need -= count
                gone[zone] -= count
        for zone in [zone for zone, count in gone.items() if not count]:
            del gone[zone]
        return parts

    def _pick_up(self, taker: str, parts: list[tuple[str, int]], t: int, events: list[dict[str, Any]]) -> int:
        stage, random = self._stage, self._random
        home = stage.seating.seat(taker).reserve
        others = [zone for zone, _ in parts if zone not in (POT, taker)]
        if others and random.random() < self._habits.wrong_pick_up:
            t = self._wrong_way(others[0], parts, t, events)
        first = None
        while parts:
            many = PILES_A_SWEEP if random.random() < self._habits.sweep else 1
            # The farthest first, and what lies on the way home is pushed along.
            run, parts = parts[:many][::-1], parts[many:]
            taken, t = stage.push(taker, run, home, t, None)
            first = taken if first is None else first
        stage.home(taker)
        if first is not None:
            events.append({"t_us": first, "event": "pick_up", "player": taker})
        return t

    def _wrong_way(self, who: str, parts: list[tuple[str, int]], t: int, events: list[dict[str, Any]]) -> int:
        """Somebody takes their own pile back though it belongs to another, who then fetches it from there."""
        stage = self._stage
        place = next(i for i, (zone, _) in enumerate(parts) if zone == who)
        beside = f"{BESIDE}{who}"
        taken, t = stage.push(who, [parts[place]], stage.seating.seat(who).reserve, t, beside)
        stage.home(who)
        events.append({"t_us": taken, "event": "pick_up", "player": who})
        parts[place] = (beside, parts[place][1])
        return t + int(self._random.uniform(300_000, 900_000))

    def _pot_spot(self) -> Point:
        pot = self._stage.seating.pot
        x, y = np.clip(self._random.normal(0, 4, 2), -9, 9)
        return pot[0] + float(x), pot[1] + float(y)
