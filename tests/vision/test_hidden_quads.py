"""Cards that something covers in part, found by the sides that are seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.vision.geometry import overlap
from referee.vision.hidden_quads import hidden_quads
from referee.vision.outlines import rim_of
from referee.vision.pyramid import Pyramid
from referee.vision.quads import find_quads, outlines_of

ASPECT = 63 / 88
CARD_MM = (63.0, 88.0)


def table_with_card(angle: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A dark table with a white card in its middle; the card's corners (4×2 px, clockwise)."""
    image = np.full((480, 640, 3), 70, np.uint8)
    quad = cv2.boxPoints(((320.0, 240.0), (120.0, 120.0 / ASPECT), angle))
    cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (225, 228, 230), cv2.LINE_AA)
    return image, np.asarray(quad, np.float64)


@pytest.mark.parametrize("angle", [0.0, 17.0, 64.0])
@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_a_card_of_which_one_end_is_covered_is_among_the_places(angle: float, side: int) -> None:
    image, quad = table_with_card(angle)
    # A dark book over a third of it, from one side.
    a, b = quad[side], quad[(side + 1) % 4]
    inward = (quad[(side + 2) % 4] - b) * 0.33
    book = np.array([a + inward + (a - b), b + inward + (b - a), b - inward * 2 + (b - a), a - inward * 2 + (a - b)])
    cv2.fillConvexPoly(image, np.round(book).astype(np.int32), (40, 60, 110), cv2.LINE_AA)
    assert all(overlap(q, quad) < 0.8 for q in find_quads(image, ASPECT))
    found = hidden_quads(outlines_of(image), ASPECT)
    assert max(overlap(q, quad) for q in found) > 0.9


def test_an_empty_table_has_no_such_place() -> None:
    assert hidden_quads(outlines_of(np.full((300, 400, 3), 90, np.uint8)), ASPECT) == []


def test_a_whole_card_shows_all_its_border_and_a_place_beside_it_little() -> None:
    image, quad = table_with_card(17.0)
    assert rim_of(Pyramid(image), quad, CARD_MM).share > 0.9
    assert rim_of(Pyramid(image), quad + np.array([60.0, 0.0]), CARD_MM).share < 0.5


def test_a_corner_that_a_book_covers_shows_no_border() -> None:
    image, quad = table_with_card(0.0)
    corner = quad[2]
    cv2.rectangle(image, (corner - 45).astype(int).tolist(), (corner + 60).astype(int).tolist(), (40, 60, 110), -1)
    corners = rim_of(Pyramid(image), quad, CARD_MM).corners
    # The order is that of a card standing upright: the covered corner is known by being the only one.
    assert sorted(share > 0.9 for share in corners) == [False, True, True, True]
    assert min(corners) < 0.2
