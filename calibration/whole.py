"""The whole profile checked at once: every room reads its own part, and all that is wrong is said together.

Belongs here: which rooms read a profile, and the calibrations' own tables. Does not belong here: what a room expects of
its part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.profile_file import CALIBRATION, read_raw
from referee.announce.settings import read_settings
from referee.errors import ProfileError
from referee.profile import profile_defects, read_profile
from referee.vision.camera import camera_settings
from referee.vision.reader import read_setup

PARTS = ("camera", "table", "light", "totem", "time", "speaker")


def defects(path: Path) -> tuple[str, ...]:
    """All that is wrong in a profile, each with file, key and what was expected; empty when it is whole."""
    try:
        content = read_raw(path)
    except ProfileError as error:
        return (str(error),)
    if not path.exists():
        return (f"{path}: there is no such profile",)
    found = [*profile_defects(path)]
    camera, announce = content.get("camera", {}), content.get("announce", {})
    if isinstance(camera, Mapping):
        source = None if "source" in camera else "0"  # the command line may say it instead
        found += _said(lambda: camera_settings(camera, str(path), source))
    found += _said(lambda: read_setup(path))
    if isinstance(announce, Mapping) and not found:
        players = read_profile(path).players
        found += _said(lambda: read_settings(announce, f"{path}: announce", players))
    found += _calibrations(path, content)
    return tuple(dict.fromkeys(found))


def check_whole(path: Path) -> None:
    """Raise one `ProfileError` that names all defects."""
    found = defects(path)
    if found:
        raise ProfileError("; ".join(found))


def _said(read: Callable[[], object]) -> list[str]:
    try:
        read()
    except ProfileError as error:
        return [str(error)]
    return []


def _calibrations(path: Path, content: Mapping[str, Any]) -> list[str]:
    parts = content.get(CALIBRATION, {})
    if not isinstance(parts, Mapping):
        return [f"{path}: {CALIBRATION}: expected a table"]
    found = []
    for name, part in parts.items():
        where = f"{path}: {CALIBRATION}.{name}"
        if name not in PARTS:
            continue  # other programs may keep theirs here
        if not isinstance(part, Mapping):
            found.append(f"{where}: expected a table")
            continue
        if not isinstance(part.get("date"), datetime):
            found.append(f"{where}.date: expected a date and time, as 2026-01-31T18:00:00")
        if "device" in part and not isinstance(part["device"], str):
            found.append(f"{where}.device: expected a text")
        if "picture" in part and not _is_size(part["picture"]):
            found.append(f"{where}.picture: expected [width, height] in pixels")
        found += [
            f"{where}.{key}: expected a number of 0 or more"
            for key, value in part.items()
            if key.endswith(("_px", "_mm", "_error", "_error_us")) and not _is_amount(value)
        ]
    return found


def _is_size(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, int) and v > 0 for v in value)


def _is_amount(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(float(value)) and float(value) >= 0  # type: ignore[arg-type]
