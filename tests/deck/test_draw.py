"""The decks we draw."""

from __future__ import annotations

import io
import re
from itertools import combinations

import cv2
import numpy as np
import pytest
from PIL import Image

from referee.deck.colours import hardest_to_tell, lab
from referee.deck.draw.__main__ import contact_sheet
from referee.deck.draw.catalogue import NAMES, drawing
from referee.deck.draw.drawing import CardDrawing, DeckDrawing
from referee.deck.draw.glyphs import GLYPHS, text, text_width
from referee.deck.draw.picture import card_picture, card_png
from referee.deck.draw.svg import number
from referee.deck.draw.totem_rush import COLOURS, SHAPES
from referee.deck.folder import picture, resolve_deck
from referee.errors import DeckError

# Every seventh card: all families, and quick.
SOME = [(deck, card) for deck in map(drawing, NAMES) for card in deck.cards[::7]]


@pytest.mark.parametrize(("deck", "card"), SOME, ids=lambda value: getattr(value, "id", None))
def test_the_pictures_that_ship_are_what_the_code_draws(deck: DeckDrawing, card: CardDrawing) -> None:
    drawn = np.array(Image.open(io.BytesIO(card_png(deck.card_mm, card.front))).convert("RGB"))[:, :, ::-1]
    shipped = picture(resolve_deck(f"builtin:{deck.builtin}").card(card.id))
    # Another processor may round the edge of an ink by a shade.
    assert np.abs(drawn.astype(int) - shipped).mean() < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_drawings_and_shipped_decks_hold_the_same_cards(name: str) -> None:
    drawn, shipped = drawing(name), resolve_deck(f"builtin:{name}")
    assert [(card.id, card.count) for card in drawn.cards] == [(card.id, card.count) for card in shipped.cards]
    assert (drawn.name, drawn.game, drawn.card_mm, drawn.read) == (
        shipped.name,
        shipped.game,
        shipped.card_mm,
        shipped.read,
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_deck_is_small_enough_to_ship(name: str) -> None:
    folder = resolve_deck(f"builtin:{name}").folder
    assert sum(path.stat().st_size for path in folder.iterdir()) < 700_000


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_leaves_a_margin_of_paper(name: str) -> None:
    deck = drawing(name)
    for card in deck.cards[::3]:
        face = np.asarray(card_picture(deck.card_mm, card.front, 3))
        rim = np.concatenate([face[:7].ravel(), face[-7:].ravel(), face[:, :7].ravel(), face[:, -7:].ravel()])
        assert rim.min() == 255, card.id


def test_the_four_colours_are_told_apart_by_colour_blind_players_too() -> None:
    inks = [tuple(int(ink[i : i + 2], 16) for i in (1, 3, 5)) for ink in COLOURS.values()]
    for first, second in combinations(inks, 2):
        distance, _ = hardest_to_tell((first[0], first[1], first[2]), (second[0], second[1], second[2]))
        assert distance > 20


def test_the_four_colours_differ_in_lightness_alone() -> None:
    lightness = sorted(lab((int(ink[1:3], 16), int(ink[3:5], 16), int(ink[5:7], 16)))[0] for ink in COLOURS.values())
    assert min(np.diff(lightness)) > 12


def ink_map(body: str, side_px: int = 120) -> np.ndarray:
    face = np.asarray(card_picture((60.0, 60.0), body, side_px / 60).convert("L"), np.float32)
    return 1 - face / 255


def turned_anyhow(ink: np.ndarray) -> list[np.ndarray]:
    centre = ((ink.shape[1] - 1) / 2, (ink.shape[0] - 1) / 2)
    matrices = (cv2.getRotationMatrix2D(centre, angle, 1.0) for angle in range(0, 360, 3))
    return [cv2.warpAffine(ink, matrix, ink.shape[::-1]) for matrix in matrices]


def test_no_shape_is_another_one_turned() -> None:
    deck = drawing("totem-rush")
    inks = {shape: ink_map(next(c for c in deck.cards if c.id == f"{shape}/blue").front) for shape in SHAPES}
    for first, second in combinations(SHAPES, 2):
        apart = min(float(np.abs(inks[first] - way).mean()) for way in turned_anyhow(inks[second]))
        assert apart > 0.012, (first, second)


def test_swirls_are_mirror_images_of_one_another() -> None:
    deck = drawing("totem-rush")
    left, right = (
        ink_map(next(c for c in deck.cards if c.id == f"swirl-{side}/blue").front) for side in ("left", "right")
    )
    apart = min(float(np.abs(left[:, ::-1] - way).mean()) for way in turned_anyhow(right))
    assert apart < 0.01


@pytest.mark.parametrize("name", ["dobro", "jungle-bluff"])
def test_six_and_nine_are_not_one_another_upside_down(name: str) -> None:
    deck = drawing(name)
    six, nine = (
        np.asarray(card_picture(deck.card_mm, next(c for c in deck.cards if c.id == card_id).front, 2).convert("L"))
        for card_id in ("6", "9")
    )
    assert np.abs(six.astype(int) - nine[::-1, ::-1]).mean() > 4


def test_the_bare_digits_six_and_nine_differ_in_shape_without_their_underlines() -> None:
    six, nine = (
        np.asarray(card_picture((20.0, 20.0), text(digit, (10, 10), 12, "#000000"), 6).convert("L"), np.float32)
        for digit in "69"
    )
    assert np.abs(six - nine[::-1, ::-1]).mean() > 0.2 * (255 - six).mean()


def test_drawings_use_no_letters_of_a_font() -> None:
    for deck in map(drawing, NAMES):
        for card in deck.cards:
            assert "<text" not in card.front
            assert set(re.findall(r"<(\w+)", card.front)) <= {"path", "g"}


def test_no_drawing_is_there_for_a_name_we_do_not_know() -> None:
    with pytest.raises(DeckError, match="no such deck is drawn"):
        drawing("whist")


def test_only_the_direction_card_has_a_back_of_its_own() -> None:
    with_back = [card.id for deck in map(drawing, NAMES) for card in deck.cards if card.back is not None]
    assert with_back == ["direction"]


def test_a_contact_sheet_has_room_for_every_side() -> None:
    deck = drawing("dobro")
    sheet = contact_sheet(deck, 6)
    # 16 cards and the back of the direction card: three rows of six.
    assert sheet.width / sheet.height == pytest.approx(6 * 63 / (3 * 88), rel=0.05)


def test_words_are_as_wide_as_they_say_and_unknown_letters_are_left_out() -> None:
    assert text_width("AB", 10) == pytest.approx((60 + 24 + 60) / 10)
    assert text_width("é", 10) == text_width("E", 10)
    assert text_width("\u4e2d", 10) == 0
    assert text("\u4e2d", (0, 0), 10, "#000000") == ""
    assert all(letter in GLYPHS for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def test_numbers_are_rounded_to_a_micrometre() -> None:
    assert [number(value) for value in (1.0, -0.0001, 2.50049, 1e-9, 100.0)] == ["1", "0", "2.5", "0", "100"]
