"""The empty table under a simulated camera: table top, printed mat or loose markers, light; painted once.

Belongs here: everything that never moves. Does not belong here: cards and people.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.light import Light, draw_light
from referee.sim.optics import Array, Optics, draw_optics
from referee.sim.patches import Picture, Print, blend, warp
from referee.sim.places import Places
from referee.sim.surfaces import surface

MARKER_MM = 40.0
MARKER_IDS = (0, 1, 2, 3)
MATS = ("printed", "loose", "none")
TABLE_SHINE = 0.12  # a table top mirrors a lamp less than a card does
WHITE = 0.94  # how much of the light white paper gives back


@dataclass(frozen=True)
class Scenery:
    """A camera, its light, its blur in pixels and the picture of the empty table; `mat` is one of `MATS`."""

    optics: Optics
    light: Light
    surface: str
    mat: str
    blur_px: float
    empty: Picture

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return self.optics.size


def draw_scenery(
    places: Places, size: tuple[int, int], light: str, top: str, mat: str, random: np.random.Generator
) -> Scenery:
    """The empty table of one game."""
    optics = draw_optics(size, places.half_mm, random)
    lit = draw_light(light, size, random)
    blur = float(random.uniform(0.35, 0.7)) * size[0] / 960
    canvas = _table_top(optics, top, places, mat, random)
    picture = np.clip(canvas, 0, 255).astype(np.uint8)
    if mat != "none":
        for place, marker in zip(places.markers, MARKER_IDS, strict=True):
            _lay_marker(picture, optics, marker, place)
    shine = (TABLE_SHINE * lit.shine)[:, :, None]
    whole = cv2.GaussianBlur(picture.astype(np.float32) * lit.gain + shine, (0, 0), blur)
    return Scenery(optics, lit, top, mat, blur, np.clip(whole + 0.5, 0, 255).astype(np.uint8))


def _table_top(optics: Optics, top: str, places: Places, mat: str, random: np.random.Generator) -> NDArray[np.float32]:
    """The table top under each pixel, H×W×3, unlit; painted in millimetres and seen through the lens."""
    seen = optics.table_of_pixels()
    scale = 1.25 * optics.per_mm()
    low = seen.reshape(-1, 2).min(0) - 5
    size = tuple(int(v) for v in np.ceil((seen.reshape(-1, 2).max(0) + 5 - low) * scale))
    top_view = surface(top, (size[0], size[1]), scale, random)
    if mat == "printed":
        _print_mat(top_view, low, scale, places, random)
    grid = ((seen - low.astype(np.float32)) * np.float32(scale)).astype(np.float32)
    out = cv2.remap(top_view, grid[:, :, 0], grid[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(out, np.float32)


def _print_mat(
    canvas: NDArray[np.float32], low: Array, scale: float, places: Places, random: np.random.Generator
) -> None:
    """A mat under the markers, with the outlines of the places where cards are laid."""

    def at(x: float, y: float) -> tuple[int, int]:
        return round((x - low[0]) * scale * 16), round((y - low[1]) * scale * 16)

    x, y = (max(abs(m[i]) for m in places.markers) + 34 for i in (0, 1))
    ground = random.uniform(30, 120) + random.normal(0, 12, 3)
    line = tuple(float(v) for v in np.clip(ground + random.choice([-28, 55]), 0, 255))
    cv2.rectangle(canvas, at(-x, -y), at(x, y), tuple(float(v) for v in ground), -1, cv2.LINE_AA, 4)
    thick = max(1, round(1.2 * scale))
    cv2.rectangle(canvas, at(-x + 4, -y + 4), at(x - 4, y - 4), line, thick, cv2.LINE_AA, 4)
    cv2.circle(canvas, at(0, 0), round(24 * scale * 16), line, thick, cv2.LINE_AA, 4)
    for left, top, right, bottom in places.printed:
        if max(-left, right) < x and max(-top, bottom) < y:
            cv2.rectangle(canvas, at(left, top), at(right, bottom), line, thick, cv2.LINE_AA, 4)


def _lay_marker(picture: Picture, optics: Optics, marker: int, place: tuple[float, float]) -> None:
    """One marker with its white margin, sharp enough for its corners to be exact."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    cell = 30
    sheet = np.full((8 * cell, 8 * cell), 236, np.uint8)
    sheet[cell:-cell, cell:-cell] = np.where(cv2.aruco.generateImageMarker(dictionary, marker, 6 * cell) > 127, 236, 22)
    half = MARKER_MM * 8 / 6 / 2
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) + place
    thing = Print(np.repeat(sheet[:, :, None], 3, 2), np.full(sheet.shape, 255, np.uint8))
    patch = warp(thing, optics.pixels(square), optics.size, 6, 0.0)
    if patch is not None:
        blend(picture, patch)


def back_print(side: int = 240) -> Picture:
    """The back of the cards: rings on a dark field in a light frame; like no card's front."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) / side - 0.5
    ring = 0.5 + 0.5 * np.sin(np.hypot(x, y) * 2 * np.pi * 14)
    field = np.array([112, 62, 46], np.float32) * (0.75 + 0.35 * ring[:, :, None])
    frame = (np.maximum(np.abs(x), np.abs(y)) > 0.45)[:, :, None]
    return np.asarray(np.where(frame, (214, 222, 228), field), np.uint8)
