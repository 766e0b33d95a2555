"""Speed and Jungle Bluff in words: cards as people say them, and no force in any line."""

from __future__ import annotations

from typing import Any

import pytest

from referee.announce.sentences import count_words, event_sentence, ruling_sentence
from referee.rules.jungle_bluff_state import VALUES

LANGUAGES = ("en", "fr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_of_a_force_is_the_same_whatever_card_it_is(language: str) -> None:
    lines = {
        event_sentence({"event": "force", "player": "Ana", "card": card}, language, "jungle-bluff")
        for card in (*VALUES, "?")
    }
    assert len(lines) == 1


@pytest.mark.parametrize("game", ["speed", "jungle-bluff"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_correction_says_where_and_not_what(game: str, language: str) -> None:
    right = {"event": "force", "player": "Ana", "card": "7"}
    replaced: dict[str, Any] = {"event": "correct", "ref": 12, "by": "Nadia", "reason": "it was the 7", "with": right}
    inserted = {"event": "correct", "before": 12, "with": right}
    for event in (replaced, inserted):
        said = event_sentence(event, language, game)
        assert "12" in said
        assert "7" not in said
    assert "Nadia" in event_sentence(replaced, language, game)


def test_cards_are_said_with_their_suit_and_in_french_with_french_letters() -> None:
    ruling = {"ruling": "illegal-play", "player": "Ana", "card": "QS", "on": "10?"}
    assert ruling_sentence(ruling, "en", "speed") == "Not playable: Q♠ on 10. Ana takes it back."
    assert ruling_sentence(ruling, "fr", "speed") == "Injouable : D♠ sur 10. Ana la reprend."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_play_that_is_not_known_is_said_to_be_so(language: str) -> None:
    said = event_sentence({"event": "play", "player": None, "pile": 2, "card": "?"}, language, "speed")
    assert said in (
        "Somebody lays a card nobody can read on pile 2",
        "Quelqu’un pose une carte illisible sur la pile 2",
    )
    said = event_sentence({"event": "take", "player": None, "card": "?"}, language, "jungle-bluff")
    assert said in ("Somebody takes the card nobody can read", "Quelqu’un prend une carte illisible")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_event_with_odd_values_still_has_a_line(language: str) -> None:
    """Events are shown before anybody knows whether they can be."""
    odd: list[tuple[str, dict[str, Any]]] = [
        ("speed", {"event": "play", "player": "", "pile": -1, "card": ""}),
        ("speed", {"event": "turn_up", "player": "Ana", "card": "x"}),
        ("speed", {"event": "recount"}),
        ("speed", {"event": "recount", "hand": {"Ana": 3}, "draw": {"Bilal": 9}}),
        ("speed", {"event": "draw", "player": "Ana", "count": -3}),
        ("jungle-bluff", {"event": "centre", "cards": []}),
        ("jungle-bluff", {"event": "reveal", "cards": ["", "?"]}),
        ("jungle-bluff", {"event": "take", "player": None, "card": ""}),
    ]
    for game, event in odd:
        assert event_sentence(event, language, game) not in ("", event["event"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_counts_of_both_games_have_words(language: str) -> None:
    headings, facts = count_words(language, "speed")
    assert {*headings} == {"hand", "draw", "side", "wins"}
    assert facts["central"]([3, 4]).endswith(("3 and 4", "3 et 4"))
    headings, facts = count_words(language, "jungle-bluff")
    assert {*headings} == {"holds", "piles", "totals"}
    assert facts["round"](11) in ("The final", "La finale")
    assert facts["totals"](None) == ""


@pytest.mark.parametrize(
    ("why", "candidates"), [("who", []), ("unreadable", ["Ana"]), ("result", ["Ana", "Bo"]), ("final force", ["Bo"])]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_undecided_ruling_says_why_and_between_whom(language: str, why: str, candidates: list[str]) -> None:
    said = ruling_sentence({"ruling": "undecided", "why": why, "candidates": candidates}, language, "jungle-bluff")
    assert all(name in said for name in candidates)
    assert ("(" in said) is bool(candidates)


def test_names_are_elided_in_french() -> None:
    said = [
        event_sentence({"event": "force", "player": name, "card": "3"}, "fr", "jungle-bluff")
        for name in ("Ana", "Élise", "Bilal", "")
    ]
    assert [line.removeprefix("Le lecteur privé regarde la force ") for line in said] == [
        "d'Ana",
        "d'Élise",
        "de Bilal",
        "de ",
    ]
