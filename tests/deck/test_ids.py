"""Card ids of the games."""

from __future__ import annotations

import pytest

from referee.deck.ids import BOX, GAMES, game_name, is_legal, legal_ids, shape_and_colour


@pytest.mark.parametrize(
    ("card_id", "shape", "colour"),
    [
        ("knot/green", "knot", "green"),
        ("star-big/vert foncé", "star-big", "vert foncé"),
        ("arrow/in", "arrow/in", None),
        ("arrow/colour", "arrow/colour", None),
        ("10S", "10", "S"),
        ("AC", "A", "C"),
        ("10", "10", None),
        ("1*", "1*", None),
        ("5r", "5r", None),
        ("10a", "10a", None),
        ("joker", "joker", None),
        ("back", "back", None),
        ("?", "?", None),
    ],
)
def test_an_id_says_shape_and_colour(card_id: str, shape: str, colour: str | None) -> None:
    assert shape_and_colour(card_id) == (shape, colour)


@pytest.mark.parametrize("game", GAMES)
def test_every_card_of_a_box_is_a_legal_one(game: str) -> None:
    assert all(is_legal(game, card_id) for card_id in BOX[game])
    assert legal_ids(game)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "card_id", ["?", "back", "", "knot", "/", "a/b/c", "1S", "13", "as", " 7", "a\n/b", "arrow/red"]
)
def test_what_is_no_card_is_not_legal(game: str, card_id: str) -> None:
    assert not is_legal(game, card_id)


def test_boxes_hold_the_numbers_of_cards_of_the_rules() -> None:
    assert sum(BOX["speed"].values()) == 52
    in_play = {card_id: count for card_id, count in BOX["dobro"].items() if card_id not in ("direction", "oubli")}
    assert sum(in_play.values()) == 57
    assert sum(count for card_id, count in in_play.items() if card_id.isdecimal()) == 50
    assert sum(BOX["jungle-bluff"].values()) == 9 * 10 + 8 * 3


def test_a_pack_of_52_is_the_pack_of_speed() -> None:
    assert game_name("52") == "speed"
    assert game_name("dobro") == "dobro"
    assert game_name("poker") is None
