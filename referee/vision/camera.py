"""Cameras and recordings as sources of frames with exposure times: the one door of vision for pictures in time.

Belongs here: what a profile says about its camera, and which source that is. Does not belong here: how any
source works (`referee.vision.cameras`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource

__all__ = ["CameraHealth", "CameraSettings", "Clock", "Frame", "FrameSource", "open_camera"]


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


def open_camera(settings: CameraSettings, clock: Clock, times: Path | None = None) -> FrameSource:
    """The source that `settings` name; `times` is the file of a recording's exposure times.

    Raises `PictureError` for a recording that cannot be used and `ProfileError` for a source that is neither a
    camera nor a recording. A live camera that is not there is no error: it is lost until it comes.
    """
    raise NotImplementedError
