"""Calibrating the table: how the camera sees it, where the seats lie, and whether the cards are large enough in it.

Written rules:
- corners of a marker are the middle of several pictures; a marker that moves between them is a camera that shakes;
- the residual is said and nothing is concluded from it: it can be small when the error is large (docs/vision.md);
- what the profile says of seats and markers stands; only what is missing there is worked out.
Does not belong here: finding markers and views (`referee.vision.table`), what a zone means (`referee.table`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.charuco import Picture
from calibration.profile_file import Part
from referee.errors import InputError
from referee.table.layouts import Layout
from referee.vision.geometry import Array
from referee.vision.table import MARKER_IDS, MARKER_SIDE_MM, Lens, TableView, find_markers, view_from_markers
from referee.vision.view import USUAL_FOCAL

SHAKES_PX = 1.5
FRAMES = 9
# 0.1 mm on rendered mats; a marker 10 mm beside its place makes 0.5, 20 mm makes 1. A mat that curls needs some room.
RESIDUAL_MM = 1.0
PICTURES_PX = ((1280, 720), (1640, 1232), (1920, 1080), (2304, 1296), (2592, 1944), (3840, 2160), (4608, 2592))
"""Picture sizes that usual cameras offer, smallest first (USB: 720p, 1080p, 2160p; Pi camera modules: the others)."""


@dataclass(frozen=True)
class Mat:
    """The markers of a mat: where their centres lie (None: worked out), and how large they are."""

    centres_mm: Mapping[int, Array] | None = None
    side_mm: float = MARKER_SIDE_MM


@dataclass(frozen=True)
class TableFound:
    """How a camera sees a table: the view, from so many pictures of `size`, and where the camera hangs.

    `height_mm` is its height above the table and `lean_deg` how far it looks off the vertical; both are only roughly
    true where no lens is known (`lens_known`).
    """

    view: TableView
    size: tuple[int, int]
    pictures: int
    height_mm: float
    lean_deg: float
    lens_known: bool


@dataclass(frozen=True)
class CardSize:
    """The smallest card place: a card's shorter side is `have_px` there, and the deck needs `need_px` (None: any)."""

    zone: str
    have_px: float
    need_px: int | None

    @property
    def enough(self) -> bool:
        """Whether every pair of the deck's cards is told apart at that size."""
        return self.need_px is None or self.have_px >= self.need_px


def find_table(pictures: Sequence[Picture], mat: Mat, lens: Lens | None) -> TableFound:
    """The table by the markers in several pictures (H×W×3); raises `InputError` with what is missing."""
    if not pictures:
        raise InputError("no picture of the table, expected one at least")
    size = (pictures[0].shape[1], pictures[0].shape[0])
    if any(picture.shape[:2] != (size[1], size[0]) for picture in pictures):
        raise InputError("the pictures of the table differ in size, expected all of one size")
    ids = MARKER_IDS if mat.centres_mm is None else tuple(mat.centres_mm)
    seen = [find_markers(picture, ids) for picture in pictures]
    quads = {k: [found[k] for found in seen if k in found] for k in ids}
    missing = [str(k) for k in ids if len(quads[k]) <= len(pictures) / 2]
    if missing:
        raise InputError(
            f"marker {', '.join(missing)} of the mat is not seen: it must lie bare and whole in the picture"
        )
    corners = {k: np.asarray(np.median(np.stack(some), axis=0), np.float64) for k, some in quads.items()}
    shaken = max(float(np.abs(np.stack(some) - corners[k]).max()) for k, some in quads.items())
    if shaken > SHAKES_PX:
        raise InputError(f"the picture moves by {shaken:.1f} px: is the camera's mast firm, and the mat lying flat?")
    view = view_from_markers(corners, size, mat.centres_mm, mat.side_mm, lens)
    if view is None:
        raise InputError("the markers do not suffice to see the table, expected all four")
    if view.residual_mm > RESIDUAL_MM:
        beside = f"the markers lie {view.residual_mm:.1f} mm beside their places"
        raise InputError(f"{beside}: is it this mat, lying flat, the right way up?")
    return found_by(view, size, len(pictures), lens is not None)


def markers_mm(found: TableFound) -> list[tuple[float, float]]:
    """Where the centres of the markers that were seen lie on the table."""
    middles = np.array([quad.mean(0) for quad in found.view.markers.values()]).reshape(-1, 2)
    return [(float(x), float(y)) for x, y in found.view.millimetres(middles)]


def found_by(view: TableView, size: tuple[int, int], pictures: int, lens_known: bool) -> TableFound:
    """A view with the camera's own place, which follows from the homography of the table's plane.

    Source: Zhang, A flexible new technique for camera calibration, 2000, section 3.1.
    """
    if view.lens is not None and lens_known:
        matrix = view.lens.matrix
    else:
        focal = USUAL_FOCAL * size[0]
        matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1.0]])
    bare = np.linalg.inv(matrix) @ view.to_pixels
    bare = bare * (np.sign(bare[2, 2]) * 2 / (np.linalg.norm(bare[:, 0]) + np.linalg.norm(bare[:, 1])))
    normal = np.cross(bare[:, 0], bare[:, 1])
    height = float(abs(normal @ bare[:, 2]) / np.linalg.norm(normal))
    lean = float(np.degrees(np.arccos(np.clip(abs(normal[2]) / np.linalg.norm(normal), 0, 1))))
    return TableFound(view, size, pictures, height, lean, lens_known)


def smallest_card(found: TableFound, layout: Layout, card_mm: tuple[float, float], need_px: int | None) -> CardSize:
    """Where cards are seen smallest, of all places where they lie face up."""
    zones = [zone for zone in layout.zones.values() if layout.meaning(zone.name) in ("flip", "pile")]
    centres = found.view.pixels(np.array([zone.centre_mm for zone in zones]))
    sizes = np.sqrt(np.abs(np.linalg.det(found.view.locals(centres)))) * min(card_mm)
    least = int(np.argmin(sizes))
    return CardSize(zones[least].name, float(sizes[least]), need_px)


def outside(found: TableFound, layout: Layout) -> tuple[str, ...]:
    """The zones that the picture does not hold whole."""
    size = np.array(found.size) - 1
    result = []
    for zone in layout.zones.values():
        x0, y0, x1, y1 = zone.rect
        corners = found.view.pixels(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
        if (corners < 0).any() or (corners > size).any():
            result.append(zone.name)
    return tuple(result)


def advice(found: TableFound, layout: Layout, card: CardSize) -> str | None:
    """What to do so that the deck's cards are seen large enough; None when they are."""
    if card.enough or card.need_px is None:
        return None
    grow = card.need_px / card.have_px
    ways = []
    down_cm = int(np.ceil(found.height_mm * (1 - 1 / grow) / 10))
    if _fits(found, layout, grow):
        ways.append(f"move the camera {'about ' if not found.lens_known else ''}{down_cm} cm down")
    larger = next((size for size in PICTURES_PX if size[0] >= grow * found.size[0] and _same_shape(size, found)), None)
    if larger is not None:
        ways.append(f"choose pictures of {larger[0]}x{larger[1]} (if the camera sees as much in them)")
    todo = " or ".join(ways) if ways else "sit closer together, or use a deck with plainer cards"
    return f"cards are {card.have_px:.0f} px wide at {card.zone} and this deck needs {card.need_px}: {todo}"


def _same_shape(size: tuple[int, int], found: TableFound) -> bool:
    return abs(size[0] / size[1] - found.size[0] / found.size[1]) < 0.02


def _fits(found: TableFound, layout: Layout, grow: float) -> bool:
    """Whether all zones and markers stay in the picture when everything in it grows."""
    corners = [[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for x0, y0, x1, y1 in (z.rect for z in layout.zones.values())]
    points = found.view.pixels(np.array(corners, float).reshape(-1, 2))
    points = np.concatenate([points, *found.view.markers.values()])
    middle = (np.array(found.size) - 1) / 2
    grown = (points - middle) * grow + middle
    return bool((grown >= 0).all() and (grown <= np.array(found.size) - 1).all())


def to_millimetres(view: TableView) -> list[list[float]]:
    """The homography from undistorted pixels to table millimetres, as a profile holds it."""
    back = np.linalg.inv(view.to_pixels)
    return [[float(f"{value:.9g}") for value in row] for row in back / back[2, 2]]


def table_part(
    found: TableFound, mat: Mat | None, layout: Layout | None, card: CardSize | None, said: Mapping[str, Any]
) -> Part:
    """What the profile keeps of a table; `mat` None: by four corners; `layout` None: its seats stay as they are."""
    values: dict[str, Any] = {}
    if mat is None:
        values["table.homography"] = to_millimetres(found.view)
        drops: tuple[str, ...] = ("table.markers",)
    else:
        centres = {k: found.view.centres_mm[k] for k in sorted(found.view.centres_mm)}
        values["table.markers"] = {
            "ids": list(centres),
            "side_mm": mat.side_mm,
            "centres_mm": [[round(float(v), 2) for v in centre] for centre in centres.values()],
        }
        drops = ("table.homography",)
    if layout is not None:
        values["seat"] = [_seat(layout, player) for player in layout.players]
        for zone in layout.zones.values():
            if zone.player is None:
                values[f"zone.{zone.name}.rect"] = list(zone.rect)
    figures: dict[str, Any] = {
        **said,
        "picture": list(found.size),
        "by": "corners" if mat is None else "markers",
        "pictures": found.pictures,
        "residual_mm": round(found.view.residual_mm, 2),
        "height_mm": round(found.height_mm),
        "lean_deg": round(found.lean_deg, 1),
        "homography": to_millimetres(found.view),
    }
    if card is not None:
        figures |= {"card_px": round(card.have_px, 1), **({} if card.need_px is None else {"needs_px": card.need_px})}
    return Part("table", values, figures, drops)


def _seat(layout: Layout, player: str) -> dict[str, Any]:
    zones = {zone.kind: list(zone.rect) for zone in layout.zones.values() if zone.player == player}
    return {"player": player, "angle_deg": layout.angles_deg[player], **zones}
