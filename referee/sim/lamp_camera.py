"""A camera that looks at a simulated totem's lamp, with an exposure, a rolling shutter and stamps that are off.

Belongs here: how long the lamp was lit in each exposure, and the picture that makes. Does not belong here: what lies on
the table. It is a source of frames as any other (`referee.vision.cameras.base`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from referee.health import Freshness
from referee.vision.cameras.base import CameraHealth, Frame, FrameSource, read_only

Changes = Callable[[], Sequence[tuple[int, bool]]]
"""The lamp's changes so far: when, on the camera's clock (us), and to what."""


@dataclass(frozen=True)
class LampScene:
    """How the camera is: `late_us` is how much later its stamps are than the middle of the exposure."""

    fps: float = 30.0
    exposure_us: int = 8_000
    readout_us: int = 16_000  # from the first row to the last
    late_us: float = 0.0
    jitter_us: float = 0.0
    latency_us: int = 40_000
    size: tuple[int, int] = (320, 180)
    lamp_px: tuple[float, float] = (150.0, 88.0)
    glow: float = 0.5
    ambient: float = 0.15
    noise: float = 1.5


class LampCamera(FrameSource):
    """Frames of the lamp, as they become due on `clock`."""

    def __init__(self, changes: Changes, clock: Callable[[], int], scene: LampScene, seed: int = 0) -> None:
        self._changes, self._clock, self._scene = changes, clock, scene
        self._random = np.random.default_rng(seed)
        self._start_us = clock()
        self._number = 0
        self._closed = False
        width, height = scene.size
        y, x = np.mgrid[0:height, 0:width]
        distance = np.hypot(x - scene.lamp_px[0], y - scene.lamp_px[1])
        self._halo = scene.glow * (np.exp(-((distance / 3.0) ** 2)) * 4 + 0.3 * np.exp(-distance / 12.0))
        self._row_us = (scene.lamp_px[1] / height - 0.5) * scene.readout_us

    @property
    def name(self) -> str:
        return "simulated lamp camera"

    @property
    def width(self) -> int:
        return self._scene.size[0]

    @property
    def height(self) -> int:
        return self._scene.size[1]

    @property
    def fps(self) -> float:
        return self._scene.fps

    @property
    def ended(self) -> bool:
        return self._closed

    def poll(self, timeout_s: float) -> Frame | None:
        scene = self._scene
        middle_us = self._start_us + int(self._number * 1e6 / scene.fps)
        wait_us = middle_us + scene.exposure_us // 2 + scene.readout_us + scene.latency_us - self._clock()
        time.sleep(max(0.0, min(timeout_s, wait_us / 1e6)))
        if wait_us / 1e6 > timeout_s or self._closed:
            return None
        late_us = scene.late_us + self._random.normal(0, scene.jitter_us)
        frame = Frame(round(middle_us + late_us), None, self._number, read_only(self.picture(middle_us)))
        self._number += 1
        return frame

    def picture(self, middle_us: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        """What is seen in an exposure about this moment (H×W×3)."""
        lit = self.lit_share(middle_us + self._row_us)
        light = self._scene.ambient + self._halo * lit
        encoded = (
            np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055) * 255
        )
        noisy = encoded[:, :, None] + self._random.normal(0, self._scene.noise, (*light.shape, 3))
        return np.asarray(np.clip(noisy + 0.5, 0, 255), np.uint8)

    def lit_share(self, middle_us: float) -> float:
        """The share of the exposure of the lamp's row in which it was lit."""
        begin, end = middle_us - self._scene.exposure_us / 2, middle_us + self._scene.exposure_us / 2
        lit, since = 0.0, None
        for at, on in self._changes():
            if on:
                since = at
            elif since is not None:
                lit += max(0.0, min(end, at) - max(begin, since))
                since = None
        if since is not None:
            lit += max(0.0, end - max(begin, since))
        return lit / self._scene.exposure_us

    def health(self) -> CameraHealth:
        return CameraHealth(Freshness.LOST if self._closed else Freshness.FRESH, 0, None, self._number)

    def close(self) -> None:
        self._closed = True
