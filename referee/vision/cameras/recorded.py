"""Recordings as sources: a video file or a folder of pictures, with a times file or at a steady rate.

Written rules of this module:
- every frame is given, in order, when it is asked for; nothing is dropped and nothing is waited for;
- a recording and its times must agree in length, and a video that breaks off says so after its last frame;
- frame `i` without a times file was taken at `i / rate`.
Does not belong here: reading times files (`times`), decoding single pictures (`referee.vision.pictures`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import PictureError
from referee.health import Freshness
from referee.vision.cameras.base import CameraHealth, Frame, FrameSource, read_only
from referee.vision.cameras.devices import USUAL_FPS
from referee.vision.cameras.quiet import quiet_opencv
from referee.vision.cameras.times import read_times
from referee.vision.pictures import PICTURES, open_picture

LARGEST_FPS = 1000.0
# Containers without an index (MKV, WebM, AVI cut short) estimate their number of frames from the duration.
COUNT_TOLERANCE = 2


class _Recording(FrameSource):
    """What a video and a folder share: times, counting, the end."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float | None, times: Path | None) -> None:
        self._path = path
        self._size = size
        self._times_path = times
        self._times = None if times is None else read_times(times)
        if fps is None and self._times is not None:
            fps = _mean_rate(self._times) or USUAL_FPS
        if fps is None:
            raise PictureError(f"{path}: has no frame rate, expected a file of frame times or a rate in the profile")
        self._fps = fps
        self._number = 0
        self._ended = False
        self._problem: str | None = None

    @property
    def name(self) -> str:
        return str(self._path)

    @property
    def width(self) -> int:
        return self._size[0]

    @property
    def height(self) -> int:
        return self._size[1]

    @property
    def fps(self) -> float:
        return self._fps

    @property
    def ended(self) -> bool:
        return self._ended

    def poll(self, timeout_s: float) -> Frame | None:
        if self._ended:
            return None
        try:
            picture = self._next()
            if picture is None:
                self._end("the recording is over")
                self._check_all_given()
                return None
            frame = Frame(self._time_us(), None, self._number, read_only(picture))
        except PictureError as error:
            self._end(str(error))
            raise
        self._number += 1
        return frame

    def health(self) -> CameraHealth:
        state = Freshness.LOST if self._ended else Freshness.FRESH
        return CameraHealth(state, None if self._number == 0 else 0, self._problem, self._number)

    def close(self) -> None:
        self._end("closed")

    def _end(self, why: str) -> None:
        if not self._ended:
            self._ended, self._problem = True, why

    def _time_us(self) -> int:
        if self._times is None:
            return round(self._number * 1e6 / self._fps)
        if self._number >= len(self._times):
            raise self._unequal(f"more than {len(self._times)}")
        return int(self._times[self._number])

    def _check_all_given(self) -> None:
        if self._times is not None and self._number < len(self._times):
            raise self._unequal(str(self._number))

    def _unequal(self, frames: str) -> PictureError:
        count = 0 if self._times is None else len(self._times)
        return PictureError(f"{self._times_path}: has {count} times, but {self._path} has {frames} frames")

    @abstractmethod
    def _next(self) -> NDArray[np.uint8] | None:
        """The next picture; None at the end."""


class VideoFile(_Recording):
    """A video, decoded frame by frame; its own frame rate goes before `fps`."""

    def __init__(self, path: Path, fps: float | None = None, times: Path | None = None) -> None:
        """Open a video; raises `PictureError` when it or its times cannot be used."""
        self._capture = _open(path)
        try:
            size = (int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
            own = self._capture.get(cv2.CAP_PROP_FPS)
            super().__init__(path, size, own if 0 < own <= LARGEST_FPS else fps, times)
            self._stated = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
            if self._times is not None and self._stated != len(self._times):
                # The container may be wrong about itself; counting costs a decoding of the whole, so only then.
                real = _count(path)
                if real != len(self._times):
                    raise self._unequal(str(real))
        except PictureError:
            self._capture.release()
            raise

    def close(self) -> None:
        super().close()
        self._capture.release()

    def _next(self) -> NDArray[np.uint8] | None:
        read, picture = self._capture.read()
        if read and picture is not None:
            if picture.shape[1::-1] != self._size:
                raise PictureError(
                    f"{self._path}: frame {self._number} is {picture.shape[1]}×{picture.shape[0]} pixels, "
                    f"expected {self.width}×{self.height} as at the start"
                )
            return np.asarray(picture, np.uint8)
        if self._number == 0:
            raise PictureError(f"{self._path}: holds no frame that can be decoded, expected a video")
        if self._stated - self._number > max(COUNT_TOLERANCE, self._stated // 100):
            raise PictureError(f"{self._path}: breaks off after {self._number} of {self._stated} frames")
        return None


class PictureFolder(_Recording):
    """The pictures of a folder, in the order of their names (numbers in them by value), all of one size."""

    def __init__(self, path: Path, fps: float | None = None, times: Path | None = None) -> None:
        """Open a folder; raises `PictureError` when it or its times cannot be used."""
        self._pictures = _pictures_in(path)
        first = open_picture(self._pictures[0])
        super().__init__(path, (first.shape[1], first.shape[0]), fps, times)
        if self._times is not None and len(self._times) != len(self._pictures):
            raise self._unequal(str(len(self._pictures)))

    def _next(self) -> NDArray[np.uint8] | None:
        if self._number >= len(self._pictures):
            return None
        path = self._pictures[self._number]
        picture = open_picture(path)
        if picture.shape[1::-1] != self._size:
            raise PictureError(
                f"{path}: is {picture.shape[1]}×{picture.shape[0]} pixels, expected {self.width}×{self.height} "
                "as the first picture of its folder"
            )
        return picture


def _open(path: Path) -> cv2.VideoCapture:
    if not path.exists():
        raise PictureError(f"{path}: there is no such video")
    if not path.is_file():
        raise PictureError(f"{path}: is no file, expected a video")
    with quiet_opencv():
        capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise PictureError(f"{path}: cannot be opened, expected a whole video (MP4, MKV, WebM, AVI)")
    return capture


def _count(path: Path) -> int:
    capture = _open(path)
    count = 0
    while capture.grab():
        count += 1
    capture.release()
    return count


def _pictures_in(folder: Path) -> Sequence[Path]:
    try:
        found = [p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file()]
    except OSError as error:
        raise PictureError(f"{folder}: cannot be read, expected a folder of pictures") from error
    if not found:
        raise PictureError(f"{folder}: there is no picture in this folder (JPEG, PNG, WebP)")
    return sorted(found, key=lambda p: _natural(p.name))


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts `frame-2` before `frame-10`."""
    parts: list[tuple[int, str]] = []
    word = ""
    for character in name + "\0":
        if word and character.isdecimal() != word[-1].isdecimal():
            parts.append((int(word), "") if word.isdecimal() else (-1, word))
            word = ""
        word += character
    return parts


def _mean_rate(times: NDArray[np.int64]) -> float | None:
    """Frames a second over the whole; None of a single frame."""
    span_us = int(times[-1] - times[0])
    return (len(times) - 1) * 1e6 / span_us if span_us > 0 else None
