"""A table that is being set up on a bench that is not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.guided.bench import Bench
from calibration.guided.eye import Eye
from calibration.guided.room import Room
from calibration.totem_link import port_of
from referee.announce.speech.players import Files
from referee.announce.speech.voice import Voice
from referee.health import Freshness
from referee.sim.set_up import BenchCamera
from referee.totem.links.serial_port import SerialLink
from referee.vision.camera import CameraSettings
from referee.vision.cameras.base import CameraHealth, Clock, Frame, FrameSource, read_only

PATIENCE_S = 60.0
SMALL = (640, 360)


class BenchEye(FrameSource):
    """The bench's camera as a live source, `late_us` behind the truth; without pictures while `lost`."""

    name = "/dev/video0"

    def __init__(self, camera: BenchCamera, clock: Clock, fps: float = 30.0, late_us: int = 0) -> None:
        self._camera, self._clock, self._fps, self.late_us = camera, clock, fps, late_us
        self._number = 0
        self._due_s = time.monotonic()
        self.lost = False

    @property
    def width(self) -> int:
        return self._camera.size[0]

    @property
    def height(self) -> int:
        return self._camera.size[1]

    @property
    def fps(self) -> float:
        return self._fps

    @property
    def ended(self) -> bool:
        return False

    def poll(self, timeout_s: float) -> Frame | None:
        if self.lost:
            time.sleep(timeout_s)
            return None
        wait_s = self._due_s - time.monotonic()
        time.sleep(min(max(wait_s, 0.0), timeout_s))
        if wait_s > timeout_s:
            return None
        self._due_s = max(self._due_s + 1 / self._fps, time.monotonic() - 1 / self._fps)
        now_us = round(time.monotonic() * 1e6)
        t_us = self._clock()
        picture = read_only(self._camera.picture(now_us).copy())
        frame = Frame(t_us + self.late_us, None, self._number, picture)
        self._number += 1
        return frame

    def health(self) -> CameraHealth:
        problem = "camera /dev/video0: silent" if self.lost else None
        return CameraHealth(Freshness.LOST if self.lost else Freshness.FRESH, 0, problem, self._number)

    def close(self) -> None:
        """Nothing is held."""


@dataclass
class SetUp:
    """A room with its bench."""

    room: Room
    camera: BenchCamera
    eye: BenchEye
    profile: Path

    def state(self, language: str = "en") -> Any:
        return self.room.state(language)

    def until(self, true: Callable[[Any], Any], what: str = "") -> Any:
        """The first state that is so."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            state = self.state()
            if state and true(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"never {what}: {self.state()}")

    def ask(self, word: str, **values: Any) -> Any:
        """Order something and wait for its answer."""
        number = self.room.order(word, values)
        return self.until(lambda state: state["answer"]["order"] >= number, word)["answer"]

    def step(self) -> Any:
        return self.state()["step"]


def set_up_at(
    profile: Path, camera: BenchCamera, port: Path | None = None, late_us: int = 0, fps: float = 30.0
) -> SetUp:
    """A room over this bench, started."""
    zero_s = time.monotonic()

    def clock() -> int:
        return int((time.monotonic() - zero_s) * 1e6)

    eye = BenchEye(camera, clock, fps, late_us)
    bench = Bench(
        profile=profile,
        eye=Eye(CameraSettings("0"), clock, lambda settings, clock: eye),
        clock=clock,
        open_totem=lambda: SerialLink(port_of(profile, None if port is None else str(port)), clock),
        voice=lambda language: Voice("tone", language, "", 1.0),
        player=lambda: Files(profile.parent / "said", clock, paced=False),
    )
    room = Room(bench)
    room.start()
    return SetUp(room, camera, eye, profile)


__all__ = ["SMALL", "BenchEye", "SetUp", "closing", "set_up_at"]
