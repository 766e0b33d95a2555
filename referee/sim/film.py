"""The simulated camera's pictures: a timeline on a scenery, frame by frame, fast enough for real time.

Written rules of this module:
- what lies still is painted once; a frame is a copy of that, with what moves laid over it;
- a frame shows the whole exposure: what moves fast is smeared;
- the truth of a frame (`Truth`) is worked out from the same geometry, and only when asked for.
Does not belong here: why things move, times of frames, files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, picture
from referee.sim.arms import GRIP, Looks, Sprite, sprite
from referee.sim.optics import Array, box
from referee.sim.patches import Box, Patch, Picture, Plane, blend, card_print, darken, mean_patch, warp
from referee.sim.people import PlayedGame
from referee.sim.scenery import WHITE, Scenery, back_print
from referee.sim.timeline import FLAT, OPEN, PINCH, REACH, ArmKey, Pose, Rest, Slide, Turn, corners, turning
from referee.sim.totem_picture import TotemPicture

STILL_OVER, MOVING_OVER = 3, 2
SHOULDER_Z_MM = 190.0
CARD_THICK_MM = 0.3
NOISE_FRAMES = 3
SHARPEST_PX = 1.3  # movements within an exposure that are not worth smearing
FEWEST_NATS = 256


@dataclass(frozen=True)
class Top:
    """The top card of a pile in one frame: corners (4×2 px, clockwise from its own top left), `visible` share of its face."""

    card: str
    count: int
    moving: bool
    quad: Array
    visible: float


class Film:
    """Renders frames of one game at one table."""

    def __init__(self, game: PlayedGame, scenery: Scenery, looks: Mapping[str, Looks], seed: int) -> None:
        """Paint what can be painted beforehand; raises `DeckError` for a damaged card."""
        self.game, self.scenery = game, scenery
        self.timeline, self.optics, self.light = game.timeline, scenery.optics, scenery.light
        self._card_mm = game.deck.card_mm
        side = scenery.optics.per_mm() * min(self._card_mm)
        self._faces = _prints(game.deck, side)
        self._back = card_print(back_print(), side, STILL_OVER)
        per_mm = 1.1 * scenery.optics.per_mm()
        shapes = (REACH, PINCH, FLAT, OPEN, GRIP)
        self._sprites = {
            name: {shape: sprite(look, shape, per_mm, self.light.soft_mm) for shape in shapes}
            for name, look in looks.items()
        }
        self._stills = Stills(self)
        self._totem = TotemPicture(scenery)
        random = np.random.default_rng([seed, 31337])
        width, height = scenery.size
        pool = random.standard_normal((height + 96, width + 96, 3), np.float32)
        # A colour filter array and its interpolation make neighbours alike.
        self._noise = cv2.GaussianBlur(pool, (0, 0), 0.55) * np.float32(1.55 * self.light.noise)
        level = np.arange(256, dtype=np.float32)
        self._spread = np.sqrt(0.35 + 0.65 * level / 128).astype(np.float32)
        self._random = random
        self._dark = np.asarray(level / 255 * self.light.depth, np.float32)
        self.covers: list[tuple[Box, Plane]] = []

    def frame(self, t_us: int) -> Picture:
        """The picture exposed around `t_us` (H×W×3 uint8, BGR)."""
        canvas = self._stills.at(t_us).copy()
        self.covers = []
        half = self.light.exposure_us // 2
        moving = [turn for turn in self.timeline.turns if turn.lift_us - half <= t_us < turn.laid_us]
        for slide in self.timeline.slides:
            if slide.keys[0].t_us <= t_us < slide.keys[-1].t_us:
                self._draw_slide(canvas, slide, t_us)
        for turn in moving:
            self._draw_turn(canvas, turn, t_us)
        where = self._totem.draw(canvas, self.timeline.totem_at(t_us))
        if where is not None:
            self.covers.append(where)
        self._draw_arms(canvas, t_us)
        return self._expose(canvas)

    # -- what moves

    def _draw_turn(self, canvas: Picture, turn: Turn, t_us: int) -> None:
        quads = [
            turning(turn, self._card_mm, t) for t in self._moments(t_us, lambda t: turning(turn, self._card_mm, t)[0])
        ]
        patches = []
        for points, over in quads:
            face = self._faces[turn.card] if over > 90 else self._back
            quad = self.optics.pixels(points)
            tilt = abs(float(np.cos(np.deg2rad(over))))
            patch = self._lit(face, quad, MOVING_OVER, 0.55 + 0.45 * tilt)
            if patch is not None:
                patches.append(patch)
        whole = mean_patch(patches)
        if whole is not None:
            self._contact_shadow(canvas, quads[-1][0])
            blend(canvas, whole)
            self.covers.append((whole.box, whole.alpha))

    def _draw_slide(self, canvas: Picture, slide: Slide, t_us: int) -> None:
        def places(t: int) -> Array:
            return np.concatenate([self._slid(slide, pose, t, k) for k, (_, _, pose) in enumerate(slide.cards[-1:])])

        moments = self._moments(t_us, places)
        for depth, (_, card, pose) in enumerate(slide.cards[-3:]):
            quads = [self._slid(slide, pose, t, depth) for t in moments]
            patches = [self._lit(self._faces[card], self.optics.pixels(quad), MOVING_OVER, 1.0) for quad in quads]
            whole = mean_patch([patch for patch in patches if patch is not None])
            if whole is not None:
                if depth == 0:
                    self._contact_shadow(canvas, quads[-1])
                blend(canvas, whole)
                self.covers.append((whole.box, whole.alpha))

    def _slid(self, slide: Slide, pose: Pose, t_us: int, depth: int) -> Array:
        key = slide.at(t_us)
        flat = corners(self._card_mm, Pose(pose.x + key.dx, pose.y + key.dy, pose.turn_deg + key.turn_deg))
        return np.column_stack([flat, np.full(4, 2.0 + CARD_THICK_MM * depth)])

    def _moments(self, t_us: int, places: object) -> list[int]:
        """Times within the exposure at which a moving thing is painted."""
        half = self.light.exposure_us // 2
        assert callable(places)
        a, b = (self.optics.pixels(places(t)) for t in (t_us - half, t_us + half))
        far = float(np.abs(a - b).max())
        count = 1 if far < SHARPEST_PX else 2 if far < 3.5 else 3
        return [t_us] if count == 1 else [int(t_us + half * s) for s in np.linspace(-0.7, 0.7, count)]

    def _lit(self, face: object, quad: Array, over: int, level: float) -> Patch | None:
        patch = warp(face, quad, self.scenery.size, over, self.scenery.blur_px)  # type: ignore[arg-type]
        if patch is None:
            return None
        x0, y0, x1, y1 = patch.box
        bgr = patch.bgr * (self.light.gain[y0:y1, x0:x1] * np.float32(WHITE * level))
        bgr += self.light.shine[y0:y1, x0:x1, None]
        return Patch(patch.box, bgr, patch.alpha)

    def _contact_shadow(self, canvas: Picture, points: Array) -> None:
        """The shadow of a card that is not lying: its outline on the table, along the light."""
        shift = points[:, 2:] * self.light.towards
        quad = self.optics.pixels(points[:, :2] + shift)
        soft = max(0.6, self.light.soft_mm * 0.25 * self.optics.per_mm())
        where = box(quad, self.scenery.size, int(2 * soft) + 1)
        if where is None:
            return
        x0, y0, x1, y1 = (int(v) for v in where)
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.fillConvexPoly(mask, np.round((quad - (x0, y0)) * 16).astype(np.int32), self.light.depth, cv2.LINE_AA, 4)
        darken(canvas, (x0, y0, x1, y1), cv2.GaussianBlur(mask, (0, 0), soft))

    # -- arms

    def _draw_arms(self, canvas: Picture, t_us: int) -> None:
        arms = [(name, self.timeline.arm(name, t_us)) for name in self._sprites]
        arms.sort(key=lambda arm: arm[1].z)
        for name, key in arms:
            self._shadow_of(canvas, name, key)
        for name, key in arms:
            self._draw_arm(canvas, name, key, t_us)

    def _plane(self, name: str, key: ArmKey, sheet: Sprite, shadow: bool) -> tuple[Array, Array]:
        """The arm's sheet on the picture: its homography, and its corners' pixels."""
        shoulder = self.game.seating.seat(name).shoulder
        reach = np.array([shoulder[0] - key.x, shoulder[1] - key.y])
        far = max(float(np.linalg.norm(reach)), 60.0)
        along = reach / far
        across = np.array([-along[1], along[0]])
        uv = np.array([[-105.0, -95.0], [far, -95.0], [far, 95.0], [-105.0, 95.0]])
        z = key.z + (SHOULDER_Z_MM - key.z) * np.clip(uv[:, 0], -60, None) / far
        points = np.array([key.x, key.y]) + uv[:, :1] * along + uv[:, 1:] * across
        if shadow:
            points = points + z[:, None] * self.light.towards
            z = np.zeros(4)
        pixels = self.optics.pixels(np.column_stack([points, z]))
        source = (np.column_stack([uv, np.ones(4)]) @ sheet.to_sprite.T)[:, :2]
        return cv2.getPerspectiveTransform(source.astype(np.float32), pixels.astype(np.float32)), pixels

    def _shadow_of(self, canvas: Picture, name: str, key: ArmKey) -> None:
        sheet = self._sprites[name][key.shape]
        h, pixels = self._plane(name, key, sheet, shadow=True)
        where = box(pixels, self.scenery.size, 2)
        if where is None:
            return
        x0, y0, x1, y1 = (int(v) for v in where)
        # A shadow is soft: half the pixels will do.
        half = np.array([[0.5, 0, -0.5 * x0], [0, 0.5, -0.5 * y0], [0, 0, 1.0]])
        small = cv2.warpPerspective(
            sheet.shadow, half @ h, ((x1 - x0 + 1) // 2, (y1 - y0 + 1) // 2), flags=cv2.INTER_LINEAR
        )
        shade = cv2.resize(cv2.LUT(small, self._dark), (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        darken(canvas, (x0, y0, x1, y1), shade)

    def _draw_arm(self, canvas: Picture, name: str, key: ArmKey, t_us: int) -> None:
        sheet = self._sprites[name][key.shape]
        h, pixels = self._plane(name, key, sheet, shadow=False)
        half = self.light.exposure_us // 2
        before, after = (self.timeline.arm(name, t) for t in (t_us - half, t_us + half))
        smear = np.array([after.x - before.x, after.y - before.y]) * self.optics.per_mm()
        length = float(np.linalg.norm(smear))
        where = box(pixels, self.scenery.size, 2 + int(length / 2))
        if where is None:
            return
        x0, y0, x1, y1 = (int(v) for v in where)
        shift = np.array([[1.0, 0, -x0], [0, 1.0, -y0], [0, 0, 1.0]]) @ h
        size = (x1 - x0, y1 - y0)
        bgr = cv2.warpPerspective(sheet.bgr, shift, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        alpha = cv2.warpPerspective(sheet.alpha, shift, size, flags=cv2.INTER_LINEAR)
        if length > SHARPEST_PX:
            kernel = _smear(smear)
            bgr, alpha = cv2.filter2D(bgr, -1, kernel), cv2.filter2D(alpha, -1, kernel)
        cover = alpha.astype(np.float32) * np.float32(1 / 255)
        gain = self._gain_at(pixels)
        lit = cv2.multiply(bgr, (*gain, 0.0), dtype=cv2.CV_8U)
        part = canvas[y0:y1, x0:x1]
        part[:] = cv2.blendLinear(lit, np.ascontiguousarray(part), cover, 1 - cover)
        self.covers.append(((x0, y0, x1, y1), cover))

    def _gain_at(self, pixels: Array) -> tuple[float, float, float]:
        """The light on an arm, taken near its hand."""
        width, height = self.scenery.size
        x, y = np.clip((0.75 * pixels[[0, 3]] + 0.25 * pixels[[1, 2]]).mean(0), 0, (width - 1, height - 1)).astype(int)
        return tuple(float(v) for v in self.light.gain[y, x])  # type: ignore[return-value]

    def _expose(self, canvas: Picture) -> Picture:
        """What the sensor makes of it: noise that grows with the light, a gain that wavers."""
        height, width = canvas.shape[:2]
        y, x = self._random.integers(0, 96, 2)
        noise = self._noise[y : y + height, x : x + width]
        if self._random.random() < 0.5:
            noise = noise[:, ::-1]
        waver = float(1 + self.light.flicker * np.clip(self._random.normal(), -2, 2))
        grain = cv2.multiply(cv2.LUT(canvas, self._spread), noise)
        return np.asarray(cv2.scaleAdd(canvas.astype(np.float32), waver, grain) + 0.5).clip(0, 255).astype(np.uint8)

    # -- truth

    def tops(self, t_us: int) -> dict[str, Top]:
        """Every pile's top card at `t_us`, as the frame rendered last shows it."""
        found: dict[str, Top] = {}
        for zone, rest in self._stills.tops(t_us).items():
            quad = self.optics.pixels(self._stills.points(rest))
            found[zone] = Top(
                rest.card, rest.depth + 1, False, quad, self._visible(self._stills.mask(rest), self.covers)
            )
        for slide in self.timeline.slides:
            if slide.keys[0].t_us <= t_us < slide.keys[-1].t_us and not slide.zone.startswith("beside "):
                _, card, pose = slide.cards[-1]
                quad = self.optics.pixels(self._slid(slide, pose, t_us, len(slide.cards[-3:]) - 1))
                found[slide.zone] = Top(card, len(slide.cards), True, quad, self._visible_quad(quad))
        for turn in self.timeline.turns:
            if not turn.stopped and turn.lift_us + 30_000 <= t_us < turn.laid_us:
                points, over = turning(turn, self._card_mm, t_us)
                quad = self.optics.pixels(points)
                seen = self._visible_quad(quad) if over > 90 else 0.0
                found[turn.player] = Top(turn.card, turn.depth + 1, True, quad, seen)
        return found

    def _visible_quad(self, quad: Array) -> float:
        """The share of a moving card that no arm covers."""
        where = box(quad, self.scenery.size, 1)
        if where is None:
            return 0.0
        x0, y0, x1, y1 = (int(v) for v in where)
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - (x0, y0)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        arms = self.covers[-len(self._sprites) :] if self.covers else []
        return self._visible(((x0, y0, x1, y1), mask > 0), arms)

    def _visible(self, mine: tuple[Box, NDArray[np.bool_]], covers: list[tuple[Box, Plane]]) -> float:
        (x0, y0, x1, y1), mask = mine
        whole = int(np.count_nonzero(mask))
        if not whole:
            return 0.0
        left = mask.copy()
        for (a, b, c, d), cover in covers:
            p, q, r, s = max(x0, a), max(y0, b), min(x1, c), min(y1, d)
            if r > p and s > q:
                left[q - y0 : s - y0, p - x0 : r - x0] &= cover[q - b : s - b, p - a : r - a] < 0.5
        return float(np.count_nonzero(left)) / whole


class Stills:
    """The picture of everything that lies still, kept in step with the time."""

    def __init__(self, film: Film) -> None:
        self._film = film
        self._canvas = film.scenery.empty.copy()
        self._laid: dict[int, tuple[Rest, Patch]] = {}
        self._reserves: dict[str, Patch] = {}
        self._t_us = -1
        line = film.timeline
        self._moments = sorted(
            {t for rest in line.rests for t in (rest.from_us, rest.until_us)} | {pile.from_us for pile in line.reserves}
        )
        self._next = 0

    def at(self, t_us: int) -> Picture:
        """The picture at `t_us`; times may go back, which costs a new start."""
        if t_us < self._t_us:
            self.__init__(self._film)  # type: ignore[misc]
        self._t_us = t_us
        while self._next < len(self._moments) and self._moments[self._next] <= t_us:
            self._step(self._moments[self._next])
            self._next += 1
        return self._canvas

    def tops(self, t_us: int) -> dict[str, Rest]:
        """The top card of each pile."""
        found: dict[str, Rest] = {}
        for rest, _ in self._laid.values():
            if not rest.zone.startswith("beside ") and (rest.zone not in found or rest.depth >= found[rest.zone].depth):
                found[rest.zone] = rest
        return found

    def points(self, rest: Rest) -> Array:
        """A lying card's corners in space."""
        flat = corners(self._film._card_mm, rest.pose)
        return np.column_stack([flat, np.full(4, CARD_THICK_MM * (rest.depth + 1))])

    def mask(self, rest: Rest) -> tuple[Box, NDArray[np.bool_]]:
        """The pixels of a lying card that no card laid later covers."""
        patch = self._laid[rest.number][1]
        mask = patch.alpha > 0.5
        x0, y0, x1, y1 = patch.box
        later = False
        for number, (_, other) in self._laid.items():
            if later:
                a, b, c, d = other.box
                p, q, r, s = max(x0, a), max(y0, b), min(x1, c), min(y1, d)
                if r > p and s > q:
                    mask[q - y0 : s - y0, p - x0 : r - x0] &= other.alpha[q - b : s - b, p - a : r - a] < 0.5
            later = later or number == rest.number
        return patch.box, mask

    def _step(self, moment: int) -> None:
        changed: list[Box] = []
        for number, (rest, patch) in list(self._laid.items()):
            if rest.until_us == moment:
                del self._laid[number]
                changed.append(patch.box)
        for pile in self._film.timeline.reserves:
            if pile.from_us == moment:
                changed += self._set_reserve(pile.player, pile.count, pile.pose)
        for where in changed:
            self._repaint(where)
        for rest in self._film.timeline.rests:
            if rest.from_us == moment < rest.until_us:
                patch_now = self._film._lit(
                    self._film._faces[rest.card], self._film.optics.pixels(self.points(rest)), STILL_OVER, 1.0
                )
                if patch_now is not None:
                    self._laid[rest.number] = (rest, patch_now)
                    self._paint(patch_now, self._canvas)

    def _set_reserve(self, player: str, count: int, pose: Pose) -> list[Box]:
        old = self._reserves.pop(player, None)
        boxes = [old.box] if old is not None else []
        if count:
            flat = corners(self._film._card_mm, pose)
            points = np.column_stack([flat, np.full(4, CARD_THICK_MM * count)])
            patch = self._film._lit(self._film._back, self._film.optics.pixels(points), STILL_OVER, 1.0)
            if patch is not None:
                self._reserves[player] = patch
                boxes.append(patch.box)
        return boxes

    def _paint(self, patch: Patch, canvas: Picture) -> None:
        x0, y0, x1, y1 = patch.box
        shade = cv2.GaussianBlur(patch.alpha, (0, 0), max(0.6, 0.9 * self._film.optics.per_mm()))
        darken(canvas, patch.box, 0.5 * shade)
        blend(canvas, patch)

    def _repaint(self, where: Box) -> None:
        """Paint a part anew from the empty table up."""
        x0, y0, x1, y1 = where
        self._canvas[y0:y1, x0:x1] = self._film.scenery.empty[y0:y1, x0:x1]
        patches = [*(patch for _, patch in self._laid.values()), *self._reserves.values()]
        for patch in patches:
            a, b, c, d = patch.box
            p, q, r, s = max(x0, a), max(y0, b), min(x1, c), min(y1, d)
            if r > p and s > q:
                shade = cv2.GaussianBlur(patch.alpha, (0, 0), max(0.6, 0.9 * self._film.optics.per_mm()))
                rows, columns = slice(q - b, s - b), slice(p - a, r - a)
                darken(self._canvas, (p, q, r, s), np.ascontiguousarray(0.5 * shade[rows, columns]))
                blend(
                    self._canvas,
                    Patch(
                        (p, q, r, s),
                        np.ascontiguousarray(patch.bgr[rows, columns]),
                        np.ascontiguousarray(patch.alpha[rows, columns]),
                    ),
                )


def _prints(deck: Deck, side_px: float) -> dict[str, object]:
    return {card.id: card_print(picture(card), side_px, STILL_OVER) for card in deck.cards}


def _smear(vector: Array) -> NDArray[np.float32]:
    """A kernel that spreads a point along a vector of pixels."""
    reach = max(1, int(np.ceil(np.abs(vector).max() / 2)))
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for s in np.linspace(-0.5, 0.5, 2 * reach + 1):
        x, y = vector * s
        kernel[round(float(y)) + reach, round(float(x)) + reach] += 1
    return kernel / kernel.sum()
