"""Cameras and recordings as sources of frames with exposure times: the one door of vision for pictures in time.

Belongs here: what a profile says about its camera, and which source that is. Does not belong here: how any
source works (`referee.vision.cameras`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from referee.errors import PictureError, ProfileError
from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource
from referee.vision.cameras.devices import OpencvDevice, Picamera2Device, Wanted, picamera2_class
from referee.vision.cameras.live import LiveCamera
from referee.vision.cameras.recorded import PictureFolder, VideoFile
from referee.vision.cameras.stream import open_stream

__all__ = ["CameraHealth", "CameraSettings", "Clock", "Frame", "FrameSource", "camera_settings", "open_camera"]

LARGEST_SIDE_PX = 16_384
SMALLEST_FPS, LARGEST_FPS = 0.1, 1000.0
LARGEST_OFFSET_US = 60_000_000
_SOURCES = "picamera2, a device (/dev/video0 or its number), a URL, a video file or a folder of pictures"
_DEVICE = re.compile(r"\d{1,3}|/dev/\S+")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+")


@dataclass(frozen=True)
class CameraSettings:
    """What `[camera]` of a profile says about the source; what is None is left to the camera.

    `source` is `picamera2`, a device (`/dev/video0` or its number), a URL, a video file or a folder of
    pictures. `offset_us` is added to the frame times of a live camera (measured by calibration against the
    totem's clock); `latency_us` is taken off the arrival times of a camera whose driver gives no time stamps.
    """

    source: str
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    offset_us: int = 0
    latency_us: int | None = None


def camera_settings(camera: Mapping[str, Any], where: str, source: str | None = None) -> CameraSettings:
    """The settings in a profile's `[camera]` table; `source` (of the command line) goes before its own.

    `where` names the profile in errors. Raises `ProfileError`.
    """
    said = source if source is not None else camera.get("source")
    if isinstance(said, int) and not isinstance(said, bool):
        said = str(said)
    if not isinstance(said, str) or not said.strip():
        raise ProfileError(f"{where}: camera.source: expected {_SOURCES}")
    width, height, latency_us, offset_us = (
        _whole(camera, key, where, low, high)
        for key, low, high in (
            ("width", 1, LARGEST_SIDE_PX),
            ("height", 1, LARGEST_SIDE_PX),
            ("latency_us", 0, LARGEST_OFFSET_US),
            ("offset_us", -LARGEST_OFFSET_US, LARGEST_OFFSET_US),
        )
    )
    fps = _number(camera, "fps", where, SMALLEST_FPS, LARGEST_FPS)
    return CameraSettings(said.strip(), width, height, fps, offset_us or 0, latency_us)


def is_live(source: str) -> bool:
    """Whether a source is a camera and not a recording."""
    return source == "picamera2" or bool(_DEVICE.fullmatch(source) or _URL.fullmatch(source))


def open_camera(settings: CameraSettings, clock: Clock, times: Path | None = None) -> FrameSource:
    """The source that `settings` name; `times` is the file of a recording's exposure times.

    Raises `PictureError` for a recording that cannot be used, and `HardwareError` for picamera2 where it is not
    installed. A live camera that is not there is no error: it is lost until it comes.
    """
    source = settings.source
    if not is_live(source):
        path = Path(source)
        if path.is_dir():
            return PictureFolder(path, settings.fps, times)
        return VideoFile(path, settings.fps, times)
    if times is not None:
        raise PictureError(f"{times}: frame times are for a recording, and {source} is a live camera")
    wanted = Wanted(settings.width, settings.height, settings.fps, settings.latency_us)
    if source == "picamera2":
        picamera2_class()  # said now, in one sentence, and not again with every try to open it
        return LiveCamera(source, partial(Picamera2Device, wanted), wanted, clock, settings.offset_us)
    if "://" in source:
        return LiveCamera(source, partial(open_stream, source, wanted), wanted, clock, settings.offset_us)
    address = int(source) if source.isdigit() else source
    return LiveCamera(source, partial(OpencvDevice, address, wanted), wanted, clock, settings.offset_us)


def _whole(camera: Mapping[str, Any], key: str, where: str, low: float, high: float) -> int | None:
    value = _number(camera, key, where, low, high)
    return None if value is None else round(value)


def _number(camera: Mapping[str, Any], key: str, where: str, low: float, high: float) -> float | None:
    value = camera.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ProfileError(f"{where}: camera.{key}: expected a number")
    if not low <= value <= high:
        raise ProfileError(f"{where}: camera.{key}: expected a number from {low:g} to {high:g}, found {value:g}")
    return float(value)
