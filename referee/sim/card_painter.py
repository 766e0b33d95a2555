"""Cards under a simulated camera: their faces and back made ready, lit where they lie.

Belongs here: one card in one place as a patch of a picture. Does not belong here: where cards are (`timeline`),
what lies over what (`stills`, `film`).
"""

from __future__ import annotations

import cv2
import numpy as np

from referee.deck.folder import Deck, picture
from referee.sim.optics import Array, box
from referee.sim.patches import Patch, Picture, Print, card_print, darken, warp
from referee.sim.scenery import WHITE, Scenery, back_print
from referee.sim.timeline import Pose, corners

STILL_OVER, MOVING_OVER = 3, 2
CARD_THICK_MM = 0.3


class CardPainter:
    """Makes patches of one deck's cards on one scenery."""

    def __init__(self, deck: Deck, scenery: Scenery) -> None:
        """Make the deck's pictures ready; raises `DeckError` for a damaged one."""
        self.card_mm = deck.card_mm
        self._scenery = scenery
        side = scenery.optics.per_mm() * min(deck.card_mm)
        self.faces = {card.id: card_print(picture(card), side, STILL_OVER) for card in deck.cards}
        self.back = card_print(back_print(), side, STILL_OVER)

    def lying(self, pose: Pose, depth: int) -> Array:
        """The corners in space (4×3 mm) of a card with `depth` cards below it."""
        return np.column_stack([corners(self.card_mm, pose), np.full(4, CARD_THICK_MM * (depth + 1))])

    def lit(self, face: Print, points: Array, over: int = MOVING_OVER, level: float = 1.0) -> Patch | None:
        """A face with its corners at `points` (4×3 mm), in the light that falls there times `level`."""
        optics, light = self._scenery.optics, self._scenery.light
        patch = warp(face, optics.pixels(points), optics.size, over, self._scenery.blur_px)
        if patch is None:
            return None
        x0, y0, x1, y1 = patch.box
        bgr = patch.bgr * (light.gain[y0:y1, x0:x1] * np.float32(WHITE * level)) + light.shine[y0:y1, x0:x1, None]
        return Patch(patch.box, np.asarray(bgr, np.float32), patch.alpha)

    def shadow_under(self, canvas: Picture, points: Array) -> None:
        """The shadow of a card that is not lying: its outline on the table, along the light."""
        optics, light = self._scenery.optics, self._scenery.light
        quad = optics.pixels(points[:, :2] + points[:, 2:] * light.towards)
        soft = max(0.6, light.soft_mm * 0.25 * optics.per_mm())
        where = box(quad, optics.size, int(2 * soft) + 1)
        if where is None:
            return
        x0, y0, x1, y1 = where
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.fillConvexPoly(mask, np.round((quad - (x0, y0)) * 16).astype(np.int32), light.depth, cv2.LINE_AA, 4)
        darken(canvas, where, cv2.GaussianBlur(mask, (0, 0), soft))
