"""`referee replay`, as a whole program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.ledger import Ledger
from referee.record import Record, to_line, write_record
from referee.sim.games import play


def keep(path: Path, seed: int = 3) -> Record:
    """A game with its rulings kept among its events."""
    record = play(seed, ["Ana", "Bilal", "Chloé"], most_events=80, clumsy=0.1)
    ledger = Ledger(record.header)
    with path.open("wb") as stream:
        stream.write(to_line(record.header))
        for event in record.events:
            stream.write(to_line(event))
            stream.writelines(to_line(given.ruling) for given in ledger.add(event))
    return record


def test_a_kept_game_comes_out_as_it_was_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(tmp_path / "a.jsonl")
    assert main(["replay", str(tmp_path / "a.jsonl")]) == 0
    assert "come out as they were given" in capsys.readouterr().out


def test_a_changed_ruling_is_shown_and_the_answer_is_no(tmp_path: Path, capfdbinary: Any) -> None:
    keep(tmp_path / "a.jsonl")
    content = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(content.replace('"winner":"Ana"', '"winner":"Chloé"', 1))
    assert main(["replay", str(tmp_path / "a.jsonl"), "--json"]) == 1
    (answer,) = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert not answer["same"]
    assert answer["differences"][0]["given"]["winner"] == "Chloé"
    assert answer["differences"][0]["now"]["winner"] == "Ana"
    assert main(["replay", str(tmp_path / "a.jsonl"), "--lang", "fr"]) == 1
    assert "now  :" in capfdbinary.readouterr().out.decode()


def test_a_whole_folder_is_worked_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(tmp_path / "a.jsonl", 3)
    keep(tmp_path / "b.jsonl", 4)
    assert main(["replay", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("come out as they were given") == 2


def test_what_lies_beside_the_records_of_a_folder_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path / "a.jsonl")
    (tmp_path / "calls.jsonl").write_text('{"t_us":1,"event":"pass","player":"Ana"}\n')
    (tmp_path / "torn.jsonl").write_text('{"bad')
    assert main(["replay", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "come out as they were given" in out
    assert [line.split(":")[0].rpartition("/")[2] for line in err.splitlines()] == ["calls.jsonl", "torn.jsonl"]


def test_a_broken_record_among_many_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        keep(tmp_path / f"{number}.jsonl")
    content = (tmp_path / "2.jsonl").read_text()
    (tmp_path / "2.jsonl").write_text(content.replace('"event":"flip"', '"event":7', 1))
    assert main(["replay", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "2.jsonl, line" in error


def test_a_record_without_rulings_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "a.jsonl").open("wb") as stream:
        write_record(stream, play(3, ["Ana", "Bilal", "Chloé"], most_events=80))
    assert main(["replay", str(tmp_path / "a.jsonl")]) == 1
    assert "no ruling was kept" in capsys.readouterr().out


def test_an_empty_folder_and_a_refused_header_are_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(tmp_path)]) == 2
    assert "holds no game record" in capsys.readouterr().err
    (tmp_path / "a.jsonl").write_text('{"record":"referee/1","game":"jungle-speed","players":["Ana"]}\n')
    assert main(["replay", str(tmp_path / "a.jsonl")]) == 2
    assert "a.jsonl" in capsys.readouterr().err


def test_a_ruling_that_somebody_broke_is_shown_as_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(tmp_path / "a.jsonl")
    content = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(content.replace('"ruling":"won"', '"ruling":"fault"', 1))
    assert main(["replay", str(tmp_path / "a.jsonl")]) == 1
    assert '"ruling":"fault"' in capsys.readouterr().out
