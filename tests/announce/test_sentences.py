"""Rulings and events in words, in both languages."""

from __future__ import annotations

import pytest

from referee.announce.phrases import cards, cartes, clock
from referee.announce.reasons import in_french
from referee.announce.sentences import event_sentence, margin_sentence, ruling_sentence
from tests.rules import cases, golden

CASES = [case for case in cases.load("") if "exit" not in case]
KEPT = [golden.read(name) for name in golden.GAMES]
RULINGS = [(case["game"], ruling) for case in CASES for ruling in cases.run(case["record"])[0]] + [
    (kept.header["game"], ruling) for kept in KEPT for ruling in kept.rulings
]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_ruling_of_the_cases_and_golden_games_has_a_sentence(language: str) -> None:
    for game, ruling in RULINGS:
        said = ruling_sentence(ruling, language, game)
        assert said != ruling["ruling"]
        assert "{" not in said
        assert said.endswith((".", "?"))
        assert ruling.get("margin") is None or margin_sentence(ruling["margin"], language)


def test_every_reason_the_rules_give_is_said_in_french() -> None:
    reasons = {ruling["why"] for _, ruling in RULINGS if ruling["ruling"] in ("rejected", "cancelled")}
    assert len(reasons) >= 10
    assert {reason for reason in reasons if in_french(reason) == reason} == set()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_event_of_the_golden_games_has_a_line(language: str) -> None:
    for kept in KEPT:
        for event in kept.events:
            assert event_sentence(event, language, kept.header["game"]) != event["event"]


def test_a_kind_without_words_is_named_as_it_is() -> None:
    assert ruling_sentence({"ruling": "new-kind"}, "fr") == "new-kind"
    assert event_sentence({"event": "dance"}, "en") == "dance"
    assert in_french("because") == "because"


def test_times_are_minutes_seconds_and_hundredths() -> None:
    assert [clock(0), clock(61_234_567), clock(-10_000)] == ["0:00.00", "1:01.23", "-0:00.01"]


def test_of_a_hand_that_only_a_person_saw_no_fingers_and_no_height_are_said() -> None:
    hand = {"player": "Ana", "t_us": 61_234_567, "fingers": [1, 5], "lowest_mm": [0, 1000]}
    grab = {"t_us": 61_234_567, "event": "grab", "hands": [hand]}
    assert "Ana 1:01.23 (not felt)" in event_sentence(grab, "en")
    assert "Ana 1:01.23 (main non sentie)" in event_sentence(grab, "fr")


def test_no_card_is_not_one_card() -> None:
    assert [cards(count) for count in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert [cartes(count) for count in (0, 1, 2)] == ["0 carte", "1 carte", "2 cartes"]


OPEN = {"t_us": 0, "ruling": "undecided", "why": "open", "rests_on": [3], "candidates": ["Ana"], "clauses": ["grab-12"]}


@pytest.mark.parametrize(
    "known",
    [
        {"ruling": "won", "winner": "Ana", "losers": ["Bilal"]},
        {"ruling": "won", "winner": "Ana"},
        {"ruling": "to-pot", "player": "Ana"},
        {"ruling": "fault", "player": "Ana", "kind": "wrong-grab"},
        {"ruling": "fault", "player": "Ana"},
        {"ruling": "share-needed", "player": "Ana"},
        {"ruling": "choice-needed", "player": "Ana"},
    ],
)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_what_is_known_while_something_is_open_is_said_and_no_number_with_it(
    known: dict[str, str], language: str
) -> None:
    said = ruling_sentence({**OPEN, "known": known}, language)
    assert "Ana" in said
    assert not any(letter.isdigit() for letter in said)
    assert said.endswith(("open.", "ouverte."))
