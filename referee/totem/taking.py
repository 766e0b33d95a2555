"""Who would take the totem, if everybody might: how likely each hand is, and what is printed of it.

Belongs here: the doubt about times, counts and heights put together, intervals cut where one hand takes it for all that
is likely, and widened where what would be printed names a hand that may well not be it. Does not belong here: where
the chances come from (hands.py, doubt.py, moments.py, overlooked.py), who is entitled to what (the rules).

Written rules:
- a first contact is printed as one time. Its error grows with how little the hand's skin is told from the others'; so
  whether two hands came together is a chance, and no threshold on what is printed;
- what is printed of several hands names a taker only if that hand is likely enough to be it (`TAKER_SURE`). Otherwise
  another one may take it too as far as the printed values go: its count, or the taker's, is an interval that reaches
  so far, and a hand that may have come within the time stands there as one that did;
- an interval is never cut below what its own hand may well be (`CUT_KEEPS`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.totem.doubt import Division
from referee.totem.first_contact import Contact
from referee.totem.moments import moments_of

Floats = NDArray[np.float64]

# Hands that come within this of the first are together (decisions, grab-1, `simultaneous_ms`).
TOGETHER_US = 40_000
# A taker is told when it is this likely: less without seat pads, where hands have a name so seldom that few takers are
# told at all. Intervals are cut to tell it where all cut counts together keep so much.
TAKER_SURE, TAKER_SURE_PADS, CUT_KEEPS = 0.85, 0.9, 0.85
# Where a hand was overlooked, the likeliest of the found ones is not the taker in this share of the cases (measured
# like the errors of first contacts): a lone one, or one of several.
WRONG_ALONE, WRONG_AMONG = 0.35, 0.08
# More hands than these are not weighed together (5 take 15 times as long as 4); the latest are left out.
MOST_WEIGHED = 4
MOST_FINGERS = 5
# Why a taker is left open that the values by themselves would name.
ORDER, COUNT, OVERLOOKED = "order", "count", "hand"


@dataclass(frozen=True)
class Weighed:
    """What is likely of one hand: its first contact, chances of 0..5 fingers and of each height (low first)."""

    contact: Contact
    fingers: NDArray[np.float32]
    lowest: NDArray[np.float32]
    divided: Division


@dataclass(frozen=True)
class Printed:
    """What is printed of one hand: first contact, fingers and lowest contact as (low, high)."""

    t_us: int
    fingers: tuple[int, int]
    lowest_mm: tuple[float, float]


@dataclass(frozen=True)
class Told:
    """What is printed of all hands; `doubt`: why the taker is left open that the values by themselves would name.

    `order`: who came together, or first; `count`: who has more fingers, or is lower; `hand`: there may be one more
    hand, so that even a lone one is nobody's for sure.
    """

    hands: tuple[Printed, ...]
    doubt: str = ""


def told(
    weighed: Sequence[Weighed], alone: Sequence[Printed], overlooked: float, sure: float = TAKER_SURE_PADS
) -> Told:
    """What is printed of hands of which `alone` would be printed of each by itself, in the same order.

    `overlooked` is the chance that another hand was there; a taker is told that is `sure` likely.
    """
    chances = chances_to_take(weighed)
    believed = 1.0 - overlooked * (WRONG_ALONE if len(alone) == 1 else WRONG_AMONG)
    taker = int(np.argmax(chances))
    hands = list(alone)
    if chances[taker] * believed >= sure and may_take(hands) != [taker]:
        hands = cut(hands, weighed, taker, CUT_KEEPS)
    named = may_take(hands)
    if len(named) > 1 or chances[named[0]] * believed >= sure:
        return Told(tuple(hands))
    if len(hands) == 1:
        return Told(tuple(hands), OVERLOOKED)
    chances[named[0]] = -1.0
    rival = int(np.argmax(chances))
    return Told(tuple(opened(hands, named[0], rival)), _reason(weighed, named[0], sure))


def _reason(weighed: Sequence[Weighed], taker: int, sure: float) -> str:
    """Why `taker` is not surely the one: `order` where it would be if the first contacts were right as told."""
    first_us = min(hand.contact.t_us for hand in weighed)
    inside = [k for k, hand in enumerate(weighed) if hand.contact.t_us - first_us <= TOGETHER_US]
    as_timed = dict(zip(inside, _best_of([_ranks(weighed[k]) for k in inside]), strict=True))
    if as_timed.get(taker, 0.0) >= sure:
        return ORDER
    return COUNT


def chances_to_take(hands: Sequence[Weighed]) -> Floats:
    """How likely each hand (n) takes the totem if all may: within the time, most fingers, then the lowest."""
    out = np.zeros(len(hands))
    weighed = sorted(range(len(hands)), key=lambda k: hands[k].contact.t_us)[:MOST_WEIGHED]
    ranks = [_ranks(hands[k]) for k in weighed]
    for members, chance in together([hands[k] for k in weighed]):
        out[[weighed[k] for k in members]] += chance * _best_of([ranks[k] for k in members])
    return out


def _best_of(ranks: Sequence[Floats]) -> Floats:
    """How likely each of several hands is the best of them, by the chances of its ranks."""
    if len(ranks) == 1:
        return np.ones(1)
    # A hand beats another of the same rank in half of the cases.
    below = [np.cumsum(own) - 0.5 * own for own in ranks]
    wins = np.array([float((own * np.prod(below[:k] + below[k + 1 :], axis=0)).sum()) for k, own in enumerate(ranks)])
    return np.asarray(wins / max(float(wins.sum()), 1e-12))


def _ranks(hand: Weighed) -> Floats:
    """Chance of each (fingers, height) as one order: more fingers above fewer, then lower above higher."""
    ranks = np.outer(hand.fingers, hand.lowest[::-1]).astype(np.float64).ravel()
    return np.asarray(ranks / max(float(ranks.sum()), 1e-12))


def together(hands: Sequence[Weighed]) -> list[tuple[tuple[int, ...], float]]:
    """The sets of hands that may have come together as the first ones, each with its chance."""
    first_us = min(hand.contact.t_us for hand in hands)
    times, weights = [], []
    for hand in hands:
        moments = moments_of(hand.contact, hand.divided)
        times.append(np.array([at_ms for at_ms, _ in moments]) + (hand.contact.t_us - first_us) / 1000.0)
        weights.append(np.array([share for _, share in moments]))
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*times, indexing="ij")])
    chance = np.ones(1)
    for share in weights:
        chance = np.outer(chance, share).ravel()
    inside = grid - grid.min(axis=0) <= TOGETHER_US / 1000.0
    code = (inside * (1 << np.arange(len(hands)))[:, None]).sum(axis=0)
    totals = np.bincount(code, weights=chance, minlength=1 << len(hands))
    return [
        (tuple(k for k in range(len(hands)) if which >> k & 1), float(total))
        for which, total in enumerate(totals)
        if total > 1e-6
    ]


def may_take(hands: Sequence[Printed]) -> list[int]:
    """The hands that can take the totem as far as the printed values go (decisions, grab-1)."""
    first_us = min(hand.t_us for hand in hands)
    inside = [k for k, hand in enumerate(hands) if hand.t_us - first_us <= TOGETHER_US]
    floor = max(hands[k].fingers[0] for k in inside)
    reached_mm = min(hands[k].lowest_mm[1] for k in inside if hands[k].fingers[0] == floor)
    return [
        k
        for k in inside
        if hands[k].fingers[1] > floor or (hands[k].fingers[1] == floor and hands[k].lowest_mm[0] <= reached_mm)
    ]


def cut(hands: Sequence[Printed], weighed: Sequence[Weighed], taker: int, keeps: float) -> list[Printed]:
    """The same hands with their counts cut so that `taker` takes the totem; unchanged where that leaves out too much.

    The counts are parted where the hands together keep most of their chances; where the taker is surely lower, the
    others may have as many fingers as it.
    """
    first_us = min(hand.t_us for hand in hands)
    own = hands[taker]
    best: tuple[float, list[Printed]] | None = None
    for least in range(1, MOST_FINGERS + 1):
        parted, kept = list(hands), 1.0
        for k, hand in enumerate(hands):
            if k == taker:
                span = max(hand.fingers[0], least), hand.fingers[1]
            elif hand.t_us - first_us > TOGETHER_US:
                continue
            else:
                most = least if own.lowest_mm[1] < hand.lowest_mm[0] else least - 1
                span = hand.fingers[0], min(hand.fingers[1], most)
            parted[k] = replace(hand, fingers=span)
            kept *= float(weighed[k].fingers[span[0] : span[1] + 1].sum()) if span[0] <= span[1] else 0.0
        if kept >= keeps and (best is None or kept > best[0]) and may_take(parted) == [taker]:
            best = kept, parted
    return list(hands) if best is None else best[1]


def opened(hands: Sequence[Printed], taker: int, rival: int) -> list[Printed]:
    """The same hands, printed so that `rival` may take the totem as well as `taker`.

    A hand that came after the time but may have come within it is set to its end; then the count that is an interval
    already is widened, the rival's upwards or the taker's downwards.
    """
    out = list(hands)
    first_us = min(hand.t_us for hand in out)
    for k in (taker, rival):
        if out[k].t_us - first_us > TOGETHER_US:
            out[k] = replace(out[k], t_us=first_us + TOGETHER_US)
    if {taker, rival} <= set(may_take(out)):
        return out
    mine, other = out[taker], out[rival]
    lower = mine.lowest_mm[1] < other.lowest_mm[0]
    # What the rival must reach to be level, and what the taker may have at most for the rival to be level with it.
    up, down = mine.fingers[0] + int(lower), max(other.fingers[1] - int(lower), 0)
    exact = other.fingers[0] == other.fingers[1]
    raised = [*out]
    raised[rival] = replace(other, fingers=(other.fingers[0], max(other.fingers[1], min(up, MOST_FINGERS))))
    lowered = [*out]
    lowered[taker] = replace(mine, fingers=(min(mine.fingers[0], down), mine.fingers[1]))
    for tried in (lowered, raised) if exact else (raised, lowered):
        if {taker, rival} <= set(may_take(tried)):
            return tried
    joined = min(mine.fingers[0], other.fingers[0]), max(mine.fingers[1], other.fingers[1])
    hull = min(mine.lowest_mm[0], other.lowest_mm[0]), max(mine.lowest_mm[1], other.lowest_mm[1])
    for k in (taker, rival):
        out[k] = replace(out[k], fingers=joined, lowest_mm=hull)
    return out
