"""Who sits at a guided enrolment: somebody at a terminal, and a camera over the table.

Belongs here: opening the camera, its next fresh picture, questions and answers. Does not belong here: what is
done with the pictures (`calibration.deck`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.card_finder import Picture
from referee.errors import HardwareError

# Cameras hand out pictures they took before they were asked; so many are let go first.
_STALE_FRAMES = 5


@dataclass(frozen=True)
class Desk:
    """A camera's next picture, a question (the answer is None when nobody answers), a sentence to say."""

    grab: Callable[[], Picture]
    ask: Callable[[str], str | None]
    say: Callable[[str], None]


@contextmanager
def desk_at(camera: str) -> Iterator[Desk]:
    """A desk with this camera: a device's number, or what else OpenCV opens (a device path, a URL, a video).

    Raises `HardwareError` when the camera cannot be opened or stops giving pictures.
    """
    capture = cv2.VideoCapture(int(camera)) if camera.isdecimal() else cv2.VideoCapture(camera)
    try:
        if not capture.isOpened():
            raise HardwareError(f"camera {camera}: it cannot be opened, is it plugged in and free?")
        yield Desk(lambda: _fresh_picture(capture, camera), _ask, _say)
    finally:
        capture.release()


def _fresh_picture(capture: cv2.VideoCapture, camera: str) -> Picture:
    for _ in range(_STALE_FRAMES):
        capture.grab()
    came, picture = capture.read()
    if not came:
        raise HardwareError(f"camera {camera}: it gives no more pictures")
    return np.asarray(picture, np.uint8)


# Questions go to standard error: standard output is for the result.
def _ask(question: str) -> str | None:
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
