"""Evidence as pages show it: the frames of a clip with their true times, and counts as plain numbers to plot.

Belongs here: reading the files of `writing`. Does not belong here: who may see them, pages, drawing.
All that is returned is bytes, numbers, lists and dictionaries, ready for JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import PictureError
from referee.totem.picture import above_level
from referee.totem.scrambles import Grab, detect
from referee.totem.trace import Trace, load_trace
from referee.vision.cameras.quiet import quiet_opencv

QUALITY = 88
MOST_COLUMNS = 1200
SAME_HAND_US = 20_000  # a stretch begins in the middle of a game: its own first contacts may differ by so much


def read_sheet(path: Path) -> dict[str, Any]:
    """The sheet of a stretch (`referee.evidence.writing`); raises `PictureError` when it is none."""
    try:
        sheet = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise PictureError(f"{path}: cannot be read, expected the sheet of a piece of evidence") from error
    if not isinstance(sheet, dict) or not {"from_us", "to_us", "clip", "frames", "counts"} <= sheet.keys():
        raise PictureError(f"{path}: is no sheet of evidence")
    return sheet


def frame_times(sheet: Mapping[str, Any]) -> list[int]:
    """The exposure time of each frame of the clip (table clock, us); empty where there is no clip."""
    clip = sheet["clip"]
    return [] if clip is None else [int(t_us) for t_us in clip["t_us"]]


def clip_frame(clip: Path, sheet: Mapping[str, Any], number: int) -> tuple[bytes, int]:
    """Frame `number` of a clip (0 first) as JPEG, and its exposure time; raises `PictureError` where there is none."""
    times = frame_times(sheet)
    if not 0 <= number < len(times):
        raise PictureError(f"{clip}: has {len(times)} frames, there is no frame {number}")
    with quiet_opencv():
        capture = cv2.VideoCapture(str(clip), cv2.CAP_FFMPEG)
    try:
        # Counted, not sought: a player's idea of where frame N lies follows the mean rate.
        seen = all(capture.grab() for _ in range(number + 1))
        done, picture = capture.retrieve() if seen else (False, None)
    finally:
        capture.release()
    if not done or picture is None:
        raise PictureError(f"{clip}: frame {number} cannot be read")
    _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return jpeg.tobytes(), times[number]


def counts_plot(
    path: Path,
    grab: Mapping[str, Any] | None = None,
    seats_deg: Mapping[str, float] | None = None,
    angle0_deg: float = 0.0,
    columns: int = 600,
) -> dict[str, Any]:
    """A trace as numbers to plot; raises `TraceError`.

    `{"t_us": [column], "ring_mm": [ring], "rings": [ring][column], "tilt_deg": [column],
    "hands": [{"player","t_us","fingers","lowest_mm","grip","touch": [column] or null}]}`. `rings` is the strongest
    reading of each ring above its untouched level; a column's value is the largest of its scans. `hands` are those of
    the `grab` event, first contacts and fingers as they were ruled by; `touch` is the strongest reading over the pads
    of that hand, where (with `seats_deg`) the trace gives the same hand again.
    """
    trace = load_trace(path)
    above = above_level(trace)
    many = max(1, min(columns, MOST_COLUMNS, len(trace.t_us)))
    edges = np.linspace(0, len(trace.t_us), many + 1).astype(np.int64)
    layout = trace.layout
    rings = above.reshape(len(above), layout.rings, layout.sectors).max(axis=2)
    again = _hands_again(trace, seats_deg, angle0_deg) if seats_deg else []
    hands = []
    for hand in (grab or {}).get("hands", ()):
        near = min(again, key=lambda pair: abs(pair[0] - hand["t_us"]), default=None)
        pads = list(near[1]) if near is not None and abs(near[0] - hand["t_us"]) <= SAME_HAND_US else []
        touch = _columns(above[:, pads].max(axis=1), edges) if pads else None
        said = {key: hand.get(key) for key in ("player", "t_us", "fingers", "lowest_mm")}
        hands.append({**said, "grip": hand.get("grip", True), "touch": touch})
    return {
        "t_us": [int(trace.t_us[edge]) for edge in edges[:-1]],
        "ring_mm": [float(mm) for mm in layout.ring_mm],
        "rings": [_columns(ring, edges) for ring in rings.T],
        "tilt_deg": _columns(trace.tilt_deg, edges),
        "hands": hands,
    }


def _hands_again(trace: Trace, seats_deg: Mapping[str, float], angle0_deg: float) -> list[tuple[int, tuple[int, ...]]]:
    grabs = [event for event in detect(trace, seats_deg, angle0_deg) if isinstance(event, Grab)]
    return [(hand.t_us, hand.electrodes) for grab in grabs for hand in grab.hands if hand.electrodes]


def _columns(values: NDArray[Any], edges: NDArray[np.int64]) -> list[float]:
    """The largest value of each column, to a tenth."""
    return [round(float(value), 1) for value in np.maximum.reduceat(values, edges[:-1])]
