"""A deck as the reader needs it: its prints at every size, blur and turn at which they are compared.

Written rules of this module:
- what depends on the deck alone is made once: a little when the reader starts, the rest when first asked for;
- what is kept has a bound in bytes; what was made longest ago goes first.
Does not belong here: camera pictures, how prints are drawn (`templates`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck
from referee.vision.bank import COARSE_PX, Bank, alike_turned, askew, banks_of, upright
from referee.vision.levels import LEVELS_PX, Image, Level, level_of
from referee.vision.templates import FACE_UNIT, Template, faces_of, templates_of

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made", bound=NDArray[Any] | tuple[NDArray[Any], ...])

MEGABYTE = 1_000_000
MOST_BYTES, MOST_DESIGN_BYTES = 12 * MEGABYTE, 96 * MEGABYTE


class Kept(Generic[Key, Made]):
    """What was made for each key, as far as there is room for it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """An empty store of at most so many bytes."""
        self._made: dict[Key, Made] = {}
        self._room = most_bytes

    def get(self, key: Key, make: Callable[[], Made]) -> Made:
        """What is kept under a key, made when it is not there."""
        known = self._made.get(key)
        if known is None:
            known = make()
            self._room -= _bytes(known)
            while self._room < 0 and self._made:
                self._room += _bytes(self._made.pop(next(iter(self._made))))
            self._made[key] = known
        return known


class Design(NamedTuple):
    """The equations of laying a print on a picture, as far as the print alone makes them (see `registration`).

    `rows` (float32, K×N) are light (1, x, y, ink) and the pose's terms, scaled to like size; `norm` are those
    scales, `corners` (8×K) says how the card's corners move with light (not at all) and the scaled terms, `held` is
    its square; where every pixel counts alike `normal` (K×K) are the rows' products with one another and `lit` (4×4)
    solves for light alone.
    """

    rows: Image
    norm: NDArray[np.float64]
    corners: NDArray[np.float64]
    held: NDArray[np.float64]
    normal: NDArray[np.float64]
    lit: NDArray[np.float64]


@dataclass
class Prints:
    """A deck's templates with what is derived from them, made when first asked for and kept.

    `search`, `upright` and `sketch` are the prints of the coarse search, of one whose turn is known up to a quarter,
    and of its sketch; `askew` and `alike` say which prints resemble one another at an angle and in each of the `turns`
    (see `bank`).
    """

    deck: Deck
    templates: tuple[Template, ...]
    faces: dict[str, NDArray[np.uint8]]
    levels: dict[int, Level]
    search: Bank = field(repr=False)
    upright: Bank = field(repr=False)
    sketch: Bank = field(repr=False)
    turns: tuple[int, ...]
    coarse_mm: float
    askew: dict[int, tuple[tuple[int, float], ...]] = field(repr=False)
    alike: Image = field(repr=False)
    designs: Kept[tuple[float, ...], Design] = field(default_factory=lambda: Kept(MOST_DESIGN_BYTES), repr=False)
    bends: Kept[tuple[int, int, int], Image] = field(default_factory=Kept, repr=False)
    parts: Kept[tuple[int, int, int], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = field(
        default_factory=Kept, repr=False
    )
    _flat: Kept[tuple[int, int, int], Image] = field(default_factory=Kept, repr=False)
    _lightest: Kept[tuple[int, int, int], NDArray[np.intp]] = field(default_factory=Kept, repr=False)
    _inks: Kept[tuple[int, int, int], Image] = field(default_factory=Kept, repr=False)
    _small_faces: Kept[tuple[str, int, int], Image] = field(default_factory=Kept, repr=False)
    _stacks: Kept[tuple[int, int], tuple[Image, Image, Image]] = field(default_factory=Kept, repr=False)
    _cards_faces: Kept[tuple[int, int, int], Image] = field(default_factory=Kept, repr=False)
    _edges: Kept[tuple[int, int, int], Image] = field(default_factory=Kept, repr=False)
    _blurred: Kept[tuple[int, int], Image] = field(default_factory=Kept, repr=False)
    _varied: dict[tuple[int, int, int], float] = field(default_factory=dict, repr=False)

    def ink(self, template: int, short_px: int, blur: int) -> Image:
        """A template's ink at one size, blurred by `blur` quarter pixels of that size; H×W."""

        def make() -> Image:
            return self._small(self.templates[template].ink, short_px, blur)

        return self._inks.get((template, short_px, blur), make)

    def flat_ink(self, template: int, short_px: int, blur: int) -> Image:
        """The same at the compared pixels alone."""

        def make() -> Image:
            return self.ink(template, short_px, blur).take(self.levels[short_px].flat)

        return self._flat.get((template, short_px, blur), make)

    def lightest_first(self, template: int, short_px: int, blur: int) -> NDArray[np.intp]:
        """The compared pixels (indices into them), those with least of a template's ink first."""

        def make() -> NDArray[np.intp]:
            return np.argsort(self.flat_ink(template, short_px, blur), kind="stable")

        return self._lightest.get((template, short_px, blur), make)

    def _small(self, image: Image, short_px: int, blur: int) -> Image:
        rows, columns = self.levels[short_px].shape
        small = cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA)
        if blur:
            small = cv2.GaussianBlur(small, (0, 0), blur / 4, borderType=cv2.BORDER_REPLICATE)
        return np.asarray(small, np.float32)

    def edge_energy(self, template: int, short_px: int, blur: int) -> Image:
        """The squared slope of a template's ink (per pixel of the size) at the compared pixels."""

        def make() -> Image:
            ink = self.ink(template, short_px, blur)
            dx, dy = cv2.Sobel(ink, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(ink, cv2.CV_32F, 0, 1, scale=1 / 8)
            return np.asarray((dx * dx + dy * dy).take(self.levels[short_px].flat), np.float32)

        return self._edges.get((template, short_px, blur), make)

    def variation(self, template: int, short_px: int, blur: int) -> float:
        """How much a template's ink varies over the compared pixels (`variation`)."""
        key = (template, short_px, blur)
        if key not in self._varied:
            self._varied[key] = variation(self.flat_ink(*key), self.edge_energy(*key))
        return self._varied[key]

    def turned(self, short_px: int, blur: int) -> tuple[Image, Image, Image]:
        """The compared pixels of all templates' ink in all turns at one size, one template and turn a row, each less
        its mean; these means and their variances."""

        def make() -> tuple[Image, Image, Image]:
            flat = self.levels[short_px].flat
            inks = [self.ink(i, short_px, blur) for i in range(len(self.templates))]
            stack = np.stack([np.rot90(ink, k).ravel()[flat] for ink in inks for k in self.turns])
            means = stack.mean(1)
            stack -= means[:, None]
            return stack, means, np.maximum((stack * stack).mean(1), 1e-5)

        return self._stacks.get((short_px, blur), make)

    def blurred(self, template: int, short_px: int, blurs: tuple[int, ...]) -> Image:
        """The compared pixels of a template's ink at one size under several blurs, one a row."""
        flat = self.levels[short_px].flat

        def make() -> Image:
            return np.stack([self.ink(template, short_px, blur).ravel()[flat] for blur in blurs])

        return self._blurred.get((template, short_px), make)

    def cards_faces(self, template: int, short_px: int, blur: int) -> Image:
        """The compared pixels of a template's cards in colour (cards×N×3, paper 1) at one size, blurred."""
        flat = self.levels[short_px].flat

        def make() -> Image:
            cards = self.templates[template].cards
            return np.stack([self.face(card, short_px, blur).reshape(-1, 3)[flat] for card in cards])

        return self._cards_faces.get((template, short_px, blur), make)

    def face(self, card: str, short_px: int, blur: int) -> Image:
        """A card's face in colour (H×W×3, paper 1) at one size, blurred like `ink`."""

        def make() -> Image:
            return self._small(self.faces[card].astype(np.float32) / FACE_UNIT, short_px, blur)

        return self._small_faces.get((card, short_px, blur), make)


def variation(ink: Image, edges: Image) -> float:
    """The squares of an ink's differences from its mean, added up, and those of its slopes (`edges`).

    Edges misfit first, by blur and sharpening: fine prints have much edge and little area.
    """
    off = ink - np.float32(float(ink.sum()) / len(ink))
    return float(np.dot(off, off)) + float(edges.sum())


def _bytes(made: NDArray[Any] | tuple[NDArray[Any], ...]) -> int:
    return sum(part.nbytes for part in made) if isinstance(made, tuple) else made.nbytes


def enrol(deck: Deck) -> Prints:
    """The prints of a deck, from its one picture a card; raises `DeckError` for a picture that is damaged."""
    w, h = deck.card_mm
    turns = (0, 1, 2, 3) if w == h else (0, 2)
    faces = faces_of(deck)
    templates = templates_of(deck, faces, turns)
    search, sketch = banks_of(templates)
    return Prints(
        deck=deck,
        templates=templates,
        faces=faces,
        levels={px: level_of(px, deck.card_mm) for px in LEVELS_PX},
        search=search,
        upright=upright(search, turns),
        sketch=sketch,
        turns=turns,
        coarse_mm=min(w, h) / COARSE_PX,
        askew=askew(search) if w == h else {},
        alike=alike_turned(search, turns),
    )
