"""Rulings and events in words, in both languages."""

from __future__ import annotations

import pytest

from referee.announce.phrases import clock
from referee.announce.reasons import in_french
from referee.announce.sentences import event_sentence, margin_sentence, ruling_sentence
from tests.rules import cases, golden

RULINGS = [
    ruling for case in cases.load("jungle-speed") if "exit" not in case for ruling in cases.run(case["record"])[0]
] + [ruling for name in golden.GAMES for ruling in golden.read(name).rulings]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_ruling_of_the_cases_and_golden_games_has_a_sentence(language: str) -> None:
    for ruling in RULINGS:
        said = ruling_sentence(ruling, language)
        assert said != ruling["ruling"]
        assert "{" not in said
        assert said.endswith((".", "?"))
        assert ruling.get("margin") is None or margin_sentence(ruling["margin"], language)


def test_every_reason_the_rules_give_is_said_in_french() -> None:
    reasons = {ruling["why"] for ruling in RULINGS if ruling["ruling"] in ("rejected", "cancelled")}
    assert len(reasons) >= 10
    assert {reason for reason in reasons if in_french(reason) == reason} == set()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_event_of_the_golden_games_has_a_line(language: str) -> None:
    for name in golden.GAMES:
        for event in golden.read(name).events:
            assert event_sentence(event, language) != event["event"]


def test_a_kind_without_words_is_named_as_it_is() -> None:
    assert ruling_sentence({"ruling": "new-kind"}, "fr") == "new-kind"
    assert event_sentence({"event": "dance"}, "en") == "dance"
    assert in_french("because") == "because"


def test_times_are_minutes_seconds_and_hundredths() -> None:
    assert [clock(0), clock(61_234_567), clock(-10_000)] == ["0:00.00", "1:01.23", "-0:00.01"]
