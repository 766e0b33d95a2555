"""What tests of evidence are made of: frames with texture, a view of a table, scans of a totem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.evidence.files import Item
from referee.evidence.rings import KeptFrame
from referee.totem.scans import Layout, ScanBatch
from referee.vision.camera import Frame
from referee.vision.table import TableView

SIZE = (320, 240)
RECT = (-100.0, -70.0, 100.0, 70.0)
STEP_US = 33_333


def view() -> TableView:
    """A camera straight above: one pixel a millimetre, the origin in the middle of the picture."""
    to_pixels = np.array([[1.0, 0, SIZE[0] / 2], [0, 1.0, SIZE[1] / 2], [0, 0, 1.0]])
    return TableView(to_pixels, None, 0.0, {}, {})


def picture(number: int, outside: int = 0) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture that names its number by a grey level; `outside` changes what lies off the table alone."""
    made = np.full((SIZE[1], SIZE[0], 3), 40 + outside, np.uint8)
    left, top, right, bottom = (round(v) for v in (RECT[0] + 160, RECT[1] + 120, RECT[2] + 160, RECT[3] + 120))
    made[top : bottom + 1, left : right + 1] = 60 + number % 180
    cv2.circle(made, (160, 120), 20, (0, 200, 255), -1)
    return made


def frame(number: int, outside: int = 0) -> Frame:
    """Frame `number`, a thirtieth of a second after the one before."""
    return Frame(number * STEP_US, 8_000, number, picture(number, outside))


def kept(number: int) -> KeptFrame:
    """The same, encoded."""
    _, jpeg = cv2.imencode(".jpg", picture(number))
    return KeptFrame(number, number * STEP_US, 8_000, jpeg.tobytes())


def batch(from_us: int, to_us: int, boot_id: int = 7) -> ScanBatch:
    """Scans of a small totem, one a millisecond, touched in the middle third."""
    t_us = np.arange(from_us, to_us, 1_000, dtype=np.int64)
    counts = np.full((len(t_us), 8), 100, np.int32)
    third = len(t_us) // 3
    counts[third : 2 * third, 2] += 60
    layout = Layout(4, 2, (15.0, 45.0, 75.0, 105.0), 30.0, 120.0)
    return ScanBatch(layout, boot_id, t_us, counts, np.zeros(len(t_us), np.float32))


def of_kind(items: list[Item], kind: str) -> list[Item]:
    """The items of one kind."""
    return [item for item in items if item.kind == kind]


def sheet_of(folder: Path, items: list[Item]) -> dict[str, Any]:
    """The one sheet among the items."""
    (item,) = of_kind(items, "sheet")
    sheet: dict[str, Any] = json.loads((folder / item.name).read_bytes())
    return sheet
