"""Photographs of one card on a table, rendered: what a finder and an enrolment are tried on."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
TABLES = ("dark wood", "pale cloth", "green felt", "checked cloth")


def table(kind: str, width: int, height: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """An empty table, BGR, 0 to 1."""
    grain = cv2.GaussianBlur(rng.standard_normal((height, width), np.float32), (0, 0), 1.0)
    match kind:
        case "dark wood":
            rings = cv2.GaussianBlur(rng.standard_normal((height, width), np.float32), (0, 0), sigmaX=60, sigmaY=2)
            shade = 1 + 2.5 * rings + 0.05 * grain
            colour = (0.13, 0.22, 0.36)
        case "pale cloth":
            shade, colour = 1 + 0.06 * grain, (0.66, 0.70, 0.72)
        case "green felt":
            shade, colour = 1 + 0.15 * grain, (0.22, 0.38, 0.16)
        case _:
            rows, columns = np.mgrid[0:height, 0:width]
            shade = np.where((rows // 45 + columns // 45) % 2 == 0, 1.0, 0.55) + 0.05 * grain
            colour = (0.25, 0.25, 0.60)
    return np.clip(shade.astype(np.float32)[:, :, None] * np.array(colour, np.float32), 0, 1)


def photograph(
    card: Picture,
    card_mm: tuple[float, float],
    rng: np.random.Generator,
    kind: str = "dark wood",
    short_px: float = 300.0,
    turn_deg: float = 10.0,
    blur_px: float = 0.6,
    lamp: tuple[float, float, float] = (0.80, 0.90, 0.95),
    glare_mm: float = 0.0,
    at: tuple[float, float] = (0.5, 0.5),
) -> tuple[Picture, NDArray[np.float64]]:
    """A photograph (BGR, 1280×960) of one card, and its corners clockwise from its own top left."""
    width, height = 1280, 960
    scene = table(kind, width, height, rng)
    scale = short_px / min(card_mm)
    half = np.array(card_mm) * scale / 2
    turn = np.radians(turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ rotation.T
    corners += np.array(at) * (width, height) + rng.normal(0, 0.01 * short_px, (4, 2))
    source = np.array([[0, 0], [card.shape[1], 0], [card.shape[1], card.shape[0]], [0, card.shape[0]]]) - 0.5
    matrix = cv2.getPerspectiveTransform(source.astype(np.float32), corners.astype(np.float32))
    inside = _rounded(card.shape[:2], 3.0 * card.shape[1] / card_mm[0])
    shrink = card.shape[1] / (card_mm[0] * scale)
    smooth = cv2.GaussianBlur(card, (0, 0), max(0.3, 0.45 * shrink)).astype(np.float32) / 255
    face = cv2.warpPerspective(smooth, matrix, (width, height), flags=cv2.INTER_LINEAR)
    cover = cv2.warpPerspective(inside, matrix, (width, height), flags=cv2.INTER_LINEAR)[:, :, None]
    shadow = cv2.GaussianBlur(cover[:, :, 0], (0, 0), 4)[:, :, None]
    lit = (scene * (1 - 0.35 * shadow) * (1 - cover) + face * cover) * np.array(lamp, np.float32)
    if glare_mm:
        middle = corners.mean(axis=0) + 0.15 * short_px
        rows, columns = np.mgrid[0:height, 0:width]
        spot = np.hypot(columns - middle[0], rows - middle[1]) < glare_mm * scale / 2
        lit += cv2.GaussianBlur(spot.astype(np.float32), (0, 0), 3)[:, :, None]
    blurred = cv2.GaussianBlur(lit, (0, 0), blur_px) if blur_px else lit
    noisy = np.clip(blurred + np.float32(0.012) * rng.standard_normal(blurred.shape, np.float32), 0, 1)
    return np.rint(255 * noisy).astype(np.uint8), corners


def _rounded(shape: tuple[int, int], radius: float) -> NDArray[np.float32]:
    mask = np.zeros(shape, np.float32)
    height, width = shape
    r = round(radius)
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 1.0, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 1.0, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 1.0, -1)
    return mask
