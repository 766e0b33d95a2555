"""When a card came to lie: from the frames before it lay still, backwards.

Written rules of this module:
- once a card is known to lie somewhere, its paper and its look are known too: earlier frames are searched for them,
  not for just any light spot;
- what a hand hides proves nothing: the last frame without the card is one in which the place could be seen;
- where cards follow one another at once, bare paper where the card has its print is another card's: it came after that;
- everything is worked out on small pictures of one zone, all of one size.
Does not belong here: which card it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.light import apart, differs, product
from referee.vision.masks import Mask

Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

FACE_SHARE = 0.05  # of the card's area: so much of a new face is no noise
HIDDEN_SHARE = 0.45  # of the place: more under a hand, and the place cannot be seen
TELLS_NOTHING = 0.85  # of the place: where more is hidden, what shows may be a shadow between fingers
FREE_COVERED = 0.02  # of the zone under an arm: what differs there is no arm, and hides no face
LEAST_INK = 0.03  # of a card's area; with less ink its paper has to do
FAINT_SHARE = 0.15  # of the card's area: a face that turns in the open shows so much within `FAINT_US`
FAINT_US = 90_000
FAINT_HIDDEN = 0.2  # of the place: with more under a hand, little of a face may show for long
MUCH_SHARE = 0.5  # of the print that shows in the end, where nothing hides it
HAND_LIGHT = 1.1  # times the light of what lay there: nothing under a coming hand grows lighter by itself
PAPER_CHROMA = 0.04  # how far a paper's colour may turn under a hand's reflection (unit vectors)
PAPER_LIGHT = (0.6, 1.35)
LOOK_STEP = 26.0  # grey levels, largest channel
TURN_US = 500_000  # a card's turning, the hand's coming and a late first sight of its face together
AFTER = 3  # frames after the first sight of the face in which its place may still be covered fastest
LEAST_GROWTH = 0.2  # of the card's area
NEARLY = 0.8  # of the fastest growth
JUST_US = 70_000  # before the growth: what is covered then was covered by something else
EDGE_SHARE = 0.25  # of the time from the place beginning to be covered to the face being seen
HAND_HIDES_US = 100_000  # a face not seen for longer than that is hidden by the hand, not still to be turned
SEEN_LATE_US = 15_000  # a card is seen to cover something that long after it stood on its edge
HAND_LATE_US = 70_000  # the same under a hand that stays: it hides the beginning
SPILL_SHARE = 0.6  # of a card, of its paper's colour beside where it lies: that is a sleeve or a light hand, no paper
OTHER_PRINT = 0.25  # of the print: so much of its place shows paper, and more than shows print: another card lies there
LANDED_US = 95_000  # from its edge to where it lies still
OTHER_US = 150_000  # for so long at least: a card in the hand that lays it shows its print elsewhere too
REACH = 0.6  # of the card's side about where it lies in the end, in which it is sought while it turns


@dataclass(frozen=True)
class Snap:
    """One frame's small picture of a zone, how much of it an arm covered, and how likely each seat's hand was there."""

    t_us: int
    picture: Picture
    covered: float
    hands: Mapping[str, float] = field(default_factory=dict)


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
    length = cv2.sqrt(product(picture, picture)) + np.float32(1e-3)
    of_paper = float(np.linalg.norm(paper)) + 1e-3
    along = np.asarray(cv2.transform(picture, paper[None] / np.float32(of_paper)), np.float32)
    light = length / np.float32(of_paper)
    alike = along > length * np.float32(1 - PAPER_CHROMA**2 / 2)
    return np.asarray(alike & (light > PAPER_LIGHT[0]) & (light < PAPER_LIGHT[1]))


@dataclass(frozen=True)
class _Share:
    t_us: int
    face: float
    hidden: float
    print: float = 0.0
    is_free: bool = False
    bare: float = 0.0  # of its print: paper instead
    is_faint: bool = False  # what passes for a face there is a shadow, or a hand in the light of paper

    @property
    def is_another(self) -> bool:
        """Whether another card's face shows there."""
        return self.bare >= OTHER_PRINT and self.bare > self.print

    @property
    def is_without(self) -> bool:
        """Whether the face could be seen there, and is not."""
        return (self.face < FACE_SHARE or self.is_faint) and (self.is_free or self.hidden < HIDDEN_SHARE)


def face_shares(history: Sequence[Snap], before: Plane, after: Plane, quad: Mask, noise: float) -> list[_Share]:
    """For each frame how much of the new face shows, how much of its place is hidden (shares of the card), and how
    much of its print shows (of its print)."""
    area = max(1, int(quad.sum()))
    paper = paper_of(after, quad)
    reach = 2 * round(REACH * np.sqrt(area)) + 1
    near = cv2.dilate(quad.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    old_paper = np.zeros_like(quad) if paper is None else like_paper(before, paper)
    step = LOOK_STEP * noise
    told = quad & (apart(after, before) > step)
    ink = told if paper is None else told & ~like_paper(after, paper)
    if ink.sum() < LEAST_INK * area:
        ink = told
    pictures = [snap.picture.astype(np.float32) for snap in history]
    none = np.zeros_like(quad)
    white = [none if paper is None else near & ~old_paper & like_paper(now, paper) for now in pictures]
    if max((int((w & ~quad).sum()) for w in white), default=0) > SPILL_SHARE * area:
        white = [none] * len(pictures)
    result = []
    for snap, now, paperlike in zip(history, pictures, white, strict=True):
        look = told & (apart(now, after) < step) & (apart(now, before) > step)
        face = look | paperlike
        hidden = quad & differs(now, before, noise, HAND_LIGHT) & ~face
        free = snap.covered < FREE_COVERED
        inked = max(1, int(ink.sum()))
        printed = float((look & ink).sum()) / inked
        bare = 0.0 if paper is None else float((ink & ~look & like_paper(now, paper)).sum()) / inked
        result.append(_Share(snap.t_us, float(face.sum()) / area, float(hidden.sum()) / area, printed, free, bare))
    return result


def arrival(
    history: Sequence[Snap],
    before: Plane,
    now: Plane,
    quad: Mask,
    clear_us: int,
    noise: float = 1.0,
    busy: bool = False,
) -> Arrival:
    """When the card whose place in the small picture is `quad` showed its face.

    `before` and `now` are the zone without and with it, `clear_us` the last frame in which nothing had happened
    there yet; `history` are the frames since. `noise` scales the thresholds (`light.differs`). `busy`: another card may
    have come there before it and gone, or lie under it.
    """
    since = [snap for snap in history if snap.t_us > clear_us]
    shares = [_Share(clear_us, 0.0, 0.0), *face_shares(since, before, now, quad, noise)]
    first = _first_shown(shares)
    if not busy:
        shares, first = _without_faint(shares, first)
    first_us = shares[first].t_us
    others = [s for s in shares[first:] if s.is_another] if busy else []
    if others and others[-1].t_us - others[0].t_us >= OTHER_US:
        shown_us = next((s.t_us for s in shares if s.t_us > others[-1].t_us and s.print > s.bare), shares[-1].t_us)
        without_us = max((s.t_us for s in shares if s.is_without and s.t_us < others[0].t_us), default=shares[0].t_us)
        return Arrival((without_us, shown_us), max(others[-1].t_us, shown_us - LANDED_US))
    after = shares[first : first + AFTER]
    recent = [s for s in shares[:first] if s.t_us >= first_us - TURN_US] or shares[max(0, first - 1) : first]
    seen_us = max((s.t_us for s in shares[:first] if s.is_without), default=shares[0].t_us)
    is_long = seen_us < first_us - TURN_US
    if is_long:
        # What hides the place for longer than a card takes to turn brought it when it came, if that was seen. The place
        # is covered anew when that goes (a card's print shows where a hand was as bright as the table), late or fast.
        # It may have come while so much of the place could be seen yet that it passed for seen.
        hiding = [s for s in shares[1:first] if s.t_us >= seen_us - JUST_US]
        if _most_growth(hiding) >= LEAST_GROWTH:
            recent, after = hiding, []
    covered_us = min(_covered_from([*recent, *after], clear_us), first_us)
    late_us = HAND_LATE_US if is_long else SEEN_LATE_US
    unseen = [s.t_us for s in shares[: max(1, first)] if s.is_without and s.t_us <= covered_us - late_us]
    without = max(unseen, default=shares[0].t_us)
    # Its place begins to be covered when it is on its edge or a little before, its face is seen a little after.
    edge = covered_us + round(EDGE_SHARE * min(first_us - covered_us, HAND_HIDES_US))
    return Arrival((min(without, first_us), first_us), edge)


def began(history: Sequence[Snap], before: Plane, where: Mask, clear_us: int, noise: float = 1.0) -> int:
    """When what differs from `before` in some pixels began to cover them; `clear_us`: the last frame without it."""
    area = max(1, int(where.sum()))
    shares = [_Share(clear_us, 0.0, 0.0)]
    for snap in history:
        other = differs(snap.picture.astype(np.float32), before, noise) & where
        shares.append(_Share(snap.t_us, 0.0, float(other.sum()) / area))
    return _covered_from(shares, clear_us)


def _first_shown(shares: Sequence[_Share]) -> int:
    """The first frame that shows some of the face, sought backwards from the last one to where it surely is not.

    A face without its print, as a turning card first shows it, is believed for as long as a card takes to turn: a
    sleeve may look like paper too. Where most of the place is hidden though no arm was found there (a dark hand on a
    dark table) the face surely is not only if no print shows before.
    """
    in_the_end = max(s.print for s in shares[-AFTER:])
    first = sure = len(shares) - 1
    found: int | None = None
    for i in range(len(shares) - 1, -1, -1):
        one = shares[i]
        much = max(FACE_SHARE, MUCH_SHARE * in_the_end * (1.0 - one.hidden))
        if one.hidden > TELLS_NOTHING:
            continue
        if one.face >= FACE_SHARE and one.print >= (much if found is None else max(much, MUCH_SHARE * in_the_end)):
            first, sure, found = i, i, None
        elif found is None and one.face >= FACE_SHARE and shares[sure].t_us - one.t_us <= TURN_US:
            first = i
        elif one.is_without:
            if found is None:
                found = first if shares[first].t_us - one.t_us <= TURN_US else sure
            if one.hidden < HIDDEN_SHARE:
                return found
    return sure if found is None else found


def _without_faint(shares: list[_Share], first: int) -> tuple[list[_Share], int]:
    """The frames, and the first that shows some of the face, without those before it that only seemed to.

    Of a card that is turned in the open more shows from frame to frame. Where little shows for longer, and hardly
    anything is hidden, it is the light of the hand that comes.
    """
    grown = next((i for i in range(first, len(shares)) if shares[i].face >= FAINT_SHARE), first)
    if shares[grown].t_us - shares[first].t_us <= FAINT_US:
        return shares, first
    shown = next(i for i in range(first, grown + 1) if i == grown or shares[i].hidden >= FAINT_HIDDEN)
    return [replace(s, is_faint=True) if first <= i < shown else s for i, s in enumerate(shares)], shown


def _most_growth(shares: Sequence[_Share]) -> float:
    covered = [s.face + s.hidden for s in shares]
    return max((b - a for a, b in pairwise(covered)), default=0.0)


def _covered_from(shares: Sequence[_Share], clear_us: int) -> int:
    """When the place began to be covered: its fastest growth, followed back to what was covered just before.

    A card that turns about its edge covers its place as the sine of its angle, so fastest at first; a hand that
    hovers there before covers some of it, but slowly.
    """
    covered = [s.face + s.hidden for s in shares]
    if max(covered, default=0.0) - min(covered, default=0.0) < LEAST_GROWTH:
        covered = [s.face for s in shares]  # it came over what was changed already
    steps = [(covered[i + 1] - covered[i]) / (shares[i + 1].t_us - shares[i].t_us) for i in range(len(shares) - 1)]
    if not steps or max(steps) <= 0:
        return shares[0].t_us if shares else clear_us
    # Of two steps nearly as fast the earlier one is the beginning.
    fastest = next(i for i, step in enumerate(steps) if step >= NEARLY * max(steps))
    at = shares[fastest]
    base = min(c for s, c in zip(shares, covered, strict=True) if at.t_us - JUST_US <= s.t_us <= at.t_us)
    return round(at.t_us - min((covered[fastest] - base) / steps[fastest], JUST_US))
