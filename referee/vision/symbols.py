"""Reading one card: which print lies at a place of the picture, how, and how sure that is.

Written rules of this module:
- shape is decided in ink and never by colour; colour is decided on its own, against the card's own paper, so
  that the light's tint falls out; both add up, in nats, to one ranking of the deck's cards;
- a card is looked at as small as will do: larger only while a rival is near;
- nothing here knows which deck it reads; all constants hold for any deck.
Does not belong here: finding places (`coarse`, `cards`), rivals (`contest`), adding up frames (`evidence`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.borders import best_turned, side_steps
from referee.vision.coarse import Guess
from referee.vision.colours import colour_nats
from referee.vision.confidence import colour_log_odds, shape_log_odds
from referee.vision.contest import (
    BLURS,
    GOOD_ENERGY,
    SIGHT_PX,
    WORTH_TRYING,
    Verdict,
    contest,
    nearest_blur,
    turned_energies,
)
from referee.vision.covers import count_covers, explained, explained_by, hidden_part, missed_part
from referee.vision.geometry import Array, inverse, quad_of
from referee.vision.levels import LEVELS_PX, Image
from referee.vision.masks import count
from referee.vision.prints import Prints
from referee.vision.registration import ALL_TERMS, CUT, NEAR_TERMS, Fit, fits_best, light_on, race, register, unblurred
from referee.vision.shadows import evenly_lit
from referee.vision.tint import in_white_light, strong_tint

SIGHT_BLUR = 2
SOFT_BLUR = 6  # quarter pixels
FIRST_PX = 48  # the size at which a card is read first
SIZE_SHARE = 1.15
CLEAR_NATS = 9.0  # of the nearest rival: no larger size is looked at
WORTH_A_LOOK, WORTH_LARGER = 0.7, 0.86  # of the print found again: with less, no card will be named
CLEARLY_FOUND = 0.925
PRINT_IN_WHITE = 0.91  # of the print found again: with less, light of one colour is not what was amiss
WHOLLY_SEEN, SURE_EXPLAINED = 0.9, 0.965  # of the card, and of its print: no edge of the card need be asked
MOST_HIDDEN = 0.5
LEAST_ROUGHLY_SEEN = 0.12
LEAST_ROUGHLY_EXPLAINED = 0.25
LIKE_A_CARD = 0.6  # likeness of a guess for which all its prints are tried
ROUGH_TERMS = NEAR_TERMS
ROUGH_STILL = 0.35  # of a pixel of `SIGHT_PX`: what is laid roughly is laid again at a larger size
LEAST_ALIKE = 0.6  # coarse correlation of two prints worth trying for one another where one fits well
ROUGH_ROUNDS = 4  # of the race of prints and turns
LIKE_ROUNDS = 2  # of that of prints much like the one that fits
SIDE_STEP = 15.0  # grey levels, three channels added up, across a side that is seen
COVER_ROUNDS = 2
LEAST_COVERED, MOST_COVERED = 0.03, 0.65
HOPELESS = 9.0  # nats: the colours of such a rival are not looked at


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
    show as an edge (None where the card is wholly seen and its print found clearly: nobody asks), `covers`
    how many separate things hide parts of it, `framed` whether its edge is printed, `missed` the share of the
    card where, over a few pixels together, print is missing or is too much.
    """

    pose: Array
    ranking: tuple[Ranked, ...]
    agreement: float
    seen: float
    seen_ink: float
    explained: float
    gain: float
    energy: float
    sides: int | None
    covers: int
    framed: bool
    short_px: int
    missed: float = 0.0


@dataclass(frozen=True)
class _Start:
    """A print laid roughly: its fit and blur at `SIGHT_PX`; whether the card's edges were asked which way it lies; how
    ill every print fits there in every turn, where that is known."""

    fit: Fit
    blur: int
    directed: bool
    energy: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class _Reading:
    """What comes of one size: the verdict, the pixels covered, the blur, the share of the print found again, and of the
    card where it is missing."""

    verdict: Verdict
    hidden: NDArray[np.bool_]
    blur: int
    found: float
    missed: float


def look(
    field: Image, image: NDArray[np.uint8], prints: Prints, guess: Guess, frame: Array, side: float
) -> Look | None:
    """Read the card at a guess.

    `field` is the picture's ink (H×W), `image` the picture (H×W×3), `frame` the pose about which the guess
    was made, `side` the card's short side in pixels. None when nothing of a print is there.
    """
    start = _rough(field, image, prints, guess, frame)
    if start is None:
        return None
    paper = strong_tint(start.fit, image, prints, SIGHT_PX, start.blur)
    if paper is None:
        return _look_closely(field, image, prints, start, side)
    best = start.fit
    white, part, corner = in_white_light(image, quad_of(best.pose, prints.deck.card_mm), paper)
    there = np.array([[1.0, 0.0, -corner[0]], [0.0, 1.0, -corner[1]], [0.0, 0.0, 1.0]])
    fit = register(white, prints, best.template, there @ best.pose, SIGHT_PX, start.blur, ALL_TERMS, 3, 0.35)
    found = _look_closely(white, part, prints, _Start(fit, start.blur, start.directed), side)
    if found.explained < PRINT_IN_WHITE:
        # What looked like tinted paper may be a striped sleeve.
        return _look_closely(field, image, prints, start, side)
    return replace(found, pose=inverse(there) @ found.pose)


def _look_closely(
    field: Image, image: NDArray[np.uint8], prints: Prints, start: _Start, side: float, even: bool = False
) -> Look:
    """Read the card that lies roughly as its start has it, `side` pixels wide; `even` where parts of it that lay in
    another light have been laid in that of the rest."""
    sizes = [px for px in LEVELS_PX if px <= SIZE_SHARE * side] or [LEVELS_PX[0]]
    # Large cards with no twin need no more pixels than `FIRST_PX`; twins take what there is.
    sizes = [px for px in sizes if px >= FIRST_PX] or sizes[-1:]
    best, blur, energy = start.fit, start.blur, start.energy
    size = SIGHT_PX
    for short_px in sizes:
        blur, size = nearest_blur(blur * short_px / size), short_px
        best = register(field, prints, best.template, best.pose, short_px, blur, ALL_TERMS, 5, 0.4)
        laid, agreements = best, _agreements(best, prints, short_px)
        blur = BLURS[int(np.argmax(agreements))]
        if short_px == sizes[0] and not start.directed:
            best = _by_its_edges(field, image, prints, best, short_px, blur)
        read = _judge(field, image, prints, best, short_px, blur, energy)
        energy = None
        if short_px == sizes[0] and blur >= SOFT_BLUR and read.found > WORTH_A_LOOK:
            read = _heard_sharper(field, image, prints, read, short_px)
        best, blur = read.verdict.best, read.blur
        clear = read.verdict.margin > CLEAR_NATS and read.found > CLEARLY_FOUND
        if clear or read.found < WORTH_LARGER or _share(read.hidden) > MOST_HIDDEN:
            break
    hidden, found = read.hidden, read.found
    seen = 1.0 - _share(hidden)
    if not even and _share(hidden) > LEAST_COVERED and found > WORTH_A_LOOK:
        lit = evenly_lit(field, image, best, prints, short_px, blur)
        if lit is not None:
            lying = _Start(best, nearest_blur(blur * SIGHT_PX / short_px), True)
            again = _look_closely(*lit, prints, lying, side, even=True)
            if again.seen > seen:
                return again
    if best is not laid:
        agreements = _agreements(best, prints, short_px)
    sides: int | None = None
    if seen < WHOLLY_SEEN or found < SURE_EXPLAINED:
        sides = count(side_steps(image, best.pose, prints.deck.card_mm) > SIDE_STEP)
    seen_ink, energy_shown = _where_shown(best, prints, short_px, blur, hidden)
    return Look(
        best.pose,
        _rank(read, image, prints, short_px),
        float(agreements[BLURS.index(blur)]),
        seen,
        seen_ink,
        found,
        best.gain,
        energy_shown,
        sides,
        count_covers(hidden, prints, short_px),
        prints.templates[best.template].framed,
        short_px,
        read.missed,
    )


def _rough(field: Image, image: NDArray[np.uint8], prints: Prints, guess: Guess, frame: Array) -> _Start | None:
    """The likeliest print in its likeliest turn, laid on the picture at low resolution."""
    best: Fit | None = None
    directed: Fit | None = None  # the fit whose way round the edges have told
    for place in range(len(guess.prints)):
        template, pose = guess.prints[place][0], guess.pose(frame, place)
        fit = register(
            field, prints, template, pose, SIGHT_PX, SIGHT_BLUR, NEAR_TERMS, 4, slack=0.15, still_share=ROUGH_STILL
        )
        if place == 0 and fit.energy >= GOOD_ENERGY:
            # Five loops found a fifth of a turn off fit half: their card's edges say so at once.
            directed = fit = _by_its_edges(field, image, prints, fit, SIGHT_PX, SIGHT_BLUR, ROUGH_TERMS)
        if best is None or fits_best((best, fit)) is fit:
            best, found = fit, _is_there(fit, prints)
        # Dots, loops and swirls are one blot in the coarse search: where the likeliest fits nowhere, all are tried.
        if best.energy < GOOD_ENERGY or (place >= 1 and (found or guess.likeness < LIKE_A_CARD)):
            break
    if best is None or not found:
        return None
    blur = _blur(best, prints, SIGHT_PX)
    if blur < SOFT_BLUR:
        # Most cards need no more: the right print leaves next to nothing, and its rivals are heard at a larger size.
        if best is not directed:
            best = _by_its_edges(field, image, prints, best, SIGHT_PX, blur, ROUGH_TERMS)
        fit = register(
            field, prints, best.template, best.pose, SIGHT_PX, blur, ALL_TERMS, 3, 0.35, still_share=ROUGH_STILL
        )
        if fit.energy < GOOD_ENERGY:
            energy = turned_energies(prints, fit.values - light_on(prints.levels[SIGHT_PX], fit), blur, fit.gain)
            like = _best_like(field, prints, fit, blur, energy)
            return _Start(like, blur, True, energy) if like is fit else _Start(like, blur, False)
    energy = turned_energies(prints, best.values - light_on(prints.levels[SIGHT_PX], best), blur, best.gain)
    likely = sorted({best.template, *(int(t) for t in np.argsort(energy.min(1))[:3])})
    others = [
        (template, -90.0 * quarter)
        for template in likely
        for i, quarter in enumerate(prints.turns)
        if energy[template, i] < WORTH_TRYING * best.energy
        and (best.energy > GOOD_ENERGY or prints.alike[best.template, template, i] > LEAST_ALIKE)
    ]
    if best.energy > GOOD_ENERGY:
        others += prints.askew.get(best.template, ())
    if others in ([], [(best.template, 0.0)]):
        return _Start(best, blur, False)
    fits: list[tuple[Fit, int]] = []
    # Any print blurred enough is a blot that fits any other: a blur found with one print is tried beside the usual.
    for tried in dict.fromkeys((blur, SIGHT_BLUR)):
        uncovered = (~hidden_part(best, prints, SIGHT_PX)).astype(np.float32)
        first = race(field, prints, best, others, SIGHT_PX, tried, uncovered, ROUGH_ROUNDS, ROUGH_TERMS)[0]
        fit = register(field, prints, first.template, first.pose, SIGHT_PX, tried, ALL_TERMS, 3, 0.35)
        own = _blur(fit, prints, SIGHT_PX)
        if own != tried:
            fit = register(field, prints, first.template, fit.pose, SIGHT_PX, own, ALL_TERMS, 2, 0.35)
        fits.append((fit, own))
        if fit.energy < GOOD_ENERGY and own < SOFT_BLUR:
            break
    likeliest = fits_best([fit for fit, _ in fits])
    return _Start(likeliest, next(own for fit, own in fits if fit is likeliest), False)


def _is_there(fit: Fit, prints: Prints) -> bool:
    """Whether enough of a print laid roughly is seen, and enough of what is seen found again."""
    # Of a print that fits all over nothing is hidden.
    if fit.energy < GOOD_ENERGY and explained_by(fit, prints, SIGHT_PX, SIGHT_BLUR) >= LEAST_ROUGHLY_EXPLAINED:
        return True
    shown = ~hidden_part(fit, prints, SIGHT_PX)
    if _share(shown) < LEAST_ROUGHLY_SEEN:
        return False
    return explained(fit, prints, SIGHT_PX, SIGHT_BLUR, shown) >= LEAST_ROUGHLY_EXPLAINED


def _best_like(field: Image, prints: Prints, fit: Fit, blur: int, energy: NDArray[np.float64]) -> Fit:
    """A fit, or that of a print much like it in one of the card's turns if it fits better; `energy` is how ill all
    fit there."""
    like = (energy < WORTH_TRYING * fit.energy) & (prints.alike[fit.template] > LEAST_ALIKE)
    like[fit.template, 0] = False
    others = [(int(template), -90.0 * prints.turns[i]) for template, i in np.argwhere(like)]
    if not others:
        return fit
    ones = prints.levels[SIGHT_PX].ones
    first = race(field, prints, fit, others, SIGHT_PX, blur, ones, LIKE_ROUNDS, ALL_TERMS)[0]
    if first.energy >= fit.energy:
        return fit
    other = register(field, prints, first.template, first.pose, SIGHT_PX, blur, ALL_TERMS, 3, 0.35)
    return fits_best((fit, other))


def _judge(
    field: Image,
    image: NDArray[np.uint8],
    prints: Prints,
    fit: Fit,
    short_px: int,
    blur: int,
    energy: NDArray[np.float64] | None = None,
) -> _Reading:
    """Which print it is at one size and one blur; `energy` is how ill all fit there, where that is known.

    Where something covers the card the prints are laid anew on what nothing does, so that fingers neither pull
    nor vote.
    """
    verdict = contest(field, prints, fit, short_px, blur, energy=energy)
    if verdict.best.template != fit.template:
        turned = _by_its_edges(field, image, prints, verdict.best, short_px, blur)
        if turned is not verdict.best:
            verdict = contest(field, prints, turned, short_px, blur)
    hidden = hidden_part(verdict.best, prints, short_px)
    for _ in range(COVER_ROUNDS):
        if not LEAST_COVERED < _share(hidden) < MOST_COVERED:
            break
        best = verdict.best
        again = register(field, prints, best.template, best.pose, short_px, blur, ALL_TERMS, 6, 0.35, hidden=hidden)
        verdict = contest(field, prints, again, short_px, blur, hidden)
        hidden = hidden_part(verdict.best, prints, short_px)
    shown = ~hidden
    laid = unblurred(verdict.best, prints, short_px, blur, shown)
    found = explained(laid, prints, short_px, blur, shown)
    return _Reading(verdict, hidden, blur, found, missed_part(laid, prints, short_px, shown))


def _heard_sharper(field: Image, image: NDArray[np.uint8], prints: Prints, read: _Reading, short_px: int) -> _Reading:
    """A reading of a blurred picture after its rivals were heard at half the blur as well.

    Blurred enough, one print looks like another: the blur of the wrong print would hide the right one.
    """
    best = read.verdict.best
    other = contest(field, prints, best, short_px, nearest_blur(read.blur // 2)).best
    if other.template == best.template:
        return read
    own = _blur(other, prints, short_px)
    fit = register(field, prints, other.template, other.pose, short_px, own, ALL_TERMS, 4, 0.35)
    return _judge(field, image, prints, fit, short_px, own) if fits_best((best, fit)) is fit else read


def _by_its_edges(
    field: Image, image: NDArray[np.uint8], prints: Prints, fit: Fit, short_px: int, blur: int, terms: int = ALL_TERMS
) -> Fit:
    """A fit, laid anew where the card's edges speak for another direction."""
    template = prints.templates[fit.template]
    if not template.alike_deg:
        return fit
    pose = best_turned(image, fit.pose, prints.deck.card_mm, template.alike_deg, template.middle_mm)
    if pose is fit.pose:
        return fit
    return register(field, prints, fit.template, pose, short_px, blur, terms, 5, 0.35)


def _blur(fit: Fit, prints: Prints, short_px: int) -> int:
    """The blur of the picture, in quarter pixels of the level: the one at which the print agrees best."""
    return BLURS[int(np.argmax(_agreements(fit, prints, short_px)))]


def _where_shown(fit: Fit, prints: Prints, short_px: int, blur: int, hidden: NDArray[np.bool_]) -> tuple[float, float]:
    """The share of a print's ink where it is not `hidden`, and how ill it fits there (energy)."""
    if not hidden.any():
        return 1.0, fit.energy
    shown = ~hidden
    ink = prints.flat_ink(fit.template, short_px, blur)
    misfit = np.minimum(fit.residual[shown] ** 2, CUT * CUT).sum()
    return float(ink[shown].sum()) / max(1e-6, float(ink.sum())), float(misfit) / max(1, count(shown))


def _share(pixels: NDArray[np.bool_]) -> float:
    """The share of pixels that are so (0..1)."""
    return count(pixels) / len(pixels)


def _agreements(fit: Fit, prints: Prints, short_px: int) -> NDArray[np.float64]:
    """The correlation of picture and print under each of `BLURS`, where the print does not misfit."""
    values = fit.values - light_on(prints.levels[short_px], fit)
    near = (np.abs(fit.residual) < CUT).astype(np.float32)
    n = float(near.sum())
    if n < 16:
        return np.zeros(len(BLURS))
    inks = prints.blurred(fit.template, short_px, BLURS)
    values = (values - np.dot(near, values) / n) * near
    means = inks @ near / n
    spread = (inks * inks) @ near - n * means**2
    below = np.sqrt(np.maximum(float(np.dot(values, values)) * spread, 1e-12))
    return np.asarray(inks @ values / below, np.float64)


def _rank(read: _Reading, image: NDArray[np.uint8], prints: Prints, short_px: int) -> tuple[Ranked, ...]:
    """Every card of the winner and of its rivals, with what speaks against it in nats."""
    verdict = read.verdict
    colours = colour_nats(verdict.best, image, prints, short_px, read.blur, read.hidden)
    nats = [(card, -colour_log_odds(colour)) for card, colour in colours.items()]
    for rival in verdict.rivals:
        cards = prints.templates[rival.template].cards
        behind = shape_log_odds(rival.nats, read.found)
        if rival.fit is None or rival.nats > HOPELESS:
            nats += [(card, -behind) for card in cards]
            continue
        colours = colour_nats(rival.fit, image, prints, short_px, read.blur, read.hidden)
        nats += [(card, -behind - colour_log_odds(colour)) for card, colour in colours.items()]
    nats.sort(key=lambda ranked: -ranked[1])
    top = nats[0][1]
    return tuple(Ranked(card, behind - top) for card, behind in nats)
