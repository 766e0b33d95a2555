"""What a card looks like to whoever compares cards: its ink as a map, its colour, at any size.

Belongs here: turning a deck's pictures into comparable maps. In a `symbol` deck a map is how much ink lies in
each place, whatever its colour; in a `face` deck it is the colour of each place.
Does not belong here: distances between cards (`near`), and reading cards off a table (vision's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.colours import Lab
from referee.deck.folder import Deck, picture

# Pictures are first brought to this many pixels on the shorter side; smaller sizes are made from that.
BASE_PX = 240
# Colours this far apart (CIE76) are as different as two places of a card can be for our purpose.
_FULL_DIFFERENCE = 40.0
# What is nearer to the paper than this is paper: shadows, JPEG, a warm lamp.
_PAPER_SPREAD = 12.0

Map = NDArray[np.float32]


@dataclass(frozen=True)
class Look:
    """One card's map (H×W×channels, 0 to 1, shorter side `BASE_PX`) and the middle colour of its ink."""

    card: str
    map: Map
    ink: Lab


def looks(deck: Deck) -> list[Look]:
    """Every card of a deck as it looks; raises `DeckError` for a picture that cannot be decoded."""
    return [look_of(card.id, picture(card), deck.card_mm, deck.read) for card in deck.cards]


def face_look(deck: Deck, card_id: str) -> Look:
    """A card's look with its colours, whatever the deck is read by; raises `DeckError`."""
    return look_of(card_id, picture(deck.card(card_id)), deck.card_mm, "face")


def look_of(
    card_id: str, pixels: NDArray[np.uint8], card_mm: tuple[float, float], read: Literal["symbol", "face"]
) -> Look:
    """A card's look from its picture (BGR); a picture that lies on its side is turned upright."""
    width, height = card_mm
    if width != height and (pixels.shape[1] > pixels.shape[0]) != (width > height):
        pixels = np.ascontiguousarray(np.rot90(pixels))
    scale = BASE_PX / min(width, height)
    seen = _resized(pixels.astype(np.float32) / 255.0, round(width * scale), round(height * scale))
    colours = _lab_map(_white_balanced(seen))
    paper = _paper(colours)
    ink = _ink(colours, paper)
    if read == "face":
        return Look(card_id, (colours / _FULL_DIFFERENCE).astype(np.float32), _as_lab(ink))
    distance = np.sqrt(np.square(colours - paper).sum(axis=2))
    full = max(float(np.sqrt(np.square(ink - paper).sum())), _PAPER_SPREAD)
    mask = np.clip(distance / (0.9 * full), 0.0, 1.0)
    return Look(card_id, mask[:, :, None].astype(np.float32), _as_lab(ink))


def at_size(look: Map, short_side_px: int) -> Map:
    """The map as a camera sees it that shows the card's shorter side in so many pixels."""
    scale = short_side_px / min(look.shape[:2])
    return _resized(look, round(look.shape[1] * scale), round(look.shape[0] * scale))


def _resized(image: Map, width: int, height: int) -> Map:
    shrinks = width <= image.shape[1]
    out = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(out, np.float32).reshape(height, width, -1)


def _lab_map(bgr: Map) -> Map:
    return np.asarray(cv2.cvtColor(np.clip(bgr, 0, 1), cv2.COLOR_BGR2Lab), np.float32)


def _white_balanced(bgr: Map) -> Map:
    """The picture under a light in which its paper is white: a lamp's colour is the same on paper and ink."""
    flat, box, counts = _boxes(_lab_map(bgr))
    common = np.flatnonzero(counts >= 0.05 * len(flat))
    if not common.size:
        return bgr
    paper = np.median(bgr.reshape(-1, 3)[box == common[-1]], axis=0)
    # A dark ground is a dark ground, and no white paper in the dark.
    return np.asarray(bgr / paper, np.float32) if paper.min() > 0.3 else bgr


def _boxes(colours: Map) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Every pixel's colour, the box of colours it falls in, and how full each box is.

    Boxes are 8 wide and numbered with the lightness first: a higher number is a lighter box.
    """
    flat = colours.reshape(-1, 3)
    step = np.round(flat / 8.0).astype(np.int64) + 32
    box = (step[:, 0] * 64 + step[:, 1]) * 64 + step[:, 2]
    return flat, box, np.bincount(box)


def _paper(colours: Map) -> NDArray[np.float64]:
    """The paper's colour: the lightest colour that covers at least a twentieth of the card."""
    flat, box, counts = _boxes(colours)
    common = np.flatnonzero(counts >= 0.05 * len(flat))
    lightest = common[-1] if common.size else np.argmax(counts)
    return np.asarray(np.median(flat[box == lightest], axis=0), np.float64)


def _ink(colours: Map, paper: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ink's colour: the most vivid one that covers a hundredth of the card, or else the most common one.

    Vivid first, because many decks draw black outlines and frames around what is coloured.
    """
    flat, box, _ = _boxes(colours)
    inked = np.sqrt(np.square(flat - paper).sum(axis=1)) > _PAPER_SPREAD
    if not inked.any():
        return paper
    flat, box = flat[inked], box[inked]
    counts = np.bincount(box)
    common = np.flatnonzero(counts >= min(0.01 * len(inked), counts.max()))
    middles = np.array([np.median(flat[box == kind], axis=0) for kind in common], np.float64)
    chroma = np.hypot(middles[:, 1] - paper[1], middles[:, 2] - paper[2])
    if chroma.max() > _PAPER_SPREAD:
        return np.asarray(middles[np.argmax(chroma)], np.float64)
    return np.asarray(middles[np.argmax(counts[common])], np.float64)


def _as_lab(values: NDArray[np.float64]) -> Lab:
    return float(values[0]), float(values[1]), float(values[2])
