"""Homographies, poses, overlaps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from referee.vision.geometry import (
    apply,
    corners_mm,
    homography,
    jacobian,
    overlap,
    placed,
    quad_of,
    side_px,
    turn,
)

numbers = st.floats(-0.2, 0.2)


@given(st.floats(-500, 500), st.floats(-500, 500), st.floats(0.3, 5), st.floats(0, 360), numbers, numbers)
def test_a_homography_from_four_corners_is_the_one_that_made_them(
    x: float, y: float, scale: float, angle: float, skew: float, lean: float
) -> None:
    pose = placed(np.array([[scale, skew], [0.0, scale]]), np.array([x, y]), angle)
    pose[2, 0] = lean / 1000
    corners = corners_mm((63.0, 88.0))
    found = homography(corners, apply(pose, corners))
    assert np.allclose(found, pose, atol=1e-6 * max(1.0, np.abs(pose).max()))


def test_the_jacobian_says_how_a_neighbouring_point_moves() -> None:
    pose = np.array([[1.2, 0.1, 30.0], [-0.2, 0.9, 10.0], [1e-4, 2e-4, 1.0]])
    at, step = np.array([20.0, -15.0]), np.array([1e-5, 2e-5])
    moved = apply(pose, (at + step)[None]) - apply(pose, at[None])
    assert np.allclose(moved[0], jacobian(pose, at) @ step, atol=1e-9)


def test_four_quarter_turns_are_none() -> None:
    assert np.allclose(turn(1) @ turn(1) @ turn(1) @ turn(1), np.eye(3))
    assert np.allclose(turn(2) @ turn(2), turn(4))


def test_a_card_without_perspective_has_the_side_of_its_scale() -> None:
    pose = placed(np.eye(2) * 1.5, np.array([100.0, 80.0]), 33.0)
    assert abs(side_px(pose, (60.0, 60.0)) - 90.0) < 1e-9


def test_overlap_is_one_for_the_same_quad_and_nothing_for_distant_ones() -> None:
    quad = quad_of(placed(np.eye(2), np.array([100.0, 80.0]), 20.0), (60.0, 60.0))
    half = quad_of(placed(np.eye(2), np.array([130.0, 80.0]), 0.0), (60.0, 60.0))
    whole = quad_of(placed(np.eye(2), np.array([100.0, 80.0]), 0.0), (60.0, 60.0))
    assert overlap(quad, quad) > 0.999
    assert abs(overlap(half, whole) - 1 / 3) < 0.01
    assert overlap(quad, quad + 500) == 0.0
