"""Reading whole pictures of our own decks on rendered tables."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.sim.surfaces import SURFACES
from referee.sim.tables import Conditions, Scene, Table
from referee.vision.cards import Sighting, no_more_than_there_are
from referee.vision.geometry import overlap
from referee.vision.reader import Reader
from referee.vision.symbols import Ranked


def outcomes(scene: Scene, sightings: list[Sighting]) -> dict[str, int]:
    """How many of the picture's cards were read right, wrongly, withheld, missed; and ids beside any card."""
    count = {"right": 0, "wrong": 0, "withheld": 0, "missed": 0}
    used = set()
    for card in scene.cards:
        near = [i for i, s in enumerate(sightings) if overlap(s.quad, card.quad) > 0.5]
        used.update(near)
        if not near:
            count["missed"] += 1
            continue
        said = sightings[near[0]].card
        count["withheld" if "?" in said else "right" if said == card.card else "wrong"] += 1
    count["phantom"] = sum(i not in used and "?" not in s.card for i, s in enumerate(sightings))
    return count


def corner_errors(scene: Scene, sightings: list[Sighting]) -> list[float]:
    errors = []
    for card in scene.cards:
        for s in sightings:
            if s.card == card.card and overlap(s.quad, card.quad) > 0.5:
                rolled = [np.linalg.norm(np.roll(s.quad, k, 0) - card.quad, axis=1).mean() for k in range(4)]
                errors.append(float(min(rolled)))
    return errors


@pytest.mark.parametrize("surface", SURFACES)
def test_cards_are_read_on_every_surface(rush: Reader, rush_table: Table, easy: Conditions, surface: str) -> None:
    scene = rush_table.scene(11, replace(easy, surface=surface), cards=4)
    count = outcomes(scene, rush.read(scene.image))
    assert count["wrong"] == count["phantom"] == 0
    assert count["right"] >= len(scene.cards) - 1


def test_corners_are_good_to_half_a_pixel(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.scene(12, easy, cards=5)
    errors = corner_errors(scene, rush.read(scene.image))
    assert len(errors) >= 4
    assert np.median(errors) < 0.5


def test_playing_cards_in_piles_are_read_by_the_top_card(
    fifty_two: Reader, fifty_two_table: Table, easy: Conditions
) -> None:
    scene = fifty_two_table.scene(13, replace(easy, pile=4, size=(1280, 720)), cards=4)
    count = outcomes(scene, fifty_two.read(scene.image))
    assert count["wrong"] == 0
    assert count["right"] >= len(scene.cards) - 1


def test_without_markers_the_cards_give_the_scale(fifty_two: Reader, fifty_two_table: Table, easy: Conditions) -> None:
    scene = fifty_two_table.scene(14, replace(easy, markers=False, surface="black"), cards=4)
    assert fifty_two.view(scene.image) is None
    count = outcomes(scene, fifty_two.read(scene.image))
    assert count["wrong"] == count["phantom"] == 0
    assert count["right"] >= len(scene.cards) - 1


def test_twins_are_told_apart_in_every_colour(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    twins = ["moon-narrow/blue", "moon-wide/blue", "wheel-round/red", "wheel-eight/red", "slits-in/green"]
    twins += ["swirl-left/yellow", "swirl-right/yellow"]
    scene = rush_table.single(15, replace(easy, size=(1280, 720)), twins)
    count = outcomes(scene, rush.read(scene.image))
    assert count["wrong"] == 0
    assert count["right"] >= len(scene.cards) - 1


def test_colours_are_told_in_warm_and_in_cold_light(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    cards = [f"wave-thick/{colour}" for colour in ("blue", "red", "green", "yellow")]
    for warmth in (0.75, 1.4):
        scene = rush_table.single(16, replace(easy, warmth=warmth), cards)
        count = outcomes(scene, rush.read(scene.image))
        assert count["wrong"] == 0
        assert count["right"] == len(scene.cards)


def test_an_empty_table_holds_no_card(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    for surface in SURFACES:
        scene = rush_table.single(17, replace(easy, surface=surface), [])
        assert [s.card for s in rush.read(scene.image) if "?" not in s.card] == []


def test_cards_of_another_game_are_never_named(rush: Reader, fifty_two_table: Table, easy: Conditions) -> None:
    scene = fifty_two_table.scene(18, easy, cards=4)
    assert [s.card for s in rush.read(scene.image) if "?" not in s.card] == []


def test_a_plain_disc_on_a_square_of_paper_is_no_card_with_slits(rush: Reader, easy: Conditions) -> None:
    image = Table(rush.prints.deck).single(7, easy, []).image.copy()
    corners = np.round(cv2.boxPoints(((480.0, 270.0), (100.0, 100.0), 45.0))).astype(np.int32)
    cv2.fillConvexPoly(image, corners, (205, 215, 245), cv2.LINE_AA)
    cv2.circle(image, (480, 270), 30, (20, 50, 180), -1, cv2.LINE_AA)
    assert {s.card for s in rush.read(np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.uint8))} <= {"?"}


def test_one_print_more_often_than_the_box_holds_it_is_a_pattern_but_for_what_is_clearly_seen(
    rush: Reader, rush_table: Table, easy: Conditions
) -> None:
    """A checked cloth is full of squares about which a print of sorts is seen."""
    told = [s for s in rush.read(rush_table.scene(5, easy, cards=6).image) if s.card != "?"]
    clear = told[0]
    colours = next(t.cards for t in rush.prints.templates if clear.card in t.cards)
    other = next(s for s in told if s.card not in colours)
    doubtful = replace(clear, look=replace(clear.look, seen=0.7, explained=0.97))
    assert no_more_than_there_are([doubtful, other], rush.prints) == [doubtful, other]
    twice = no_more_than_there_are([clear, doubtful, other], rush.prints)
    assert [s.card for s in twice] == [clear.card, "?", other.card]
    assert twice[1].candidates == (clear.card,)
    nearly = replace(doubtful, card="?", look=replace(doubtful.look, explained=0.94))
    assert [s.card for s in no_more_than_there_are([nearly, doubtful, other], rush.prints)] == ["?", "?", other.card]
    each = [replace(doubtful, card=card, look=replace(doubtful.look, ranking=(Ranked(card, 0.0),))) for card in colours]
    assert no_more_than_there_are(each, rush.prints) == each
    too_many = no_more_than_there_are([*each, clear], rush.prints)
    assert [s.card for s in too_many] == ["?"] * len(colours) + [clear.card]


def test_no_square_of_a_checked_cloth_is_a_card(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    """Its red squares, half a card wide, are much like a disc with slits that is a little hidden all around."""
    checks = replace(
        easy, size=(1280, 720), side_px=58.8, tilt_deg=3.6, surface="checks", blur_px=0.56, noise=2.5, pile=5
    )
    scene = rush_table.scene(95058, replace(checks, jpeg=93, exposure=0.84, motion_px=1.8, distortion=-0.014))
    named = [s for s in rush.read(scene.image) if s.card != "?"]
    assert len(named) >= 5
    for sighting in named:
        assert any(overlap(sighting.quad, card.quad) > 0.5 for card in scene.cards), sighting.card


def test_a_blurred_card_is_withheld_and_not_guessed(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    twins = ["moon-narrow/blue", "moon-wide/blue", "slits-short/red", "slits-long/red"]
    scene = rush_table.single(19, replace(easy, side_px=40.0, blur_px=3.5), twins)
    assert outcomes(scene, rush.read(scene.image))["wrong"] == 0


def test_what_is_withheld_comes_with_its_candidates(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.single(20, easy, ["moon-wide/blue", "loops-5/red"])
    grey = cv2.cvtColor(cv2.cvtColor(scene.image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    sightings = rush.read(np.asarray(grey, np.uint8))
    # Without colour the shape is known and the colour is not.
    assert sightings
    for s in sightings:
        assert s.card == "?"
        assert {c.split("/")[0] for c in s.candidates} <= {"moon-wide", "loops-5"}


def test_a_picture_is_read_the_same_twice(rush: Reader, rush_table: Table, easy: Conditions) -> None:
    scene = rush_table.scene(21, easy, cards=3)
    first, second = rush.read(scene.image), rush.read(scene.image)
    assert [s.card for s in first] == [s.card for s in second]
    assert all(np.array_equal(a.quad, b.quad) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (300, 2), (40, 40)])
def test_a_picture_of_any_size_ends_in_an_answer(rush: Reader, shape: tuple[int, int]) -> None:
    assert rush.read(np.full((*shape, 3), 128, np.uint8)) == []
