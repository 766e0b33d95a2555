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
MEAN_ROWS = 8  # one row in so many gives the picture's own tint
BANDS = 8  # looked at one after the other: most pictures show a colour in the first ones
LEAST_SPREAD = 10.0  # of 255, between a cell's channels once the picture's own tint is taken out


def is_colourless(image: NDArray[np.uint8]) -> bool:
    """Whether nowhere in a picture (H×W×3) the channels differ, but for one tint over all of it."""
    means = [max(1e-3, mean) for mean in cv2.mean(image[::MEAN_ROWS])[:3]]
    shares = [np.float32(sum(means) / 3 / mean) for mean in means]
    step = 2**HALVINGS * max(1, image.shape[0] // (BANDS * 2**HALVINGS))
    return not any(_spread(image[top : top + step], shares) >= LEAST_SPREAD for top in range(0, len(image), step))


def _spread(band: NDArray[np.uint8], shares: list[np.float32]) -> float:
    """The widest spread of a cell's channels, each made its share, in a band of a picture."""
    small = band
    for _ in range(HALVINGS):
        # Halving twice is many times as fast as shrinking to a quarter.
        height, width = small.shape[:2]
        size = (max(1, width // 2), max(1, height // 2))
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
    b, g, r = (np.asarray(c, np.float32) * share for c, share in zip(cv2.split(small), shares, strict=True))
    return float((cv2.max(cv2.max(b, g), r) - cv2.min(cv2.min(b, g), r)).max())


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
