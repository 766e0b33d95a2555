"""Evidence read back: the sheet of a stretch, and the frames of its clip with their true times.

Belongs here: reading the files of `writing`. Does not belong here: who may see them, pages, counts
(`referee.totem.curves`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2

from referee.errors import PictureError
from referee.vision.cameras.quiet import quiet_opencv

QUALITY = 88


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
