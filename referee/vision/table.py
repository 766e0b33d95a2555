"""Table geometry: from mat markers, or four corners by hand, to millimetres and back.

Written rules of this module:
- table millimetres: x to the right, y down in the picture, origin at the centre of the totem's spot; pixel
  centres at integers; lens distortion in OpenCV's convention (formats.md, "Mat markers");
- what differs between OpenCV 4 and 5 in the shapes of marker results is levelled in `find_markers` alone;
- a view says how far its own markers lie from where it puts them (`residual_mm`), but a small residual is no
  proof of a small error: four markers fit nearly anything (docs/vision.md).
Does not belong here: cards, zones, players.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import ProfileError
from referee.vision.geometry import Array, apply, homography, jacobian
from referee.vision.marker_edges import side_corners

MARKER_IDS = (0, 1, 2, 3)
MARKER_SIDE_MM = 40.0
DRIFT_MM = 3.0
# Of the adaptive threshold: as exact as OpenCV's three windows together, and a third of the work.
WINDOW_PX = 13
NEAR_SHARE = 0.5  # of a marker's side: how far about it its corners are refined
WHITE = 255
SMALLEST_HALVED_PX = 900  # long side of pictures in which markers are first sought at half the size
# The outline runs through the outermost black pixels, inside the printed edge by half a pixel and a little
# more for blur (measured on rendered cameras: 0.85 px a side, the same at all sizes).
OUTLINE_INSET_PX = 0.85
# Radial distortion of the lenses such cameras have; one is fitted only when four markers are seen.
USUAL_DISTORTION = 0.15
FIRST_DAMPING = 1e-6  # the start is a homography that fits all points: far from any other bottom
LEAST_GAINED = 1e-5  # of the squared misfit: a step that gains less is the last
_CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_AROUND = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True)
class Lens:
    """A camera's matrix (3×3) and distortion, in OpenCV's convention."""

    matrix: Array
    distortion: Array


@dataclass(frozen=True)
class TableView:
    """How the table is seen: `to_pixels` takes table mm to undistorted pixels, the lens does the rest.

    `markers` are the corners (4×2 px) it was made from, `residual_mm` their root mean square distance from
    where the view puts them.
    """

    to_pixels: Array
    lens: Lens | None
    residual_mm: float
    markers: Mapping[int, Array]
    centres_mm: Mapping[int, Array]

    def pixels(self, points_mm: Array) -> Array:
        """Table millimetres (N×2) to pixels."""
        return _distort(apply(self.to_pixels, points_mm), self.lens)

    def millimetres(self, points_px: Array) -> Array:
        """Pixels (N×2) to table millimetres."""
        back: Array = np.asarray(np.linalg.inv(self.to_pixels), np.float64)
        return apply(back, _undistort(points_px, self.lens))

    def local(self, point_px: Array) -> Array:
        """How pixels move with table millimetres (2×2) about one pixel."""
        return np.asarray(self.locals(point_px[None])[0], np.float64)

    def locals(self, points_px: Array) -> Array:
        """How pixels move with table millimetres about each of several pixels (N×2); N×2×2."""
        centres = self.millimetres(points_px)
        if self.lens is None:
            return np.array([jacobian(self.to_pixels, centre) for centre in centres]).reshape(-1, 2, 2)
        around = centres[:, None] + np.array([[1.0, 0], [-1.0, 0], [0, 1.0], [0, -1.0]])
        p = self.pixels(around.reshape(-1, 2)).reshape(-1, 4, 2)
        return np.asarray(np.stack([(p[:, 0] - p[:, 1]) / 2, (p[:, 2] - p[:, 3]) / 2], 2), np.float64)


def find_markers(
    image: NDArray[np.uint8], ids: Sequence[int] = MARKER_IDS, *, by_sides: bool = True
) -> dict[int, Array]:
    """The mat's markers in a picture: id to its corners (4×2 px, clockwise from its own top left).

    Corners are where the lines through a marker's four sides meet (`marker_edges`): five times truer than OpenCV's
    refinement on the outline, which stands where a side is not clear (measured on rendered cameras;
    docs/accuracy-vision.md). Without `by_sides` that refinement is kept: where only the markers' own sides give a scale
    and no set-up says where they lie, more cards were found with it.
    """
    corners = side_corners if by_sides else _as_found
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
    found = _near_small(grey, ids, corners)
    if len(found) < len(ids):
        found = {marker: corners(grey, quad) for marker, quad in _detected(grey, ids, _detector(False, True)).items()}
    return found


def _as_found(grey: NDArray[np.uint8], quad: Array) -> Array:
    return quad


def _near_small(
    grey: NDArray[np.uint8], ids: Sequence[int], corners: Callable[[NDArray[np.uint8], Array], Array]
) -> dict[int, Array]:
    """The markers that are seen in a picture of half the size, each refined about its place in the whole one."""
    height, width = grey.shape[:2]
    if max(width, height) < SMALLEST_HALVED_PX:
        return {}
    small = np.asarray(cv2.resize(grey, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    result: dict[int, Array] = {}
    rough: dict[int, Array] = {}
    for marker, quad in _detected(small, ids, _detector(True, False)).items():
        points = (quad + 0.5) * 2 - 0.5
        fitted = corners(grey, points)
        if fitted is points:
            rough[marker] = points
        else:
            result[marker] = fitted
    return result | {marker: corners(grey, quad) for marker, quad in _refined(grey, rough).items()}


def _refined(grey: NDArray[np.uint8], rough: Mapping[int, Array]) -> dict[int, Array]:
    """Markers looked at again in the whole picture, near where they lie roughly; without those not found there.

    Their surroundings are laid side by side: one call of the detector takes a third of the time that four take.
    """
    places: dict[int, tuple[int, int]] = {}
    parts: dict[int, NDArray[np.uint8]] = {}
    for marker, points in rough.items():
        reach = NEAR_SHARE * float(np.ptp(points, axis=0).max())
        x0, y0 = (max(0, int(v)) for v in points.min(0) - reach)
        x1, y1 = (int(v) for v in points.max(0) + reach)
        parts[marker], places[marker] = grey[y0:y1, x0:x1], (x0, y0)
    if not parts:
        return {}
    height = max(part.shape[0] for part in parts.values())
    side_by_side = np.full((height, sum(part.shape[1] + WINDOW_PX for part in parts.values())), WHITE, np.uint8)
    left = 0
    for marker, part in parts.items():
        side_by_side[: part.shape[0], left : left + part.shape[1]] = part
        places[marker] = (places[marker][0] - left, places[marker][1])
        left += part.shape[1] + WINDOW_PX
    found: dict[int, Array] = {}
    for marker, quad in _every_one(side_by_side, _detector(True, True)):
        if marker in rough:
            there = quad + np.array(places[marker])
            # Another marker's surroundings may hold this one, too.
            away = float(np.abs(there.mean(0) - rough[marker].mean(0)).max())
            if away < NEAR_SHARE * float(np.ptp(rough[marker], axis=0).max()):
                found.setdefault(marker, there)
    return found


def _detected(image: NDArray[np.uint8], ids: Sequence[int], detector: cv2.aruco.ArucoDetector) -> dict[int, Array]:
    result: dict[int, Array] = {}
    for marker, quad in _every_one(image, detector):
        if marker in ids:
            result.setdefault(marker, quad)
    return result


def _every_one(image: NDArray[np.uint8], detector: cv2.aruco.ArucoDetector) -> list[tuple[int, Array]]:
    """All markers in a picture, each with its id and corners; one id may be there several times."""
    corners, found, _ = detector.detectMarkers(image)
    # OpenCV 4 gives ids as (N, 1) and corners as (1, 4, 2); OpenCV 5 gives (N,).
    markers = [] if found is None else np.asarray(found).reshape(-1).tolist()
    result: list[tuple[int, Array]] = []
    for marker, quad in zip(markers, corners, strict=True):
        points = np.asarray(quad, np.float64).reshape(4, 2)
        outwards = points - points.mean(0)
        length = np.linalg.norm(outwards, axis=1, keepdims=True)
        result.append((int(marker), points + outwards / length * OUTLINE_INSET_PX * np.sqrt(2)))
    return result


@cache
def _detector(one_window: bool, refined: bool) -> cv2.aruco.ArucoDetector:
    settings = cv2.aruco.DetectorParameters()
    if one_window:
        settings.adaptiveThreshWinSizeMin = settings.adaptiveThreshWinSizeMax = WINDOW_PX
    if refined:
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_CONTOUR
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), settings)


def view_from_markers(
    markers: Mapping[int, Array],
    size: tuple[int, int],
    centres_mm: Mapping[int, Array] | None = None,
    side_mm: float = MARKER_SIDE_MM,
    lens: Lens | None = None,
) -> TableView | None:
    """The view of a table from its markers; None when they do not suffice.

    `size` is the picture's width and height. Without `centres_mm` the markers are taken to stand upright at
    the corners of a rectangle about the origin, whose size is fitted too: the scale is right all the same,
    because each marker's side is known. Without a lens and with four markers one radial term is fitted.
    """
    seen = {k: v for k, v in markers.items() if centres_mm is None or k in centres_mm}
    if centres_mm is None:
        seen = {k: v for k, v in seen.items() if k in MARKER_IDS}
    if not seen:
        return None
    ids = sorted(seen)
    pixels = np.concatenate([seen[k] for k in ids])
    fit_lens = lens is None and len(ids) == 4
    focal = float(max(size))
    middle = np.array([(size[0] - 1) / 2, (size[1] - 1) / 2])

    def lens_of(k1: float) -> Lens | None:
        if not fit_lens:
            return lens
        matrix = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1.0]])
        return Lens(matrix, np.array([k1, 0.0, 0.0, 0.0, 0.0]))

    def table_points(half: Array) -> Array:
        if centres_mm is not None:
            centres = np.array([centres_mm[k] for k in ids], float)
        else:
            centres = np.array([_AROUND[k] * half for k in ids])
        return (centres[:, None, :] + _CORNERS[None] * side_mm).reshape(-1, 2)

    half = _first_half(seen, side_mm) if centres_mm is None else np.zeros(2)
    free_half = 2 if centres_mm is None and len(ids) > 1 else 0
    start = homography(table_points(half), _undistort(pixels, lens_of(0.0)))
    unknown = np.concatenate([start.ravel()[:8], half[:free_half] / 100.0, [0.0] * fit_lens])

    around = np.repeat(np.array([_AROUND[k % 4] for k in ids]), 4, 0) * 100.0
    fixed = table_points(np.zeros(2) if free_half else half)

    def misfit(v: Array) -> Array:
        """How far the corners lie from where K sets of unknowns (K×n) put them; K×m."""
        points = fixed + (v[:, None, 8:10] * around if free_half else 0.0)
        h = np.concatenate([v[:, :8], np.ones((len(v), 1))], 1).reshape(-1, 3, 3)
        seen = points @ h[:, :, :2].transpose(0, 2, 1) + h[:, None, :, 2]
        seen = seen[:, :, :2] / seen[:, :, 2:]
        if not fit_lens:
            bent = _distort(seen.reshape(-1, 2), lens).reshape(seen.shape)
            return np.asarray((bent - pixels).reshape(len(v), -1), np.float64)
        rays = seen - middle
        grow = 1 + v[:, -1, None] * (rays**2).sum(2) / focal**2
        off = (middle + rays * grow[:, :, None] - pixels).reshape(len(v), -1)
        # It only holds a term nothing else decides.
        return np.asarray(np.concatenate([off, v[:, -1:] / USUAL_DISTORTION * 0.3], 1), np.float64)

    unknown = _least_squares(misfit, unknown)
    h = np.append(unknown[:8], 1.0).reshape(3, 3)
    half = unknown[8:10] * 100.0 if free_half else half
    used = lens_of(float(unknown[-1]) if fit_lens else 0.0)
    points = table_points(half)
    view = TableView(h, used, 0.0, dict(seen), {k: points[4 * i : 4 * i + 4].mean(0) for i, k in enumerate(ids)})
    off_mm = view.millimetres(pixels) - points
    residual = float(np.sqrt((off_mm**2).sum(1).mean()))
    return TableView(h, used, residual, view.markers, view.centres_mm)


def view_from_corners(corners_px: Array, width_mm: float, height_mm: float, lens: Lens | None = None) -> TableView:
    """The view of a table without a mat: four corners by hand, clockwise from top left, of a known rectangle.

    Raises `ProfileError` when they are not four corners of a convex quad in that order.
    """
    quad = np.asarray(corners_px, float)
    if quad.shape != (4, 2) or not np.all(np.isfinite(quad)) or width_mm <= 0 or height_mm <= 0:
        raise ProfileError("table corners: expected four points [x, y] in pixels and a size in millimetres")
    sides = np.roll(quad, -1, 0) - quad
    after = np.roll(sides, -1, 0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if not np.all(turns > 0):
        raise ProfileError("table corners: expected a convex quad, clockwise from the top left as the picture shows it")
    rectangle = _AROUND * np.array([width_mm / 2, height_mm / 2])
    h = homography(rectangle, _undistort(quad, lens))
    return TableView(h, lens, 0.0, {}, {})


def drift_mm(view: TableView, markers: Mapping[int, Array]) -> dict[int, float]:
    """How far each marker now lies from where the view has it, in millimetres; see `DRIFT_MM`."""
    result: dict[int, float] = {}
    for marker, quad in markers.items():
        if marker in view.centres_mm:
            now = view.millimetres(quad).mean(0)
            result[marker] = float(np.linalg.norm(now - view.centres_mm[marker]))
    return result


def moved(view: TableView, markers: Mapping[int, Array]) -> tuple[int, ...]:
    """The markers that have moved by more than `DRIFT_MM` since the view was made."""
    return tuple(sorted(k for k, v in drift_mm(view, markers).items() if v > DRIFT_MM))


def _first_half(markers: Mapping[int, Array], side_mm: float) -> Array:
    """Half the size of the markers' rectangle, from their distances counted in marker sides."""
    quads = np.stack(list(markers.values()))
    side_px = float(np.linalg.norm(np.roll(quads, -1, 1) - quads, axis=2).mean())
    centres = {k: q.mean(0) for k, q in markers.items()}

    def mean(pairs: tuple[tuple[int, int], ...]) -> float | None:
        seen = [float(np.linalg.norm(centres[a] - centres[b])) for a, b in pairs if a in centres and b in centres]
        return float(np.mean(seen)) if seen else None

    across, along = mean(((0, 1), (3, 2))), mean(((0, 3), (1, 2)))
    skew = mean(((0, 2), (1, 3)))
    guess = across or along or (0.7 * skew if skew is not None else 500.0)
    return np.array([across or guess, along or guess]) * (side_mm / side_px / 2)


def _distort(points: Array, lens: Lens | None) -> Array:
    if lens is None:
        return points
    k = lens.matrix
    x = (points[:, 0] - k[0, 2]) / k[0, 0]
    y = (points[:, 1] - k[1, 2]) / k[1, 1]
    rays = np.stack([x, y, np.ones_like(x)], 1)
    zero = np.zeros(3)
    seen, _ = cv2.projectPoints(rays, zero, zero, k, lens.distortion)
    return np.asarray(seen, np.float64).reshape(-1, 2)


def _undistort(points: Array, lens: Lens | None) -> Array:
    if lens is None:
        return points
    flat = cv2.undistortPoints(
        np.ascontiguousarray(points, np.float64).reshape(-1, 1, 2),
        lens.matrix,
        lens.distortion,
        P=lens.matrix,
    )
    return np.asarray(flat, np.float64).reshape(-1, 2)


def _least_squares(misfit: Callable[[Array], Array], start: Array, rounds: int = 25) -> Array:
    """Levenberg-Marquardt with differences for slopes; small problems only. `misfit` takes several at once."""
    v, damping = start.copy(), FIRST_DAMPING
    off = misfit(v[None])[0]
    for _ in range(rounds):
        steps = np.maximum(np.abs(v), 1e-4) * 1e-6
        slopes = ((misfit(v + np.diag(steps)) - off) / steps[:, None]).T
        normal, right = slopes.T @ slopes, -slopes.T @ off
        for _ in range(8):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), right)
            new = misfit((v + step)[None])[0]
            if new @ new < off @ off:
                gained = off @ off - new @ new
                v, off, damping = v + step, new, max(damping / 5, 1e-9)
                break
            damping *= 5
        else:
            break
        if gained < LEAST_GAINED * (off @ off + 1e-12):
            break
    return v
