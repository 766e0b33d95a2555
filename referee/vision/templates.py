"""What each card's print looks like: a deck's templates, from its one picture a card.

Written rules of this module:
- everything is worked out from ONE picture a card; nothing is learned and nothing is stored on disk;
- ink is how much darker than its own white a card is in its darkest channel (0 paper, 1 black): the print of
  every colour shows in it, so shapes are compared in it without their colour;
- in a `read = "symbol"` deck the cards of one shape share one template; in a `read = "face"` deck, and for
  cards that have no colour, every card is its own.
Does not belong here: camera pictures, prints at other sizes than their own (`prints`, `bank`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, picture, shape_and_colour
from referee.vision.levels import Image

BASE_PX = 200  # short side of the stored print
OUTLINE_INK = 0.25
FACE_UNIT = 220.0  # the stored level of paper white: highlights have room above it
ALIKE = 0.7  # least correlation of a turned print with itself
ALIKE_STEP_DEG = 3
SAME_SHAPE = 0.9  # least correlation of the prints of one shape in two colours


@dataclass(frozen=True)
class Template:
    """One print: the name of the shape (or card), the cards that carry it, and its ink (H×W, 0..1).

    `framed` says that its edge is printed, so that the print itself shows where the card ends.
    `alike_deg` are the angles about `middle_mm` at which the print looks much like itself while the card's
    edges do not.
    """

    name: str
    cards: tuple[str, ...]
    ink: Image
    alike_deg: tuple[float, ...] = ()
    middle_mm: tuple[float, float] = (0.0, 0.0)
    framed: bool = False


def faces_of(deck: Deck) -> dict[str, NDArray[np.uint8]]:
    """Each card's picture at `BASE_PX`, upright, its paper at `FACE_UNIT`; raises `DeckError` for a damaged one."""
    w, h = deck.card_mm
    scale = BASE_PX / min(w, h)
    size = (round(w * scale), round(h * scale))
    faces: dict[str, NDArray[np.uint8]] = {}
    for card in deck.cards:
        stored = picture(card)
        # A picture that lies on its side is turned upright; "upright or not" is all the format promises.
        if w != h and (stored.shape[1] > stored.shape[0]) != (w > h):
            stored = np.ascontiguousarray(np.rot90(stored))
        small = np.asarray(cv2.resize(stored, size, interpolation=cv2.INTER_AREA), np.float32)
        white = np.clip(small / white_of(small), 0, 255 / FACE_UNIT)
        faces[card.id] = np.asarray(np.rint(white * FACE_UNIT), np.uint8)
    return faces


def templates_of(deck: Deck, faces: dict[str, NDArray[np.uint8]], turns: tuple[int, ...]) -> tuple[Template, ...]:
    """The prints of a deck; `turns` are the quarter turns that leave the card's outline as it is."""
    return tuple(_with_alike(template, turns, deck.card_mm[0]) for template in _templates(deck, faces))


def turned_ink(ink: Image, angle_deg: float) -> Image:
    """A print as it looks when its card is turned by an angle about its centre (degrees, x towards y)."""
    if angle_deg % 90 == 0:
        return np.ascontiguousarray(np.rot90(ink, -round(angle_deg / 90)))
    rows, columns = ink.shape
    middle = ((columns - 1) / 2, (rows - 1) / 2)
    matrix = cv2.getRotationMatrix2D(middle, -angle_deg, 1.0)
    return np.asarray(cv2.warpAffine(ink, matrix, (columns, rows), borderMode=cv2.BORDER_REPLICATE), np.float32)


def white_of(image: Image) -> Image:
    """The paper's white of a picture of one card: per channel, what its lightest tenth averages; 3 values."""
    flat = image.reshape(-1, image.shape[-1])
    darkest = flat.min(1)
    light = flat[darkest >= np.quantile(darkest, 0.9)]
    return np.asarray(np.maximum(light.mean(0), 1.0), np.float32)


def ink_of(image: Image) -> Image:
    """Ink of a picture whose paper is 1 in every channel: 1 minus the darkest channel; H×W."""
    return np.asarray(1.0 - np.clip(image.min(-1), 0.0, 1.0), np.float32)


def _templates(deck: Deck, faces: dict[str, NDArray[np.uint8]]) -> tuple[Template, ...]:
    inks = {name: ink_of(face.astype(np.float32) / FACE_UNIT) for name, face in faces.items()}
    groups: dict[str, list[str]] = {}
    for card in deck.cards:
        shape, colour = shape_and_colour(card.id)
        own = deck.read == "face" or colour is None or shape == "arrow"
        groups.setdefault(card.id if own else shape, []).append(card.id)
    templates: list[Template] = []
    for name, cards in groups.items():
        for i, like in enumerate(_alike([inks[c] for c in cards])):
            mean = np.mean([inks[cards[k]] for k in like], axis=0).astype(np.float32)
            templates.append(Template(name if i == 0 else f"{name} ({i + 1})", tuple(cards[k] for k in like), mean))
    return _joined(templates)


def _joined(templates: list[Template]) -> tuple[Template, ...]:
    """Prints whose outlines are one and the same become one template: only colour tells their cards."""
    result: list[Template] = []
    for template in templates:
        for i, other in enumerate(result):
            if _within(template.ink, other.ink) and _within(other.ink, template.ink):
                result[i] = Template(
                    other.name,
                    other.cards + template.cards,
                    np.asarray((other.ink + template.ink) / 2, np.float32),
                )
                break
        else:
            result.append(template)
    return tuple(result)


def _within(inner: Image, outer: Image) -> bool:
    """Whether one outline nowhere leaves another by more than a pixel of the stored print."""
    wide = cv2.dilate((outer > OUTLINE_INK).astype(np.uint8), np.ones((3, 3), np.uint8))
    return not bool(((inner > OUTLINE_INK) & (wide == 0)).any())


def _alike(inks: list[Image]) -> list[list[int]]:
    """Which prints of one shape are the same drawing: groups of places in the list."""
    groups: list[list[int]] = []
    for i, ink in enumerate(inks):
        for group in groups:
            if _correlation(inks[group[0]], ink) >= SAME_SHAPE:
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


def _correlation(a: Image, b: Image) -> float:
    """The correlation of two prints; a card without any print is like none."""
    a, b = a - a.mean(), b - b.mean()
    below = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float((a * b).sum()) / below if below > 1e-6 else 0.0


def _with_alike(template: Template, turns: tuple[int, ...], width_mm: float) -> Template:
    """The template with the angles at which it looks like itself."""
    ink = template.ink
    height, width = ink.shape
    weight = np.where(ink > OUTLINE_INK, ink, 0.0)
    total = max(1e-6, float(weight.sum()))
    x = float((weight.sum(0) * np.arange(width)).sum()) / total
    y = float((weight.sum(1) * np.arange(height)).sum()) / total
    mm = width_mm / width
    angles = _alike_deg(ink, (x, y), turns)
    middle = ((x - (width - 1) / 2) * mm, (y - (height - 1) / 2) * mm)
    rim = max(2, round(0.03 * min(width, height)))
    edge = np.concatenate([ink[:rim].ravel(), ink[-rim:].ravel(), ink[:, :rim].ravel(), ink[:, -rim:].ravel()])
    framed = float((edge > OUTLINE_INK).mean()) > 0.5
    return replace(template, alike_deg=angles, middle_mm=middle, framed=framed)


def _alike_deg(ink: Image, middle: tuple[float, float], turns: tuple[int, ...]) -> tuple[float, ...]:
    """Angles at which a print correlates with itself about its middle, but for the card's own turns."""
    height, width = ink.shape
    small = 64
    s = min(width, height) / small
    own = 360.0 / len(turns)
    r = np.arange(small) - (small - 1) / 2
    disc = r[:, None] ** 2 + r[None, :] ** 2 <= (small / 2) ** 2
    blurred = cv2.GaussianBlur(ink, (0, 0), s)
    rows = []
    for angle in range(0, 360, ALIKE_STEP_DEG):
        a = np.deg2rad(angle)
        m = s * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        shift = np.array(middle) - m @ np.array([(small - 1) / 2] * 2)
        patch = cv2.warpAffine(
            blurred,
            np.column_stack([m, shift]),
            (small, small),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )[disc]
        rows.append((patch - patch.mean()) / max(1e-6, float(np.linalg.norm(patch - patch.mean()))))
    like = np.stack(rows) @ rows[0]
    peaks = (like >= ALIKE) & (like >= np.roll(like, 1)) & (like >= np.roll(like, -1))
    angles = np.flatnonzero(peaks) * float(ALIKE_STEP_DEG)
    off = np.abs((angles + own / 2) % own - own / 2)
    centred = np.hypot(middle[0] - (width - 1) / 2, middle[1] - (height - 1) / 2) < 0.02 * min(width, height)
    return tuple(float(a) for a in angles if a and (not centred or off[angles == a][0] > 8))
