"""From written sentences to what a voice is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.announce.manners import for_the_ear
from referee.announce.sentences import ruling_sentence
from referee.announce.speech.spoken import LONGEST_NAME, LONGEST_PHRASE, LONGEST_TOKEN, phrases, said_names
from tests.rules import cases, golden

PLAYERS = ("Ana", "LÉO", "李", "🦊", "J. R.", "<b>Bo</b>", "x" * 64)
RULINGS = [
    (case["game"], ruling) for case in cases.load("") if "exit" not in case for ruling in cases.run(case["record"])[0]
] + [(kept.header["game"], ruling) for kept in map(golden.read, golden.GAMES) for ruling in kept.rulings]


def test_names_are_said_without_what_no_voice_can_say() -> None:
    said = said_names(PLAYERS, "fr", {})
    assert said["Ana"] == "Ana"
    assert said["LÉO"] == "Léo"
    assert said["李"] == "joueur 3"
    assert said["🦊"] == "joueur 4"
    assert said["J. R."] == "J R"
    assert said["<b>Bo</b>"] == "b Bo b"
    assert len(said["x" * 64]) == LONGEST_NAME


def test_a_name_is_said_as_the_table_wants_it() -> None:
    names = said_names(("Xavi", "李"), "en", {"Xavi": "Chavvi", "李": "Lee"})
    assert phrases("Xavi wins against 李.", "en", names) == ("Chavvi wins against Lee.",)


def test_a_name_inside_another_word_is_left_alone() -> None:
    names = said_names(("Al", "Alba"), "en", {"Al": "Ahl"})
    assert phrases("Al and Alba: Al's almost.", "en", names) == ("Ahl and Alba: Ahl's almost.",)


def test_a_sentence_is_cut_where_it_ends_and_not_after_a_rank() -> None:
    said = phrases("The game is over. Two players are left. 1. Ana; 2. Bo and Chloé.", "en", {})
    assert said == ("The game is over.", "Two players are left.", "number 1: Ana, number 2: Bo and Chloé.")
    assert phrases("Valeur 14. À Chloé de jouer.", "fr", {}) == ("Valeur 14.", "À Chloé de jouer.")


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        ("en", "Not playable: Q♠ on 10♥. Ana takes it back.", "Not playable: queen of spades on 10 of hearts."),
        ("fr", "Injouable : D♠ sur A♦. Ana la reprend.", "Injouable : dame de pique sur as de carreau."),
        ("en", "Ana 0 cards = 0 points, Bo 1 card = 2 points.", "Ana 0 cards, 0 points, Bo 1 card, 2 points."),
        ("en", "Ana puts 1 card into the pot (now 2).", "Ana puts 1 card into the pot, now 2."),
    ],
)
def test_signs_are_said_as_words_or_as_a_pause(language: str, written: str, said: str) -> None:
    assert phrases(written, language, {})[0] == said


def test_who_alone_picks_up_cards_is_not_told_twice_that_it_is_their_turn() -> None:
    alone = {"ruling": "won", "winner": "Ana", "losers": ["Bo"], "picks_up": {"Bo": 3}, "next": "Bo"}
    shared = {**alone, "losers": ["Bo", "Eva"], "picks_up": {"Bo": 2, "Eva": 1}}
    assert ruling_sentence(for_the_ear(alone), "en") == "Ana wins against Bo. Bo picks up 3 cards."
    assert ruling_sentence(for_the_ear(shared), "en").endswith("Bo flips next.")
    assert alone["next"] == "Bo"
    pot = {"ruling": "to-pot", "player": "Ana", "cards": 1, "pot": 1, "next": "Ana"}
    assert ruling_sentence(for_the_ear(pot), "en") == "Ana puts 1 card into the pot (now 1)."
    assert ruling_sentence(for_the_ear({**pot, "next": "Bo"}), "en").endswith("Bo flips next.")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_ruling_there_is_becomes_phrases_that_an_engine_can_be_given(language: str) -> None:
    for game, ruling in RULINGS:
        said = phrases(ruling_sentence(ruling, language, game), language, {})
        assert said
        assert not set("".join(said)) & set("♠♥♦♣=()<>/;&")


@given(st.text(max_size=600), st.sampled_from(["en", "fr"]))
def test_no_text_makes_a_phrase_or_a_token_that_is_too_long(text: str, language: str) -> None:
    for phrase in phrases(text, language, {}):
        assert 0 < len(phrase) <= LONGEST_PHRASE + LONGEST_TOKEN
        assert max(map(len, phrase.split())) <= LONGEST_TOKEN
        assert any(character.isalnum() for character in phrase)


@given(st.lists(st.text(min_size=1, max_size=64), min_size=1, max_size=10, unique=True))
def test_every_player_has_something_to_be_called(players: list[str]) -> None:
    for said in said_names(players, "en", {}).values():
        assert 0 < len(said) <= LONGEST_NAME
        assert phrases(f"{said} wins.", "en", {})
