"""The census of the deck, the place of the totem, the roll call, and where cards are known to be."""

from __future__ import annotations

import pytest

from referee.table.census import Census
from referee.table.fusion import Fusion
from referee.table.known import Piles, contradictions, next_chances, zone_chances
from referee.table.ready import RollCall, check_totem
from tests.table.desk import PLAYERS, card, grab, hand, layout, past

DECK = {"knot/green": 1, "knot/red": 1, "moon/red": 2, "arrow/in": 1}


def test_a_census_names_what_is_missing_what_is_double_and_what_does_not_belong() -> None:
    census = Census(DECK)
    census.picture(["knot/green", "knot/green", "moon/red"])
    census.picture(["star/blue", "back", "?"])
    result = census.result()
    assert result.missing == {"arrow/in": 1, "knot/red": 1, "moon/red": 1}
    assert result.extra == {"knot/green": 1}
    assert result.strange == {"star/blue": 1}
    assert (result.unread, result.shown, result.expected) == (1, 5, 5)
    assert not result.complete


def test_a_census_counts_a_card_once_however_often_it_is_said() -> None:
    census = Census(DECK)
    faces = ["?", "knot/green", "knot/red", "moon/red", "moon/red", "arrow/in"]
    for number, face in enumerate(faces):
        census.card(card(number, "Ana", face, 1_000_000 * number))
    assert not census.result().complete
    census.card(card(0, "Ana", "back", 0))
    census.card(card(0, "Ana", "knot/green", 0))
    assert census.result().extra == {"knot/green": 1}
    complete = Census(DECK)
    for number, face in enumerate(faces[1:]):
        complete.card(card(number, "Ana", "?", 1_000_000 * number))
        complete.card(card(number, "Ana", face, 1_000_000 * number))
    assert complete.result().complete


def test_everybody_is_crossed_off_who_took_the_totem() -> None:
    fusion, call = Fusion(layout()), RollCall(PLAYERS)
    for place, player in enumerate(("Bilal", None, "Ana", "Ana", "Chloé")):
        fusion.touch(grab(hand(player, 1_000_000 + 3_000_000 * place)))
    past(fusion, 20_000_000)
    crossed = [call.event(event) for event in fusion.finish()]
    assert crossed == ["Bilal", None, "Ana", None, "Chloé"]
    assert call.done
    assert call.unknown == 1


def test_two_at_once_cross_nobody_off() -> None:
    call = RollCall(PLAYERS)
    hands = [{"player": player, "t_us": 0, "fingers": 3, "lowest_mm": 9.0, "grip": True} for player in PLAYERS[:2]]
    assert call.event({"t_us": 0, "event": "grab", "hands": hands}) is None
    assert call.event({"t_us": 0, "event": "fall", "player": "Ana"}) is None
    assert call.missing == PLAYERS


def test_a_totem_in_its_place_is_good_and_one_nearer_to_a_player_is_not() -> None:
    table = layout()
    assert check_totem(table, True).good
    assert not check_totem(table, False).good
    assert check_totem(table, True, (4.0, -3.0)).good
    moved = check_totem(table, True, (0.0, 60.0))
    assert moved.nearest == "Ana"
    assert not moved.good
    assert moved.off_mm == pytest.approx(60.0)


def test_the_next_card_of_a_pile_that_was_picked_up_is_known() -> None:
    piles = Piles({"Ana": ["moon/red", None], "Bilal": [None]}, {"Ana": ["knot/green"]})
    chances = next_chances(DECK, piles, "Ana")
    assert sum(chances.values()) == pytest.approx(1.0)
    assert chances["moon/red"] > 0.9
    assert min(chances.values()) > 0.0


def test_what_lies_elsewhere_is_unlikely_to_come_next() -> None:
    piles = Piles({"Ana": [None, None], "Bilal": [None]}, {"Ana": ["knot/green"], "Bilal": ["knot/red"]}, ["moon/red"])
    chances = next_chances(DECK, piles, "Ana")
    assert sum(chances.values()) == pytest.approx(1.0)
    assert chances["knot/green"] < 0.05 < chances["moon/red"]
    everything = Piles({}, {"Ana": ["knot/green", "knot/red", "moon/red", "moon/red", "arrow/in"]})
    assert sum(next_chances(DECK, everything, "Ana").values()) == pytest.approx(1.0)


def test_two_of_a_card_that_the_deck_has_once_are_a_question() -> None:
    piles = Piles({"Ana": ["knot/green", "?"]}, {"Bilal": ["knot/green", "moon/red", "moon/red"]}, [None])
    (notice,) = contradictions(DECK, piles, 7)
    assert notice.kind == "too-many-of-a-card"
    assert notice.about == {"card": "knot/green", "seen": 2, "in_deck": 1}


def test_chances_are_told_for_each_pile_that_cards_are_turned_on() -> None:
    chances = zone_chances(layout(), DECK, Piles({"Ana": ["moon/red"], "Bilal": [None]}))
    assert sorted(chances) == ["face_up/Ana", "face_up/Bilal", "face_up/Chloé"]
    assert chances["face_up/Ana"]["moon/red"] > 0.9
