"""Files of evidence: opaque names, whole or not at all, on the disk before anybody hears of them.

Belongs here: the item that is told of a file, how files get their final names together. Does not belong here: what
is in a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PART = ".part"
ID_BYTES = 12
RESERVE_BYTES = 64_000_000
"""So much of the disk is left alone: the journal of the game must always find room."""
_READ_BYTES = 1 << 20
SHEET = ".json"
LARGEST_SHEET = 4_000_000
OWN_NAME = re.compile(rf"[0-9a-f]{{{2 * ID_BYTES}}}(?:{re.escape(PART)})?\.(?:webm|jpg|npz|json)")
"""What a file of evidence is called; any other file in its folder is somebody else's."""


@dataclass(frozen=True, slots=True)
class Item:
    """A file of evidence that is kept.

    `kind` is `sheet`, `clip`, `frame`, `crop`, `card` or `counts`; `from_us` to `to_us` is the stretch of time it was
    kept for, `places` the rulings it shows. All files of one stretch say the same of these.
    """

    id: str
    kind: str
    name: str
    bytes: int
    sha256: str
    from_us: int
    to_us: int
    places: tuple[int, ...]

    def word(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "from_us": self.from_us,
            "to_us": self.to_us,
            "places": list(self.places),
        }


@dataclass(frozen=True, slots=True)
class Draft:
    """A file under its temporary name."""

    id: str
    kind: str
    suffix: str
    path: Path

    @property
    def name(self) -> str:
        """What it will be called."""
        return f"{self.id}{self.suffix}"


class Drafts:
    """The files of one stretch; `finish` gives all of them their names, `undo` leaves none behind."""

    def __init__(self, folder: Path) -> None:
        """Raises `OSError` when the folder cannot be made or the disk is nearly full."""
        folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < RESERVE_BYTES:
            raise OSError(f"less than {RESERVE_BYTES // 1_000_000} MB are free on the disk")
        self._folder = folder
        self._drafts: list[Draft] = []

    def new(self, kind: str, suffix: str) -> Draft:
        """A file to be written."""
        name = secrets.token_hex(ID_BYTES)
        # The suffix stays last: whoever writes a video goes by it.
        draft = Draft(name, kind, suffix, self._folder / f"{name}{PART}{suffix}")
        self._drafts.append(draft)
        return draft

    def add(self, kind: str, suffix: str, content: bytes) -> Draft:
        """A file with this content."""
        draft = self.new(kind, suffix)
        draft.path.write_bytes(content)
        return draft

    def finish(self, from_us: int, to_us: int, places: Sequence[int]) -> list[Item]:
        """Sync all files, give them their names, sync the folder; raises `OSError`."""
        items = []
        for draft in self._drafts:
            size, digest = _synced(draft.path)
            items.append(Item(draft.id, draft.kind, draft.name, size, digest, from_us, to_us, tuple(places)))
        for draft in self._drafts:
            draft.path.rename(self._folder / draft.name)
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        return items

    def undo(self) -> None:
        """Remove whatever was written."""
        for draft in self._drafts:
            for path in (draft.path, self._folder / draft.name):
                path.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a process that was killed left under temporary names."""
    for path in folder.glob(f"*{PART}.*"):
        path.unlink(missing_ok=True)


def stretch_of(sheet: Path, there: Mapping[str, Path], rulings: int) -> list[Item]:
    """The items of a stretch by its sheet; none where the sheet is damaged or one of its files is not among those.

    `rulings`: how many the game has. Raises `OSError`.
    """
    if sheet.stat().st_size > LARGEST_SHEET:
        return []
    try:
        said = json.loads(sheet.read_bytes())
        places, from_us, to_us = tuple(said["places"]), said["from_us"], said["to_us"]
        parts = [(kind, one) for key, kind in _PARTS.items() for one in _many(said.get(key))]
        named = [("sheet", sheet.name), *((kind, str(one["name"])) for kind, one in parts)]
        whole = all(type(number) is int for number in (from_us, to_us, *places)) and max(places, default=0) < rulings
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    if not whole or not all(name in there and there[name].name == name for _, name in named):
        return []
    items = []
    for kind, name in named:
        size, digest = _synced(there[name])
        items.append(Item(name.partition(".")[0], kind, name, size, digest, from_us, to_us, places))
    return items


_PARTS = {"clip": "clip", "frames": "frame", "crops": "crop", "pictures": "card", "counts": "counts"}
"""Where a sheet names files, and of what kind they are."""


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _synced(path: Path) -> tuple[int, str]:
    """Bring a file to the disk; its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        os.fsync(file.fileno())
        while content := file.read(_READ_BYTES):
            digest.update(content)
            size += len(content)
    return size, digest.hexdigest()
