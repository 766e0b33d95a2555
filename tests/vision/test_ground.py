"""What lies still, and what an arm leaves behind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.vision.ground import ARM_RESTS_US, Ground

FRAME_US = 33_333


def table(arm: bool, card: int = 0) -> NDArray[np.uint8]:
    """A grey table; an arm from the lower edge, and beside its tip a card in one of several greys."""
    picture = np.full((480, 960, 3), 90, np.uint8)
    if arm:
        picture[240:, 400:520] = 170
    if card:
        picture[180:240, 430:490] = 200 + 10 * card
    return picture


def test_what_an_arm_left_behind_does_not_live_on_because_a_card_is_turned_beside_it() -> None:
    ground = Ground(table(arm=False), 0)
    t_us = 0
    change = ground.feed(table(arm=True), t_us)
    assert change.other[-1, 110]
    while t_us < 2 * ARM_RESTS_US:
        t_us += FRAME_US
        card = 1 + t_us // 2_000_000 % 3  # turned every two seconds, and one thing with the arm
        change = ground.feed(table(arm=True, card=card), t_us)
        ground.rest(change.other, t_us)
    assert not change.other[-1, 110]


def test_an_arm_is_no_ground_before_it_has_rested_for_long() -> None:
    ground = Ground(table(arm=False), 0)
    t_us = 0
    while t_us < ARM_RESTS_US - 10 * FRAME_US:
        t_us += FRAME_US
        change = ground.feed(table(arm=True), t_us)
        ground.rest(change.other, t_us)
    assert change.other[-1, 110]


def test_a_ring_in_a_small_part_of_the_picture_is_filled_and_what_lies_outside_is_not() -> None:
    ground = Ground(table(arm=False), 0)
    picture = table(arm=False)
    picture[200:280, 400:480] = 170
    picture[216:264, 416:464] = 90  # a hole of 12 by 12 cells is larger than any that is filled
    picture[200:240, 600:640] = 170
    picture[212:228, 612:628] = 90  # one of 4 by 4 is filled
    other = ground.feed(picture, FRAME_US).other
    ring, filled = other[45:75, 95:125], other[45:65, 145:165]
    assert ring[15, 6]
    assert not ring[15, 15]
    assert filled[10, 10]
    assert int(filled.sum()) >= 10 * 10
    assert int(other.sum()) == int(ring.sum()) + int(filled.sum())


def wood(arm: bool) -> NDArray[np.uint8]:
    """Wood with lines along the rows; an arm from the lower edge, as dark as its shadow would be."""
    lines = np.random.default_rng(3).normal(0, 0.15, (120, 1, 1)).repeat(4, 0)
    picture = np.clip(np.array((24.0, 49.0, 90.0)) * (1 + lines) * np.ones((1, 960, 1)), 0, 255).astype(np.uint8)
    if arm:
        picture[240:, 400:520] = (13, 26, 47)
    return picture


def test_a_dark_arm_on_dark_wood_is_no_shadow() -> None:
    ground = Ground(wood(arm=False), 0)
    other = ground.feed(wood(arm=True), FRAME_US).other
    assert other[62:, 102:128].all()
    assert not other[:, :95].any()


def test_what_lay_under_something_that_rested_is_not_seen_again_through_a_dark_arm() -> None:
    def share_seen_again(arm: bool) -> float:
        ground = Ground(wood(arm=False), 0)
        card = wood(arm=False)
        card[300:400, 420:500] = 200
        change = ground.feed(card, FRAME_US)
        ground.learn(change.other)
        again = ground.recover(ground.feed(wood(arm), 2 * FRAME_US).other)
        return float(again.sum() / change.other.sum())

    assert share_seen_again(arm=True) < 0.3  # here and there the grain is faint
    assert share_seen_again(arm=False) > 0.7
