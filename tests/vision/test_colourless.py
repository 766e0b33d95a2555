"""Pictures without colour, and mere stripes of a picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.sim.tables import Conditions, Table
from referee.vision.colourless import is_colourless
from referee.vision.reader import Reader
from tests.vision.test_cards import outcomes


def test_without_colour_a_card_is_known_by_its_shape_at_most(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.scene(21, easy, cards=5)
    grey = cv2.cvtColor(cv2.cvtColor(scene.image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    sightings = rush.read(np.asarray(grey, np.uint8))
    assert outcomes(scene, sightings)["wrong"] == 0
    assert sightings
    for sighting in sightings:
        assert sighting.card == "?" or sighting.card.startswith("arrow/")


def test_a_grey_picture_is_colourless_also_under_one_tint_and_a_table_with_cards_is_not(
    rush_table: Table, easy: Conditions
) -> None:
    image = rush_table.scene(22, easy, cards=3).image
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    tinted = np.rint(np.stack([0.6 * grey, 0.8 * grey, 1.0 * grey], 2)).astype(np.uint8)
    assert is_colourless(np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8))
    assert is_colourless(tinted)
    assert not is_colourless(image)


@pytest.mark.parametrize("shape", [(2, 4000), (60_000, 1), (20, 3000), (1, 1)])
def test_a_stripe_of_a_picture_holds_no_card(rush: Reader, shape: tuple[int, int]) -> None:
    assert rush.read(np.full((*shape, 3), 200, np.uint8)) == []
