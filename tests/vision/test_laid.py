"""Whether what is read in a pile is the card that is known to lie there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from referee.vision.evidence import Evidence
from referee.vision.laid import Laid, contradict, is_same, may_be_pushed, may_be_top

PLACE, MOVED = np.zeros((40, 40), bool), np.zeros((40, 40), bool)
PLACE[5:25, 5:25] = True
MOVED[15:35, 10:30] = True


def unread(*ranking: tuple[str, float]) -> Any:
    """A card that is not told: what it may be, and what speaks against each."""
    look = SimpleNamespace(ranking=tuple(SimpleNamespace(card=card, nats=nats) for card, nats in ranking))
    return SimpleNamespace(sighting=SimpleNamespace(card="?", look=look))


def lying(card: str) -> Laid:
    return Laid(card, cast(Any, None), Evidence(), None, PLACE)


@pytest.mark.parametrize(
    ("ranking", "left", "copies", "is_pushed"),
    [
        ((("moon", 0.0), ("slits", -0.2)), True, 1, True),
        ((("moon", 0.0), ("slits", -0.2)), False, 1, False),  # it still lies where it lay
        ((("moon", 0.0), ("slits", -0.2)), True, 2, False),  # there is another one of it
        ((("moon", 0.0), ("seeds", -0.2), ("slits", -12.0)), True, 1, False),  # it is another card
    ],
)
def test_a_card_that_is_not_told_and_from_whose_place_the_top_is_gone_may_be_the_top_moved(
    ranking: tuple[tuple[str, float], ...], left: bool, copies: int, is_pushed: bool
) -> None:
    other = MOVED | PLACE if left else MOVED & ~PLACE
    assert may_be_pushed(unread(*ranking), lying("slits"), MOVED, other, {"slits": copies}) is is_pushed


@pytest.mark.parametrize(
    ("ranking", "copies", "off_mm", "may_be"),
    [
        ((("slits", 0.0), ("moon", -3.7)), 1, 40.0, True),
        ((("slits", 0.0), ("moon", -3.7)), 2, 40.0, False),
        ((("slits", 0.0), ("moon", -3.7)), 2, 8.0, True),  # there is another one, but this lies about where that lies
        ((("moon", 0.0), ("slits", -0.2)), 1, 0.0, False),
    ],
)
def test_a_card_that_is_not_told_is_most_likely_the_top_if_it_looks_most_like_it(
    ranking: tuple[tuple[str, float], ...], copies: int, off_mm: float, may_be: bool
) -> None:
    top = Laid("slits", cast(Any, SimpleNamespace(centre_mm=np.zeros(2), turn_deg=0.0)), Evidence(), None, PLACE)
    face = unread(*ranking)
    face.centre_mm, face.turn_deg = np.array([off_mm, 0.0]), 3.0
    assert may_be_top(face, top, {"slits": copies}) is may_be


@pytest.mark.parametrize(
    ("card", "other", "are_two"),
    [
        ("J?", "Q?", True),
        ("J?", "QH", True),
        ("J?", "JS", False),
        ("?", "JS", False),
        ("JS", "JH", True),
        ("10?", "10C", False),
        ("JS", "JS", False),
    ],
)
def test_readings_of_which_only_the_rank_is_told_contradict_others_by_it(card: str, other: str, are_two: bool) -> None:
    assert contradict(card, other) is contradict(other, card) is are_two


@pytest.mark.parametrize(("card", "is_top"), [("K?", True), ("?", True), ("KC", True), ("Q?", False), ("KS", False)])
def test_a_card_just_where_the_top_lies_is_the_top_whatever_a_shadow_leaves_of_its_suit(
    card: str, is_top: bool
) -> None:
    place = SimpleNamespace(centre_mm=np.zeros(2), turn_deg=0.0)
    face = SimpleNamespace(sighting=SimpleNamespace(card=card), centre_mm=np.array([0.1, 0.0]), turn_deg=1.0)
    top = Laid("KC", cast(Any, place), Evidence(), None, PLACE)
    assert is_same(cast(Any, face), top, PLACE) is is_top
