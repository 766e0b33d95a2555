"""`referee rules`, as people type it."""

import json
import os
import pty
import subprocess
import sys

import pytest

from referee import catalogue
from referee.cli import main


def test_without_arguments_it_lists_the_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue.games())
    assert "58 clauses" in lines[0]


def test_a_game_lists_every_clause_and_decision_with_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "speed"]) == 0
    page = catalogue.load("speed")
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    listed = [line for line in lines if line[0] != "Speed,"]
    assert listed == [[entry.id, entry.title.en] for entry in page.entries]
    assert len(lines) == len(listed) + 2


@pytest.mark.parametrize("language", catalogue.LANGUAGES)
@pytest.mark.parametrize("game", catalogue.games())
def test_every_entry_can_be_printed_whole(capsys: pytest.CaptureFixture[str], game: str, language: str) -> None:
    for entry in catalogue.load(game).entries:
        assert main(["rules", game, entry.id, "--lang", language]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{entry.id}  {entry.title.said(language)}\n")
        assert entry.text.said(language) in out


def test_a_clause_shows_rule_sensors_announcement_and_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "jungle-speed", "JS-29"]) == 0
    clause = catalogue.find("JS-29")
    assert isinstance(clause, catalogue.Clause)
    assert capsys.readouterr().out.splitlines() == [
        f"JS-29  {clause.title.en}",
        f"Rule       {clause.text.en}",
        f"Observed   {clause.observe.en}",
        f"Announced  {clause.announce.en}",
        "Source     seed 000, lines 28, 62, implied only",
    ]


def test_a_clause_of_one_line_that_asks_nothing_of_the_sensors_shows_no_empty_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rules", "jungle-speed", "JS-32", "--lang", "fr"]) == 0
    labels = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert labels == ["Règle", "Source"]


def test_a_decision_shows_its_option_default_reason_and_disputes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "jungle-speed", "JS-G20", "--lang", "fr"]) == 0
    out = capsys.readouterr().out
    assert "unknown_fall (par défaut pot ; valeurs pot, void)" in out
    assert "Litiges   D-07, D-08, D-09" in out
    assert main(["rules", "jungle-speed", "JS-G28"]) == 0
    assert "permanent_colour (default false; values false, true)" in capsys.readouterr().out
    assert main(["rules", "jungle-speed", "JS-G21"]) == 0
    assert "simultaneous_ms (default 40; values 0 … 10000 ms)" in capsys.readouterr().out


def test_capitals_do_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "Speed", "sp-09"]) == 0
    assert capsys.readouterr().out.startswith("SP-09  ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sped"], "referee rules: no rules for the game sped: did you mean speed or jungle-speed?"),
        (["js-17"], "referee rules: js-17 is no game: write referee rules jungle-speed js-17"),
        (["jungle-speed", "G-06"], "referee rules: jungle-speed has no clause G-06: did you mean JS-G06?"),
        (["speed", "%%%"], "referee rules: speed has no clause %%%: referee rules speed lists them"),
    ],
)
def test_an_unknown_name_gets_one_sentence_and_status_2(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["rules", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [sentence]


def test_json_gives_one_object_a_line_for_games_and_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    games = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert games[0] == {
        "game": "jungle-speed",
        "name": "Jungle Speed",
        "source": "seed 000",
        "clauses": 58,
        "decisions": 83,
    }
    assert main(["rules", "jungle-speed", "--json", "--lang", "fr"]) == 0
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    page = catalogue.load("jungle-speed")
    assert [entry["id"] for entry in entries] == [entry.id for entry in page.entries]
    assert entries[0] == {
        "game": "jungle-speed",
        "id": "JS-01",
        "kind": "clause",
        "title": page.clauses[0].title.fr,
    }


@pytest.mark.parametrize("game", catalogue.games())
def test_json_gives_an_entry_whole(capsys: pytest.CaptureFixture[str], game: str) -> None:
    page = catalogue.load(game)
    for entry in page.entries:
        assert main(["rules", game, entry.id, "--json", "--lang", "fr"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["id"], found["title"], found["text"]) == (entry.id, entry.title.fr, entry.text.fr)
        if isinstance(entry, catalogue.Clause):
            assert found["kind"] == "clause"
            assert found["lines"] == list(entry.lines)
            assert found["announce"] == entry.announce.fr
        else:
            assert found["kind"] == "decision"
            assert found["option"] == entry.option
            assert (found["default"] is None) == (entry.option == "")


def test_a_terminal_gets_wrapped_text_that_fits_its_width() -> None:
    ours, theirs = pty.openpty()
    try:
        environment = {**os.environ, "COLUMNS": "60", "TERM": "xterm", "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "referee", "rules", "jungle-speed", "JS-G20"],
            stdout=theirs,
            env=environment,
            check=False,
        )
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0
    plain = "".join(part.split("m", 1)[-1] if n else part for n, part in enumerate(shown.split("\x1b[")))
    lines = [line.rstrip() for line in plain.splitlines()]
    decision = catalogue.find("JS-G20")
    assert decision is not None
    assert lines[0] == f"JS-G20  {decision.title.en}"
    assert max(map(len, lines)) <= 60
    assert decision.text.en.split()[:3] == lines[1].removeprefix("What stands").split()[:3]
    assert len(lines) > 6
