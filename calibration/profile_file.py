"""Writing a calibration's part into a profile: what people wrote there stays as they wrote it.

Written rules:
- comments, order and keys that nobody here knows survive; a file that is changed is first copied beside itself;
- what exists is written over only when that was asked for (`force`), and this is known before the work begins;
- the new text is read back before it takes the old one's place, in one step: a power cut leaves one or the other.
Does not belong here: what the values mean, reading a profile for a game (`referee.profile`).
"""

from __future__ import annotations

import copy
import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from referee.errors import EngineError, InputError, ProfileError

CALIBRATION = "calibration"
"""The table that keeps, for each calibration, its date, its figures and the devices it was made with."""


@dataclass(frozen=True)
class Part:
    """What one calibration writes: `name` of its table under `calibration`, `values` by dotted key, and its figures.

    `values` may hold whole lists of tables (`seat`). `drops` are dotted keys that the new values make void. `first`
    are values that are only written where the profile has none.
    """

    name: str
    values: Mapping[str, Any]
    figures: Mapping[str, Any]
    drops: tuple[str, ...] = ()
    first: Mapping[str, Any] = field(default_factory=dict)


def read_raw(path: Path) -> dict[str, Any]:
    """A profile's content as plain values, {} where there is no such file yet; raises `ProfileError` for no TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: cannot be read, expected a profile in TOML") from error
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: is no TOML ({error})") from error


def value_at(table: Mapping[str, Any], key: str) -> Any:
    """What stands at a dotted key; None when nothing does."""
    value: Any = table
    for word in key.split("."):
        if not isinstance(value, Mapping) or word not in value:
            return None
        value = value[word]
    return value


def check_may_write(path: Path, name: str, keys: tuple[str, ...], force: bool) -> None:
    """Raise `InputError` when a calibration would write over something and was not told to; ask before the work."""
    content = read_raw(path)
    check_folder(path)
    found = [key for key in (f"{CALIBRATION}.{name}", *keys) if value_at(content, key) is not None]
    if found and not force:
        raise InputError(
            f"{path}: has {found[0]} already; --force writes over it (the profile as it is now is kept beside it)"
        )


def check_folder(path: Path) -> None:
    """Raise `InputError` when a profile could not be written because its folder is not there."""
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no such folder, expected one that exists")


def write_part(path: Path, part: Part, now: datetime, force: bool) -> Path | None:
    """Put a calibration's part into a profile; returns the copy of what was there before (None: there was nothing).

    Raises `InputError` where something would be written over without `force`, `ProfileError` for a file that is no
    profile.
    """
    before = read_raw(path)
    changed = tuple(key for key, value in part.values.items() if value_at(before, key) != value)
    check_may_write(path, part.name, changed, force)
    additions = {key: value for key, value in part.first.items() if value_at(before, key) is None}
    values = {**additions, **part.values}
    figures = {"date": now.replace(microsecond=0), **part.figures}
    text = path.read_text("utf-8") if path.exists() else ""
    try:
        document = tomlkit.parse(text)
        _write_values(document, values, part.drops)
        _at(document, (CALIBRATION,))[part.name] = _table(figures)
        new = tomlkit.dumps(document)
        after = tomllib.loads(new)
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError, AttributeError) as error:
        raise ProfileError(f"{path}: cannot be changed without losing something ({error})") from error
    if not all(_holds(value_at(after, key), value) for key, value in values.items()):
        raise ProfileError(f"{path}: cannot be changed without losing something, expected plain tables")
    _check_nothing_lost(before, after, (*values, *part.drops, f"{CALIBRATION}.{part.name}"))
    kept = _keep_copy(path, now) if path.exists() else None
    _replace(path, new)
    return kept


def _holds(found: Any, value: Any) -> bool:
    """Whether what was written is there; a seat's table may hold more than that."""
    if isinstance(value, Mapping):
        return isinstance(found, Mapping) and all(_holds(found.get(key), one) for key, one in value.items())
    if isinstance(value, list):
        same = isinstance(found, list) and len(found) == len(value)
        return same and all(_holds(one, other) for one, other in zip(found, value, strict=True))
    return bool(found == value)


def _write_values(document: tomlkit.TOMLDocument, values: Mapping[str, Any], drops: tuple[str, ...]) -> None:
    for key in drops:
        *parents, last = key.split(".")
        holder = value_at(document, ".".join(parents)) if parents else document
        if isinstance(holder, Mapping) and last in holder:
            del holder[last]  # type: ignore[attr-defined]
    for key, value in values.items():
        *parents, last = key.split(".")
        holder = _at(document, tuple(parents))
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            _write_rows(holder, last, value)
        elif isinstance(value, Mapping):
            holder[last] = _table(value)
        else:
            holder[last] = value


def _at(document: Any, words: tuple[str, ...]) -> Any:
    """The table at a path, made where it is missing."""
    holder = document
    for word in words:
        if word not in holder:
            # A table that only holds tables needs no header of its own.
            holder[word] = tomlkit.table(is_super_table=word in (CALIBRATION, "zone"))
        holder = holder[word]
    return holder


def _table(values: Mapping[str, Any]) -> Any:
    table = tomlkit.table()
    for key, value in values.items():
        table[key] = _table(value) if isinstance(value, Mapping) else value
    return table


def _write_rows(holder: Any, key: str, rows: list[Mapping[str, Any]]) -> None:
    """Write a list of tables; one that is there for the same player keeps its comments and its other keys."""
    old = list(holder.get(key, ()))
    tables = tomlkit.aot()
    for row in rows:
        same = next((table for table in old if table.get("player") == row.get("player")), None)
        if same is None:
            tables.append(_table(row))
        else:
            same.update(row)
            tables.append(same)
    holder[key] = tables


def _check_nothing_lost(before: dict[str, Any], after: dict[str, Any], written: tuple[str, ...]) -> None:
    """What was not to be changed is as it was; raises `EngineError` otherwise."""
    rests = []
    for content in (before, after):
        rest = copy.deepcopy(content)
        for key in written:
            *parents, last = key.split(".")
            holder = value_at(rest, ".".join(parents)) if parents else rest
            if isinstance(holder, dict):
                holder.pop(last, None)
        rests.append(_without_empty(rest))
    if rests[0] != rests[1]:
        raise EngineError("writing a part of the profile would have changed another")


def _without_empty(table: dict[str, Any]) -> dict[str, Any]:
    inner = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in table.items()}
    return {key: value for key, value in inner.items() if value != {}}


def _keep_copy(path: Path, now: datetime) -> Path:
    """A copy of the profile beside itself, under a name that is free."""
    stem = f"{path.name}.{now:%Y%m%d-%H%M%S}"
    for number in range(1, 1000):
        copied = path.with_name(f"{stem}.bak" if number == 1 else f"{stem}-{number}.bak")
        try:
            with copied.open("xb") as file:
                file.write(path.read_bytes())
        except FileExistsError:
            continue
        return copied
    raise InputError(f"{path}: a thousand copies of this second are there already")


def _replace(path: Path, text: str) -> None:
    target = path.resolve()  # a link stays a link
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
