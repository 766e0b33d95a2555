"""Piles that could not be seen, and whether they may have had a card that nobody saw."""

from __future__ import annotations

from referee.table.covers import Covers
from referee.table.layouts import make_layout

ZONE = "face_up/Ana"
MOST_US = 3_000_000


def hidden_pile(is_bare: bool = False) -> Covers:
    """Ana's hand stays at her pile from 1.0 to 1.5 s; an arm hides the pile from 1.1 to 3.0 s."""
    covers = Covers(make_layout("jungle-speed", ("Ana", "Bilal", "Chloé")))
    if not is_bare:
        covers.laid(ZONE, 500_000)
    for t_us in range(1_000_000, 1_500_001, 66_667):
        covers.hand(ZONE, t_us, 0.9)
    covers.covered(ZONE, 1_100_000, False)
    covers.covered(ZONE, 3_000_000, True)
    return covers


def test_a_pile_that_can_be_seen_again_and_is_still_there_hides_nothing() -> None:
    assert hidden_pile().hidden(2_000_000, 3_500_000, MOST_US) == []


def test_a_pile_that_is_gone_since_it_was_hidden_may_have_had_a_card_that_nobody_saw() -> None:
    covers = hidden_pile()
    covers.taken(ZONE, (1_150_000, 1_216_667))
    (one,) = covers.hidden(2_000_000, 3_500_000, MOST_US)
    assert (one.zone, one.from_us, one.is_over) == (ZONE, 1_100_000, True)


def test_a_bare_place_that_stayed_hidden_for_long_may_have_had_a_card_that_was_swept_under_the_arm() -> None:
    (one,) = hidden_pile(is_bare=True).hidden(2_000_000, 3_500_000, MOST_US)
    assert (one.zone, one.from_us, one.is_over) == (ZONE, 1_100_000, True)


def test_a_place_from_which_the_pile_was_taken_before_is_bare() -> None:
    covers = hidden_pile()
    covers.taken(ZONE, (800_000, 833_333))
    (one,) = covers.hidden(2_000_000, 3_500_000, MOST_US)
    assert one.is_over


def test_a_bare_place_that_shows_again_before_anybody_can_have_swept_it_hides_nothing() -> None:
    assert hidden_pile(is_bare=True).hidden(2_600_000, 3_500_000, MOST_US) == []


def test_a_pile_that_was_swept_in_sight_later_hides_nothing() -> None:
    covers = hidden_pile()
    covers.taken(ZONE, (4_000_000, 4_100_000))
    assert covers.hidden(2_000_000, 3_500_000, MOST_US) == []
