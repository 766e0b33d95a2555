"""Where cards may lie: the guesses that are looked at closely.

Written rules of this module:
- a guess may be wrong and costs time; a card without a guess is lost;
- with a known scale places come from light and dark regions, without one from quads;
- no place is looked at twice.
Does not belong here: which card it is, whether it is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from referee.vision.bank import COARSE_PX
from referee.vision.coarse import REACH_PX, Guess, light_places, search, sketch
from referee.vision.geometry import Array, Circle, corners_mm, first_of_each, homography, side_px
from referee.vision.prints import Prints
from referee.vision.pyramid import Pyramid, Shade

LEAST_LIKENESS = 0.5
LEAST_SKETCHED, SURE_SKETCH = 0.45, 0.75
NEAR_PX = 2  # coarse pixels searched about a sketch's place
SAME_PX = 3  # coarse pixels: sketches nearer than that are of one thing
SMALLEST_SIDE_PX = 12
MOST_PLACES = 100  # looked at closely in one picture
CLEAR_LIKENESS, CLEAR_REACH = 0.93, 0.2  # a print found so clearly leaves no other within that share of a side
INSIDE_MARKER = 0.6  # of half a marker's diagonal: what starts there is the marker

Placed = tuple[Guess, Array]  # a guess and the frame in which it was made
Scale = Callable[[Array], Array]  # for pixels (N×2), how pixels move with millimetres there (N×2×2)


def coarse_layer(pyramid: Pyramid, card_mm: tuple[float, float], local: Scale) -> Shade | None:
    """The picture in which a card's short side is `COARSE_PX` in the middle; None when cards are too small."""
    height, width = pyramid.image.shape[:2]
    middle = np.array([[(width - 1) / 2, (height - 1) / 2]])
    side = float(np.sqrt(abs(np.linalg.det(local(middle)[0])))) * min(card_mm)
    return pyramid.shade(min(1.0, COARSE_PX / side)) if side >= SMALLEST_SIDE_PX else None


def guesses_on_table(
    pyramid: Pyramid, prints: Prints, local: Scale, layer: Shade, markers: Sequence[Circle] = ()
) -> list[Placed]:
    """The guesses of a table whose scale is known, from its `coarse_layer`; `markers` are the circles about those that
    lie on it."""
    scale = layer.shrink[0, 0]
    centres = _off_markers((light_places(layer.dark) + 0.5) / scale - 0.5, markers)
    frames = np.tile(np.eye(3), (len(centres), 1, 1))
    if len(centres):
        frames[:, :2, :2] = local(centres)
        frames[:, :2, 2] = centres
    guesses: list[Placed] = []
    clear: list[Circle] = []  # where a print was found clearly, and how far it leaves no other
    for frame, reach in _sketched(pyramid.shade(scale / 2), prints, frames):
        x, y = frame[:2, 2].tolist()
        if any(math.hypot(x - clear_x, y - clear_y) < near for clear_x, clear_y, near in clear):
            continue
        guess = search(layer.ink, prints, layer.shrink @ frame, reach)
        if guess is None or guess.likeness < LEAST_LIKENESS:
            continue
        guesses.append((guess, frame))
        if guess.likeness >= CLEAR_LIKENESS:
            pose = guess.pose(frame, 0)
            x, y = (pose[:2, 2] / pose[2, 2]).tolist()
            clear.append((x, y, CLEAR_REACH * side_px(pose, prints.deck.card_mm)))
    return guesses


def _off_markers(points: Array, markers: Sequence[Circle]) -> Array:
    """The points (N×2 px) that lie in no marker: a mat's markers are light and have dark print on them."""
    for x, y, near in markers:
        points = points[np.hypot(points[:, 0] - x, points[:, 1] - y) >= INSIDE_MARKER * near]
    return points


def _sketched(layer: Shade, prints: Prints, frames: Array) -> list[tuple[Array, int]]:
    """The frames worth a search, each place once, and how far (coarse pixels) it has to go.

    Where a rough sketch of a print fits well the frame is moved there.
    """
    if not len(frames):
        return []
    offsets, likeness = sketch(layer.ink, prints, layer.shrink @ frames)
    sure = likeness >= SURE_SKETCH
    moved = frames.copy()
    moved[:, :2, 2] += (frames[:, :2, :2] @ offsets[:, :, None])[:, :, 0] * sure[:, None]
    order = np.argsort(-likeness)
    order = order[likeness[order] >= LEAST_SKETCHED]
    scale = np.sqrt(np.abs(np.linalg.det(moved[:, :2, :2])))
    cells = np.round(moved[:, :2, 2] / (scale[:, None] * SAME_PX * prints.coarse_mm)).astype(np.int64)
    return [(moved[i], NEAR_PX if sure[i] else REACH_PX) for i in order[first_of_each(cells[order])]]


def guesses_from_quads(pyramid: Pyramid, prints: Prints, quads: list[Array]) -> list[Placed]:
    """The guesses of a picture whose scale is not known: what four straight sides enclose."""
    width, height = prints.deck.card_mm
    guesses: list[Placed] = []
    for quad in quads:
        sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
        lying = float(sides[[0, 2]].mean() / sides[[1, 3]].mean())
        ways = [0] if width == height else [0, 1] if 0.8 < lying < 1.25 else [int((lying > 1) != (width > height))]
        for way in ways:
            frame = homography(corners_mm(prints.deck.card_mm), np.roll(quad, -way, 0))
            layer = pyramid.for_side(side_px(frame, prints.deck.card_mm), 2 * COARSE_PX)
            guess = search(layer.ink, prints, layer.shrink @ frame, reach=2, upright=True)
            if guess is not None and guess.likeness >= LEAST_LIKENESS:
                guesses.append((guess, frame))
    return guesses


def apart(guesses: list[Placed], prints: Prints, most: int = MOST_PLACES) -> list[tuple[Guess, Array, float]]:
    """The likeliest guess of each place, at most so many: no two closer than half a card; with the card's side (px)."""
    kept: list[tuple[Guess, Array, float, tuple[float, float]]] = []
    for guess, frame in sorted(guesses, key=lambda g: -g[0].likeness):
        pose = guess.pose(frame, 0)
        x, y = (pose[:2, 2] / pose[2, 2]).tolist()
        side = side_px(pose, prints.deck.card_mm)
        reach = 0.45 * side
        if all(math.hypot(x - other_x, y - other_y) > reach for _, _, _, (other_x, other_y) in kept):
            kept.append((guess, frame, side, (x, y)))
    return [(guess, frame, side) for guess, frame, side, _ in kept[:most]]
