"""A small table filmed from straight above, frame by frame, for the tests of the watcher.

It draws our own deck's cards, arms and a totem's top on cloth, with markers, noise and light; it shares no code with
what it tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, picture
from referee.vision.camera import Frame

Picture = NDArray[np.uint8]
Point = tuple[float, float]

SIZE = (960, 540)
PER_MM = 0.9
FRAME_US = 33_333
ZONES = {
    "face_up/Ana": (100.0, 60.0, 190.0, 150.0),
    "face_up/Bilal": (-190.0, 60.0, -100.0, 150.0),
    "reserve/Ana": (200.0, 60.0, 280.0, 150.0),
    "pot": (-45.0, -150.0, 45.0, -60.0),
}
SEATS = {"Ana": 315.0, "Bilal": 225.0, "Chloé": 90.0}
ENTRIES: dict[str, Point] = {"Ana": (430.0, 330.0), "Bilal": (-430.0, 330.0), "Chloé": (0.0, -330.0)}
SKIN = {"light": (150, 180, 225), "dark": (50, 70, 105), "glove": (40, 40, 40), "white glove": (235, 235, 235)}


@dataclass(frozen=True)
class Card:
    """A card that lies, or turns: `over` is the share of its width that is seen (1 lying)."""

    name: str
    centre: Point
    angle_deg: float = 20.0
    over: float = 1.0


@dataclass(frozen=True)
class Limb:
    """An arm from where it comes in to its finger tips."""

    start: Point
    tip: Point
    skin: str = "light"
    sleeve: tuple[int, int, int] = (140, 60, 40)


@dataclass
class Tabletop:
    """The table; `film` gives frame after frame."""

    deck: Deck
    light: float = 1.0
    noise: float = 2.5
    totem: bool = True
    shift_mm: Point = (0.0, 0.0)
    number: int = 0
    faces: dict[str, Picture] = field(default_factory=dict)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def __post_init__(self) -> None:
        coarse = self.random.normal(0, 6, (34, 60)).astype(np.float32)
        cloth = cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC)[:, :, None] + np.array([70.0, 105, 75])
        self.cloth = cloth.astype(np.float32)

    def film(self, cards: Sequence[Card] = (), limbs: Sequence[Limb] = ()) -> Frame:
        """The next frame."""
        canvas = self.cloth.copy()
        self._markers(canvas)
        for card in cards:
            self._card(canvas, card)
        if self.totem:
            cv2.circle(canvas, self._at((0, 0)), round(15 * PER_MM), (30, 60, 110), -1, cv2.LINE_AA)
            cv2.circle(canvas, self._at((4, -5)), round(5 * PER_MM), (70, 110, 170), -1, cv2.LINE_AA)
        for limb in limbs:
            self._limb(canvas, limb)
        noisy = canvas * self.light + self.random.normal(0, self.noise, canvas.shape)
        frame = Frame(self.number * FRAME_US, 8_000, self.number, np.clip(noisy, 0, 255).astype(np.uint8))
        self.number += 1
        return frame

    def _at(self, point: Point) -> tuple[int, int]:
        x, y = (np.array(point) + self.shift_mm) * PER_MM + np.array(SIZE) / 2
        return round(float(x)), round(float(y))

    def _markers(self, canvas: NDArray[np.float32]) -> None:
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        side = round(40 * PER_MM)
        for i, (x, y) in enumerate(((-350, -230), (350, -230), (350, 230), (-350, 230))):
            left, top = (v - side // 2 for v in self._at((x, y)))
            canvas[top - 5 : top + side + 5, left - 5 : left + side + 5] = 230
            marker = cv2.aruco.generateImageMarker(dictionary, i, side)
            canvas[top : top + side, left : left + side] = marker[:, :, None] * 0.85 + 10

    def _card(self, canvas: NDArray[np.float32], card: Card) -> None:
        if card.name not in self.faces:
            self.faces[card.name] = picture(next(c for c in self.deck.cards if c.id == card.name))
        face = self.faces[card.name]
        rows, columns = face.shape[:2]
        w, h = self.deck.card_mm
        corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 * np.array([card.over, 1.0])
        a = np.deg2rad(card.angle_deg)
        turned = corners @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        seen = (turned + card.centre + np.array(self.shift_mm)) * PER_MM + np.array(SIZE) / 2
        source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
        pose = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
        # Shrunk first, so that thin lines do not break.
        paint = cv2.warpPerspective(cv2.GaussianBlur(face, (0, 0), columns / 160), pose, SIZE, flags=cv2.INTER_LINEAR)
        cover = cv2.warpPerspective(np.full((rows, columns), 255, np.uint8), pose, SIZE, flags=cv2.INTER_LINEAR)
        share = (cover.astype(np.float32) / 255)[:, :, None]
        canvas *= 1 - share
        canvas += share * paint * 0.85

    def _limb(self, canvas: NDArray[np.float32], limb: Limb) -> None:
        start, tip = np.array(limb.start), np.array(limb.tip)
        way = (tip - start) / np.linalg.norm(tip - start)
        side = np.array([-way[1], way[0]])
        skin = SKIN[limb.skin]

        def line(a: NDArray[np.float64], b: NDArray[np.float64], wide: float, colour: tuple[int, int, int]) -> None:
            ends = (self._at((float(p[0]), float(p[1]))) for p in (a, b))
            cv2.line(canvas, *ends, colour, round(wide * PER_MM), cv2.LINE_AA)

        wrist = tip - way * 130
        line(wrist, tip - way * 70, 62, skin)
        for k in (-1.5, -0.5, 0.5, 1.5):
            line(tip - way * 80 + side * 15 * k, tip - way * 8 * abs(k) + side * 17 * k, 15, skin)
        line(start, wrist, 78, limb.sleeve)


def reach(top: Tabletop, who: str, tip: Point, skin: str = "light") -> Limb:
    """An arm of one seat whose finger tips are at a point."""
    return Limb(ENTRIES[who], tip, skin)
