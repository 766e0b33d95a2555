"""Which of a print's cards it is, by colour alone.

Written rules of this module:
- colours are compared with the card's own paper nearby, so that the light's tint and the edge of a shadow fall out;
- veiling light is fitted; where it burns the paper out, how much brighter the paper truly is, too;
- what even the best colour leaves over counts against all of them;
- a hand tints what it shades: a partly hidden card's colour has to match better.
Does not belong here: shapes.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.masks import count
from referee.vision.prints import Prints
from referee.vision.registration import CUT, Fit

OVER_SAMPLES = 14.0  # neighbouring pixels whose errors are one
COLOUR_BLUR = 5  # quarter pixels
COLOUR_SLACK = 0.2
PRINTED_INK = 0.12
SOFT_BLUR = 4  # quarter pixels: from here on half the blur is tried, too
MANY_PRINTED, MANY_PAPER = 300, 120
LEAST_LIGHT = 0.05  # of white: what lies on paper
LEAST_PAPER, LEAST_PRINTED = 12, 6
NEARBY = 0.4  # of the card's shorter side: paper in a square so wide around a pixel says what white is there
FAR_PAPER = 0.01  # how much all of the card's paper counts beside what is nearby
BURNT = 250.0  # of 255: the camera may have seen more light than it can say
MUCH_BURNT = 0.25  # of the paper
# How many times as bright as the camera can say burnt-out paper may be.
BEYOND = (1.0, 1.15, 1.35, 1.6, 2.0, 2.5)
UNBURNT = 0.975  # of white: pixels by which the veil is fitted there
LEAST_DEPTH, MOST_DEPTH = 0.1, 1.3
# Squared distance of a colour from the print's own, by lamp, ink and camera, as a share of its strength: so much
# is usual on an open card. A hand tints what it shades, so a partly hidden card is allowed nothing.
USUAL_COLOUR_ERROR = 0.025
OPEN_WEIGHT, HIDDEN_WEIGHT = 4.0, 1.5
_THIRDS = np.full(3, 1 / 3, np.float32)


Colours = NDArray[np.float32]
"""Points by blue, green and red (N×3)."""


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
    patch = cv2.GaussianBlur(patch.astype(np.float32), (0, 0), COLOUR_BLUR / 4).reshape(-1, 3).take(level.flat, 0)
    both = _blurs_tried(blur)
    inked, blank = _parts(prints, fit.template, short_px, both[-1])
    # A hand on the card has a colour of its own.
    near = (np.abs(fit.residual) < CUT) & ~hidden
    printed, paper = np.flatnonzero(near & inked), np.flatnonzero(near & blank)
    if len(paper) < LEAST_PAPER or len(printed) < LEAST_PRINTED:
        return dict.fromkeys(cards, 0.0)
    n = len(printed)
    # Neighbours say the same: a few hundred pixels are enough.
    printed = printed[:: 1 + n // MANY_PRINTED]
    # Every card under every blur; of a card the blur counts at which it fits best.
    kept = [prints.cards_faces(fit.template, short_px, one) for one in both]
    faces = kept[0] if len(kept) == 1 else np.concatenate(kept)
    on_paper = np.asarray(patch.take(paper, 0), np.float32)
    usual, light = _paper(on_paper, faces.take(paper, 1))
    near_light = _nearby(light, level.flat[paper], level.flat[printed], level.shape, round(NEARBY * short_px))
    white = np.maximum(usual[:, None] * near_light, 1.0).astype(np.float32)
    brightest = np.maximum(np.maximum(on_paper[:, 0], on_paper[:, 1]), on_paper[:, 2])
    burnt = count(brightest >= BURNT) > MUCH_BURNT * len(paper)
    off, depth, want = _laid_on(patch.take(printed, 0) / white, 1 - faces.take(printed, 1), len(cards), burnt)
    misfit = (off * off).sum(2) / len(printed)
    at = np.argmin(misfit, axis=0)
    off, misfit = off[at, np.arange(len(cards))], misfit.min(0)
    top = int(np.argmin(misfit))
    apart = ((off - off[top]) ** 2).sum(1) / len(printed) + 1e-9
    noise = float(misfit[top]) * OVER_SAMPLES / n / apart
    # What even the best colour leaves over is an error of unknown direction: grey ink is nobody's.
    strength = float(((depth[at[top], top] * want[at[top] % len(both), top]).sum(0) ** 2).sum()) / len(printed) ** 2
    over = float((off[top].reshape(-1, 3).sum(0) ** 2).sum()) / len(printed) ** 2
    left = _unknown(over, strength, count(hidden) > 0.03 * len(hidden)) / apart
    nats = np.maximum(0.0, (misfit - misfit[top]) / apart) / (2 * (COLOUR_SLACK**2 + noise + left))
    nats[top] = 0.0
    return dict(zip(cards, nats.tolist(), strict=True))


@lru_cache(maxsize=64)
def _blurs_tried(blur: int) -> tuple[int, ...]:
    """The blurs (quarter pixels) of the faces compared with a picture that is blurred so and then blurred here."""
    blurs = sorted({blur, blur if blur < SOFT_BLUR else blur // 2})
    return tuple(round(float(np.hypot(one, COLOUR_BLUR))) for one in blurs)


def _parts(prints: Prints, template: int, short_px: int, blur: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The compared pixels on which a print has ink, and those of its lightest three twentieths; kept."""

    def make() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        ink = prints.flat_ink(template, short_px, blur)
        least = ink[prints.lightest_first(template, short_px, blur)[len(ink) * 3 // 20]]
        return ink > PRINTED_INK, ink <= least

    return prints.parts.get((template, short_px, blur), make)


def _paper(seen: Colours, faces: Colours) -> tuple[Colours, Colours]:
    """What white is (K×3) by paper seen (M×3) that K faces colour so (K×M×3); and the light on each, 1 the usual (M).

    Thin strokes tint the paper beside them: what white is depends on the face, and where the light falls hardly does.
    """
    some = slice(None, None, 1 + len(seen) // MANY_PAPER)
    # The median, by sorting: `numpy.median` takes four times as long.
    ratios = np.sort(seen[some] / np.maximum(faces[:, some], LEAST_LIGHT), axis=1)
    # Added up by a product: along the three colours that takes a tenth of the time `mean` does.
    light = (seen @ _THIRDS) / np.maximum(faces.sum(0) @ (_THIRDS / len(faces)), LEAST_LIGHT)
    usual_light = max(1.0, float(np.sort(light)[len(light) // 2]))
    return np.asarray(ratios[:, ratios.shape[1] // 2], np.float32), np.asarray(light / usual_light, np.float32)


def _nearby(
    light: Colours, paper: NDArray[np.intp], places: NDArray[np.intp], shape: tuple[int, int], wide_px: int
) -> Colours:
    """The light at some places (N×1), by the light on paper (M); both are indices into a picture of `shape`.

    Light falls off over a card, and a shadow may end on it: what is nearby counts, and all of it together a little.
    """
    spread = np.zeros((shape[0] * shape[1], 2), np.float32)
    spread[paper, 0], spread[paper, 1] = light, 1.0
    wide = 2 * (wide_px // 2) + 1
    means = cv2.blur(spread.reshape(*shape, 2), (wide, wide), borderType=cv2.BORDER_CONSTANT)
    near = means.reshape(-1, 2)[places]
    return np.asarray((near[:, :1] + FAR_PAPER) / (near[:, 1:] + FAR_PAPER), np.float32)


def _laid_on(
    got: Colours, want: Colours, cards: int, burnt: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """What is left over when each card's ink (`want`, K×N×3, paper 0) is laid on what is seen (K×N×3, paper 1).

    K are blurs times cards. Returns for each way of laying (how bright the paper is, and each blur) what is left over
    (ways×cards×3N) and the veil's share of the ink (ways×cards×1×1), and the ink as blurs×cards×N×3. Where the paper
    is burnt out, so much more light than the camera can say is tried, and no pixel is brighter than white.
    """
    ways = BEYOND if burnt else (1.0,)
    top = np.minimum(got, 1.0)  # ink is never brighter than paper: a reflection lies there
    weighed = want * (top < UNBURNT) if burnt else want
    flat = weighed.reshape(len(want), -1)
    whole = np.maximum(np.vecdot(flat, want.reshape(len(want), -1)), 1e-6)
    offs, depths = [], []
    for way in ways:
        depth = np.vecdot(flat, (1.0 - top / np.float32(way)).reshape(len(want), -1)) / whole
        depth = np.minimum(np.maximum(depth, LEAST_DEPTH), MOST_DEPTH).astype(np.float32)[:, None, None]
        seen = np.float32(way) * (1.0 - depth * want)
        offs.append((np.minimum(seen, 1.0) if burnt else seen) - top)
        depths.append(depth)
    laid, depth = (np.concatenate(some) if len(some) > 1 else some[0] for some in (offs, depths))
    pixels = want.shape[1]
    return laid.reshape(-1, cards, 3 * pixels), depth.reshape(-1, cards, 1, 1), want.reshape(-1, cards, pixels, 3)


def _unknown(left: float, strength: float, partly_hidden: bool) -> float:
    """What a colour that is nobody's adds to the error of every comparison (in units of squared distance)."""
    if partly_hidden:
        return HIDDEN_WEIGHT * left
    return OPEN_WEIGHT * max(0.0, left - USUAL_COLOUR_ERROR * strength)
