"""The prints of a deck as the coarse search compares them: small, in every turn, in a basis of principal components.

Written rules of this module:
- only the disc within the card's short side is compared, so that a print may be turned by any angle;
- slopes of light across the card are taken out of every print, as the search takes them out of the picture.
Does not belong here: pictures, how a search is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.levels import Image
from referee.vision.templates import BASE_PX, Template

COARSE_PX = 24  # short side of a card in the coarse search
COARSE_STEP_DEG = 8
COARSE_BLUR = 0.8  # pixels, of prints; pictures are blurred by their own resolution and a little more
COARSE_TERMS = 72  # of the principal component basis
SKETCH_TERMS = 36  # of that of prints at half the coarse size
UPRIGHT_DEG = 11.0  # how far a print may be turned whose card is known up to its quarter turns
LEAST_LIKE = 0.7  # correlation of two prints at an angle that is worth trying
MORE_LIKE = 0.03  # at a quarter turn
MOST_ASKEW = 3
ASKEW_DEG = (0.0, 22.5, 45.0)  # a print with few like angles is found from one of these


@dataclass(frozen=True)
class Bank:
    """Prints in turns as rows of `terms` (prints × terms, unit length or less) of a basis of principal components.

    `disc` are the pixels (flattened places) of a `side`×`side` patch that are compared, `basis` (N × terms + 3) the
    components and after them three directions that say nothing of prints: slopes of light and an even level.
    `across` are the same terms × prints, `every_third` each third of those, for a first look (a product with few
    windows takes half the time so). `owner` is each row's template, `degrees` its turn; a
    template's turns stand together.
    """

    side: int
    disc: NDArray[np.intp]
    basis: Image
    terms: Image
    across: Image
    every_third: Image
    owner: NDArray[np.intp]
    degrees: NDArray[np.float64]


def banks_of(templates: tuple[Template, ...]) -> tuple[Bank, Bank]:
    """The prints of the coarse search, and those of its sketch: half as large, every second turn."""
    rows, owner, degrees = _turned_prints(templates)
    search = _bank(rows, COARSE_PX, coarse_disc(), owner, degrees, COARSE_TERMS)
    second = degrees % (2 * COARSE_STEP_DEG) == 0
    half = COARSE_PX // 2
    small = _halved(rows[second])
    return search, _bank(small, half, _small_disc(), owner[second], degrees[second], SKETCH_TERMS)


def upright(bank: Bank, turns: tuple[int, ...]) -> Bank:
    """A bank with those turns alone in which a print lies whose card is known up to its `turns` (in quarters)."""
    every = 90.0 if len(turns) == 4 else 180.0
    near = np.abs((bank.degrees + every / 2) % every - every / 2) <= UPRIGHT_DEG
    return _of(bank.terms[near], replace(bank, owner=bank.owner[near], degrees=bank.degrees[near]))


def _of(terms: Image, bank: Bank) -> Bank:
    """The bank with those terms."""
    across = np.ascontiguousarray(terms.T)
    return replace(bank, terms=terms, across=across, every_third=np.ascontiguousarray(across[:, ::3]))


def _bank(
    rows: Image,
    side: int,
    disc: NDArray[np.bool_],
    owner: NDArray[np.intp],
    degrees: NDArray[np.float64],
    count: int,
) -> Bank:
    values, vectors = np.linalg.eigh(rows.T.astype(np.float64) @ rows.astype(np.float64))
    basis = vectors[:, np.argsort(values)[::-1][:count]].astype(np.float32)
    level = np.full((len(basis), 1), len(basis) ** -0.5, np.float32)
    wide = np.ascontiguousarray(np.concatenate([basis, _slopes(disc).T, level], 1))
    terms = rows @ basis
    return _of(terms, Bank(side, np.flatnonzero(disc), wide, terms, terms, terms, owner, degrees))


def coarse_disc() -> NDArray[np.bool_]:
    """The pixels of a coarse patch that are compared: the disc within the card's short side."""
    r = np.arange(COARSE_PX) - (COARSE_PX - 1) / 2
    return np.asarray(r[:, None] ** 2 + r[None, :] ** 2 <= (COARSE_PX / 2) ** 2)


def _small_disc() -> NDArray[np.bool_]:
    """The pixels of a patch of half the coarse size that lie wholly in the coarse disc."""
    return np.asarray(coarse_disc().reshape(COARSE_PX // 2, 2, COARSE_PX // 2, 2).all((1, 3)))


def _slopes(disc: NDArray[np.bool_]) -> Image:
    """Two unit vectors over a disc: light that rises to the right, and downwards; 2×N."""
    r = np.arange(len(disc)) - (len(disc) - 1) / 2
    x, y = np.meshgrid(r, r)
    both = np.stack([x[disc], y[disc]]).astype(np.float32)
    return np.asarray(both / np.linalg.norm(both, axis=1, keepdims=True), np.float32)


def _bare(values: Image, slopes: Image) -> Image:
    """Rows of values without their level and their slopes, at unit length.

    Light that falls off across the card is no print: slopes are taken out on both sides.
    """
    values = values - values.mean(1, keepdims=True)
    values -= (values @ slopes.T) @ slopes
    return np.asarray(values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6), np.float32)


def _turned_prints(templates: tuple[Template, ...]) -> tuple[Image, NDArray[np.intp], NDArray[np.float64]]:
    """Every print in every turn at the coarse size; one a row, its template and its turn."""
    disc = coarse_disc()
    rows, owner, degrees = [], [], []
    s, c = BASE_PX / COARSE_PX, (COARSE_PX - 1) / 2
    for i, template in enumerate(templates):
        height, width = template.ink.shape
        blurred = cv2.GaussianBlur(template.ink, (0, 0), COARSE_BLUR * BASE_PX / COARSE_PX)
        for angle in range(0, 360, COARSE_STEP_DEG):
            a = np.deg2rad(angle)
            # From patch pixels to print pixels: the card is turned by +angle in the patch.
            m = s * np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
            shift = np.array([(width - 1) / 2, (height - 1) / 2]) - m @ np.array([c, c])
            patch = cv2.warpAffine(
                blurred,
                np.column_stack([m, shift]),
                (COARSE_PX, COARSE_PX),
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
            rows.append(patch[disc].astype(np.float32))
            owner.append(i)
            degrees.append(float(angle))
    return _bare(np.stack(rows), _slopes(disc)), np.array(owner), np.array(degrees)


def _halved(rows: Image) -> Image:
    """The prints of the coarse search at half their size."""
    patches = np.zeros((len(rows), COARSE_PX, COARSE_PX), np.float32)
    patches[:, coarse_disc()] = rows
    half = COARSE_PX // 2
    small = patches.reshape(-1, half, 2, half, 2).mean((2, 4))[:, _small_disc()]
    return _bare(np.asarray(small, np.float32), _slopes(_small_disc()))


def askew(search: Bank) -> dict[int, tuple[tuple[int, float], ...]]:
    """For each print those that look most like it at an angle that is no quarter turn, with that angle.

    Round prints resemble one another at any angle; a reader that tried quarter turns only would miss them.
    """
    bank, degrees = search.terms, search.degrees
    count = int(search.owner.max()) + 1
    angles = degrees[search.owner == 0]
    like = (bank.reshape(count, len(angles), -1) @ bank[degrees == 0].T).transpose(2, 0, 1)
    off = np.abs((angles + 45) % 90 - 45) > COARSE_STEP_DEG
    found: dict[int, tuple[tuple[int, float], ...]] = {}
    for one in range(count):
        skew, straight = like[one][:, off], like[one][:, ~off].max(1)
        near = [
            other
            for other in np.argsort(-skew.max(1)).tolist()
            if other != one and skew[other].max() > max(LEAST_LIKE, straight[other] - MORE_LIKE)
        ]
        found[one] = tuple(
            (other, float(angles[off][int(np.argmax(skew[other]))]) + more)
            for other in near[:MOST_ASKEW]
            for more in ASKEW_DEG
        )
    return found


def alike_turned(search: Bank, turns: tuple[int, ...]) -> Image:
    """How much each print looks like each other one in each turn; prints × prints × turns."""
    bank, degrees = search.terms, search.degrees
    angles = degrees[search.owner == 0]
    # Turned by a quarter against the card, a print is found where its card lies a quarter the other way.
    at = [int(np.argmin(np.abs((angles + 90 * quarter + 180) % 360 - 180))) for quarter in turns]
    count = int(search.owner.max()) + 1
    turned = bank.reshape(count, len(angles), -1)[:, at]
    return np.asarray(np.einsum("ac,bqc->abq", bank[degrees == 0], turned), np.float32)
