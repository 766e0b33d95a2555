"""Finding a game, a clause, a sentence."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import catalogue
from referee.catalogue import Clause, Decision
from referee.errors import InputError


def test_a_game_is_read_once() -> None:
    assert catalogue.load("speed") is catalogue.load("speed")


def test_an_unknown_game_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(InputError, match=r"^no rules for the game jungle_speed: did you mean jungle-speed"):
        catalogue.load("jungle_speed")


def test_a_game_like_no_other_is_refused_with_the_list() -> None:
    with pytest.raises(InputError, match=r"the games are jungle-speed, speed"):
        catalogue.load("poker")


@pytest.mark.parametrize("game", catalogue.games())
def test_every_entry_is_found_in_its_game_and_without_naming_the_game(game: str) -> None:
    for entry in catalogue.load(game).entries:
        assert catalogue.find(entry.id, game) is entry
        assert catalogue.find(entry.id) is entry


def test_a_clause_is_looked_for_only_in_the_game_that_is_named() -> None:
    assert isinstance(catalogue.find("JS-17"), Clause)
    assert isinstance(catalogue.find("situations-1", "jungle-speed"), Decision)
    assert catalogue.find("JS-17", "speed") is None


def test_a_sentence_is_title_and_rule_in_the_language_asked_for() -> None:
    clause = catalogue.find("JS-17")
    assert clause is not None
    assert catalogue.sentence("JS-17", "en") == f"{clause.title.en} — {clause.text.en}"
    assert catalogue.sentence("JS-17", "fr") == f"{clause.title.fr} — {clause.text.fr}"


@given(st.text())
def test_an_unknown_id_has_no_sentence_and_raises_nothing(word: str) -> None:
    known = {entry.id for game in catalogue.games() for entry in catalogue.load(game).entries}
    assert (catalogue.sentence(word, "en") is None) == (word not in known)


@pytest.mark.parametrize(
    ("word", "first"),
    [("js17", "JS-17"), ("G-06", "JS-G06"), ("two-person", "two-persons")],
)
def test_near_ids_begin_with_what_was_probably_meant(word: str, first: str) -> None:
    assert catalogue.load("jungle-speed").near(word)[0] == first


@given(st.text())
def test_near_ids_are_at_most_three_of_the_game(word: str) -> None:
    page = catalogue.load("speed")
    near = page.near(word)
    assert len(near) <= 3
    assert set(near) <= {entry.id for entry in page.entries}


def test_importing_the_catalogue_brings_in_no_other_room_and_no_heavy_library() -> None:
    code = "import sys, referee.catalogue; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    rooms = {name for name in loaded if name.startswith("referee.")}
    assert rooms <= {"referee.catalogue", "referee.errors", "referee.resources", "referee.words"}
    assert not loaded & {"numpy", "cv2", "rich", "serial", "gpiozero"}
