"""Keeping OpenCV and FFmpeg from printing lines of their own between ours.

Belongs here: the one place that knows where OpenCV 4 and OpenCV 5 keep their log level. Does not belong here:
what is wrong with a file or a camera (whoever opens it says so).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2

_SILENT = 0  # LOG_LEVEL_SILENT, in both

# FFmpeg reads this when OpenCV first opens a video: nothing, not even of a damaged file.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


@contextmanager
def quiet_opencv() -> Iterator[None]:
    """OpenCV prints nothing inside; afterwards it does as before."""
    log: Any = getattr(cv2.utils, "logging", cv2)  # OpenCV 5 has a module of it, OpenCV 4 two functions
    before = log.getLogLevel()
    log.setLogLevel(_SILENT)
    try:
        yield
    finally:
        log.setLogLevel(before)
