"""From looks at the board to the camera's lens, and whether that can be believed.

Written rules:
- the judge is pictures the solve has not seen: each is held out once, and its corners must fall where the lens says;
- pixels are square (every sensor since CCDs has them so): a board printed longer than wide shows as a misfit instead
  of bending the lens;
- the size of the print does not matter to the lens, only its shape; how large it was printed is asked elsewhere
  (`calibration.scale`);
- a bad solve is refused in a sentence, with its figures.
Does not belong here: judging single pictures (`calibration.looks`), files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.boards import Board
from calibration.looks import Look
from referee.errors import InputError
from referee.vision.geometry import Array
from referee.vision.table import Lens

FEWEST_PICTURES = 8
FOLDS = 5
# Root mean square over a picture's corners that were not used. Corners of a good print and a sharp picture come to
# 0.05 to 0.2 px; a board bent by a few millimetres or moved while the rows were read comes to a pixel and more.
HELD_OUT_PX, HELD_OUT_SHARE = 0.8, 0.8 / 1280
WORST_TIMES = 3.0
FOCAL = (0.35, 3.5)  # of the picture's longer side: 110 to 16 degrees across
FOCAL_ERROR = 0.01
MIDDLE_SHARE = 0.12
# A third radial term is only taken when it makes pictures held out fit better by so much.
GAIN = 0.9
_PLAIN = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3
_STOP = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-9)


@dataclass(frozen=True)
class Solved:
    """A lens, and how good it is.

    `rms_px` over the corners it was solved from, `held_out_px` and `held_out_worst_px` the median and the worst root
    mean square of a picture held out, `focal_error` the focal length's standard deviation as a share. `left_out` are
    the pictures that did not fit the others.
    """

    size: tuple[int, int]
    lens: Lens
    pictures: int
    rms_px: float
    held_out_px: float
    held_out_worst_px: float
    focal_error: float
    left_out: tuple[str, ...] = ()

    @property
    def field_deg(self) -> float:
        """How wide the camera sees, across its longer side."""
        return float(2 * np.degrees(np.arctan(max(self.size) / 2 / self.lens.matrix[0, 0])))


def solve_lens(looks: Sequence[Look], board: Board) -> Solved:
    """The lens that many looks agree on; raises `InputError` with the reason when it cannot be believed."""
    sizes = {look.size for look in looks}
    if len(sizes) > 1:
        listed = " and ".join(f"{width}x{height}" for width, height in sorted(sizes))
        raise InputError(f"the pictures differ in size ({listed}), expected all of one size")
    if len(looks) < FEWEST_PICTURES:
        raise InputError(f"{len(looks)} good pictures of the board, expected {FEWEST_PICTURES} at least")
    kept, left_out = _fitting(list(looks), board)
    flags = _PLAIN
    held = _held_out(kept, board, flags)
    richer = _held_out(kept, board, flags & ~cv2.CALIB_FIX_K3)
    if float(np.median(richer)) < GAIN * float(np.median(held)):
        flags, held = flags & ~cv2.CALIB_FIX_K3, richer
    lens, rms, deviations, _ = _calibrate(kept, board, flags)
    focal = float(lens.matrix[0, 0])
    solved = Solved(
        size=looks[0].size,
        lens=lens,
        pictures=len(kept),
        rms_px=rms,
        held_out_px=float(np.median(held)),
        held_out_worst_px=float(max(held)),
        focal_error=float(deviations[:2].max()) / focal,
        left_out=tuple(left_out),
    )
    problem = doubt(solved)
    if problem is not None:
        raise InputError(f"the solve cannot be believed: {problem}")
    return solved


def doubt(solved: Solved) -> str | None:
    """Why a solve cannot be believed; None when it can."""
    width, height = solved.size
    limit = max(HELD_OUT_PX, HELD_OUT_SHARE * width)
    focal = float(solved.lens.matrix[0, 0])
    share = focal / max(width, height)
    off = np.abs(solved.lens.matrix[:2, 2] - np.array([(width - 1) / 2, (height - 1) / 2])) / max(width, height)
    if solved.held_out_px > limit or solved.held_out_worst_px > WORST_TIMES * limit:
        return (
            f"corners of pictures held out are {solved.held_out_px:.2f} px off (worst {solved.held_out_worst_px:.2f}, "
            f"expected {limit:.2f}): is the board flat, printed as wide as high, and held still?"
        )
    if not FOCAL[0] < share < FOCAL[1]:
        return f"its focal length is {share:.2f} of the picture's width, expected {FOCAL[0]:g} to {FOCAL[1]:g}"
    if solved.focal_error > FOCAL_ERROR:
        return (
            f"its focal length is only known to {solved.focal_error:.1%}, expected {FOCAL_ERROR:.0%}: "
            "take pictures with the board leaning 20 to 40 degrees, to all sides"
        )
    if off.max() > MIDDLE_SHARE:
        return f"its middle is {off.max():.0%} of the picture beside the picture's, expected {MIDDLE_SHARE:.0%} at most"
    if not _unfolded(solved):
        return "it folds the picture's corners: take pictures with the board in the corners, and leaning to all sides"
    return None


def _fitting(looks: list[Look], board: Board) -> tuple[list[Look], list[str]]:
    """The looks that fit together, and the names of those that do not: a few may have been shaken."""
    left_out: list[str] = []
    while len(looks) > FEWEST_PICTURES:
        _, _, _, off = _calibrate(looks, board, _PLAIN)
        worst = int(np.argmax(off))
        if off[worst] < 0.35 or off[worst] < WORST_TIMES * float(np.median(off)) or len(left_out) >= len(looks) // 4:
            break
        left_out.append(looks.pop(worst).name)
    return looks, left_out


def _calibrate(looks: Sequence[Look], board: Board, flags: int) -> tuple[Lens, float, Array, Array]:
    """The lens, the root mean square in pixels, the intrinsics' deviations, and each picture's own misfit."""
    flat = board.corners().astype(np.float32)
    objects = [np.column_stack([flat[look.seen.ids], np.zeros(len(look.seen.ids), np.float32)]) for look in looks]
    points = [look.seen.points.astype(np.float32).reshape(-1, 1, 2) for look in looks]
    size = looks[0].size
    start = np.array([[0.9 * max(size), 0, (size[0] - 1) / 2], [0, 0.9 * max(size), (size[1] - 1) / 2], [0, 0, 1.0]])
    try:
        rms, matrix, bend, _, _, deviations, _, off = cv2.calibrateCameraExtended(
            objects, points, size, start, np.zeros(5), flags=flags | cv2.CALIB_USE_INTRINSIC_GUESS, criteria=_STOP
        )
    except cv2.error as error:
        raise InputError("the pictures do not say enough about the lens: tilt the board more, to all sides") from error
    lens = Lens(np.asarray(matrix, np.float64), np.asarray(bend, np.float64).reshape(-1)[:5])
    return lens, float(rms), np.asarray(deviations, np.float64).reshape(-1), np.asarray(off, np.float64).reshape(-1)


def _held_out(looks: Sequence[Look], board: Board, flags: int) -> list[float]:
    """The root mean square misfit (px) of each picture under a lens solved without it."""
    result = []
    for fold in range(FOLDS):
        rest = [look for place, look in enumerate(looks) if place % FOLDS != fold]
        lens, _, _, _ = _calibrate(rest, board, flags)
        result += [misfit(look, board, lens) for look in looks[fold::FOLDS]]
    return result


def misfit(look: Look, board: Board, lens: Lens) -> float:
    """How far a picture's corners lie from where a lens puts the board (root mean square, px)."""
    flat = np.column_stack([board.corners()[look.seen.ids], np.zeros(len(look.seen.ids))])
    solved, turn, place = cv2.solvePnP(flat, look.seen.points, lens.matrix, lens.distortion)
    if not solved:
        return float("inf")
    seen, _ = cv2.projectPoints(flat, turn, place, lens.matrix, lens.distortion)
    return float(np.sqrt(((np.asarray(seen).reshape(-1, 2) - look.seen.points) ** 2).sum(1).mean()))


def _unfolded(solved: Solved) -> bool:
    """Whether pixels move outwards with their rays, all the way to the picture's corners."""
    width, height = solved.size
    matrix = solved.lens.matrix
    corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]], float)
    reach = float(np.linalg.norm((corners - matrix[:2, 2]) / np.diag(matrix)[:2], axis=1).max())
    k1, k2, _, _, k3 = np.append(solved.lens.distortion, np.zeros(5))[:5]
    r = np.linspace(0, 1.3 * reach, 200)
    bent = r * (1 + k1 * r**2 + k2 * r**4 + k3 * r**6)
    # Only as far as the picture goes.
    inside = np.concatenate([[True], np.maximum.accumulate(bent)[:-1] < reach])
    return bool(np.all(np.diff(bent[inside]) > 0)) and float(bent.max()) >= 0.98 * reach
