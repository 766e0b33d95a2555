"""How far a table is on its way from a box of parts to a game: what is done, what is stale, what comes next.

Plain values for whoever shows them, a terminal or a page. Does not belong here: doing a calibration, showing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import cv2
import numpy as np

from calibration.charuco import Picture
from calibration.profile_file import CALIBRATION, value_at
from calibration.stale import stale
from calibration.table import TableFound
from referee.table.layouts import Layout
from referee.vision.geometry import Array

State = Literal["done", "stale", "missing", "not needed"]
ORDER = ("deck", "camera", "table", "light", "totem", "time", "speaker")
NO_PORT = "the profile names no totem with a port; one that is plugged in can be measured all the same"
_WHAT = {
    "deck": "who plays what: the game, the players, a deck that ships or your own",
    "camera": "the lens: hold the printed board into all parts of the picture",
    "table": "the table: mat or four corners, seats, size of the cards",
    "light": "the light: glare, flicker, exposure",
    "totem": "the totem: hands off, one finger, whole hands",
    "time": "the time: the totem blinks, the camera looks on",
    "speaker": "the speaker: a phrase is played",
}
_COLOURS = {"face_up": (90, 200, 90), "reserve": (200, 160, 60), "pot": (60, 160, 230)}


@dataclass(frozen=True)
class Step:
    """One calibration: its state, what it is for, and why it is stale; `figures` as the profile has them."""

    name: str
    state: State
    what: str
    why: str
    figures: Mapping[str, Any]


def steps(
    content: Mapping[str, Any],
    now: datetime,
    camera: str | None = None,
    totem: str | None = None,
    size: tuple[int, int] | None = None,
    port_named: bool = False,
) -> tuple[Step, ...]:
    """All calibrations in the order in which they are made; the arguments are those of `calibration.stale.stale`.

    `port_named`: somebody named a totem's port for this table, though its profile does not yet.
    """
    has_totem = port_named or value_at(content, "totem.port") is not None
    result = []
    for name in ORDER:
        part = value_at(content, f"{CALIBRATION}.{name}")
        figures = part if isinstance(part, Mapping) else {}
        if name == "deck":
            said = all(content.get(key) for key in ("game", "players", "deck"))
            state: State = "done" if said else "missing"
            result.append(Step(name, state, _WHAT[name], "", {}))
            continue
        if not figures:
            plain = name in ("totem", "time") and not has_totem
            result.append(Step(name, "not needed" if plain else "missing", _WHAT[name], NO_PORT if plain else "", {}))
            continue
        alone = {key: value for key, value in content.items() if key != CALIBRATION} | {CALIBRATION: {name: figures}}
        reasons = stale(alone, now, camera, totem, size)
        if name == "table" and figures.get("lens_date") not in (None, value_at(content, f"{CALIBRATION}.camera.date")):
            reasons = (*reasons, "the camera was calibrated anew after the table")
        result.append(Step(name, "stale" if reasons else "done", _WHAT[name], "; ".join(reasons), figures))
    return tuple(result)


def following(made: tuple[Step, ...]) -> Step | None:
    """What to do next: what is missing first, then what is stale; None when the table is ready."""
    for state in ("missing", "stale"):
        found = next((step for step in made if step.state == state), None)
        if found is not None:
            return found
    return None


def drawn_table(picture: Picture, found: TableFound, layout: Layout | None) -> Picture:
    """A picture of the table (H×W×3) with markers, zones, and the totem's spot drawn where they are thought to be."""
    drawn = np.array(picture, np.uint8)
    thick = max(2, picture.shape[1] // 500)
    for quad in found.view.markers.values():
        cv2.polylines(drawn, [_whole(quad)], True, (230, 80, 200), thick, cv2.LINE_AA)
    if layout is None:
        return drawn
    for zone in layout.zones.values():
        x0, y0, x1, y1 = zone.rect
        # Straight on the table, bent in the picture: each side in steps.
        along = np.linspace(0, 1, 12)[:, None]
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        sides = [corners[k] + along * (corners[(k + 1) % 4] - corners[k]) for k in range(4)]
        outline = found.view.pixels(np.concatenate(sides))
        colour = _COLOURS.get(zone.kind, (220, 220, 220))
        cv2.polylines(drawn, [_whole(outline)], True, colour, thick, cv2.LINE_AA)
        x, y = found.view.pixels(np.array([[x0 + 5.0, y0 + 20.0]]))[0]
        name = (zone.player or zone.name).encode("ascii", "replace").decode()
        cv2.putText(drawn, name, (round(x), round(y)), cv2.FONT_HERSHEY_SIMPLEX, thick * 0.4, colour, thick)
    centre, rim = found.view.pixels(
        np.array([layout.totem.centre_mm, (layout.totem.centre_mm[0] + layout.totem.diameter_mm / 2, 0.0)])
    )
    spot = (round(float(centre[0])), round(float(centre[1])))
    cv2.circle(drawn, spot, max(3, round(float(np.linalg.norm(rim - centre)))), (60, 60, 240), thick, cv2.LINE_AA)
    return drawn


def _whole(points: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.round(points).astype(np.int32)
