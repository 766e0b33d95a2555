"""Registration: laying an enrolled print on the camera's pixels to a fraction of a pixel.

Written rules of this module:
- the picture is compared at its own resolution, the print is blurred to it, never the other way round;
- light is part of the model: what is seen is offset + slope across the card + gain × ink, robustly fitted, so
  that a shadow's edge, a reflection or a finger counts as hidden and pulls nothing;
- the method is inverse compositional Gauss-Newton (Baker and Matthews, IJCV 56(3), 2004) with Geman-McClure
  weights (Geman and McClure, 1987), whose scale shrinks from coarse to the residual's own spread.
Does not belong here: which card it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.geometry import Array, apply
from referee.vision.templates import Image, Level, Prints

LEAST_GAIN = 0.04
CUT = 0.35  # residuals, in units of the gain, count up to here: what hides a card hides it from every print
NEAR_TERMS = 4  # shift, turn and size
AFFINE_TERMS = 6
ALL_TERMS = 8


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
    spread: float
    energy: float


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
    return np.asarray(patch[level.mask], np.float32)


def light_on(level: Level, fit: Fit) -> Image:
    """The part of the light that varies across the card, at the level's compared pixels."""
    return np.asarray(level.inner @ (fit.light[1:3] / level.reach), np.float32)


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
    slack: float = 0.06,
    hidden: NDArray[np.bool_] | None = None,
) -> Fit:
    """Lay a template on the picture from a pose that is a few pixels off; `field` is ink-like, H×W.

    `slack` is how far its corners may be expected off, as a share of the short side (standard deviation): it
    holds what sparse prints leave open. Pixels said to be `hidden` count for nothing.
    """
    level = prints.levels[short_px]
    design, norm = _design(prints, template, short_px, blur, terms)
    light, ink = design[:, :4], design[:, 3]
    frame = level.frame
    reins = _corner_slopes(frame, terms) / norm
    start = np.linalg.inv(pose)
    side = float(np.linalg.norm(apply(pose, frame[:1]) - apply(pose, frame[1:2])))
    shown = np.ones(len(ink), np.float32) if hidden is None else (~hidden).astype(np.float32)
    values = sample(field, pose, level)
    solution = _solve(light, shown * (values > OUTSIDE), values)
    residual, weight = _judged(values, light, solution, start_scale, shown)
    for i in range(iterations):
        # The corners' distance from where they started, against the noise of the pixels.
        gain = max(LEAST_GAIN, float(solution[3]))
        away = (apply(start @ pose, frame) - frame).ravel()
        noise = float(np.dot(weight, residual * residual)) + 1e-5 * len(ink)
        pull = NOISE_SHARE * noise / (slack * short_px / level.per_mm) ** 2 / len(frame)
        full = _solve(design, weight, values, reins / gain, away, pull * gain * gain)
        step = full[4:] / (norm * max(LEAST_GAIN, float(full[3])))
        moved = pose @ np.linalg.inv(_small(step, terms))
        moved /= moved[2, 2]
        if not np.all(np.isfinite(moved)):
            break
        shift = float(np.abs(apply(moved, frame) - apply(pose, frame)).max())
        if shift > 0.5 * side:
            break
        pose = moved
        last = i == iterations - 1 or shift < STILL_PX
        values = sample(field, pose, level, cubic=last)
        # Between steps the light is the last step's; only the end needs it exactly.
        solution = _solve(light, weight * (values > OUTSIDE), values) if last else full[:4]
        residual, weight = _judged(values, light, solution, max(end_scale, start_scale * 0.7**i), shown)
        if last:
            break
    inside = values > OUTSIDE
    return Fit(
        template,
        pose,
        float(solution[3]),
        residual,
        weight,
        np.asarray(solution[:3]),
        values,
        _spread(residual, inside),
        float(np.dot(np.minimum(residual * residual, CUT * CUT), shown) / max(1.0, float(shown.sum()))),
    )


def _design(prints: Prints, template: int, short_px: int, blur: int, terms: int) -> tuple[Image, Array]:
    """The columns of the equations: light (1, x, y, ink), then the pose's terms, scaled to like size."""
    key = (template, short_px, blur, terms)
    known = prints.designs.get(key)
    if known is not None:
        return known
    level = prints.levels[short_px]
    ink = prints.ink(template, short_px, blur)[level.mask]
    slopes = _terms(prints.slopes(template, short_px, blur), terms)
    points = level.inner.astype(np.float32) / np.float32(level.reach)
    norm = np.maximum(np.sqrt((slopes.astype(np.float64) ** 2).mean(0)), 1e-9)
    light = np.stack([np.ones_like(ink), points[:, 0], points[:, 1], ink], 1)
    made = (np.concatenate([light, slopes / norm.astype(np.float32)], 1).astype(np.float32), norm)
    while len(prints.designs) >= KEPT_DESIGNS:
        del prints.designs[next(iter(prints.designs))]
    prints.designs[key] = made
    return made


FRAME = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
STILL_PX = 0.03
OUTSIDE = -0.5  # what is sampled outside the picture is less
KEPT_DESIGNS = 64
NOISE_SHARE = 0.1  # pixels' misfits hang together: one in ten counts


def _judged(
    values: Image, light: Image, solution: NDArray[np.float64], scale: float, shown: Image
) -> tuple[Image, Image]:
    """The residual in units of the gain, and how much each pixel is believed."""
    gain = max(LEAST_GAIN, float(solution[3]))
    residual = (values - light @ solution[:4].astype(np.float32)) / np.float32(gain)
    weight = shown / (1.0 + (residual / np.float32(scale)) ** 2) ** 2
    weight[values <= OUTSIDE] = 0.0
    return residual, weight


def _terms(slopes: Image, terms: int) -> Image:
    if terms == NEAR_TERMS:
        near = [slopes[:, 0], slopes[:, 1], slopes[:, 2] + slopes[:, 5], slopes[:, 4] - slopes[:, 3]]
        return np.stack(near, 1)
    return slopes[:, :terms]


def _small(step: NDArray[np.floating], terms: int) -> Array:
    d = np.zeros(8)
    if terms == NEAR_TERMS:
        d[:2] = step[:2]
        d[2] = d[5] = step[2]
        d[4], d[3] = step[3], -step[3]
    else:
        d[:terms] = step
    return np.array([[1 + d[2], d[3], d[0]], [d[4], 1 + d[5], d[1]], [d[6], d[7], 1.0]])


def _corner_slopes(frame: Array, terms: int) -> Array:
    """How the frame's corners move with the terms of a small homography; 8×terms."""
    rows = []
    for x, y in frame:
        rows.append([1, 0, x, y, 0, 0, -x * x, -x * y])
        rows.append([0, 1, 0, 0, x, y, -x * y, -y * y])
    slopes = np.array(rows, np.float64)
    if terms == NEAR_TERMS:
        return np.stack([slopes[:, 0], slopes[:, 1], slopes[:, 2] + slopes[:, 5], slopes[:, 4] - slopes[:, 3]], 1)
    return slopes[:, :terms]


def _solve(
    design: Image,
    weight: Image,
    values: Image,
    reins: Array | None = None,
    away: Array | None = None,
    pull: float = 0.0,
) -> NDArray[np.float64]:
    """Weighted least squares; the terms after the four of light are held back by the corners' distance."""
    weighted = design.T * weight
    normal = (weighted @ design).astype(np.float64)
    right = (weighted @ values).astype(np.float64)
    normal.flat[:: len(normal) + 1] += 1e-5 * (float(weight.sum()) + 1.0)
    if reins is not None and away is not None:
        normal[4:, 4:] += pull * reins.T @ reins
        right[4:] += pull * reins.T @ away
    return np.asarray(np.linalg.solve(normal, right), np.float64)


def _spread(residual: Image, inside: NDArray[np.bool_]) -> float:
    values = np.abs(residual[inside])
    return 1.4826 * float(np.median(values)) if values.size else 1.0
