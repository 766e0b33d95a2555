"""Speed played by simulated people: true to the rules and to the seed, and refereed on drawn words."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from referee.adjudication import Game, adjudicate
from referee.cli import main
from referee.deck.folder import resolve_deck
from referee.profile import read_profile
from referee.sim.played import PlayedGame
from referee.sim.speed_fused import played, referee_words
from referee.sim.speed_senses import SpeedErrors, camera_words

DECK = resolve_deck("builtin:52")


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    return [played(DECK, seed, 45.0) for seed in range(4)]


def test_the_same_seed_is_the_same_match(games: list[PlayedGame]) -> None:
    assert played(DECK, 2, 45.0).events == games[2].events


def test_events_stand_in_the_order_in_which_they_happened(games: list[PlayedGame]) -> None:
    for game in games:
        assert all(a["t_us"] <= b["t_us"] for a, b in pairwise(game.events))


def test_the_rules_refuse_only_what_people_say_too_soon(games: list[PlayedGame]) -> None:
    for game in games:
        refused = [r for _, rs in adjudicate(Game(game.header), list(game.events)) for r in rs]
        refused = [ruling for ruling in refused if ruling["ruling"] == "rejected"]
        calls = {call["t_us"] for call in game.calls}
        assert all(ruling["t_us"] in calls for ruling in refused)


def test_people_make_mistakes_and_play_fast(games: list[PlayedGame]) -> None:
    kinds: Counter[str] = Counter()
    peak = 0
    for game in games:
        kinds.update(r["ruling"] for _, rs in adjudicate(Game(game.header), list(game.events)) for r in rs)
        times = [event["t_us"] for event in game.events if event["event"] == "play"]
        peak = max(peak, max(sum(a <= t < a + 1_000_000 for t in times) for a in times))
    assert kinds["illegal-play"]
    assert kinds["turn-up"]
    assert peak >= 3


def test_a_card_is_in_one_place_at_a_time(games: list[PlayedGame]) -> None:
    for game in games:
        lying = [(rest.card, rest.from_us, rest.until_us) for rest in game.timeline.rests]
        for card in {card for card, _, _ in lying}:
            spans = sorted((a, b) for one, a, b in lying if one == card)
            assert all(b <= c for (_, b), (c, _) in pairwise(spans))


def test_drawn_words_are_refereed_without_a_wrong_ruling(games: list[PlayedGame]) -> None:
    for seed, game in enumerate(games):
        result = referee_words(game, DECK, camera_words(game, SpeedErrors(), seed))
        assert result.wrong == 0, result.notes
        assert result.cards_right >= 0.8 * result.cards


@pytest.mark.parametrize("starved", [(8_000_000, 12_000_000), (15_000_000, 16_000_000)])
def test_where_frames_are_missing_rulings_are_withheld_and_not_wrong(starved: tuple[int, int]) -> None:
    undecided = 0
    for seed in (43100, 43101):
        errors = SpeedErrors(stalls=0.0, starved_us=starved)
        game = played(DECK, seed, 25.0)
        result = referee_words(game, DECK, camera_words(game, errors, seed))
        assert result.wrong == 0, result.notes
        undecided += result.undecided
    assert undecided


def test_a_recorded_table_of_speed_has_no_totem(tmp_path: Path) -> None:
    out = tmp_path / "speed"
    words = ["sim", "record", "--game", "speed", "--seconds", "8", "--seed", "1", "--size", "320x200", "--fps", "5"]
    assert main([*words, "--out", str(out)]) == 0
    assert not (out / "totem.npz").exists()
    profile = read_profile(out / "profile.toml")
    assert profile.game == "speed"
    assert set(profile.zones) == {"central/1", "central/2"}
    assert "[totem]" not in (out / "profile.toml").read_text("utf-8")
