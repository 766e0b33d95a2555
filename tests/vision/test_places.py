from __future__ import annotations

import numpy as np
import pytest

from referee.vision.places import box_of, cells_in, cells_millimetres, grown, zone_of
from referee.vision.table import Lens, TableView
from referee.vision.view import above, cropped

SIZE = (960, 540)
MATRIX = np.array([[800.0, 0, 479.5], [0, 800.0, 269.5], [0, 0, 1.0]])


def seen_from(height_mm: float, tilt_deg: float = 0.0, bend: float = 0.0) -> TableView:
    a = np.deg2rad(tilt_deg)
    turn = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    pose = MATRIX @ np.column_stack([turn[:, 0], turn[:, 1], [0, 0, height_mm]])
    return TableView(pose / pose[2, 2], Lens(MATRIX, np.array([bend, 0, 0, 0, 0])), 0.0, {}, {})


def test_a_card_belongs_to_the_nearer_zone_where_two_overlap() -> None:
    zones = {"left": (0.0, 0.0, 100.0, 100.0), "right": (80.0, 0.0, 180.0, 100.0)}
    assert zone_of(np.array([85.0, 50.0]), zones) == "left"
    assert zone_of(np.array([95.0, 50.0]), zones) == "right"
    assert zone_of(np.array([200.0, 50.0]), zones) is None


def test_a_crop_sees_the_table_where_the_whole_picture_does() -> None:
    view = seen_from(900, 10, -0.1)
    points = np.array([[-200.0, 100.0], [0.0, 0.0], [250.0, -120.0]])
    there = cropped(view, 120, 40)
    corner = np.array([120.0, 40.0])
    assert np.allclose(there.pixels(points) + corner, view.pixels(points), atol=1e-6)
    assert np.allclose(there.millimetres(there.pixels(points)), points, atol=1e-3)


def test_the_top_of_a_totem_is_seen_away_from_the_camera_by_its_height() -> None:
    view = seen_from(900)
    foot = view.pixels(np.array([[200.0, 0.0]]))[0]
    top = above(view, (200.0, 0.0), 120.0, SIZE)
    # Similar triangles: the top stands 120 mm nearer to a camera 900 mm above the table.
    assert top[0] - 479.5 == pytest.approx((foot[0] - 479.5) * 900 / 780)
    assert above(view, (0.0, 0.0), 120.0, SIZE) == pytest.approx([479.5, 269.5])


def test_without_a_lens_the_usual_one_is_taken() -> None:
    view = seen_from(900)
    bare = TableView(view.to_pixels, None, 0.0, {}, {})
    assert above(bare, (200.0, 0.0), 0.0, SIZE) == pytest.approx(view.pixels(np.array([[200.0, 0.0]]))[0])


def test_a_box_holds_its_rectangle_and_ends_at_the_pictures_edge() -> None:
    view = seen_from(900, 8, -0.08)
    rect = (400.0, -50.0, 700.0, 50.0)
    left, top, right, bottom = box_of(rect, view, SIZE)
    inside = view.pixels(np.array([[400.0, -50.0], [400.0, 50.0]]))
    assert right == 960
    assert left <= inside[:, 0].min()
    assert top <= inside[:, 1].min() < inside[:, 1].max() < bottom


def test_cells_know_where_on_the_table_they_lie() -> None:
    view = seen_from(900)
    cells = cells_millimetres(view, 135, 240, 4)
    assert view.pixels(cells[60, 100][None])[0] == pytest.approx([401.5, 241.5])
    assert cells_in(grown((-10.0, -10.0, 10.0, 10.0), 5.0), cells).any()
