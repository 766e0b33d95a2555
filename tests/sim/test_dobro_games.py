"""Games of Dobro played by chance: the cards are real."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.adjudication import Game, adjudicate
from referee.rules import dobro
from referee.sim.dobro_games import deck, play

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid")


@pytest.mark.parametrize(("players", "cards", "reverses"), [(2, 55, 0), (3, 57, 2), (6, 57, 2)])
def test_the_pack_is_the_one_the_rules_count_with(players: int, cards: int, reverses: int) -> None:
    pack = deck(players)
    assert (len(pack), pack.count("reverse"), pack.count("skip"), pack.count("joker")) == (cards, reverses, 2, 3)


@pytest.mark.parametrize("count", range(2, 7))
def test_nobody_lays_a_card_more_often_in_a_round_than_the_pack_holds_it(count: int) -> None:
    record = play(count, NAMES[:count], clumsy=0.3)
    laid: Counter[str] = Counter()
    rounds = 0
    for step, rulings in adjudicate(Game(record.header), record.events):
        kinds = [ruling["ruling"] for ruling in rulings]
        if "value" in kinds:
            laid.update(step.event["cards"])
        assert not laid - Counter(deck(count))
        if "round-over" in kinds:
            rounds += 1
            laid.clear()
    assert rounds == 3


def test_the_same_seed_gives_the_same_game_and_another_seed_another() -> None:
    assert play(1, NAMES[:3]) == play(1, NAMES[:3])
    assert play(1, NAMES[:3]) != play(2, NAMES[:3])


def test_a_game_can_be_cut_short() -> None:
    assert [event["event"] for event in play(1, NAMES[:3], most_events=9).events][-1] == "end"
    assert len(play(1, NAMES[:3], most_events=9).events) <= 12


def test_an_opener_without_a_number_says_so() -> None:
    record = play(42, NAMES[:4], clumsy=0.4)
    assert [event for event in record.events if event.get("only_specials")]


def test_whoever_forgets_every_draw_fills_an_empty_hand_before_playing_on() -> None:
    record = play(1, NAMES[:2], clumsy=0.5)  # so clumsy that no draw after a play is remembered
    state = dobro.start(record.header)
    filled = 0
    for event in record.events:
        if event["event"] in ("play", "draw") and event["player"] is not None:
            empty = state.hand[state.setup.seats[event["player"]]] == 0
            assert event["event"] == "draw" or not empty
            filled += empty
        state, _ = dobro.apply(state, event)
    assert filled
