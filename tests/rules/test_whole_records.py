"""A whole record judged at once gives what it gives step by step."""

from __future__ import annotations

from typing import Any

import pytest

from referee.adjudication import Game, adjudicate, rulings_of
from referee.record import Record
from referee.sim import bluff_games, dobro_games, games, speed_games
from referee.words import Event, Header, Ruling

PLAYERS = ("Ana", "Bilal", "Chloé", "Driss")


def _step_by_step(header: Header, events: list[Event]) -> list[Ruling]:
    return [ruling for _, rulings in adjudicate(Game(header), events) for ruling in rulings]


def _played(kind: str, number: int) -> Record:
    match kind:
        case "jungle-speed":
            return games.play(number, PLAYERS[: 3 + number % 2])
        case "speed":
            return speed_games.play(number, PLAYERS[:2])
        case "dobro":
            return dobro_games.play(number, PLAYERS)
        case _:
            return bluff_games.play(number, PLAYERS)


def _wrong(header: Header) -> Event:
    return {"t_us": 5, "event": "nothing any game knows", "player": header["players"][0]}


@pytest.mark.parametrize("kind", ["jungle-speed", "speed", "dobro", "jungle-bluff"])
@pytest.mark.parametrize("number", range(4))
def test_a_record_judged_at_once_gives_the_same_rulings(kind: str, number: int) -> None:
    record = _played(kind, number)
    for events in (
        record.events,
        [*record.events[:20], _wrong(record.header), *record.events[20:]],
        [*record.events[:30], _taken_back(10), *record.events[30:]],
    ):
        expected = _step_by_step(record.header, events)
        assert rulings_of(record.header, events) == expected
        assert expected


def _taken_back(ref: int) -> Event:
    return {"t_us": 6, "event": "correct", "ref": ref, "by": "Ana", "reason": "it was not so", "with": None}


def test_a_touch_in_a_cards_arrival_has_its_margin_also_when_judged_at_once() -> None:
    record = games.play(3, PLAYERS)
    events: list[Any] = [
        {**event, "between": [event["t_us"] - 20_000, event["t_us"] + 400_000]} if event["event"] == "flip" else event
        for event in record.events
    ]
    found = rulings_of(record.header, events)
    assert found == _step_by_step(record.header, events)
    assert any("arrival" in str(ruling.get("margin")) for ruling in found)


def test_two_plays_of_unknown_order_are_judged_together_also_at_once() -> None:
    record = speed_games.play(1, PLAYERS[:2])
    plays = [place for place, event in enumerate(record.events) if event["event"] == "play"]
    events: list[Any] = [*record.events]
    for place in plays[10:12]:
        events[place] = {**events[place], "together": "a"}
    assert rulings_of(record.header, events) == _step_by_step(record.header, events)
