"""Which cards are easy to confuse, and from which size on they are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.deck.folder import picture, resolve_deck
from referee.deck.looks import BASE_PX, Look, at_size, face_look, look_of, looks
from referee.deck.near import SIZES_PX, best_turn, distance, nearest_pairs, needs_px, pair
from tests.deck.views import seen_badly

RUSH = resolve_deck("builtin:totem-rush")


def shape(name: str, colour: str = "blue") -> Look:
    card = RUSH.card(f"{name}/{colour}")
    return look_of(name, picture(card), RUSH.card_mm, "symbol")


TWINS = {
    frozenset(pair)
    for pair in (
        ("wheel-round", "wheel-eight"),
        ("wave-thin", "wave-thick"),
        ("slits-short", "slits-long"),
        ("slits-long", "slits-in"),
        ("slits-short", "slits-in"),
        ("moon-narrow", "moon-wide"),
        ("nest-2", "nest-turned"),
        ("nest-2", "nest-3"),
        ("nest-3", "nest-turned"),
    )
}


def test_the_twins_of_totem_rush_are_the_nearest_pairs() -> None:
    shapes = [look for look in looks(RUSH) if look.card.endswith("/blue")]
    found = {
        frozenset((near.first.removesuffix("/blue"), near.second.removesuffix("/blue")))
        for near in nearest_pairs(shapes, len(TWINS))
    }
    assert found == TWINS


def test_a_wheel_that_is_round_and_one_with_eight_sides_need_the_largest_card() -> None:
    shapes = [look for look in looks(RUSH) if look.card.endswith("/red")]
    hardest = nearest_pairs(shapes, 1)[0]
    assert {hardest.first, hardest.second} == {"wheel-round/red", "wheel-eight/red"}
    assert hardest.needs_px is not None
    assert 40 <= hardest.needs_px <= 80


def test_a_card_cannot_be_told_from_itself_in_any_turn() -> None:
    look = shape("swirl-left")
    for turns in range(4):
        turned = replace(look, map=np.ascontiguousarray(np.rot90(look.map, turns)))
        assert distance(at_size(look.map, 80), at_size(turned.map, 80)) < 1e-6
        assert needs_px(look, turned) is None


def test_mirror_images_are_told_apart_from_small_cards_on() -> None:
    assert needs_px(shape("swirl-left"), shape("swirl-right")) == SIZES_PX[0]


def test_the_colour_of_a_shape_makes_it_no_other_shape() -> None:
    blue = shape("loops-5")
    for colour in ("red", "green", "yellow"):
        other = shape("loops-5", colour)
        assert distance(at_size(blue.map, 80), at_size(other.map, 80)) < 0.01
        assert needs_px(blue, other) is None


def test_the_turn_that_lays_one_card_on_another_is_found() -> None:
    look = at_size(shape("moon-wide").map, 60)
    for turns in range(4):
        found, apart = best_turn(look, np.ascontiguousarray(np.rot90(look, -turns)))
        assert (found, apart < 1e-6) == (turns, True)


def test_a_picture_that_lies_on_its_side_is_the_same_card() -> None:
    deck = resolve_deck("builtin:52")
    upright = picture(deck.card("7H"))
    lying = np.ascontiguousarray(np.rot90(upright))
    first, second = (look_of("7H", pixels, deck.card_mm, "face") for pixels in (upright, lying))
    assert first.map.shape == second.map.shape == (round(BASE_PX * 88 / 63), BASE_PX, 3)
    assert distance(at_size(first.map, 60), at_size(second.map, 60)) < 0.005


def test_the_colour_of_the_lamp_is_not_the_colour_of_the_card() -> None:
    white = picture(RUSH.card("loops-6/green"))
    warm = np.clip(white * np.array([0.62, 0.8, 0.95]), 0, 255).astype(np.uint8)
    under_white, under_warm = (look_of("x", pixels, RUSH.card_mm, "symbol") for pixels in (white, warm))
    assert np.abs(np.subtract(under_white.ink, under_warm.ink)).max() < 6


def test_a_card_without_any_ink_has_a_look_all_the_same() -> None:
    blank = np.full((300, 300, 3), 255, np.uint8)
    assert look_of("x", blank, (60.0, 60.0), "symbol").map.max() == 0
    dark = np.full((300, 300, 3), 20, np.uint8)
    assert np.isfinite(look_of("x", dark, (60.0, 60.0), "face").map).all()


def test_arrow_cards_of_one_outline_differ_by_their_colours() -> None:
    assert pair(face_look(RUSH, "arrow/in"), face_look(RUSH, "arrow/colour")).needs_px == SIZES_PX[0]


@pytest.mark.parametrize(("first", "second"), [("wheel-round", "wheel-eight"), ("slits-short", "slits-long")])
def test_at_the_size_a_pair_needs_a_plain_reader_with_corners_half_a_pixel_off_hardly_errs(
    first: str, second: str
) -> None:
    rng = np.random.default_rng(7)
    cards = [shape(first), shape(second)]
    size = needs_px(*cards)
    assert size is not None
    goals = [at_size(card.map, size) for card in cards]
    wrong = 0
    for trial in range(60):
        view = seen_badly(cards[trial % 2], size, rng, corner_px=0.5)
        wrong += int(np.argmin([distance(view, goal) for goal in goals]) != trial % 2)
    assert wrong <= 1
