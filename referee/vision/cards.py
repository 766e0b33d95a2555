"""Cards in a picture: where they lie, which they are, how sure that is.

Written rules of this module:
- `?` and never a guess: an id is given only above `SURE`, and only when its print really fits what is seen;
- the scale comes from the table's view if there is one, else from the cards themselves;
- a place is read once: where two readings overlap, the card that is seen more wholly lies on top.
Does not belong here: where to look (`finding`), how prints are compared (`symbols`), zones, games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import shape_and_colour
from referee.vision.confidence import MOST_SURE, shares
from referee.vision.finding import MOST_PLACES, Placed, Scale, apart, coarse_layer, guesses_from_quads, guesses_on_table
from referee.vision.geometry import (
    Array,
    Circle,
    apply,
    circle_about,
    clear_of,
    inverse,
    jacobian,
    overlap,
    quad_of,
    side_px,
    within,
)
from referee.vision.hidden_quads import hidden_quads
from referee.vision.indexed import LYING_OVER, MOST_WITHIN, indexed_cards
from referee.vision.levels import LEVELS_PX
from referee.vision.outlines import face_up, outline_look, rectangles
from referee.vision.prints import Prints
from referee.vision.pyramid import Pyramid, Shade
from referee.vision.quads import four_sided, outlines_of
from referee.vision.ranks import LEAST_SIGN, rank_look, read_ranks, said, signs_of
from referee.vision.symbols import SURE_EXPLAINED, WHOLLY_SEEN, Look, look
from referee.vision.table import TableView

SURE = 0.99
BEYOND_DOUBT = 0.999  # an id this sure is not held against its corners
LEAST_SHARE = 1e-3  # of what the corners say against a print
LEAST_EXPLAINED = 0.91  # of the print's variation, where all of the card is seen
LEAST_INK = 0.6  # of the print seen
HIDDEN_COSTS, TORN_COSTS = 0.12, 0.18  # more must be explained of a card that is partly hidden; in several places
LEAST_PX = 32  # the size compared, for an id: of a card of fewer than 28 pixels little is left that tells it
MOST_MISSED = 0.01  # of the card: of 503 cards told 4 missed any
NEARLY_SURE, NEARLY_EXPLAINED = 0.9, 0.9  # of a card that is not named: it counts as one that was seen
CARD_AGREEMENT = 0.85
LEAST_SEEN = 0.58  # of the face, for an id
WEAK_EXPLAINED = 0.75
CARD_EXPLAINED = 0.3
MOST_COVERS = 2  # an arm and another card; what looks hidden in more places is another pattern
WEAK_SEEN = 0.04  # for a `?`
MOST_HOPELESS = 40  # looks one after another
FAINT_SEEN = 0.4  # of the face: less needs edges and contrast, for a `?`
FAINT_SIDES, FAINT_GAIN = 3, 0.2
# Where nothing else gives the scale: how often a card's side may go into another's on one tilted table, and from how
# many cards on that is asked.
SIZES_APART, LEAST_SIZES = 1.6, 3
NEAR = 1.5  # times two cards' radii: what lies further apart overlaps nowhere
SIZE_SLACK = 1.3  # how far a card's side may come out other than where it was guessed
# So many cards of which less than that share is seen are a pattern and no cards.
MANY_ALIKE = ((LEAST_SEEN, 8), (FAINT_SEEN, 3))


@dataclass(frozen=True)
class Sighting:
    """A card seen in one picture: its id or `?`, its corners (4×2 px), and what else it may be.

    `confidence` is that of `card`, or of the likeliest candidate where `card` is `?`.
    """

    card: str
    quad: Array
    confidence: float
    runner_up: str | None
    candidates: tuple[str, ...]
    look: Look

    @property
    def centre(self) -> Array:
        """Where the card's centre is seen (2 px); in perspective not the mean of its corners."""
        centre: Array = apply(self.look.pose, np.zeros((1, 2)))[0]
        return centre


def read_cards(
    image: NDArray[np.uint8], prints: Prints, view: TableView | None, most: int | None = None
) -> list[Sighting]:
    """Every face-up card in a picture (H×W×3, BGR); without a view the cards themselves give the scale.

    With `most` only so many places are looked at closely, the likeliest ones, and mere outlines of cards are left out:
    for a spot in which one card is expected.
    """
    pyramid = Pyramid(image)
    # A mat marker is a light square with dark print on it, and no card.
    markers = [] if view is None else [np.asarray(quad) for quad in view.markers.values()]
    circles = [circle_about(quad) for quad in markers]
    quads: list[Array] = []
    half_seen: list[Array] = []
    scale: Scale | None = None if view is None else view.locals
    layer: Shade | None = None
    looks: list[Look] = []
    if scale is None:
        aspect = min(prints.deck.card_mm) / max(prints.deck.card_mm)
        outlines = outlines_of(image)
        quads = four_sided(outlines, aspect)
        half_seen = hidden_quads(outlines, aspect) if signs_of(prints.deck) else []
        looks = _looks(pyramid, prints, guesses_from_quads(pyramid, prints, quads))
        sure = [f for f in looks if (s := sighting(f, prints)) is not None and s.card != "?"]
        odd = _of_another_size(sure, prints)
        looks, sure = ([f for f in some if all(f is not other for other in odd)] for some in (looks, sure))
        scale = _locals_of(sure) if sure else None
    if scale is not None:
        layer = coarse_layer(pyramid, prints.deck.card_mm, scale)
        guesses = [] if layer is None else guesses_on_table(pyramid, prints, scale, layer, circles)
        free = [g for g in guesses if not _hits(g[0].pose(g[1], 0), circles, prints)]
        looks += _looks(pyramid, prints, free, MOST_PLACES if most is None else most)
    looks = [f for f in looks if not _hits(f.pose, circles, prints)]
    seen = [s for s in (sighting(found, prints) for found in _topmost(looks, prints)) if s is not None]
    for part, many in MANY_ALIKE:
        if sum(s.look.seen < part for s in seen) > many:
            seen = [s for s in seen if s.look.seen >= part]
    seen = no_more_than_there_are(seen, prints)
    if view is None and _has_paper_rim(prints):
        # Without a scale anything with four sides is laid a print on: what cannot be told has to look like a card.
        seen = [
            s for s in seen if s.card != "?" or face_up(pyramid, s.quad, prints.deck.card_mm, False, True) is not None
        ]
    indexed = bool(signs_of(prints.deck))
    if most is not None and not indexed:
        return seen
    if scale is not None and layer is not None:
        known = [s.quad for s in seen if fits(s.look)]
        quads = rectangles(layer, prints.deck.card_mm, scale, known + markers) + quads
    if indexed:
        seen = _by_corners(pyramid, prints, seen, quads + half_seen, markers)
    return seen if most is not None else seen + _unknown(pyramid, prints, quads, view is not None, seen, markers)


def no_more_than_there_are(seen: list[Sighting], prints: Prints) -> list[Sighting]:
    """The sightings, without the ids of those that are not wholly and clearly seen where one card, or one print, is
    seen more often than the box holds it: these lie on a pattern that is much like the print.

    What nearly fits counts: of the squares of a checked cloth most are just short of an id.
    """
    near = [s for s in seen if s.card != "?" or (s.confidence >= NEARLY_SURE and s.look.explained >= NEARLY_EXPLAINED)]
    if len(near) < 2:
        return seen
    counts = {card.id: card.count for card in prints.deck.cards}
    withheld: list[Sighting] = []
    alike = [template.cards for template in prints.templates] + [(card,) for card in counts]
    for cards in alike:
        of_it = [s for s in near if s.look.ranking[0].card in cards]
        if len(of_it) > sum(counts[card] for card in cards):
            doubtful = [s for s in of_it if s.look.seen < WHOLLY_SEEN or s.look.explained < SURE_EXPLAINED]
            withheld += [s for s in doubtful if s.card != "?"]
    if not withheld:
        return seen
    return [
        replace(s, card="?", candidates=(s.look.ranking[0].card,)) if any(s is other for other in withheld) else s
        for s in seen
    ]


def _by_corners(
    pyramid: Pyramid, prints: Prints, seen: list[Sighting], quads: list[Array], markers: list[Array]
) -> list[Sighting]:
    """What was seen, with what the corners say where the prints are not this deck's or do not tell."""
    deck = prints.deck
    known = [s for s in seen if fits(s.look)]
    doubted = [s for s in seen if not fits(s.look)]
    told = [_seconded(pyramid, prints, s) for s in known]
    places = clear_of([s.quad for s in doubted] + quads, [s.quad for s in known] + markers)
    found = indexed_cards(pyramid, deck, places, [s.quad for s in known] + markers)
    for card in found:
        what = said(card.reading, deck, SURE)
        runner_up = what.ranking[1].card if len(what.ranking) > 1 else None
        quad = quad_of(card.pose, deck.card_mm)
        look = rank_look(card.pose, what.ranking, side_px(card.pose, deck.card_mm))
        told.append(Sighting(what.card, quad, what.confidence, runner_up, what.candidates, look))
    # A print that does not fit stands only where the corners say nothing.
    rest = [s for s in doubted if all(_beside(s.quad, other.quad) for other in told)]
    return told + rest


def _beside(quad: Array, card: Array) -> bool:
    """Whether a quad is another card than this one, and nothing printed on it."""
    return overlap(quad, card) < LYING_OVER and within(quad, card) < MOST_WITHIN


def _seconded(pyramid: Pyramid, prints: Prints, seen: Sighting) -> Sighting:
    """A reading of the deck's own print, with what the corners say of it where it is not beyond doubt.

    They tell between candidates the print leaves open, and withhold an id that they contradict; they never put another
    in its place.
    """
    deck = prints.deck
    if seen.card != "?" and not seen.card.endswith("?") and seen.confidence >= BEYOND_DOUBT:
        return seen
    reading = read_ranks(pyramid, [seen.look.pose], deck)[0]
    sign, chance = reading.best
    if reading.sign < LEAST_SIGN:
        return seen
    signs = {card: s for s, cards in signs_of(deck).items() for card in cards}
    both: dict[str, float] = {}
    for ranked in seen.look.ranking:
        suit = shape_and_colour(ranked.card)[1]
        share = reading.signs.get(signs.get(ranked.card, ""), 1.0 / len(reading.signs))
        mark = 1.0 if suit is None else reading.suits[suit]
        both[ranked.card] = ranked.nats + float(np.log(max(LEAST_SHARE, share)) + np.log(max(LEAST_SHARE, mark)))
    ordered = sorted(both, key=lambda card: -both[card])
    top = ordered[0]
    if signs.get(top) != sign and chance >= SURE:
        # The corners say for sure what the print holds for unlikely: nobody knows.
        candidates = tuple(dict.fromkeys((top, *signs_of(deck).get(sign, ()))))
        return replace(seen, card="?", candidates=candidates)
    confidence = min(MOST_SURE, shares(both[card] - both[top] for card in ordered)[0])
    if seen.card.endswith("?") and confidence >= SURE:
        runner_up = ordered[1] if len(ordered) > 1 else None
        return replace(seen, card=top, confidence=confidence, runner_up=runner_up, candidates=())
    return seen


def _unknown(
    pyramid: Pyramid,
    prints: Prints,
    quads: list[Array],
    measured: bool,
    seen: list[Sighting],
    markers: list[Array],
) -> list[Sighting]:
    """`?` for what has a card's outline where nothing was read."""
    paper_rim = _has_paper_rim(prints)
    card_mm = prints.deck.card_mm
    taken = [s.quad for s in seen] + markers
    found: list[Sighting] = []
    for quad in clear_of(quads, taken):
        if any(overlap(quad, other) > 0.1 or within(quad, other) > MOST_WITHIN for other in taken):
            continue
        pose = face_up(pyramid, quad, card_mm, measured, paper_rim)
        if pose is not None:
            taken.append(quad)
            found.append(Sighting("?", quad_of(pose, card_mm), 0.0, None, (), outline_look(pose)))
    return found


def _has_paper_rim(prints: Prints) -> bool:
    return sum(t.framed for t in prints.templates) <= len(prints.templates) / 2


def _hits(pose: Array, markers: list[Circle], prints: Prints) -> bool:
    """Whether a card with this pose would lie on a marker."""
    x, y = (pose[:2, 2] / pose[2, 2]).tolist()
    side = side_px(pose, prints.deck.card_mm) if markers else 0.0
    return any(math.hypot(mx - x, my - y) < 0.5 * (near + 0.3 * side) for mx, my, near in markers)


def _of_another_size(sure: list[Look], prints: Prints) -> list[Look]:
    """Those of the cards told for sure that are far larger or smaller than most: all cards lie on one table.

    A checked cloth is full of squares with a print of sorts on them.
    """
    if len(sure) < LEAST_SIZES:
        return []
    sizes = [side_px(found.pose, prints.deck.card_mm) for found in sure]
    usual = float(np.median(sizes))
    return [f for f, size in zip(sure, sizes, strict=True) if max(size / usual, usual / size) > SIZES_APART]


def _locals_of(looks: list[Look]) -> Scale:
    """The scale about points (N×2) as the nearest card read for sure has it; N×2×2."""
    centres = np.array([found.pose[:2, 2] / found.pose[2, 2] for found in looks])
    scales = np.array([jacobian(found.pose, np.zeros(2)) for found in looks])

    def local(points: Array) -> Array:
        away = np.linalg.norm(centres[None] - points[:, None], axis=2)
        return np.asarray(scales[away.argmin(1)], np.float64)

    return local


def _looks(pyramid: Pyramid, prints: Prints, guesses: list[Placed], most: int = MOST_PLACES) -> list[Look]:
    looks = []
    hopeless = 0
    for guess, frame, side in apart(guesses, prints, most):
        layer = pyramid.for_side(side, 1.6 * LEVELS_PX[-1])
        scale = float(layer.shrink[0, 0])
        found = look(layer.ink, layer.image, prints, guess, layer.shrink @ frame, side * scale)
        if found is not None:
            if scale != 1.0:
                found = replace(found, pose=inverse(layer.shrink) @ found.pose)
            size = side_px(found.pose, prints.deck.card_mm)
            # A print may shrink onto a square of a checked cloth until it fits: no card of this table is that small.
            found = found if max(size / side, side / size) < SIZE_SLACK else None
        if found is not None:
            looks.append(found)
        # A patterned cloth has no end of places; the likeliest come first.
        hopeless = 0 if found is not None and found.seen >= LEAST_SEEN else hopeless + 1
        if hopeless == MOST_HOPELESS:
            break
    return looks


def _topmost(looks: list[Look], prints: Prints) -> list[Look]:
    kept: list[tuple[Look, Array, Circle]] = []
    for found in sorted(looks, key=lambda f: -f.seen * max(0.0, f.agreement)):
        quad = quad_of(found.pose, prints.deck.card_mm)
        x, y, reach = circle_about(quad)
        near = [other for _, other, (ox, oy, its) in kept if math.hypot(x - ox, y - oy) < NEAR * (reach + its)]
        if all(overlap(quad, other) < 0.3 for other in near):
            kept.append((found, quad, (x, y, reach)))
    return [found for found, _, _ in kept]


def fits(found: Look) -> bool:
    """Whether it is one of the deck's prints for sure, be it told which or not."""
    # An arm covers a card in one place; a square of a checked cloth is no print in several.
    enough = LEAST_EXPLAINED + (HIDDEN_COSTS if found.covers < 2 else TORN_COSTS) * (1 - found.seen)
    if found.explained < enough or found.seen < LEAST_SEEN or found.seen_ink < LEAST_INK:
        return False
    if found.short_px < LEAST_PX:
        return False
    # A plain disc is much like one with slits in it, and is none of the deck's.
    if found.missed > MOST_MISSED:
        return False
    # What looks like half a card on a patterned cloth has no edges.
    if found.seen < WHOLLY_SEEN and (_sides(found) < 2 or found.covers > MOST_COVERS):
        return False
    # A round note on a sheet of paper is much like a print, but no card ends around it.
    return found.framed or found.explained >= SURE_EXPLAINED or _sides(found) >= 3


def _sides(found: Look) -> int:
    """How many of a card's sides show; all where nobody had to ask."""
    return 4 if found.sides is None else found.sides


def sighting(found: Look, prints: Prints) -> Sighting | None:
    """What may be said of one look; None when it is no card."""
    if found.agreement < CARD_AGREEMENT or found.seen < WEAK_SEEN:
        return None
    # Fingers cover in several places: where all four sides show it is a card all the same.
    sides = _sides(found)
    torn = found.covers > MOST_COVERS and sides < 4
    weak = sides < 2 or torn or found.explained < WEAK_EXPLAINED
    if found.seen < WHOLLY_SEEN and weak:
        return None
    if found.explained < CARD_EXPLAINED:
        return None
    if found.seen < FAINT_SEEN and (sides < FAINT_SIDES or found.gain < FAINT_GAIN):
        return None
    weights = shares(r.nats for r in found.ranking)
    confidence = min(MOST_SURE, weights[0])
    fitting = fits(found)
    sure = fitting and confidence >= SURE
    top = found.ranking[0].card
    runner_up = found.ranking[1].card if len(found.ranking) > 1 else None
    likely = tuple(r.card for r, w in zip(found.ranking, weights, strict=True) if w > 0.02)[:6]
    quad = quad_of(found.pose, prints.deck.card_mm)
    said = top if sure else "?"
    if fitting and not sure and prints.deck.read == "face":
        rank, suit = shape_and_colour(top)
        same = [w for r, w in zip(found.ranking, weights, strict=True) if shape_and_colour(r.card)[0] == rank]
        # Suits matter little and ranks much: a rank is said even where its suit is not sure.
        if suit is not None and sum(same) >= SURE:
            said = f"{rank}?"
    return Sighting(said, quad, confidence, runner_up, () if sure else likely, found)
