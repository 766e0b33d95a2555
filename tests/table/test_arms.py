"""Whose arms were at the totem, and for how long."""

from __future__ import annotations

from referee.table.arms import UNDER_US, Arms, Stay

FRAME_US = 33_000


def seen(*frames: dict[str, float]) -> Arms:
    arms = Arms(FRAME_US)
    for i, chances in enumerate(frames):
        if chances:
            arms.seen(i * FRAME_US, chances)
    return arms


def test_an_arm_that_is_lost_for_a_frame_or_two_has_stayed() -> None:
    (stay,) = seen({"Ana": 0.9}, {}, {"Ana": 0.9}).stays(0, 1_000_000)
    assert stay == Stay("Ana", 0, 2 * FRAME_US, 0.9)


def test_an_arm_that_is_lost_where_another_one_comes_may_lie_under_that_one_for_a_while() -> None:
    # Both reach for the totem, and from then on the camera sees one outline.
    ana, bilal = seen({"Ana": 0.9}, {"Ana": 0.9, "Bilal": 0.9}, *[{"Bilal": 0.9}] * 20).stays(0, 1_000_000)
    assert (ana.player, ana.first_us) == ("Ana", 0)
    assert ana.last_us - FRAME_US == UNDER_US // FRAME_US * FRAME_US
    assert bilal.last_us == 21 * FRAME_US


def test_an_arm_that_is_lost_with_nobody_beside_it_has_gone() -> None:
    arms = seen({"Ana": 0.9}, {}, {}, {}, {}, {"Bilal": 0.9}, {"Bilal": 0.9})
    assert [(stay.player, stay.last_us) for stay in arms.stays(0, 1_000_000)] == [
        ("Ana", 0),
        ("Bilal", 6 * FRAME_US),
    ]
