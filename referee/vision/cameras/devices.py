"""Camera devices as the capture process sees them: one blocking `read`, errors as `HardwareError`.

Belongs here: OpenCV's and picamera2's ways of opening, asking and stamping. Does not belong here: processes,
reopening, patience (`live`): a device here may hang for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import HardwareError
from referee.vision.cameras.stamps import Exposure, from_arrival, from_readout, monotonic_us, on_monotonic

USUAL_SIZE = (1280, 720)
USUAL_FPS = 30.0
_MANUAL_EXPOSURE = 1.0  # V4L2_EXPOSURE_MANUAL
_EXPOSURE_UNIT_US = 100  # V4L2_CID_EXPOSURE_ABSOLUTE


@dataclass(frozen=True)
class Wanted:
    """What is asked of a camera. A size that is named must be kept to; one that is not is a wish."""

    width: int | None = None
    height: int | None = None
    fps: float | None = None
    latency_us: int | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height to ask for."""
        return (self.width or USUAL_SIZE[0], self.height or USUAL_SIZE[1])

    @property
    def rate(self) -> float:
        """Frames a second to ask for."""
        return self.fps or USUAL_FPS

    @property
    def capacity_bytes(self) -> int:
        """Room for the largest picture that will be taken."""
        return 3 * max(self.size[0] * self.size[1], USUAL_SIZE[0] * USUAL_SIZE[1])


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture (H×W×3 uint8, BGR) and when it was exposed, on CLOCK_MONOTONIC."""

    picture: NDArray[np.uint8]
    exposure: Exposure


class Device(Protocol):
    """An open camera."""

    @property
    def fps(self) -> float:
        """Frames a second it says it gives."""
        ...

    def read(self) -> Shot:
        """Wait for the next picture; raises `HardwareError` when there will be none."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool: ...  # noqa: N802

    def set(self, prop: int, value: float, /) -> bool: ...

    def get(self, prop: int, /) -> float: ...

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...


MakeCapture = Callable[[Any, int], Capture]


class OpencvDevice:
    """A V4L2 or USB camera (a path or a number), or a stream (a URL), through OpenCV."""

    def __init__(self, address: str | int, wanted: Wanted, make_capture: MakeCapture = cv2.VideoCapture) -> None:
        """Open it; raises `HardwareError`."""
        self._address = address
        self._wanted = wanted
        is_stream = isinstance(address, str) and "://" in address
        self._capture = make_capture(address, cv2.CAP_FFMPEG if is_stream else cv2.CAP_V4L2)
        if not self._capture.isOpened():
            self._capture.release()
            raise HardwareError(f"camera {address}: cannot be opened (is it plugged in, and not in use elsewhere?)")
        if not is_stream:
            # Uncompressed 720p does not fit through USB 2 at 30 frames a second.
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, wanted.size[0])
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, wanted.size[1])
            self._capture.set(cv2.CAP_PROP_FPS, wanted.rate)
        self._has_stamps = not is_stream  # of a stream POS_MSEC is the place in it, not a time of day
        said = self._capture.get(cv2.CAP_PROP_FPS)
        self._fps = said if 0 < said <= 1000 else wanted.rate

    @property
    def fps(self) -> float:
        return self._fps

    def read(self) -> Shot:
        read, picture = self._capture.read()
        arrived_us = monotonic_us()
        if not read or picture is None:
            raise HardwareError(f"camera {self._address}: gives no more pictures (was it unplugged?)")
        return Shot(
            as_wanted(np.asarray(picture, np.uint8), self._wanted, str(self._address)), self._exposure(arrived_us)
        )

    def close(self) -> None:
        self._capture.release()

    def _exposure(self, arrived_us: int) -> Exposure:
        period_us = round(1e6 / self._fps)
        stamp_us = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1000) if self._has_stamps else 0
        first_row_us = on_monotonic(stamp_us) if stamp_us > 0 else None
        if first_row_us is None:
            return from_arrival(arrived_us, self._wanted.latency_us, period_us)
        exposure_us = None
        # Under automatic exposure the driver keeps saying what was last set by hand.
        if self._capture.get(cv2.CAP_PROP_AUTO_EXPOSURE) == _MANUAL_EXPOSURE:
            said_us = round(self._capture.get(cv2.CAP_PROP_EXPOSURE) * _EXPOSURE_UNIT_US)
            exposure_us = said_us if 0 < said_us <= period_us else None
        return from_readout(first_row_us, exposure_us, period_us)


class Picamera2Device:
    """A Raspberry Pi camera through libcamera."""

    def __init__(self, wanted: Wanted, make_camera: Callable[[], Any] | None = None) -> None:
        """Open it; raises `HardwareError`."""
        self._wanted = wanted
        make = make_camera if make_camera is not None else picamera2_class()
        try:
            self._camera = make()
            # libcamera names formats by their bits, highest first: its RGB888 lies in memory as B, G, R.
            main = {"size": wanted.size, "format": "RGB888"}
            settings = self._camera.create_video_configuration(main=main, controls={"FrameRate": wanted.rate})
            self._camera.configure(settings)
            self._camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise HardwareError(f"camera picamera2: cannot be opened ({error})") from error

    @property
    def fps(self) -> float:
        return self._wanted.rate

    def read(self) -> Shot:
        # A request may have been exposed before it was asked for: only its own stamp tells when.
        request = self._camera.capture_request()
        try:
            arrived_us = monotonic_us()
            said = request.get_metadata()
            picture = np.array(request.make_array("main")[:, :, :3], np.uint8, order="C")
        finally:
            request.release()
        period_us = int(said.get("FrameDuration") or 1e6 / self._wanted.rate)
        stamp_ns = said.get("SensorTimestamp")
        first_row_us = on_monotonic(stamp_ns // 1000) if stamp_ns else None
        if first_row_us is None:
            exposure = from_arrival(arrived_us, self._wanted.latency_us, period_us)
        else:
            exposure = from_readout(first_row_us, said.get("ExposureTime"), period_us)
        return Shot(as_wanted(picture, self._wanted, "picamera2"), exposure)

    def close(self) -> None:
        self._camera.stop()
        self._camera.close()


def picamera2_class() -> Callable[[], Any]:
    """picamera2's camera class, which is there on a Raspberry Pi only; raises `HardwareError`."""
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise HardwareError(
            "camera picamera2: the picamera2 module is not installed "
            "(Raspberry Pi OS: sudo apt install python3-picamera2, and an environment made with --system-site-packages)"
        ) from error
    return Picamera2  # type: ignore[no-any-return]


def as_wanted(picture: NDArray[np.uint8], wanted: Wanted, name: str) -> NDArray[np.uint8]:
    """The picture, if it has the shape that was asked for; raises `HardwareError`."""
    if picture.ndim != 3 or picture.shape[2] != 3:
        raise HardwareError(f"camera {name}: gives pictures that are not in colour")
    height, width = picture.shape[:2]
    if (wanted.width or width, wanted.height or height) != (width, height):
        # The profile's lens and homography hold for its size only.
        raise HardwareError(
            f"camera {name}: gives {width}×{height} pixels, not the {wanted.width}×{wanted.height} asked"
        )
    if picture.nbytes > wanted.capacity_bytes:
        raise HardwareError(f"camera {name}: gives {width}×{height} pixels; name a size in the profile to use as many")
    return picture
