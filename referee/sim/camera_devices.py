"""Camera devices that are not there: what `cv2.VideoCapture` and picamera2 would answer, with their faults.

Belongs here: the edge where a driver would begin, and a folder of switches to break it from another process.
Does not belong here: what lies on the table (a picture here only carries its own number, so that a torn or
mixed-up one shows).

Switches, files in the device's folder: `plugged` (without it nothing opens and reading fails), `stalled` (a read
hangs for as long as it is there, as a stuck driver's does), `unstamped` (the driver gives no time stamps).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

_BITS = 24
_TICK_S = 0.002


@dataclass(frozen=True)
class Switches:
    """The switches of one device; they work from any process."""

    folder: Path

    def on(self, name: str) -> bool:
        """Whether a switch is on."""
        return (self.folder / name).exists()

    def set(self, name: str, on: bool = True) -> None:
        """Turn a switch on or off."""
        if on:
            (self.folder / name).touch()
        else:
            (self.folder / name).unlink(missing_ok=True)


def numbered_picture(number: int, width: int, height: int) -> NDArray[np.uint8]:
    """A picture that carries a number in every row (H×W×3); `number_in` reads it back."""
    bits = np.array([(number >> place) & 1 for place in range(_BITS)], np.uint8) * 255
    row = np.repeat(bits, -(-width // _BITS))[:width]
    return np.ascontiguousarray(np.broadcast_to(row[None, :, None], (height, width, 3)))


def number_in(picture: NDArray[np.uint8]) -> int | None:
    """The number that a picture carries; None when its rows do not agree."""
    if not (picture == picture[:1]).all():
        return None
    cell = -(-picture.shape[1] // _BITS)
    bits = picture[0, ::cell, 0] > 127
    return int(sum(1 << place for place, bit in enumerate(bits.tolist()) if bit))


class SimulatedCapture:
    """What is used of `cv2.VideoCapture`, over the switches of a folder.

    `sizes` are what the device can give; asked for another it stays at its first, as V4L2 devices do. Frames
    come at `fps`; one nobody fetched in time is gone, as from a driver.
    """

    def __init__(
        self,
        folder: Path,
        address: str | int = 0,
        api: int = cv2.CAP_V4L2,
        sizes: tuple[tuple[int, int], ...] = ((640, 480), (1280, 720), (320, 180)),
        fps: float = 100.0,
        latency_s: float = 0.02,
    ) -> None:
        self._switches = Switches(folder)
        self._sizes = sizes
        self._wish = list(sizes[0])
        self._fps = fps
        self._latency_s = latency_s
        self._open = self._switches.on("plugged")
        self._start_s = time.monotonic()
        self._number = -1
        self._stamp_ms = 0.0

    def isOpened(self) -> bool:  # noqa: N802
        return self._open

    def set(self, prop: int, value: float, /) -> bool:
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            self._wish[0] = int(value)
        elif prop == cv2.CAP_PROP_FRAME_HEIGHT:
            self._wish[1] = int(value)
        return prop in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)

    def get(self, prop: int, /) -> float:
        return {cv2.CAP_PROP_FPS: self._fps, cv2.CAP_PROP_POS_MSEC: self._stamp_ms}.get(prop, 0.0)

    def read(self) -> tuple[bool, Any]:
        while self._switches.on("stalled"):
            time.sleep(_TICK_S)
        due = max(self._number + 1, int((time.monotonic() - self._start_s - self._latency_s) * self._fps))
        exposed_s = self._start_s + due / self._fps
        time.sleep(max(0.0, exposed_s + self._latency_s - time.monotonic()))
        if not self._switches.on("plugged"):
            return False, None
        self._number = due
        self._stamp_ms = 0.0 if self._switches.on("unstamped") else exposed_s * 1000
        width, height = tuple(self._wish) if tuple(self._wish) in self._sizes else self._sizes[0]
        return True, numbered_picture(due, width, height)

    def release(self) -> None:
        self._open = False


class SimulatedPicamera2:
    """What is used of `picamera2.Picamera2`; frames are exposed before they are asked for, as they are there."""

    def __init__(self, folder: Path, exposure_us: int = 8000, latency_s: float = 0.08) -> None:
        if not Switches(folder).on("plugged"):
            raise IndexError("list index out of range")  # what picamera2 raises when it finds no camera
        self._switches = Switches(folder)
        self._exposure_us = exposure_us
        self._latency_s = latency_s
        self._number = 0
        self._size = (640, 480)
        self._period_s = 1 / 30

    def create_video_configuration(self, main: dict[str, Any], controls: dict[str, Any]) -> dict[str, Any]:
        return {"main": main, "controls": controls}

    def configure(self, settings: dict[str, Any]) -> None:
        self._size = settings["main"]["size"]
        self._period_s = 1 / settings["controls"]["FrameRate"]

    def start(self) -> None:
        self._start_s = time.monotonic()

    def capture_request(self) -> SimulatedRequest:
        while self._switches.on("stalled"):
            time.sleep(_TICK_S)
        exposed_s = self._start_s + self._number * self._period_s
        time.sleep(max(0.0, exposed_s + self._latency_s - time.monotonic()))
        if not self._switches.on("plugged"):
            raise RuntimeError("camera frontend has timed out")
        said = {
            "SensorTimestamp": int(exposed_s * 1e9),
            "ExposureTime": self._exposure_us,
            "FrameDuration": int(self._period_s * 1e6),
        }
        request = SimulatedRequest(numbered_picture(self._number, *self._size), said)
        self._number += 1
        return request

    def stop(self) -> None:
        """Stop the stream."""

    def close(self) -> None:
        """Let go of the camera."""


class SimulatedRequest:
    """One completed request of picamera2."""

    def __init__(self, picture: NDArray[np.uint8], said: dict[str, int]) -> None:
        self._picture = picture
        self._said = said

    def get_metadata(self) -> dict[str, int]:
        return self._said

    def make_array(self, name: str) -> NDArray[np.uint8]:
        return self._picture

    def release(self) -> None:
        """Give the buffers back."""
