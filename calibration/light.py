"""Calibrating the light: where a lamp shines back, whether it flickers, whether the camera's exposure stands still.

Written rules:
- several frames of the table at rest; what moves in them (an arm) is refused, not averaged;
- flicker is told by what it does to pictures: bands that wander over them, brightness that beats from frame to frame;
- what cannot be told from pictures (the lamp's kind, the shutter's setting) is not said.
Does not belong here: cards under glare (`referee.vision.light`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.charuco import Picture, grey_of
from calibration.profile_file import Part
from referee.errors import InputError
from referee.vision.geometry import Array

FEWEST_FRAMES = 30
GLARE = 250
GLARE_SHARE = 0.002  # of the picture burnt out: a spot as large as a third of a card at a usual height
WASHED = 40.0  # grey values over the table's own shade
BAND_SHARE = 0.012  # bands' amplitude of the brightness; sensor noise averages to a tenth of this along a row
BEAT_SHARE = 0.012
DRIFT_SHARE = 0.04
MOVED_SHARE, MOVED = 0.02, 30.0
DARK = 55.0
MAINS_HZ = (100.0, 120.0)  # light pulses twice in each period of 50 or 60 Hz
_ROWS = 120
_COLUMNS, _LINES = 6, 4
_ACROSS, _DOWN = ("left", "middle", "right"), ("top", "middle", "bottom")


@dataclass(frozen=True)
class LightFound:
    """What several frames say about the light; `problems` in sentences, empty for good light.

    `glare` (rows × columns) is the share burnt out in each part of the picture, `band_share` and `beat_share` the
    flicker within a frame and from frame to frame, `drift_share` how brightness changed from begin to end, all as
    shares of the brightness; `mains_hz` the pulse that fits the beat (None: none does).
    """

    size: tuple[int, int]
    frames: int
    brightness: float
    glare: NDArray[np.float64]
    band_share: float
    beat_share: float
    drift_share: float
    mains_hz: float | None
    problems: tuple[str, ...]


def judge_light(pictures: Sequence[Picture], t_us: Sequence[int]) -> LightFound:
    """Judge frames of the table at rest (H×W×3) with their times; raises `InputError` for too few or a hand in them."""
    if len(pictures) < FEWEST_FRAMES:
        raise InputError(f"{len(pictures)} frames of the table, expected {FEWEST_FRAMES} at least")
    size = (pictures[0].shape[1], pictures[0].shape[0])
    thin = [
        np.asarray(cv2.resize(grey_of(p), (160, _ROWS), interpolation=cv2.INTER_AREA), np.float32) for p in pictures
    ]
    stack = np.stack(thin)
    usual = np.median(stack, axis=0)
    levels = stack.mean(axis=(1, 2)).astype(np.float64)
    relative = stack * (levels.mean() / np.maximum(levels, 1.0))[:, None, None].astype(np.float32)
    if float((np.abs(relative - usual) > MOVED).mean(axis=(1, 2)).max()) > MOVED_SHARE:
        raise InputError("something moved over the table: take the pictures with nobody's hands in them")
    glare = _glare(pictures[len(pictures) // 2])
    bands = _bands(stack, usual)
    slow = np.polyval(np.polyfit(np.arange(len(levels)), levels, 1), np.arange(len(levels)))
    drift = float(abs(slow[-1] - slow[0]) / max(levels.mean(), 1.0))
    quick = levels - slow
    beat = float(np.sqrt(2) * quick.std() / max(levels.mean(), 1.0))
    mains = _mains(np.asarray(t_us, np.float64), quick) if max(beat, bands) > BEAT_SHARE else None
    problems = _problems(glare, bands, beat, drift, mains, float(np.median(usual)))
    return LightFound(size, len(pictures), float(np.median(usual)), glare, bands, beat, drift, mains, problems)


def _glare(picture: Picture) -> NDArray[np.float64]:
    """The share of each part of the picture that is burnt out or nearly so, and lighter than what is around it."""
    grey = grey_of(picture)
    around = cv2.resize(
        cv2.medianBlur(cv2.resize(grey, (160, 120), interpolation=cv2.INTER_AREA), 51), grey.shape[::-1]
    )
    spot = (grey >= GLARE) & (grey.astype(np.float32) - around > WASHED)
    # White print and paper are small or textured; a lamp's spot is a blot.
    spot_8 = cv2.morphologyEx(spot.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    parts = cv2.resize(spot_8.astype(np.float32), (_COLUMNS, _LINES), interpolation=cv2.INTER_AREA)
    return np.asarray(parts, np.float64)


def _bands(stack: NDArray[np.float32], usual: NDArray[np.float32]) -> float:
    """The amplitude of bands across the picture that wander from frame to frame, as a share of the brightness."""
    rows = (stack / np.maximum(usual, 8.0)).mean(axis=2)
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows = rows - np.median(rows, axis=0)
    spectrum = np.abs(np.fft.rfft(rows, axis=1)) * 2 / _ROWS
    return float(np.median(spectrum[:, 1:8].max(axis=1)))


def _mains(t_us: Array, levels: Array) -> float | None:
    """Which mains pulse the brightness follows, as far as the frames' own rate can tell them apart."""
    strength = []
    for hertz in MAINS_HZ:
        phase = 2 * np.pi * hertz * (t_us - t_us[0]) / 1e6
        design = np.column_stack([np.sin(phase), np.cos(phase), np.ones(len(phase))])
        left = levels - design @ np.linalg.lstsq(design, levels, rcond=None)[0]
        strength.append(1 - float(left.var() / max(levels.var(), 1e-12)))
    best, other = (0, 1) if strength[0] >= strength[1] else (1, 0)
    return MAINS_HZ[best] if strength[best] > 0.5 and strength[other] < 0.8 * strength[best] else None


def _problems(
    glare: NDArray[np.float64], bands: float, beat: float, drift: float, mains: float | None, brightness: float
) -> tuple[str, ...]:
    problems = []
    if float(glare.mean()) > GLARE_SHARE:
        row, column = np.unravel_index(int(glare.argmax()), glare.shape)
        where = f"{_DOWN[int(row) * 3 // _LINES]} {_ACROSS[int(column) * 3 // _COLUMNS]}"
        problems.append(f"a lamp shines back at the {where} of the picture: move it aside, or soften it with paper")
    if max(bands / BAND_SHARE, beat / BEAT_SHARE) > 1:
        shutter = {100.0: "1/100 s (mains of 50 Hz)", 120.0: "1/120 s (mains of 60 Hz)"}
        times = shutter.get(mains or 0.0, "1/100 s (mains of 50 Hz) or 1/120 s (60 Hz)")
        problems.append(
            f"the light flickers by {max(bands, beat):.1%}: expose for {times} or a multiple, or change the lamp"
        )
    if drift > DRIFT_SHARE:
        problems.append(f"the brightness drifts by {drift:.0%}: lock the camera's exposure and white balance")
    if brightness < DARK:
        problems.append(f"the table is dark ({brightness:.0f} of 255): more light, so that exposures stay short")
    return tuple(problems)


def light_part(found: LightFound, said: Mapping[str, Any]) -> Part:
    """What the profile keeps of the light, besides what is `said` (device)."""
    figures: dict[str, Any] = {
        **said,
        "picture": list(found.size),
        "frames": found.frames,
        "brightness": round(found.brightness, 1),
        "glare": [[round(float(value), 4) for value in row] for row in found.glare],
        "band_share": round(found.band_share, 4),
        "beat_share": round(found.beat_share, 4),
        "drift_share": round(found.drift_share, 4),
    }
    if found.mains_hz is not None:
        figures["pulse_hz"] = found.mains_hz
    return Part("light", {}, figures)
