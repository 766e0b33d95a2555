"""The clause catalogues of Dobro and Jungle Bluff as data: complete, bilingual and in order.

Only the files are looked at here, never the loader that reads them.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
LANGUAGES = {"en", "fr"}
CLAUSE_KEYS = {"id", "title", "text", "lines", "implied", "observe", "announce"}
DECISION_KEYS = {"id", "title", "text", "option", "reason", "disputes"}


@dataclass(frozen=True)
class Expected:
    """What one catalogue must hold: its ids are counted up from 1 to these numbers."""

    game: str
    prefix: str
    clauses: int
    gaps: int
    decisions: int
    source_lines: int
    options: frozenset[str]

    @property
    def clause_ids(self) -> list[str]:
        return [f"{self.prefix}-{number:02d}" for number in range(1, self.clauses + 1)]

    @property
    def decision_ids(self) -> list[str]:
        gaps = [f"{self.prefix}-G{number:02d}" for number in range(1, self.gaps + 1)]
        return gaps + [f"{self.game}-decisions-{number}" for number in range(1, self.decisions + 1)]


CATALOGUES = [
    Expected("dobro", "DO", 66, 41, 9, 96, frozenset({"long_game", "oubli_called_by", "scoring"})),
    Expected("jungle-bluff", "JB", 41, 26, 7, 32, frozenset({"advanced"})),
]
each_catalogue = pytest.mark.parametrize("expected", CATALOGUES, ids=lambda expected: expected.game)


def catalogue_of(expected: Expected) -> dict[str, Any]:
    return tomllib.loads((SEEDS / f"{expected.game}.toml").read_text(encoding="utf-8"))


def sentences_of(catalogue: dict[str, Any], key: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each entry's id with its pair of sentences under `key`, where it has that key."""
    for entry in catalogue["clause"] + catalogue["decision"]:
        if key in entry:
            yield entry["id"], entry[key]


@each_catalogue
def test_the_head_names_the_game_and_its_source(expected: Expected) -> None:
    catalogue = catalogue_of(expected)
    assert set(catalogue) == {"game", "name", "source", "clause", "decision"}
    assert catalogue["game"] == expected.game
    assert set(catalogue["name"]) == LANGUAGES
    assert re.fullmatch(r"seed \d{3}", catalogue["source"])


@each_catalogue
def test_every_clause_stands_exactly_once_and_in_order(expected: Expected) -> None:
    assert [clause["id"] for clause in catalogue_of(expected)["clause"]] == expected.clause_ids


@each_catalogue
def test_every_gap_and_every_decision_stands_exactly_once_and_in_order(expected: Expected) -> None:
    assert [decision["id"] for decision in catalogue_of(expected)["decision"]] == expected.decision_ids


@each_catalogue
def test_entries_have_the_keys_of_the_format_and_no_others(expected: Expected) -> None:
    catalogue = catalogue_of(expected)
    for clause in catalogue["clause"]:
        assert set(clause) == CLAUSE_KEYS, clause["id"]
        assert type(clause["implied"]) is bool, clause["id"]
    for decision in catalogue["decision"]:
        keys = DECISION_KEYS | ({"default", "values"} if decision["option"] else set())
        assert set(decision) == keys, decision["id"]


@each_catalogue
@pytest.mark.parametrize("key", ["title", "text", "reason"])
def test_what_must_be_said_is_said_in_two_different_languages(expected: Expected, key: str) -> None:
    for entry_id, said in sentences_of(catalogue_of(expected), key):
        assert set(said) == LANGUAGES, entry_id
        assert all(sentence.strip() == sentence != "" for sentence in said.values()), entry_id
        assert said["en"].casefold() != said["fr"].casefold(), entry_id


@each_catalogue
@pytest.mark.parametrize("key", ["observe", "announce"])
def test_what_may_be_silent_is_silent_in_both_languages_or_in_none(expected: Expected, key: str) -> None:
    for entry_id, said in sentences_of(catalogue_of(expected), key):
        assert set(said) == LANGUAGES, entry_id
        assert bool(said["en"]) == bool(said["fr"]), entry_id


@each_catalogue
@pytest.mark.parametrize("key", ["title", "text"])
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_two_entries_share_a_title_or_a_text(expected: Expected, key: str, language: str) -> None:
    counted = Counter(said[language].casefold() for _, said in sentences_of(catalogue_of(expected), key))
    assert [sentence for sentence, times in counted.items() if times > 1] == []


@each_catalogue
def test_lines_lie_inside_the_source_and_only_what_is_implied_may_lack_them(expected: Expected) -> None:
    for clause in catalogue_of(expected)["clause"]:
        lines = clause["lines"]
        assert lines == sorted(set(lines)), clause["id"]
        assert all(1 <= line <= expected.source_lines for line in lines), clause["id"]
        assert lines or clause["implied"], clause["id"]


@each_catalogue
def test_the_options_are_the_games_own_and_each_is_decided_once(expected: Expected) -> None:
    named = [decision["option"] for decision in catalogue_of(expected)["decision"] if decision["option"]]
    assert sorted(named) == sorted(expected.options)


@each_catalogue
def test_an_options_default_is_among_its_values(expected: Expected) -> None:
    for decision in catalogue_of(expected)["decision"]:
        if not decision["option"]:
            continue
        values = decision["values"]
        if isinstance(values, list):
            assert decision["default"] in values, decision["id"]
        else:
            assert isinstance(values, str), decision["id"]
            assert values.strip(), decision["id"]


def test_dobros_default_points_are_the_ranks_for_two_to_six_players() -> None:
    (scoring,) = (decision for decision in catalogue_of(CATALOGUES[0])["decision"] if decision["option"] == "scoring")
    assert scoring["default"] == {str(count): list(range(1, count + 1)) for count in range(2, 7)}


@each_catalogue
def test_disputes_are_cited_by_id_and_not_twice(expected: Expected) -> None:
    for decision in catalogue_of(expected)["decision"]:
        disputes = decision["disputes"]
        assert disputes == sorted(set(disputes)), decision["id"]
        for dispute in disputes:
            assert re.fullmatch(r"D-(0[1-9]|[1-7]\d|8[0-4])", dispute), decision["id"]
