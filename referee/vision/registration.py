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
    `agreement` is the weighted correlation of print and picture, `energy` the mean squared residual, each cut
    off at `CUT`.
    """

    template: int
    pose: Array
    gain: float
    residual: Image
    weight: Image
    light: Array
    values: Image
    agreement: float
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
    points = level.points[level.mask.ravel()]
    reach = float(np.abs(points).max())
    return np.asarray(points @ fit.light[1:3] / reach, np.float32)


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
) -> Fit:
    """Lay a template on the picture from a pose that is a few pixels off; `field` is ink-like, H×W."""
    level = prints.levels[short_px]
    ink = prints.ink(template, short_px, blur)[level.mask]
    slopes = _terms(prints.slopes(template, short_px, blur), terms)
    points = level.points[level.mask.ravel()].astype(np.float32)
    reach = float(np.abs(points).max())
    light = np.stack([np.ones_like(ink), points[:, 0] / reach, points[:, 1] / reach, ink], 1)
    # Columns of like size keep the normal equations well conditioned.
    norm = np.maximum(np.sqrt((slopes**2).mean(0)), 1e-9)
    slopes = slopes / norm
    design = np.concatenate([light, slopes], 1)
    values = sample(field, pose, level)
    weight = (values > -0.5).astype(np.float32)
    side = float(np.linalg.norm(apply(pose, FRAME[:1] * reach) - apply(pose, FRAME[1:2] * reach)))
    solution = _solve(light, weight, values)
    residual, weight = _judged(values, light, solution, start_scale)
    for i in range(iterations):
        full = _solve(design, weight, values)
        step = full[4:] / (norm * max(LEAST_GAIN, float(full[3])))
        moved = pose @ np.linalg.inv(_small(step, terms))
        moved /= moved[2, 2]
        if not np.all(np.isfinite(moved)):
            break
        frame = FRAME * reach
        shift = float(np.abs(apply(moved, frame) - apply(pose, frame)).max())
        if shift > 0.5 * side:
            break
        pose = moved
        last = i == iterations - 1 or shift < STILL_PX
        values = sample(field, pose, level, cubic=last)
        solution = _solve(light, weight * (values > -0.5), values)
        residual, weight = _judged(values, light, solution, max(end_scale, start_scale * 0.7**i))
        if last:
            break
    gain = float(solution[3])
    inside = values > -0.5
    spread = _spread(residual, inside)
    energy = float(np.minimum(residual * residual, CUT * CUT).mean())
    return Fit(
        template,
        pose,
        gain,
        residual.astype(np.float32),
        weight.astype(np.float32),
        np.asarray(solution[:3]),
        values,
        _agreement(values - light[:, :3] @ solution[:3], ink, weight),
        spread,
        energy,
    )


FRAME = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
STILL_PX = 0.02


def _judged(values: Image, light: Image, solution: NDArray[np.float64], scale: float) -> tuple[Image, Image]:
    """The residual in units of the gain, and how much each pixel is believed."""
    gain = max(LEAST_GAIN, float(solution[3]))
    residual = (values - light @ solution[:4].astype(np.float32)) / np.float32(gain)
    weight = 1.0 / (1.0 + (residual / scale) ** 2) ** 2
    weight[values <= -0.5] = 0.0
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


def _solve(design: Image, weight: Image, values: Image) -> NDArray[np.float64]:
    weighted = design * weight[:, None]
    normal = (weighted.T @ design).astype(np.float64)
    right = (weighted.T @ values).astype(np.float64)
    total = float(weight.sum()) + 1.0
    normal[np.diag_indices_from(normal)] += 1e-5 * total
    return np.linalg.solve(normal, right)


def _spread(residual: Image, inside: NDArray[np.bool_]) -> float:
    values = np.abs(residual[inside])
    return 1.4826 * float(np.median(values)) if values.size else 1.0


def _agreement(values: Image, ink: Image, weight: Image) -> float:
    total = float(weight.sum())
    if total < 1e-6:
        return 0.0
    v = values - float((weight * values).sum()) / total
    k = ink - float((weight * ink).sum()) / total
    below = float((weight * v * v).sum()) * float((weight * k * k).sum())
    return float((weight * v * k).sum()) / float(np.sqrt(below)) if below > 0 else 0.0
