"""Reading the cards of one spot of a picture, with the table's view known.

Belongs here: cutting the spot out, reading it, and saying where on the table what was read lies. Does not belong
here: when to look, what lay there before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.cards import Sighting, fits, read_cards
from referee.vision.colourless import without_colour
from referee.vision.geometry import Array
from referee.vision.places import Box
from referee.vision.reader import Reader
from referee.vision.table import TableView
from referee.vision.view import cropped

SMALLEST_PX = 16


@dataclass(frozen=True)
class Face:
    """A card read in a spot: its sighting (in the spot's own pixels), its corners in the whole picture (4×2 px), its
    centre and corners on the table (mm)."""

    sighting: Sighting
    quad_px: Array
    centre_mm: Array
    quad_mm: Array

    @property
    def fits(self) -> bool:
        """Whether it is one of the deck's prints for sure, even where it cannot be told which."""
        return bool(self.sighting.look.ranking) and fits(self.sighting.look)

    @property
    def turn_deg(self) -> float:
        """Which way its top edge points on the table."""
        edge = self.quad_mm[1] - self.quad_mm[0]
        return float(np.rad2deg(np.arctan2(edge[1], edge[0])))


def glance(
    picture: NDArray[np.uint8], box: Box, reader: Reader, view: TableView, most: int, colourless: bool = False
) -> list[Face]:
    """The cards in one box of a picture (H×W×3, BGR), `most` at most; `colourless` where a camera sees no colours."""
    left, top, right, bottom = box
    if min(right - left, bottom - top) < SMALLEST_PX:
        return []
    spot = np.ascontiguousarray(picture[top:bottom, left:right])
    seen = read_cards(spot, reader.prints, cropped(view, left, top), most)
    if colourless and reader.prints.deck.read == "symbol" and seen:
        seen = without_colour(seen, tuple(card.id for card in reader.prints.deck.cards))
    faces = []
    for sighting in seen:
        quad = sighting.quad + np.array([left, top])
        middle = (sighting.centre + np.array([left, top]))[None]
        faces.append(Face(sighting, quad, view.millimetres(middle)[0], view.millimetres(quad)))
    return faces
