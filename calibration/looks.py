"""One picture of the calibration board: is it good enough, and what does it add to those there are?

Written rules:
- a picture is refused with the reason and what to do about it;
- sharpness is measured on the board's own edges; a picture shaken one way is blurred too;
- nothing here needs the lens to be known; where an angle is told, a usual focal length is good enough.
Does not belong here: finding the board (`calibration.charuco`), solving for the lens (`calibration.lens`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.boards import Board
from calibration.charuco import SQUARES, UNREAD, Picture, Seen, find_board, grey_of
from referee.vision.geometry import apply, jacobian

FEWEST_CORNERS = 12
# Standard deviation of an edge's blur. Corners of a picture blurred more are off by more than what is wanted, and a
# blur by movement is not the same everywhere. Larger pictures blur over more pixels: a share of the width is allowed.
BLUR_PX, BLUR_SHARE = 2.0, 2.0 / 1920
READABLE_BLUR_PX = 1.45  # of a board that is not read: from here on blur is the likeliest reason
# Measured on rendered pictures of a width of 640: blurred and shaken boards have such contrast over 6 to 18 % of it in
# one piece, tables without a board over 3 % at most.
CHEQUERED_WIDTH_PX, CHEQUERED_WINDOW_PX, CHEQUERED_CONTRAST, CHEQUERED_SHARE = 640, 31, 60, 0.04
EDGE_WINDOW_PX, EDGE_CONTRAST = 13, 40.0
BURNT, BURNT_SHARE = 252, 0.25
WHITE_SHARE = 0.35  # of a board's area
BLURRED = "blurred: hold still, more light, focus"
LEAST_CONTRAST = 35.0
# Fewer of the corners that lie within the picture than this: something lies on the board.
SEEN_SHARE = 0.65
SMALLEST_SQUARE_PX = 30.0  # under this the cells of a marker are about three pixels and a little shake loses them
SMALLEST_SHARE = 0.02  # of the picture, that a board must cover to say anything about the lens
DOUBLE_SHARE = 0.035  # of the picture's width: corners that moved less make a picture that says nothing new
USUAL_FOCAL = 0.85  # of the picture's width


@dataclass(frozen=True)
class Look:
    """A picture that can be used: corners seen, and how good it is.

    `blur_px` is the standard deviation of the edges' blur, `tilt_deg` how far the board leans away from the camera and
    `towards_deg` where to (0 = its right side is farther, counter-clockwise as seen in the picture), `covers` the share
    of the picture.
    """

    name: str
    size: tuple[int, int]
    seen: Seen
    blur_px: float
    burnt: float
    contrast: float
    tilt_deg: float
    towards_deg: float
    covers: float


@dataclass(frozen=True)
class Refused:
    """A picture that cannot be used, and why."""

    name: str
    why: str


def look_at(picture: Picture, board: Board, name: str) -> Look | Refused:
    """Judge one picture (H×W×3 or H×W) of the board."""
    found = find_board(picture, board)
    grey = grey_of(picture)
    if isinstance(found, str):
        blurred = found.startswith((SQUARES, UNREAD)) and edge_blur(grey) > READABLE_BLUR_PX
        if blurred and found == UNREAD:
            blurred = _like_a_board(grey)
        return Refused(name, BLURRED if blurred else found)
    size = (grey.shape[1], grey.shape[0])
    inside = _inside(board, found, size)
    if len(found.ids) < SEEN_SHARE * inside:
        if edge_blur(grey) > READABLE_BLUR_PX:
            return Refused(name, BLURRED)
        if _square_px(board, found) < SMALLEST_SQUARE_PX:
            return Refused(name, "the board is too small to be read: hold it nearer")
        hidden = 1 - len(found.ids) / inside
        return Refused(name, f"something covers the board ({hidden:.0%} of it): hold it by its rim")
    if len(found.ids) < FEWEST_CORNERS:
        return Refused(name, f"only {len(found.ids)} corners are seen, {FEWEST_CORNERS} needed: more of the board")
    hull = cv2.convexHull(found.points.astype(np.float32))
    within = np.zeros_like(grey)
    cv2.fillConvexPoly(within, np.round(hull).astype(np.int32), 1)
    blur = edge_blur(grey, within)
    limit = max(BLUR_PX, BLUR_SHARE * size[0])
    if blur > limit:
        return Refused(name, f"{BLURRED} (edges {blur:.1f} px wide, {limit:.1f} at most)")
    values = grey[within > 0]
    black, white = np.percentile(values, (10, 90))
    if white - black < LEAST_CONTRAST:
        return Refused(name, f"too dark or too flat (black and white differ by {white - black:.0f} of 255): more light")
    burnt = float(np.mean(values >= BURNT)) / WHITE_SHARE
    if burnt > BURNT_SHARE:
        return Refused(name, f"burnt out ({burnt:.0%} of the white): less light on the board, or a shorter exposure")
    covers = cv2.contourArea(hull) / (size[0] * size[1])
    if covers < SMALLEST_SHARE:
        return Refused(
            name, f"the board covers {covers:.1%} of the picture, {SMALLEST_SHARE:.0%} needed: hold it nearer"
        )
    tilt, towards = _tilt(found, board, size)
    return Look(name, size, found, blur, burnt, float(white - black), tilt, towards, float(covers))


def _like_a_board(grey: Picture) -> bool:
    """Whether black and white lie side by side all over some part of the picture, as on a board that is blurred.

    A table, its mat and cards on it have such contrasts along lines only.
    """
    scale = CHEQUERED_WIDTH_PX / grey.shape[1]
    small = cv2.GaussianBlur(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), (0, 0), 2.0)
    about = np.ones((CHEQUERED_WINDOW_PX, CHEQUERED_WINDOW_PX), np.uint8)
    contrast = cv2.subtract(cv2.dilate(small, about), cv2.erode(small, about))
    there = cv2.erode((contrast > CHEQUERED_CONTRAST).astype(np.uint8), about)
    _, _, parts, _ = cv2.connectedComponentsWithStats(there)
    return bool(parts[1:, cv2.CC_STAT_AREA].max(initial=0) > CHEQUERED_SHARE * there.size)


def same_place(look: Look, others: list[Look]) -> Look | None:
    """The look that this one doubles; None when it is new."""
    least = DOUBLE_SHARE * look.size[0]
    for other in others:
        common, mine, theirs = np.intersect1d(look.seen.ids, other.seen.ids, return_indices=True)
        if len(common) >= FEWEST_CORNERS // 2:
            moved = np.linalg.norm(look.seen.points[mine] - other.seen.points[theirs], axis=1)
            if float(np.sqrt((moved**2).mean())) < least:
                return other
    return None


def _inside(board: Board, seen: Seen, size: tuple[int, int]) -> int:
    """How many of the board's corners lie within the picture, a little away from its rim."""
    places = apply(seen.to_pixels, board.corners())
    margin = 0.5 * _square_px(board, seen)
    low, high = np.full(2, margin), np.array(size) - 1 - margin
    return int(((places > low) & (places < high)).all(1).sum())


def _square_px(board: Board, seen: Seen) -> float:
    """The side of a square in the middle of the board, in pixels."""
    middle = np.array(board.size_mm) / 2
    return board.square_mm * float(np.sqrt(abs(np.linalg.det(jacobian(seen.to_pixels, middle)))))


def edge_blur(grey: Picture, where: Picture | None = None) -> float:
    """How blurred the edges of a picture are: the standard deviation in pixels, 0 where there are none.

    The contrast about each steepest place over its slope; the third quartile of them, for a picture shaken one way
    keeps sharp edges along that way. `where` (H×W, 0 or not) is what is looked at.
    """
    smooth = cv2.GaussianBlur(grey, (0, 0), 0.7).astype(np.float32)
    about = np.ones((EDGE_WINDOW_PX, EDGE_WINDOW_PX), np.uint8)
    contrast = cv2.dilate(smooth, about) - cv2.erode(smooth, about)
    slope = cv2.magnitude(
        cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    )
    steepest = (slope >= cv2.dilate(slope, np.ones((9, 9), np.uint8))) & (contrast > EDGE_CONTRAST)
    if where is not None:
        steepest &= where > 0
    if not steepest.any():
        return 0.0
    # The steepest slope of a step blurred by a Gaussian is its height over the square root of 2 pi and the deviation.
    widths = contrast[steepest] / slope[steepest] / np.sqrt(2 * np.pi)
    return float(np.percentile(widths, 75))


def _tilt(seen: Seen, board: Board, size: tuple[int, int]) -> tuple[float, float]:
    """How far the board leans, and towards where (degrees), with a usual focal length."""
    focal = USUAL_FOCAL * size[0]
    matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1.0]])
    flat = np.column_stack([board.corners()[seen.ids], np.zeros(len(seen.ids))])
    solved, rotation, _ = cv2.solvePnP(flat, seen.points, matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not solved:
        return 0.0, 0.0
    # The board's normal, turned to the camera: what leans to the right has its right side farther away.
    normal = np.asarray(cv2.Rodrigues(rotation)[0])[:, 2]
    normal = normal if normal[2] > 0 else -normal
    tilt = float(np.degrees(np.arccos(np.clip(normal[2], -1, 1))))
    return tilt, float(np.degrees(np.arctan2(normal[1], -normal[0]))) % 360
