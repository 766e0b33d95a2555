"""Decks from pictures named after their cards."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.deck.collect import add_images, plan_for
from referee.deck.folder import resolve_deck
from referee.errors import DeckError


def a_picture(path: Path, width: int = 300, height: int = 300) -> None:
    cv2.imwrite(str(path), np.full((height, width, 3), 200, np.uint8))


def test_a_shipped_deck_taken_apart_is_put_together_again(tmp_path: Path) -> None:
    whole = resolve_deck("builtin:totem-rush")
    (tmp_path / "pictures").mkdir()
    for card in whole.cards:
        shutil.copy(card.image, tmp_path / "pictures")
    (tmp_path / "pictures" / "notes.txt").write_text("found in the attic")
    deck = add_images(tmp_path / "pictures", plan_for("again", "jungle-speed"), tmp_path / "out")
    assert {(card.id, card.count) for card in deck.cards} == {(card.id, card.count) for card in whole.cards}
    assert (deck.game, deck.card_mm, deck.read) == (whole.game, whole.card_mm, whole.read)
    for card in deck.cards:
        assert card.image.read_bytes() == whole.card(card.id).image.read_bytes()


def test_what_is_usual_for_a_game_can_be_said_otherwise() -> None:
    assert plan_for("x", "jungle-speed").read == "symbol"
    assert plan_for("x", "dobro").card_mm == (63.0, 88.0)
    own = plan_for("x", "jungle-speed", (70.0, 70.0), "face")
    assert (own.card_mm, own.read) == ((70.0, 70.0), "face")


def test_a_picture_may_lie_on_its_side_but_not_have_other_proportions(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    a_picture(tmp_path / "p" / "AS.png", 440, 315)
    assert add_images(tmp_path / "p", plan_for("x", "speed"), tmp_path / "out").card("AS").count == 1
    a_picture(tmp_path / "p" / "2S.png", 400, 400)
    with pytest.raises(DeckError, match=r"400×400 pixels, expected the proportions"):
        add_images(tmp_path / "p", plan_for("x", "speed"), tmp_path / "out2")
    assert not (tmp_path / "out2").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("knot.png", "'knot' is no card of jungle-speed"),
        ("back.png", "'back' is no card"),
        ("knot-green.png", "with \\+ for /"),
    ],
)
def test_a_picture_that_is_named_after_no_card_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "p").mkdir()
    a_picture(tmp_path / "p" / name)
    with pytest.raises(DeckError, match=said):
        add_images(tmp_path / "p", plan_for("x", "jungle-speed"), tmp_path / "out")


def test_two_pictures_of_one_card_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    a_picture(tmp_path / "p" / "knot+green.png")
    a_picture(tmp_path / "p" / "knot+green.jpg")
    with pytest.raises(DeckError, match="second picture of 'knot/green'"):
        add_images(tmp_path / "p", plan_for("x", "jungle-speed"), tmp_path / "out")


def test_a_damaged_picture_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "knot+green.png").write_text("no picture")
    with pytest.raises(DeckError, match="not a picture"):
        add_images(tmp_path / "p", plan_for("x", "jungle-speed"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="no picture in this folder"):
        add_images(tmp_path, plan_for("x", "dobro"), tmp_path / "out")
    with pytest.raises(DeckError, match="no such folder"):
        add_images(tmp_path / "nowhere", plan_for("x", "dobro"), tmp_path / "out")
