"""The step for the lens: pictures of the printed board are taken by themselves until they are enough, then solved.

Does not belong here: judging pictures (`calibration.looks`), the solve (`calibration.lens`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.boards import A4_BOARD
from calibration.camera import ENOUGH_PICTURES, LEANS, CameraCalibration, Feedback, camera_part
from calibration.charuco import Picture
from calibration.guided.bench import Bench, Sentence, Step, Values, asked_number, unknown
from calibration.lens import FEWEST_PICTURES, Solved
from calibration.profile_file import Part
from calibration.scale import RULER_MM, check_measured
from calibration.sources import Shot
from referee.errors import InputError
from referee.vision.camera import is_live
from referee.vision.pictures import is_video


class CameraStep(Step):
    """Look, take, solve, and show what is missing."""

    name = "camera"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._begin()

    def _begin(self) -> None:
        source = self.bench.eye.source
        # A folder's pictures were taken one by one by somebody who held still.
        self._pictures = CameraCalibration(A4_BOARD, live=is_live(source) or is_video(Path(source)))
        self._last: Feedback | None = None
        self._solved: Solved | None = None
        self._why: str | None = None
        self._taken = 0
        self._measured: float | None = None

    def see(self, shot: Shot) -> None:
        if self._solved is not None:
            return
        self._last = self._pictures.add(shot.picture, shot.name)
        if self._last.kept and self._pictures.enough and len(self._pictures.looks) > self._taken:
            self._solve()

    def _solve(self) -> None:
        self._taken = len(self._pictures.looks)
        self.bench.breathe()
        try:
            self._solved, self._why = self._pictures.solve(), None
        except InputError as error:
            self._why = str(error)

    def do(self, word: str, values: Values) -> None:
        if word == "again":
            self._begin()
        elif word == "solve":
            if len(self._pictures.looks) < FEWEST_PICTURES:
                raise InputError(
                    f"{len(self._pictures.looks)} good pictures of the board, expected {FEWEST_PICTURES} at least"
                )
            self._solve()
        elif word == "measured":
            self._measured = check_measured(asked_number(values, "mm"), RULER_MM, "the board's ruler")
            self.bench.say("good", "the board was printed true to size")
        elif word == "keep":
            self._keep()
        else:
            raise unknown(self.name, word)

    def _keep(self) -> None:
        if self._solved is None:
            raise InputError("there is no lens to keep yet: more pictures of the board")
        checked: dict[str, Any] = {"size_checked": "no"}
        if self._measured is not None:
            checked = {"size_checked": "ruler", "printed_scale": round(self._measured, 4)}
        self.bench.write(
            with_camera(self.bench, camera_part(self._solved, self._pictures, {**self.bench.camera_device, **checked}))
        )

    def words(self) -> dict[str, Any]:
        pictures, last, solved = self._pictures, self._last, self._solved
        said: dict[str, Any] = {
            "taken": len(pictures.looks),
            "wanted": ENOUGH_PICTURES,
            "can_solve": solved is None and len(pictures.looks) >= FEWEST_PICTURES,
            "coverage": round(float(pictures.covered.mean()), 2),
            "covered": [[bool(cell) for cell in row] for row in pictures.covered],
            "leans": dict(pictures.leans),
            "leans_wanted": LEANS,
            "missing": [Sentence(part) for part in pictures.missing],
            "wanting": [Sentence(words) for words in pictures.wanting],
            "last": None,
            "solved": None,
            "why": None if self._why is None else Sentence(self._why),
        }
        if last is not None:
            figures = {key: value for key, value in last.words().items() if key in ("blur_px", "burnt", "tilt_deg")}
            said["last"] = {"kept": last.kept, "advice": Sentence(last.advice), **figures}
        if solved is not None:
            said["solved"] = {
                "held_out_px": round(solved.held_out_px, 2),
                "worst_px": round(solved.held_out_worst_px, 2),
                "field_deg": round(solved.field_deg),
                "focal_px": round(float(solved.lens.matrix[0, 0])),
                "pictures": solved.pictures,
            }
        return said

    def drawn(self, picture: Picture) -> Picture:
        return np.asarray(picture, np.uint8) if self._solved is not None else self._pictures.annotated(picture)


def with_camera(bench: Bench, part: Part) -> Part:
    """The part, with what the profile is to know of the camera: the one that was named, else none over its own."""
    if not bench.eye.live:
        return part
    source = {"camera.source": bench.eye.source}
    if bench.camera_named:
        return replace(part, values={**part.values, **source})
    return replace(part, first={**part.first, **source})
