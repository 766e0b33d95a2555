"""Which of a print's cards it is, by colour alone.

Written rules of this module:
- colours are compared with the card's own paper, so that the light's tint falls out;
- veiling light is fitted; what even the best colour leaves over counts against all of them;
- a hand tints what it shades: a partly hidden card's colour has to match better.
Does not belong here: shapes.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.covers import hidden_part
from referee.vision.registration import CUT, Fit
from referee.vision.templates import Image, Prints

OVER_SAMPLES = 14.0  # neighbouring pixels whose errors are one
COLOUR_BLUR = 5  # quarter pixels
COLOUR_SLACK = 0.2
# Squared distance of a colour from the print's own, by lamp, ink and camera, as a share of its strength: so much
# is usual on an open card. A hand tints what it shades, so a partly hidden card is allowed nothing.
USUAL_COLOUR_ERROR = 0.025
OPEN_WEIGHT, HIDDEN_WEIGHT = 4.0, 1.5


def colour_nats(fit: Fit, image: NDArray[np.uint8], prints: Prints, short_px: int, blur: int) -> dict[str, float]:
    """What the colours seen say against each card of a print (nats, 0 = the likeliest).

    With veiling light, ink over paper is 1 - b (1 - print), the same b in all channels; b is fitted.
    """
    cards = prints.templates[fit.template].cards
    if len(cards) == 1:
        return {cards[0]: 0.0}
    level = prints.levels[short_px]
    rows, columns = level.shape
    patch = cv2.warpPerspective(
        image,
        fit.pose @ level.grid,
        (columns, rows),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)
    # Cameras and JPEG keep colour at half the resolution of light: thin strokes lend theirs to the paper
    # beside them, so both sides are blurred alike before they are compared.
    patch = np.asarray(cv2.GaussianBlur(patch, (0, 0), COLOUR_BLUR / 4), np.float32)
    both = round(float(np.hypot(blur, COLOUR_BLUR)))
    ink = prints.ink(fit.template, short_px, both)
    # A hand on the card has a colour of its own.
    hidden = hidden_part(fit, prints, short_px)
    near = np.zeros(level.shape, bool)
    near[level.mask] = (np.abs(fit.residual) < CUT) & ~hidden
    printed = near & (ink > 0.12)
    paper = near & (ink <= np.quantile(ink[level.mask], 0.15))
    if paper.sum() < 12 or printed.sum() < 6:
        return dict.fromkeys(cards, 0.0)
    off: dict[str, Image] = {}
    strengths: dict[str, float] = {}
    for card in cards:
        face = prints.face(card, short_px, both)
        white = np.maximum(np.median(patch[paper] / np.maximum(face[paper], 0.05), axis=0), 1.0)
        seen, want = 1.0 - patch[printed] / white, 1.0 - face[printed]
        depth = float(np.clip((seen * want).sum() / max(1e-6, float((want * want).sum())), 0.1, 1.3))
        off[card] = np.asarray(seen - depth * want, np.float32)
        strengths[card] = float(((depth * want).mean(0) ** 2).sum())
    misfit = {card: float((o * o).sum(1).mean()) for card, o in off.items()}
    top = min(misfit, key=lambda card: misfit[card])
    result = {top: 0.0}
    for card in cards:
        if card == top:
            continue
        a, b = off[top], off[card]
        apart = float(((a - b) ** 2).sum(1).mean()) + 1e-9
        gap = (misfit[card] - misfit[top]) / apart
        noise = misfit[top] * OVER_SAMPLES / len(a) / apart
        # What even the best colour leaves over is an error of unknown direction: grey ink is nobody's.
        left = _unknown(float((a.mean(0) ** 2).sum()), strengths[top], bool(hidden.mean() > 0.03)) / apart
        result[card] = max(0.0, gap) / (2 * (COLOUR_SLACK**2 + noise + left))
    return result


def _unknown(left: float, strength: float, partly_hidden: bool) -> float:
    """What a colour that is nobody's adds to the error of every comparison (in units of squared distance)."""
    if partly_hidden:
        return HIDDEN_WEIGHT * left
    return OPEN_WEIGHT * max(0.0, left - USUAL_COLOUR_ERROR * strength)
