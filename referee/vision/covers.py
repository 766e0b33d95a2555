"""What covers a card, and how much of its print is found again where nothing does.

Written rules of this module:
- a cover is a misfit that hangs together over a patch as wide as a finger and comes in over the card's edge, or
  is burnt out; a misfit in the middle that is no glare belongs to another print;
- where nothing covers the card, what the print does not explain speaks against it.
Does not belong here: which print it is.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.masks import count
from referee.vision.prints import Prints, variation
from referee.vision.registration import CUT, Fit

GLARE_INK = 0.03  # brighter than that in every channel is burnt out
COVER_SHARE = 0.14  # of the short side: what is thinner covers nothing
PATCH_PX, PATCH_MISFIT = 3, 0.5  # of full ink, on average over so small a patch: print is there and should not be
COVER_MISFIT = 0.22  # root mean square residual over such a patch


def hidden_part(fit: Fit, prints: Prints, short_px: int) -> NDArray[np.bool_]:
    """The compared pixels that something else covers: misfits that hang together, not strewn ones."""
    level = prints.levels[short_px]
    off = np.zeros(level.shape, np.float32)
    squares = fit.residual * fit.residual
    off.ravel()[level.flat] = np.minimum(squares, np.float32(CUT * CUT), out=squares)
    size = max(3, round(short_px * COVER_SHARE))
    mean = cv2.boxFilter(off, -1, (size, size), borderType=cv2.BORDER_REPLICATE)
    if float(mean.max()) <= COVER_MISFIT**2:
        return np.zeros(level.count, bool)
    covered = cv2.dilate((mean > COVER_MISFIT**2).astype(np.uint8), np.ones((size, size), np.uint8))
    # Fingers and other cards come in over the edge; what differs in the middle is another print or glare.
    _, parts = cv2.connectedComponents(covered, connectivity=4)
    rim = np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]]))
    glaring = np.zeros(level.shape, bool)
    glaring[level.mask] = fit.values < GLARE_INK
    glare = [i for i in range(1, int(parts.max()) + 1) if glaring[parts == i].mean() > 0.5]
    return np.asarray(np.isin(parts, [*rim[rim > 0], *glare])[level.mask])


def explained(fit: Fit, prints: Prints, short_px: int, blur: int, shown: NDArray[np.bool_]) -> float:
    """The share of the print's variation found again in the picture where the card is shown (0..1)."""
    n = count(shown)
    if not n:
        return 0.0
    residual = fit.residual if n == len(shown) else fit.residual[shown]
    squares = residual * residual
    misfit = float(np.minimum(squares, np.float32(CUT * CUT), out=squares).sum())
    if n == len(shown):
        return _explained(misfit, prints.variation(fit.template, short_px, blur))
    ink = prints.flat_ink(fit.template, short_px, blur)[shown]
    edges = prints.edge_energy(fit.template, short_px, blur)[shown]
    return _explained(misfit, variation(ink, edges))


def explained_by(fit: Fit, prints: Prints, short_px: int, blur: int) -> float:
    """The same of a fit in which nothing is hidden."""
    return _explained(fit.energy * len(fit.residual), prints.variation(fit.template, short_px, blur))


def _explained(misfit: float, varied: float) -> float:
    return max(0.0, 1.0 - misfit / max(1e-6, varied))


def missed_part(fit: Fit, prints: Prints, short_px: int, shown: NDArray[np.bool_]) -> float:
    """The share of a card where, over a patch of a few pixels, the print is missing or something else is (0..1).

    Blur and sharpening misfit along edges, a pixel wide and little; a plain disc for a disc with slits misses the slits
    altogether, and these are too thin to be covers.
    """
    level = prints.levels[short_px]
    off = np.zeros(level.shape, np.float32)
    off.ravel()[level.flat] = fit.residual * shown
    return count(np.abs(cv2.blur(off, (PATCH_PX, PATCH_PX))) > PATCH_MISFIT) / level.count


def count_covers(hidden: NDArray[np.bool_], prints: Prints, short_px: int) -> int:
    """How many things cover the card: separate hidden parts that are not tiny."""
    if not hidden.any():
        return 0
    level = prints.levels[short_px]
    parts = np.zeros(level.shape, np.uint8)
    parts[level.mask] = hidden
    _, _, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
    return int((stats[1:, cv2.CC_STAT_AREA] > 0.02 * level.mask.sum()).sum())
