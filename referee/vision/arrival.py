"""When a card came to lie: from the frames before it lay still, backwards.

Written rules of this module:
- once a card is known to lie somewhere, its paper and its look are known too: earlier frames are searched for them,
  not for just any light spot;
- what a hand hides proves nothing: the last frame without the card is one in which the place could be seen;
- everything is worked out on small pictures of one zone, all of one size.
Does not belong here: which card it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.ground import differs

Mask = NDArray[np.bool_]
Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

FACE_SHARE = 0.05  # of the card's area: so much of a new face is no noise
HIDDEN_SHARE = 0.45  # of the place: more under a hand, and the place cannot be seen
PAPER_CHROMA = 0.055  # how far a paper's colour may turn under a hand's reflection (unit vectors)
PAPER_LIGHT = (0.6, 1.35)
LOOK_STEP = 26.0  # grey levels, largest channel
REACH = 0.6  # of the card's side about where it lies in the end, in which it is sought while it turns


@dataclass(frozen=True)
class Snap:
    """One frame's small picture of a zone, and the share of the zone an arm covered in it."""

    t_us: int
    picture: Picture
    covered: float


@dataclass(frozen=True)
class Arrival:
    """Last frame without and first frame with a card's face, and the best estimate of when it stood on its edge."""

    between_us: tuple[int, int]
    edge_us: int


def paper_of(picture: Plane, where: Mask) -> Plane | None:
    """The colour (3, BGR) of a card's paper: the lighter part of it; None where nothing is."""
    pixels = picture[where]
    if len(pixels) < 8:
        return None
    light = pixels.min(1)
    return np.asarray(np.median(pixels[light >= np.quantile(light, 0.6)], axis=0), np.float32)


def like_paper(picture: Plane, paper: Plane) -> Mask:
    """Where a picture has a paper's colour, in about its light."""
    length = np.sqrt(np.einsum("ijk,ijk->ij", picture, picture)) + 1e-3
    of_paper = float(np.linalg.norm(paper)) + 1e-3
    cosine = (picture @ paper) / (length * of_paper)
    chroma = np.sqrt(np.maximum(0.0, 2 - 2 * cosine))
    light = length / of_paper
    return np.asarray((chroma < PAPER_CHROMA) & (light > PAPER_LIGHT[0]) & (light < PAPER_LIGHT[1]))


@dataclass(frozen=True)
class _Share:
    t_us: int
    face: float
    hidden: float


def face_shares(history: Sequence[Snap], before: Plane, after: Plane, quad: Mask) -> list[_Share]:
    """For each frame how much of the new face shows, and how much of its place is hidden (shares of the card)."""
    area = max(1, int(quad.sum()))
    paper = paper_of(after, quad)
    reach = 2 * round(REACH * np.sqrt(area)) + 1
    near = cv2.dilate(quad.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    old_paper = np.zeros_like(quad) if paper is None else like_paper(before, paper)
    told = quad & (np.abs(after - before).max(2) > LOOK_STEP)
    result = []
    for snap in history:
        now = snap.picture.astype(np.float32)
        look = told & (np.abs(now - after).max(2) < LOOK_STEP) & (np.abs(now - before).max(2) > LOOK_STEP)
        white = np.zeros_like(quad) if paper is None else near & ~old_paper & like_paper(now, paper)
        face = look | white
        hidden = quad & differs(now, before, 1.4) & ~face
        result.append(_Share(snap.t_us, float(face.sum()) / area, float(hidden.sum()) / area))
    return result


def arrival(history: Sequence[Snap], before: Plane, after: Plane, quad: Mask, clear_us: int) -> Arrival:
    """When the card whose place in the small picture is `quad` showed its face.

    `before` and `after` are the zone without and with it, `clear_us` the last frame in which nothing had happened
    there yet; `history` are the frames since.
    """
    shares = face_shares(history, before, after, quad)
    first = len(shares)
    for i in range(len(shares) - 1, -1, -1):
        if shares[i].face >= FACE_SHARE:
            first = i
        elif shares[i].hidden < HIDDEN_SHARE:
            break
    first_us = shares[first].t_us if first < len(shares) else (history[-1].t_us if history else clear_us)
    without = clear_us
    hands_on = None
    for share in shares[:first]:
        if share.hidden < HIDDEN_SHARE:
            without = share.t_us
            hands_on = None
        elif hands_on is None:
            hands_on = share.t_us
    without = min(without, first_us)
    middle = (without + first_us) // 2
    edge = middle if hands_on is None else (hands_on + first_us) // 2
    return Arrival((without, first_us), min(max(edge, without), first_us))
