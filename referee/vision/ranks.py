"""The rank of a card nobody enrolled, from its corners' indices and its pips.

Written rules of this module:
- three witnesses: the sign in each indexed corner, and what the face's pips amount to; each may be fooled: two of
  them have to agree before a rank is said, and where one contradicts another nothing is sure;
- a corner about which no border of a card is seen is no witness against the other: something lies there; that other
  one may then do by itself, if a suit's mark stands under its sign and the border is seen about it;
- a corner without a sign says nothing of the rank; without a sign in any corner there is no reading at all;
- the suit is told by the corners together and by the pips, and the rank is said without it unless they agree.
Does not belong here: finding cards, the networks themselves (`rank_net`), enrolled prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from referee.deck.folder import Deck
from referee.deck.ids import corner_sign, shape_and_colour
from referee.vision.confidence import MOST_SURE
from referee.vision.corners import best_side_px, parts_of
from referee.vision.geometry import Array, side_px
from referee.vision.pyramid import Pyramid
from referee.vision.rank_net import COURT, LAYOUTS, NO_LAYOUT, NO_SIGN, NO_SUIT, SIGNS, SUITS, Floats, ask
from referee.vision.symbols import Look, Ranked

# The networks are surer than they are right; divided by these their chances hold on typefaces they never saw
# (temperature scaling: Guo et al., ICML 2017; `benchmarks/ranks_vision.py` fits them).
CORNER_TEMPERATURE, FACE_TEMPERATURE, SUIT_TEMPERATURE = 0.9, 0.9, 1.0
FOOLED = 0.006  # chance that a witness is sure of something that is not there
LAYOUT_FOOLED = 0.02
CONTRADICTS = 0.8  # from there on a witness that says another rank leaves the rank open
# Where both corners say one rank pips have to be surer: of 12,000 drawn parts they were against two such corners six
# times with less than that, never rightly, and twice with more, rightly (`benchmarks/ranks_vision.py`).
AGAINST_BOTH = 0.99
AGREES, ALONE = 0.5, 0.98  # chance from which a witness agrees; what one without a second is worth at most
NO_FACE = 0.9  # that a face shows nothing of a card's: where no border is seen either, corners do not do by themselves
PAIR_WORTH = 4  # times the odds of the better corner, where no pips agree
OPPOSED_SHARE = 0.9  # of what is left of a reading that is contradicted
SUIT_SURE = 0.9992  # of a suit: small marks are taken for one another
SUIT_FOOLED = 0.05  # so much that corners and pips have to agree before a suit is said
LEAST_SIGN = 0.9  # that a corner bears a sign at all
FAR_NATS = 14.0  # candidates further behind are left out
MOST_UNMARKED = 0.02  # chance that no suit stands under the sign of a corner that has to do by itself
COURTS = ("J", "Q", "K")
PIP_RANKS = LAYOUTS[:NO_LAYOUT]
_NOTHING, _NO_MARK = np.eye(len(SIGNS), dtype=np.float32)[NO_SIGN], np.eye(len(SUITS), dtype=np.float32)[NO_SUIT]


@dataclass(frozen=True)
class RankReading:
    """What one card's corners and pips say: chances of signs, of suits, and that each corner bears a sign at all."""

    signs: Mapping[str, float]
    suits: Mapping[str, float]
    corners: tuple[float, float]

    @property
    def sign(self) -> float:
        """The chance that there is a sign in some corner."""
        return max(self.corners)

    @property
    def best(self) -> tuple[str, float]:
        """The likeliest sign and its chance."""
        top = max(self.signs, key=lambda s: self.signs[s])
        return top, self.signs[top]


@lru_cache(maxsize=16)
def signs_of(deck: Deck) -> Mapping[str, tuple[str, ...]]:
    """The cards of a deck by the sign in their corners; empty where a deck's corners are not read."""
    found: dict[str, list[str]] = {}
    if deck.read == "face":
        for card in deck.cards:
            sign = corner_sign(deck.game, card.id)
            if sign is not None:
                found.setdefault(sign, []).append(card.id)
    return {sign: tuple(cards) for sign, cards in found.items()}


@lru_cache(maxsize=16)
def suited(deck: Deck) -> bool:
    """Whether a deck's cards have suits: then they have pips, too."""
    return any(shape_and_colour(card.id)[1] is not None for card in deck.cards)


def read_ranks(
    pyramid: Pyramid, poses: Sequence[Array], deck: Deck, bare: Sequence[tuple[bool, bool]] | None = None
) -> list[RankReading]:
    """What stands in the corners of cards lying with these poses.

    `bare` says of each card's two corners whether the card's border is seen about them; where nobody knows, it is None.
    """
    if not poses:
        return []
    corners, faces = [], []
    for pose in poses:
        layer = pyramid.for_side(side_px(pose, deck.card_mm), best_side_px())
        pair, face = parts_of(layer.image, layer.shrink @ pose, deck.card_mm)
        corners.append(pair)
        faces.append(face)
    sign_logits, suit_logits = ask(np.concatenate(corners), "corner")
    signs = chances(sign_logits, CORNER_TEMPERATURE).reshape(len(poses), 2, -1)
    suits = chances(suit_logits, SUIT_TEMPERATURE).reshape(len(poses), 2, -1)
    seen = [None] * len(poses) if bare is None else bare
    if not suited(deck):
        # Numbers stand on faces of any kind: only their corners are read.
        return [together(sign, suit, None, None, two) for sign, suit, two in zip(signs, suits, seen, strict=True)]
    layout_logits, pip_logits = ask(np.concatenate(faces), "face")
    layouts, pips = chances(layout_logits, FACE_TEMPERATURE), chances(pip_logits, SUIT_TEMPERATURE)
    return [together(*five) for five in zip(signs, suits, layouts, pips, seen, strict=True)]


def chances(logits: Floats, temperature: float) -> Floats:
    """Chances of logits along the last axis."""
    scaled = logits / temperature
    weights = np.exp(scaled - scaled.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True), np.float32)


def together(
    corners: Floats,
    suits: Floats,
    layout: Floats | None,
    pips: Floats | None,
    bare: tuple[bool, bool] | None = None,
) -> RankReading:
    """One reading of what two corners (2×18 and 2×5 chances) and a face (12 and 5 chances) say.

    `bare`: whether the card's border is seen about each corner.
    """
    count = NO_SIGN
    single = bare.index(True) if bare is not None and sum(bare) == 1 else None
    if single is not None and corners[1 - single, :NO_SIGN].argmax() != corners[single, :NO_SIGN].argmax():
        # Something else lies where the other corner should be, or the card lies otherwise than guessed.
        corners, suits = corners.copy(), suits.copy()
        corners[1 - single], suits[1 - single] = _NOTHING, _NO_MARK
    weights = 1 - corners[:, NO_SIGN].astype(np.float64)
    said = np.zeros(count)
    marks = np.zeros(NO_SUIT)
    for signs, suit, weight in zip(corners.astype(np.float64), suits.astype(np.float64), weights, strict=True):
        # Without a sign any rank is as likely as before.
        one = signs[:NO_SIGN] + signs[NO_SIGN] / count
        said += np.log((1 - FOOLED) * one + FOOLED / count)
        # Both corners bear the same small mark: what fools the network in one fools it in the other.
        own = suit[:NO_SUIT] + suit[NO_SUIT] / NO_SUIT
        part = weight / max(1.0, float(weights.sum()))
        marks += part * np.log((1 - SUIT_FOOLED) * own + SUIT_FOOLED / NO_SUIT)
    shares = _shares(said)
    opposed = _opposed(corners)
    best = int(np.argmax(shares))
    # What fools the network in one corner fools it in the other: the pair is worth little more than the better one.
    cap = 1 - (1 - float(corners[:, best].max())) / PAIR_WORTH
    agreeing = int((corners[:, best] >= AGREES).sum())
    both = float(corners[:, best].min()) >= CONTRADICTS
    if layout is not None and pips is not None:
        shown = layout.astype(np.float64)
        one = np.empty(count)
        for i, sign in enumerate(SIGNS[:NO_SIGN]):
            own = shown[LAYOUTS.index(COURT)] / len(COURTS) if sign in COURTS else 0.0
            own = shown[LAYOUTS.index(sign)] if sign in PIP_RANKS else own
            one[i] = own + shown[NO_LAYOUT] / count
        said += np.log((1 - LAYOUT_FOOLED) * one + LAYOUT_FOOLED / count)
        own_layout = COURT if SIGNS[best] in COURTS else SIGNS[best] if SIGNS[best] in PIP_RANKS else ""
        shown_best = LAYOUTS[int(np.argmax(layout))]
        if shown_best and shown_best == own_layout:
            agreeing += 1
            cap = _court_cap(corners, best, float(layout.max())) if shown_best == COURT else 1.0
        needed = AGAINST_BOTH if both else CONTRADICTS
        opposed |= bool(shown_best) and shown_best != own_layout and float(layout.max()) >= needed
        shares = _shares(said)
        chance = pips.astype(np.float64)
        own = chance[:NO_SUIT] + chance[NO_SUIT] / NO_SUIT
        marks += np.log((1 - SUIT_FOOLED) * own + SUIT_FOOLED / NO_SUIT)
    if agreeing <= 1:
        marked = single is not None and float(suits[single, NO_SUIT]) <= MOST_UNMARKED
        # The other corner is out of sight: the one that is seen has to do, for what it says and no more.
        cap = float(corners[single, best]) if single is not None and marked else min(cap, ALONE)
    if bare == (False, False) and layout is not None and float(layout[NO_LAYOUT]) >= NO_FACE:
        cap = min(cap, ALONE)  # no card's border, no card's face: two marks on a checked cloth look like an index
    top = max(shares)
    if top > cap:
        shares = [cap if share == top else share + (top - cap) / (count - 1) for share in shares]
    if opposed:
        shares = [share * OPPOSED_SHARE + (1 - OPPOSED_SHARE) / count for share in shares]
    return RankReading(
        dict(zip(SIGNS, shares, strict=False)),
        dict(zip(SUITS, _shares(marks), strict=False)),
        (float(weights[0]), float(weights[1])),
    )


def _court_cap(corners: Floats, best: int, court: float) -> float:
    """What the better corner is worth where the face shows a court card, with a chance of `court`: it has to tell its
    letter from the two others, and hardly from a number."""
    letters = corners[:, [SIGNS.index(sign) for sign in COURTS]].sum(1)
    among = corners[:, best] / np.maximum(letters, 1e-9)
    better = float((court * among + (1 - court) * corners[:, best]).max())
    return 1 - (1 - better) / PAIR_WORTH


def _opposed(corners: Floats) -> bool:
    """Whether the two corners say different signs, each as if it knew."""
    first, second = corners[:, :NO_SIGN]
    return bool(first.argmax() != second.argmax() and min(first.max(), second.max()) >= CONTRADICTS)


def _shares(logs: Array) -> list[float]:
    weights = np.exp(logs - logs.max())
    return [float(w) for w in weights / weights.sum()]


@dataclass(frozen=True)
class RankSaid:
    """What may be said of a card from its corners: an id, a rank without its suit (`9?`), or `?`; and why."""

    card: str
    confidence: float
    ranking: tuple[Ranked, ...]
    candidates: tuple[str, ...]


def said(reading: RankReading, deck: Deck, sure: float) -> RankSaid:
    """What a reading says in terms of a deck's cards; only what reaches `sure` is said.

    Numbers are never said for sure: their packs hold specials, and two arrows in a corner look like an 11.
    """
    cards = signs_of(deck)
    weights: dict[str, float] = {}
    for sign, ids in cards.items():
        for card in ids:
            suit = shape_and_colour(card)[1]
            share = reading.suits.get(suit, 0.0) if suit is not None else 1.0 / len(ids)
            weights[card] = reading.signs.get(sign, 0.0) * share
    sign, chance = reading.best
    ordered = sorted(weights, key=lambda card: -weights[card])
    top = ordered[0]
    best = min(MOST_SURE, weights[top])
    floor = max(weights[top], 1e-12)
    ranking = tuple(
        Ranked(card, float(np.log(max(weights[card], 1e-12) / floor)))
        for card in ordered
        if weights[card] > floor * np.exp(-FAR_NATS)
    )
    likely = tuple(card for card in ordered if weights[card] > 0.02)[:6]
    if not suited(deck) or reading.sign < LEAST_SIGN or sign not in cards or chance < sure:
        return RankSaid("?", best, ranking, likely)
    suit = shape_and_colour(top)[1]
    if best >= sure and suit is not None and reading.suits[suit] >= SUIT_SURE:
        return RankSaid(top, best, ranking, ())
    return RankSaid(f"{sign}?", best, ranking, likely)


def rank_look(pose: Array, ranking: tuple[Ranked, ...], short_px: float) -> Look:
    """A look at a card known by its corners: they are wholly there, and of the print nothing is known."""
    return Look(pose, ranking, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 4, 0, False, round(short_px))
