"""The times file of a recording: the exposure time of each frame, one integer a line.

Belongs here: reading and checking it. Does not belong here: the video it belongs to (`recorded` compares them).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from referee.errors import PictureError

LARGEST_BYTES = 64 * 1024 * 1024  # more than a day at 60 frames a second
LARGEST_US = 2**53  # beyond that JSON readers no longer keep an integer exact
_SHOWN = 24


def read_times(path: Path) -> NDArray[np.int64]:
    """Microseconds on the table clock (N ≥ 1), not decreasing; raises `PictureError` naming the line."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise PictureError(f"{path}: is larger than {LARGEST_BYTES // 2**20} MiB, expected one integer a line")
        lines = path.read_text("utf-8-sig").splitlines()
    except FileNotFoundError as error:
        raise PictureError(f"{path}: there is no such file of frame times") from error
    except (OSError, UnicodeDecodeError) as error:
        raise PictureError(f"{path}: cannot be read, expected a text file with one integer a line") from error
    if not lines:
        raise PictureError(f"{path}: is empty, expected the exposure time of each frame, one integer a line")
    times = np.empty(len(lines), np.int64)
    before = -LARGEST_US
    for number, line in enumerate(lines, 1):
        t_us = _integer(path, number, line)
        if t_us < before:
            raise PictureError(f"{path}, line {number}: {t_us} follows {before}, expected times that do not go back")
        times[number - 1] = before = t_us
    return times


def _integer(path: Path, number: int, line: str) -> int:
    word = line.strip()
    digits = word[1:] if word[:1] in "+-" else word
    if digits.isascii() and digits.isdigit() and len(digits) <= 16 and abs(int(word)) <= LARGEST_US:
        return int(word)
    shown = word if len(word) <= _SHOWN else word[:_SHOWN] + "…"
    raise PictureError(f"{path}, line {number}: expected a whole number of microseconds, found {shown!r}")
