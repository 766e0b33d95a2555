"""Whose hand was at a zone when something happened."""

from __future__ import annotations

import numpy as np

from referee.vision.arrival import Snap
from referee.vision.recent import NOBODY, Recent

BARE = np.zeros((4, 4, 3), np.uint8)


def seen(*hands: dict[str, float]) -> Recent:
    recent = Recent()
    for i, one in enumerate(hands):
        recent.add(Snap(i * 33_000, BARE, 0.0, one), str(i))
    return recent


def test_the_hand_that_was_there_most_is_named_with_its_share() -> None:
    seat, chance = seen({"Ana": 0.9}, {"Ana": 0.9, "Bilal": 0.2}).whose((0, 66_000))
    assert seat == "Ana"
    assert abs(chance - 0.9) < 1e-9


def test_nobody_is_named_where_something_large_was_there_that_nobody_is_known_by() -> None:
    assert seen({NOBODY: 0.8}, {NOBODY: 0.8, "Bilal": 0.3}).whose((0, 66_000)) == (None, 0.0)


def test_a_hand_beside_something_that_only_touches_the_zone_is_named_less_surely() -> None:
    seat, chance = seen({"Ana": 0.9, NOBODY: 0.3}).whose((0, 33_000))
    assert seat == "Ana"
    assert abs(chance - 0.75) < 1e-9
