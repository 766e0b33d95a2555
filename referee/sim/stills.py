"""The picture of everything that lies still on a simulated table, kept in step with the time.

Belongs here: laying cards over what lies there, taking piles away, what of a card others cover. Does not belong
here: what moves (`film`).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.sim.card_painter import CARD_THICK_MM, STILL_OVER, CardPainter
from referee.sim.optics import Box
from referee.sim.patches import Patch, Picture, blend, darken, overlap
from referee.sim.scenery import Scenery
from referee.sim.timeline import Pose, Rest, Timeline, corners

CONTACT_MM = 0.9  # how far the shade along a lying card's edge reaches
CONTACT_DEPTH = 0.5


class Stills:
    """One table's still picture; a change repaints only where it is."""

    def __init__(self, timeline: Timeline, cards: CardPainter, scenery: Scenery) -> None:
        self._timeline, self._cards, self._scenery = timeline, cards, scenery
        self._moments = sorted(
            {t for rest in timeline.rests for t in (rest.from_us, rest.until_us)}
            | {pile.from_us for pile in timeline.stocks}
        )
        self._soft_px = max(0.6, CONTACT_MM * scenery.optics.per_mm())
        self._clear()

    def _clear(self) -> None:
        self._canvas = self._scenery.empty.copy()
        self._laid: dict[int, tuple[Rest, Patch]] = {}
        self._stocks: dict[str, Patch] = {}
        self._t_us = -1
        self._next = 0

    def at(self, t_us: int) -> Picture:
        """The picture at `t_us`, to be copied before it is drawn on; going back in time starts anew."""
        if t_us < self._t_us:
            self._clear()
        self._t_us = t_us
        while self._next < len(self._moments) and self._moments[self._next] <= t_us:
            self._step(self._moments[self._next])
            self._next += 1
        return self._canvas

    def tops(self) -> dict[str, Rest]:
        """The top card of each pile that shows its face, as of the last picture."""
        found: dict[str, Rest] = {}
        for rest, _ in self._laid.values():
            if not rest.face_down and (rest.zone not in found or rest.depth >= found[rest.zone].depth):
                found[rest.zone] = rest
        return found

    def mask(self, rest: Rest) -> tuple[Box, NDArray[np.bool_]]:
        """The pixels of a lying card that no card laid later covers."""
        patch = self._laid[rest.number][1]
        mask = patch.alpha > 0.5
        later = False
        for number, (_, other) in self._laid.items():
            common = overlap(patch.box, other.box) if later else None
            if common is not None:
                mask[part(common, patch.box)] &= other.alpha[part(common, other.box)] < 0.5
            later = later or number == rest.number
        return patch.box, mask

    def _step(self, moment: int) -> None:
        """What changes at one moment: piles go, stocks grow or shrink, cards come to lie."""
        changed: list[Box] = []
        for number, (rest, patch) in list(self._laid.items()):
            if rest.until_us == moment:
                del self._laid[number]
                changed.append(patch.box)
        for pile in self._timeline.stocks:
            if pile.from_us == moment:
                changed += self._set_stock(pile.name, pile.count, pile.pose)
        for where in changed:
            self._repaint(where)
        for rest in self._timeline.rests:
            if rest.from_us == moment < rest.until_us:
                points = self._cards.lying(rest.pose, rest.depth)
                face = self._cards.back if rest.face_down else self._cards.faces[rest.card]
                laid = self._cards.lit(face, points, STILL_OVER)
                if laid is not None:
                    self._laid[rest.number] = (rest, laid)
                    self._paint(laid, laid.box)

    def _set_stock(self, name: str, count: int, pose: Pose) -> list[Box]:
        old = self._stocks.pop(name, None)
        boxes = [old.box] if old is not None else []
        if count:
            points = np.column_stack([corners(self._cards.card_mm, pose), np.full(4, CARD_THICK_MM * count)])
            patch = self._cards.lit(self._cards.back, points, STILL_OVER)
            if patch is not None:
                self._stocks[name] = patch
                boxes.append(patch.box)
        return boxes

    def _repaint(self, where: Box) -> None:
        """Paint a part anew from the empty table up; stocks lie over what is pushed under them."""
        x0, y0, x1, y1 = where
        self._canvas[y0:y1, x0:x1] = self._scenery.empty[y0:y1, x0:x1]
        for patch in [*(patch for _, patch in self._laid.values()), *self._stocks.values()]:
            common = overlap(where, patch.box)
            if common is not None:
                self._paint(patch, common)

    def _paint(self, patch: Patch, where: Box) -> None:
        """Lay the part of a patch that is inside `where`."""
        shade = CONTACT_DEPTH * cv2.GaussianBlur(patch.alpha, (0, 0), self._soft_px)
        rows = part(where, patch.box)
        darken(self._canvas, where, np.ascontiguousarray(shade[rows], np.float32))
        cut = Patch(where, np.ascontiguousarray(patch.bgr[rows]), np.ascontiguousarray(patch.alpha[rows]))
        blend(self._canvas, cut)


def part(where: Box, of: Box) -> tuple[slice, slice]:
    """The rows and columns of a box inside an array that covers another."""
    return slice(where[1] - of[1], where[3] - of[1]), slice(where[0] - of[0], where[2] - of[0])
