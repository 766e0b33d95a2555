"""Reading one card, and what the prints of a deck give the reader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.sim.tables import Conditions, Table
from referee.vision.cards import sighting
from referee.vision.geometry import homography, quad_of
from referee.vision.levels import LEVELS_PX
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader
from referee.vision.registration import ALL_TERMS, register
from referee.vision.symbols import Ranked


def test_cards_of_one_shape_share_a_template_and_playing_cards_do_not(rush: Reader, fifty_two: Reader) -> None:
    shapes = {t.name: len(t.cards) for t in rush.prints.templates}
    assert shapes["moon-narrow"] == 4
    assert sum(shapes.values()) == 75
    assert len(fifty_two.prints.templates) == 52


def test_a_print_with_fivefold_symmetry_knows_its_angles(rush: Reader) -> None:
    loops = next(t for t in rush.prints.templates if t.name == "loops-5")
    assert loops.alike_deg == (72.0, 144.0, 216.0, 288.0)
    moon = next(t for t in rush.prints.templates if t.name == "moon-narrow")
    assert moon.alike_deg == ()


def test_registration_finds_back_a_card_that_is_three_pixels_off(
    rush: Reader, rush_table: Table, easy: Conditions
) -> None:
    scene = rush_table.single(31, easy, ["moon-wide/red", "arrow/out"])
    field = Pyramid(scene.image).at(1.0).ink
    for card in scene.cards:
        template = next(i for i, t in enumerate(rush.prints.templates) if card.card in t.cards)
        corners = rush.prints.levels[64].frame
        pushed = homography(corners, card.quad + np.array([[3.0, -2.0]]))
        fit = register(field, rush.prints, template, pushed, 64, 2, ALL_TERMS, 10)
        assert np.linalg.norm(quad_of(fit.pose, (60.0, 60.0)) - card.quad, axis=1).mean() < 0.5
        assert fit.energy < 0.02


def test_fingers_said_to_be_hidden_do_not_pull(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(32, easy, ["moon-wide/red"])
    card = scene.cards[0]
    field = Pyramid(scene.image).at(1.0).ink.copy()
    level = rush.prints.levels[64]
    template = next(i for i, t in enumerate(rush.prints.templates) if card.card in t.cards)
    pose = homography(level.frame, card.quad)
    hidden = level.inner[:, 0] > 10
    corner = np.round(card.quad[[1, 2]].mean(0)).astype(int)
    field[corner[1] - 14 : corner[1] + 14, corner[0] - 14 : corner[0] + 14] = 0.6
    fit = register(field, rush.prints, template, pose, 64, 2, ALL_TERMS, 8, hidden=hidden)
    assert np.linalg.norm(quad_of(fit.pose, (60.0, 60.0)) - card.quad, axis=1).mean() < 1.0


def test_every_level_compares_most_of_the_card(fifty_two: Reader) -> None:
    for px in LEVELS_PX:
        level = fifty_two.prints.levels[px]
        assert level.shape[1] == px
        assert level.mask.mean() > 0.85


def test_confidence_falls_with_light_and_sharpness(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    names = ["slits-short/red", "slits-long/red", "moon-wide/red"]
    good = rush_table.single(33, easy, names)
    bad = rush_table.single(33, replace(easy, blur_px=3.0, noise=14.0, exposure=0.25), names)
    sure = [s.confidence for s in rush.read(good.image)]
    unsure = [s.confidence for s in rush.read(bad.image)]
    assert np.mean(sure) > np.mean(unsure) if unsure else True


def test_a_rank_without_its_suit_is_said_with_a_question_mark(
    fifty_two: Reader, fifty_two_table: Table, easy: Conditions
) -> None:
    scene = fifty_two_table.single(34, easy, ["KS"])
    found = fifty_two.read(scene.image)[0].look
    unsure = replace(found, ranking=(Ranked("KS", 0.0), Ranked("KH", -0.3), Ranked("QS", -7.0)))
    said = sighting(unsure, fifty_two.prints)
    assert said is not None
    assert said.card == "K?"
    assert said.candidates == ("KS", "KH")
