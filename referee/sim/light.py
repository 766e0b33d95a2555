"""Light on a simulated table: how bright and of what colour everywhere, where it is reflected, where shadows fall.

Belongs here: kinds of light as numbers drawn from ranges, and the maps that follow. Does not belong here: what is lit.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Map = NDArray[np.float32]

LIGHTS = ("day", "evening", "ceiling", "hard", "dim", "glare")


@dataclass(frozen=True)
class Light:
    """One table's light. `gain` multiplies the picture (H×W×3, BGR), `shine` (H×W) is what gloss adds on cards.

    `towards` is the direction shadows fall in, millimetres on the table for each millimetre of height;
    `depth` how dark and `soft_mm` how blurred they are. `noise` is the sensor's at middle grey, of 255;
    `exposure_us` how long a frame is exposed; `flicker` how much the gain wavers from frame to frame.
    """

    kind: str
    gain: Map
    shine: Map
    towards: tuple[float, float]
    depth: float
    soft_mm: float
    noise: float
    exposure_us: int
    flicker: float


# warmth (red over blue), exposure, shadow depth, softness mm, slant, noise, exposure ms
_RANGES = {
    "day": ((0.92, 1.08), (0.85, 1.02), (0.25, 0.4), (10, 22), (0.2, 0.6), (1.0, 2.2), (2.0, 6.0)),
    "evening": ((1.25, 1.6), (0.62, 0.85), (0.3, 0.5), (8, 18), (0.5, 1.1), (2.0, 3.8), (7.0, 13.0)),
    "ceiling": ((1.0, 1.25), (0.72, 0.95), (0.3, 0.5), (6, 14), (0.05, 0.3), (1.4, 2.8), (5.0, 10.0)),
    "hard": ((0.95, 1.15), (0.8, 1.0), (0.5, 0.65), (1.5, 4), (0.4, 0.9), (1.0, 2.2), (2.0, 5.0)),
    "dim": ((1.1, 1.5), (0.4, 0.58), (0.2, 0.4), (10, 25), (0.1, 0.5), (3.5, 5.5), (12.0, 16.0)),
    "glare": ((0.95, 1.2), (0.8, 1.0), (0.25, 0.45), (6, 16), (0.1, 0.5), (1.2, 2.4), (3.0, 8.0)),
}  # fmt: skip


def draw_light(kind: str, size: tuple[int, int], random: np.random.Generator) -> Light:
    """The light of one table; `kind` is one of `LIGHTS`."""
    warmth, exposure, depth, soft, slant, noise, shutter = (float(random.uniform(*r)) for r in _RANGES[kind])
    width, height = size
    step = 8
    y, x = (v.astype(np.float32) * step / width for v in np.mgrid[0 : -(-height // step), 0 : -(-width // step)])
    x, y = x - 0.5, y - 0.5 * height / width
    a = random.uniform(0, 2 * np.pi)
    level = exposure * (1 + random.uniform(0.0, 0.35) * (x * np.cos(a) + y * np.sin(a)))
    level *= 1 - random.uniform(0.05, 0.3) * (x * x + y * y)  # the lens's own fall-off
    if kind == "hard":
        b, edge = random.uniform(0, 2 * np.pi), random.uniform(-0.2, 0.2)
        across = x * np.cos(b) + y * np.sin(b) - edge
        level *= 1 - random.uniform(0.2, 0.35) / (1 + np.exp(-across / random.uniform(0.006, 0.02)))
    tint = np.array([1 / np.sqrt(warmth), 1.0, np.sqrt(warmth)], np.float32)
    shine = np.zeros_like(level)
    spots = {"glare": int(random.integers(2, 4)), "ceiling": 1, "hard": 1}.get(kind, 0)
    for _ in range(spots):
        cx, cy = random.uniform(-0.4, 0.4), random.uniform(-0.25, 0.25)
        r = random.uniform(0.035, 0.09)
        strength = random.uniform(60, 190) if kind == "glare" else random.uniform(5, 35)
        shine += strength * np.exp(-(((x - cx) / r) ** 2) - ((y - cy) / (0.6 * r)) ** 2)
    gain = cv2.resize(np.asarray(level, np.float32), size, interpolation=cv2.INTER_CUBIC)[:, :, None] * tint
    turn = random.uniform(0, 2 * np.pi)
    return Light(
        kind,
        np.asarray(gain, np.float32),
        np.asarray(cv2.resize(np.asarray(shine, np.float32), size, interpolation=cv2.INTER_LINEAR), np.float32),
        (float(slant * np.cos(turn)), float(slant * np.sin(turn))),
        depth,
        soft,
        noise,
        int(1000 * shutter),
        float(random.uniform(0.0, 0.006)),
    )
