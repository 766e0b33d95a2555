"""Secrets are kept apart: no force of Jungle Bluff is in what others may read, and none is needed to judge again."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from referee.cli import main
from referee.decision import Decisions
from referee.errors import HardwareError, RecordError
from referee.force_store import ForceStore
from referee.journal import entries as kinds
from referee.journal.bundle import take_bundle, write_bundle
from referee.journal.entries import Entry
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.store import Journal
from referee.journal.vault import VAULT, Vault, VaultReader
from referee.keeping import RecordFile, go_on, secrets_beside
from referee.ledger import Ledger
from referee.record import Record, to_line
from referee.replaying import Source, replay, sources_of
from referee.sealing import hidden, opened, seal, with_result
from referee.sim.bluff_games import play
from referee.words import Event
from tests.journal.samples import SETTINGS

NAMES = ("Ana", "Bilal", "Chloé", "Driss")
FORCE: Event = {"t_us": 7, "event": "force", "player": "Ana", "card": "8"}


def bluff(seed: int, clumsy: float = 0.08) -> Record:
    """A whole game; every other one with the advanced cards, with misreadings and choices that may not be made."""
    return play(seed, NAMES[: 2 + seed % 3], {"advanced": seed % 2 == 0}, clumsy=clumsy)


def keep(folder: Path, record: Record, *, forget: bool = False, until: int | None = None) -> str:
    """Play a record into a journal as a session does; `forget` gives secrets up at the end of each round."""
    with Journal.open(folder) as journal:
        keeper = journal.begin(record.header, SETTINGS)
        ledger, known = Ledger(record.header), Decisions(record.header)
        for event in record.events[:until]:
            given = ledger.add(event)
            event = with_result(event, [one.ruling for one in given])
            beside = [Entry(kinds.DECISION, word) for word in known.of(ledger.events, given)]
            keeper.keep([event, *(one.ruling for one in given)], beside=beside)
            if forget and any(one.ruling["ruling"] == "round-over" for one in given):
                journal.forget(keeper.key, "the round is over")
        keeper.close()
    return keeper.key


def differences(folder: Path, key: str) -> list[Any]:
    (source,) = sources_of(folder, [key])
    return [pair for answer in replay(source, {}) for pair in answer.differences]


def forces(record: Record) -> list[Event]:
    return [event for event in record.events if event["event"] == "force" and event["card"] != "?"]


def final_forces(record: Record) -> list[Event]:
    """What the totals tell everybody once the game is over."""
    last = max(place for place, event in enumerate(record.events) if event["event"] == "reveal")
    return [event for event in forces(record) if event in record.events[last:]]


def readable(folder: Path) -> bytes:
    """All of a journal that others may read: every file of it but the secrets' own."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != VAULT)


# --- sealing --------------------------------------------------------------------------------------------


def test_a_sealed_event_shows_no_force_and_opens_to_the_very_same_event() -> None:
    public, found = seal(FORCE)
    assert public["card"] == "?"
    assert "8" not in orjson.dumps({**public, "sealed": "", "t_us": 0}).decode()
    assert to_line(opened(public, {one.seal: one for one in found})) == to_line(FORCE)
    assert seal(public) == (public, [])
    assert opened(public, {}) == public


def test_the_same_force_never_looks_the_same() -> None:
    assert len({seal(FORCE)[0]["sealed"] for _ in range(50)}) == 50


def test_what_a_correction_puts_in_is_sealed_too() -> None:
    correct = {"t_us": 9, "event": "correct", "ref": 3, "by": "Ana", "reason": "misread", "with": FORCE}
    public, found = seal(correct)
    assert public["with"]["card"] == "?"
    assert hidden(correct)["with"]["card"] == "?"
    assert opened(public, {one.seal: one for one in found}) == correct


def test_another_value_does_not_open_a_seal() -> None:
    public, (secret,) = seal(FORCE)
    with pytest.raises(RecordError, match="changed afterwards"):
        opened(public, {secret.seal: secret._replace(value="9")})


# --- the journal ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_no_force_is_in_anything_others_may_read(tmp_path: Path, seed: int) -> None:
    record = bluff(seed)
    key = keep(tmp_path, record)
    public = readable(tmp_path)
    assert public.count(b'"event":"force"') >= len(forces(record))
    for event in forces(record):
        assert to_line(event).rstrip(b"\n}") not in public
    with JournalView.open(tmp_path) as view:
        game = view.game(key)
        assert {event["card"] for event in game.events if event["event"] == "force"} == {"?"}
        assert final_forces(record)
        assert game.judged == [with_result(one, []) | {"result": two["result"]} if "result" in two else one
                               for one, two in zip(record.events, game.events, strict=True)]  # fmt: skip
        for decision in game.decisions.values():
            assert all(one.get("card", "?") == "?" for one in decision["inputs"] if one["what"] == "force")
    assert (tmp_path / VAULT).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_game_replays_with_its_secrets_and_without_them(tmp_path: Path, seed: int) -> None:
    key = keep(tmp_path, bluff(seed))
    assert differences(tmp_path, key) == []
    with JournalView.open(tmp_path) as view:
        before = [one.ruling for one in view.game(key).rulings]
    assert main(["journal", "forget", key, "--journal", str(tmp_path)]) == 0
    assert VaultReader(tmp_path / VAULT).all() == []
    assert differences(tmp_path, key) == []
    with JournalView.open(tmp_path) as view:
        assert [one.ruling for one in view.game(key).rulings] == before
        assert find_chain_breaks(view) == []


@pytest.mark.parametrize("seed", range(2))
def test_secrets_given_up_at_the_end_of_each_round_are_not_needed_again(tmp_path: Path, seed: int) -> None:
    key = keep(tmp_path, bluff(seed), forget=True)
    assert VaultReader(tmp_path / VAULT).all() == []
    assert differences(tmp_path, key) == []
    with JournalView.open(tmp_path) as view:
        said = [orjson.loads(line) for kind, line in view.entries(key) if kind == kinds.SECRETS_GONE]
    assert [one["why"] for one in said] == ["the round is over"] * 11


def test_a_result_that_was_changed_shows_when_the_secrets_are_gone(tmp_path: Path) -> None:
    """The challenge's result is what replaying checks the rulings against."""
    record = bluff(1)
    key = keep(tmp_path / "a", record, forget=True)
    with JournalView.open(tmp_path / "a") as view:
        words = [orjson.loads(line) for line in view.record_lines(key)]
    changed = next(word for word in words if word.get("result") == "holder")
    changed["result"] = "challenger"
    (tmp_path / "game.jsonl").write_bytes(b"".join(map(to_line, words)))
    (answer,) = replay(Source(tmp_path / "game.jsonl"), {})
    assert answer.differences


def test_a_game_goes_on_with_its_secrets(tmp_path: Path) -> None:
    record = bluff(2)
    middle = next(place for place, event in enumerate(record.events) if event["event"] == "challenge")
    key = keep(tmp_path, record, until=middle)
    with Journal.open(tmp_path) as journal:
        again, _ = journal.go_on(key)
        assert again.events == [with_result(event, []) for event in record.events[:middle]]
        ledger = Ledger(again.header, again.events, again.rulings)
        assert ledger.catch_up() == []
        assert {one.ruling["ruling"] for one in ledger.add(record.events[middle])} & {"holds", "returned", "refused"}


def test_a_secret_that_was_changed_afterwards_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = keep(tmp_path, bluff(1))
    with sqlite3.connect(tmp_path / VAULT) as vault:
        vault.execute("UPDATE secrets SET value = CASE value WHEN '5' THEN '6' ELSE '5' END WHERE number = 3")
    with pytest.raises(RecordError, match="not what was sealed"):
        differences(tmp_path, key)
    assert main(["journal", "verify", str(tmp_path)]) == 1
    assert "is not what was sealed" in capsys.readouterr().out


def test_without_the_right_to_read_them_secrets_are_as_if_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = keep(tmp_path, bluff(3))
    monkeypatch.setattr("referee.journal.vault.os.access", lambda path, mode: False)  # root may read everything
    assert differences(tmp_path, key) == []


# --- crashes --------------------------------------------------------------------------------------------


def test_a_secret_whose_event_was_never_kept_is_swept_away(tmp_path: Path) -> None:
    key = keep(tmp_path, bluff(1), until=9)
    (_, left), *_ = VaultReader(tmp_path / VAULT).all()
    public, found = seal(FORCE)
    vault = Vault(tmp_path / VAULT)
    vault.put(key, found)
    vault.put("0123456789abcdef", seal(FORCE)[1])
    vault.close()
    with Journal.open(tmp_path):
        pass
    kept = {secret.seal for _, secret in VaultReader(tmp_path / VAULT).all()}
    assert left.seal in kept
    assert public["sealed"] not in kept
    assert {game for game, _ in VaultReader(tmp_path / VAULT).all()} == {key}


def test_secrets_said_to_be_gone_are_gone_after_a_crash_too(tmp_path: Path) -> None:
    key = keep(tmp_path, bluff(1))
    saved = (tmp_path / VAULT).read_bytes()
    with Journal.open(tmp_path) as journal:
        assert journal.forget(key, "the round is over") > 10
    (tmp_path / VAULT).write_bytes(saved)  # the power went between the chain and the deletion
    with Journal.open(tmp_path) as journal:
        assert journal.forget(key, "again") == 0
    assert VaultReader(tmp_path / VAULT).all() == []


def test_secrets_given_up_are_overwritten_in_their_file(tmp_path: Path) -> None:
    key = keep(tmp_path, bluff(1))
    salts = [secret.salt.encode() for _, secret in VaultReader(tmp_path / VAULT).all()]
    assert all(salt in (tmp_path / VAULT).read_bytes() for salt in salts)
    with Journal.open(tmp_path) as journal:
        journal.forget(key, "the round is over")
    assert not any(salt in (tmp_path / VAULT).read_bytes() for salt in salts)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(f"{VAULT}-")] == []


def test_an_event_whose_secret_cannot_be_kept_is_not_kept(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(bluff(1).header, SETTINGS)
        (tmp_path / VAULT).mkdir()
        with pytest.raises(HardwareError, match="secrets cannot be written"):
            keeper.keep([FORCE])
        with pytest.raises(HardwareError, match="nothing more is kept"):
            keeper.keep([{"t_us": 9, "event": "end"}])
    (tmp_path / VAULT).rmdir()
    with JournalView.open(tmp_path) as view:
        assert view.game(keeper.key).events == []


# --- exports and bundles --------------------------------------------------------------------------------


def _bundle(folder: Path, key: str, path: Path, *, with_secrets: bool = False) -> bytes:
    with JournalView.open(folder) as view, path.open("wb") as stream:
        write_bundle(stream, view, key, with_secrets=with_secrets)
    return path.read_bytes()


@pytest.mark.parametrize("with_secrets", [False, True])
def test_a_bundle_holds_secrets_only_when_asked_and_opens_elsewhere(tmp_path: Path, with_secrets: bool) -> None:
    record = bluff(2)
    key = keep(tmp_path / "a", record)
    first = _bundle(tmp_path / "a", key, tmp_path / "a.zip", with_secrets=with_secrets)
    with zipfile.ZipFile(tmp_path / "a.zip") as bundle:
        assert ("secrets.jsonl" in bundle.namelist()) is with_secrets
        inside = b"".join(bundle.read(name) for name in bundle.namelist() if name != "secrets.jsonl")
    assert not any(to_line(event).rstrip(b"\n}") in inside for event in forces(record))
    assert inside.count(b'"kind":"opened"') == len(final_forces(record))
    with Journal.open(tmp_path / "b") as journal:
        take_bundle(tmp_path / "a.zip", journal)
    assert differences(tmp_path / "b", key) == []
    assert bool(VaultReader(tmp_path / "b" / VAULT).all()) is with_secrets
    assert _bundle(tmp_path / "b", key, tmp_path / "b.zip", with_secrets=with_secrets) == first


def test_a_bundle_with_a_secret_nobody_sealed_is_refused(tmp_path: Path) -> None:
    key = keep(tmp_path / "a", bluff(2))
    _bundle(tmp_path / "a", key, tmp_path / "a.zip", with_secrets=True)
    changed = _rewritten(tmp_path / "a.zip", lambda line: {**line, "value": "5" if line["value"] != "5" else "6"})
    with Journal.open(tmp_path / "b") as journal, pytest.raises(RecordError, match="an event of the game has sealed"):
        take_bundle(changed, journal)
    assert not (tmp_path / "b" / VAULT).exists()


def _rewritten(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """The same bundle with other secrets, its checksums made right."""
    import hashlib

    with zipfile.ZipFile(path) as bundle:
        texts = {name: bundle.read(name) for name in bundle.namelist()}
    lines = texts["secrets.jsonl"].splitlines()
    texts["secrets.jsonl"] = b"".join(to_line(change(orjson.loads(line))) for line in lines)
    sums = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items() if name != "checksums.txt"}
    texts["checksums.txt"] = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()
    new = path.with_name("changed.zip")
    with zipfile.ZipFile(new, "w") as bundle:
        for name, text in texts.items():
            bundle.writestr(name, text)
    return new


def test_records_are_exported_sealed_unless_secrets_are_asked_for(tmp_path: Path) -> None:
    record = bluff(2)
    keep(tmp_path / "a", record)
    asked = ["export", "--journal", str(tmp_path / "a"), "--out"]
    assert main([*asked, str(tmp_path / "public.jsonl")]) == 0
    assert main([*asked, str(tmp_path / "whole.jsonl"), "--secrets"]) == 0
    public, whole = (tmp_path / "public.jsonl").read_bytes(), (tmp_path / "whole.jsonl").read_bytes()
    for event in forces(record):
        assert to_line(event) in whole
        assert (to_line(event) in public) is (event in final_forces(record))
    assert main(["journal", "import", "--journal", str(tmp_path / "b"), str(tmp_path / "public.jsonl")]) == 0
    assert main(["export", "--journal", str(tmp_path / "b"), "--out", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == public
    assert main(["journal", "import", "--journal", str(tmp_path / "c"), str(tmp_path / "whole.jsonl")]) == 0
    assert main(["export", "--journal", str(tmp_path / "c"), "--out", str(tmp_path / "again.jsonl"), "--force",
                 "--secrets"]) == 0  # fmt: skip
    assert (tmp_path / "again.jsonl").read_bytes() == whole
    assert to_line(forces(record)[0]) not in readable(tmp_path / "c")


def test_secrets_that_are_gone_cannot_be_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(tmp_path / "a", bluff(2), forget=True)
    assert main(["export", "--journal", str(tmp_path / "a"), "--out", str(tmp_path / "x.jsonl"), "--secrets"]) == 2
    assert "some of its secrets are gone" in capsys.readouterr().err
    assert not (tmp_path / "x.jsonl").exists()


# --- the vault of a running game -------------------------------------------------------------------------


def test_a_force_kept_apart_is_sealed_in_the_chain_and_read_back_by_a_game_that_goes_on(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        key = journal.begin(bluff(1).header, SETTINGS).key
        store = ForceStore(journal, key)
        assert len(store.put(1, "Ana", "8") or "") == 64
        store.put(1, "Bilal", "10a")
        store.put(2, "Ana", "3")
    public = readable(tmp_path)
    assert public.count(b'"sealed":"') == 3
    assert not any(text in public for text in (b'"8"', b"10a", b'"3"'))
    with Journal.open(tmp_path) as journal:
        store = ForceStore(journal, key)
        assert [(one.round_number, one.player, one.card) for one in store.read()] == [
            (1, "Ana", "8"), (1, "Bilal", "10a"), (2, "Ana", "3")
        ]  # fmt: skip
        store.forget(1)
        assert [one.card for one in store.read()] == ["3"]
    with JournalView.open(tmp_path) as view:
        assert find_chain_breaks(view) == []
        assert kinds.SECRETS_GONE in [kind for kind, _ in view.entries(key)]
    with sqlite3.connect(tmp_path / VAULT) as vault:
        vault.execute("UPDATE secrets SET value = '4'")
    with Journal.open(tmp_path) as journal, pytest.raises(RecordError, match="not what was sealed"):
        ForceStore(journal, key).read()


def test_an_event_that_bears_the_vaults_commitment_opens_for_whoever_judges_again(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = journal.begin(bluff(1).header, SETTINGS)
        sealed = ForceStore(journal, keeper.key).put(1, "Ana", "8")
        keeper.keep([{**FORCE, "card": "?", "sealed": sealed}])
        record, _ = journal.go_on(keeper.key)
        assert record.events == [FORCE]
    with JournalView.open(tmp_path) as view:
        assert view.record(keeper.key).events == [{**FORCE, "card": "?", "sealed": sealed}]


# --- a record file --------------------------------------------------------------------------------------


def test_a_record_file_keeps_its_secrets_beside_it(tmp_path: Path) -> None:
    record, path = bluff(4), tmp_path / "game.jsonl"
    ledger, middle = Ledger(record.header), len(record.events) // 2
    with RecordFile(path, record.header) as kept:
        for event in record.events[:middle]:
            given = ledger.add(event)
            kept.keep([with_result(event, [one.ruling for one in given]), *(one.ruling for one in given)])
    assert not any(to_line(event) in path.read_bytes() for event in forces(record))
    assert secrets_beside(path).stat().st_mode & 0o777 == 0o600
    again, kept = go_on(path)
    kept.close()
    assert forces(again) == forces(Record(record.header, record.events[:middle], []))
    (answer,) = replay(Source(path), {})
    assert answer.differences == []
    shutil.copy(path, tmp_path / "alone.jsonl")
    (answer,) = replay(Source(tmp_path / "alone.jsonl"), {})
    assert answer.differences == []
