"""A game as one file that another machine can open: its record, what was kept beside it, its evidence, checksums.

A bundle is a `.zip`:

    bundle.json        {"bundle":"referee/1","key":…}
    record.jsonl       the game record, rulings included
    beside.jsonl       all else that was kept: {"after": lines of the record before it, "kind", "word"}
    rulings.jsonl, decisions.jsonl, profile.toml, deck.json    for people; made from the two above, never read back
    missing.txt        for people too: which evidence was not there any more when the bundle was made
    secrets.jsonl      only where it was asked for: the secrets of sealed events
    evidence/NAME      the evidence that is still there
    checksums.txt      SHA-256 of every other file, as `sha256sum -c` reads it

Written rules of this module:
- the same game always gives the same bytes: fixed order, fixed times, one compression;
- a bundle is a stranger's file: every name, size, kind and checksum is checked before anything is kept.
Does not belong here: which game, where to (`referee.commands`).
"""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import orjson

from referee.errors import RecordError, RefereeError
from referee.journal import entries as kinds
from referee.journal.entries import RECORD_KINDS, SAFE_NAME, Entry, check_entry, entry_of
from referee.journal.files import EVIDENCE, sync
from referee.journal.reading import EvidenceRow, JournalView
from referee.journal.store import Journal
from referee.record import parse_line, read_records, to_line
from referee.record_checks import WrongWord
from referee.sealing import Secret, fits, seals

FORMAT = "referee/1"
MARK, RECORD, BESIDE, CHECKSUMS = "bundle.json", "record.jsonl", "beside.jsonl", "checksums.txt"
SECRETS, MISSING = "secrets.jsonl", "missing.txt"
FOR_PEOPLE = ("rulings.jsonl", "decisions.jsonl", "profile.toml", "deck.json", MISSING)
NOT_THERE = "its file was not there when the bundle was made"
MOST_MEMBERS = 10_000
LARGEST_TEXT = 256 * 2**20
LARGEST_EVIDENCE = 512 * 2**20
LARGEST_BUNDLE = 4 * 2**30
LARGEST_RATIO = 200  # JSON of a game packs some 10 to 30 times; a bomb a thousand times
RATIO_FREE = 2**20
CHUNK = 2**20
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


# --- writing --------------------------------------------------------------------------------------------


def write_bundle(stream: IO[bytes], view: JournalView, key: str, *, with_secrets: bool = False) -> list[str]:
    """Write one game as a bundle; returns a sentence for each piece of evidence that is not there any more.

    Such a piece is left out, and the bundle says so as a journal does. Secrets come along only where they are asked
    for. Raises `RecordError` when there is no such game, when evidence is not what was kept, or when secrets are asked
    for and are gone.
    """
    entries = list(view.entries(key))
    kept = [row for row in view.game(key).evidence if row.gone is None]
    missing = [row for row in kept if not row.path.exists()]
    gone = [(kinds.EVIDENCE_GONE, to_line({"id": row.id, "why": NOT_THERE})) for row in missing]
    texts = _texts(key, [*entries, *gone])
    if with_secrets:
        texts[SECRETS] = _secret_lines(view, key)
    sums: dict[str, str] = {name: hashlib.sha256(content).hexdigest() for name, content in texts.items()}
    with zipfile.ZipFile(stream, "w") as bundle:
        for name in sorted(texts):
            bundle.writestr(_member(name, zipfile.ZIP_DEFLATED), texts[name], compresslevel=6)
        for row in sorted((row for row in kept if row not in missing), key=lambda row: row.path.name):
            name = f"{EVIDENCE}/{row.path.name}"
            with bundle.open(_member(name, zipfile.ZIP_STORED), "w", force_zip64=True) as member:
                sums[name] = _copy(row, member)
        listed = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
        bundle.writestr(_member(CHECKSUMS, zipfile.ZIP_DEFLATED), listed.encode(), compresslevel=6)
    return [f"{row.path}: is not there any more, the bundle is made without evidence {row.id}" for row in missing]


def _secret_lines(view: JournalView, key: str) -> bytes:
    """All secrets of a game's sealed events, in the events' order; raises `RecordError` when some are gone."""
    view.record_lines(key, with_secrets=True)  # says so where some are gone
    known = view.secrets_of(key)
    found = [known[seal] for event in view.record(key).events for seal in seals(event) if seal in known]
    found += [secret for seal, secret in known.items() if secret not in found]  # those of no event
    return b"".join(to_line(secret._asdict()) for secret in found)


def _texts(key: str, entries: Sequence[tuple[str, bytes]]) -> dict[str, bytes]:
    parts: dict[str, list[bytes]] = {RECORD: [], BESIDE: [], "rulings.jsonl": [], "decisions.jsonl": []}
    texts: dict[str, bytes] = {}
    for kind, line in entries:
        if kind in RECORD_KINDS:
            parts[RECORD].append(line)
        else:
            word = orjson.loads(line)
            parts[BESIDE].append(to_line({"after": len(parts[RECORD]), "kind": kind, "word": word}))
            if kind == kinds.SETTINGS:
                if isinstance(profile := word.get("profile"), str):
                    texts["profile.toml"] = profile.encode()
                texts["deck.json"] = to_line({"name": word.get("deck_name"), "cards": word.get("deck")})
        if kind == kinds.RULING:
            parts["rulings.jsonl"].append(line)
        elif kind == kinds.DECISION:
            parts["decisions.jsonl"].append(line)
    texts |= {name: b"".join(lines) for name, lines in parts.items()}
    if missing := [word for word in _gone(entries) if word["why"] == NOT_THERE]:
        texts[MISSING] = "".join(f"{word['id']}: {word['why']}\n" for word in missing).encode()
    return {**texts, MARK: to_line({"bundle": FORMAT, "key": key})}


def _gone(entries: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    return [orjson.loads(line) for kind, line in entries if kind == kinds.EVIDENCE_GONE]


def _member(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, ZIP_TIME)
    info.compress_type = compression
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _copy(row: EvidenceRow, member: IO[bytes]) -> str:
    digest = hashlib.sha256()
    try:
        with row.path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                member.write(chunk)
    except OSError as error:
        raise RecordError(f"{row.path}: cannot be read ({error.strerror}), expected the evidence {row.id}") from error
    if digest.hexdigest() != row.sha256:
        raise RecordError(f"{row.path}: is not what was kept as evidence {row.id} (checksum)")
    return digest.hexdigest()


# --- reading --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opened:
    """A bundle that was checked: the game's key and entries in order; its evidence is still in the file."""

    key: str
    entries: Sequence[Entry]
    evidence: Mapping[str, zipfile.ZipInfo]
    sums: Mapping[str, str]
    secrets: Sequence[Secret]


def take_bundle(path: Path, journal: Journal) -> str:
    """Keep a bundle's game and evidence in a journal; returns the game's key.

    Raises `RecordError`, and keeps nothing, for a file that is no bundle, is damaged, or is made to do harm; and when
    the game is here already.
    """
    try:
        with zipfile.ZipFile(path) as bundle:
            opened = _open(bundle, str(path))
            _keep(bundle, opened, journal, str(path))
    except RefereeError:
        raise
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError) as error:
        raise RecordError(f"{path}: is no bundle, or a damaged one ({error})") from error
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error}), expected a game bundle") from error
    return opened.key


def _open(bundle: zipfile.ZipFile, name: str) -> Opened:
    members = _checked_members(bundle, name)
    texts = {member: _read(bundle, info, LARGEST_TEXT, name) for member, info in members.items() if "/" not in member}
    sums = _checked_sums(texts, members, name)
    mark = _line(texts[MARK].rstrip(b"\n"), f"{name}, {MARK}")
    key = mark.get("key")
    if mark.get("bundle") != FORMAT or not isinstance(key, str) or not _is_key(key):
        raise RecordError(f"{name}, {MARK}: expected a bundle of {FORMAT} and a game's key")
    entries = list(_entries(texts, name))
    for entry in entries:
        try:
            check_entry(entry)
        except RecordError as error:
            raise RecordError(f"{name}: {error}") from error
    evidence = {member.partition("/")[2]: info for member, info in members.items() if "/" in member}
    _check_evidence(entries, evidence, sums, name)
    return Opened(key, entries, evidence, sums, list(_secrets(texts.get(SECRETS, b""), entries, name)))


def _secrets(text: bytes, entries: Sequence[Entry], name: str) -> Iterator[Secret]:
    """The secrets that came along; raises `RecordError` for one that no event of the game has sealed."""
    sealed = {one for entry in entries if entry.kind == kinds.EVENT for one in seals(entry.word)}
    sealed |= {entry.word["sealed"] for entry in entries if entry.kind == kinds.SEALED}
    for number, line in enumerate(text.splitlines(), start=1):
        word = _line(line, f"{name}, {SECRETS}, line {number}")
        parts = [word.get(part) for part in Secret._fields]
        if not all(isinstance(part, str) for part in parts):
            raise RecordError(f"{name}, {SECRETS}, line {number}: expected {', '.join(Secret._fields)}")
        secret = Secret(*map(str, parts))
        if secret.seal not in sealed or not fits(secret):
            raise RecordError(f"{name}, {SECRETS}, line {number}: is not what an event of the game has sealed")
        yield secret


def _checked_members(bundle: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """The members by name; raises `RecordError` for whatever an honest bundle does not hold."""
    found: dict[str, zipfile.ZipInfo] = {}
    infos = bundle.infolist()
    if len(infos) > MOST_MEMBERS:
        raise RecordError(f"{name}: holds {len(infos)} files, expected up to {MOST_MEMBERS}")
    for info in infos:
        member = info.filename
        folder, _, own = member.rpartition("/")
        if member != info.orig_filename or folder not in ("", EVIDENCE) or not SAFE_NAME.fullmatch(own):
            raise RecordError(f"{name}: holds {member!r}, a name no bundle has")
        if not folder and own not in (MARK, RECORD, BESIDE, CHECKSUMS, SECRETS, *FOR_PEOPLE):
            raise RecordError(f"{name}: holds {member!r}, which belongs to no bundle")
        if member in found:
            raise RecordError(f"{name}: holds {member!r} twice")
        mode = info.external_attr >> 16
        if info.is_dir() or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise RecordError(f"{name}: {member!r} is no plain file")
        if info.flag_bits & 1:
            raise RecordError(f"{name}: {member!r} is encrypted")
        if info.file_size > max(RATIO_FREE, LARGEST_RATIO * info.compress_size):
            raise RecordError(f"{name}: {member!r} would unpack to {info.file_size} bytes, far more than it holds")
        found[member] = info
    if sum(info.file_size for info in infos) > LARGEST_BUNDLE:
        raise RecordError(f"{name}: would unpack to more than {LARGEST_BUNDLE} bytes")
    if missing := [member for member in (MARK, RECORD, BESIDE, CHECKSUMS) if member not in found]:
        raise RecordError(f"{name}: holds no {missing[0]}, expected a game bundle")
    return found


def _checked_sums(texts: Mapping[str, bytes], members: Mapping[str, zipfile.ZipInfo], name: str) -> dict[str, str]:
    sums: dict[str, str] = {}
    for line in texts[CHECKSUMS].decode("utf-8", "replace").splitlines():
        digest, _, member = line.partition("  ")
        sums[member] = digest
    if sums.keys() != members.keys() - {CHECKSUMS}:
        raise RecordError(f"{name}, {CHECKSUMS}: does not list the files that are there")
    for member, content in texts.items():
        if member != CHECKSUMS and hashlib.sha256(content).hexdigest() != sums[member]:
            raise RecordError(f"{name}: {member} is damaged (checksum)")
    return sums


def _read(bundle: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int, name: str) -> bytes:
    return b"".join(_chunks(bundle, info, limit, name))


def _chunks(bundle: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int, name: str) -> Iterator[bytes]:
    """A member's content; never more than it says it has, whatever its header says."""
    limit = min(limit, info.file_size)
    read = 0
    with bundle.open(info) as member:
        while chunk := member.read(CHUNK):
            read += len(chunk)
            if read > limit:
                raise RecordError(f"{name}: {info.filename!r} is larger than {limit} bytes")
            yield chunk
    if read != info.file_size:
        raise RecordError(f"{name}: {info.filename!r} is larger than {limit} bytes")


def _entries(texts: Mapping[str, bytes], name: str) -> Iterator[Entry]:
    """All entries in the order in which they were kept."""
    records = list(read_records(BytesIO(texts[RECORD]), f"{name}, {RECORD}"))
    if len(records) != 1:
        raise RecordError(f"{name}, {RECORD}: holds {len(records)} games, expected one")
    kept = [entry_of(word) for word in (records[0].header, *records[0].lines)]
    beside: list[tuple[int, Entry]] = []
    for number, line in enumerate(texts[BESIDE].splitlines(), start=1):
        word = _line(line, f"{name}, {BESIDE}, line {number}")
        after, kind, own = word.get("after"), word.get("kind"), word.get("word")
        if not isinstance(after, int) or not isinstance(kind, str) or not isinstance(own, dict) or kind in RECORD_KINDS:
            raise RecordError(f"{name}, {BESIDE}, line {number}: expected after, kind and word")
        beside.append((after, Entry(kind, own)))
    at = 0
    for count in range(len(kept) + 1):
        while at < len(beside) and beside[at][0] == count:
            yield beside[at][1]
            at += 1
        if count < len(kept):
            yield kept[count]
    if at < len(beside):
        raise RecordError(
            f"{name}, {BESIDE}, line {at + 1}: stands after line {beside[at][0]} of the record, not there"
        )


def _line(line: bytes, name: str) -> dict[str, Any]:
    try:
        word = parse_line(line)
    except WrongWord as wrong:
        raise RecordError(f"{name}: {wrong.message}") from None
    if word is None:
        raise RecordError(f"{name}: is empty, expected a JSON object")
    return word


def _is_key(key: str) -> bool:
    return len(key) == 16 and all(sign in "0123456789abcdef" for sign in key)


def _check_evidence(
    entries: Sequence[Entry], evidence: Mapping[str, zipfile.ZipInfo], sums: Mapping[str, str], name: str
) -> None:
    known = {entry.word["name"]: entry.word for entry in entries if entry.kind == kinds.EVIDENCE}
    gone = {entry.word["id"] for entry in entries if entry.kind == kinds.EVIDENCE_GONE}
    there = {file for file, word in known.items() if word["id"] not in gone}
    if there != evidence.keys():
        odd = sorted(there ^ evidence.keys())[0]
        raise RecordError(f"{name}: the evidence {odd} is not both listed and there")
    for file, info in evidence.items():
        word = known[file]
        if word["sha256"] != sums[f"{EVIDENCE}/{file}"] or word["bytes"] != info.file_size:
            raise RecordError(f"{name}: the evidence {file} is not what the game's entries say")


def _keep(bundle: zipfile.ZipFile, opened: Opened, journal: Journal, name: str) -> None:
    """The evidence first, under another name; the game when all of it is on the disk."""
    folder = journal.folder / EVIDENCE / opened.key
    if os.path.lexists(folder):  # of an arrival that was cut off, or of a journal that was set aside
        if not _is_same(folder, opened):
            raise RecordError(f"{name}: there is other evidence of game {opened.key} here already")
        journal.take_in(opened.entries, opened.key, opened.secrets)
        return
    arriving = folder.with_name(f"{opened.key}.arriving")
    _clear(arriving)
    try:
        if opened.evidence:
            arriving.mkdir(parents=True)
            _unpack(bundle, opened, arriving, name)
            arriving.rename(folder)
            sync(folder.parent)
        journal.take_in(opened.entries, opened.key, opened.secrets)
    except BaseException:
        _clear(arriving)
        _clear(folder)
        raise


def _unpack(bundle: zipfile.ZipFile, opened: Opened, folder: Path, name: str) -> None:
    for file, info in opened.evidence.items():
        digest = hashlib.sha256()
        with (folder / file).open("xb") as to:
            for chunk in _chunks(bundle, info, LARGEST_EVIDENCE, name):
                digest.update(chunk)
                to.write(chunk)
        if digest.hexdigest() != opened.sums[f"{EVIDENCE}/{file}"]:
            raise RecordError(f"{name}: the evidence {file} is damaged (checksum)")
        sync(folder / file)
    sync(folder)


def _is_same(folder: Path, opened: Opened) -> bool:
    """Whether a folder holds exactly the bundle's evidence."""
    if not folder.is_dir() or {file.name for file in folder.iterdir()} != opened.evidence.keys():
        return False
    sums = {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in opened.evidence}
    return all(sums[file] == opened.sums[f"{EVIDENCE}/{file}"] for file in sums)


def _clear(folder: Path) -> None:
    """Take away a folder of plain files that this module has made."""
    if folder.is_dir():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
