"""Where each card lies, as far as the rules know it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.adjudication import Game, adjudicate
from referee.sim import dobro_games, games


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 5_000), many=st.integers(3, 8))
def test_every_card_lies_in_one_place_and_the_counts_agree(seed: int, many: int) -> None:
    record = games.play(seed, [f"P{i}" for i in range(many)], most_events=80, clumsy=0.1)
    game = Game(record.header)
    for _ in adjudicate(game, record.events):
        lying, counts = game.lying(), game.summary()
        assert lying is not None
        assert {name: len(pile) for name, pile in lying["reserve"].items()} == counts["reserve"]
        assert {name: len(pile) for name, pile in lying["face_up"].items()} == counts["face_up"]
        assert len(lying["pot"]) == counts["pot"]


def test_what_a_loser_picked_up_lies_under_the_reserve_next_card_first() -> None:
    header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Bilal", "Chloé"]}
    start = {"reserve": {"Ana": 1, "Bilal": 0, "Chloé": 5}, "face_up": {"Bilal": ["knot/red"]}, "turn": "Ana"}
    game = Game({**header, "options": {}, "start": start})  # type: ignore[typeddict-item]
    grab = {"t_us": 2, "event": "grab", "hands": [{"player": "Ana", "t_us": 2, "fingers": 4, "lowest_mm": 9}]}
    events = [{"t_us": 1, "event": "flip", "player": "Ana", "card": "knot/blue"}, grab]
    for _ in adjudicate(game, events):
        pass
    lying = game.lying()
    assert lying is not None
    assert list(lying["reserve"]["Bilal"]) == ["knot/red", "knot/blue"]


def test_a_game_that_does_not_follow_single_cards_says_nothing() -> None:
    assert Game(dobro_games.play(1, ["Ana", "Bilal", "Chloé"]).header).lying() is None
