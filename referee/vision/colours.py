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

from referee.vision.prints import Prints
from referee.vision.registration import CUT, Fit

OVER_SAMPLES = 14.0  # neighbouring pixels whose errors are one
COLOUR_BLUR = 5  # quarter pixels
COLOUR_SLACK = 0.2
PRINTED_INK = 0.12
SOFT_BLUR = 4  # quarter pixels: from here on half the blur is tried, too
MANY_PRINTED, MANY_PAPER = 300, 120
# Squared distance of a colour from the print's own, by lamp, ink and camera, as a share of its strength: so much
# is usual on an open card. A hand tints what it shades, so a partly hidden card is allowed nothing.
USUAL_COLOUR_ERROR = 0.025
OPEN_WEIGHT, HIDDEN_WEIGHT = 4.0, 1.5


def colour_nats(
    fit: Fit, image: NDArray[np.uint8], prints: Prints, short_px: int, blur: int, hidden: NDArray[np.bool_]
) -> dict[str, float]:
    """What the colours seen say against each card of a print (nats, 0 = the likeliest), where it is not `hidden`.

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
    )
    # Cameras and JPEG keep colour at half the resolution of light: thin strokes lend theirs to the paper
    # beside them, so both sides are blurred alike before they are compared.
    patch = cv2.GaussianBlur(patch.astype(np.float32), (0, 0), COLOUR_BLUR / 4).reshape(-1, 3)[level.flat]
    blurs = sorted({blur, blur if blur < SOFT_BLUR else blur // 2})
    both = [round(float(np.hypot(one, COLOUR_BLUR))) for one in blurs]
    ink = prints.ink(fit.template, short_px, both[-1]).take(level.flat)
    # A hand on the card has a colour of its own.
    near = (np.abs(fit.residual) < CUT) & ~hidden
    printed = np.flatnonzero(near & (ink > PRINTED_INK))
    least = np.partition(ink, len(ink) * 3 // 20)[len(ink) * 3 // 20]
    paper = np.flatnonzero(near & (ink <= least))
    if len(paper) < 12 or len(printed) < 6:
        return dict.fromkeys(cards, 0.0)
    n = len(printed)
    # Neighbours say the same: a few hundred pixels are enough.
    printed, paper = printed[:: 1 + n // MANY_PRINTED], paper[:: 1 + len(paper) // MANY_PAPER]
    # Every card under every blur; of a card the blur counts at which it fits best.
    faces = np.concatenate([prints.cards_faces(fit.template, short_px, one) for one in both])
    # The median, by sorting: `numpy.median` takes four times as long.
    white = np.sort(patch[paper] / np.maximum(faces[:, paper], 0.05), axis=1)[:, len(paper) // 2]
    white = np.maximum(white, 1.0).astype(np.float32)
    seen, want = 1.0 - patch[printed] / white[:, None], 1.0 - faces[:, printed]
    depth = (seen * want).sum((1, 2)) / np.maximum((want * want).sum((1, 2)), 1e-6)
    depth = np.clip(depth, 0.1, 1.3).astype(np.float32)[:, None, None]
    off = (seen - depth * want).reshape(len(both), len(cards), -1)
    misfit = (off * off).sum(2) / len(printed)
    at = np.argmin(misfit, axis=0)
    off, misfit = off[at, np.arange(len(cards))], misfit.min(0)
    top = int(np.argmin(misfit))
    depth, want = (part.reshape(len(both), len(cards), *part.shape[1:])[at[top], top] for part in (depth, want))
    apart = ((off - off[top]) ** 2).sum(1) / len(printed) + 1e-9
    noise = float(misfit[top]) * OVER_SAMPLES / n / apart
    # What even the best colour leaves over is an error of unknown direction: grey ink is nobody's.
    strength = float(((depth * want).mean(0) ** 2).sum())
    over = float((off[top].reshape(-1, 3).mean(0) ** 2).sum())
    left = _unknown(over, strength, bool(hidden.mean() > 0.03)) / apart
    nats = np.maximum(0.0, (misfit - misfit[top]) / apart) / (2 * (COLOUR_SLACK**2 + noise + left))
    nats[top] = 0.0
    return dict(zip(cards, nats.tolist(), strict=True))


def _unknown(left: float, strength: float, partly_hidden: bool) -> float:
    """What a colour that is nobody's adds to the error of every comparison (in units of squared distance)."""
    if partly_hidden:
        return HIDDEN_WEIGHT * left
    return OPEN_WEIGHT * max(0.0, left - USUAL_COLOUR_ERROR * strength)
