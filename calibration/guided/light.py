"""The step for the light: frames of the table at rest, where a lamp shines back, flicker, exposure.

Does not belong here: judging them (`calibration.light`).
"""

from __future__ import annotations

from typing import Any

from calibration.charuco import Picture
from calibration.guided.bench import Bench, Sentence, Step, Values, unknown
from calibration.light import LightFound, judge_light, light_part
from calibration.sources import Shot
from referee.errors import InputError

FRAMES = 60


class LightStep(Step):
    """Look when asked to, judge, keep."""

    name = "light"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._taking = False
        self._pictures: list[Picture] = []
        self._t_us: list[int] = []
        self._found: LightFound | None = None
        self._why: str | None = None

    def see(self, shot: Shot) -> None:
        if not self._taking:
            return
        self._pictures.append(shot.picture)
        self._t_us.append(len(self._t_us) * 33_333 if shot.t_us is None else shot.t_us)
        if len(self._pictures) >= FRAMES:
            self._taking = False
            try:
                self._found, self._why = judge_light(self._pictures, self._t_us), None
            except InputError as error:
                self._found, self._why = None, str(error)
            self._pictures, self._t_us = [], []

    def do(self, word: str, values: Values) -> None:
        if word == "look":
            self._taking, self._pictures, self._t_us = True, [], []
            self._found = self._why = None
        elif word == "keep":
            if self._found is None:
                raise InputError("the light was not looked at yet")
            self.bench.write(light_part(self._found, self.bench.camera_device))
        else:
            raise unknown(self.name, word)

    def words(self) -> dict[str, Any]:
        found = self._found
        said: dict[str, Any] = {
            "taking": self._taking,
            "share": round(len(self._pictures) / FRAMES, 2) if self._taking else None,
            "why": None if self._why is None else Sentence(self._why),
            "found": None,
        }
        if found is not None:
            said["found"] = {
                "good": not found.problems,
                "problems": [Sentence(problem) for problem in found.problems],
                "brightness": round(found.brightness),
                "flicker": round(max(found.band_share, found.beat_share), 4),
                "drift": round(found.drift_share, 3),
                "glare": [[round(float(cell), 4) for cell in row] for row in found.glare],
            }
        return said
