"""Pictures without colour: a camera in night mode, a scan in grey.

Belongs here: telling that a picture has no colour, and what may still be said of its cards. Does not belong here:
telling colours apart (`colours`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import shape_and_colour
from referee.vision.cards import Sighting

HALVINGS = 2  # averaged over, so that noise is not taken for colour
LEAST_SPREAD = 10.0  # of 255, between a cell's channels once the picture's own tint is taken out


def is_colourless(image: NDArray[np.uint8]) -> bool:
    """Whether nowhere in a picture (H×W×3) the channels differ, but for one tint over all of it."""
    small = image
    for _ in range(HALVINGS):
        # Halving twice is many times as fast as shrinking to a quarter.
        height, width = small.shape[:2]
        size = (max(1, width // 2), max(1, height // 2))
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
    cells = [np.asarray(c, np.float32) for c in cv2.split(small)]
    means = [max(1e-3, float(cell.mean())) for cell in cells]
    b, g, r = (cell * np.float32(sum(means) / 3 / mean) for cell, mean in zip(cells, means, strict=True))
    spread = cv2.max(cv2.max(b, g), r) - cv2.min(cv2.min(b, g), r)
    return bool(spread.max() < LEAST_SPREAD)


def without_colour(sightings: list[Sighting], cards: Iterable[str]) -> list[Sighting]:
    """The sightings with every card that is known only up to its colour withheld, its candidates named."""
    colours: dict[str, list[str]] = {}
    for card in cards:
        shape, colour = shape_and_colour(card)
        if colour is not None:
            colours.setdefault(shape, []).append(card)
    return [_withheld(sighting, colours) for sighting in sightings]


def _withheld(sighting: Sighting, colours: dict[str, list[str]]) -> Sighting:
    shape, colour = shape_and_colour(sighting.card) if sighting.card != "?" else ("", None)
    rivals = colours.get(shape, [])
    if colour is None or len(rivals) < 2:
        return sighting
    others = tuple(card for card in rivals if card != sighting.card)
    confidence = sighting.confidence / len(rivals)
    return replace(sighting, card="?", confidence=confidence, candidates=(sighting.card, *others))
