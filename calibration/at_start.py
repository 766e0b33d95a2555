"""At the start of a game: does the calibration still hold? Said once, in one sentence, with the first picture.

Belongs here: looking at the first frame that passes by. Does not belong here: what is stale (`calibration.stale`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from calibration.devices import device_name
from calibration.profile_file import read_raw
from calibration.stale import moved, stale
from referee.doors import Doors
from referee.vision.cameras.base import CameraHealth, Frame, FrameSource


def looked_over(path: Path, doors: Doors, say: Callable[[str], None]) -> Doors:
    """The same doors; with the first picture `say` hears what of the profile's calibration does not hold any more.

    A recording was made when it was made, by devices that are not here: of it only size and markers are judged.
    """
    content = read_raw(path)

    def look(frame: Frame) -> None:
        size = (frame.picture.shape[1], frame.picture.shape[0])
        if doors.recorded:
            found = stale(content, None, size=size)
        else:
            totem = None if doors.totem is None else device_name(doors.totem.name)
            found = stale(content, datetime.now(), device_name(doors.camera.name), totem, size)
        far = moved(content, frame.picture)
        said = [*found, *([] if far is None else [far])]
        if said:
            say(f"{path}: calibrate again: {'; '.join(said)}")

    return replace(doors, camera=_FirstLook(doors.camera, look))


class _FirstLook(FrameSource):
    """A source that shows its first frame to somebody and is otherwise the one inside."""

    def __init__(self, inside: FrameSource, look: Callable[[Frame], None]) -> None:
        self._inside, self._look = inside, look
        self._looked = False

    @property
    def name(self) -> str:
        return self._inside.name

    @property
    def width(self) -> int:
        return self._inside.width

    @property
    def height(self) -> int:
        return self._inside.height

    @property
    def fps(self) -> float:
        return self._inside.fps

    @property
    def ended(self) -> bool:
        return self._inside.ended

    def poll(self, timeout_s: float) -> Frame | None:
        frame = self._inside.poll(timeout_s)
        if frame is not None and not self._looked:
            self._looked = True
            self._look(frame)
        return frame

    def health(self) -> CameraHealth:
        return self._inside.health()

    def close(self) -> None:
        self._inside.close()
