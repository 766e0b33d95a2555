"""Arms in a frame: each player's drawn arm laid where it is, with its shadow on the table.

Belongs here: perspective, smear and light of an arm. Does not belong here: how an arm looks (`arms`), where it is
(`timeline`).
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.arms import Looks, Sprite, sprite
from referee.sim.optics import Array, Box, box
from referee.sim.patches import Picture, Plane, darken
from referee.sim.places import Places
from referee.sim.scenery import Scenery
from referee.sim.timeline import SHAPES, ArmKey, Timeline

SHOULDER_Z_MM = 190.0
LEAST_STEP_PX = 0.6
SHARPEST_PX = 1.3  # movements within an exposure that are not worth smearing
# The part of an arm's sheet that is used: along from the longest finger, to both sides.
FRONT_MM, SIDE_MM = -105.0, 95.0
SHEET_SCALE = 1.1  # sheets are a little larger than they appear, since hands are nearer to the camera


class ArmPainter:
    """Lays all arms of one table onto frames."""

    def __init__(self, timeline: Timeline, places: Places, scenery: Scenery, looks: Mapping[str, Looks]) -> None:
        """Draw every gesture of every arm."""
        self._timeline, self._optics, self._light = timeline, scenery.optics, scenery.light
        self._shoulders = {chair.player: chair.shoulder for chair in places.chairs}
        per_mm = SHEET_SCALE * scenery.optics.per_mm()
        self._sheets = {
            name: {shape: sprite(look, shape, per_mm, self._light.soft_mm) for shape in SHAPES}
            for name, look in looks.items()
        }
        self._dark = np.asarray(np.arange(256) / 255 * self._light.depth, np.float32)

    def draw(self, canvas: Picture, t_us: int) -> list[tuple[Box, Plane]]:
        """Lay the arms, the higher ones over the lower; returns what they cover (boxes and coverage)."""
        arms = [(name, self._timeline.arm(name, t_us)) for name in self._sheets]
        arms.sort(key=lambda arm: arm[1].z)
        for name, key in arms:
            self._shadow(canvas, name, key)
        covers = [self._arm(canvas, name, key, t_us) for name, key in arms]
        return [cover for cover in covers if cover is not None]

    def _plane(self, name: str, key: ArmKey, sheet: Sprite, shadow: bool) -> tuple[Array, Array]:
        """The sheet on the picture: its homography, and its corners' pixels (hand end first and last)."""
        shoulder = self._shoulders[name]
        reach = np.array([shoulder[0] - key.x, shoulder[1] - key.y])
        far = max(float(np.linalg.norm(reach)), 60.0)
        along = reach / far
        across = np.array([-along[1], along[0]])
        uv = np.array([[FRONT_MM, -SIDE_MM], [far, -SIDE_MM], [far, SIDE_MM], [FRONT_MM, SIDE_MM]])
        z = key.z + (SHOULDER_Z_MM - key.z) * np.clip(uv[:, 0], -60, None) / far
        points = np.array([key.x, key.y]) + uv[:, :1] * along + uv[:, 1:] * across
        if shadow:
            points = points + z[:, None] * self._light.towards
            z = np.zeros(4)
        pixels = self._optics.pixels(np.column_stack([points, z]))
        source = (np.column_stack([uv, np.ones(4)]) @ sheet.to_sprite.T)[:, :2]
        h = cv2.getPerspectiveTransform(source.astype(np.float32), pixels.astype(np.float32))
        return np.asarray(h, np.float64), pixels

    def _shadow(self, canvas: Picture, name: str, key: ArmKey) -> None:
        sheet = self._sheets[name][key.shape]
        h, pixels = self._plane(name, key, sheet, shadow=True)
        where = box(pixels, self._optics.size, 2)
        if where is None:
            return
        x0, y0, x1, y1 = where
        # A shadow is soft: half the pixels will do.
        half = np.array([[0.5, 0, -0.5 * x0], [0, 0.5, -0.5 * y0], [0, 0, 1.0]])
        size = ((x1 - x0 + 1) // 2, (y1 - y0 + 1) // 2)
        small = cv2.warpPerspective(sheet.shadow, half @ h, size, flags=cv2.INTER_LINEAR)
        shade = cv2.resize(cv2.LUT(small, self._dark), (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        darken(canvas, where, shade)

    def _arm(self, canvas: Picture, name: str, key: ArmKey, t_us: int) -> tuple[Box, Plane] | None:
        sheet = self._sheets[name][key.shape]
        h, pixels = self._plane(name, key, sheet, shadow=False)
        half = self._light.exposure_us // 2
        before, after = (self._timeline.arm(name, t) for t in (t_us - half, t_us + half))
        smear = np.array([after.x - before.x, after.y - before.y]) * self._optics.per_mm()
        length = float(np.linalg.norm(smear))
        where = box(pixels, self._optics.size, 2 + int(length / 2))
        if where is None:
            return None
        x0, y0, x1, y1 = where
        steps = smear_steps(smear) if length > SHARPEST_PX else []
        # The smear begins where the hand is at first; its middle is where it is at `t_us`.
        back_x, back_y = (sum(step[i] for step in steps) / 2 for i in (0, 1))
        shift = np.array([[1.0, 0, -x0 - back_x], [0, 1.0, -y0 - back_y], [0, 0, 1.0]]) @ h
        size = (x1 - x0, y1 - y0)
        bgr = cv2.warpPerspective(sheet.bgr, shift, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        alpha = cv2.warpPerspective(sheet.alpha, shift, size, flags=cv2.INTER_LINEAR)
        bgr, alpha = smeared(np.asarray(bgr, np.uint8), steps), smeared(np.asarray(alpha, np.uint8), steps)
        cover = np.asarray(alpha.astype(np.float32) / 255, np.float32)
        gain = np.array([*self._gain(pixels), 0.0])
        lit = cv2.multiply(bgr, gain, dtype=cv2.CV_8U)
        part = canvas[y0:y1, x0:x1]
        part[:] = cv2.blendLinear(lit, np.ascontiguousarray(part), cover, 1 - cover)
        return where, cover

    def _gain(self, pixels: Array) -> NDArray[np.float32]:
        """The light on an arm, taken near its hand."""
        width, height = self._optics.size
        near = (0.75 * pixels[[0, 3]] + 0.25 * pixels[[1, 2]]).mean(0)
        x, y = np.clip(near, 0, (width - 1, height - 1)).astype(int)
        return np.asarray(self._light.gain[y, x], np.float32)


def smear_steps(vector: Array) -> list[tuple[int, int]]:
    """Shifts of whole pixels which, one after another, each averaged in, spread a point evenly along `vector`.

    Halving: every step doubles the number of places the point is seen at.
    """
    steps = []
    step = np.asarray(vector, np.float64) / 2
    while np.abs(step).max() >= LEAST_STEP_PX:
        steps.append((round(float(step[0])), round(float(step[1]))))
        step = step / 2
    return [step for step in steps if step != (0, 0)]


def smeared(picture: Picture, steps: list[tuple[int, int]]) -> Picture:
    """A picture averaged with itself, shifted by each step; what comes in over the edge is left as it is."""
    height, width = picture.shape[:2]
    out = picture
    for dx, dy in steps:
        if abs(dx) >= width or abs(dy) >= height:
            continue
        here = slice(max(0, dy), height + min(0, dy)), slice(max(0, dx), width + min(0, dx))
        there = slice(max(0, -dy), height + min(0, -dy)), slice(max(0, -dx), width + min(0, -dx))
        mixed = out.copy()
        mixed[here] = cv2.addWeighted(out[here], 0.5, out[there], 0.5, 0.0)
        out = mixed
    return out
