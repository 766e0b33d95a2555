"""Cards under lamps of one colour, with a camera set for the day."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.sim.tables import Conditions, Scene, Table
from referee.vision.geometry import corners_mm, homography
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.registration import Fit, register
from referee.vision.tint import in_white_light, strong_tint

COLD = np.array([1.12, 0.9, 0.6])
SHORT_PX = 32


@pytest.fixture(scope="module")
def small_cards(rush_table: Table, easy_small: Conditions) -> Scene:
    return rush_table.scene(71_001, easy_small, cards=10)


@pytest.fixture(scope="module")
def easy_small() -> Conditions:
    return Conditions((960, 540), 46.0, 5.0, -0.05, "felt", 1.0, 0.8, 0.0, 0.0, 0, 0.6, 0.0, 3.0, 88, True, 1)


def lit(image: NDArray[np.uint8], light: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.clip(image * light, 0, 255).astype(np.uint8)


def laid(reader: Reader, scene: Scene, image: NDArray[np.uint8], place: int) -> Fit:
    card = scene.cards[place]
    template = next(i for i, t in enumerate(reader.prints.templates) if card.card in t.cards)
    pose = homography(corners_mm(reader.prints.deck.card_mm), card.quad)
    return register(Pyramid(image).at(1.0).ink, reader.prints, template, pose, SHORT_PX, 2)


def test_under_a_lamp_of_one_colour_small_cards_are_told_as_in_daylight(rush: Reader, small_cards: Scene) -> None:
    truth = {card.card for card in small_cards.cards}
    by_day = {s.card for s in rush.read(small_cards.image)} - {"?"}
    under_the_lamp = {s.card for s in rush.read(lit(small_cards.image, COLD))} - {"?"}
    assert by_day == truth
    assert under_the_lamp <= truth
    assert len(under_the_lamp) >= len(truth) - 1


def test_paper_that_is_white_enough_has_no_tint_and_that_under_a_coloured_lamp_has_the_lamps(
    rush: Reader, small_cards: Scene
) -> None:
    assert (
        strong_tint(laid(rush, small_cards, small_cards.image, 0), small_cards.image, rush.prints, SHORT_PX, 2) is None
    )
    image = lit(small_cards.image, COLD)
    paper = strong_tint(laid(rush, small_cards, image, 0), image, rush.prints, SHORT_PX, 2)
    assert paper is not None
    np.testing.assert_allclose(paper / paper.max(), COLD / COLD.max(), atol=0.06)


def test_what_has_least_green_is_no_lamps(rush: Reader, small_cards: Scene) -> None:
    image = lit(small_cards.image, np.array([1.0, 0.5, 1.1]))
    assert strong_tint(laid(rush, small_cards, image, 0), image, rush.prints, SHORT_PX, 2) is None


def test_ink_in_white_light_is_that_of_the_day_up_to_brightness(rush: Reader, small_cards: Scene) -> None:
    image = lit(small_cards.image, COLD)
    paper = strong_tint(laid(rush, small_cards, image, 0), image, rush.prints, SHORT_PX, 2)
    assert paper is not None
    ink, part, corner = in_white_light(image, small_cards.cards[0].quad, paper)
    assert part.shape[:2] == ink.shape
    low, high = corner.astype(int), (corner + ink.shape[::-1]).astype(int)
    by_day = Pyramid(small_cards.image).at(1.0).ink[low[1] : high[1], low[0] : high[0]]
    on_card = by_day[ink.shape[0] // 3 : -ink.shape[0] // 3, ink.shape[1] // 3 : -ink.shape[1] // 3]
    seen = ink[ink.shape[0] // 3 : -ink.shape[0] // 3, ink.shape[1] // 3 : -ink.shape[1] // 3]
    assert np.corrcoef(on_card.ravel(), seen.ravel())[0, 1] > 0.98


def test_a_card_at_the_pictures_edge_gives_the_part_of_it_that_there_is(rush: Reader, small_cards: Scene) -> None:
    width = small_cards.image.shape[1]
    edge = np.array([[width - 30.0, 5], [width + 10, 5], [width + 10, 45], [width - 30, 45]])
    ink, part, corner = in_white_light(small_cards.image, edge, np.array([200.0, 150.0, 100.0]))
    assert corner[0] + part.shape[1] == width
    assert corner[1] == 0
    assert ink.shape == part.shape[:2]
