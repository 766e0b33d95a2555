"""Evidence of several frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.vision.evidence import MOST_LOOKS, Evidence, add
from referee.vision.symbols import Look, Ranked

CARD_MM = (60.0, 60.0)


def look(*nats: tuple[str, float], x: float = 100.0) -> Look:
    pose = np.array([[1.0, 0, x], [0, 1.0, 100.0], [0, 0, 1.0]])
    ranking = tuple(Ranked(card, value) for card, value in nats)
    return Look(pose, ranking, 0.99, 1.0, 1.0, 0.97, 0.8, 0.003, 4, 0, False, 64)


def test_a_still_picture_is_the_case_of_one_look() -> None:
    evidence = add(Evidence(), look(("a", 0.0), ("b", -1.5)), CARD_MM)
    assert evidence.best == "a"
    assert evidence.margin == 1.5
    assert evidence.looks == 1.0


def test_a_hundred_frames_of_a_card_lying_still_are_one_look() -> None:
    evidence = Evidence()
    for _ in range(100):
        evidence = add(evidence, look(("a", 0.0), ("b", -1.5)), CARD_MM)
    assert evidence.margin == pytest.approx(1.5)
    assert evidence.looks == 1.0
    assert evidence.frames == 100


def test_a_clear_frame_outweighs_a_blurred_one() -> None:
    blurred = replace(look(("b", 0.0), ("a", -0.2)), explained=0.7)
    evidence = add(Evidence(), blurred, CARD_MM)
    evidence = add(evidence, look(("a", 0.0), ("b", -5.0)), CARD_MM)
    assert evidence.best == "a"
    assert evidence.margin > 4.5


def test_the_surest_of_many_frames_does_not_make_sure() -> None:
    evidence = Evidence()
    for nats in (1.0, 0.5, 1.5, 6.0, 1.0, 0.8):
        evidence = add(evidence, look(("a", 0.0), ("b", -nats)), CARD_MM)
    assert evidence.margin == pytest.approx(1.8)


@given(st.lists(st.floats(-0.25, 0.25), min_size=2, max_size=60))
def test_corners_that_tremble_are_no_movement(off: list[float]) -> None:
    evidence = Evidence()
    for x in off:
        evidence = add(evidence, look(("a", 0.0), ("b", -1.5), x=100.0 + x), CARD_MM)
    assert evidence.looks == 1.0
    assert evidence.margin == pytest.approx(1.5)


def test_a_card_that_moves_adds_evidence_up_but_not_without_end() -> None:
    evidence = Evidence()
    for i in range(20):
        evidence = add(evidence, look(("a", 0.0), ("b", -1.5), x=100.0 + 3 * i), CARD_MM)
    assert evidence.looks == MOST_LOOKS
    assert evidence.margin == 1.5 * MOST_LOOKS


def test_a_look_that_tells_nothing_changes_nothing() -> None:
    evidence = add(add(Evidence(), look(), CARD_MM), look(("a", 0.0), ("b", -1.5)), CARD_MM)
    evidence = add(evidence, look(), CARD_MM)
    assert (evidence.best, evidence.margin, evidence.looks, evidence.frames) == ("a", 1.5, 1.0, 3)


def test_looks_that_contradict_each_other_leave_the_card_open() -> None:
    evidence = add(Evidence(), look(("a", 0.0), ("b", -2.0)), CARD_MM)
    evidence = add(evidence, look(("b", 0.0), ("a", -2.0), x=110.0), CARD_MM)
    assert evidence.margin == 0.0


@given(st.lists(st.tuples(st.floats(-9, 0), st.floats(-9, 0), st.floats(0, 200)), min_size=1, max_size=12))
def test_the_best_card_always_stands_at_zero(looks: list[tuple[float, float, float]]) -> None:
    evidence = Evidence()
    for a, b, x in looks:
        top = max(a, b, -3.0)
        evidence = add(evidence, look(("a", a - top), ("b", b - top), ("c", -3.0 - top), x=x), CARD_MM)
    assert max(evidence.nats.values()) == 0.0
    assert evidence.margin >= 0.0
    assert 1.0 <= evidence.looks <= MOST_LOOKS


def test_a_print_found_in_another_direction_is_no_movement() -> None:
    evidence = add(Evidence(), look(("a", 0.0), ("b", -1.5)), CARD_MM)
    turned = look(("a", 0.0), ("b", -1.5))
    c, s = np.cos(0.6), np.sin(0.6)
    other = turned.pose @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    evidence = add(evidence, replace(turned, pose=other), CARD_MM)
    assert evidence.looks == 1.0
    assert evidence.margin == pytest.approx(1.5)
