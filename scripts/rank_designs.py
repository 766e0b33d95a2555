"""Decks that never were: one design is one random deck.

Belongs here: what all cards of a deck have in common (letters, suit signs, margins, inks, places of pips), and printing
a mask on a face. Does not belong here: what is printed on one card (`rank_cards`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from rank_signs import drawn, fonts_of, glyph, suit_mask

Picture = NDArray[np.float32]

PER_MM = 4.0
WIDTH, HEIGHT = round(63 * PER_MM), round(88 * PER_MM)


@dataclass(frozen=True)
class Design:
    """One random deck: where its letters and signs come from, how large and where they stand (mm), its colours."""

    font: str | None
    bend: NDArray[np.float64]
    weight: int
    suit_font: str | None
    suit_shape: NDArray[np.float64]
    index_mm: float
    squeeze: float
    thicken: int
    margin_mm: tuple[float, float]
    sign_share: float
    sign_gap_mm: float
    sign_beside: bool
    inks: dict[str, tuple[float, float, float]]
    paper: tuple[float, float, float]
    four_corners: bool
    rim: float
    pip_mm: float
    pip_column_mm: float
    pip_row_mm: float
    turned_below: bool


def colour(random: np.random.Generator, kind: str) -> tuple[float, float, float]:
    """An ink (B, G, R; 0..1)."""
    u = random.random
    if kind == "red":
        return (0.05 + 0.25 * u(), 0.02 + 0.22 * u(), 0.6 + 0.4 * u())
    if kind == "black":
        v = 0.02 + 0.18 * u()
        return (v + 0.06 * u(), v, v)
    hue = np.uint8([[[int(180 * u()), int(110 + 145 * u()), int(50 + 170 * u())]]])
    b, g, r = cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0] / 255.0
    return (float(b), float(g), float(r))


def design_of(random: np.random.Generator, split: str) -> Design:
    """A random deck of a split."""
    fonts = fonts_of(split)
    font = str(random.choice(fonts)) if random.random() < 0.88 else None
    suit_font = str(random.choice(fonts)) if random.random() < 0.35 else None
    large = random.random()
    index = (
        random.uniform(4.8, 8.5)
        if large < 0.62
        else random.uniform(8.5, 12.5)
        if large < 0.87
        else random.uniform(12.5, 19)
    )
    red, black = colour(random, "red"), colour(random, "black")
    inks = {"S": black, "C": black, "H": red, "D": red}
    if random.random() < 0.1:
        inks = inks | {"D": colour(random, "any"), "C": colour(random, "any")}
    tone = random.uniform(0.86, 1.0)
    return Design(
        font=font,
        bend=random.uniform(-7, 7, (2, 2)),
        weight=int(random.integers(7, 24)),
        suit_font=suit_font,
        suit_shape=random.random(4),
        index_mm=index,
        squeeze=float(random.uniform(0.5, 1.15)),
        thicken=int(random.integers(-2, 4)),
        margin_mm=(random.uniform(1.3, 4.5), random.uniform(1.6, 5.5)),
        sign_share=random.uniform(0.55, 1.05),
        sign_gap_mm=random.uniform(0.4, 2.5),
        sign_beside=random.random() < 0.06,
        inks=inks,
        paper=(tone * random.uniform(0.88, 1.0), tone * random.uniform(0.95, 1.0), tone),
        four_corners=random.random() < 0.12,
        rim=random.uniform(0, 1),
        pip_mm=random.uniform(8, 16.5),
        pip_column_mm=random.uniform(8.5, 16),
        pip_row_mm=random.uniform(22, 33),
        turned_below=random.random() < 0.92,
    )


def letters(design: Design, words: str) -> NDArray[np.uint8] | None:
    mask = drawn(words, design.bend, design.weight) if design.font is None else glyph(design.font, words)
    if mask is None:
        return None
    if design.thicken:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(design.thicken) + 1,) * 2)
        padded = np.pad(mask, 8)
        changed = cv2.dilate(padded, kernel) if design.thicken > 0 else cv2.erode(padded, kernel)
        # What erodes away was a thin letter: it stays as it was.
        if changed.astype(np.float32).sum() > 0.5 * padded.astype(np.float32).sum():
            mask = np.asarray(changed, np.uint8)
            ys, xs = np.nonzero(mask > 40)
            mask = mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    return mask


def sign(design: Design, suit: str) -> NDArray[np.uint8]:
    """The design's sign of a suit."""
    if design.suit_font is not None:
        mask = glyph(design.suit_font, {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}[suit])
        if mask is not None:
            return mask
    return suit_mask(suit, design.suit_shape)


def put(
    canvas: Picture,
    mask: NDArray[np.uint8],
    middle_mm: tuple[float, float],
    size_mm: tuple[float, float],
    ink: tuple[float, float, float],
) -> None:
    """Print a mask on a face; places and sizes in mm from the top left."""
    w, h = (max(2, round(v * PER_MM)) for v in size_mm)
    small = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    x, y = round(middle_mm[0] * PER_MM - w / 2), round(middle_mm[1] * PER_MM - h / 2)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, canvas.shape[1]), min(y + h, canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    cover = small[y0 - y : y1 - y, x0 - x : x1 - x, None]
    part = canvas[y0:y1, x0:x1]
    part[:] = part * (1 - cover) + np.array(ink, np.float32) * cover
