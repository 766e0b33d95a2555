"""Calibrating the camera with the board, picture by picture: what each one adds, what is still missing, the result.

Belongs here: taking pictures by itself, coverage of the picture, the part of the profile. Does not belong here:
judging a picture (`calibration.looks`), solving (`calibration.lens`), where pictures come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import Board
from calibration.charuco import Picture
from calibration.lens import FEWEST_PICTURES, Solved, solve_lens
from calibration.looks import Look, Refused, look_at, same_place
from calibration.profile_file import Part
from referee.amounts import amount

COLUMNS, ROWS = 6, 4
ENOUGH_CELLS = 0.85
ENOUGH_PICTURES = 12
MOST_PICTURES = 60
LEANS = 2  # pictures that lean to each of the four sides
LEAN_DEG = 15.0
STILL_PX, STILL_SHARE = 1.0, 1.0 / 1280  # a board moved less than this since the picture before is held still
SIDES = {"right": 0.0, "top": 90.0, "left": 180.0, "bottom": 270.0}
_ACROSS, _DOWN = ("left", "middle", "right"), ("top", "middle", "bottom")


@dataclass(frozen=True)
class Feedback:
    """What became of one picture: kept or not, why not (`refused`), what it is like, and what to do next."""

    name: str
    kept: bool
    refused: str | None
    blur_px: float | None
    burnt: float | None
    tilt_deg: float | None
    coverage: float
    missing: tuple[str, ...]
    advice: str

    def words(self) -> dict[str, Any]:
        """The same as plain values."""
        rounded = {"blur_px": self.blur_px, "burnt": self.burnt, "tilt_deg": self.tilt_deg, "coverage": self.coverage}
        figures = {key: None if value is None else round(value, 3) for key, value in rounded.items()}
        said = {"picture": self.name, "kept": self.kept, "refused": self.refused}
        return {**said, **figures, "missing": list(self.missing), "advice": self.advice}


@dataclass
class CameraCalibration:
    """Pictures of one board taken so far; `live` pictures are only taken while the board is held still."""

    board: Board
    live: bool = False
    looks: list[Look] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    _before: Look | None = None

    def add(self, picture: Picture, name: str) -> Feedback:
        """Take a picture (H×W×3 or H×W) if it is good and says something new."""
        look = look_at(picture, self.board, name)
        before, self._before = self._before, look if isinstance(look, Look) else None
        if isinstance(look, Refused):
            return self._refuse(look, None)
        if self.looks and look.size != self.looks[0].size:
            width, height = self.looks[0].size
            why = f"{look.size[0]}x{look.size[1]} pixels, expected {width}x{height} as the pictures before"
            return self._refuse(Refused(name, why), look)
        if self.live and (before is None or not _still(before, look)):
            return self._refuse(Refused(name, "the board moves: hold it still"), look)
        double = same_place(look, self.looks)
        if double is not None:
            return self._refuse(Refused(name, f"shows the board where {double.name} has it: move it on"), look)
        if len(self.looks) >= MOST_PICTURES:
            return self._refuse(Refused(name, f"there are {MOST_PICTURES} pictures already"), look)
        self.looks.append(look)
        return self._said(look, None)

    @property
    def covered(self) -> NDArray[np.bool_]:
        """The cells of the picture (rows × columns) in which corners of the board were seen."""
        cells = np.zeros((ROWS, COLUMNS), bool)
        for look in self.looks:
            width, height = look.size
            column = np.clip((look.seen.points[:, 0] + 0.5) / width * COLUMNS, 0, COLUMNS - 1).astype(int)
            row = np.clip((look.seen.points[:, 1] + 0.5) / height * ROWS, 0, ROWS - 1).astype(int)
            cells[row, column] = True
        return cells

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts of the picture where the board has not been yet, in words."""
        rows, columns = np.nonzero(~self.covered)
        parts: dict[str, None] = {}
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            down, across = _DOWN[row * 3 // ROWS], _ACROSS[column * 3 // COLUMNS]
            parts["middle" if down == across == "middle" else f"{down} {across}"] = None
        return tuple(parts)

    @property
    def leans(self) -> Mapping[str, int]:
        """How many pictures have each side of the board farther away than the other."""
        count = dict.fromkeys(SIDES, 0)
        for look in self.looks:
            if look.tilt_deg >= LEAN_DEG:
                apart = {side: abs((look.towards_deg - angle + 180) % 360 - 180) for side, angle in SIDES.items()}
                for side, degrees in apart.items():
                    count[side] += degrees <= 60
        return count

    @property
    def wanting(self) -> tuple[str, ...]:
        """What is still to be done before the pictures are enough, most pressing first; empty: they are."""
        wanted = []
        if self.covered.mean() < ENOUGH_CELLS or not self.covered[[0, 0, -1, -1], [0, -1, 0, -1]].all():
            wanted.append(f"move the board to the {self.missing[0]} of the picture")
        for side, count in self.leans.items():
            if count < LEANS:
                wanted.append(f"lean the board: its {side} side farther from the camera, 20 to 40 degrees")
                break
        if len(self.looks) < ENOUGH_PICTURES:
            wanted.append(amount(ENOUGH_PICTURES - len(self.looks), "more picture"))
        return tuple(wanted)

    @property
    def enough(self) -> bool:
        """Whether the pictures suffice."""
        return not self.wanting

    def solve(self) -> Solved:
        """The lens; raises `InputError` with the reason when the pictures do not give one that can be believed."""
        return solve_lens(self.looks, self.board)

    def annotated(self, picture: Picture) -> Picture:
        """A picture with the board's corners and the parts that are missing drawn in."""
        drawn = np.array(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR) if picture.ndim == 2 else picture, np.uint8)
        height, width = drawn.shape[:2]
        shade = drawn.copy()
        for row, column in zip(*np.nonzero(~self.covered), strict=True):
            low = (round(column * width / COLUMNS), round(row * height / ROWS))
            high = (round((column + 1) * width / COLUMNS), round((row + 1) * height / ROWS))
            cv2.rectangle(shade, low, high, (40, 40, 200), -1)
        drawn = np.asarray(cv2.addWeighted(shade, 0.35, drawn, 0.65, 0), np.uint8)
        if self._before is not None:
            for x, y in self._before.seen.points:
                cv2.circle(drawn, (round(x), round(y)), max(3, width // 300), (80, 220, 80), 2, cv2.LINE_AA)
        return drawn

    def _refuse(self, refused: Refused, look: Look | None) -> Feedback:
        self.refused.append(refused)
        return self._said(look, refused)

    def _said(self, look: Look | None, refused: Refused | None) -> Feedback:
        advice = refused.why if refused is not None else next(iter(self.wanting), "enough pictures")
        name = refused.name if refused is not None else look.name if look is not None else ""
        return Feedback(
            name=name,
            kept=refused is None,
            refused=None if refused is None else refused.why,
            blur_px=None if look is None else look.blur_px,
            burnt=None if look is None else look.burnt,
            tilt_deg=None if look is None else look.tilt_deg,
            coverage=float(self.covered.mean()),
            missing=self.missing,
            advice=advice,
        )


def _still(before: Look, now: Look) -> bool:
    """Whether the board has not moved between two pictures."""
    common, mine, theirs = np.intersect1d(now.seen.ids, before.seen.ids, return_indices=True)
    if len(common) < 4:
        return False
    moved = np.linalg.norm(now.seen.points[mine] - before.seen.points[theirs], axis=1)
    return bool(np.median(moved) < max(STILL_PX, STILL_SHARE * now.size[0]))


def camera_part(solved: Solved, calibration: CameraCalibration, said: Mapping[str, Any]) -> Part:
    """What the profile keeps of a camera's calibration, besides what is `said` (device, printed size)."""
    matrix = [[round(float(value), 4) for value in row] for row in solved.lens.matrix]
    values = {
        "camera.width": solved.size[0],
        "camera.height": solved.size[1],
        "camera.matrix": matrix,
        "camera.distortion": [round(float(value), 6) for value in solved.lens.distortion],
    }
    figures = {
        **said,
        "picture": list(solved.size),
        "board": f"{calibration.board.columns}x{calibration.board.rows}-{calibration.board.square_mm:g}mm",
        "pictures": solved.pictures,
        "coverage": round(float(calibration.covered.mean()), 2),
        "rms_px": round(solved.rms_px, 3),
        "held_out_px": round(solved.held_out_px, 3),
        "held_out_worst_px": round(solved.held_out_worst_px, 3),
        "focal_error": round(solved.focal_error, 6),
        "field_deg": round(solved.field_deg, 1),
    }
    return Part("camera", values, figures)


__all__ = ["FEWEST_PICTURES", "CameraCalibration", "Feedback", "camera_part"]
