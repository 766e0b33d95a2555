"""The camera that looks on while a table is set up: live as it is, a recording at its own pace and over again.

Belongs here: opening, pace, the rate really reached, what is wrong. Does not belong here: what pictures show.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from calibration.sources import Shot
from referee.health import Freshness
from referee.vision.camera import CameraSettings, Clock, is_live, open_camera
from referee.vision.cameras.base import CameraHealth, Frame, FrameSource

FOLDER_FPS = 3.0  # of a folder of pictures whose rate nobody says: slow enough to look at
_RATE_OVER = 30

Open = Callable[[CameraSettings, Clock], FrameSource]


class Eye:
    """Frames of one source without end; for one thread."""

    def __init__(self, settings: CameraSettings, clock: Clock, opened: Open = open_camera) -> None:
        """Raises `PictureError` for a recording that cannot be used, `HardwareError` where no camera can be."""
        self.source = settings.source
        self.live = is_live(settings.source)
        fps = settings.fps
        if not self.live and fps is None and Path(settings.source).is_dir():
            fps = FOLDER_FPS
        # Calibration measures the offset and must not see the old one.
        self._settings = replace(settings, fps=fps, offset_us=0)
        self._clock, self._opened = clock, opened
        self._camera = opened(self._settings, clock)
        self._arrivals: deque[float] = deque(maxlen=_RATE_OVER)
        self._due_s = 0.0
        self.size: tuple[int, int] | None = None
        self.newest: Shot | None = None

    @property
    def camera(self) -> FrameSource:
        """The source itself, whose frames all pass by here (`poll`)."""
        return _Watched(self)

    @property
    def fps(self) -> float | None:
        """Pictures a second really reached lately; None before there are a few."""
        if len(self._arrivals) < 5 or self._arrivals[-1] <= self._arrivals[0]:
            return None
        return (len(self._arrivals) - 1) / (self._arrivals[-1] - self._arrivals[0])

    def poll(self, timeout_s: float) -> Shot | None:
        """The next picture, if one comes in time."""
        frame = self.frame(timeout_s)
        if frame is None:
            return None
        self.newest = Shot(f"picture {frame.number + 1}", frame.picture, frame.t_us)
        return self.newest

    def frame(self, timeout_s: float) -> Frame | None:
        """The next frame as the source gives it."""
        if not self.live:
            wait_s = self._due_s - time.monotonic()
            time.sleep(min(max(wait_s, 0.0), timeout_s))
            if wait_s > timeout_s:
                return None
            if self._camera.ended:
                self._camera.close()
                self._camera = self._opened(self._settings, self._clock)
        frame = self._camera.poll(timeout_s)
        if frame is None:
            return None
        now_s = time.monotonic()
        self._due_s = now_s + 1.0 / max(self._camera.fps, 0.1) if not self.live else now_s
        self._arrivals.append(now_s)
        self.size = (frame.picture.shape[1], frame.picture.shape[0])
        return frame

    def health(self) -> CameraHealth:
        """How the source is; a recording that starts over is not ended."""
        found = self._camera.health()
        if not self.live and found.problem is not None and self.size is not None:
            return replace(found, freshness=Freshness.FRESH, problem=None)
        return found

    def close(self) -> None:
        """Let go of the camera."""
        self._camera.close()


class _Watched(FrameSource):
    """The eye as a source of frames, for a calibration that polls by itself: what it sees is seen here, too."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye

    @property
    def name(self) -> str:
        return self._eye.source

    @property
    def width(self) -> int:
        return 0 if self._eye.size is None else self._eye.size[0]

    @property
    def height(self) -> int:
        return 0 if self._eye.size is None else self._eye.size[1]

    @property
    def fps(self) -> float:
        return self._eye.fps or 0.0

    @property
    def ended(self) -> bool:
        return False

    def poll(self, timeout_s: float) -> Frame | None:
        frame = self._eye.frame(timeout_s)
        if frame is not None:
            self._eye.newest = Shot(f"picture {frame.number + 1}", frame.picture, frame.t_us)
        return frame

    def health(self) -> CameraHealth:
        return self._eye.health()

    def close(self) -> None:
        """The eye stays open: it is not this one's to close."""
