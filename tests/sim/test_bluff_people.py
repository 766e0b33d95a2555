"""Simulated people who play Jungle Bluff: real cards, legal but for slips, always the same; games without pictures."""

from __future__ import annotations

import numpy as np
import pytest

from referee.deck.folder import resolve_deck
from referee.errors import DeckError
from referee.rules.jungle_bluff_state import VALUES
from referee.sim.bluff_fused import Tally, play_through
from referee.sim.bluff_games import play as play_record
from referee.sim.bluff_people import play
from referee.sim.bluff_senses import BluffErrors
from referee.sim.played import PlayedGame, Wish
from referee.sim.recorded_table import true_rulings
from referee.table.settings import FusionSettings

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaël", "Hugo")


def game(seed: int, players: int = 4, seconds: float = 60.0) -> PlayedGame:
    wish = Wish(NAMES[:players], resolve_deck("builtin:jungle-bluff"), seed, seconds)
    return play(wish, np.random.default_rng(seed))


@pytest.mark.parametrize("players", [2, 4, 8])
def test_everybody_spends_each_value_once_and_what_is_shown_is_what_was_laid(players: int) -> None:
    played = game(players, players)
    forces = [event for event in played.events if event["event"] == "force"]
    spent = [(event["player"], VALUES[event["card"]]) for event in forces]
    assert len(set(spent)) == len(spent)
    reveals = [event for event in played.events if event["event"] == "reveal"]
    assert reveals
    for number, reveal in enumerate(reveals):
        laid = [event["card"] for event in forces[number * players : (number + 1) * players]]
        assert sorted(reveal["cards"]) == sorted(laid)


def test_the_first_choice_comes_within_fifteen_seconds_and_what_is_wrong_is_only_a_players_slip() -> None:
    for seed in range(6):
        played = game(seed)
        first = next(event["t_us"] for event in played.events if event["event"] == "take")
        assert first < 15_000_000
        kinds = {ruling["ruling"] for ruling in true_rulings(played)}
        assert kinds <= {"holds", "refused", "round-over"}


def test_what_is_told_to_the_private_reader_stands_nowhere_else_of_what_people_say() -> None:
    played = game(3)
    assert {event["event"] for event in played.calls} <= {"challenge"}
    assert len(played.secrets) == sum(event["event"] == "commit" for event in played.events)


def test_a_card_is_never_in_two_places() -> None:
    played = game(5, seconds=40)
    for t_us in range(0, played.timeline.end_us, 250_000):
        lying = [rest.zone for rest in played.timeline.rests if rest.from_us <= t_us < rest.until_us]
        assert len(set(lying)) == len(lying)


def test_the_same_seed_is_the_same_game_and_another_deck_is_refused() -> None:
    assert game(1).events == game(1).events
    assert game(1).events != game(2).events
    with pytest.raises(DeckError, match="expected a Jungle Bluff deck"):
        play(Wish(NAMES[:4], resolve_deck("builtin:dobro"), 1, 30.0), np.random.default_rng(1))


def test_games_on_drawn_words_are_refereed_to_their_end_without_a_wrong_ruling() -> None:
    total = Tally()
    for seed in range(200, 210):
        record = play_record(seed, NAMES[: 2 + seed % 7], {"advanced": seed % 2 == 0})
        total.add(play_through(record, BluffErrors(), seed, FusionSettings()))
    assert total.wrong == []
    assert total.ended == total.games == 10
    assert total.rulings["undecided"] < 0.04 * total.rulings["right"]
