"""The mat: markers at its corners, the totem's spot, and where each player's cards lie.

Belongs here: where the markers find room on a paper beside the zones, and drawing both. Does not belong here: where the
zones lie (`referee.table.layouts`), how markers are found (`referee.vision.table`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.sheets.markers import marker
from calibration.sheets.pages import FAINT, INK, Drawing
from calibration.sheets.paper import Paper
from referee.deck.draw.glyphs import drawn_letters, text
from referee.deck.draw.svg import Point, disc, fill, outline, rectangle, round_outline, stroke
from referee.errors import InputError
from referee.profile import Rect
from referee.table.layouts import Layout, profile_text
from referee.table.zones import Zone
from referee.vision.table import MARKER_IDS, MARKER_SIDE_MM

QUIET_MM = 8.0  # white around a marker: one of its cells (40 / 6 mm) and a little
STEP_MM = 2.0
FOOT_MM = 60.0  # the totem's foot (hardware.md)
TINT = "#c9d4cc"  # of the zones: a white card must stand out from its ground
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"face_up": "turned", "reserve": "reserve", "pot": "pot", "mat": "mat", "players": "players"},
    "fr": {"face_up": "retournées", "reserve": "réserve", "pot": "pot", "mat": "tapis", "players": "joueurs"},
}


@dataclass(frozen=True)
class Mat:
    """A layout on a paper: `centres_mm` of the markers 0 to 3 in table millimetres (top left, then clockwise)."""

    layout: Layout
    paper: Paper
    centres_mm: tuple[Point, Point, Point, Point]

    def beside(self) -> dict[str, float]:
        """The zones that do not lie wholly on the paper, and by how many millimetres they stand out."""
        half = (self.paper.whole_mm[0] / 2, self.paper.whole_mm[1] / 2)
        out = {}
        for zone in self.layout.zones.values():
            x0, y0, x1, y1 = zone.rect
            over = max(x1 - half[0], -half[0] - x0, y1 - half[1], -half[1] - y0)
            if over > 0:
                out[zone.name] = over
        return out

    def profile(self, deck: str, camera: str, fps: float = 30.0, size: tuple[int, int] = (1280, 720)) -> str:
        """The profile of a table with this mat and a plain wooden totem, ready for `referee run`."""
        centres = ", ".join(f"[{x:.1f}, {y:.1f}]" for x, y in self.centres_mm)
        markers = f"ids = {list(MARKER_IDS)}\nside_mm = {MARKER_SIDE_MM:g}\ncentres_mm = [{centres}]"
        source = (
            f"source = {json.dumps(camera, ensure_ascii=False)}\nwidth = {size[0]}\nheight = {size[1]}\nfps = {fps:g}"
        )
        return profile_text(self.layout, deck, {"camera": source, "table.markers": markers})


def plan_mat(layout: Layout, paper: Paper) -> Mat:
    """The mat whose markers stand as far out as zones, seams and paper allow; raises `InputError` when none fit."""
    reach = MARKER_SIDE_MM / 2 + QUIET_MM
    most = tuple(side / 2 - reach for side in paper.whole_mm)
    taken = [zone.rect for zone in layout.zones.values()]
    taken.append((-FOOT_MM / 2, -FOOT_MM / 2, FOOT_MM / 2, FOOT_MM / 2))
    seams = _seams(paper)
    best: tuple[float, float, float] | None = None
    for x in np.arange(most[0], reach, -STEP_MM).tolist():
        for y in np.arange(most[1], reach, -STEP_MM).tolist():
            if best is not None and x * y <= best[0]:
                break
            if _free(x, y, reach, taken, seams):
                best = (x * y, x, y)
                break
    if best is None:
        raise InputError(
            f"--paper {paper.name}: there is no room for the markers beside {len(layout.players)} players' cards, "
            "expected a larger paper"
        )
    x, y = best[1:]
    return Mat(layout, paper, ((-x, -y), (x, -y), (x, y), (-x, y)))


def _seams(paper: Paper) -> tuple[list[float], list[float]]:
    x, y = paper.seams()
    return [at - paper.whole_mm[0] / 2 for at in x], [at - paper.whole_mm[1] / 2 for at in y]


def _free(x: float, y: float, reach: float, taken: list[Rect], seams: tuple[list[float], list[float]]) -> bool:
    """Whether markers at (±x, ±y) with their white border are clear of all rectangles and seams."""
    for sign_x, sign_y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        at = (sign_x * x, sign_y * y)
        if any(abs(at[0] - seam) < reach for seam in seams[0]) or any(abs(at[1] - seam) < reach for seam in seams[1]):
            return False
        for x0, y0, x1, y1 in taken:
            if at[0] + reach > x0 and at[0] - reach < x1 and at[1] + reach > y0 and at[1] - reach < y1:
                return False
    return True


def mat_drawing(mat: Mat, language: str = "en") -> Drawing:
    """The mat as a drawing as large as its paper; what lies beside the paper is cut off by it."""
    wide, high = mat.paper.whole_mm
    middle = (wide / 2, high / 2)
    body = [piece for zone in mat.layout.zones.values() for piece in _zone(zone, mat, middle, language)]
    body += _spot(middle)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for one, (x, y) in zip(MARKER_IDS, mat.centres_mm, strict=True):
        cells = np.asarray(cv2.aruco.generateImageMarker(dictionary, one, dictionary.markerSize + 2) < 128)
        corner = (middle[0] + x - MARKER_SIDE_MM / 2, middle[1] + y - MARKER_SIDE_MM / 2)
        white = MARKER_SIDE_MM + 2 * QUIET_MM
        body.append(rectangle(corner[0] - QUIET_MM, corner[1] - QUIET_MM, white, white, "#ffffff"))
        body.append(marker(cells, corner, MARKER_SIDE_MM))
    words = WORDS[language]
    title = f"{words['mat']} {mat.layout.game}, {len(mat.layout.players)} {words['players']}, {mat.paper.name}"
    return Drawing(title, (wide, high), body, language=language)


def _zone(zone: Zone, mat: Mat, middle: Point, language: str) -> list[str]:
    """A tinted rectangle with its seat's number; no outline, which a finder might take for a card's."""
    x0, y0, x1, y1 = zone.rect
    x0, x1, y0, y1 = x0 + middle[0], x1 + middle[0], y0 + middle[1], y1 + middle[1]
    body = [rectangle(x0, y0, x1 - x0, y1 - y0, TINT)]
    word = WORDS[language].get(zone.kind, zone.kind)
    centre = ((x0 + x1) / 2, (y0 + y1) / 2)
    if zone.player is None:
        return [*body, text(word, centre, 4, FAINT, 0.1)]
    seat = mat.layout.players.index(zone.player) + 1
    # Accents are left out; a name in another alphabet is not drawn at all, the seat's number says enough.
    name = zone.player if len(drawn_letters(zone.player)) == len(zone.player) else ""
    body.append(text(str(seat), (centre[0], centre[1] - 6), 12, FAINT, 0.08))
    body.append(text(word, (centre[0], centre[1] + 8), 4, FAINT, 0.1))
    if name and name != str(seat):
        height = min(4.0, 4.0 * (x1 - x0 - 10) / max(len(name) * 3.4, 1.0))
        body.append(text(name, (centre[0], centre[1] + 16), height, FAINT, 0.1))
    return body


def _spot(middle: Point) -> list[str]:
    """The totem's spot, with an arrow to where its front points (0 degrees, to the right)."""
    x, y = middle
    ring = stroke(round_outline(middle, FOOT_MM / 2), INK, 0.3)
    tip = fill(outline([(x + FOOT_MM / 2 + 7, y), (x + FOOT_MM / 2 + 1, y - 3), (x + FOOT_MM / 2 + 1, y + 3)]), INK)
    return [ring, tip, disc(middle, 0.8, INK)]
