"""Cards of decks nobody enrolled: which of several guessed places stands, and what is said of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import resolve_deck
from referee.vision.geometry import quad_of
from referee.vision.indexed import Indexed, standing
from referee.vision.rank_net import NO_SIGN, SIGNS, SUITS
from referee.vision.ranks import RankReading

DECK = resolve_deck("builtin:52")


def place(sign: str, chance: float, rim: float, x_px: float = 0.0) -> Indexed:
    """A place 126 px wide whose corners say a sign with a chance."""
    shares = dict.fromkeys(SIGNS[:NO_SIGN], (1 - chance) / (NO_SIGN - 1)) | {sign: chance}
    pose: NDArray[np.float64] = np.array([[2.0, 0.0, 200.0 + x_px], [0.0, 2.0, 200.0], [0.0, 0.0, 1.0]])
    return Indexed(pose, RankReading(shares, dict.fromkeys(SUITS[:-1], 0.25), (0.99, 0.99)), rim)


def test_of_two_guesses_of_one_card_the_one_with_more_of_its_border_stands() -> None:
    (card,) = standing([place("7", 0.999, 0.5, 8.0), place("7", 0.999, 0.9)], DECK)
    assert card.rim == 0.9


def test_a_card_that_is_not_told_for_sure_lies_where_it_stands_and_says_what_a_surer_guess_says() -> None:
    (card,) = standing([place("A", 0.98, 0.9), place("A", 0.999, 0.5, 12.0)], DECK)
    assert card.reading.best == ("A", 0.999)
    assert np.allclose(quad_of(card.pose, DECK.card_mm), quad_of(place("A", 0.98, 0.9).pose, DECK.card_mm))


def test_a_place_that_joins_two_cards_gives_way_to_the_card_whose_index_is_sure() -> None:
    (card,) = standing([place("Q", 0.53, 0.99), place("10", 0.9955, 0.6, 20.0)], DECK)
    assert card.reading.best == ("10", 0.9955)
    assert card.rim == 0.6


def test_guesses_of_one_card_that_contradict_each_other_leave_it_open() -> None:
    guesses = [place("A", 0.95, 0.9), place("A", 0.9945, 0.6, 10.0), place("8", 0.94, 0.5, 14.0)]
    (card,) = standing(guesses, DECK)
    assert card.reading.best == ("A", 0.95)


def test_a_sure_card_is_not_overruled_by_a_surer_one() -> None:
    (card,) = standing([place("9", 0.992, 0.9), place("6", 0.999, 0.4, 10.0)], DECK)
    assert card.reading.best == ("9", 0.992)


def test_a_card_beside_another_says_nothing_of_it() -> None:
    found = standing([place("A", 0.95, 0.9), place("K", 0.999, 0.9, 110.0)], DECK)
    assert sorted(card.reading.best for card in found) == [("A", 0.95), ("K", 0.999)]
