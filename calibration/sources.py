"""Where calibration's pictures come from: a camera, a folder of pictures or a video.

Belongs here: names for the pictures, a live camera's wait with an end. Does not belong here: what is done with them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.charuco import Picture
from referee.errors import HardwareError, PictureError
from referee.vision.camera import CameraSettings, Clock, is_live, open_camera
from referee.vision.pictures import PICTURES, open_picture

PATIENCE_S = 10.0
_POLL_S = 0.1


@dataclass(frozen=True)
class Shot:
    """A picture (H×W×3, BGR), what it is called, and the middle of its exposure (None: not known)."""

    name: str
    picture: Picture
    t_us: int | None = None


def shots(settings: CameraSettings, clock: Clock, times: Path | None = None) -> Iterator[Shot]:
    """Every picture of a source, one after another; a live camera's for ever.

    Raises `PictureError` for a recording that cannot be used, `HardwareError` for a camera that is silent.
    """
    path = Path(settings.source)
    if not is_live(settings.source) and path.is_dir():
        yield from _folder(path)
    elif not is_live(settings.source) and path.suffix.lower() in PICTURES:
        yield Shot(path.name, open_picture(path))
    else:
        yield from _frames(settings, clock, times)


def _folder(path: Path) -> Iterator[Shot]:
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES and file.is_file())
    if not files:
        raise PictureError(f"{path}: there is no picture in this folder (JPEG, PNG, WebP)")
    for file in files:
        yield Shot(file.name, open_picture(file))


def _frames(settings: CameraSettings, clock: Clock, times: Path | None) -> Iterator[Shot]:
    live = is_live(settings.source)
    # Calibration measures the offset and must not see the old one.
    with closing(open_camera(replace(settings, offset_us=0), clock, times)) as camera:
        heard_s = time.monotonic()
        while not camera.ended:
            frame = camera.poll(_POLL_S)
            if frame is not None:
                heard_s = time.monotonic()
                yield Shot(f"frame {frame.number}", frame.picture, frame.t_us)
            elif live and time.monotonic() - heard_s > PATIENCE_S:
                problem = camera.health().problem or f"{settings.source}: no picture came for {PATIENCE_S:g} s"
                raise HardwareError(problem)
