"""From a snapshot to a page's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from referee.health import Freshness
from referee.web import view
from referee.web.board import Seat, ShownRuling, SourceState, TableSnapshot
from referee.web.text import LANGUAGES, WORDS, language_of
from tests.web.tables import ALL, CARD, CHOICE, HELD_BACK, OVER, PAUSED, SECRET, SHARE, TABLE, WAITING, WHO, WON, given

PAGES: list[Callable[[TableSnapshot, str], dict[str, Any]]] = [view.scoreboard, view.operator]


def test_the_scoreboard_shows_turn_counts_mode_pot_and_health_in_english() -> None:
    said = view.scoreboard(TABLE, "en")
    assert said["headline"] == "Ana’s turn"
    assert said["mode"] == {"colour": True, "text": "Colours count"}
    assert said["facts"] == ["Pot: 6"]
    assert said["players"][1]["counts"] == [{"label": "reserve", "count": 9}, {"label": "face up", "count": 5}]
    assert [seat["turn"] for seat in said["players"]] == [True, False, False, False]
    assert [source["text"] for source in said["health"]] == ["ok", "no signal (8 s)"]


def test_the_scoreboard_shows_the_same_in_french() -> None:
    said = view.scoreboard(replace(TABLE, colour_mode=False), "fr")
    assert said["headline"] == "Au tour d'Ana"
    assert said["mode"] == {"colour": False, "text": "Les formes comptent"}
    assert said["facts"] == ["Pot : 6"]
    assert said["players"][2]["out"] == "a fini"


def test_the_newest_ruling_stands_first_with_how_close_it_was_and_an_overturned_one_is_marked() -> None:
    rulings = view.scoreboard(TABLE, "en")["rulings"]
    assert [ruling["place"] for ruling in rulings] == [2, 0]
    assert rulings[0]["margin"] == "first by 27 ms"
    assert rulings[1]["overturned"] == "overturned"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_duel_that_is_held_back_is_on_no_page(page: Callable[..., dict[str, Any]], language: str) -> None:
    alone = replace(TABLE, rulings=(ShownRuling(0, HELD_BACK),))
    nothing = replace(TABLE, rulings=())
    assert page(alone, language) == page(nothing, language)
    assert "duel" not in json.dumps(page(alone, language)).lower()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_question_that_may_not_be_asked_aloud_changes_nothing(
    page: Callable[..., dict[str, Any]], language: str
) -> None:
    assert page(SECRET, language) == page(TABLE, language)


@examples(st.lists(st.booleans(), max_size=20))
def test_whatever_was_given_only_what_is_public_is_shown(public: list[bool]) -> None:
    rulings = tuple(ShownRuling(place, {**WON, "public": may}) for place, may in enumerate(public))
    shown = [ruling["place"] for ruling in view.scoreboard(replace(TABLE, rulings=rulings), "en")["rulings"]]
    assert shown == [place for place, may in enumerate(public) if may][::-1][: view.SHOWN_RULINGS]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(ALL))
def test_every_table_can_be_sent_as_json_and_leaves_no_word_out(name: str, language: str) -> None:
    for page in PAGES:
        text = json.dumps(page(ALL[name], language), ensure_ascii=False, allow_nan=False)
        assert '"headline": ""' not in text


def test_a_question_comes_with_its_answers() -> None:
    who = view.operator(WHO, "en")["question"]
    assert (who["do"], who["id"]) == ("settle", 5)
    names = ["Ana", "David", "Bilal", "Chloé"]  # the likely ones first
    assert [choice["text"] for choice in who["choices"]] == [f"It was {name}" for name in names]
    assert who["too"]["names"] == ["Ana", "Bilal", "Chloé", "David"]
    card = view.operator(CARD, "fr")["question"]
    assert [choice["value"] for choice in card["choices"]] == ["circle/red", "octagon/red"]
    choice = view.operator(CHOICE, "fr")["question"]
    assert [one["text"] for one in choice["choices"]] == ["Le duel", "La flèche"]
    share = view.operator(SHARE, "en")["question"]
    assert (share["cards"], share["losers"]) == (9, ["Ana", "Bilal"])


@pytest.mark.parametrize(
    ("language", "text"), [("en", "The pile on Bilal's side:"), ("fr", "La pile du côté de Bilal :")]
)
def test_a_question_says_which_pile_it_is_about(language: str, text: str) -> None:
    assert WHO.question is not None
    asked = replace(WHO, question=replace(WHO.question, pile=2))
    assert view.operator(asked, language)["question"]["text"].startswith(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The totem fell over. Who knocked it over?"),
        ("fr", "Le totem est tombé. Qui l'a renversé\N{NO-BREAK SPACE}?"),
    ],
)
def test_a_question_about_a_fall_says_that_the_totem_fell(language: str, text: str) -> None:
    assert WHO.question is not None
    asked = replace(WHO, question=replace(WHO.question, fell=True))
    assert view.operator(asked, language)["question"]["text"] == text


def test_only_what_can_be_done_now_is_offered() -> None:
    def may(snapshot: TableSnapshot) -> set[str]:
        return {what for what, can in view.operator(snapshot, "en")["may"].items() if can}

    assert may(TABLE) == {"pause", "end"}
    assert may(PAUSED) == {"resume", "end"}
    assert may(WAITING) == {"start"}
    assert may(OVER) == {"start"}


def test_a_game_that_is_over_shows_the_places_and_nobodys_turn() -> None:
    said = view.scoreboard(replace(OVER, turn="Ana"), "fr")
    assert said["headline"] == "La partie est finie"
    assert said["ranking"] == [
        {"place": 1, "names": "Chloé"},
        {"place": 2, "names": "Ana, Bilal"},
        {"place": 4, "names": "David"},
    ]
    assert not any(seat["turn"] for seat in said["players"])


def test_a_table_without_totem_and_a_game_without_modes_say_nothing_of_them() -> None:
    said = view.scoreboard(replace(TABLE, totem=None, colour_mode=None, game="dobro", facts={"pile": 3}), "en")
    assert [source["name"] for source in said["health"]] == ["Camera"]
    assert said["mode"] is None
    assert said["facts"] == ["Draw pile: 3"]


def test_a_game_or_count_nobody_has_words_for_is_named_as_it_is() -> None:
    odd = replace(TABLE, game="dobro", seats=(Seat("Ana", {"medals": 2}),), facts={"moon": 4}, rulings=())
    said = view.scoreboard(odd, "fr")
    assert said["players"][0]["counts"] == [{"label": "medals", "count": 2}]
    assert said["facts"] == ["moon: 4"]
    unknown = replace(TABLE, rulings=(ShownRuling(0, given(0, "applause")),))
    assert view.scoreboard(unknown, "en")["rulings"][0]["text"] == "applause"


@pytest.mark.parametrize("freshness", list(Freshness))
def test_every_state_of_a_source_has_a_word(freshness: Freshness) -> None:
    for language in LANGUAGES:
        said = view.scoreboard(replace(TABLE, camera=SourceState(freshness, None)), language)
        assert said["health"][0]["text"]


def test_both_languages_have_the_same_labels() -> None:
    assert set(WORDS["en"].labels) == set(WORDS["fr"].labels)


@pytest.mark.parametrize(
    ("wanted", "accepted", "language"),
    [
        ("fr", "en", "fr"),
        (None, "fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        (None, "de,en;q=0.5", "en"),
        (None, "de", "fr"),
        ("xx", "", "fr"),
        (None, ",;,,", "fr"),
    ],
)
def test_the_language_is_the_one_asked_for_or_the_browsers_or_the_tables(
    wanted: str | None, accepted: str, language: str
) -> None:
    assert language_of(wanted, accepted, "fr") == language
