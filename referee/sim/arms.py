"""Hands and arms as the overhead camera sees them: drawn once for each player and gesture, then only moved.

Belongs here: what an arm looks like (skin, gloves, sleeves) in its own millimetres. Does not belong here: where
it is (`timeline`), how it comes into a frame (`film`).

An arm's own millimetres: the acting point (fingertips, palm, or the totem in the grip) is the origin, the arm
runs along +x to the shoulder, a right hand's thumb is at +y.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.timeline import FLAT, GRIP, OPEN, PINCH, REACH

Picture = NDArray[np.uint8]
LEFT_MM, RIGHT_MM, HALF_MM = -110.0, 760.0, 100.0
OVER = 2
# From pale to very dark, BGR.
SKINS = ((178, 196, 232), (150, 178, 222), (118, 150, 204), (88, 122, 178), (60, 88, 138), (44, 62, 98), (34, 46, 70))
Bone = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Looks:
    """How one player's arm looks; `cuff_mm` is where the sleeve begins, measured from the wrist."""

    skin: tuple[float, float, float]
    sleeve: tuple[float, float, float]
    second: tuple[float, float, float]
    pattern: str
    cuff_mm: float
    size: float
    side: int  # +1 right, -1 left
    glove: bool


@dataclass(frozen=True)
class Sprite:
    """An arm with one gesture: BGR and coverage (H×W uint8), its shadow's soft one, millimetres to pixels (3×3)."""

    bgr: Picture
    alpha: Picture
    shadow: Picture
    to_sprite: NDArray[np.float64]


# Fingers as bent lines from knuckle to tip, palm as (centre, half length, half breadth), for a right hand of size 1.
_FINGERS: dict[str, tuple[Bone, ...]] = {
    REACH: (
        ((62, -31), (30, -36), (9, -36)), ((58, -11), (18, -13), (-6, -12)), ((58, 9), (16, 9), (-8, 9)),
        ((64, 28), (28, 31), (2, 31)), ((98, 40), (72, 58), (46, 62)),
    ),
    PINCH: (
        ((62, -28), (30, -22), (10, -17)), ((58, -10), (20, -9), (0, -7)), ((58, 8), (20, 6), (-2, 4)),
        ((64, 25), (30, 20), (4, 14)), ((95, 38), (52, 44), (16, 22)),
    ),
    FLAT: (
        ((-22, -30), (-52, -31), (-72, -29)), ((-28, -10), (-66, -11), (-90, -10)), ((-28, 10), (-66, 10), (-93, 9)),
        ((-22, 29), (-52, 30), (-82, 28)), ((18, 42), (-12, 58), (-36, 62)),
    ),
    OPEN: (
        ((42, -34), (2, -52), (-24, -56)), ((34, -14), (-14, -30), (-46, -36)), ((32, 8), (-18, -2), (-54, -6)),
        ((38, 28), (-4, 32), (-38, 30)), ((72, 40), (44, 62), (10, 66)),
    ),
    GRIP: (
        ((46, -30), (12, -36), (-20, -26), (-30, -4)), ((40, -18), (4, -32), (-24, -18), (-28, 6)),
        ((38, 0), (10, -30), (-22, -20), (-28, 2)), ((44, 24), (24, 30), (2, 28), (-18, 20)),
        ((70, 36), (36, 38), (6, 30), (-14, 22)),
    ),
}  # fmt: skip
_PALMS = {
    REACH: ((94, 2), 44, 40),
    PINCH: ((92, 2), 44, 38),
    FLAT: ((8, 0), 46, 41),
    OPEN: ((74, 0), 44, 41),
    GRIP: ((62, 2), 34, 36),
}
_WRIST = {REACH: 138, PINCH: 136, FLAT: 54, OPEN: 118, GRIP: 96}
HOLE_MM = 15.0  # the totem's head shows in the grip


def draw_looks(random: np.random.Generator) -> Looks:
    """One player's arm."""
    tone = np.array(SKINS[int(random.integers(len(SKINS)))]) * random.uniform(0.92, 1.06)
    glove = bool(random.random() < 0.06)
    skin = random.uniform(20, 210, 3) if glove else np.clip(tone + random.normal(0, 4, 3), 10, 245)
    bare = random.random() < 0.2
    return Looks(
        _colour(skin),
        _colour(random.uniform(12, 232, 3)),
        _colour(random.uniform(12, 232, 3)),
        str(random.choice(["plain", "plain", "stripes", "checks", "dots", "knit"])),
        900.0 if bare else float(random.choice([random.uniform(5, 40), random.uniform(90, 170)])),
        float(random.uniform(0.82, 0.92) if random.random() < 0.2 else random.uniform(0.93, 1.08)),
        1 if random.random() < 0.85 else -1,
        glove,
    )


def sprite(looks: Looks, shape: str, px_per_mm: float, soft_mm: float) -> Sprite:
    """Draw one gesture of an arm at a resolution."""
    scale = px_per_mm * OVER
    width, height = round((RIGHT_MM - LEFT_MM) * scale), round(2 * HALF_MM * scale)
    grid = np.array([[scale, 0, -LEFT_MM * scale], [0, scale * looks.side, HALF_MM * scale], [0, 0, 1.0]])
    pen = _Pen(grid, looks.size)
    bgr = np.empty((height, width, 3), np.float32)
    wrist = _WRIST[shape] * looks.size
    cuff = wrist + looks.cuff_mm
    bgr[:] = looks.skin
    alpha = np.zeros((height, width), np.uint8)
    arm = np.zeros_like(alpha)
    pen.taper(arm, wrist - 14, 27 * looks.size, wrist + 300, 46 * looks.size)
    pen.taper(arm, wrist + 290, 46 * looks.size, RIGHT_MM + 30, 52 * looks.size)
    hand = np.zeros_like(alpha)
    (px, py), long, broad = _PALMS[shape]
    pen.ellipse(hand, px, py, long, broad)
    fingers = _FINGERS[shape]
    order = range(len(fingers)) if shape != GRIP else (2, 1, 0, 3, 4)
    if shape == GRIP:
        # The palm ends where the totem stands.
        pen.disc(hand, 0, 0, HOLE_MM, 0)
    _shade(bgr, np.maximum(hand, arm), scale, 13.0)
    for k in order:
        mask = np.zeros_like(alpha)
        pen.bone(mask, fingers[k], 17.5 if k < 4 else 20.0)
        hand = np.maximum(hand, mask)
        _finger(bgr, mask, looks.skin, scale)
        if not looks.glove and shape != GRIP:
            _nail(bgr, pen, fingers[k], looks.skin)
    alpha = np.maximum(alpha, np.maximum(hand, arm))
    if cuff < RIGHT_MM:
        cloth = np.zeros_like(alpha)
        pen.taper(cloth, cuff, 43 * looks.size, RIGHT_MM + 30, 62 * looks.size)
        _sleeve(bgr, cloth, looks, grid, cuff, scale)
        alpha = np.maximum(alpha, cloth)
    size = (width // OVER, height // OVER)
    small = cv2.resize(np.clip(bgr, 0, 255), size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    cover = cv2.GaussianBlur(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), (0, 0), 0.6)
    shadow = cv2.GaussianBlur(cover, (0, 0), max(0.6, soft_mm * px_per_mm))
    shrink = np.array([[1 / OVER, 0, 0], [0, 1 / OVER, 0], [0, 0, 1.0]])
    return Sprite(small, np.asarray(cover, np.uint8), np.asarray(shadow, np.uint8), shrink @ grid)


class _Pen:
    """Draws in an arm's millimetres."""

    def __init__(self, grid: NDArray[np.float64], size: float) -> None:
        self._grid, self._size = grid, size
        self.scale = float(grid[0, 0])

    def at(self, x: float, y: float, grows: bool = True) -> tuple[int, int]:
        s = self._size if grows else 1.0
        px = self._grid @ (x * s, y * s, 1.0)
        return round(float(px[0]) * 16), round(float(px[1]) * 16)

    def bone(self, mask: Picture, bone: Bone, thick: float) -> None:
        for i, (a, b) in enumerate(pairwise(bone)):
            t = max(1, round(thick * (1 - 0.09 * i) * self._size * self.scale))
            cv2.line(mask, self.at(*a), self.at(*b), 255, t, cv2.LINE_8, 4)

    def ellipse(self, mask: Picture, x: float, y: float, long: float, broad: float) -> None:
        axes = round(long * self._size * self.scale * 16), round(broad * self._size * self.scale * 16)
        cv2.ellipse(mask, self.at(x, y), axes, 0, 0, 360, 255, -1, cv2.LINE_8, 4)

    def disc(self, mask: Picture, x: float, y: float, radius: float, value: int) -> None:
        cv2.circle(mask, self.at(x, y), round(radius * self.scale * 16), value, -1, cv2.LINE_8, 4)

    def taper(self, mask: Picture, x0: float, half0: float, x1: float, half1: float) -> None:
        corners = ((x0, -half0), (x1, -half1), (x1, half1), (x0, half0))
        points = np.array([self.at(*corner, grows=False) for corner in corners], np.int32)
        cv2.fillConvexPoly(mask, points, 255, cv2.LINE_8, 4)


def _shade(bgr: NDArray[np.float32], mask: Picture, scale: float, round_mm: float) -> None:
    """Darker towards the outline, as round things are from above."""
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3) / (round_mm * scale)
    cv2.multiply(bgr, cv2.merge([np.asarray(0.66 + 0.34 * np.sqrt(np.clip(deep, 0, 1)), np.float32)] * 3), bgr)


def _finger(bgr: NDArray[np.float32], mask: Picture, skin: tuple[float, float, float], scale: float) -> None:
    x, y, w, h = cv2.boundingRect(mask)
    part = slice(max(0, y - 1), y + h + 1), slice(max(0, x - 1), x + w + 1)
    deep = cv2.distanceTransform(mask[part], cv2.DIST_L2, 3) / (8.0 * scale)
    level = 0.6 + 0.42 * np.sqrt(np.clip(deep, 0, 1))
    on = mask[part] > 0
    bgr[part][on] = np.array(skin, np.float32) * level[on][:, None]


def _nail(bgr: NDArray[np.float32], pen: _Pen, bone: Bone, skin: tuple[float, float, float]) -> None:
    (x0, y0), (x1, y1) = bone[-2:]
    away = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    colour = tuple(float(v) for v in np.clip(np.array(skin) * 1.08 + 14, 0, 250))
    axes = round(5.5 * pen.scale * 16), round(4.3 * pen.scale * 16)
    angle = float(np.rad2deg(np.arctan2(away[1] * np.sign(pen._grid[1, 1]), away[0])))
    cv2.ellipse(bgr, pen.at(x1 + 2.5 * away[0], y1 + 2.5 * away[1]), axes, angle, 0, 360, colour, -1, cv2.LINE_AA, 4)


def _sleeve(
    bgr: NDArray[np.float32], cloth: Picture, looks: Looks, grid: NDArray[np.float64], cuff: float, scale: float
) -> None:
    first = max(0, int(grid[0, 0] * cuff + grid[0, 2]))
    cloth, bgr = np.ascontiguousarray(cloth[:, first:]), bgr[:, first:]
    height = cloth.shape[0]
    x = (np.arange(first, first + cloth.shape[1], dtype=np.float32) - grid[0, 2]) / grid[0, 0]
    y = (np.arange(height, dtype=np.float32) - grid[1, 2]) / grid[1, 1]
    xs, ys = np.broadcast_to(x[None, :], cloth.shape), np.broadcast_to(y[:, None], cloth.shape)
    share = np.zeros(cloth.shape, np.float32)
    if looks.pattern == "stripes":
        share = ((xs // 17) % 2).astype(np.float32)
    elif looks.pattern == "checks":
        share = (((xs // 14) % 2) + ((ys // 14) % 2)).astype(np.float32) / 2
    elif looks.pattern == "dots":
        share = (np.hypot((xs + 13 * ((ys // 26) % 2)) % 26 - 13, ys % 26 - 13) < 5).astype(np.float32)
    elif looks.pattern == "knit":
        share = (0.5 + 0.5 * np.sin(xs * 1.6) * np.cos(ys * 1.1)).astype(np.float32) * 0.4
    colour = np.array(looks.sleeve, np.float32) + share[:, :, None] * (
        np.array(looks.second, np.float32) - np.array(looks.sleeve, np.float32)
    )
    deep = cv2.distanceTransform(cloth, cv2.DIST_L2, 3) / (30.0 * scale)
    folds = 0.05 * np.sin(xs / 23 + 2 * np.sin(xs / 61)) * np.cos(ys / 19 + xs / 90)
    level = 0.62 + 0.4 * np.sqrt(np.clip(deep, 0, 1)) + folds
    level = np.where(np.abs(xs - cuff - 9) < 1.2, level * 0.75, level)
    # Cloth also outside its outline, so that a soft edge mixes with the right colour.
    bgr[:] = colour * level[:, :, None]


def _colour(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
