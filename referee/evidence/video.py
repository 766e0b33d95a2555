"""A clip for people: frames as WebM, read back before it counts.

Written rules of this module:
- one video frame a camera frame, so that frame N of the clip is frame N of the list of times kept beside it; players
  run it at the mean rate, the list holds the truth;
- VP8: the one codec that every browser plays and that every wheel of OpenCV writes; its VP9 takes
  more than ten times as long, and no way leads through OpenCV to a faster setting;
- larger pictures are shrunk to `CLIP_HEIGHT_PX`: the frames of the decision are kept beside in full size;
- a clip that does not give back as many frames as went in is an `OSError`: OpenCV says nothing of a full disk.
Does not belong here: which frames.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.evidence.rings import KeptFrame
from referee.vision.cameras.quiet import quiet_opencv

CLIP_HEIGHT_PX = 540
USUAL_FPS = 30.0
Picture = NDArray[np.uint8]


def decoded(jpeg: bytes) -> Picture:
    """The picture of a JPEG (H×W×3, BGR)."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise OSError("a frame cannot be decoded")
    return np.asarray(picture, np.uint8)


def clip_size(width: int, height: int) -> tuple[int, int]:
    """Width and height of the clip: even numbers, at most `CLIP_HEIGHT_PX` high."""
    scale = min(1.0, CLIP_HEIGHT_PX / height)
    return (max(2, round(width * scale) // 2 * 2), max(2, round(height * scale) // 2 * 2))


def mean_rate(frames: Sequence[KeptFrame]) -> float:
    """Frames a second over the whole."""
    span_us = frames[-1].t_us - frames[0].t_us
    return (len(frames) - 1) * 1e6 / span_us if span_us > 0 else USUAL_FPS


def write_clip(path: Path, frames: Sequence[KeptFrame]) -> tuple[int, int]:
    """Write frames as a clip and read it back; returns its width and height. Raises `OSError`."""
    first = decoded(frames[0].jpeg)
    size = clip_size(first.shape[1], first.shape[0])
    with quiet_opencv():
        rate = min(max(mean_rate(frames), 1.0), 240.0)
        with _no_complaint():
            writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"VP80"), rate, size)
        if not writer.isOpened():
            raise OSError("the clip cannot be written")
        try:
            for frame in frames:
                picture = decoded(frame.jpeg)
                if picture.shape[1::-1] != size:
                    picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
                writer.write(picture)
        finally:
            writer.release()
        found = _count(path)
    if found != len(frames):
        raise OSError(f"the clip gave back {found} of {len(frames)} frames")
    return size


@contextmanager
def _no_complaint() -> Iterator[None]:
    """OpenCV prints to standard error that WebM has no tag for VP8, whatever its log level is, and writes VP8."""
    before = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(nowhere)
        os.close(before)


def _count(path: Path) -> int:
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    try:
        count = 0
        while capture.grab():
            count += 1
        return count
    finally:
        capture.release()
