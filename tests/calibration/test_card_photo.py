"""One card in one photograph: found, cut out, judged."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.card_finder import Quad, find_plain
from calibration.card_photo import CardLook, Refused, edge_rise_mm, look_at
from referee.deck.folder import picture, resolve_deck
from referee.deck.looks import at_size, look_of
from referee.deck.near import distance
from referee.errors import PictureError
from tests.calibration.tables import TABLES, Picture, photograph, table

RUSH, PACK = resolve_deck("builtin:totem-rush"), resolve_deck("builtin:52")
SQUARE, UPRIGHT = RUSH.card_mm, PACK.card_mm


def corner_error_px(found: Quad, true: Quad) -> float:
    return min(float(np.abs(np.roll(found, start, axis=0) - true).max()) for start in range(4))


@pytest.mark.parametrize("kind", TABLES)
def test_a_card_is_found_to_the_pixel_on_any_table(kind: str) -> None:
    rng = np.random.default_rng(11)
    for card_id, turn in (("loops-5/yellow", 3.0), ("seeds-inverse/blue", 61.0)):
        photo, true = photograph(picture(RUSH.card(card_id)), SQUARE, rng, kind, turn_deg=turn)
        quads = find_plain(photo, SQUARE)
        assert len(quads) == 1
        assert corner_error_px(quads[0], true) < 2.0


def test_a_card_that_is_not_square_is_found_lying_any_way() -> None:
    rng = np.random.default_rng(12)
    for turn in (0.0, 44.0, 90.0, 200.0):
        photo, true = photograph(picture(PACK.card("QH")), UPRIGHT, rng, turn_deg=turn)
        (quad,) = find_plain(photo, UPRIGHT)
        assert corner_error_px(quad, true) < 2.0


@pytest.mark.parametrize("card_id", ["AS", "7H", "10C", "KD"])
def test_what_is_cut_out_is_the_card(card_id: str) -> None:
    rng = np.random.default_rng(13)
    photo, _ = photograph(picture(PACK.card(card_id)), UPRIGHT, rng, turn_deg=float(rng.uniform(0, 360)))
    look = look_at(photo, UPRIGHT, find_plain)
    assert isinstance(look, CardLook)
    seen = at_size(look_of("", look.pixels, UPRIGHT, "face").map, 60)
    apart = {
        card.id: distance(at_size(look_of("", picture(card), UPRIGHT, "face").map, 60), seen)
        for card in PACK.cards[::3]
    }
    apart[card_id] = distance(at_size(look_of("", picture(PACK.card(card_id)), UPRIGHT, "face").map, 60), seen)
    assert min(apart, key=lambda card: apart[card]) == card_id


def why(photo: Picture, card_mm: tuple[float, float] = SQUARE) -> str:
    look = look_at(photo, card_mm, find_plain)
    return look.why if isinstance(look, Refused) else ""


@pytest.mark.parametrize("short_px", [230.0, 400.0])
def test_a_blurred_look_is_refused_by_how_much_of_the_card_it_blurs(short_px: float) -> None:
    rng = np.random.default_rng(14)
    for card_id in ("wave-thin/yellow", "moon-wide/blue", "arrow/in"):
        card = picture(RUSH.card(card_id))
        mm = short_px / SQUARE[0]
        sharp, _ = photograph(card, SQUARE, rng, short_px=short_px, blur_px=0.10 * mm)
        shaken, _ = photograph(card, SQUARE, rng, short_px=short_px, blur_px=0.55 * mm)
        assert why(sharp) == ""
        assert why(shaken).startswith("blurred")


def test_the_rise_of_edges_grows_with_blur_and_not_with_the_size_of_the_picture() -> None:
    card = picture(RUSH.card("nest-3/red"))
    rises = [edge_rise_mm(np.asarray(cv2.GaussianBlur(card, (0, 0), s), np.uint8), SQUARE) for s in (1, 2, 4, 8)]
    assert rises == sorted(rises)
    half = cv2.resize(cv2.GaussianBlur(card, (0, 0), 8), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert edge_rise_mm(np.asarray(half, np.uint8), SQUARE) == pytest.approx(rises[-1], rel=0.1)


def test_a_card_without_any_print_is_no_sharp_look() -> None:
    assert edge_rise_mm(np.full((300, 300, 3), 230, np.uint8), SQUARE) == float("inf")


@pytest.mark.parametrize("glare_mm", [15.0, 30.0])
def test_a_look_with_glare_is_refused(glare_mm: float) -> None:
    rng = np.random.default_rng(15)
    photo, _ = photograph(picture(RUSH.card("seeds/red")), SQUARE, rng, glare_mm=glare_mm)
    assert why(photo).startswith("glare")


def test_white_paper_that_is_white_all_over_is_no_glare() -> None:
    rng = np.random.default_rng(16)
    photo, _ = photograph(picture(RUSH.card("loops-6/red")), SQUARE, rng, lamp=(1.06, 1.06, 1.06))
    assert why(photo) == ""


def test_an_empty_table_and_two_cards_are_refused() -> None:
    rng = np.random.default_rng(17)
    empty = np.rint(255 * table("dark wood", 640, 480, rng)).astype(np.uint8)
    assert why(empty).startswith("no card")
    left, _ = photograph(picture(RUSH.card("loops-6/red")), SQUARE, rng, short_px=230, at=(0.25, 0.5))
    right, _ = photograph(picture(RUSH.card("seeds/red")), SQUARE, rng, short_px=230, at=(0.75, 0.5))
    both = np.concatenate([left[:, :640], right[:, 640:]], axis=1)
    assert why(both).startswith("2 cards")


def test_a_card_that_is_only_partly_in_the_picture_is_no_look() -> None:
    rng = np.random.default_rng(20)
    for turn in range(0, 90, 15):
        photo, _ = photograph(picture(RUSH.card("seeds/red")), SQUARE, rng, turn_deg=turn, at=(0.05, 0.5))
        assert why(photo).startswith("no card")


def test_a_card_too_small_or_seen_from_the_side_is_refused() -> None:
    rng = np.random.default_rng(18)
    small, _ = photograph(picture(RUSH.card("loops-6/red")), SQUARE, rng, short_px=150)
    assert "go nearer" in why(small)
    photo, _ = photograph(picture(RUSH.card("loops-6/red")), SQUARE, rng, short_px=330, turn_deg=0)
    flattened = cv2.resize(photo, (1280, 740), interpolation=cv2.INTER_AREA)
    assert "from the side" in why(np.asarray(flattened, np.uint8))


def test_a_finder_of_ones_own_is_used() -> None:
    rng = np.random.default_rng(19)
    photo, true = photograph(picture(RUSH.card("loops-6/red")), SQUARE, rng)
    assert isinstance(look_at(photo, SQUARE, lambda _photo, _mm: [true]), CardLook)
    assert isinstance(look_at(photo, SQUARE, lambda _photo, _mm: []), Refused)


def test_a_tiny_photograph_is_wrong_input() -> None:
    with pytest.raises(PictureError, match="200 and more"):
        find_plain(np.zeros((100, 300, 3), np.uint8), SQUARE)
