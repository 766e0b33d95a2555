"""Dobro in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.announce.sentences import count_words, event_sentence, ruling_sentence
from referee.announce.sheet import Sheet
from referee.cli import main
from referee.record import Record
from tests.rules import cases

CASES = {case["id"]: case for case in cases.load("dobro")}


def said(case: str, language: str) -> list[str]:
    return [ruling_sentence(ruling, language, "dobro") for ruling in cases.run(CASES[case]["record"])[0]]


@pytest.mark.parametrize(
    ("case", "english", "french"),
    [
        ("dobro-single", "Dobro! Value 14. Chloé is next.", "Dobro ! Valeur 14. À Chloé de jouer."),
        ("single-lower", "Take it back, Bilal: too low for 8.", "Coup refusé, Bilal : trop bas, il faut au moins 8."),
        ("wrong-turn", "It is not Driss's turn: take it back.", "Ce n'est pas à Driss de jouer : on reprend le coup."),
        (
            "pass-no-draw",
            "Bilal passes, picks up 1 card and opens the next auction.",
            "Bilal passe, ramasse 1 carte et ouvre l'enchère suivante.",
        ),
        (
            "scoring-table",
            (
                "Round 1 of 3 is over: Ana 0 cards = 0 points, Bilal 1 card = 2 points, Chloé 1 card = 2 points, "
                "Driss 2 cards = 9 points. Driss opens the next one."
            ),
            (
                "Manche 1 sur 3 terminée : Ana 0 carte = 0 point, Bilal 1 carte = 2 points, Chloé 1 carte = 2 points, "
                "Driss 2 cartes = 9 points. Driss ouvre la suivante."
            ),
        ),
        (
            "game",
            (
                "The game is over, lowest total first. 1. Ana (3 points); 2. Bilal and Chloé (6 points); "
                "4. Driss (6 points)."
            ),
            (
                "La partie est finie, le plus petit total d'abord. 1. Ana (3 points) ; 2. Bilal et Chloé (6 points) ; "
                "4. Driss (6 points)."
            ),
        ),
    ],
)
def test_a_ruling_is_said_in_both_languages(case: str, english: str, french: str) -> None:
    assert english in said(case, "en")
    assert french in said(case, "fr")


def test_the_last_card_of_a_round_names_nobody_who_is_next() -> None:
    assert "Value 10." in said("last-pair", "en")
    assert "Valeur 10." in said("last-pair", "fr")


@pytest.mark.parametrize(
    ("event", "english", "french"),
    [
        (
            {"event": "play", "player": None, "cards": ["joker", "8"], "value": 8},
            "Somebody lays a joker and 8, said to be 8",
            "Quelqu’un pose un Joker et 8, annoncé 8",
        ),
        ({"event": "pass", "player": "Ana"}, "Ana passes", "Ana passe"),
        (
            {"event": "pass", "player": "Ana", "only_specials": True},
            "Ana has only specials",
            "Ana n'a que des cartes spéciales",
        ),
        ({"event": "draw", "player": "Ana", "count": 2}, "Ana draws 2 cards", "Ana pioche 2 cartes"),
        (
            {"event": "call", "player": "Ana", "on": "Bo"},
            "Ana says that Bo forgot to draw",
            "Ana signale que Bo a oublié de piocher",
        ),
        (
            {"event": "recount", "hand": {"Ana": 3}, "pile": 4},
            "Counted: Ana 3, draw pile 4",
            "Recompté : Ana 3, pioche 4",
        ),
        ({"event": "recount"}, "Counted: ", "Recompté : "),
    ],
)
def test_an_event_is_said_in_both_languages(event: dict[str, Any], english: str, french: str) -> None:
    assert event_sentence(event, "en", "dobro") == english
    assert event_sentence(event, "fr", "dobro") == french


@pytest.mark.parametrize(
    ("language", "heading", "last"),
    [
        (
            "en",
            "player  hand  picked up  points",
            (
                "Round 1. Draw pile: 30. On the table: 3. Value: 24. Direction: clockwise. Oubli: in the centre. "
                "Turn: Chloé."
            ),
        ),
        (
            "fr",
            "joueur  main  ramassées  points",
            "Manche 1. Pioche : 30. Sur la table : 3. Valeur : 24. Sens horaire. Oubli : au centre. Tour : Chloé.",
        ),
    ],
)
def test_the_sheet_ends_with_the_counts(
    language: str, heading: str, last: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "skip.jsonl"
    path.write_bytes(cases.as_bytes(CASES["skip"]["record"]))
    assert main(["adjudicate", str(path), "--state", "--lang", language]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert heading in lines
    assert lines[-1] == last


def test_the_sheet_of_a_game_that_is_over_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(cases.as_bytes(CASES["game-two"]["record"]))
    assert main(["adjudicate", str(path), "--state"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("Oubli: in the centre. The game is over.")


class Counted:
    """A game that counts what no other does."""

    def summary(self) -> dict[str, Any]:
        return {"tricks": {"Ana": 3}, "trumps": "hearts", "over": False}


def test_counts_nobody_has_words_for_are_shown_under_their_own_names(capsys: pytest.CaptureFixture[str]) -> None:
    record = Record({"record": "referee/1", "game": "dobro", "players": ["Ana", "Bo"]}, [], [])
    Sheet(record, "en").show(Counted(), iter(()), None, state=True)
    *_, heading, ana, bo, last = (line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert (heading, ana, bo, last) == ("player  tricks", "Ana     3", "Bo", "trumps: hearts.")


def test_a_game_without_words_for_its_counts_shows_them_under_their_own_names() -> None:
    assert count_words("en", "belote") == ({}, {})
