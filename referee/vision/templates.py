"""A deck as the reader needs it: what each card's print looks like, at every size it may be seen.

Written rules of this module:
- everything is worked out from ONE picture a card; nothing is learned and nothing is stored on disk;
- ink is how much darker than its own white a card is in its darkest channel (0 paper, 1 black): the print of
  every colour shows in it, so shapes are compared in it without their colour;
- in a `read = "symbol"` deck the cards of one shape share one template; in a `read = "face"` deck, and for
  cards that have no colour, every card is its own.
Does not belong here: camera pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, picture, shape_and_colour

Image = NDArray[np.float32]
Key = TypeVar("Key")

BASE_PX = 200  # short side of the stored print
COARSE_PX = 24  # short side of a card in the coarse search
COARSE_STEP_DEG = 8
COARSE_BLUR = 0.8  # pixels, of prints; pictures are blurred by their own resolution and a little more
COARSE_TERMS = 72  # of the principal component basis
SKETCH_TERMS = 36  # of that of prints at half the coarse size
LEVELS_PX = (24, 32, 48, 64, 96)  # short sides at which cards are compared
CORNER_MM = 4.0  # a card's corners may be rounded by as much: not compared
OUTLINE_INK = 0.25
FACE_UNIT = 220.0  # the stored level of paper white: highlights have room above it
KEPT_INKS = 1200
KEPT_FACES = 160
KEPT_BLURRED = 160
ALIKE = 0.7  # least correlation of a turned print with itself
ALIKE_STEP_DEG = 3
LEAST_LIKE = 0.7  # correlation of two prints at an angle that is worth trying
MORE_LIKE = 0.03  # at a quarter turn
MOST_ASKEW = 3
ASKEW_DEG = (0.0, 22.5, 45.0)  # a print with few like angles is found from one of these
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


@dataclass(frozen=True)
class Level:
    """The grid at one size: card millimetres of each pixel (`grid` as a homography), which of them are compared
    (`mask`; `flat`: their places in the flattened grid; `inner`: their millimetres, N×2; `across`: the same as
    2×N in units of how far they reach; `ones`, N), and the card's corners (`frame`) in mm.
    """

    short_px: int
    shape: tuple[int, int]
    per_mm: float
    grid: NDArray[np.float64]
    mask: NDArray[np.bool_]
    flat: NDArray[np.intp]
    inner: NDArray[np.float64]
    across: Image
    ones: Image
    frame: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many pixels are compared."""
        return len(self.flat)


@dataclass
class Prints:
    """A deck's templates with what is derived from them, made when first asked for and kept."""

    deck: Deck
    templates: tuple[Template, ...]
    faces: dict[str, NDArray[np.uint8]]
    levels: dict[int, Level]
    bank: Image = field(repr=False)
    basis: Image = field(repr=False)
    bank_of: NDArray[np.intp] = field(repr=False)
    bank_deg: NDArray[np.float64] = field(repr=False)
    turns: tuple[int, ...]
    coarse_mm: float
    sketch_bank: Image = field(repr=False)
    sketch_basis: Image = field(repr=False)
    askew: dict[int, tuple[tuple[int, float], ...]] = field(repr=False)
    alike: Image = field(repr=False)
    _inks: dict[tuple[int, int, int], Image] = field(default_factory=dict, repr=False)
    _small_faces: dict[tuple[str, int, int], Image] = field(default_factory=dict, repr=False)
    designs: dict[tuple[float, ...], tuple[Image, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=dict, repr=False
    )
    bends: dict[tuple[int, int, int], Image] = field(default_factory=dict, repr=False)
    _stacks: dict[tuple[int, int], tuple[Image, Image, Image]] = field(default_factory=dict, repr=False)
    _cards_faces: dict[tuple[int, int, int], Image] = field(default_factory=dict, repr=False)
    _edges: dict[tuple[int, int, int], Image] = field(default_factory=dict, repr=False)
    _blurred: dict[tuple[int, int], Image] = field(default_factory=dict, repr=False)

    def ink(self, template: int, short_px: int, blur: int) -> Image:
        """A template's ink at one size, blurred by `blur` quarter pixels of that size; H×W."""

        def make() -> Image:
            return self._small(self.templates[template].ink, short_px, blur)

        return _kept(self._inks, (template, short_px, blur), KEPT_INKS, make)

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

        return _kept(self._edges, (template, short_px, blur), KEPT_BLURRED, make)

    def turned(self, short_px: int, blur: int) -> tuple[Image, Image, Image]:
        """The compared pixels of all templates' ink in all turns at one size, one template and turn a row; their
        means and their variances."""
        key = (short_px, blur)
        if key not in self._stacks:
            flat = self.levels[short_px].flat
            inks = [self.ink(i, short_px, blur) for i in range(len(self.templates))]
            stack = np.stack([np.rot90(ink, k).ravel()[flat] for ink in inks for k in self.turns])
            means = stack.mean(1)
            self._stacks[key] = (stack, means, np.maximum((stack * stack).mean(1) - means**2, 1e-5))
        return self._stacks[key]

    def blurred(self, template: int, short_px: int, blurs: tuple[int, ...]) -> Image:
        """The compared pixels of a template's ink at one size under several blurs, one a row."""
        flat = self.levels[short_px].flat

        def make() -> Image:
            return np.stack([self.ink(template, short_px, blur).ravel()[flat] for blur in blurs])

        return _kept(self._blurred, (template, short_px), KEPT_BLURRED, make)

    def cards_faces(self, template: int, short_px: int, blur: int) -> Image:
        """The compared pixels of a template's cards in colour (cards×N×3, paper 1) at one size, blurred."""
        flat = self.levels[short_px].flat

        def make() -> Image:
            cards = self.templates[template].cards
            return np.stack([self.face(card, short_px, blur).reshape(-1, 3)[flat] for card in cards])

        return _kept(self._cards_faces, (template, short_px, blur), KEPT_FACES // 2, make)

    def face(self, card: str, short_px: int, blur: int) -> Image:
        """A card's face in colour (H×W×3, paper 1) at one size, blurred like `ink`."""

        def make() -> Image:
            return self._small(self.faces[card].astype(np.float32) / FACE_UNIT, short_px, blur)

        return _kept(self._small_faces, (card, short_px, blur), KEPT_FACES, make)


def _kept(cache: dict[Key, Image], key: Key, most: int, make: Callable[[], Image]) -> Image:
    """What is kept under a key, made when it is not there; the oldest goes when there is no room."""
    known = cache.get(key)
    if known is None:
        while len(cache) >= most:
            del cache[next(iter(cache))]
        known = cache[key] = make()
    return known


def enrol(deck: Deck) -> Prints:
    """The prints of a deck, from its one picture a card; raises `DeckError` for a picture that is damaged."""
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
    turns = (0, 1, 2, 3) if w == h else (0, 2)
    templates = tuple(_with_alike(t, turns, w) for t in _templates(deck, faces))
    levels = {px: _level(px, deck.card_mm) for px in LEVELS_PX}
    bank, owner, degrees = _coarse_bank(templates)
    basis = _basis(bank, COARSE_TERMS)
    sketched = _sketched(bank[degrees % (2 * COARSE_STEP_DEG) == 0])
    lines = _basis(sketched, SKETCH_TERMS)
    return Prints(
        deck=deck,
        templates=templates,
        faces=faces,
        levels=levels,
        bank=bank @ basis,
        basis=basis,
        bank_of=owner,
        bank_deg=degrees,
        turns=turns,
        coarse_mm=min(w, h) / COARSE_PX,
        sketch_bank=sketched @ lines,
        sketch_basis=lines,
        askew=_askew(bank @ basis, owner, degrees) if w == h else {},
        alike=_alike_turned(bank @ basis, owner, degrees, turns),
    )


def _askew(
    bank: Image, owner: NDArray[np.intp], degrees: NDArray[np.float64]
) -> dict[int, tuple[tuple[int, float], ...]]:
    """For each print those that look most like it at an angle that is no quarter turn, with that angle.

    Round prints resemble one another at any angle; a reader that tried quarter turns only would miss them.
    """
    count = int(owner.max()) + 1
    angles = degrees[owner == 0]
    like = (bank.reshape(count, len(angles), -1) @ bank[degrees == 0].T).transpose(2, 0, 1)
    off = np.abs((angles + 45) % 90 - 45) > COARSE_STEP_DEG
    found: dict[int, tuple[tuple[int, float], ...]] = {}
    for one in range(count):
        skew, straight = like[one][:, off], like[one][:, ~off].max(1)
        near = [
            other
            for other in np.argsort(-skew.max(1)).tolist()
            if other != one and skew[other].max() > max(LEAST_LIKE, straight[other] - MORE_LIKE)
        ]
        found[one] = tuple(
            (other, float(angles[off][int(np.argmax(skew[other]))]) + more)
            for other in near[:MOST_ASKEW]
            for more in ASKEW_DEG
        )
    return found


def _alike_turned(bank: Image, owner: NDArray[np.intp], degrees: NDArray[np.float64], turns: tuple[int, ...]) -> Image:
    """How much each print looks like each other one in each turn; prints × prints × turns."""
    angles = degrees[owner == 0]
    # Turned by a quarter against the card, a print is found where its card lies a quarter the other way.
    at = [int(np.argmin(np.abs((angles + 90 * quarter + 180) % 360 - 180))) for quarter in turns]
    count = int(owner.max()) + 1
    turned = bank.reshape(count, len(angles), -1)[:, at]
    return np.asarray(np.einsum("ac,bqc->abq", bank[degrees == 0], turned), np.float32)


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


def coarse_disc() -> NDArray[np.bool_]:
    """The pixels of a coarse patch that are compared: the disc within the card's short side."""
    r = np.arange(COARSE_PX) - (COARSE_PX - 1) / 2
    return np.asarray(r[:, None] ** 2 + r[None, :] ** 2 <= (COARSE_PX / 2) ** 2)


def coarse_slopes() -> Image:
    """Two unit vectors over the coarse disc: light that rises to the right, and downwards; 2×N."""
    r = np.arange(COARSE_PX) - (COARSE_PX - 1) / 2
    x, y = np.meshgrid(r, r)
    both = np.stack([x[coarse_disc()], y[coarse_disc()]]).astype(np.float32)
    return np.asarray(both / np.linalg.norm(both, axis=1, keepdims=True), np.float32)


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


def _level(short_px: int, card_mm: tuple[float, float]) -> Level:
    w, h = card_mm
    per_mm = short_px / min(w, h)
    columns, rows = round(w * per_mm), round(h * per_mm)
    x = (np.arange(columns) + 0.5) * (w / columns) - w / 2
    y = (np.arange(rows) + 0.5) * (h / rows) - h / 2
    gx, gy = np.meshgrid(x, y)
    inset_x, inset_y = w / 2 - np.abs(gx), h / 2 - np.abs(gy)
    edge = 0.6 / per_mm
    mask = (inset_x + inset_y > CORNER_MM) & (inset_x > edge) & (inset_y > edge)
    grid = np.array([[w / columns, 0, x[0]], [0, h / rows, y[0]], [0, 0, 1.0]])
    inner = np.stack([gx.ravel(), gy.ravel()], 1)[mask.ravel()]
    across = np.ascontiguousarray((inner / np.abs(inner).max()).T, np.float32)
    frame = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    ones = np.ones(len(inner), np.float32)
    return Level(short_px, (rows, columns), per_mm, grid, mask, np.flatnonzero(mask), inner, across, ones, frame)


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


def _coarse_bank(templates: tuple[Template, ...]) -> tuple[Image, NDArray[np.intp], NDArray[np.float64]]:
    disc, slopes = coarse_disc(), coarse_slopes()
    rows, owner, degrees = [], [], []
    for i, template in enumerate(templates):
        height, width = template.ink.shape
        blurred = cv2.GaussianBlur(template.ink, (0, 0), COARSE_BLUR * BASE_PX / COARSE_PX)
        for angle in range(0, 360, COARSE_STEP_DEG):
            a = np.deg2rad(angle)
            s = BASE_PX / COARSE_PX
            # From patch pixels to print pixels: the card is turned by +angle in the patch.
            c = (COARSE_PX - 1) / 2
            m = s * np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
            shift = np.array([(width - 1) / 2, (height - 1) / 2]) - m @ np.array([c, c])
            patch = cv2.warpAffine(
                blurred,
                np.column_stack([m, shift]),
                (COARSE_PX, COARSE_PX),
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
            values = patch[disc].astype(np.float32)
            values -= values.mean()
            # Light that falls off across the card is no print: slopes are taken out on both sides.
            values -= slopes.T @ (slopes @ values)
            rows.append(values / max(1e-6, float(np.linalg.norm(values))))
            owner.append(i)
            degrees.append(float(angle))
    return np.stack(rows), np.array(owner), np.array(degrees)


def sketch_disc() -> NDArray[np.bool_]:
    """The pixels of a patch of half the coarse size that lie wholly in the coarse disc."""
    return np.asarray(coarse_disc().reshape(COARSE_PX // 2, 2, COARSE_PX // 2, 2).all((1, 3)))


def sketch_slopes() -> Image:
    """`coarse_slopes` at half the size."""
    r = np.arange(COARSE_PX // 2) - (COARSE_PX // 2 - 1) / 2
    x, y = np.meshgrid(r, r)
    both = np.stack([x[sketch_disc()], y[sketch_disc()]]).astype(np.float32)
    return np.asarray(both / np.linalg.norm(both, axis=1, keepdims=True), np.float32)


def _sketched(bank: Image) -> Image:
    """The prints of the coarse search at half their size."""
    patches = np.zeros((len(bank), COARSE_PX, COARSE_PX), np.float32)
    patches[:, coarse_disc()] = bank
    half = COARSE_PX // 2
    small = patches.reshape(-1, half, 2, half, 2).mean((2, 4))[:, sketch_disc()]
    small -= small.mean(1, keepdims=True)
    slopes = sketch_slopes()
    small -= (small @ slopes.T) @ slopes
    return np.asarray(small / np.maximum(np.linalg.norm(small, axis=1, keepdims=True), 1e-6), np.float32)


def _basis(bank: Image, terms: int) -> Image:
    values, vectors = np.linalg.eigh(bank.T.astype(np.float64) @ bank.astype(np.float64))
    order = np.argsort(values)[::-1][:terms]
    return np.ascontiguousarray(vectors[:, order]).astype(np.float32)
