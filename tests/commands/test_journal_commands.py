"""`referee journal`, `games`, `show`, `export`, `stats` and `replay` over a journal, as whole programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.journal import entries as kinds
from referee.journal.entries import Entry
from referee.journal.files import DATABASE
from referee.journal.reading import JournalView
from referee.journal.store import Journal
from tests.commands.kept_games import keep_games
from tests.journal.samples import HEADER, SETTINGS, clip
from tests.journal.test_schema import write_version_1


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("kept") / "journal"
    return folder, keep_games(folder)


def lines_of(capfdbinary: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]


# --- games ----------------------------------------------------------------------------------------------


def test_games_are_listed_latest_first_and_searched(kept: tuple[Path, list[str]], capfdbinary: Any) -> None:
    folder, keys = kept
    assert main(["games", "--journal", str(folder), "--json"]) == 0
    assert [word["key"] for word in lines_of(capfdbinary)] == keys[::-1]
    assert main(["games", "--journal", str(folder), "--json", "--day", "2026-02", "--player", "chloé"]) == 0
    assert [word["key"] for word in lines_of(capfdbinary)] == [keys[1]]
    assert main(["games", "--journal", str(folder), "--json", "--limit", "1", "--after", keys[2]]) == 0
    assert [word["key"] for word in lines_of(capfdbinary)] == [keys[1]]
    assert main(["games", "--journal", str(folder), "--player", "Nobody"]) == 1
    assert "No game matches" in capfdbinary.readouterr().out.decode()


def test_the_closest_ruling_of_all_games_is_found(kept: tuple[Path, list[str]], capfdbinary: Any) -> None:
    folder, keys = kept
    assert main(["games", "--journal", str(folder), "--closest", "--json"]) == 0
    closest = lines_of(capfdbinary)
    assert closest == sorted(closest, key=lambda word: word["closeness_us"])
    assert {word["key"] for word in closest} <= set(keys)
    assert main(["games", "--journal", str(folder), "--closest", "--limit", "1"]) == 0
    assert f"{closest[0]['closeness_us'] / 1000:.1f} ms" in capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--day", "yesterday"], "--day: yesterday is no day"),
        (["--day", "2026-13"], "is no day"),
        (["--closer-than", "-1"], "no number of milliseconds"),
    ],
)
def test_a_wrong_search_is_one_sentence(
    options: list[str], sentence: str, kept: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", "--journal", str(kept[0]), *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_folder_without_a_journal_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["games", "--journal"], ["show", "--journal"], ["stats", "--journal"], ["journal", "verify"]):
        assert main([*command, str(tmp_path)]) == 2
        assert "holds no journal.sqlite3, expected a journal's folder" in capsys.readouterr().err


def test_a_strangers_name_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin({**HEADER, "players": ["A\x1b[2Jna", "[bold]Bo[/bold]", "C"]}, SETTINGS)
        keeper.keep_beside([Entry(kinds.NOTE, {"text": "\x1b]0;gone\x07"})])
    for command in ("games", "show", "stats"):
        assert main([command, "--journal", str(tmp_path)]) == 0
        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert "[bold]Bo[/bold]" in said


# --- show -----------------------------------------------------------------------------------------------


def test_a_games_sheet_has_its_rulings_with_their_places(kept: tuple[Path, list[str]], capsys: Any) -> None:
    folder, keys = kept
    assert main(["show", "--journal", str(folder), keys[0][:6], "--explain"]) == 0
    said = capsys.readouterr().out
    with JournalView.open(folder) as view:
        game = view.game(keys[0])
    assert all(f"\n{ruling.place:4}  " in said for ruling in game.rulings)
    assert "JS-17: " in said


def test_the_journals_folder_may_stand_before_the_game(kept: tuple[Path, list[str]], capsys: Any) -> None:
    folder, keys = kept
    assert main(["show", "--journal", str(folder), keys[0]]) == 0
    said = capsys.readouterr().out
    assert main(["show", str(folder), keys[0][:6]]) == 0
    assert capsys.readouterr().out == said
    assert main(["show", str(folder)]) == 0
    for words in ([], [str(folder), keys[0], "more"]):
        assert main(["show", *words]) == 2
    assert capsys.readouterr().err.count("referee show DIR GAME") == 2


def test_a_rulings_record_says_what_it_rests_on_and_what_else_could_have_been(
    kept: tuple[Path, list[str]], capfdbinary: Any
) -> None:
    folder, _ = kept
    with JournalView.open(folder) as view:
        close = next(row for row in view.rulings(closest_first=True) if row.kind in ("won", "to-pot"))
    options = ["show", "--journal", str(folder), close.key, "--ruling", str(close.place)]
    assert main(options) == 0
    said = capfdbinary.readouterr().out.decode()
    assert "Hand of Ana (totem, 35.3" in said
    assert "lowest contact" in said
    assert "Not ruled: Bilal first (Ana: first by" in said
    assert not any(key in said for key in ("lowest_mm", "t_us", "runner_up", "grip True", "may_be"))
    assert "Card of Bilal (camera, " in said
    assert "It would have given:" in said
    assert main([*options, "--json"]) == 0
    (word,) = lines_of(capfdbinary)
    assert word["decision"]["alternatives"][0]["what"] == "other-hand-first"
    assert word["explain"].keys() == set(word["ruling"]["clauses"])


def test_the_sheet_says_what_was_overturned_upheld_appealed_and_noted(tmp_path: Path, capsys: Any) -> None:
    (key,) = keep_games(tmp_path, 1, most_events=40)
    with Journal.open(tmp_path) as journal:
        void = {"t_us": 9, "ruling": "overturned", "refs": [0], "clauses": ["correct"], "public": True}
        event = {"t_us": 9, "event": "correct", "ref": 0, "with": None, "by": "Zoë", "reason": "a glitch"}
        journal.add(key, [Entry(kinds.EVENT, event), Entry(kinds.RULING, void), clip("a", [1])])
        journal.add(key, [Entry(kinds.UPHELD, {"place": 1, "by": "Zoë", "reason": "clear"})])
        journal.add(key, [Entry(kinds.APPEAL, {"place": 2, "player": "Ana"}), Entry(kinds.NOTE, {"text": "final"})])
        journal.add(key, [Entry(kinds.EVIDENCE_GONE, {"id": "a", "why": "quota"})])
    assert main(["show", "--journal", str(tmp_path), "--all"]) == 0
    said = capsys.readouterr().out
    for words in ("[no longer stands]", "overturned: 0", "by Zoë: a glitch", "upheld by Zoë: clear", "appealed by Ana"):
        assert words in said
    assert "note: final" in said
    assert "evidence: 0 of 1 piece," in said
    assert main(["show", "--journal", str(tmp_path), "--ruling", "1"]) == 0
    said = capsys.readouterr().out
    assert "evidence a: clip, gone (quota)" in said
    assert "upheld by Zoë: clear" in said


def test_a_game_or_ruling_that_is_not_there_is_one_sentence(kept: tuple[Path, list[str]], capsys: Any) -> None:
    folder, keys = kept
    assert main(["show", "--journal", str(folder), "zzz"]) == 2
    assert "no game zzz" in capsys.readouterr().err
    assert main(["show", "--journal", str(folder), ""]) == 2
    assert "several games" in capsys.readouterr().err
    assert main(["show", "--journal", str(folder), keys[0], "--ruling", "999"]) == 2
    assert "has no ruling 999" in capsys.readouterr().err


# --- verify and import ----------------------------------------------------------------------------------


def test_a_whole_journal_is_said_to_be_whole_and_its_head_can_be_noted(
    kept: tuple[Path, list[str]], capfdbinary: Any
) -> None:
    folder, _ = kept
    assert main(["journal", "verify", str(folder), "--json", "--evidence"]) == 0
    (word,) = lines_of(capfdbinary)
    assert word["whole"]
    assert word["games"] == 3
    assert main(["journal", "verify", str(folder), "--head", word["head"]]) == 0
    assert main(["journal", "verify", str(folder), "--head", "0" * 64]) == 1
    assert "is not in the chain" in capfdbinary.readouterr().out.decode()
    assert main(["journal", "verify", str(folder), "--head", "zero"]) == 2


def test_a_changed_past_shows(tmp_path: Path, capsys: Any) -> None:
    keep_games(tmp_path, 1, most_events=40)
    path = tmp_path / DATABASE
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"ruling":"arrow"', b'"ruling":"errow"', 1))
    assert path.read_bytes() != content
    assert main(["journal", "verify", str(tmp_path)]) == 1
    assert "is not what was kept" in capsys.readouterr().out


def test_a_kept_ruling_that_says_something_else_by_now_is_neither_shown_nor_exported(
    tmp_path: Path, capsys: Any
) -> None:
    keep_games(tmp_path, 1, most_events=40)
    path = tmp_path / DATABASE
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"player":"Ana"', b'"player":"Eva"', 1))
    assert path.read_bytes() != content
    folder = str(tmp_path)
    for command in (
        ["show", "--journal", folder],
        ["replay", folder],
        ["export", "--journal", folder, "--as", "records", "--out", folder + "-out"],
    ):
        assert main(command) == 2
        assert "is damaged, expected what was kept" in capsys.readouterr().err


def test_an_entry_that_is_no_json_any_more_is_one_sentence(tmp_path: Path, capsys: Any) -> None:
    (key,) = keep_games(tmp_path, 1, most_events=40)
    path = tmp_path / DATABASE
    path.write_bytes(path.read_bytes().replace(b'{"t_us":', b'{"t_us";'))
    for command in (
        ["show", "--journal", str(tmp_path)],
        ["replay", str(tmp_path)],
        ["stats", "--journal", str(tmp_path)],
    ):
        assert main(command) == 2
        assert f"game {key}: entry 3 is damaged" in capsys.readouterr().err
    assert main(["journal", "verify", str(tmp_path)]) == 1


def test_pages_that_were_overwritten_are_said(tmp_path: Path, capsys: Any) -> None:
    keep_games(tmp_path, 1, most_events=60)
    path = tmp_path / DATABASE
    content = bytearray(path.read_bytes())
    content[8192:-8192] = b"\xff" * (len(content) - 16384)
    path.write_bytes(content)
    assert main(["journal", "verify", str(tmp_path)]) in (1, 2)
    said = capsys.readouterr()
    assert "malformed" in said.out + said.err


def test_an_older_journal_is_brought_up_to_date_and_verified(tmp_path: Path, capsys: Any) -> None:
    write_version_1(tmp_path)
    assert main(["games", "--journal", str(tmp_path)]) == 2
    assert "`referee journal verify` brings it up to date" in capsys.readouterr().err
    assert main(["journal", "verify", str(tmp_path)]) == 0
    assert main(["games", "--journal", str(tmp_path)]) == 0


def test_evidence_that_was_changed_or_is_gone_shows(tmp_path: Path, capsys: Any) -> None:
    (key,) = keep_games(tmp_path, 1, most_events=40)
    with Journal.open(tmp_path) as journal:
        journal.add(key, [clip("a"), clip("b")])
    (tmp_path / "evidence" / key).mkdir(parents=True)
    (tmp_path / "evidence" / key / "a.webm").write_bytes(b"other")
    assert main(["journal", "verify", str(tmp_path), "--evidence"]) == 1
    said = capsys.readouterr().out
    assert "evidence a is not what was kept" in said
    assert "evidence b cannot be read" in said


def test_records_and_bundles_go_out_and_come_in_the_same(
    kept: tuple[Path, list[str]], tmp_path: Path, capfdbinary: Any
) -> None:
    folder, keys = kept
    here, there = ["--journal", str(folder)], ["--journal", str(tmp_path / "there")]
    assert main(["export", *here, "--out", str(tmp_path / "all.jsonl")]) == 0
    assert main(["export", *here, "--out", str(tmp_path / "bundles"), "--as", "bundle", *keys]) == 0
    bundles = sorted(map(str, (tmp_path / "bundles").iterdir()))
    assert len(bundles) == 3
    capfdbinary.readouterr()
    assert main(["journal", "import", *there, "--json", str(tmp_path / "all.jsonl"), *bundles]) == 0
    taken = [word["game"] for word in lines_of(capfdbinary)]
    assert sorted(taken[3:]) == sorted(keys)
    assert main(["export", *there, *taken[:3], "--out", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()
    assert main(["replay", str(tmp_path / "all.jsonl")]) == 0
    one = str(tmp_path / "one.zip")
    assert main(["export", *there, keys[0], "--as", "bundle", "--out", one]) == 0
    assert Path(one).read_bytes() == (tmp_path / "bundles" / f"{keys[0]}.zip").read_bytes()


def test_a_record_is_not_taken_in_twice(kept: tuple[Path, list[str]], tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "all.jsonl"
    main(["export", "--journal", str(kept[0]), "--out", str(path)])
    assert main(["journal", "import", "--journal", str(tmp_path / "there"), str(path)]) == 0
    assert main(["journal", "import", "--journal", str(tmp_path / "there"), str(path)]) == 2
    assert "is here already" in capsys.readouterr().err
    assert main(["journal", "import", "--journal", str(tmp_path / "there"), str(tmp_path / "no.zip")]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_nothing_is_overwritten_without_force(kept: tuple[Path, list[str]], tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("mine")
    options = ["export", "--journal", str(kept[0]), "--out", str(path)]
    assert main(options) == 2
    assert "exists" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main([*options, "--force"]) == 0
    assert path.read_text() != "mine"
    assert main([*options, "--as", "bundle"]) == 2
    assert "cannot be made" in capsys.readouterr().err
    assert main([*options[:-1], str(tmp_path / "no" / "all.jsonl")]) == 2
    assert main([*options[:-1], str(tmp_path / "a.zip"), "--as", "bundle"]) == 2
    assert "3 games match" in capsys.readouterr().err
    assert main([*options, "--player", "Nobody"]) == 1


# --- tables and figures ---------------------------------------------------------------------------------


def test_tables_hold_every_event_hand_and_ruling(kept: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, keys = kept
    assert main(["export", "--journal", str(folder), "--as", "csv", "--out", str(tmp_path)]) == 0
    tables = {}
    for name in ("games", "events", "hands", "rulings"):
        with (tmp_path / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
            tables[name] = list(csv.DictReader(stream))
    with JournalView.open(folder) as view:
        games = [view.game(key) for key in keys]
    assert [row["game"] for row in tables["games"]] == keys
    events = [event for game in games for event in game.events]
    assert [json.loads(row["json"]) for row in tables["events"]] == events
    assert [json.loads(row["json"]) for row in tables["rulings"]] == [
        ruling.ruling for game in games for ruling in game.rulings
    ]
    assert len(tables["hands"]) == sum(len(event.get("hands", ())) for event in events)


def test_parquet_holds_what_csv_holds(kept: tuple[Path, list[str]], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="Parquet is an extra")
    for form in ("csv", "parquet"):
        assert main(["export", "--journal", str(kept[0]), "--as", form, "--out", str(tmp_path)]) == 0
    for name in ("games", "events", "hands", "rulings"):
        with (tmp_path / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(stream))[1:]
        found = duckdb.execute(f"SELECT * FROM '{tmp_path / name}.parquet'").fetchall()
        assert len(found) == len(rows)
        for one, other in zip(found, rows, strict=True):
            assert [str(cell) if cell is not None else "" for cell in one][:3] == other[:3]
    assert not list(tmp_path.glob("*.part*"))


def test_figures_are_counted_by_player_and_season(kept: tuple[Path, list[str]], capfdbinary: Any) -> None:
    folder, keys = kept
    assert main(["stats", "--journal", str(folder), "--json", "--by", "month"]) == 0
    found = lines_of(capfdbinary)
    assert [(word["period"], word["player"]) for word in found] == [
        (f"2026-0{month}", player) for month in (1, 2, 3) for player in ("Ana", "Bilal", "Chloé")
    ]
    with JournalView.open(folder) as view:
        won = [ruling.ruling for key in keys for ruling in view.game(key).rulings if ruling.ruling["ruling"] == "won"]
    assert sum(word["duels_won"] for word in found) == len(won)
    assert all(word["reactions"] <= word["duels_won"] for word in found)
    assert sum(word["reactions"] for word in found) > 0
    assert main(["stats", "--journal", str(folder)]) == 0
    assert "Chloé" in capfdbinary.readouterr().out.decode()


def test_reaction_times_are_drawn_as_svg_and_png(kept: tuple[Path, list[str]], tmp_path: Path, capsys: Any) -> None:
    folder, _ = kept
    for name in ("a.svg", "a.png"):
        assert main(["stats", "--journal", str(folder), "--plot", str(tmp_path / name)]) == 0
        assert main(["stats", "--journal", str(folder), "--plot", str(tmp_path / name)]) == 2
        assert "exists" in capsys.readouterr().err
    assert main(["stats", "--journal", str(folder), "--plot", str(tmp_path / "a.gif")]) == 2
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "Chloé" in (tmp_path / "a.svg").read_text(encoding="utf-8")


# --- replay ---------------------------------------------------------------------------------------------


def test_a_whole_journal_is_worked_out_again(kept: tuple[Path, list[str]], capsys: Any) -> None:
    folder, _ = kept
    assert main(["replay", str(folder)]) == 0
    assert "3 games, 0 of them" in capsys.readouterr().out
    assert main(["replay", "--journal", str(folder), "--day", "2026-02", "--processes", "1"]) == 0
    assert "1 game, 0 of them" in capsys.readouterr().out


def test_other_house_rules_show_which_rulings_would_differ(kept: tuple[Path, list[str]], capfdbinary: Any) -> None:
    folder, keys = kept
    assert main(["replay", str(folder), "--option", "simultaneous_ms=300", "--json"]) == 1
    found = lines_of(capfdbinary)
    assert [word["game"] for word in found] == keys
    pairs = [pair for word in found for pair in word["differences"]]
    assert pairs
    assert all(pair["given"] != pair["now"] for pair in pairs)
    assert main(["replay", str(folder), "--option", "nonsense=1"]) == 2
    assert "nonsense" in capfdbinary.readouterr().err.decode()
    assert main(["replay", str(folder), "--option", "nonsense"]) == 2
    assert main(["replay"]) == 2


def test_many_games_are_worked_out_in_several_processes_in_their_order(tmp_path: Path, capfdbinary: Any) -> None:
    from referee import replaying

    keys = keep_games(tmp_path, 4, most_events=30)
    sources = [replaying.Source(tmp_path, (key,)) for key in keys]
    answers = [answer for found in replaying.replay_all(sources, {}, processes=2) for answer in found]
    assert [answer.key for answer in answers] == keys
    assert not any(answer.differences for answer in answers)
