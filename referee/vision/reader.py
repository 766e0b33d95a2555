"""The reader: a deck and a table made ready once, then picture after picture.

Written rules of this module:
- the scale of a picture comes from the profile, else from mat markers in the picture, else from its cards;
- a reader is cheap to call and expensive to make.
Does not belong here: files of pictures, what a card means.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck
from referee.errors import ProfileError
from referee.vision.cards import Sighting, read_cards
from referee.vision.colourless import is_colourless, without_colour
from referee.vision.geometry import Array
from referee.vision.prints import enrol
from referee.vision.table import MARKER_IDS, MARKER_SIDE_MM, Lens, TableView, find_markers, view_from_markers

LARGEST_DISTORTION = 1000.0  # OpenCV's rational terms can be in the hundreds
LARGEST_FOCAL_PX = 100_000.0
LAST_MARKER_ID = 49  # of ArUco 4x4_50
SMALLEST_SIDE_PX = 16
LONGEST_SHAPE = 40  # long over short side: beyond that nothing of a card is left once the picture is shrunk


@dataclass(frozen=True)
class TableSetup:
    """What a profile says about the table: the lens, and the homography or the markers' places.

    The lens and the homography hold for pictures of `size` (width, height), and are scaled to others.
    """

    size: tuple[int, int] | None
    lens: Lens | None
    homography: Array | None
    marker_ids: tuple[int, ...]
    side_mm: float
    centres_mm: dict[int, Array] | None


class Reader:
    """Reads pictures of one deck on one table."""

    def __init__(self, deck: Deck, setup: TableSetup | None = None) -> None:
        """Make the deck's prints ready; raises `DeckError` for a damaged picture."""
        self.prints = enrol(deck)
        self.setup = setup
        self._cards = tuple(card.id for card in deck.cards)
        self._by_colour = deck.read == "symbol"

    def view(self, image: NDArray[np.uint8]) -> TableView | None:
        """How the table is seen in a picture; None when nothing tells."""
        size = (image.shape[1], image.shape[0])
        setup = self.setup
        lens = _scaled_lens(setup, size) if setup else None
        if setup is not None and setup.homography is not None:
            # The profile's homography takes undistorted pixels to table millimetres.
            shrink = _scale(setup, size)
            to_pixels = _resized(*shrink) @ np.linalg.inv(setup.homography)
            return TableView(to_pixels / to_pixels[2, 2], lens, 0.0, {}, {})
        ids = setup.marker_ids if setup is not None else MARKER_IDS
        markers = find_markers(image, ids, by_sides=setup is not None)
        return self.view_of(markers, size) if markers else None

    def view_of(self, markers: Mapping[int, Array], size: tuple[int, int]) -> TableView | None:
        """How the table is seen, from markers in pictures of `size` (width, height); None when they are too few."""
        setup = self.setup
        lens = _scaled_lens(setup, size) if setup else None
        centres = setup.centres_mm if setup is not None else None
        side = setup.side_mm if setup is not None else MARKER_SIDE_MM
        return view_from_markers(markers, size, centres, side, lens)

    def read(self, image: NDArray[np.uint8]) -> list[Sighting]:
        """Every face-up card in a picture (H×W×3, BGR); a mere stripe of a picture holds none."""
        short, long = sorted(image.shape[:2])
        if short < SMALLEST_SIDE_PX or long > LONGEST_SHAPE * short:
            return []
        sightings = read_cards(image, self.prints, self.view(image))
        if self._by_colour and any(s.card != "?" for s in sightings) and is_colourless(image):
            return without_colour(sightings, self._cards)
        return sightings


def read_setup(path: Path) -> TableSetup:
    """The camera and table parts of a profile; raises `ProfileError`."""
    try:
        profile = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ProfileError(f"{path}: there is no such profile") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: cannot be read, expected a profile in TOML") from error
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path}: is no TOML ({error})") from error
    camera = _table(path, profile, "camera")
    table = _table(path, profile, "table")
    markers = _table(path, table, "markers")
    lens = None
    if "matrix" in camera:
        matrix = _numbers(path, camera, "matrix", (3, 3))
        if not _is_lens(matrix):
            raise ProfileError(f"{path}: camera.matrix: expected [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] in pixels")
        bend = np.zeros(5)
        if "distortion" in camera:
            given = _numbers(path, camera, "distortion", (None,))
            if len(given) not in (4, 5, 8, 12, 14):
                raise ProfileError(f"{path}: distortion: expected 4, 5, 8, 12 or 14 numbers (OpenCV's convention)")
            if np.abs(given).max() > LARGEST_DISTORTION:
                raise ProfileError(f"{path}: camera.distortion: expected numbers up to {LARGEST_DISTORTION:g}")
            bend = given
        lens = Lens(matrix, bend)
    size = None
    if "width" in camera and "height" in camera:
        size = (_positive(path, camera, "width"), _positive(path, camera, "height"))
    homography = _numbers(path, table, "homography", (3, 3)) if "homography" in table else None
    if homography is not None and abs(np.linalg.det(homography)) < 1e-12:
        raise ProfileError(f"{path}: homography: expected a matrix that can be inverted")
    ids: tuple[int, ...] = MARKER_IDS
    side, centres = MARKER_SIDE_MM, None
    if "centres_mm" in markers:
        given = _numbers(path, markers, "centres_mm", (None, 2))
        ids = tuple(int(i) for i in _numbers(path, markers, "ids", (len(given),))) if "ids" in markers else MARKER_IDS
        if len(ids) != len(given) or len(set(ids)) != len(ids):
            raise ProfileError(f"{path}: table.markers: expected as many different ids as centres")
        if len({tuple(centre) for centre in given.tolist()}) != len(given):
            raise ProfileError(f"{path}: table.markers.centres_mm: expected a place of its own for each marker")
        if min(ids) < 0 or max(ids) > LAST_MARKER_ID:
            raise ProfileError(f"{path}: table.markers.ids: expected ids from 0 to {LAST_MARKER_ID} (4x4_50)")
        side = float(_positive(path, markers, "side_mm")) if "side_mm" in markers else MARKER_SIDE_MM
        centres = {k: given[i] for i, k in enumerate(ids)}
    return TableSetup(size, lens, homography, ids, side, centres)


def _is_lens(matrix: Array) -> bool:
    focal = matrix[0, 0], matrix[1, 1]
    return all(1.0 < f < LARGEST_FOCAL_PX for f in focal) and bool(np.allclose(matrix[2], [0, 0, 1]))


def _scale(setup: TableSetup, size: tuple[int, int]) -> tuple[float, float]:
    return (size[0] / setup.size[0], size[1] / setup.size[1]) if setup.size else (1.0, 1.0)


def _resized(x: float, y: float) -> Array:
    """Where a resized picture's pixels lie; pixel centres are at integers."""
    return np.array([[x, 0, x / 2 - 0.5], [0, y, y / 2 - 0.5], [0, 0, 1.0]])


def _scaled_lens(setup: TableSetup, size: tuple[int, int]) -> Lens | None:
    if setup.lens is None:
        return None
    x, y = _scale(setup, size)
    return Lens(_resized(x, y) @ setup.lens.matrix, setup.lens.distortion)


def _table(path: Path, parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.get(key, {})
    if not isinstance(value, dict):
        raise ProfileError(f"{path}: {key}: expected a table")
    return value


def _numbers(path: Path, table: dict[str, Any], key: str, shape: tuple[int | None, ...]) -> Array:
    expected = "×".join("N" if n is None else str(n) for n in shape)
    try:
        value = np.array(table[key], np.float64)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise ProfileError(f"{path}: {key}: expected {expected} numbers") from error
    fits = value.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, value.shape, strict=True))
    if not fits or not np.all(np.isfinite(value)):
        raise ProfileError(f"{path}: {key}: expected {expected} numbers")
    return value


def _positive(path: Path, table: dict[str, Any], key: str) -> int:
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 100_000:
        raise ProfileError(f"{path}: {key}: expected a positive number")
    return round(value)
