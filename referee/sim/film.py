"""The simulated camera's pictures: a timeline on a scenery, frame by frame, fast enough for real time.

Written rules of this module:
- what lies still is painted once; a frame is a copy of that, with what moves laid over it;
- a frame shows the whole exposure: what moves fast is smeared;
- the truth of a frame (`tops`) is worked out from the same geometry, and only when asked for.
Does not belong here: why things move, times of frames, files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.arm_painter import SHARPEST_PX, ArmPainter
from referee.sim.arms import Looks
from referee.sim.card_painter import CARD_THICK_MM, CardPainter
from referee.sim.optics import Array, Box, box
from referee.sim.patches import Patch, Picture, Plane, blend, mean_patch, overlap
from referee.sim.played import PlayedGame
from referee.sim.scenery import Scenery
from referee.sim.sensor import Sensor
from referee.sim.stage import BESIDE
from referee.sim.stills import Stills, part
from referee.sim.timeline import Flight, Pose, Slide, Turn, corners, flying, turning
from referee.sim.totem_picture import TotemPicture

MOVING_DEPTH = 3  # so many cards of a pushed pile are drawn
EDGE_ON_LEVEL = 0.55  # how bright a card is that stands on its edge, against one that lies
IN_HAND_US = 30_000  # a card counts as its pile's top this long after it left the reserve


@dataclass(frozen=True)
class Top:
    """The top card of a pile in one frame: corners (4×2 px, clockwise from its own top left) and `visible`, the
    share of its face that nothing covers.
    """

    card: str
    count: int
    moving: bool
    quad: Array
    visible: float


class Film:
    """Renders frames of one game at one table."""

    def __init__(self, game: PlayedGame, scenery: Scenery, looks: Mapping[str, Looks], seed: int) -> None:
        """Paint what can be painted beforehand; raises `DeckError` for a damaged card."""
        self.scenery, self.timeline = scenery, game.timeline
        self._optics, self._exposure_us = scenery.optics, scenery.light.exposure_us
        self._cards = CardPainter(game.deck, scenery)
        self._stills = Stills(game.timeline, self._cards, scenery)
        self._totem = TotemPicture(scenery) if game.timeline.totem else None
        self._shoulders = {chair.player: chair.shoulder for chair in game.places.chairs}
        self._arms = ArmPainter(game.timeline, game.places, scenery, looks)
        self._sensor = Sensor(scenery.size, scenery.light, np.random.default_rng([seed, 31337]))
        self._things_cover: list[tuple[Box, Plane]] = []
        self._arms_cover: list[tuple[Box, Plane]] = []

    def frame(self, t_us: int) -> Picture:
        """The picture exposed around `t_us` (H×W×3 uint8, BGR)."""
        canvas = self._stills.at(t_us).copy()
        self._things_cover = []
        for slide in self._sliding(t_us):
            self._draw_slide(canvas, slide, t_us)
        for turn in self._turning(t_us):
            self._draw_turn(canvas, turn, t_us)
        for flight in self._flying(t_us):
            self._draw_flight(canvas, flight, t_us)
        where = self.timeline.totem_at(t_us)
        totem = self._totem.draw(canvas, where) if self._totem is not None and where is not None else None
        if totem is not None:
            self._things_cover.append(totem)
        self._arms_cover = self._arms.draw(canvas, t_us)
        return self._sensor.expose(canvas)

    def _sliding(self, t_us: int) -> list[Slide]:
        return [slide for slide in self.timeline.slides if slide.keys[0].t_us <= t_us < slide.keys[-1].t_us]

    def _flying(self, t_us: int) -> list[Flight]:
        return [flight for flight in self.timeline.flights if flight.from_us <= t_us < flight.until_us]

    def _turning(self, t_us: int) -> list[Turn]:
        return [turn for turn in self.timeline.turns if turn.lift_us <= t_us < turn.laid_us]

    # -- what moves

    def _draw_turn(self, canvas: Picture, turn: Turn, t_us: int) -> None:
        moments = self._moments(t_us, lambda t: turning(turn, self._cards.card_mm, t)[0])
        poses = [turning(turn, self._cards.card_mm, t) for t in moments]
        patches = []
        for points, over in poses:
            face = self._cards.faces[turn.card] if over > 90 else self._cards.back
            level = EDGE_ON_LEVEL + (1 - EDGE_ON_LEVEL) * abs(float(np.cos(np.deg2rad(over))))
            patches.append(self._cards.lit(face, points, level=level))
        self._lay(canvas, patches, poses[-1][0])

    def _flown(self, flight: Flight, t_us: int) -> Array:
        """Where a card in a hand is."""
        arm, (x, y) = self.timeline.arm(flight.by, t_us), self._shoulders[flight.by]
        return flying(flight, arm, float(np.rad2deg(np.arctan2(y - arm.y, x - arm.x))), self._cards.card_mm)

    def _draw_flight(self, canvas: Picture, flight: Flight, t_us: int) -> None:
        moments = self._moments(t_us, lambda t: self._flown(flight, t))
        places = [self._flown(flight, t) for t in moments]
        patches = []
        for points in places:
            faces_up = shows_face(points)
            face = self._cards.faces[flight.card] if faces_up else self._cards.back
            patches.append(self._cards.lit(face, points, level=EDGE_ON_LEVEL + (1 - EDGE_ON_LEVEL) * upright(points)))
        self._lay(canvas, patches, places[-1])

    def _draw_slide(self, canvas: Picture, slide: Slide, t_us: int) -> None:
        shown = slide.cards[-MOVING_DEPTH:]
        moments = self._moments(t_us, lambda t: self._slid(slide, shown[-1][2], t, 0))
        for depth, (_, card, pose) in enumerate(shown):
            places = [self._slid(slide, pose, t, depth) for t in moments]
            face = self._cards.faces.get(card, self._cards.back)
            patches = [self._cards.lit(face, points) for points in places]
            self._lay(canvas, patches, places[-1] if depth == 0 else None)

    def _lay(self, canvas: Picture, moments: list[Patch | None], shadow_of: Array | None) -> None:
        """Lay one thing, seen at several moments of the exposure."""
        whole = mean_patch([patch for patch in moments if patch is not None])
        if whole is None:
            return
        if shadow_of is not None:
            self._cards.shadow_under(canvas, shadow_of)
        blend(canvas, whole)
        self._things_cover.append((whole.box, whole.alpha))

    def _slid(self, slide: Slide, pose: Pose, t_us: int, depth: int) -> Array:
        key = slide.at(t_us)
        moved = Pose(pose.x + key.dx, pose.y + key.dy, pose.turn_deg + key.turn_deg)
        return np.column_stack([corners(self._cards.card_mm, moved), np.full(4, 2.0 + CARD_THICK_MM * depth)])

    def _moments(self, t_us: int, places: Callable[[int], Array]) -> list[int]:
        """Times within the exposure at which a moving thing is painted."""
        half = self._exposure_us // 2
        a, b = (self._optics.pixels(places(t)) for t in (t_us - half, t_us + half))
        far = float(np.abs(a - b).max())
        count = 1 if far < SHARPEST_PX else 2 if far < 3.5 else 3
        return [t_us] if count == 1 else [int(t_us + half * s) for s in np.linspace(-0.7, 0.7, count)]

    # -- truth

    def tops(self, t_us: int) -> dict[str, Top]:
        """Every pile's top card at `t_us`, as the frame rendered last shows it; a card in a hand is none yet."""
        found: dict[str, Top] = {}
        everything = self._things_cover + self._arms_cover
        for zone, rest in self._stills.tops().items():
            quad = self._optics.pixels(self._cards.lying(rest.pose, rest.depth))
            seen = visible(self._stills.mask(rest), everything)
            found[zone] = Top(rest.card, rest.depth + 1, False, quad, seen)
        for slide in self._sliding(t_us):
            _, card, pose = slide.cards[-1]
            points = self._slid(slide, pose, t_us, min(len(slide.cards), MOVING_DEPTH) - 1)
            found[slide.zone] = self._moving(card, len(slide.cards), points, True)
        for turn in self._turning(t_us):
            if not turn.stopped and turn.lift_us + IN_HAND_US <= t_us:
                points, over = turning(turn, self._cards.card_mm, t_us)
                found[turn.zone] = self._moving(turn.card, turn.depth + 1, points, over > 90)
        return {zone: top for zone, top in found.items() if not zone.startswith(BESIDE)}

    def _moving(self, card: str, count: int, points: Array, face_up: bool) -> Top:
        quad = self._optics.pixels(points)
        where = box(quad, self._optics.size, 1)
        if where is None or not face_up:
            return Top(card, count, True, quad, 0.0)
        mask = np.zeros((where[3] - where[1], where[2] - where[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - where[:2]) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return Top(card, count, True, quad, visible((where, mask > 0), self._arms_cover))


def shows_face(points: Array) -> bool:
    """Whether a card with these corners (4×3 mm, clockwise from its own top left) shows its face upwards."""
    return bool(_normal(points)[2] > 0)


def upright(points: Array) -> float:
    """How far a card lies flat: 1 flat, 0 on its edge."""
    normal = _normal(points)
    return float(abs(normal[2]) / max(1e-9, np.linalg.norm(normal)))


def _normal(points: Array) -> Array:
    # Table y points down in the picture: seen from above, clockwise corners have their normal up.
    return np.asarray(np.cross(points[1] - points[0], points[3] - points[0]), np.float64)


def visible(mine: tuple[Box, NDArray[np.bool_]], covers: list[tuple[Box, Plane]]) -> float:
    """The share of some pixels (a box, and which of it) that nothing covers by more than half."""
    where, mask = mine
    whole = int(np.count_nonzero(mask))
    if not whole:
        return 0.0
    left = mask.copy()
    for other, cover in covers:
        common = overlap(where, other)
        if common is not None:
            left[part(common, where)] &= cover[part(common, other)] < 0.5
    return float(np.count_nonzero(left)) / whole


def frame_truth(film: Film, t_us: int) -> dict[str, dict[str, Any]]:
    """The top card of every pile in the frame rendered last, as `truth.json` has it."""
    return {zone: _words(top) for zone, top in film.tops(t_us).items()}


def _words(top: Top) -> dict[str, Any]:
    return {
        "card": top.card,
        "n": top.count,
        "moving": top.moving,
        "quad": np.round(top.quad, 1).tolist(),
        "visible": round(top.visible, 3),
    }
