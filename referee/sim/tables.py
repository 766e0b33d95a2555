"""Rendered tables: pictures of a deck's cards on a table, with the truth beside them.

Written rules of this module:
- everything follows from one seed; nothing is read but the deck's own pictures;
- it is made to be harder than a living room: tilted and distorting lenses, warm and cold light, hard shadows,
  glare, arms, piles and fans, blur, noise, sharpening, JPEG;
- it shares no code with the reader: what renders must not know how reading is done.
Does not belong here: games, hands that play, the totem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, picture
from referee.sim.surfaces import SURFACES, surface

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]

MARKER_MM = 40.0
CORNER_SHARE = 0.05  # radius of a card's corners over its short side
OVER = 2  # pixels are rendered OVER × OVER and averaged


@dataclass(frozen=True)
class Conditions:
    """What a picture is taken under; `hard` draws one at random."""

    size: tuple[int, int]
    side_px: float
    tilt_deg: float
    distortion: float
    surface: str
    warmth: float  # gain of red over blue
    exposure: float
    shadow: float  # depth of a hard shadow's edge across the table, 0 none
    glare: float  # strength of reflections on cards, 0 none
    arms: int
    blur_px: float
    motion_px: float
    noise: float  # standard deviation of the darkest grey, of 255
    jpeg: int
    markers: bool
    pile: int  # cards lie in piles of up to so many


@dataclass(frozen=True)
class TrueCard:
    """A face-up card in a rendered picture: its corners (4×2 px, clockwise from its top left) and how much of
    its face nothing covers (0..1); `veiled` is the share of it under a reflection."""

    card: str
    quad: Array
    visible: float
    veiled: float
    side_px: float


@dataclass(frozen=True)
class Scene:
    """A rendered picture and its truth. `table` takes table mm to undistorted pixels (3×3)."""

    image: Picture
    cards: tuple[TrueCard, ...]
    table: Array
    matrix: Array
    distortion: Array
    conditions: Conditions


def hard(random: np.random.Generator, side_px: tuple[float, float] = (60.0, 200.0)) -> Conditions:
    """Hard conditions, drawn at random; the short side of a card covers `side_px` pixels."""
    large = random.random() < 0.35
    sharp = random.random() < 0.5
    return Conditions(
        size=(1920, 1080) if large else (1280, 720),
        side_px=float(np.exp(random.uniform(np.log(side_px[0]), np.log(side_px[1])))),
        tilt_deg=float(random.uniform(0, 12)),
        distortion=float(random.uniform(-0.1, 0.04)),
        surface=str(random.choice(SURFACES)),
        warmth=float(np.exp(random.uniform(-0.25, 0.35))),
        exposure=float(random.uniform(0.55, 1.05)),
        shadow=float(random.choice([0.0, 0.0, 0.25, 0.45])),
        glare=float(random.choice([0.0, 0.0, 0.3, 0.8])),
        arms=int(random.choice([0, 0, 1, 2])),
        blur_px=float(random.uniform(0.3, 0.7) if sharp else random.uniform(0.6, 1.3)),
        motion_px=float(random.choice([0.0, 0.0, 0.0, random.uniform(1, 4)])),
        noise=float(random.uniform(1, 7)),
        jpeg=int(random.integers(75, 96)),
        markers=True,
        pile=int(random.choice([1, 1, 3, 5])),
    )


class Table:
    """A deck's cards ready to be laid on tables."""

    def __init__(self, deck: Deck) -> None:
        """Read the deck's pictures; raises `DeckError`."""
        self.deck = deck
        self.faces = {card.id: picture(card) for card in deck.cards}

    def scene(self, seed: int, conditions: Conditions | None = None, cards: int = 10) -> Scene:
        """The picture of one seed; under hard conditions unless told."""
        random = np.random.default_rng(seed)
        how = conditions if conditions is not None else hard(random)
        return _Painter(self, how, random).paint(cards)

    def single(self, seed: int, conditions: Conditions, cards: Sequence[str]) -> Scene:
        """A picture with just these cards, each on its own."""
        random = np.random.default_rng(seed)
        return _Painter(self, conditions, random).paint(len(cards), list(cards))


class _Painter:
    """Paints one picture."""

    def __init__(self, table: Table, how: Conditions, random: np.random.Generator) -> None:
        self.faces, self.how, self.random = table.faces, how, random
        self.ids = [card.id for card in table.deck.cards]
        self.card_mm = table.deck.card_mm
        width, height = how.size
        self.per_mm = how.side_px / min(self.card_mm)
        self.to_pixels, self.matrix = self._camera()
        self.bend = np.array([how.distortion, 0.0, 0.0, 0.0, 0.0])
        shift = (OVER - 1) / 2
        self.to_canvas = np.array([[OVER, 0, shift], [0, OVER, shift], [0, 0, 1.0]]) @ self.to_pixels
        self.canvas_size = (width * OVER, height * OVER)

    def paint(self, count: int, wanted: list[str] | None = None) -> Scene:
        how, random = self.how, self.random
        canvas = surface(how.surface, self.canvas_size, self.per_mm * OVER, random)
        owner = np.full(canvas.shape[:2], -1, np.int16)
        places = self._places(count)
        laid: list[tuple[str, Array]] = []
        piles: list[list[int]] = []
        for i, place in enumerate(places):
            names = [wanted[i]] if wanted else self._pile()
            piles.append([])
            for name in names:
                pose = self._pose(place, len(names) > 1)
                self._lay(canvas, owner, name, pose, len(laid))
                piles[-1].append(len(laid))
                laid.append((name, pose))
        if how.markers:
            self._markers(canvas, owner)
        veil = self._light(canvas, owner, len(laid))
        self._arms(canvas, owner, places)
        image = self._lens(canvas)
        cards = tuple(self._truth(i, laid, owner, veil) for pile in piles for i in pile[-1:])
        return Scene(image, cards, self.to_pixels, self.matrix, self.bend, how)

    def _camera(self) -> tuple[Array, Array]:
        """A camera that looks at the table's middle, tilted about a random axis."""
        width, height = self.how.size
        focal = 0.9 * width
        distance = focal / self.per_mm
        axis = self.random.uniform(0, 2 * np.pi)
        tilt = np.deg2rad(self.how.tilt_deg)
        rotation, _ = cv2.Rodrigues(np.array([np.cos(axis), np.sin(axis), 0.0]) * tilt)
        matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
        outer = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]])
        pose = matrix @ outer
        return pose / pose[2, 2], matrix

    def _places(self, count: int) -> list[Array]:
        width, height = self.how.size
        reach = 0.5 * float(np.hypot(*self.card_mm))
        half = np.array([width, height]) / 2 / self.per_mm * 0.92 - reach
        places: list[Array] = []
        corner = np.array([width, height]) / 2 / self.per_mm * 0.86 - MARKER_MM / 2
        for _ in range(60 * count):
            place = self.random.uniform(-1, 1, 2) * np.maximum(half, 1.0)
            if self.how.markers and np.linalg.norm(np.abs(place) - corner) < reach + MARKER_MM:
                continue
            if all(np.linalg.norm(place - p) > 2.3 * reach for p in places):
                places.append(place)
                if len(places) == count:
                    break
        return places

    def _pile(self) -> list[str]:
        depth = int(self.random.integers(1, self.how.pile + 1))
        return [str(name) for name in self.random.choice(self.ids, depth)]

    def _pose(self, place: Array, in_pile: bool) -> Array:
        angle = self.random.uniform(0, 2 * np.pi)
        off = self.random.normal(0, 3.5, 2) if in_pile else np.zeros(2)
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s, place[0] + off[0]], [s, c, place[1] + off[1]], [0, 0, 1.0]])

    def _lay(self, canvas: Plane, owner: NDArray[np.int16], name: str, pose: Array, number: int) -> None:
        """Paint a card and its shadow over what lies there."""
        w, h = self.card_mm
        rows, columns = round(h * self.per_mm * OVER), round(w * self.per_mm * OVER)
        face = cv2.resize(self.faces[name], (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)
        alpha = _rounded(columns, rows, CORNER_SHARE * min(columns, rows))
        grid = np.array([[w / columns, 0, (w / columns - w) / 2], [0, h / rows, (h / rows - h) / 2], [0, 0, 1.0]])
        drop = np.array([[1, 0, 0.5], [0, 1, 0.8], [0, 0, 1.0]])
        box = self._box(pose)
        if box is None:
            return
        x0, y0, x1, y1 = box
        there = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ self.to_canvas
        size = (x1 - x0, y1 - y0)
        part, mine = canvas[y0:y1, x0:x1], owner[y0:y1, x0:x1]
        shade = cv2.warpPerspective(alpha, there @ drop @ pose @ grid, size, flags=cv2.INTER_LINEAR)
        shade = cv2.GaussianBlur(shade, (0, 0), 0.8 * self.per_mm * OVER)
        part *= 1 - 0.45 * shade[:, :, None]
        cover = cv2.warpPerspective(alpha, there @ pose @ grid, size, flags=cv2.INTER_LINEAR)[:, :, None]
        paint = cv2.warpPerspective(
            face, there @ pose @ grid, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        part *= 1 - cover
        part += cover * paint * 0.94
        mine[cover[:, :, 0] > 0.5] = number

    def _box(self, pose: Array) -> tuple[int, int, int, int] | None:
        corners = _apply(self.to_canvas @ pose, _corners(self.card_mm))
        pad = 4 * self.per_mm * OVER
        low = np.maximum(np.floor(corners.min(0) - pad), 0).astype(int)
        high = np.minimum(np.ceil(corners.max(0) + pad), self.canvas_size).astype(int)
        return (low[0], low[1], high[0], high[1]) if np.all(high > low) else None

    def _markers(self, canvas: Plane, owner: NDArray[np.int16]) -> None:
        width, height = self.how.size
        half = np.array([width, height]) / 2 / self.per_mm * 0.86 - MARKER_MM / 2
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        for i, sign in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            n = 8 * 12
            sheet = np.full((n, n), 235, np.uint8)
            sheet[12:-12, 12:-12] = cv2.aruco.generateImageMarker(dictionary, i, n - 24) // 2 * 2
            mm = MARKER_MM * 8 / 6 / n
            centre = half * np.array(sign)
            grid = np.array([[mm, 0, centre[0] - mm * (n - 1) / 2], [0, mm, centre[1] - mm * (n - 1) / 2], [0, 0, 1]])
            h = self.to_canvas @ grid
            cover = cv2.warpPerspective(np.ones((n, n), np.float32), h, self.canvas_size)
            paint = cv2.warpPerspective(sheet.astype(np.float32), h, self.canvas_size)
            on = cover > 0.5
            canvas[on] = paint[on][:, None] * 0.9
            owner[on] = -2

    def _light(self, canvas: Plane, owner: NDArray[np.int16], count: int) -> NDArray[np.bool_]:
        """Tint, fall-off, a hard shadow and reflections; returns where reflections lie."""
        how, random = self.how, self.random
        height, width = canvas.shape[:2]
        # Light is smooth: worked out on a coarse grid.
        step = 4
        y, x = (v.astype(np.float32) * step for v in np.mgrid[0 : height // step, 0 : width // step])
        a = random.uniform(0, 2 * np.pi)
        along = ((x - width / 2) * np.cos(a) + (y - height / 2) * np.sin(a)) / width
        light = how.exposure * (1 + random.uniform(0, 0.5) * along).astype(np.float32)
        if how.shadow:
            edge = random.uniform(-0.25, 0.25)
            b = random.uniform(0, 2 * np.pi)
            across = ((x - width / 2) * np.cos(b) + (y - height / 2) * np.sin(b)) / width - edge
            light *= 1 - how.shadow / (1 + np.exp(-across * width / random.uniform(6, 40)))
        tint = np.array([1 / np.sqrt(how.warmth), 1.0, np.sqrt(how.warmth)], np.float32)
        canvas *= cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)[:, :, None] * tint
        veil = np.zeros(canvas.shape[:2], bool)
        if how.glare:
            for _ in range(int(random.integers(1, 4))):
                cx, cy = random.uniform(0, width), random.uniform(0, height)
                r = random.uniform(0.05, 0.15) * width
                small = np.exp(-(((x - cx) / r) ** 2 + ((y - cy) / (0.6 * r)) ** 2)) * 255 * how.glare
                spot = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
                spot[owner < 0] *= 0.15
                canvas += spot[:, :, None]
                veil |= spot > 12
        return veil

    def _arms(self, canvas: Plane, owner: NDArray[np.int16], places: list[Array]) -> None:
        """Forearms that come in from the edge, each with a hand on or beside a card."""
        for _ in range(self.how.arms):
            if not places:
                return
            target = places[int(self.random.integers(len(places)))]
            reach = 0.55 * min(self.card_mm)
            hand = target + self.random.normal(0, 1, 2) / 1.4 * reach
            a = self.random.uniform(0, 2 * np.pi)
            away = np.array([np.cos(a), np.sin(a)])
            hand = hand + away * reach * 0.7
            skin = np.array([105, 140, 195], np.float32) * self.random.uniform(0.35, 1.1) * self.how.exposure
            sleeve = self.random.uniform(10, 230, 3).astype(np.float32) * self.how.exposure
            mask = np.zeros(canvas.shape[:2], np.uint8)
            far = _apply(self.to_canvas, np.array([hand, hand + away * 90, hand + away * 900]))
            thick = self.per_mm * OVER
            _line(mask, far[0], far[1], 60 * thick)
            for spread in (-0.5, -0.2, 0.1, 0.4):
                tip = hand - _turned(away, spread) * 55
                _line(mask, far[0], _apply(self.to_canvas, tip[None])[0], 15 * thick)
            shade = cv2.GaussianBlur(mask, (0, 0), 6 * thick).astype(np.float32) / 255
            canvas *= (1 - 0.35 * shade)[:, :, None]
            canvas[mask > 0] = skin
            cloth = np.zeros_like(mask)
            _line(cloth, far[1], far[2], 75 * thick)
            canvas[cloth > 0] = sleeve
            owner[(mask > 0) | (cloth > 0)] = -3

    def _lens(self, canvas: Plane) -> Picture:
        how, random = self.how, self.random
        width, height = how.size
        small = cv2.resize(np.clip(canvas, 0, 600), (width, height), interpolation=cv2.INTER_AREA)
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float64)
        seen = np.stack([xs.ravel(), ys.ravel()], 1).reshape(-1, 1, 2)
        straight = cv2.undistortPoints(seen, self.matrix, self.bend, P=self.matrix).reshape(height, width, 2)
        maps = straight.astype(np.float32)
        bent = cv2.remap(small, maps[:, :, 0], maps[:, :, 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        bent = cv2.GaussianBlur(bent, (0, 0), how.blur_px)
        if how.motion_px >= 1:
            n = 2 * int(np.ceil(how.motion_px)) + 1
            kernel = np.zeros((n, n), np.float32)
            a = random.uniform(0, np.pi)
            d = np.array([np.cos(a), np.sin(a)]) * how.motion_px / 2
            c = np.array([n // 2, n // 2])
            _line(kernel, c - d, c + d, 1.0, 1.0)
            bent = cv2.filter2D(bent, -1, kernel / kernel.sum())
        noise = random.normal(0, how.noise, bent.shape)
        noisy = bent + noise * np.sqrt(0.4 + 0.6 * np.clip(bent, 0, 255) / 128)
        sharpen = random.uniform(0, 0.6)
        raw = np.clip(noisy + sharpen * (noisy - cv2.GaussianBlur(noisy, (0, 0), 1.2)), 0, 255).astype(np.uint8)
        _, data = cv2.imencode(".jpg", raw, [cv2.IMWRITE_JPEG_QUALITY, how.jpeg])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)

    def _truth(
        self, number: int, laid: list[tuple[str, Array]], owner: NDArray[np.int16], veil: NDArray[np.bool_]
    ) -> TrueCard:
        name, pose = laid[number]
        flat = _apply(self.to_pixels @ pose, _corners(self.card_mm))
        rays = np.column_stack([(flat - self.matrix[:2, 2]) / self.matrix[0, 0], np.ones(4)])
        seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self.bend)
        quad = np.asarray(seen, np.float64).reshape(4, 2)
        whole = np.zeros(owner.shape, np.uint8)
        corners = _apply(self.to_canvas @ pose, _corners(self.card_mm))
        cv2.fillConvexPoly(whole, np.round(corners).astype(np.int32), 1)
        area = float(cv2.contourArea(corners.astype(np.float32)))
        mine = (owner == number) & (whole > 0)
        round_off = 1 - (4 - np.pi) * (CORNER_SHARE * min(self.card_mm)) ** 2 / (self.card_mm[0] * self.card_mm[1])
        visible = min(1.0, float(mine.sum()) / max(1.0, area * round_off))
        veiled = float(veil[mine].mean()) if mine.any() else 0.0
        side = float(np.sqrt(cv2.contourArea(quad.astype(np.float32)) / (self.card_mm[0] * self.card_mm[1])))
        return TrueCard(name, quad, visible, veiled, side * min(self.card_mm))


def _corners(card_mm: tuple[float, float]) -> Array:
    w, h = card_mm[0] / 2, card_mm[1] / 2
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]])


def _apply(h: Array, points: Array) -> Array:
    seen = np.column_stack([points, np.ones(len(points))]) @ h.T
    result: Array = seen[:, :2] / seen[:, 2:]
    return result


def _turned(direction: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * direction[0] - s * direction[1], s * direction[0] + c * direction[1]])


def _line(mask: NDArray[np.uint8] | Plane, a: Array, b: Array, width: float, value: float = 255) -> None:
    p, q = (tuple(round(float(v) * 16) for v in np.clip(point, -20000, 20000)) for point in (a, b))
    cv2.line(mask, p, q, value, max(1, round(width)), cv2.LINE_AA if width <= 1 else cv2.LINE_8, 4)


def _rounded(columns: int, rows: int, radius: float) -> Plane:
    """A card's shape, 1 inside."""
    x = np.abs(np.arange(columns) + 0.5 - columns / 2) - (columns / 2 - radius)
    y = np.abs(np.arange(rows) + 0.5 - rows / 2) - (rows / 2 - radius)
    corner = (x[None, :] > 0) & (y[:, None] > 0)
    far = np.hypot(np.maximum(x, 0)[None, :], np.maximum(y, 0)[:, None])
    return np.asarray(np.where(corner, np.clip(radius - far + 0.5, 0, 1), 1.0), np.float32)
