"""Which camera and which totem a calibration was made with: names that stay when cables are plugged in again.

Belongs here: from a source or a port to such a name. Does not belong here: opening anything.
"""

from __future__ import annotations

import re
from pathlib import Path

BY_ID = (Path("/dev/v4l/by-id"), Path("/dev/serial/by-id"))
CLASS = Path("/sys/class/video4linux")


def device_name(source: str, by_id: tuple[Path, ...] = BY_ID, names: Path = CLASS) -> str:
    """What stays of a camera's source or a totem's port: its name by id, else the model, else the source itself."""
    device = Path(f"/dev/video{source}") if source.isdecimal() else Path(source)
    if not re.fullmatch(r"/dev/\S+", str(device)):
        return _without_password(source)
    real = device.resolve()
    for folder in by_id:
        # Several names may stand for one device; the first by name is always the same one.
        for link in sorted(folder.iterdir()) if folder.is_dir() else ():
            if link.resolve() == real:
                return link.name
    try:
        model = (names / real.name / "name").read_text("utf-8", errors="replace").strip()
    except OSError:
        return str(device)
    return model or str(device)


def _without_password(source: str) -> str:
    """A stream's address without the user and password that may stand in it."""
    return re.sub(r"(?<=://)[^/@\s]+@", "", source)
