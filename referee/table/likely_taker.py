"""Who takes the totem for all that is likely: when hands came, and what was felt of them, weighed together.

Belongs here: how likely each hand of a scramble is to be beaten by another. Does not belong here: how the hands
are written (`hands_said`), what the rules make of it.

Written rules:
- a hand takes the totem if it came within the house's time of the first, and no other that did beats it;
- what is printed of two hands says which beats the other, or leaves it open. Where it is open the values count as
  equally likely inside their intervals, but neither hand is held to beat the other less often than `LEAST_BEATS`:
  an interval is printed so wide because more is not known;
- a taker is one whom all others together beat more seldom than `FusionSettings.taker_sure` allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

LEAST_BEATS = 0.3
CUTS = 16  # a height's interval is cut into so many equal parts


class Printed(Protocol):
    """What is printed of one hand."""

    fingers: tuple[int, int]
    lowest_mm: tuple[float, float]


def surely_beats(one: Printed, other: Printed) -> bool:
    """Whether what is printed says that one hand beats another that came with it (JS-39, JS-40)."""
    if one.fingers[0] != other.fingers[1]:
        return one.fingers[0] > other.fingers[1]
    return one.lowest_mm[1] < other.lowest_mm[0]


def chance_to_beat(one: Printed, other: Printed) -> float:
    """How likely one hand beats another that came with it."""
    if surely_beats(other, one):
        return 0.0
    if surely_beats(one, other):
        return 1.0
    lower = _chance_lower(one.lowest_mm, other.lowest_mm)
    pairs = [(a, b) for a in _counts(one) for b in _counts(other)]
    beats = sum(1.0 if a > b else lower if a == b else 0.0 for a, b in pairs) / len(pairs)
    return min(max(beats, LEAST_BEATS), 1.0 - LEAST_BEATS)


def chance_not_to_take(taker: int, hands: Sequence[Printed], within: Sequence[float]) -> float:
    """At most how likely a hand does not take the totem; `within`: how likely each came in time with the first one."""
    own = hands[taker]
    beaten = sum(
        chance * chance_to_beat(other, own)
        for place, (other, chance) in enumerate(zip(hands, within, strict=True))
        if place != taker
    )
    return 1.0 - within[taker] + beaten


def _counts(hand: Printed) -> range:
    return range(hand.fingers[0], hand.fingers[1] + 1)


def _chance_lower(one_mm: tuple[float, float], other_mm: tuple[float, float]) -> float:
    """How likely a height inside one interval is lower than one inside another."""
    ones, others = _cut(one_mm), _cut(other_mm)
    return sum(1.0 if a < b else 0.5 if a == b else 0.0 for a in ones for b in others) / CUTS**2


def _cut(span_mm: tuple[float, float]) -> list[float]:
    low, high = span_mm
    return [low + (high - low) * (part + 0.5) / CUTS for part in range(CUTS)]
