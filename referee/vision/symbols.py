"""Reading one card: which print lies at a place of the picture, how, and how sure that is.

Written rules of this module:
- shape is decided in ink and never by colour; colour is decided on its own, against the card's own paper, so
  that the light's tint falls out; both add up, in nats, to one ranking of the deck's cards;
- every serious rival is laid on the picture anew before it is compared: what tells twins is alignment;
- what hides the card (fingers, glare) fits no print and so speaks for none;
- nothing here knows which deck it reads; all constants hold for any deck.
Does not belong here: finding places (`coarse`, `cards`), adding up frames (`evidence`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.borders import best_turned, side_steps
from referee.vision.coarse import Guess
from referee.vision.colours import OVER_SAMPLES, colour_nats
from referee.vision.covers import count_covers, explained, hidden_part
from referee.vision.geometry import Array, turn
from referee.vision.registration import (
    AFFINE_TERMS,
    ALL_TERMS,
    CUT,
    LEAST_GAIN,
    NEAR_TERMS,
    Fit,
    light_on,
    register,
)
from referee.vision.templates import LEVELS_PX, Image, Prints

SIGHT_PX = 32  # the size at which prints and turns are shortlisted
BLURS = (0, 2, 4, 6, 9)  # quarter pixels tried
RIVALS = 3  # prints laid on the picture at full resolution
# How far print, lamp, lens and alignment move the picture from one hypothesis towards another: standard
# deviation of its place between the two (0 at one, 1 at the other), beside the pixels' noise.
SHAPE_SLACK = 0.2
LEAST_ROUGHLY_SEEN = 0.12
LEAST_ROUGHLY_EXPLAINED = 0.25
SIDE_STEP = 15.0  # grey levels, three channels added up, across a side that is seen
COVER_ROUNDS = 2
MOST_COVERED = 0.65
WORTH_TRYING = 6.0  # times the best energy
HOPELESS = 9.0  # nats: the colours of such a rival are not looked at
ROUNDS = 6


@dataclass(frozen=True)
class Ranked:
    """A card of the deck and the logarithm of its likelihood against the best card's (nats, 0 = best)."""

    card: str
    nats: float


@dataclass(frozen=True)
class Look:
    """One look at one card: where it lies, what it may be, best first, and how well the best fits.

    `agreement` is the correlation of print and picture where the card is seen, `seen` the share of the face
    that is and `seen_ink` of the print, `explained` the share of the print's variation found again in the
    picture, `gain` the contrast of the print in the picture (0..1), `sides` how many of the card's sides
    show as an edge, `covers` how many separate things hide parts of it,
    `framed` whether its edge is printed.
    """

    pose: Array
    ranking: tuple[Ranked, ...]
    agreement: float
    seen: float
    seen_ink: float
    explained: float
    gain: float
    energy: float
    sides: int
    covers: int
    framed: bool
    short_px: int


def look(
    field: Image, image: NDArray[np.uint8], prints: Prints, guess: Guess, frame: Array, side: float
) -> Look | None:
    """Read the card at a guess.

    `field` is the picture's ink (H×W), `image` the picture (H×W×3), `frame` the pose about which the guess
    was made, `side` the card's short side in pixels. None when nothing of a print is there.
    """
    start = _rough(field, prints, guess, frame)
    if start is None:
        return None
    short_px = max((px for px in LEVELS_PX if px <= 1.15 * side), default=LEVELS_PX[0])
    best = register(field, prints, start.template, start.pose, short_px, 2, AFFINE_TERMS, 5, 0.4)
    blur = _blur(best, prints, short_px)
    best = _by_its_edges(field, image, prints, best, short_px, blur)
    winner, ordered = _contest(field, prints, best, short_px, blur)
    if winner.template != best.template:
        turned = _by_its_edges(field, image, prints, winner, short_px, blur)
        if np.abs(turned.pose - winner.pose).max() > 0.2 * np.abs(winner.pose[:2, :2]).max():
            winner, ordered = _contest(field, prints, turned, short_px, blur)
    best, ordered = _uncovered(field, prints, ordered, short_px, blur)
    ranking = _rank(ordered, image, prints, short_px, blur)
    hidden = hidden_part(best, prints, short_px)
    shown = ~hidden
    n = max(1, int(shown.sum()))
    ink = prints.ink(best.template, short_px, blur)[prints.levels[short_px].mask]
    misfit = np.minimum(best.residual[shown] ** 2, CUT * CUT).sum()
    return Look(
        best.pose,
        ranking,
        _agreement(best, prints, short_px, blur),
        n / len(hidden),
        float(ink[shown].sum()) / max(1e-6, float(ink.sum())),
        explained(best, prints, short_px, blur, shown),
        best.gain,
        float(misfit) / n,
        int((side_steps(image, best.pose, prints.deck.card_mm) > SIDE_STEP).sum()),
        count_covers(hidden, prints, short_px),
        prints.templates[best.template].framed,
        short_px,
    )


def _rough(field: Image, prints: Prints, guess: Guess, frame: Array) -> Fit | None:
    """The likeliest print in its likeliest turn, laid on the picture at low resolution."""
    rough = [
        register(field, prints, guess.prints[i][0], guess.pose(frame, i), SIGHT_PX, 2, NEAR_TERMS, 4, slack=0.15)
        for i in range(min(2, len(guess.prints)))
    ]
    best = min(rough, key=lambda fit: fit.energy)
    shown = ~hidden_part(best, prints, SIGHT_PX)
    if shown.mean() < LEAST_ROUGHLY_SEEN or explained(best, prints, SIGHT_PX, 2, shown) < LEAST_ROUGHLY_EXPLAINED:
        return None
    energy = turned_energies(best, prints, SIGHT_PX, 2)
    likely = sorted({best.template, *(int(t) for t in np.argsort(energy.min(1))[:2])})
    for template in likely:
        for i, quarter in enumerate(prints.turns):
            if energy[template, i] < WORTH_TRYING * best.energy:
                pose = best.pose @ turn(-quarter)
                rough.append(register(field, prints, template, pose, SIGHT_PX, 2, AFFINE_TERMS, 5, 0.35))
    return min(rough, key=lambda fit: fit.energy)


def _uncovered(field: Image, prints: Prints, ordered: list[Fit], short_px: int, blur: int) -> tuple[Fit, list[Fit]]:
    """The likeliest prints laid anew on what nothing covers, so that fingers neither pull nor vote."""
    for _ in range(COVER_ROUNDS):
        hidden = hidden_part(ordered[0], prints, short_px)
        if not 0.03 < hidden.mean() < MOST_COVERED:
            break
        again = [
            register(field, prints, fit.template, fit.pose, short_px, blur, ALL_TERMS, 8, 0.35, hidden=hidden)
            for fit in ordered[: RIVALS + 1]
        ]
        ordered = sorted(again, key=lambda fit: fit.energy)
    return ordered[0], ordered


def _by_its_edges(field: Image, image: NDArray[np.uint8], prints: Prints, fit: Fit, short_px: int, blur: int) -> Fit:
    """A fit laid anew in the direction that the card's edges speak for."""
    template = prints.templates[fit.template]
    pose = fit.pose
    if template.alike_deg:
        pose = best_turned(image, pose, prints.deck.card_mm, template.alike_deg, template.middle_mm)
    return register(field, prints, fit.template, pose, short_px, blur, ALL_TERMS, 6, 0.35)


def _contest(field: Image, prints: Prints, best: Fit, short_px: int, blur: int) -> tuple[Fit, list[Fit]]:
    """The print and turn that fit best, and every print tried, best first.

    Whoever wins, all its rivals have been laid on the picture from the winner's own pose: a rival that only
    had a bad start would make a wrong reading look sure.
    """
    fits = {best.template: best}
    for _ in range(ROUNDS):
        start = best
        for template, quarter in _rivals(start, prints, short_px, blur):
            pose = start.pose @ turn(-quarter)
            fit = register(field, prints, template, pose, short_px, blur, ALL_TERMS, 8, 0.35)
            if template not in fits or fit.energy < fits[template].energy:
                fits[template] = fit
            if fit.energy < 0.98 * best.energy:
                best = fit
        if best is start:
            break
    best = min(fits.values(), key=lambda fit: fit.energy)
    return best, sorted(fits.values(), key=lambda fit: fit.energy)


def _rivals(best: Fit, prints: Prints, short_px: int, blur: int) -> list[tuple[int, int]]:
    """The prints and quarter turns that could lie at a fit's pose as well, likeliest first."""
    energy = turned_energies(best, prints, short_px, blur)
    allowed = WORTH_TRYING * best.energy + 0.02
    pairs = [(best.template, i) for i in range(1, len(prints.turns)) if energy[best.template, i] < allowed]
    others = [int(t) for t in np.argsort(energy.min(1)) if t != best.template][:RIVALS]
    # A twin is tried the way the winner lies too: its own best turn is a guess at the winner's pose.
    pairs += [(t, i) for t in others for i in sorted({0, int(np.argmin(energy[t]))}) if energy[t, i] < allowed]
    if not any(t != best.template for t, _ in pairs) and others:
        pairs.append((others[0], int(np.argmin(energy[others[0]]))))
    return [(t, prints.turns[i]) for t, i in pairs]


def turned_energies(fit: Fit, prints: Prints, short_px: int, blur: int) -> Image:
    """How ill every print fits in every turn at the pose of one fit: templates × turns."""
    stack = prints.turned(short_px, blur)
    level = prints.levels[short_px]
    light = light_on(level, fit)
    values = fit.values - light
    n = stack.shape[1]
    mean, means = float(values.mean()), stack.mean(1)
    spread = np.maximum((stack * stack).sum(1) / n - means**2, 1e-5)
    gain = np.maximum((stack @ values / n - means * mean) / spread, 0.04)
    residual = (values[None] - (mean - gain * means)[:, None]) / gain[:, None] - stack
    energy = np.minimum(residual * residual, CUT * CUT).mean(1)
    return np.asarray(energy.reshape(-1, len(prints.turns)), np.float32)


def _blur(fit: Fit, prints: Prints, short_px: int) -> int:
    """The blur of the picture, in quarter pixels of the level: the one at which the print agrees best."""
    return max(BLURS, key=lambda b: _agreement(fit, prints, short_px, b))


def _agreement(fit: Fit, prints: Prints, short_px: int, blur: int) -> float:
    level = prints.levels[short_px]
    ink = prints.ink(fit.template, short_px, blur)[level.mask]
    values = fit.values - light_on(level, fit)
    near = np.abs(fit.residual) < CUT
    if near.sum() < 16:
        return 0.0
    v, k = values[near] - values[near].mean(), ink[near] - ink[near].mean()
    below = float((v * v).sum() * (k * k).sum())
    return float((v * k).sum()) / float(np.sqrt(below)) if below > 0 else 0.0


def _rank(fits: list[Fit], image: NDArray[np.uint8], prints: Prints, short_px: int, blur: int) -> tuple[Ranked, ...]:
    """Every card of the prints laid, with what speaks against it in nats.

    A pair of hypotheses is judged by where the picture stands between them: 0 at the best, 1 at the rival.
    Its error is the pixels' noise over what tells the pair apart, and a systematic part.
    """
    best: dict[int, Fit] = {}
    for fit in fits:
        best.setdefault(fit.template, fit)
    winner = fits[0]
    nats: list[Ranked] = []
    for template, fit in best.items():
        against = 0.0 if fit is winner else _against(winner, fit, prints, short_px, blur)
        if against > HOPELESS:
            nats += [Ranked(card, -against) for card in prints.templates[template].cards]
            continue
        for card, colour in colour_nats(fit, image, prints, short_px, blur).items():
            nats.append(Ranked(card, -against - colour))
    nats.sort(key=lambda r: -r.nats)
    top = nats[0].nats
    return tuple(Ranked(r.card, r.nats - top) for r in nats)


def _against(winner: Fit, rival: Fit, prints: Prints, short_px: int, blur: int) -> float:
    """How much the picture speaks for the winner's shape and against the rival's (nats, >= 0)."""
    level = prints.levels[short_px]
    rows, columns = level.shape
    # The rival's print, laid where it fits best, seen on the winner's grid: both answer for the same pixels.
    between = np.linalg.inv(rival.pose @ level.grid) @ winner.pose @ level.grid
    moved = cv2.warpPerspective(
        prints.ink(rival.template, short_px, blur),
        between,
        (columns, rows),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )[level.mask]
    own = prints.ink(winner.template, short_px, blur)[level.mask]
    values = winner.values - light_on(level, winner)
    a = winner.residual
    shown = np.abs(a) < CUT
    n = int(shown.sum())
    if n < 32:
        return 0.0
    gain = max(LEAST_GAIN, winner.gain)
    design = np.stack([np.ones_like(moved), moved], 1)
    b = values - design @ np.linalg.lstsq(design[shown], values[shown], rcond=None)[0]
    design = np.stack([np.ones_like(own), own], 1)
    a = values - design @ np.linalg.lstsq(design[shown], values[shown], rcond=None)[0]
    a, b = np.clip(a / gain, -CUT, CUT), np.clip(b / gain, -CUT, CUT)
    shown = (np.abs(a) < CUT) | (np.abs(b) < CUT)
    n = int(shown.sum())
    a, b = a[shown], b[shown]
    apart = float(((a - b) ** 2).mean()) + 1e-9
    gap = float((b * b).mean() - (a * a).mean()) / apart
    noise = float((a * a).mean()) * OVER_SAMPLES / n / apart
    return max(0.0, gap) / (2 * (SHAPE_SLACK**2 + noise))
