"""Table geometry from mat markers and from corners by hand, on rendered cameras whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.errors import ProfileError
from referee.sim.tables import MARKER_MM, Conditions, Scene, Table
from referee.vision import table as table_module
from referee.vision.table import (
    Lens,
    drift_mm,
    find_markers,
    moved,
    view_from_corners,
    view_from_markers,
)

GRID = np.array([[x, y] for x in (-150.0, 0.0, 150.0) for y in (-80.0, 0.0, 80.0)])


@pytest.fixture(scope="module")
def scene() -> Scene:
    """One picture of a tilted, distorting camera."""
    from referee.deck.folder import resolve_deck

    how = Conditions((1280, 720), 90.0, 8.0, -0.09, "felt", 1.1, 0.9, 0.0, 0.0, 0, 0.6, 0.0, 2.0, 90, True, 1)
    return Table(resolve_deck("builtin:dobro")).scene(3, how, cards=2)


def centres(scene: Scene) -> dict[int, np.ndarray]:
    """Where the renderer put the markers."""
    how = scene.conditions
    half = np.array(how.size) / 2 / (how.side_px / 63.0) * 0.86 - MARKER_MM / 2
    return {i: half * np.array(s) for i, s in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1)))}


def truth(scene: Scene) -> table_module.TableView:
    return table_module.TableView(scene.table, Lens(scene.matrix, scene.distortion), 0.0, {}, {})


def test_a_calibrated_camera_knows_the_table_to_a_fraction_of_a_millimetre(scene: Scene) -> None:
    markers = find_markers(scene.image)
    assert sorted(markers) == [0, 1, 2, 3]
    view = view_from_markers(markers, scene.conditions.size, centres(scene), lens=Lens(scene.matrix, scene.distortion))
    assert view is not None
    error = np.linalg.norm(view.millimetres(truth(scene).pixels(GRID)) - GRID, axis=1)
    assert error.max() < 0.5
    assert view.residual_mm < 1.0


def test_pixels_and_millimetres_are_each_others_inverse(scene: Scene) -> None:
    view = truth(scene)
    assert np.allclose(view.millimetres(view.pixels(GRID)), GRID, atol=0.02)


def test_without_calibration_the_markers_sides_give_the_scale(scene: Scene) -> None:
    view = view_from_markers(find_markers(scene.image), scene.conditions.size)
    assert view is not None
    for point in truth(scene).pixels(GRID):
        ratio = np.linalg.det(view.local(point)) / np.linalg.det(truth(scene).local(point))
        assert abs(np.sqrt(ratio) - 1) < 0.04


@pytest.mark.parametrize("kept", [(0,), (1, 3), (0, 1, 2)])
def test_markers_that_are_covered_cost_accuracy_but_not_the_scale(scene: Scene, kept: tuple[int, ...]) -> None:
    markers = {k: v for k, v in find_markers(scene.image).items() if k in kept}
    view = view_from_markers(markers, scene.conditions.size)
    assert view is not None
    point = np.mean([quad.mean(0) for quad in markers.values()], axis=0)
    ratio = np.linalg.det(view.local(point)) / np.linalg.det(truth(scene).local(point))
    assert abs(np.sqrt(ratio) - 1) < 0.15


def test_no_marker_is_no_view() -> None:
    assert find_markers(np.full((200, 300, 3), 90, np.uint8)) == {}
    assert view_from_markers({}, (300, 200)) is None


def test_a_marker_that_moved_by_four_millimetres_is_named(scene: Scene) -> None:
    markers = find_markers(scene.image)
    lens = Lens(scene.matrix, scene.distortion)
    view = view_from_markers(markers, scene.conditions.size, centres(scene), lens=lens)
    assert view is not None
    assert moved(view, markers) == ()
    pushed = dict(markers)
    there = view.millimetres(markers[2]) + np.array([4.0, 0.0])
    pushed[2] = view.pixels(there)
    assert moved(view, pushed) == (2,)
    assert abs(drift_mm(view, pushed)[2] - 4.0) < 0.5


def test_four_corners_by_hand_do_what_markers_do(scene: Scene) -> None:
    rectangle = np.array([[-200.0, -100.0], [200.0, -100.0], [200.0, 100.0], [-200.0, 100.0]])
    lens = Lens(scene.matrix, scene.distortion)
    view = view_from_corners(truth(scene).pixels(rectangle), 400.0, 200.0, lens)
    assert np.allclose(view.millimetres(truth(scene).pixels(GRID)), GRID, atol=0.1)


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [10, 0], [10, 10]],
        [[0, 0], [10, 10], [10, 0], [0, 10]],
        [[0, 0], [0, 10], [10, 10], [10, 0]],
        [[0, 0], [10, 0], [float("nan"), 10], [0, 10]],
    ],
)
def test_corners_that_are_no_quad_are_refused_in_one_sentence(corners: list[list[float]]) -> None:
    with pytest.raises(ProfileError, match="table corners: expected"):
        view_from_corners(np.array(corners, float), 400.0, 200.0)


@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_marker_ids_may_come_in_the_shape_of_either_opencv(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...]
) -> None:
    quad = np.array([[[10, 10], [50, 10], [50, 50], [10, 50]]], np.float32)

    class Detector:
        """Answers as one of the two versions does."""

        def detectMarkers(self, _: object) -> tuple[object, object, object]:  # noqa: N802
            corners = (quad, quad + 100) if len(shape) == 2 else (quad[0], quad[0] + 100)
            return corners, np.array([3, 7]).reshape(shape), ()

    monkeypatch.setattr(table_module, "_detector", lambda *_: Detector())
    found = find_markers(np.zeros((60, 60, 3), np.uint8))
    assert list(found) == [3]
    assert found[3].shape == (4, 2)
    assert np.allclose(found[3].mean(0), [30, 30])


def test_the_size_of_the_picture_does_not_have_to_be_the_calibrations(scene: Scene) -> None:
    half = replace(scene, image=np.ascontiguousarray(scene.image[::2, ::2]))
    view = view_from_markers(find_markers(half.image), (640, 360))
    assert view is not None
    middle = np.array([320.0, 180.0])
    ratio = np.linalg.det(view.local(middle)) * 4 / np.linalg.det(truth(scene).local(middle * 2))
    assert abs(np.sqrt(ratio) - 1) < 0.05


def test_markers_found_at_half_the_size_are_as_exact_as_at_full_size(scene: Scene) -> None:
    found = find_markers(scene.image)
    # Too small to be halved: searched as it is.
    part = find_markers(np.ascontiguousarray(scene.image[:360, :640]))
    assert list(part) == [0]
    assert np.abs(found[0] - part[0]).max() < 0.3
