"""Evidence of a whole recorded game, named in its journal; the quota over several games."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.errors import RecordError
from referee.evidence.settings import EvidenceSettings
from referee.journal import entries as kinds
from referee.journal.entries import Entry, Settings
from referee.journal.reading import JournalView, KeptGame
from referee.journal.store import Journal
from referee.pruning import pin, prune
from referee.sim.recorded_table import write_table
from referee.sim.settings import Settings as TableSettings
from referee.sim.settings import set_up
from referee.words import Header

HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Eva"], "options": {}, "start": {}}
NOW = datetime.now().astimezone()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded table with one duel in it."""
    folder = tmp_path_factory.mktemp("table")
    names = ("Ana", "Bilal", "Chloé")
    write_table(set_up(TableSettings(names, seconds=9.0, seed=9, light="day", surface="felt", mat="printed")), folder)
    return folder


def play(table: Path, journal: Path, record: Path, evidence: str = "") -> None:
    profile = table / "profile-here.toml"
    profile.write_text((table / "profile.toml").read_text("utf-8") + evidence, encoding="utf-8")
    files = {"camera": "video.mp4", "frames-t": "frames_t.txt", "totem": "totem.npz"}
    options = [word for name, file in files.items() for word in (f"--{name}", str(table / file))]
    kept = ["--journal", str(journal), "--record", str(record)]
    assert main(["run", "--profile", str(profile), *options, *kept]) == 0


def only_game(journal: Path) -> KeptGame:
    with JournalView.open(journal) as view:
        (row,) = view.games()
        return view.game(row.key)


def test_a_ruling_of_a_recorded_game_has_its_evidence_and_the_record_is_as_without(table: Path, tmp_path: Path) -> None:
    play(table, tmp_path / "with", tmp_path / "with.jsonl")
    play(table, tmp_path / "without", tmp_path / "without.jsonl", '\n[evidence]\nkeep = "nothing"\n')
    game = only_game(tmp_path / "with")
    assert only_game(tmp_path / "without").evidence == []
    assert _unmarked(tmp_path / "with.jsonl") == _unmarked(tmp_path / "without.jsonl")
    shown = {place for row in game.evidence for place in row.places}
    assert shown == {one.place for one in game.rulings if one.ruling["ruling"] in EvidenceSettings().rulings}
    for row in game.evidence:
        content = row.path.read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (row.bytes, row.sha256)
    (first, *_) = [json.loads(row.path.read_bytes()) for row in game.evidence if row.kind == "sheet"]
    contacts = [mark for mark in first["marks"] if mark["what"] == "contact"]
    for place, mark in enumerate(first["marks"]):
        (near,) = [one for one in first["frames"] if place in one["marks"]]
        assert abs(near["t_us"] - mark["t_us"]) < 40_000
    assert contacts
    assert {crop["player"] for crop in first["crops"]} >= {mark["who"] for mark in contacts}
    assert first["clip"]["numbers"] == list(range(first["clip"]["numbers"][0], first["clip"]["numbers"][-1] + 1))


def test_a_wrong_evidence_table_is_refused_before_a_game_begins(table: Path, tmp_path: Path, capsys: Any) -> None:
    profile = tmp_path / "profile.toml"
    text = (table / "profile.toml").read_text("utf-8")
    profile.write_text(text + '\n[evidence]\nkeep = "maybe"\n', encoding="utf-8")
    assert main(["run", "--profile", str(profile), "--journal", str(tmp_path / "j")]) == 2
    assert capsys.readouterr().err.count("evidence.keep: expected one of") == 1
    assert not (tmp_path / "j").exists()


# ---- the quota


def kept_game(journal: Journal, days_ago: float, ids: list[str], ended: bool = True) -> str:
    """A game with one moment for each id: two files of 500 bytes."""
    begun = (NOW - timedelta(days=days_ago)).isoformat(timespec="seconds")
    keeper = journal.begin(HEADER, Settings(begun, "1"))
    folder = journal.folder / "evidence" / keeper.key
    folder.mkdir(parents=True)
    for place, one in enumerate(ids):
        for part in ("clip", "sheet"):
            name = f"{one}-{part}"
            (folder / name).write_bytes(b"x" * 500)
            word = {"id": name, "kind": part, "name": name, "bytes": 500, "sha256": "", "places": [place]}
            keeper.keep_beside([Entry(kinds.EVIDENCE, {**word, "from_us": place, "to_us": place + 1})])
    if ended:
        keeper.keep([{"t_us": 1, "event": "end"}])
        keeper.close()
    return keeper.key


def there(journal: Journal) -> set[str]:
    return {path.name.split("-")[0] for path in (journal.folder / "evidence").glob("*/*")}


def limit(mb: float | None = None, days: float | None = None) -> EvidenceSettings:
    return EvidenceSettings(most_mb=mb, most_days=days)


def test_the_oldest_goes_first_and_a_pin_on_one_file_holds_its_moment(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        kept_game(journal, 3, ["a", "b"])
        kept_game(journal, 1, ["c", "d"])
        pin(journal, ["a-sheet"], True)
        prune(journal, limit(mb=0.002), NOW)
        assert there(journal) == {"a", "d"}
        with JournalView.open(tmp_path) as view:
            row = view.evidence("b-clip")
            assert row is not None
            assert row.gone is not None
        pin(journal, ["a-sheet"], False)
        prune(journal, limit(mb=0.001), NOW)
        assert there(journal) == {"d"}


def test_the_running_game_keeps_all_whatever_the_quota(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        kept_game(journal, 1, ["a"])
        running = kept_game(journal, 0, ["b", "c"], ended=False)
        prune(journal, limit(mb=0.000001), NOW, running=running)
        assert there(journal) == {"b", "c"}


def test_what_is_too_old_goes_by_its_age(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        kept_game(journal, 40, ["a"])
        kept_game(journal, 2, ["b"])
        prune(journal, limit(days=30), NOW)
        assert there(journal) == {"b"}


def test_the_journal_still_verifies_and_lists_what_is_left(tmp_path: Path, capsys: Any) -> None:
    with Journal.open(tmp_path) as journal:
        kept_game(journal, 2, ["a", "b"])
    where = ["--journal", str(tmp_path)]
    assert main(["evidence", "pin", "a-clip", *where]) == 0
    assert main(["evidence", "prune", "--most-mb", "0", *where]) == 0
    capsys.readouterr()
    assert main(["evidence", "list", "--json", *where]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["pinned"]) for line in lines] == [("a-clip", True), ("a-sheet", True)]
    assert main(["journal", "verify", str(tmp_path)]) == 0


def test_evidence_that_is_not_there_cannot_be_pinned(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal, pytest.raises(RecordError, match="there is no evidence x"):
        pin(journal, ["x"], True)


def _unmarked(record: Path) -> list[Any]:
    """A record without the digest of its profile."""
    header, *rest = (json.loads(line) for line in record.read_bytes().splitlines())
    return [{**header, "profile": None}, *rest]
