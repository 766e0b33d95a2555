"""Which print lies at a place: the likeliest, and what speaks against every serious rival.

Written rules of this module:
- shape is decided in ink and never by colour;
- every serious rival is laid on the picture anew before it is compared: what tells twins is alignment. Rivals
  first take one step from the winner's pose, all at once; only those that come near are laid on it fully;
- what hides the card (fingers, glare) fits no print and so speaks for none;
- whoever wins, all its rivals start from the winner's own pose: a rival that only had a bad start would make a
  wrong reading look sure.
Does not belong here: colours, how a card's direction is told from its edges, confidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.colours import OVER_SAMPLES
from referee.vision.geometry import Array, inverse
from referee.vision.levels import Image
from referee.vision.prints import Prints
from referee.vision.registration import (
    ALL_TERMS,
    CUT,
    LEAST_GAIN,
    MOST_GAIN,
    Fit,
    bends_of,
    bent,
    light_on,
    race,
    register,
    sample,
)

SIGHT_PX = 32  # the size at which prints and turns are shortlisted
BLURS = (0, 2, 4, 6, 9, 13)  # quarter pixels tried
RIVALS = 4  # other prints looked at closely
# How far print, lamp, lens and alignment move the picture from one hypothesis towards another: standard
# deviation of its place between the two (0 at one, 1 at the other), beside the pixels' noise.
SHAPE_SLACK = 0.2
WORTH_TRYING = 6.0  # times the best energy
NEAR_NATS = 10.5  # of a rival after one step: those nearer are laid on the picture fully
# How well the blur is known: half a variance in squared pixels, so much always and so much a pixel of blur.
BLUR_ERROR = (0.1, 0.25)
ROUNDS = 3
MOST_LAID = 6  # rivals laid on the picture fully in one round
ILL_ENERGY = 0.035
BLOT_RIVALS = 3  # other prints that all come near
SAME_DEG = 4.0
SHORTLIST = 24  # prints and turns whose energy is worked out exactly
TWIN_ALIKE = 0.93  # coarse correlation of prints that differ in details only
GOOD_ENERGY = 0.012  # of a print that is surely the right one, or its twin


@dataclass(frozen=True)
class Rival:
    """A print other than the winner, what speaks against it (nats), and where it fits best if it came near."""

    template: int
    nats: float
    fit: Fit | None


@dataclass(frozen=True)
class Verdict:
    """The print that fits best and its rivals, nearest first."""

    best: Fit
    rivals: tuple[Rival, ...]

    @property
    def margin(self) -> float:
        """How far the nearest rival lies behind, in nats; infinite when no other print came near."""
        return self.rivals[0].nats if self.rivals else float("inf")


def contest(
    field: Image,
    prints: Prints,
    best: Fit,
    short_px: int,
    blur: int,
    hidden: NDArray[np.bool_] | None = None,
    energy: NDArray[np.float64] | None = None,
) -> Verdict:
    """The print and turn that fit best at a fit's place, and what speaks against the others.

    `energy` (templates × turns) is how ill every print fits there, where that is known already (`turned_energies`).
    """
    shown = prints.levels[short_px].ones if hidden is None else (~hidden).astype(np.float32)
    # Where no print fits there is no card, or little of it is seen: it will not be named, whoever wins.
    rounds, most = (ROUNDS, MOST_LAID) if best.energy < ILL_ENERGY else (1, 2)
    for left in range(rounds - 1, -1, -1):
        if energy is None:
            energy = _energies(field, best, prints, short_px, blur)
        others = _others(best, prints, energy)
        near: dict[int, Rival] = {}
        better, lowest, laid = best, 0.0, 0
        for runner in race(field, prints, best, others, short_px, blur, shown):
            nats = against(best.residual, runner.residual, shown)
            if nats < NEAR_NATS and laid < most:
                laid += 1
                pose, template = runner.pose, runner.template
                fit = register(field, prints, template, pose, short_px, blur, ALL_TERMS, 5, 0.35, hidden=hidden)
                nats = _against(best, fit, prints, short_px, blur)
                if nats < lowest:
                    better, lowest = fit, nats
                if template not in near or nats < near[template].nats:
                    near[template] = Rival(template, nats, fit)
            elif runner.template not in near:
                near[runner.template] = Rival(runner.template, nats, None)
        # Where so many unlike prints come near that fit no better, none of them lies there: the margin stays nothing.
        blot = better.energy > GOOD_ENERGY and sum(rival.fit is not None for rival in near.values()) >= BLOT_RIVALS
        if better is best or not left or blot:
            break
        best, energy = better, None
    rivals = (replace(rival, nats=0.0) if rival.nats < 0 else rival for rival in near.values())
    return Verdict(best, tuple(sorted(rivals, key=lambda rival: rival.nats)))


def _energies(field: Image, best: Fit, prints: Prints, short_px: int, blur: int) -> NDArray[np.float64]:
    """How ill every print fits in every turn where a fit lies; templates × turns."""
    level = prints.levels[SIGHT_PX]
    values = sample(field, best.pose, level) - light_on(level, best)
    return turned_energies(prints, values, nearest_blur(blur * SIGHT_PX / short_px), best.gain)


def _others(best: Fit, prints: Prints, energy: NDArray[np.float64]) -> list[tuple[int, float]]:
    """The prints that could lie at a fit's pose as well, each with its angle against the fit's, likeliest first."""
    allowed = WORTH_TRYING * energy[best.template, 0] + 0.02
    order = [t for t in np.argsort(energy.min(1))[: RIVALS + 1].tolist() if t != best.template][:RIVALS]
    own = dict(zip(order, energy[order].argmin(1).tolist(), strict=True))
    # A twin is tried the way the winner lies too: its own best turn is a guess at the winner's pose.
    near = [(t, i) for t in order for i in sorted({0, own[t]}) if energy[t, i] < allowed]
    if not near:
        near = [(t, own[t]) for t in order[:1]]
    others = [(t, -90.0 * prints.turns[i]) for t, i in near]
    most_alike = prints.alike[best.template].max(1).tolist()
    # Where the winner looks like itself in several directions, its twin (an octagon for a circle) may lie in any.
    twins = [t for t in order if most_alike[t] > TWIN_ALIKE]
    others += [
        (t, angle)
        for t in twins
        for angle in prints.templates[best.template].alike_deg
        if all(abs(angle - its) > SAME_DEG for its in prints.templates[t].alike_deg)
    ]
    if best.energy > GOOD_ENERGY:
        others += prints.askew.get(best.template, ())
    return others


def nearest_blur(blur: float) -> int:
    """The one of `BLURS` that is nearest."""
    return min(BLURS, key=lambda known: abs(known - blur))


def turned_energies(prints: Prints, values: Image, blur: int, unit: float) -> NDArray[np.float64]:
    """How ill every print fits in every turn what is seen at one pose; templates × turns.

    `values` are the picture's, at `SIGHT_PX`, with the slopes of light taken out; residuals are in units of `unit`.
    Those that fit far worse than others are given too high an energy.
    """
    stack, means, spread = prints.turned(SIGHT_PX, blur)
    n = stack.shape[1]
    mean = float(values.sum()) / n
    values = values - np.float32(mean)
    # No ink is blacker than black (see `registration`).
    most = MOST_GAIN * max(0.05, 1.0 - mean) / np.maximum(0.1, 1.0 - MOST_GAIN * means)
    along = stack @ values / n
    gain = np.minimum(np.maximum(along / spread, LEAST_GAIN), most).astype(np.float32)
    scale = np.float32(1 / max(LEAST_GAIN, unit))
    energy = (float(np.dot(values, values)) / n + gain * (gain * spread - 2 * along)) * scale**2
    # What is far off is cut off, so that what hides a card speaks for none: only for prints that come near.
    near = np.argpartition(energy, SHORTLIST)[:SHORTLIST] if len(energy) > SHORTLIST else np.arange(len(energy))
    off = stack.take(near, 0)
    off *= (-scale * gain)[near, None]
    off += scale * values
    np.multiply(off, off, out=off)
    np.minimum(off, np.float32(CUT * CUT), out=off)
    energy[near] = off.sum(1) / np.float32(n)
    return np.asarray(energy.reshape(-1, len(prints.turns)), np.float64)


def against(winner: Image, rival: Image, shown: Image) -> float:
    """How much two residuals (in units of the gain) speak for the winner and against the rival, in nats.

    A pair of hypotheses is judged by where the picture stands between them: 0 at the best, 1 at the rival.
    Its error is the pixels' noise over what tells the pair apart, and a systematic part.
    """
    most = np.float32(CUT)
    a, b = (np.minimum(np.maximum(residual, -most), most) for residual in (winner, rival))
    counted = ((np.abs(a) < most) | (np.abs(b) < most)) * shown
    n = float(counted.sum())
    if n < 32:
        return 0.0
    aa, bb = float(np.dot(counted, a * a)) / n, float(np.dot(counted, b * b)) / n
    a -= b
    apart = float(np.dot(counted, a * a)) / n + 1e-9
    noise = aa * OVER_SAMPLES / n / apart
    return (bb - aa) / apart / (2 * (SHAPE_SLACK**2 + noise))


def _against(winner: Fit, rival: Fit, prints: Prints, short_px: int, blur: int) -> float:
    """The same of two prints laid on the picture, each where it fits best.

    The blur is known only so well, and twins may differ in no more than what a little blur does: either print is
    compared at the blur that suits it best, as far as the blur's own error goes.
    """
    level = prints.levels[short_px]
    rows, columns = level.shape
    # The rival's print, laid where it fits best, seen on the winner's grid: both answer for the same pixels.
    between: Array = inverse(rival.pose @ level.grid) @ winner.pose @ level.grid
    moved = cv2.warpPerspective(
        prints.ink(rival.template, short_px, blur),
        between,
        (columns, rows),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    values = winner.values - light_on(level, winner)
    shown = (np.abs(winner.residual) < CUT).astype(np.float32)
    known_px2 = BLUR_ERROR[0] + BLUR_ERROR[1] * blur / 4
    loose = OVER_SAMPLES * (winner.energy + 1e-5) / known_px2**2
    gain = np.float32(1 / max(LEAST_GAIN, winner.gain))
    own, other = bends_of(prints, winner.template, short_px, blur), bent(np.asarray(moved, np.float32), level)
    a, b = (_left(values, rows, shown, loose) * gain for rows in (own, other))
    return against(a, b, level.ones)


def _left(values: Image, rows: Image, shown: Image, loose: float) -> Image:
    """What offset + gain × print, at a blur that may be a little off (`registration.bent`), leaves over of the values.

    Fitted where `shown`; `loose` holds the three terms of blur near zero.
    """
    weighted = rows * shown
    normal = (weighted @ rows.T).astype(np.float64)
    normal.ravel()[:: len(normal) + 1] += (1e-3, 1e-3, loose, loose, loose)
    right = (weighted @ values).astype(np.float64)
    solved, solution = cv2.solve(normal, right[:, None], flags=cv2.DECOMP_CHOLESKY)
    found = solution[:, 0] if solved else np.linalg.solve(normal, right)
    return np.asarray(values - found.astype(np.float32) @ rows, np.float32)
