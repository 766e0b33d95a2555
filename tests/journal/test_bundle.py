"""Bundles: the same game gives the same bytes, and a stranger's file does no harm."""

from __future__ import annotations

import hashlib
import io
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.journal import entries as kinds
from referee.journal.bundle import take_bundle, write_bundle
from referee.journal.entries import Entry
from referee.journal.reading import JournalView, find_chain_breaks
from referee.journal.store import Journal
from tests.journal.samples import END, FLIP, HEADER, SETTINGS, one_game, won

CLIP = b"the seconds around a ruling" * 50


def evidence(name: str, content: bytes = CLIP) -> Entry:
    word = {"id": name, "kind": "clip", "name": f"{name}.webm", "bytes": len(content), "places": [0]}
    return Entry(kinds.EVIDENCE, {**word, "sha256": hashlib.sha256(content).hexdigest()})


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, str]:
    """A journal with a game that has evidence, a piece that is gone, a decision and a note."""
    folder = tmp_path / "here"
    key = one_game(folder, won(9, 500))
    (folder / "evidence" / key).mkdir(parents=True)
    (folder / "evidence" / key / "a.webm").write_bytes(CLIP)
    with Journal.open(folder) as journal:
        gone = Entry(kinds.EVIDENCE_GONE, {"id": "b", "why": "quota"})
        note = Entry(kinds.NOTE, {"text": "<script>alert(1)</script>"})
        journal.add(key, [evidence("a"), evidence("b"), gone, Entry(kinds.DECISION, {"place": 0}), note])
    return folder, key


def bundle_of(folder: Path, key: str) -> bytes:
    stream = io.BytesIO()
    with JournalView.open(folder) as view:
        write_bundle(stream, view, key)
    return stream.getvalue()


def test_a_bundle_opens_on_a_clean_machine_and_gives_the_same_bundle_there(
    kept: tuple[Path, str], tmp_path: Path
) -> None:
    folder, key = kept
    (tmp_path / "a.zip").write_bytes(bundle_of(folder, key))
    with Journal.open(tmp_path / "there") as journal:
        assert take_bundle(tmp_path / "a.zip", journal) == key
    assert bundle_of(tmp_path / "there", key) == bundle_of(folder, key)
    with JournalView.open(tmp_path / "there") as view, JournalView.open(folder) as first:
        assert find_chain_breaks(view) == []
        found, game = view.game(key), first.game(key)
        assert (found.row, found.lines, found.decisions) == (game.row, game.lines, game.decisions)
        assert found.evidence[0].path.read_bytes() == CLIP


def test_a_bundle_is_checked_by_other_programs_too(kept: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(bundle_of(*kept))
    with zipfile.ZipFile(tmp_path / "a.zip") as bundle:
        assert bundle.testzip() is None
        bundle.extractall(tmp_path / "out")
    done = subprocess.run(["sha256sum", "-c", "checksums.txt"], cwd=tmp_path / "out", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == 7


def test_a_game_that_is_here_already_is_not_taken_twice(kept: tuple[Path, str], tmp_path: Path) -> None:
    folder, key = kept
    (tmp_path / "a.zip").write_bytes(bundle_of(folder, key))
    with Journal.open(folder) as journal, pytest.raises(RecordError, match="is here already"):
        take_bundle(tmp_path / "a.zip", journal)
    assert (folder / "evidence" / key / "a.webm").read_bytes() == CLIP


def test_an_arrival_that_was_cut_off_can_be_repeated(kept: tuple[Path, str], tmp_path: Path) -> None:
    folder, key = kept
    (tmp_path / "a.zip").write_bytes(bundle_of(folder, key))
    place = tmp_path / "there" / "evidence" / key
    place.mkdir(parents=True)
    (place / "a.webm").write_bytes(b"other evidence")
    with Journal.open(tmp_path / "there") as journal:
        with pytest.raises(RecordError, match="other evidence"):
            take_bundle(tmp_path / "a.zip", journal)
        assert (place / "a.webm").read_bytes() == b"other evidence"
        (place / "a.webm").write_bytes(CLIP)
        assert take_bundle(tmp_path / "a.zip", journal) == key


def test_evidence_that_was_changed_on_the_disk_makes_no_bundle(kept: tuple[Path, str]) -> None:
    folder, key = kept
    (folder / "evidence" / key / "a.webm").write_bytes(b"something else")
    with pytest.raises(RecordError, match="is not what was kept"):
        bundle_of(folder, key)


# --- strangers' files -----------------------------------------------------------------------------------

Change = Callable[[zipfile.ZipFile, dict[str, bytes]], None]


def rewritten(content: bytes, change: Change, honest: bool = True) -> bytes:
    """The bundle with other members; `honest` checksums where the change asks for them."""
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        members = {info.filename: bundle.read(info) for info in bundle.infolist()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        change(bundle, members)
        if honest:
            sums = [f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in members if "check" not in name]
            members["checksums.txt"] = "".join(sums).encode()
        for name, part in members.items():
            bundle.writestr(name, part)
    return stream.getvalue()


def adding(name: str, content: bytes = b"x") -> Change:
    return lambda bundle, members: members.update({name: content})


def replacing(name: str, old: bytes, new: bytes) -> Change:
    def change(bundle: zipfile.ZipFile, members: dict[str, bytes]) -> None:
        assert old in members[name]
        members[name] = members[name].replace(old, new)

    return change


def link(bundle: zipfile.ZipFile, members: dict[str, bytes]) -> None:
    info = zipfile.ZipInfo("evidence/c.webm")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    bundle.writestr(info, "/etc/passwd")
    members.pop("deck.json", None)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (adding("../outside.txt"), "a name no bundle has"),
        (adding("evidence/../../outside.txt"), "a name no bundle has"),
        (adding("/etc/cron.d/x"), "a name no bundle has"),
        (adding("evidence/sub/x"), "a name no bundle has"),
        (adding("evidence/.hidden"), "a name no bundle has"),
        (adding("evidence/C:x"), "a name no bundle has"),
        (adding("evil.txt"), "belongs to no bundle"),
        (adding("evidence/extra.webm"), "not both listed and there"),
        (adding("evidence/"), "a name no bundle has"),
        (link, "no plain file"),
        (lambda bundle, members: bundle.writestr("record.jsonl", "x"), "twice"),
        (adding("deck.json", b"0" * 10_000_000), "far more than it holds"),
        (lambda bundle, members: members.pop("beside.jsonl") and None, "holds no beside.jsonl"),
        (replacing("bundle.json", b"referee/1", b"referee/9"), "expected a bundle"),
        (replacing("bundle.json", b'"key":"', b'"key":"../../'), "a game's key"),
        (replacing("record.jsonl", b'"t_us":5', b'"t_us":"5"'), "record.jsonl, line 2, t_us"),
        (replacing("record.jsonl", b'"t_us":9,', b""), "t_us is missing"),
        (replacing("beside.jsonl", b'"kind":"note"', b'"kind":"event"'), "expected after, kind and word"),
        (replacing("beside.jsonl", b'"kind":"note"', b'"kind":"gossip"'), "no kind of entry"),
        (replacing("beside.jsonl", b'"after":1,', b'"after":77,'), "stands after line"),
        (replacing("beside.jsonl", b"a.webm", b"../a.webm"), "name is not what it must be"),
        (replacing("beside.jsonl", b'"begun":"', b'"begun":["'), "JSON"),
        (replacing("beside.jsonl", b'"bytes":1350', b'"bytes":1351'), "not what the game's entries say"),
    ],
)
def test_a_bundle_made_to_do_harm_is_refused_in_one_sentence_and_leaves_nothing(
    change: Change, sentence: str, kept: tuple[Path, str], tmp_path: Path
) -> None:
    (tmp_path / "a.zip").write_bytes(rewritten(bundle_of(*kept), change))
    with Journal.open(tmp_path / "there") as journal:
        with pytest.raises(RecordError, match=sentence) as refused:
            take_bundle(tmp_path / "a.zip", journal)
        assert "\n" not in str(refused.value)
    assert not list((tmp_path / "there").glob("evidence/*"))
    assert not list(tmp_path.rglob("outside.txt"))
    with JournalView.open(tmp_path / "there") as view:
        assert view.count() == 0


def test_a_changed_member_is_noticed(kept: tuple[Path, str], tmp_path: Path) -> None:
    changes: list[tuple[Change, str]] = [
        (replacing("record.jsonl", b'"us":500', b'"us":501'), "record.jsonl is damaged"),
        (replacing("evidence/a.webm", b"seconds", b"minutes"), "a.webm is damaged"),
        (replacing("checksums.txt", b"  record.jsonl", b"  other.jsonl"), "does not list the files"),
    ]
    for change, sentence in changes:
        (tmp_path / "a.zip").write_bytes(rewritten(bundle_of(*kept), change, honest=False))
        with Journal.open(tmp_path / "there") as journal, pytest.raises(RecordError, match=sentence):
            take_bundle(tmp_path / "a.zip", journal)
    assert not list((tmp_path / "there").glob("evidence/*"))


def test_a_member_that_lies_about_its_size_is_not_unpacked_beyond_it(kept: tuple[Path, str], tmp_path: Path) -> None:
    content = bytearray(rewritten(bundle_of(*kept), adding("deck.json", b"0" * 500_000)))
    lie = (1000).to_bytes(4, "little")
    whole = (500_000).to_bytes(4, "little")
    assert content.count(whole) == 2
    (tmp_path / "a.zip").write_bytes(bytes(content).replace(whole, lie))
    with Journal.open(tmp_path / "there") as journal, pytest.raises(RecordError):
        take_bundle(tmp_path / "a.zip", journal)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_no_damaged_bundle_ends_in_anything_but_a_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, key = tmp_path_factory.mktemp("damaged"), "0123456789abcdef"
    with Journal.open(folder / "here") as journal:
        journal.take_in([Entry(kinds.HEADER, HEADER), Entry(kinds.EVENT, FLIP), Entry(kinds.RULING, won(9, 500))], key)
    content = bytearray(bundle_of(folder / "here", key))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / "a.zip").write_bytes(content[: data.draw(st.integers(1, len(content)))])
    with Journal.open(folder / "there") as journal:
        try:
            take_bundle(folder / "a.zip", journal)
        except RecordError:
            return
    assert bundle_of(folder / "there", key) == bundle_of(folder / "here", key)


# --- round trips ----------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", categories=("L", "N", "S", "P")), min_size=1, max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
EXTRA = st.dictionaries(NAMES.map(lambda name: f"x-{name}"), VALUES, max_size=3)
EVENTS = st.builds(lambda t_us, extra: {**FLIP, "t_us": t_us, **extra}, st.integers(0, 2**53), EXTRA)
RULINGS = st.builds(lambda us, extra: {**won(9, us), **extra}, st.integers(0, 2**53), EXTRA)
BESIDE = st.builds(lambda kind, extra: (kind, extra), st.sampled_from([kinds.NOTE, kinds.ENDED]), EXTRA)


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(EVENTS | RULINGS | BESIDE, max_size=8), players=st.lists(NAMES, min_size=3, max_size=5, unique=True)
)
def test_export_import_export_gives_the_same_bytes(
    steps: list[Any], players: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    with Journal.open(folder / "here") as journal:
        keeper = journal.begin({**HEADER, "players": players}, SETTINGS)
        for step in [*steps, END]:
            if isinstance(step, tuple):
                keeper.keep_beside([Entry(*step)])
            else:
                keeper.keep([step])
        keeper.close()
    first = bundle_of(folder / "here", keeper.key)
    (folder / "a.zip").write_bytes(first)
    with Journal.open(folder / "there") as journal:
        take_bundle(folder / "a.zip", journal)
    assert bundle_of(folder / "there", keeper.key) == first
    with JournalView.open(folder / "here") as one, JournalView.open(folder / "there") as other:
        assert one.record_lines(keeper.key) == other.record_lines(keeper.key)
        assert one.games() == other.games()
