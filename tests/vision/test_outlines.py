"""Cards that are seen and not told: paper of a card's form."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.sim.tables import Conditions, Table
from referee.vision.evidence import Evidence, add
from referee.vision.geometry import overlap
from referee.vision.outlines import face_up, outline_look
from referee.vision.pyramid import Pyramid
from referee.vision.reader import Reader

Picture = NDArray[np.uint8]
CENTRE = (480.0, 270.0)


def laid(image: Picture, size: tuple[float, float], paper: int, ink: int, print_share: float) -> np.ndarray:
    """Paint a sheet with a cross of ink on it in the middle of a picture; its corners (4×2 px)."""
    quad = cv2.boxPoints((CENTRE, size, 20.0))
    cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (paper, paper, paper), cv2.LINE_AA)
    for wide, high in ((print_share, print_share / 3), (print_share / 3, print_share)):
        bar = cv2.boxPoints((CENTRE, (wide * size[0], high * size[1]), 20.0))
        cv2.fillConvexPoly(image, np.round(bar).astype(np.int32), (ink, ink, ink), cv2.LINE_AA)
    return np.asarray(quad, np.float64)


@pytest.fixture
def empty(rush_table: Table, easy: Conditions) -> Picture:
    """A table with a mat's markers and no card."""
    return rush_table.single(31, replace(easy, tilt_deg=0.0, distortion=0.0), []).image.copy()


def test_paper_of_a_cards_size_with_a_print_nobody_knows_is_a_card_that_cannot_be_told(
    rush: Reader, empty: Picture
) -> None:
    quad = laid(empty, (90, 90), 200, 60, 0.7)
    sightings = rush.read(empty)
    assert [s.card for s in sightings] == ["?"]
    assert max(overlap(sightings[0].quad, np.roll(quad, k, 0)) for k in range(4)) > 0.8


def test_a_card_burnt_out_by_glare_is_seen_by_its_size(rush: Reader, empty: Picture) -> None:
    laid(empty, (90, 90), 255, 255, 0.7)
    sightings = rush.read(empty)
    assert [(s.card, s.candidates) for s in sightings] == [("?", ())]


@pytest.mark.parametrize(
    ("size", "paper", "ink", "print_share"),
    [
        ((170, 170), 200, 60, 0.7),  # a sheet
        ((120, 200), 200, 60, 0.7),  # an envelope
        ((40, 40), 255, 255, 0.7),  # a reflection
    ],
)
def test_paper_of_another_form_is_no_card(
    rush: Reader, empty: Picture, size: tuple[float, float], paper: int, ink: int, print_share: float
) -> None:
    laid(empty, size, paper, ink, print_share)
    assert rush.read(empty) == []


@pytest.mark.parametrize("seed", range(31, 37))
def test_paper_just_as_wide_as_a_card_may_pass_for_one_half_hidden_and_is_given_no_name(
    rush: Reader, rush_table: Table, easy: Conditions, seed: int
) -> None:
    image = rush_table.single(seed, replace(easy, tilt_deg=0.0, distortion=0.0), []).image.copy()
    laid(image, (90, 150), 200, 60, 0.7)
    sightings = rush.read(image)
    assert [s.card for s in sightings] in ([], ["?"])
    assert all(s.look.seen < 0.6 for s in sightings)


@pytest.mark.parametrize(("share", "is_face"), [(0.0, False), (0.5, True), (0.82, False)])
def test_a_face_has_a_print_and_is_not_printed_all_over(empty: Picture, share: float, is_face: bool) -> None:
    quad = laid(empty, (90, 90), 200, 200, 0.0)
    inner = quad.mean(0) + share * (quad - quad.mean(0))
    cv2.fillConvexPoly(empty, np.round(inner).astype(np.int32), (120, 40, 30), cv2.LINE_AA)
    found = face_up(Pyramid(empty), quad, (63.0, 63.0), measured=True, paper_rim=True)
    assert (found is not None) == is_face


def test_without_a_scale_paper_with_a_print_is_a_card_that_cannot_be_told(
    fifty_two: Reader, fifty_two_table: Table, easy: Conditions
) -> None:
    bare = fifty_two_table.single(32, replace(easy, markers=False, surface="dark wood"), []).image.copy()
    assert fifty_two.read(bare) == []
    quad = laid(bare, (126, 176), 210, 40, 0.5)
    sightings = fifty_two.read(bare)
    assert [s.card for s in sightings] == ["?"]
    assert max(overlap(sightings[0].quad, np.roll(quad, k, 0)) for k in range(4)) > 0.8


def test_an_outline_is_no_evidence_for_any_card() -> None:
    pose = np.array([[1.0, 0, 100], [0, 1.0, 100], [0, 0, 1]])
    evidence = add(Evidence(), outline_look(pose), (63.0, 63.0))
    assert (evidence.best, evidence.frames) == (None, 1)
