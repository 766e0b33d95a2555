"""The step for the totem: its rings live, hands off, one finger, whole hands, and each player's hand if wanted.

Does not belong here: judging readings (`calibration.totem`), learning grips (`referee.totem.enrol`).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from calibration.devices import device_name
from calibration.guided.bench import Bench, Sentence, Step, Values, unknown
from calibration.totem import Rest, TotemFound, at_rest, finger_swing, in_hands, judge, name_of, totem_part
from calibration.totem_link import firmware_of, grips_in, hello_of, pads_of, seats_of, self_test
from referee.errors import HardwareError, InputError, RefereeError
from referee.grips import grips_path, keep_grips
from referee.totem.enrol import Findings
from referee.totem.scans import Layout, ScanBatch
from referee.vision.geometry import Array

SECONDS = {"rest": 4.0, "finger": 6.0, "hands": 30.0, "players": 8.0}
"""How long each stage takes; the players' for each of them."""
FADE = 0.2  # of a new reading in the level that is shown until the rest was measured


class TotemStep(Step):
    """Go through the stages, each when asked to, and show all the while what is felt."""

    name = "totem"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._link = bench.open_totem()
        self._stage = "rest"
        self._until_s: float | None = None
        self._lasts_s = 0.0
        self._taken: list[ScanBatch] = []
        self._rest: Rest | None = None
        self._finger = 0.0
        self._found: TotemFound | None = None
        self._problems: list[str] = []
        self._grips: Findings | None = None
        self._why: str | None = None
        self._felt: Array | None = None
        self._level: Array | None = None
        self._layout: Layout | None = None

    def turn(self) -> None:
        batches = self._link.poll(0.02)
        if batches:
            self._layout = batches[-1].layout
            self._show(batches[-1].counts[-1].astype(np.float64))
        if self._until_s is None:
            return
        self._taken += batches
        if time.monotonic() >= self._until_s:
            self._until_s = None
            try:
                self._end_stage()
            except RefereeError as error:
                self._why = str(error)

    def _show(self, counts: Array) -> None:
        if self._rest is not None and self._rest.level.shape == counts.shape:
            self._level = self._rest.level
        elif self._level is None or self._level.shape != counts.shape:
            self._level = counts
        elif (counts < self._level).any():
            self._level = np.where(counts < self._level, self._level + FADE * (counts - self._level), self._level)
        self._felt = np.maximum(counts - self._level, 0.0)

    def _end_stage(self) -> None:
        if not self._taken:
            raise HardwareError(self._link.health().problem or f"{self._link.name}: the totem fell silent")
        if self._stage == "rest":
            self._rest = at_rest(self._taken)
            self._stage = "finger"
        elif self._stage == "finger" and self._rest is not None:
            self._finger = finger_swing(self._taken, self._rest)
            self._stage = "hands"
        elif self._stage == "hands" and self._rest is not None:
            felt = in_hands(self._taken, self._rest)
            self._found = judge(hello_of(self._link).layout, self._rest, self._finger, felt)
            self._problems = [*self._found.problems, *self_test(self._link, self._found)]
            self._stage = "done"
        elif self._stage == "players":
            self._grips = grips_in(self._taken, self.bench.profile)
            self._stage = "done"
        self._why = None

    def do(self, word: str, values: Values) -> None:
        if word == "go":
            if self._stage == "done":
                raise InputError("the totem was measured: keep it, or begin again")
            self._begin(SECONDS[self._stage])
        elif word == "players":
            if self._found is None:
                raise InputError("first the totem itself: hands off, a finger, whole hands")
            seats = seats_of(self.bench.profile)
            self._stage = "players"
            self._begin(SECONDS["players"] * len(seats))
        elif word == "again":
            self._stage, self._until_s = "rest", None
            self._rest = self._found = self._grips = self._why = self._level = None
        elif word == "keep":
            self._keep()
        else:
            raise unknown(self.name, word)

    def _begin(self, seconds: float) -> None:
        while self._link.poll(0.0):  # what came before is not of this stage
            continue
        if self._layout is None:
            raise HardwareError(self._link.health().problem or f"{self._link.name}: the totem sends no readings")
        self._taken, self._why = [], None
        self._lasts_s, self._until_s = seconds, time.monotonic() + seconds

    def _keep(self) -> None:
        if self._found is None:
            raise InputError("the totem was not measured yet")
        firmware = firmware_of(hello_of(self._link))
        part = totem_part(self._found, device_name(self._link.name), firmware, self._grips)
        # A totem that was measured is one to be played with.
        self.bench.write(replace(part, first={"totem.port": self.bench.port_named or "auto"}))
        if self._grips is not None:
            keep_grips(grips_path(self.bench.profile), pads_of(self.bench.profile), self._grips, replace=True)
            self.bench.say("good", "what the grips showed is kept for the next games")

    def words(self) -> dict[str, Any]:
        health = self._link.health()
        left_s = None if self._until_s is None else max(0.0, self._until_s - time.monotonic())
        said: dict[str, Any] = {
            "stage": self._stage,
            "running": left_s is not None,
            "left_s": None if left_s is None else round(left_s, 1),
            "share": None if left_s is None else round(1 - left_s / max(self._lasts_s, 0.1), 2),
            "freshness": health.freshness.name.lower(),
            "problem": None if health.problem is None else Sentence(health.problem),
            "why": None if self._why is None else Sentence(self._why),
            "rings": None,
            "found": None,
            "grips": None,
            "players": self._order(),
        }
        if self._layout is not None and self._felt is not None:
            full = 260.0 if self._found is None else max(self._found.hand, 1.0)
            felt = np.clip(self._felt[: self._layout.pads] / full, 0, 1).reshape(self._layout.rings, -1)
            said["rings"] = [[round(float(value), 2) for value in ring] for ring in felt]
        if self._found is not None:
            found = self._found
            said["found"] = {
                "problems": [Sentence(problem) for problem in self._problems],
                "finger": round(found.finger),
                "hand": round(found.hand),
                "noise": round(float(np.median(found.rest.noise)), 1),
                "near": found.warm_counts,
                "dead": list(found.felt.dead),
                "joined": [list(pair) for pair in found.felt.joined],
                "names": {str(e): name_of(found.layout, e) for e in found.felt.dead},
            }
        if self._grips is not None:
            said["grips"] = {
                "swapped": list(self._grips.swapped),
                "silent": list(self._grips.silent),
                "hands": [
                    {"player": one.player, "coupling": one.coupling, "pitch_mm": one.pitch_mm}
                    for one in self._grips.players
                ],
            }
        return said

    def _order(self) -> list[str]:
        try:
            return list(seats_of(self.bench.profile))
        except InputError:
            return []

    def close(self) -> None:
        self._link.close()
