"""What the shipped catalogues must hold, game by game."""

import re
from collections.abc import Iterator

import pytest

from referee import catalogue
from referee.catalogue import Catalogue, Decision, Text

GAMES = catalogue.games()
OPTIONS = {
    "jungle-speed": {
        "end": "two-left",
        "permanent_colour": False,
        "simultaneous_ms": 40,
        "missed_duel": "stays",
        "unknown_fall": "pot",
        "last_out": "pile",
        "last_colour": "automatic",
        "leftovers": "dealt",
        "hands": 1,
    },
    "speed": {"best_of": 3},
}
PARAGRAPHS = [
    *(f"situations-{number}" for number in range(1, 6)),
    *(f"grab-{number}" for number in range(16)),
    *("pick-up", "last-card", "out", "two-persons", "deal", "players", "options"),
    *("correct", "record", "recount"),
]


def texts(page: Catalogue) -> Iterator[tuple[str, Text]]:
    for entry in page.entries:
        yield f"{entry.id} title", entry.title
        yield f"{entry.id} text", entry.text
    for clause in page.clauses:
        yield f"{clause.id} observe", clause.observe
        yield f"{clause.id} announce", clause.announce
    for decision in page.decisions:
        yield f"{decision.id} reason", decision.reason


@pytest.mark.parametrize(("game", "prefix", "count"), [("jungle-speed", "JS", 58), ("speed", "SP", 22)])
def test_every_clause_of_the_source_is_there_once_and_in_order(game: str, prefix: str, count: int) -> None:
    found = [clause.id for clause in catalogue.load(game).clauses]
    assert found == [f"{prefix}-{number:02}" for number in range(1, count + 1)]


def test_every_gap_and_every_paragraph_of_jungle_speed_has_a_decision() -> None:
    gaps = [f"JS-G{number:02}" for number in range(1, 51)]
    gaps.insert(gaps.index("JS-G04") + 1, "JS-G04b")
    gaps.insert(gaps.index("JS-G16") + 1, "JS-G16b")
    assert [decision.id for decision in catalogue.load("jungle-speed").decisions] == gaps + PARAGRAPHS


def test_every_gap_and_every_paragraph_of_speed_has_a_decision() -> None:
    gaps = [f"SP-G{number:02}" for number in range(1, 22)]
    paragraphs = [f"speed-decisions-{number}" for number in range(10)]
    assert [decision.id for decision in catalogue.load("speed").decisions] == gaps + paragraphs


def test_no_id_belongs_to_two_games() -> None:
    ids = [entry.id for game in GAMES for entry in catalogue.load(game).entries]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("game", GAMES)
def test_titles_rules_and_reasons_are_said_in_both_languages(game: str) -> None:
    page = catalogue.load(game)
    silent = [where for where, text in texts(page) if not (text.en.strip() and text.fr.strip())]
    assert all(where.endswith(("observe", "announce")) for where in silent), silent


@pytest.mark.parametrize("game", GAMES)
def test_no_french_sentence_is_an_english_one(game: str) -> None:
    page = catalogue.load(game)
    assert [where for where, text in texts(page) if text.en and text.en == text.fr] == []


@pytest.mark.parametrize("game", GAMES)
def test_no_two_entries_share_a_title_or_a_sentence(game: str) -> None:
    page = catalogue.load(game)
    for language in catalogue.LANGUAGES:
        for said in (
            [entry.title.said(language).casefold() for entry in page.entries],
            [entry.text.said(language).casefold() for entry in page.entries],
            [decision.reason.said(language).casefold() for decision in page.decisions],
        ):
            assert sorted(said) == sorted(set(said))


@pytest.mark.parametrize("game", GAMES)
def test_sentences_are_tidy(game: str) -> None:
    """One line each, no stray spaces; a rule is a sentence and a title is none; French sets its spaces."""
    page = catalogue.load(game)
    for where, text in texts(page):
        for said in (text.en, text.fr):
            assert said == said.strip(), where
            assert "\n" not in said, where
            assert "  " not in said, where
        assert not re.search(r"\S[:;!?»]|«\S", text.fr), where
    for entry in page.entries:
        for language in catalogue.LANGUAGES:
            assert entry.text.said(language)[-1] in ".!?", entry.id
            assert entry.title.said(language)[-1] not in ".!", entry.id


@pytest.mark.parametrize("game", GAMES)
def test_line_numbers_rise_and_only_implied_clauses_may_lack_them(game: str) -> None:
    for clause in catalogue.load(game).clauses:
        assert list(clause.lines) == sorted(set(clause.lines)), clause.id
        assert clause.lines or clause.implied, clause.id


@pytest.mark.parametrize("game", GAMES)
def test_an_option_has_its_default_among_its_values_and_the_same_wherever_it_is_named(game: str) -> None:
    found: dict[str, Decision] = {}
    for decision in catalogue.load(game).decisions:
        if not decision.option:
            assert decision.default is None, decision.id
            assert decision.values == (), decision.id
            continue
        assert isinstance(decision.values, str) or decision.default in decision.values, decision.id
        first = found.setdefault(decision.option, decision)
        assert (decision.default, decision.values) == (first.default, first.values), decision.id


@pytest.mark.parametrize("game", sorted(OPTIONS))
def test_the_options_are_those_of_the_decisions_and_no_others(game: str) -> None:
    named = {decision.option: decision.default for decision in catalogue.load(game).decisions if decision.option}
    assert named == OPTIONS[game]


@pytest.mark.parametrize("game", GAMES)
def test_disputes_are_named_by_ids_of_the_84_that_were_collected(game: str) -> None:
    for decision in catalogue.load(game).decisions:
        for dispute in decision.disputes:
            assert re.fullmatch(r"D-\d\d", dispute), decision.id
            assert 1 <= int(dispute[2:]) <= 84, decision.id
        assert list(decision.disputes) == sorted(set(decision.disputes)), decision.id
