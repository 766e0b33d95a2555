"""`referee adjudicate`, as a whole program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.ledger import rulings_in_worlds, rulings_of
from referee.record import to_line, write_record
from referee.sim.games import play
from tests.rules import cases, golden

HAND = {"player": "Bilal", "t_us": 2_500_000, "fingers": 4, "lowest_mm": 12.0, "grip": True}
CASES = {case["id"]: case for case in cases.load("jungle-speed")}


def write(path: Path, *names: str) -> str:
    path.write_bytes(b"".join(cases.as_bytes(CASES[name]["record"]) for name in names))
    return str(path)


def as_json(capfdbinary: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]


def test_json_prints_one_ruling_a_line_and_the_counts_last(tmp_path: Path, capfdbinary: Any) -> None:
    assert main(["adjudicate", write(tmp_path / "a.jsonl", "first-to-grab"), "--json", "--state"]) == 0
    *rulings, last = as_json(capfdbinary)
    assert [ruling["ruling"] for ruling in rulings] == ["duel", "won"]
    assert rulings[1]["margin"] == {"by": "time", "us": 43000}
    assert last["state"]["turn"] == "Ana"


def test_the_record_of_a_running_game_is_judged_as_it_was_given_and_what_is_open_stays_open(
    tmp_path: Path, capfdbinary: Any
) -> None:
    header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Bilal", "Chloé"]}
    events: list[dict[str, Any]] = [
        {"t_us": 1_000_000, "event": "flip", "player": "Ana", "card": "?", "may_be": ["moon/red", "sun/red"]},
        {"t_us": 2_000_000, "event": "flip", "player": "Bilal", "card": "sun/blue"},
        {"t_us": 2_500_000, "event": "grab", "hands": [HAND]},
        {"t_us": 5_000_000, "event": "flip", "player": "Bilal", "card": "star/blue"},
        {"t_us": 6_000_000, "event": "flip", "player": "Chloé", "card": "star/red"},
        {"t_us": 6_500_000, "event": "grab", "hands": [HAND | {"player": "Chloé", "t_us": 6_500_000}]},
    ]
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(b"".join(to_line(line) for line in [header, *events]))
    kept = tmp_path / "kept.jsonl"
    given = rulings_in_worlds(header, events)
    assert (given[-1]["ruling"], given[-1]["why"]) == ("undecided", "open")
    kept.write_bytes(alone.read_bytes() + b"".join(to_line(ruling) for ruling in given))
    assert main(["adjudicate", str(kept), "--json"]) == 0
    assert as_json(capfdbinary) == given
    assert main(["adjudicate", str(alone), "--json"]) == 0
    by_the_rules_alone = as_json(capfdbinary)
    assert by_the_rules_alone == rulings_of(header, events)
    assert by_the_rules_alone[-1]["ruling"] == "won"


def test_several_records_are_numbered_in_all_files_together(tmp_path: Path, capfdbinary: Any) -> None:
    one = write(tmp_path / "a.jsonl", "first-to-grab", "fingers")
    two = write(tmp_path / "b.jsonl", "lower-hand")
    assert main(["adjudicate", one, two, "--json", "--state"]) == 0
    found = as_json(capfdbinary)
    assert [line["record"] for line in found if "record" in line] == [0, 1, 2]
    assert sum("state" in line for line in found) == 3
    assert found[0] == {"record": 0}


def test_a_single_record_is_not_numbered(tmp_path: Path, capfdbinary: Any) -> None:
    assert main(["adjudicate", write(tmp_path / "a.jsonl", "fingers"), "--json"]) == 0
    assert all("ruling" in line for line in as_json(capfdbinary))


def test_explain_adds_the_sentence_of_each_clause_in_the_language_asked_for(tmp_path: Path, capfdbinary: Any) -> None:
    path = write(tmp_path / "a.jsonl", "fingers")
    assert main(["adjudicate", path, "--json", "--explain", "--lang", "fr"]) == 0
    won = as_json(capfdbinary)[-1]
    assert set(won["explain"]) == set(won["clauses"])
    assert "doigts" in won["explain"]["JS-39"]


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "Ana wins against Chloé. Chloé picks up 3 cards. Chloé flips next."), ("fr", "Ana l'emporte sur Chloé.")],
)
def test_the_sheet_says_who_what_and_how_close(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, says: str
) -> None:
    path = write(tmp_path / "a.jsonl", "lower-hand")
    assert main(["adjudicate", path, "--state", "--explain", "--events", "--lang", language]) == 0
    sheet = capsys.readouterr().out
    assert says in sheet
    assert "30 mm" in sheet
    assert "70 mm" in sheet
    assert "JS-40" in sheet


def test_the_counts_end_the_sheet_each_under_its_own_heading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.jsonl", "fingers")
    assert main(["adjudicate", path, "--state"]) == 0
    *_, heading, ana, bilal, chloe, driss, last = capsys.readouterr().out.splitlines()
    assert heading.split() == ["player", "reserve", "face", "up"]
    assert [line.split()[0] for line in (ana, bilal, chloe, driss)] == ["Ana", "Bilal", "Chloé", "Driss"]
    assert last.startswith("Pot: 0. Turn: ")


def test_names_and_cards_with_markup_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["[red]Ana[/red]", "[/]", "Chloé :smile:"]
    header = {"record": "referee/1", "game": "jungle-speed", "players": names}
    event = {"t_us": 1, "event": "flip", "player": names[0], "card": "[bold]x"}
    path = tmp_path / "a.jsonl"
    path.write_bytes(cases.as_bytes([header, event]))
    assert main(["adjudicate", str(path), "--events", "--state"]) == 0
    sheet = capsys.readouterr().out
    assert "[red]Ana[/red], [/], Chloé :smile:" in sheet
    assert "[bold]x is not a card of this game" in sheet


@pytest.mark.parametrize("name", sorted(golden.GAMES))
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_ruling_of_a_whole_game_has_its_words(
    name: str, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden.FOLDER / f"{name}.jsonl"
    assert main(["adjudicate", str(path), "--events", "--lang", language]) == 0
    sheet = capsys.readouterr().out
    assert not [line for line in sheet.splitlines() if line[12:].split("  [")[0].strip() in ("won", "flip", "over")]


def test_a_house_rule_that_does_not_exist_is_refused_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.jsonl", "fingers", "bad-option-value")
    assert main(["adjudicate", path, "--json"]) == 2
    error = capsys.readouterr().err
    assert error == f"referee adjudicate: {path}, line 4, options.end: expected one of two-left, first-out\n"


@pytest.mark.parametrize("what", ["missing", "folder", "empty", "binary"])
def test_what_is_no_record_is_said_in_one_line_with_exit_status_2(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / what
    if what == "folder":
        path.mkdir()
    elif what != "missing":
        path.write_bytes(b"" if what == "empty" else bytes(range(256)) * 9)
    assert main(["adjudicate", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"referee adjudicate: {path}")
    assert error.count("\n") == 1


def test_records_before_a_defective_one_are_still_ruled(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(cases.as_bytes([*CASES["fingers"]["record"], CASES["fingers"]["record"][0], "{broken"]))
    assert main(["adjudicate", str(path), "--json"]) == 2
    out, error = capfd.readouterr()
    assert '"won"' in out
    assert "line 5" in error


def test_the_program_reads_standard_input_and_stops_quietly_when_nobody_reads_on(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as stream:
        for seed in range(8):
            write_record(stream, play(seed, ["Ana", "Bilal", "Chloé", "Driss"]))
    command = [sys.executable, "-m", "referee", "adjudicate", "-", "--json"]
    with (
        path.open("rb") as stream,
        subprocess.Popen(command, stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program,
    ):
        assert program.stdout is not None
        assert program.stderr is not None
        assert json.loads(program.stdout.readline()) == {"record": 0}
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == 0
