"""Table tops for rendered pictures: colours, grains and patterns, each from a random generator.

Does not belong here: light, cards, lenses.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]

SURFACES = (
    "wood",
    "dark wood",
    "felt",
    "white cloth",
    "checks",
    "stripes",
    "flowers",
    "stone",
    "black",
    "laminate",
)


def surface(name: str, size: tuple[int, int], per_mm: float, random: np.random.Generator) -> Plane:
    """A table top of `size` (width, height), H×W×3, BGR, 0..255; `per_mm` is pixels per millimetre."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    if name in ("wood", "dark wood"):
        light = np.array([60, 105, 160] if name == "wood" else [28, 38, 55], np.float32) * random.uniform(0.7, 1.3)
        grain = _noise(size, (per_mm * 60, per_mm * 1.5), random) + 0.5 * _noise(
            size, (per_mm * 20, per_mm * 0.7), random
        )
        return np.asarray(light * (1 + 0.22 * grain)[:, :, None], np.float32)
    if name == "white cloth":
        weave = _noise(size, (per_mm * 0.8, per_mm * 0.8), random)
        fold = _noise(size, (per_mm * 80, per_mm * 80), random)
        return np.asarray(
            np.array([222, 226, 228], np.float32) * (1 + 0.03 * weave + 0.05 * fold)[:, :, None], np.float32
        )
    if name in ("checks", "stripes"):
        wide = random.uniform(12, 45) * per_mm
        one = np.array([235, 236, 232], np.float32)
        two = random.uniform(20, 190, 3).astype(np.float32)
        share = ((x // wide) % 2 + ((y // wide) % 2 if name == "checks" else 0)) / (2 if name == "checks" else 1)
        cloth = one * (1 - share[:, :, None]) + two * share[:, :, None]
        return np.asarray(cloth * (1 + 0.04 * _noise(size, (per_mm, per_mm), random))[:, :, None], np.float32)
    if name == "flowers":
        base = np.broadcast_to(random.uniform(60, 235, 3).astype(np.float32), (height, width, 3)).copy()
        for _ in range(int(width * height / (60 * per_mm) ** 2) + 4):
            centre = (int(random.uniform(0, width)), int(random.uniform(0, height)))
            colour = tuple(float(v) for v in random.uniform(20, 245, 3))
            for petal in range(5):
                a = petal * 2 * np.pi / 5
                r = random.uniform(6, 12) * per_mm
                at = (int(centre[0] + r * np.cos(a)), int(centre[1] + r * np.sin(a)))
                cv2.circle(base, at, max(1, int(0.7 * r)), colour, -1)
            cv2.circle(base, centre, max(1, int(5 * per_mm)), (60.0, 200.0, 230.0), -1)
        return np.asarray(base, np.float32)
    if name == "stone":
        spots = _noise(size, (per_mm * 3, per_mm * 3), random) + _noise(size, (per_mm * 0.8, per_mm * 0.8), random)
        return np.asarray(random.uniform(50, 130, 3).astype(np.float32) * (1 + 0.2 * spots)[:, :, None], np.float32)
    flat = {
        "felt": random.uniform(0.6, 1.2) * np.array([60, 110, 20])
        if random.random() < 0.6
        else random.uniform(20, 120, 3),
        "black": np.array([24, 24, 26]),
        "laminate": random.uniform(150, 225, 3),
    }[name]
    rough = _noise(size, (per_mm, per_mm), random)
    return np.asarray(flat.astype(np.float32) * (1 + 0.06 * rough)[:, :, None], np.float32)


def _noise(size: tuple[int, int], scale: tuple[float, float], random: np.random.Generator) -> Plane:
    """Smooth noise of about unit spread whose features are `scale` (x, y) pixels large."""
    width, height = size
    columns, rows = max(2, int(width / max(1.0, scale[0]))), max(2, int(height / max(1.0, scale[1])))
    coarse = random.normal(0, 1, (min(rows, height), min(columns, width))).astype(np.float32)
    return np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC), np.float32)
