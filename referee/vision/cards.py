"""Cards in a picture: where they lie, which they are, how sure that is.

Written rules of this module:
- `?` and never a guess: an id is given only above `SURE`, and only when its print really fits what is seen;
- the scale comes from the table's view if there is one, else from the cards themselves;
- a place is read once: where two readings overlap, the card that is seen more wholly lies on top.
Does not belong here: how prints are compared (`symbols`), zones, games.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.coarse import Guess, light_places, search
from referee.vision.geometry import Array, overlap, quad_of, side_px
from referee.vision.symbols import Look, look
from referee.vision.table import TableView
from referee.vision.templates import COARSE_PX, Image, Prints

SURE = 0.99
LEAST_LIKENESS = 0.5
LEAST_AGREEMENT = 0.93
CARD_AGREEMENT = 0.85
LEAST_SEEN = 0.58  # of the face, for an id
WEAK_SEEN = 0.2  # for a `?`
MANY_WEAK = 8  # more of them in one picture are a pattern and no cards


@dataclass(frozen=True)
class Sighting:
    """A card seen in one picture: its id or `?`, its corners (4×2 px), and what else it may be.

    `confidence` is that of `card`, or of the likeliest candidate where `card` is `?`.
    """

    card: str
    quad: Array
    confidence: float
    runner_up: str | None
    candidates: tuple[str, ...]
    look: Look


def read_cards(image: NDArray[np.uint8], prints: Prints, view: TableView) -> list[Sighting]:
    """Every face-up card in a picture (H×W×3, BGR)."""
    height, width = image.shape[:2]
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    short = min(prints.deck.card_mm)
    side = float(np.sqrt(abs(np.linalg.det(view.local(middle))))) * short
    scale = COARSE_PX / side
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    dark = small.min(2)
    field: Image = np.asarray(1.0 - image.min(2) * np.float32(1 / 255), np.float32)
    ink: Image = np.asarray(1.0 - dark * np.float32(1 / 255), np.float32)
    shrink = np.array([[scale, 0, scale / 2 - 0.5], [0, scale, scale / 2 - 0.5], [0, 0, 1.0]])
    guesses: list[tuple[Guess, Array]] = []
    for place in light_places(dark):
        centre = (place + 0.5) / scale - 0.5
        frame = np.eye(3)
        frame[:2, :2] = view.local(centre)
        frame[:2, 2] = centre
        guess = search(ink, prints, shrink @ frame)
        if guess is not None and guess.likeness >= LEAST_LIKENESS:
            guesses.append((guess, frame))
    looks = []
    for guess, frame in _apart(guesses, prints):
        pose = guess.pose(frame, 0)
        found = look(field, image, prints, guess, frame, side_px(pose, prints.deck.card_mm))
        if found is not None:
            looks.append(found)
    seen = [s for s in (sighting(found, prints) for found in _topmost(looks, prints)) if s is not None]
    weak = sum(s.look.seen < LEAST_SEEN for s in seen)
    return [s for s in seen if weak <= MANY_WEAK or s.look.seen >= LEAST_SEEN]


def _apart(guesses: list[tuple[Guess, Array]], prints: Prints) -> list[tuple[Guess, Array]]:
    """The likeliest guess of each place: no two closer than half a card."""
    kept: list[tuple[Guess, Array, Array]] = []
    for guess, frame in sorted(guesses, key=lambda g: -g[0].likeness):
        pose = guess.pose(frame, 0)
        centre = pose[:2, 2] / pose[2, 2]
        reach = 0.45 * side_px(pose, prints.deck.card_mm)
        if all(np.linalg.norm(centre - other) > reach for _, _, other in kept):
            kept.append((guess, frame, centre))
    return [(guess, frame) for guess, frame, _ in kept]


def _topmost(looks: list[Look], prints: Prints) -> list[Look]:
    kept: list[tuple[Look, Array]] = []
    for found in sorted(looks, key=lambda f: -f.seen * max(0.0, f.agreement)):
        quad = quad_of(found.pose, prints.deck.card_mm)
        if all(overlap(quad, other) < 0.3 for _, other in kept):
            kept.append((found, quad))
    return [found for found, _ in kept]


def sighting(found: Look, prints: Prints) -> Sighting | None:
    """What may be said of one look; None when it is no card."""
    if found.agreement < CARD_AGREEMENT or found.seen < WEAK_SEEN:
        return None
    weights = np.exp([r.nats * 2 for r in found.ranking])
    confidence = float(weights[0] / weights.sum())
    fits = found.agreement >= LEAST_AGREEMENT and found.seen >= LEAST_SEEN
    sure = fits and confidence >= SURE
    top = found.ranking[0].card
    runner_up = found.ranking[1].card if len(found.ranking) > 1 else None
    likely = tuple(r.card for r, w in zip(found.ranking, weights, strict=True) if w > 0.02)[:6]
    quad = quad_of(found.pose, prints.deck.card_mm)
    return Sighting(top if sure else "?", quad, confidence, runner_up, () if sure else likely, found)
