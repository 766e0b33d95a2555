"""Simulated people play Dobro: true to the rules, to their cards and to the seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from referee.deck.folder import resolve_deck
from referee.rules import dobro
from referee.sim import dobro_people
from referee.sim.dobro_fused_games import play_through
from referee.sim.played import PlayedGame, Wish
from referee.sim.recorded_table import true_rulings
from referee.sim.scenes import NAMES
from referee.sim.senses_errors import Errors
from referee.table.layouts import make_layout

DECK = resolve_deck("builtin:dobro")
SEEDS = range(5)


def game(seed: int, seconds: float = 60.0) -> PlayedGame:
    wish = Wish(tuple(NAMES[: 2 + seed % 5]), DECK, seed, seconds)
    return dobro_people.play(wish, np.random.default_rng([seed, 1]))


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    return [game(seed) for seed in SEEDS]


def test_the_same_seed_is_the_same_game() -> None:
    assert (game(3, 20.0).events, game(3, 20.0).calls) == (game(3, 20.0).events, game(3, 20.0).calls)


def test_events_and_calls_stand_in_the_order_in_which_they_happened(games: list[PlayedGame]) -> None:
    for one in games:
        for words in (one.events, one.calls):
            times = [word["t_us"] for word in words]
            assert times == sorted(times)


def test_nothing_happens_that_cannot(games: list[PlayedGame]) -> None:
    for one in games:
        assert not [ruling for ruling in true_rulings(one) if ruling["ruling"] in ("rejected", "undecided")]


def test_people_err_and_forget_and_the_rules_say_so() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(40):
        kinds.update(str(r.get("kind", r["ruling"])) for r in true_rulings(game(seed, 90.0)))
    assert {"value", "illegal-play", "picks-up", "oubli", "out-of-turn", "false-call", "early-play"} <= set(kinds)


def test_a_whole_game_ends_after_three_rounds() -> None:
    one = game(1, 880.0)
    state = dobro.start(one.header)
    for event in one.events:
        state, _ = dobro.apply(state, event)
    assert state.over
    assert sum(ruling["ruling"] == "round-over" for ruling in true_rulings(one)) == 3


def test_every_card_of_a_play_lies_in_its_place_when_it_is_played(games: list[PlayedGame]) -> None:
    for one in games:
        layout = make_layout("dobro", one.header["players"], DECK.card_mm)
        for event in one.events:
            if event["event"] != "play":
                continue
            rests = [r for r in one.timeline.rests if abs(r.from_us - event["t_us"]) < 1_500_000]
            first = next(r for r in rests if r.from_us == event["t_us"])
            assert (first.card, first.zone) == (event["cards"][0], "table")
            assert layout.zone_at(first.pose.x, first.pose.y) == "table"
            second = [r for r in rests if r.zone == "pair" and r.from_us > event["t_us"]]
            assert len(event["cards"]) == 1 or second[0].card == event["cards"][1]


def test_what_people_say_is_heard_when_it_is_said(games: list[PlayedGame]) -> None:
    for one in games:
        said = [(e["t_us"], e["event"], e["player"]) for e in one.calls if e["event"] in ("pass", "call")]
        true = [(e["t_us"], e["event"], e["player"]) for e in one.events if e["event"] in ("pass", "call")]
        assert sorted(said) == sorted(true)


@pytest.mark.parametrize("seed", range(6))
def test_a_table_that_is_seen_well_is_ruled_right(seed: int) -> None:
    clean = Errors(
        late=0, never=0, hidden=0, stalls=0, arm_missed=0, arm_merged=0, arm_crossed=0, arm_swapped=0, clock_us=0
    )
    refereed = play_through(game(seed, 60.0), clean, seed)
    score = refereed.score
    assert score.rulings > 10
    assert (refereed.warnings["wrong"], refereed.warnings["not given"]) == (0, 0)
    assert (score.rulings_wrong, score.rulings_missing, score.flips_wrong, score.notes) == (0, 0, 0, [])


@pytest.mark.parametrize("seed", range(40, 52))
def test_a_table_that_is_seen_badly_is_never_ruled_wrong(seed: int) -> None:
    bad = Errors(late=0.2, never=0.05, hidden=0.1, stalls=1.0, arm_crossed=0.15)
    refereed = play_through(game(seed, 60.0), bad, seed)
    score = refereed.score
    assert (score.rulings_wrong, score.flips_wrong, refereed.warnings["wrong"]) == (0, 0, 0), score.notes
