"""Ranks read from corners and pips of decks nobody enrolled."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.deck.folder import Card, Deck, picture, resolve_deck
from referee.deck.ids import RANKS, SUITS, corner_sign
from referee.sim.tables import Conditions, Table
from referee.vision.geometry import corners_mm, homography
from referee.vision.glance import glance
from referee.vision.pyramid import Pyramid
from referee.vision.rank_net import COURT, LAYOUTS, NO_SIGN, SIGNS
from referee.vision.ranks import read_ranks, said, signs_of, together
from referee.vision.reader import Reader

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from rank_cards import face_of
from rank_designs import Design

SURE = 0.99


def corner(**chances: float) -> NDArray[np.float32]:
    """What a corner says: chances of signs by name (`none` for no sign), the rest shared evenly."""
    row = np.zeros(len(SIGNS), np.float32)
    for sign, chance in chances.items():
        row[NO_SIGN if sign == "none" else SIGNS.index(sign.removeprefix("r"))] = chance
    return row + (1 - row.sum()) / len(row)


def no_suits(count: int) -> NDArray[np.float32]:
    """Suits of which nothing is known."""
    return np.full((count, 5), 0.2, np.float32)


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Deck:
    """A 52-card deck of another maker: letters, signs, pips and court cards drawn otherwise than ours."""
    folder = tmp_path_factory.mktemp("foreign")
    red, black = (0.15, 0.1, 0.8), (0.1, 0.1, 0.1)
    design = Design(
        font=None,
        bend=np.array([[2.0, -3.0], [1.0, 2.0]]),
        weight=17,
        suit_font=None,
        suit_shape=np.array([0.4, 0.6, 0.5, 0.3]),
        index_mm=8.0,
        squeeze=0.9,
        thicken=0,
        margin_mm=(2.5, 3.0),
        sign_share=0.8,
        sign_gap_mm=1.2,
        sign_beside=False,
        inks={"S": black, "C": black, "H": red, "D": red},
        paper=(0.96, 0.97, 0.98),
        four_corners=False,
        rim=0.0,
        pip_mm=10.5,
        pip_column_mm=10.5,
        pip_row_mm=27.0,
        turned_below=True,
    )
    cards: dict[str, Card] = {}
    random = np.random.default_rng(3)
    while len(cards) < 52:
        face = face_of(random, design, "standard")
        if face is None or face.rank is None or face.suit is None or f"{face.rank}{face.suit}" in cards:
            continue
        path = folder / f"{face.rank}{face.suit}.png"
        cv2.imwrite(str(path), (np.clip(face.picture, 0, 1) * 255).astype(np.uint8))
        cards[path.stem] = Card(path.stem, path, 1)
    return Deck("foreign", "speed", (63.0, 88.0), "face", tuple(cards.values()), folder)


def straight(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The pose of a card that fills a picture."""
    h, w = image.shape[:2]
    edge = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]])
    return homography(corners_mm((63.0, 88.0)), edge)


def test_two_corners_that_contradict_one_another_leave_the_rank_open() -> None:
    reading = together(np.stack([corner(r9=0.999), corner(r6=0.999)]), no_suits(2), None, None)
    assert reading.best[1] < 0.6
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_one_corner_alone_is_a_candidate_and_no_more() -> None:
    alone = together(np.stack([corner(r7=0.998), corner(none=0.999)]), no_suits(2), None, None)
    assert alone.best == ("7", pytest.approx(0.98))
    assert said(alone, resolve_deck("builtin:52"), SURE).card == "?"


def marked(chance: float) -> NDArray[np.float32]:
    """Suits of a corner under whose sign a mark stands with a chance, and of one of which nothing is known."""
    rows = no_suits(2)
    rows[0] = [chance / 4] * 4 + [1 - chance]
    return rows


def test_a_corner_whose_border_is_seen_does_by_itself_where_the_other_is_out_of_sight() -> None:
    corners = np.stack([corner(r7=0.9999), corner(rK=0.9)])
    reading = together(corners, marked(0.995), None, None, (True, False))
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "7?"


@pytest.mark.parametrize("bare", [(True, True), (False, False), (False, True), None])
def test_a_corner_never_does_by_itself_where_the_other_might_have_been_read(bare: tuple[bool, bool] | None) -> None:
    corners = np.stack([corner(r7=0.9999), corner(none=0.9999)])
    reading = together(corners, marked(0.995), None, None, bare)
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_a_letter_with_no_suit_under_it_is_no_index_by_itself() -> None:
    reading = together(np.stack([corner(rA=0.9999), corner(none=0.9)]), marked(0.9), None, None, (True, False))
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_pips_that_say_another_rank_stand_against_a_corner_by_itself() -> None:
    layout = np.full(12, 0.0005, np.float32)
    layout[8] = 0.995  # nine pips
    corners = np.stack([corner(r8=0.9999), corner(none=0.99)])
    reading = together(corners, marked(0.995), layout, no_suits(1)[0], (True, False))
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_one_corner_and_pips_that_agree_are_enough() -> None:
    layout = np.full(12, 0.0005, np.float32)
    layout[6] = 0.9945  # seven pips
    both = together(np.stack([corner(r7=0.998), corner(none=0.999)]), no_suits(2), layout, no_suits(1)[0])
    assert said(both, resolve_deck("builtin:52"), SURE).card == "7?"


def test_a_face_without_a_sign_in_any_corner_is_not_read() -> None:
    layout = np.zeros(12, np.float32)
    layout[4] = 1.0
    reading = together(np.stack([corner(none=0.999)] * 2), no_suits(2), layout, no_suits(1)[0])
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_pips_that_contradict_a_corner_withhold_the_rank() -> None:
    layout = np.full(12, 0.0005, np.float32)
    layout[8] = 0.995  # nine pips
    reading = together(np.stack([corner(r8=0.99), corner(none=0.99)]), no_suits(2), layout, no_suits(1)[0])
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def pips_of(rank: str, chance: float) -> NDArray[np.float32]:
    """A face that shows a layout with a chance, and any other as likely as the next."""
    layout = np.full(12, (1 - chance) / 11, np.float32)
    layout[LAYOUTS.index(rank)] = chance
    return layout


def test_pips_that_are_not_sure_do_not_stand_against_two_corners_that_agree() -> None:
    corners = np.stack([corner(r7=0.9998), corner(r7=0.9998)])
    reading = together(corners, no_suits(2), pips_of("8", 0.84), no_suits(1)[0])
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "7?"


def test_pips_that_are_sure_stand_against_two_corners_that_agree() -> None:
    corners = np.stack([corner(r7=0.9998), corner(r7=0.9998)])
    reading = together(corners, no_suits(2), pips_of("8", 0.995), no_suits(1)[0])
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


@pytest.mark.parametrize(("bare", "said_so"), [((False, False), "?"), ((True, True), "4?"), (None, "4?")])
def test_two_marks_without_a_cards_border_or_face_about_them_are_no_rank(
    bare: tuple[bool, bool] | None, said_so: str
) -> None:
    corners = np.stack([corner(r4=0.995), corner(r4=0.994)])
    reading = together(corners, no_suits(2), pips_of("", 0.999), no_suits(1)[0], bare)
    assert said(reading, resolve_deck("builtin:52"), SURE).card == said_so


def test_where_the_face_is_a_court_cards_its_letter_need_be_told_from_the_other_letters_only() -> None:
    corners = np.stack([corner(rQ=0.86, r9=0.1), corner(rQ=0.95, r9=0.04)])
    suits, court = no_suits(2), pips_of(COURT, 0.9999)
    assert said(together(corners, suits, court, no_suits(1)[0]), resolve_deck("builtin:52"), SURE).card == "Q?"
    between = np.stack([corner(rQ=0.86, rK=0.1), corner(rQ=0.95, rK=0.04)])
    assert said(together(between, suits, court, no_suits(1)[0]), resolve_deck("builtin:52"), SURE).card == "?"


def test_a_rank_whose_suit_is_not_sure_is_said_without_it() -> None:
    suits = np.tile(np.array([0.45, 0.03, 0.03, 0.46, 0.03], np.float32), (2, 1))
    reading = together(np.stack([corner(rK=0.999)] * 2), suits, None, None)
    what = said(reading, resolve_deck("builtin:52"), SURE)
    assert what.card == "K?"
    assert set(what.candidates[:2]) == {"KS", "KC"}


def test_a_number_that_several_cards_bear_is_left_open_between_them() -> None:
    reading = together(np.stack([corner(r5=0.999)] * 2), no_suits(2), None, None)
    what = said(reading, resolve_deck("builtin:jungle-bluff"), SURE)
    assert (what.card, set(what.candidates)) == ("?", {"5", "5r"})


def test_a_sign_that_no_card_of_the_deck_bears_is_never_said() -> None:
    reading = together(np.stack([corner(r12=0.999)] * 2), no_suits(2), None, None)
    assert said(reading, resolve_deck("builtin:52"), SURE).card == "?"


def test_decks_of_symbols_have_no_corners_to_read() -> None:
    assert signs_of(resolve_deck("builtin:totem-rush")) == {}
    assert set(signs_of(resolve_deck("builtin:52"))) == set(RANKS)
    assert corner_sign("dobro", "skip") is None


def test_every_card_of_our_pack_is_told_by_its_corners_alone() -> None:
    deck = resolve_deck("builtin:52")
    told = {}
    for card in deck.cards:
        image = picture(card)
        what = said(read_ranks(Pyramid(image), [straight(image)], deck)[0], deck, SURE)
        assert what.card in (card.id, f"{card.id[:-1]}?", "?")
        told[card.id] = what.card[:-1] == card.id[:-1]
    assert sum(told.values()) >= 50


def test_numbers_are_only_candidates_because_two_arrows_look_like_an_eleven() -> None:
    reading = together(np.stack([corner(r11=0.999)] * 2), no_suits(2), None, None)
    what = said(reading, resolve_deck("builtin:dobro"), SURE)
    assert (what.card, what.candidates) == ("?", ("11",))


@pytest.mark.parametrize(("name", "least"), [("dobro", 8), ("jungle-bluff", 7)])
def test_the_numbers_of_our_other_packs_are_among_their_corners_candidates(name: str, least: int) -> None:
    deck = resolve_deck(f"builtin:{name}")
    right = 0
    for card in deck.cards:
        image = picture(card)
        what = said(read_ranks(Pyramid(image), [straight(image)], deck)[0], deck, SURE)
        assert what.card == "?"
        right += card.id in what.candidates
    assert right >= least


def test_a_deck_nobody_enrolled_is_read_by_rank_without_a_mat(
    fifty_two: Reader, foreign: Deck, easy: Conditions
) -> None:
    table = Table(foreign)
    tally = {"cards": 0, "right": 0, "wrong": 0}
    for seed in range(4):
        scene = table.scene(900 + seed, replace(easy, markers=False, surface="black", side_px=120.0), cards=4)
        for card in scene.cards:
            near = [s for s in fifty_two.read(scene.image) if np.linalg.norm(s.centre - card.quad.mean(0)) < 30]
            tally["cards"] += 1
            for sighting in near:
                tally["right"] += sighting.card[:-1] == card.card[:-1]
                tally["wrong"] += sighting.card != "?" and sighting.card[:-1] != card.card[:-1]
    assert tally["wrong"] == 0
    assert tally["right"] >= 0.8 * tally["cards"]


def test_a_deck_nobody_enrolled_is_read_by_rank_on_a_mat(fifty_two: Reader, foreign: Deck, easy: Conditions) -> None:
    scene = Table(foreign).scene(910, replace(easy, side_px=110.0), cards=4)
    found = {s.card[:-1] for s in fifty_two.read(scene.image) if s.card != "?"}
    truth = {card.card[:-1] for card in scene.cards}
    assert found <= truth
    assert len(found) >= len(truth) - 1


def test_one_spot_of_a_table_is_read_by_rank_too(fifty_two: Reader, foreign: Deck, easy: Conditions) -> None:
    scene = Table(foreign).scene(910, replace(easy, side_px=110.0), cards=4)
    view = fifty_two.view(scene.image)
    assert view is not None
    told = []
    for card in scene.cards:
        low, high = card.quad.min(0) - 12, card.quad.max(0) + 12
        box = (max(0, int(low[0])), max(0, int(low[1])), int(high[0]), int(high[1]))
        told += [(f.sighting.card[:-1], card.card[:-1]) for f in glance(scene.image, box, fifty_two, view, 1) if f.fits]
    assert all(rank in ("", truth) for rank, truth in told)
    assert sum(rank == truth for rank, truth in told) >= len(scene.cards) - 1


def test_an_enrolled_deck_is_read_as_before(fifty_two: Reader, fifty_two_table: Table, easy: Conditions) -> None:
    scene = fifty_two_table.scene(51, replace(easy, side_px=100.0), cards=5)
    assert {s.card for s in fifty_two.read(scene.image)} == {card.card for card in scene.cards}


def test_suits_stand_in_their_order() -> None:
    assert SUITS == ("S", "H", "D", "C")
