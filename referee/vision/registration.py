"""Registration: laying an enrolled print on the camera's pixels to a fraction of a pixel.

Written rules of this module:
- the picture is compared at its own resolution, the print is blurred to it, never the other way round;
- light is part of the model: what is seen is offset + slope across the card + gain × ink, robustly fitted, so
  that a shadow's edge, a reflection or a finger counts as hidden and pulls nothing;
- the method is inverse compositional Gauss-Newton (Baker and Matthews, IJCV 56(3), 2004) with Geman-McClure
  weights (Geman and McClure, 1987), whose scale shrinks from coarse to the residual's own spread;
- what depends on the print alone (its slopes, the columns of the equations) is made once a print and kept.
Does not belong here: which card it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, apply, inverse, rotation
from referee.vision.levels import Image, Level
from referee.vision.prints import Design, Prints
from referee.vision.templates import turned_ink

LEAST_GAIN = 0.04
CUT = 0.35  # residuals, in units of the gain, count up to here: what hides a card hides it from every print
NEAR_TERMS = 4  # shift, turn and size
AFFINE_TERMS = 6
ALL_TERMS = 8
LIGHT_TERMS = 4  # offset, two slopes, gain
STILL_PX, STILL_SHARE = 0.08, 0.15  # a step of less is the last: pixels of the picture, and of the size compared
OUTSIDE = -0.5  # what is sampled outside the picture is less
NOISE_SHARE = 0.1  # pixels' misfits hang together: one in ten counts
FAR_BEHIND = 4.0  # times the first's energy: out of the race
RACE_SCALE = 0.35  # of the weights in it
MOST_GAIN = 1.2  # times the paper's brightness: sharpening makes ink a little darker than it is
PLAIN_NOISE = 0.01  # mean squared misfit, in units of the gain, up to which the first step needs no weights
SLACK = 0.06  # how far corners may be expected off, as a share of the short side


@dataclass(frozen=True)
class Fit:
    """A print laid on the picture: its pose, the light on it and how well it fits.

    `residual` and `weight` run over the level's compared pixels, the residual in units of the gain.
    `energy` is the mean squared residual, each cut off at `CUT`.
    """

    template: int
    pose: Array
    gain: float
    residual: Image
    weight: Image
    light: Array
    values: Image
    energy: float


@dataclass(frozen=True)
class Runner:
    """A print in a race: its template, its pose, how ill it fits (energy) and its residual (N), both in units of
    the gain of the fit the race started from."""

    template: int
    pose: Array
    energy: float
    residual: Image


def sample(field: Image, pose: Array, level: Level, cubic: bool = False) -> Image:
    """The picture's values at a level's compared pixels for a card with this pose."""
    rows, columns = level.shape
    patch = cv2.warpPerspective(
        field,
        pose @ level.grid,
        (columns, rows),
        flags=(cv2.INTER_CUBIC if cubic else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=-1.0,
    )
    return np.asarray(patch.take(level.flat), np.float32)


def fits_best(fits: Sequence[Fit]) -> Fit:
    """The best of several fits to the same place: prints of unlike gain are compared in one unit."""
    unit = np.float32(max(LEAST_GAIN, *(fit.gain for fit in fits)))
    return min(fits, key=lambda fit: float(np.minimum((fit.residual * (fit.gain / unit)) ** 2, CUT * CUT).mean()))


def light_on(level: Level, fit: Fit) -> Image:
    """The part of the light that varies across the card, at the level's compared pixels."""
    return np.asarray(fit.light[1:3].astype(np.float32) @ level.across, np.float32)


def register(
    field: Image,
    prints: Prints,
    template: int,
    pose: Array,
    short_px: int,
    blur: int,
    terms: int = ALL_TERMS,
    iterations: int = 6,
    start_scale: float = 0.4,
    end_scale: float = 0.25,
    slack: float = SLACK,
    hidden: NDArray[np.bool_] | None = None,
    still_share: float = STILL_SHARE,
) -> Fit:
    """Lay a template on the picture from a pose that is a few pixels off; `field` is ink-like, H×W.

    `slack` is how far its corners may be expected off, as a share of the short side (standard deviation): it
    holds what sparse prints leave open. Pixels said to be `hidden` count for nothing. A step that moves the corners by
    less than `still_share` of a pixel of the size is the last.
    """
    level = prints.levels[short_px]
    design = _design(prints, template, 0.0, short_px, blur, terms)
    rows, norm = design.rows, design.norm
    light = rows[:LIGHT_TERMS]
    frame = level.frame
    corners = apply(pose, frame)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners.tolist()
    side = math.hypot(ax - bx, ay - by)
    back = inverse(pose)
    still = max(STILL_PX, still_share * side / short_px)
    shown = level.ones if hidden is None else (~hidden).astype(np.float32)
    # Where the picture's edge is far nothing of the card is sampled outside.
    height, width = field.shape
    inside = (
        min(ax, bx, cx, dx, ay, by, cy, dy) > side
        and max(ax, bx, cx, dx) < width - side
        and max(ay, by, cy, dy) < height - side
    )
    values = sample(field, pose, level)
    pull_of_noise = NOISE_SHARE / (slack * short_px / level.per_mm) ** 2 / len(frame)
    away: Array | None = None
    first = _plain_step(design, values, level.count, pull_of_noise) if inside and hidden is None else None
    weight = shown
    if first is None:
        solution = _held(_solve(light, shown if inside else shown * (values > OUTSIDE), values), light[3])
        residual, weight = _judged(values, light, solution, start_scale, shown, inside)
    for i in range(iterations):
        if first is not None and i == 0:
            full = first
        else:
            # The corners' distance from where they started, against the noise of the pixels.
            gain = max(LEAST_GAIN, float(solution[3]))
            noise = float(np.dot(weight * residual, residual)) + 1e-5 * level.count
            full = _solve(rows, weight, values, design, None if away is None else gain * away, pull_of_noise * noise)
        step = full[LIGHT_TERMS:] / (norm * max(LEAST_GAIN, float(full[3])))
        moved = pose @ inverse(_small(step, terms))
        moved /= moved[2, 2]
        there = apply(moved, frame)
        shift = float(cv2.norm(there, corners, cv2.NORM_INF))
        if not shift <= 0.5 * side:  # where a step led nowhere OpenCV puts the corners at the origin: far off
            if first is not None and i == 0:
                solution = _held(_solve(light, shown, values), light[3])
                residual, weight = _judged(values, light, solution, start_scale, shown, inside)
            break
        pose, corners = moved, there
        last = i == iterations - 1 or shift < still
        values = sample(field, pose, level, cubic=last)
        # Between steps the light is the last step's; only the end needs it exactly.
        solution = (
            _solve(light, weight if inside else weight * (values > OUTSIDE), values) if last else full[:LIGHT_TERMS]
        )
        solution = _held(solution, light[3])
        residual, weight = _judged(values, light, solution, max(end_scale, start_scale * 0.7**i), shown, inside)
        if last:
            break
        away = (apply(back @ pose, frame) - frame).ravel()
    return Fit(
        template,
        pose,
        float(solution[3]),
        residual,
        weight,
        np.asarray(solution[:3]),
        values,
        _energy(residual, shown, level.count if hidden is None else float(shown.sum())),
    )


def _energy(residual: Image, shown: Image, count: float) -> float:
    """The mean square of the residual, each cut off, over the `count` pixels that are shown."""
    squares = residual * residual
    return float(np.dot(np.minimum(squares, np.float32(CUT * CUT), out=squares), shown)) / max(1.0, count)


def race(
    field: Image,
    prints: Prints,
    start: Fit,
    others: list[tuple[int, float]],
    short_px: int,
    blur: int,
    shown: Image,
    rounds: int = 1,
    terms: int = ALL_TERMS,
) -> list[Runner]:
    """Several prints laid where a fit lies, each moved by up to so many steps; best first.

    `others` are templates with the angle (degrees) by which they are turned against the fit's print; `shown` (N)
    is 0 where something covers the card. All take a step; who then lies far behind the first drops out with the
    energy it has. The first step is taken on the fit's own pixels, later ones on each print's own.
    """
    level = prints.levels[short_px]
    shown = shown * (start.values > OUTSIDE)
    noise = float(np.dot(shown, np.minimum(start.residual**2, CUT * CUT))) + 1e-5 * level.count
    pull = NOISE_SHARE * noise / (SLACK * short_px / level.per_mm) ** 2 / len(level.frame)
    unit = np.float32(1 / max(LEAST_GAIN, start.gain))
    count = float(shown.sum())
    running = list(range(len(others)))
    poses = [start.pose] * len(others)
    ended: dict[int, Runner] = {}
    values, weight = start.values, start.weight * shown
    for left in range(rounds - 1, -1, -1):
        for k in running:
            if k in ended:
                values = sample(field, poses[k], level)
                weight = shown / (1.0 + (ended[k].residual / np.float32(RACE_SCALE)) ** 2) ** 2
            template, angle_deg = others[k]
            design = _design(prints, template, angle_deg, short_px, blur, terms)
            full = _solve(design.rows, weight, values, design, None, pull)
            gain = max(float(full[3]), LEAST_GAIN)
            full[:LIGHT_TERMS] = _held(full[:LIGHT_TERMS], design.rows[3])
            residual = (values - full.astype(np.float32) @ design.rows) * unit
            moved = poses[k] @ inverse(_small(full[LIGHT_TERMS:] / (design.norm * gain), terms))
            poses[k] = moved / moved[2, 2]
            turned = poses[k] @ _turn(angle_deg) if angle_deg else poses[k]
            ended[k] = Runner(template, turned, _energy(residual, shown, count), residual)
        least = FAR_BEHIND * min((ended[k].energy for k in running), default=0.0)
        running = [k for k in running if ended[k].energy < least]
        if not left or len(running) < 2:
            break
    return sorted(ended.values(), key=lambda runner: runner.energy)


def unblurred(fit: Fit, prints: Prints, short_px: int, blur: int, shown: NDArray[np.bool_]) -> Fit:
    """The fit with what motion, defocus, sharpening and uneven light do to its print taken out of the residual.

    To first order a blur of covariance S adds half of S times the print's second derivatives (the heat
    equation): three terms; three more for light that bends, two for a gain that slopes. All are fitted where the
    print is `shown`.
    """
    rows = _bends(prints, fit.template, short_px, blur)
    weight = (fit.weight * shown).astype(np.float32)
    solution = _solve(rows, weight, fit.values)
    gain = max(LEAST_GAIN, float(solution[1]))
    return replace(fit, residual=(fit.values - solution.astype(np.float32) @ rows) * np.float32(1 / gain))


def bent(ink: Image, level: Level) -> Image:
    """Offset, ink and the three terms of a little blur, at the compared pixels of an ink (H×W); 5×N."""
    bends = [cv2.Sobel(ink, cv2.CV_32F, dx, dy, scale=1 / 4).take(level.flat) for dx, dy in ((2, 0), (0, 2), (1, 1))]
    return np.stack([level.ones, ink.take(level.flat), *bends])


def bends_of(prints: Prints, template: int, short_px: int, blur: int) -> Image:
    """The same of a print; kept."""
    return _bends(prints, template, short_px, blur)[:5]


def _bends(prints: Prints, template: int, short_px: int, blur: int) -> Image:
    """The rows of `unblurred`; kept."""
    level = prints.levels[short_px]

    def make() -> Image:
        rows, (x, y) = bent(prints.ink(template, short_px, blur), level), level.across
        return np.concatenate([rows, np.stack([x, y, x * x, x * y, y * y, x * rows[1], y * rows[1]])])

    return prints.bends.get((template, short_px, blur), make)


def _design(prints: Prints, template: int, angle_deg: float, short_px: int, blur: int, terms: int) -> Design:
    """The equations of a print that is turned by an angle; kept."""
    level = prints.levels[short_px]

    def make() -> Design:
        ink = turned_ink(prints.ink(template, short_px, blur), angle_deg)
        slopes = _terms(slopes_of(ink, level), terms)
        norm = np.maximum(np.sqrt(np.einsum("tn,tn->t", slopes, slopes, dtype=np.float64) / level.count), 1e-9)
        light = np.concatenate([level.ones[None], level.across, ink.take(level.flat)[None]])
        rows = np.concatenate([light, slopes * (1 / norm[:, None]).astype(np.float32)])
        corners = np.zeros((2 * len(level.frame), LIGHT_TERMS + terms))
        corners[:, LIGHT_TERMS:] = _corner_slopes(level.frame, terms) / norm
        normal = _even_products(rows)
        lit = np.asarray(np.linalg.inv(normal[:LIGHT_TERMS, :LIGHT_TERMS]), np.float64)
        return Design(rows, norm, corners, corners.T @ corners, normal, lit)

    return prints.designs.get((template, angle_deg, short_px, blur, terms), make)


def _even_products(rows: Image) -> NDArray[np.float64]:
    """The products of the rows (K×N) with one another where every pixel's weight is 1, as `_solve` makes them; K×K."""
    normal = np.asarray(cv2.mulTransposed(rows, False, dtype=cv2.CV_64F), np.float64)
    normal.ravel()[:: len(normal) + 1] += 1e-5 * (float(normal[0, 0]) + 1.0)
    return normal


def slopes_of(ink: Image, level: Level) -> Image:
    """How each compared pixel's ink changes with the eight terms of a small homography; 8×N."""
    dx = cv2.Scharr(ink, cv2.CV_32F, 1, 0, scale=1 / 32).take(level.flat) * level.per_mm
    dy = cv2.Scharr(ink, cv2.CV_32F, 0, 1, scale=1 / 32).take(level.flat) * level.per_mm
    x, y = np.ascontiguousarray(level.inner.T, np.float32)
    along = dx * x + dy * y
    return np.stack([dx, dy, dx * x, dx * y, dy * x, dy * y, -along * x, -along * y])


def _judged(
    values: Image, light: Image, solution: NDArray[np.float64], scale: float, shown: Image, inside: bool
) -> tuple[Image, Image]:
    """The residual in units of the gain, and how much each pixel is believed."""
    gain = max(LEAST_GAIN, float(solution[3]))
    residual = (values - solution.astype(np.float32) @ light) * np.float32(1 / gain)
    off = residual * np.float32(1 / scale)
    off *= off
    off += 1
    off *= off
    weight = shown / off
    if not inside and values.min() <= OUTSIDE:
        weight[values <= OUTSIDE] = 0.0
    return residual, weight


def _plain_step(design: Design, values: Image, count: int, pull_of_noise: float) -> NDArray[np.float64] | None:
    """The first step's solution where every pixel counts alike; None where the misfit is so large that something may
    hide the card, which only weights keep from pulling.

    All of it comes from the products of the rows with the values: no pixel is looked at one by one.
    """
    right = (design.rows @ values).astype(np.float64)
    light = right[:LIGHT_TERMS]
    solution = design.lit @ light
    if _held(solution, design.rows[3]) is not solution:
        return None
    gain = max(LEAST_GAIN, float(solution[3]))
    noise = (float(np.dot(values, values)) - float(np.dot(solution, light))) / gain**2
    if noise > PLAIN_NOISE * count:
        return None
    normal = design.normal + pull_of_noise * (max(0.0, noise) + 1e-5 * count) * design.held
    solved, full = cv2.solve(normal, right[:, None], flags=cv2.DECOMP_CHOLESKY)
    return np.asarray(full[:, 0], np.float64) if solved else None


def _held(solution: NDArray[np.float64], ink: Image) -> NDArray[np.float64]:
    """The light with its gain held to what ink can do: black is no darker than black.

    Ink as dark as the print's takes all of the paper's light and not more. Without this any print, blurred to a
    blot and given gain enough, fits any other.
    """
    most = MOST_GAIN * max(0.05, 1.0 - float(solution[0]))
    over = float(solution[3]) - most
    if over <= 0:
        return solution
    held = solution.copy()
    held[3] = most
    held[0] += over * float(ink.mean())
    return held


def _terms(slopes: Image, terms: int) -> Image:
    if terms == NEAR_TERMS:
        return np.stack([slopes[0], slopes[1], slopes[2] + slopes[5], slopes[4] - slopes[3]])
    return slopes[:terms]


def _small(step: NDArray[np.floating], terms: int) -> Array:
    if terms == NEAR_TERMS:
        x, y, grown, turned = step.tolist()
        return np.array([[1 + grown, -turned, x], [turned, 1 + grown, y], [0.0, 0.0, 1.0]])
    d = [*step.tolist(), *[0.0] * (ALL_TERMS - terms)]
    return np.array([[1 + d[2], d[3], d[0]], [d[4], 1 + d[5], d[1]], [d[6], d[7], 1.0]])


@lru_cache(maxsize=256)
def _turn(angle_deg: float) -> Array:
    """A turn of the card's frame about its centre, as a homography; not to be written to."""
    turned = np.eye(3)
    turned[:2, :2] = rotation(angle_deg)
    turned.flags.writeable = False
    return turned


def _corner_slopes(frame: Array, terms: int) -> Array:
    """How the frame's corners move with the terms of a small homography; 8×terms."""
    rows = []
    for x, y in frame:
        rows.append([1, 0, x, y, 0, 0, -x * x, -x * y])
        rows.append([0, 1, 0, 0, x, y, -x * y, -y * y])
    return np.ascontiguousarray(_terms(np.array(rows, np.float32).T, terms).T, np.float64)


def _solve(
    rows: Image,
    weight: Image,
    values: Image,
    held: Design | None = None,
    away: Array | None = None,
    pull: float = 0.0,
) -> NDArray[np.float64]:
    """Weighted least squares; with a design the terms after the four of light are held back by the corners' distance
    (`away`, in units of the gain)."""
    weighted = rows * weight
    normal = (weighted @ rows.T).astype(np.float64)
    right = (weighted @ values).astype(np.float64)
    # The first row is 1 throughout: its square is the sum of the weights.
    normal.ravel()[:: len(normal) + 1] += 1e-5 * (float(normal[0, 0]) + 1.0)
    if held is not None:
        normal += pull * held.held
        if away is not None:
            right += pull * (away @ held.corners)
    solved, solution = cv2.solve(normal, right[:, None], flags=cv2.DECOMP_CHOLESKY)
    return np.asarray(solution[:, 0] if solved else np.linalg.solve(normal, right), np.float64)
