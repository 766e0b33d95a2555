"""Pixels off the table are never kept."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence.area import mask_of, smaller, table_rect, without
from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import Mark, Wanted
from referee.evidence.witness import Witness
from referee.vision.table import Lens, TableView
from tests.evidence.table import RECT, SIZE, STEP_US, frame, of_kind, view


def keep(folder: Path, outside: int) -> list[tuple[str, bytes]]:
    """The pictures kept of a short game, by kind."""
    witness = Witness(folder, EvidenceSettings(), SIZE, [RECT], complete=True, tell=print)
    witness.frame(frame(0, outside), None)  # where the table lies is not known yet
    for number in range(1, 20):
        witness.frame(frame(number, outside), view())
    witness.want(Wanted(0, 19 * STEP_US, (0,), (Mark(10 * STEP_US, "contact"),)))
    items = witness.finish()
    return [(item.kind, (folder / item.name).read_bytes()) for item in items if item.kind in ("clip", "frame")]


def test_what_lies_off_the_table_changes_no_byte_of_what_is_kept(tmp_path: Path) -> None:
    dark, bright = (keep(tmp_path / str(outside), outside) for outside in (0, 170))
    assert [kind for kind, _ in dark] == ["clip", "frame"]
    frames = [dict(kept)["frame"] for kept in (dark, bright)]
    assert frames[0] == frames[1]
    clips = [list(_frames(tmp_path, dict(kept)["clip"])) for kept in (dark, bright)]
    assert len(clips[0]) == len(clips[1]) == 19
    assert all(np.array_equal(one, other) for one, other in zip(*clips, strict=True))


def test_a_frame_that_is_kept_is_black_outside_the_table_and_as_it_was_inside(tmp_path: Path) -> None:
    jpeg = dict(keep(tmp_path / "game", 120))["frame"]
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    left, top = round(RECT[0] + 160), round(RECT[1] + 120)
    assert shown[: top - 8].max() < 12
    assert shown[:, : left - 8].max() < 12
    assert shown[top + 10 : top + 20, left + 10 : left + 20].min() > 60


def test_nothing_is_kept_while_it_is_not_known_where_the_table_lies(tmp_path: Path) -> None:
    witness = Witness(tmp_path, EvidenceSettings(), SIZE, [RECT], complete=True, tell=print)
    for number in range(10):
        witness.frame(frame(number), None)
    witness.want(Wanted(0, 10 * STEP_US, (0,), (Mark(0, "contact"),)))
    assert witness.finish() == []


def test_a_table_that_was_moved_is_kept_less_a_border(tmp_path: Path) -> None:
    witness = Witness(tmp_path, EvidenceSettings(), SIZE, [RECT], complete=True, tell=print)
    witness.moved(10.0)
    seen = view()
    for number in range(10):
        witness.frame(frame(number), seen)
    witness.want(Wanted(0, 9 * STEP_US, (0,), (Mark(0, "contact"),)))
    (item,) = of_kind(witness.finish(), "frame")
    shown = cv2.imread(str(tmp_path / item.name), cv2.IMREAD_GRAYSCALE)
    assert shown is not None
    assert shown[120, 60 + 8] < 12  # 8 mm inside the old edge
    assert shown[120, 60 + 32] > 50


@settings(deadline=None, max_examples=40)
@given(st.floats(-0.2, 0.2), st.floats(-3e-4, 3e-4), st.floats(0, 3), st.floats(0.3, 1.2))
def test_every_pixel_that_may_be_kept_lies_on_the_table(bend: float, tilt: float, turn: float, scale: float) -> None:
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    to_pixels = np.array([[c, -s, 160.0], [s, c, 120.0], [tilt, tilt / 2, 1.0]])
    lens = Lens(np.array([[320.0, 0, 160], [0, 320.0, 120], [0, 0, 1]]), np.array([bend, 0, 0, 0, 0]))
    seen = TableView(to_pixels, lens, 0.0, {}, {})
    mask = mask_of(seen, RECT, SIZE)
    rows, columns = np.nonzero(mask)
    points = seen.millimetres(np.stack([columns, rows], 1).astype(float))
    left, top, right, bottom = RECT
    assert (points[:, 0] >= left - 0.01).all()
    assert (points[:, 0] <= right + 0.01).all()
    assert (points[:, 1] >= top - 0.01).all()
    assert (points[:, 1] <= bottom + 0.01).all()


def test_the_table_holds_every_zone_and_a_border_can_eat_it_up() -> None:
    assert table_rect(view(), [(0, 0, 10, 10), (-5, 20, 5, 30)]) == (-5, 0, 10, 30)
    assert table_rect(view(), []) is None
    assert smaller((0, 0, 10, 30), 5) is None


def _frames(folder: Path, clip: bytes) -> list[np.ndarray]:
    path = folder / "clip.webm"
    path.write_bytes(clip)
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    found = []
    while (read := capture.read())[0]:
        found.append(read[1])
    return found


def test_nothing_is_left_of_where_a_secret_lies_and_the_rest_stays() -> None:
    seen = view()
    mask = mask_of(seen, RECT, SIZE)
    secret = (-40.0, -30.0, 40.0, 30.0)
    left = without(mask, seen, [secret])
    ys, xs = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    points = seen.millimetres(np.stack([xs.ravel(), ys.ravel()], 1).astype(np.float64)).reshape(SIZE[1], SIZE[0], 2)
    inside = (abs(points[:, :, 0]) <= 40.0) & (abs(points[:, :, 1]) <= 30.0)
    assert not left[inside].any()
    far = (abs(points[:, :, 0]) > 60.0) | (abs(points[:, :, 1]) > 50.0)
    assert (left[far] == mask[far]).all()
    assert (without(mask, seen, []) == mask).all()
