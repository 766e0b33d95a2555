"""Telling a card alone from a photograph of a card on a table."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.card_alone import shows_table
from calibration.card_finder import find_plain
from referee.deck.folder import picture, resolve_deck
from referee.sim.tables import Conditions, Table

ON_WOOD = Conditions((700, 900), 380.0, 2.0, 0.0, "wood", 1.1, 0.9, 0.0, 0.0, 0, 0.6, 0.0, 2.0, 92, False, 1)


def on_paper(inner: tuple[int, int, int, int], around: int, within: int) -> NDArray[np.uint8]:
    """A face of 600×600 with one rectangle (left, top, right, bottom) on it."""
    face = np.full((600, 600, 3), around, np.uint8)
    cv2.rectangle(face, inner[:2], inner[2:], (within,) * 3, -1)
    return face


@pytest.mark.parametrize("name", ["totem-rush", "52", "dobro", "jungle-bluff"])
def test_pictures_of_whole_decks_are_cards_alone(name: str) -> None:
    deck = resolve_deck(f"builtin:{name}")
    for card in deck.cards[::4]:
        assert not shows_table(picture(card), deck.card_mm, find_plain), card.id


@pytest.mark.parametrize("name", ["totem-rush", "52"])
def test_a_card_on_a_table_is_no_card_alone(name: str) -> None:
    deck = resolve_deck(f"builtin:{name}")
    scene = Table(deck).single(3, ON_WOOD, [deck.cards[5].id])
    assert shows_table(scene.image, deck.card_mm, find_plain)


def test_a_panel_printed_in_the_middle_of_a_face_is_no_table() -> None:
    assert not shows_table(on_paper((60, 60, 539, 539), 90, 240), (60.0, 60.0), find_plain)


def test_the_same_panel_out_of_the_middle_is_one() -> None:
    assert shows_table(on_paper((40, 70, 519, 549), 90, 240), (60.0, 60.0), find_plain)
