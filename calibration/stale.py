"""Whether a profile's calibration still holds: its date, its devices, its picture size, its markers.

Written rules:
- what is found is said in a few words each and stops nothing: a person decides;
- only what a calibration wrote down is judged: a profile made by hand is nobody's fault.
Does not belong here: checking the profile's own keys (`calibration.whole`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from calibration.charuco import Picture
from calibration.profile_file import CALIBRATION, value_at
from calibration.scale import straight
from referee.vision.geometry import Array, apply
from referee.vision.table import DRIFT_MM, MARKER_IDS, Lens, find_markers

# A lens stays as it is; a mast is knocked against; crystals and drivers change with seasons and updates; foil corrodes.
OLD = {
    "camera": timedelta(days=730),
    "table": timedelta(days=90),
    "light": timedelta(days=90),
    "totem": timedelta(days=90),
    "time": timedelta(days=90),
}


def stale(
    content: Mapping[str, Any],
    now: datetime | None,
    camera: str | None = None,
    totem: str | None = None,
    size: tuple[int, int] | None = None,
) -> tuple[str, ...]:
    """What of a profile's calibration does not hold any more, a few words each.

    `now` None: dates are not judged. `camera` and `totem` are
    the devices' names (`calibration.devices`), `size` the pictures'; None is not compared.
    """
    parts = content.get(CALIBRATION, {})
    found: list[str] = []
    for name, part in parts.items() if isinstance(parts, Mapping) else ():
        if not isinstance(part, Mapping):
            continue
        found += _by_date(name, part, now)
        device = part.get("device")
        here = totem if name == "totem" else camera
        if isinstance(device, str) and here is not None and device != here:
            found.append(f"{name} was calibrated with {device} and this is {here}")
        picture = part.get("picture")
        if size is not None and isinstance(picture, list) and picture != list(size):
            found.append(
                f"{name} was calibrated with pictures of {'x'.join(map(str, picture))}, not {size[0]}x{size[1]}"
            )
        other = part.get("totem_device")
        if isinstance(other, str) and totem is not None and other != totem:
            found.append(f"{name} was calibrated with the totem {other} and this is {totem}")
    lens, used = (value_at(content, f"{CALIBRATION}.{key}") for key in ("camera.date", "table.lens_date"))
    if used is not None and lens is not None and lens != used:
        found.append("the camera was calibrated anew after the table")
    return tuple(found)


def _by_date(name: str, part: Mapping[str, Any], now: datetime | None) -> list[str]:
    date = part.get("date")
    if not isinstance(date, datetime) or now is None:
        return []
    date = date.replace(tzinfo=None)
    if date > now + timedelta(days=1):
        return [f"{name} was calibrated on {date:%Y-%m-%d}, in the future: is the clock right?"]
    if now - date > OLD.get(name, timedelta.max):
        return [f"{name} was calibrated on {date:%Y-%m-%d}, {(now - date).days} days ago"]
    return []


def moved(content: Mapping[str, Any], picture: Picture) -> str | None:
    """Which of the mat's markers lie elsewhere than when the table was calibrated; None when all is as it was.

    `picture` is the first one of a game (H×W×3). Four corners by hand leave nothing to compare with.
    """
    table = value_at(content, f"{CALIBRATION}.table")
    if not isinstance(table, Mapping) or table.get("picture") != [picture.shape[1], picture.shape[0]]:
        return None
    centres = _centres(content)
    back = _matrix(table.get("homography"))
    if not centres or back is None:
        return None
    found = find_markers(picture, tuple(centres))
    off = {}
    for marker, quad in found.items():
        place = apply(back, _straight(content, quad)).mean(0)
        off[marker] = float(np.linalg.norm(place - centres[marker]))
    far = {marker: mm for marker, mm in off.items() if mm > DRIFT_MM}
    if far:
        listed = ", ".join(f"marker {marker} by {mm:.0f} mm" for marker, mm in sorted(far.items()))
        return f"the camera or the mat has moved since the table was calibrated ({listed})"
    return None


def _centres(content: Mapping[str, Any]) -> dict[int, Array]:
    markers = value_at(content, "table.markers")
    if not isinstance(markers, Mapping) or not isinstance(markers.get("centres_mm"), list):
        return {}
    ids = markers.get("ids", list(MARKER_IDS))
    return {int(k): np.array(centre, np.float64) for k, centre in zip(ids, markers["centres_mm"], strict=False)}


def _matrix(rows: object) -> Array | None:
    try:
        matrix = np.array(rows, np.float64)
    except (TypeError, ValueError):
        return None
    return matrix if matrix.shape == (3, 3) else None


def _straight(content: Mapping[str, Any], quad: Array) -> Array:
    """A marker's corners as a lens without distortion would see them."""
    matrix = _matrix(value_at(content, "camera.matrix"))
    bend = value_at(content, "camera.distortion")
    if matrix is None or not isinstance(bend, list):
        return quad
    return straight(quad, Lens(matrix, np.array(bend, np.float64)))
