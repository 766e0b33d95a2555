"""A running game: its rulings, and what corrections make of them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.adjudication import Game, adjudicate
from referee.ledger import Given, Ledger, find_difference, same_ruling, standing
from referee.sim import dobro_games, games
from referee.words import Event, Header, Ruling

PLAYERS = ("Ana", "Bilal", "Chloé", "David")
HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": list(PLAYERS), "options": {}}


def flip(t_us: int, player: str, card: str, **more: Any) -> Event:
    return {"t_us": t_us, "event": "flip", "player": player, "card": card, **more}


def grab(t_us: int, *players: str) -> Event:
    hands = [{"player": who, "t_us": t_us + 60_000 * i, "fingers": 4, "lowest_mm": 20} for i, who in enumerate(players)]
    return {"t_us": t_us, "event": "grab", "hands": hands}


def judged(header: Header, events: list[Event]) -> list[Ruling]:
    return [ruling for _, rulings in adjudicate(Game(header), events) for ruling in rulings]


def kinds(new: list[Given]) -> list[str]:
    return [one.ruling["ruling"] for one in new]


DUEL = [flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "star/red"), flip(2_000_000, "Chloé", "knot/blue")]


def with_corrections(events: list[Event], chance: Random) -> list[Event]:
    """The same events with a person's corrections among them, sound ones and refused ones."""
    mixed: list[Event] = []
    for event in events:
        mixed.append(event)
        if chance.random() < 0.15:
            ref = chance.randrange(-1, len(mixed) + 1)
            other = dict(chance.choice(events))
            how: dict[str, Any] = chance.choice(
                [{"ref": ref, "with": None}, {"ref": ref, "with": other}, {"before": ref, "with": other}]
            )
            mixed.append({"t_us": event["t_us"], "event": "correct", "by": "operator", "reason": "test", **how})
    return mixed


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), many=st.integers(3, 6))
def test_the_rulings_that_stand_are_those_of_the_whole_record_after_every_event(seed: int, many: int) -> None:
    record = games.play(seed, [f"P{i}" for i in range(many)], most_events=60, clumsy=0.2)
    events = with_corrections(record.events, Random(seed))
    ledger = Ledger(record.header)
    printed: list[Ruling] = []
    for number, event in enumerate(events, start=1):
        new = ledger.add(event)
        assert [one.place for one in new] == list(range(len(printed), len(printed) + len(new)))
        printed += [one.ruling for one in new]
        if event["event"] == "correct" or number % 10 == 0:
            whole = judged(record.header, events[:number])
            assert [one.ruling for one in standing(printed)] == whole
            assert [one.ruling for one in ledger.standing] == whole
    assert find_difference(printed, record.header, events) == []


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_dobro_is_judged_event_by_event_as_it_is_whole(seed: int) -> None:
    record = dobro_games.play(seed, ["Ana", "Bilal", "Chloé"])
    ledger = Ledger(record.header)
    for event in record.events[:300]:
        ledger.add(event)
    assert [one.ruling for one in ledger.standing] == judged(record.header, record.events[:300])


def test_a_correction_overturns_what_is_void_and_gives_what_stands_instead() -> None:
    ledger = Ledger(HEADER)
    for event in [*DUEL, grab(2_500_000, "David")]:
        ledger.add(event)
    assert [one.ruling["ruling"] for one in ledger.standing] == ["duel", "cancelled", "fault"]
    fixed = {"t_us": 3_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "it was Ana"}
    new = ledger.add({**fixed, "with": grab(2_500_000, "Ana")})
    assert kinds(new) == ["overturned", "won"]
    assert new[0].ruling["refs"] == [1, 2]
    assert new[1].place == 4


def test_a_ruling_that_was_missed_before_others_gives_the_later_ones_again_in_their_order() -> None:
    ledger = Ledger(HEADER)
    for event in [*DUEL[:2], grab(2_500_000, "David"), flip(4_000_000, "David", "moon/red")]:
        ledger.add(event)
    assert [one.ruling["ruling"] for one in ledger.standing] == ["fault"]
    missed = {"t_us": 5_000_000, "event": "correct", "before": 2, "by": "camera", "reason": "read late"}
    new = ledger.add({**missed, "with": flip(2_000_000, "Chloé", "knot/blue")})
    assert kinds(new) == ["overturned", "duel", "cancelled", "fault"]


def test_taking_back_an_event_overturns_its_ruling_alone() -> None:
    ledger = Ledger(HEADER)
    for event in [*DUEL, grab(2_500_000, "Ana"), grab(9_000_000, "David")]:
        ledger.add(event)
    assert [one.ruling["ruling"] for one in ledger.standing] == ["duel", "won", "fault"]
    new = ledger.add({"t_us": 9_500_000, "event": "correct", "ref": 4, "by": "operator", "reason": "", "with": None})
    assert kinds(new) == ["overturned"]
    assert new[0].ruling["refs"] == [2]
    assert [one.ruling["ruling"] for one in ledger.standing] == ["duel", "won"]


def test_a_touch_while_a_card_arrives_carries_the_margin_at_once() -> None:
    ledger = Ledger(HEADER)
    for event in [*DUEL[:2], flip(2_000_000, "Chloé", "knot/blue", between=[1_990_000, 2_060_000])]:
        ledger.add(event)
    new = ledger.add(grab(2_050_000, "Ana"))
    assert new[0].ruling["margin"] == {"by": "arrival", "us": [-60_000, 10_000]}


def test_a_card_noticed_after_the_ruling_changes_no_more_than_its_margin() -> None:
    ledger = Ledger(HEADER)
    events = [*DUEL, grab(2_500_000, "Ana"), flip(2_530_000, "David", "moon/red", between=[2_490_000, 2_560_000])]
    given = [one.ruling for event in events for one in ledger.add(event)]
    whole = judged(HEADER, events)
    assert given != whole
    assert all(same_ruling(a, b) for a, b in zip(given, whole, strict=True))
    assert find_difference(given, HEADER, events) == []
    back = {"t_us": 3_000_000, "event": "correct", "ref": 4, "by": "operator", "reason": "", "with": events[4]}
    assert ledger.add(back) == []


def test_a_game_that_goes_on_gives_the_rulings_it_still_owes() -> None:
    whole = Ledger(HEADER)
    given = [one.ruling for event in [*DUEL, grab(2_500_000, "Ana")] for one in whole.add(event)]
    after = Ledger(HEADER, whole.events, given[:1])
    assert kinds(after.catch_up()) == ["won"]
    assert after.catch_up() == []
    assert after.summary() == whole.summary()
    assert after.count == whole.count
    assert after.expected() == whole.expected()


def test_a_speed_game_rules_at_its_close_a_play_that_waited_for_its_partner() -> None:
    header: Header = {"record": "referee/1", "game": "speed", "players": ["Ana", "Bo"], "options": {}}
    events: list[Event] = [
        {"t_us": 0, "event": "turn_up", "player": "Ana", "card": "5S"},
        {"t_us": 0, "event": "turn_up", "player": "Bo", "card": "9H"},
        {"t_us": 1_000_000, "event": "play", "player": "Ana", "pile": 1, "card": "KS", "together": 1},
    ]
    ledger = Ledger(header)
    for event in events:
        ledger.add(event)
    ledger.close()
    assert [one.ruling for one in ledger.standing] == judged(header, events)
    assert any(one.ruling["ruling"] == "illegal-play" for one in ledger.standing)


def test_what_differs_is_shown_side_by_side() -> None:
    events = [*DUEL, grab(2_500_000, "Ana")]
    right = judged(HEADER, events)
    wrong = {**right[1], "winner": "Chloé"}
    assert find_difference([right[0], wrong], HEADER, events) == [(wrong, right[1])]
    assert find_difference([right[0]], HEADER, events) == [(None, right[1])]


@pytest.mark.parametrize("margin", [None, {"by": "time", "us": 5}, {"by": "arrival", "us": [1, 2]}])
def test_only_an_arrival_margin_may_come_later(margin: dict[str, Any] | None) -> None:
    bare: Ruling = {"t_us": 0, "ruling": "won"}
    one = bare if margin is None else {**bare, "margin": margin}
    assert same_ruling(one, bare) == (margin is None or margin["by"] == "arrival")
