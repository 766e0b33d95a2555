"""Counts and heights as a totem prints them of hands that came together: they name who takes it, or leave it open.

Belongs here: the drawn readings of one scramble, changed until they say of the taker what was drawn. Does not belong
here: the readings of single hands (senses_totem.py), how often which is drawn (senses_errors.py).

A real totem weighs the hands of a scramble together (`referee/totem/taking.py`): what it prints of them names a taker
more often than counts drawn hand by hand would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from referee.sim.senses_errors import Errors
from referee.totem.hands import HandReading
from referee.totem.taking import TOGETHER_US, Printed, may_take, opened

MOST_FINGERS = 5


@dataclass(frozen=True)
class Held:
    """A hand as it really was, and what is read of it."""

    t_us: int
    fingers: int
    lowest_mm: float
    reading: HandReading


def weighed(held: Sequence[Held], errors: Errors, chance: Random) -> list[HandReading]:
    """The readings of a scramble's hands (in order) after those that came together were weighed together."""
    first_us = min(hand.t_us for hand in held)
    together = [hand for hand in held if hand.t_us - first_us <= TOGETHER_US]
    readings = [hand.reading for hand in held]
    if len(together) < 2 or not errors.counts_right:
        return readings
    ranked = sorted(together, key=lambda hand: (-hand.fingers, hand.lowest_mm))
    more = min(ranked[0].fingers - ranked[1].fingers, len(errors.counts_right) - 1)
    drawn = chance.random() - errors.counts_right[more]
    if drawn < 0:
        said = named(ranked, 0)
    elif drawn < errors.counts_wrong[more]:
        most = min(ranked[0].fingers, MOST_FINGERS - 1)
        taken_for = [replace(hand, fingers=min(hand.fingers, most)) for hand in ranked]
        taken_for[1] = replace(ranked[1], fingers=most + 1)
        said = named(taken_for, 1)
    else:
        said = left_open(ranked)
    changed = {id(hand): new for hand, new in zip(ranked, said, strict=True)}
    return [changed.get(id(hand), hand.reading) for hand in held]


def named(ranked: Sequence[Held], taker: int) -> list[HandReading]:
    """The readings of hands, the best first, changed to name one of them; by their heights where counts are equal."""
    own = ranked[taker]
    least = own.fingers
    readings = []
    for hand in ranked:
        low, high = hand.reading.fingers
        lowest = hand.reading.lowest_mm
        if hand is own:
            fingers = least, max(high, least)
            others_mm = [other.lowest_mm for other in ranked if other is not own and other.fingers == least]
            if others_mm:
                between_mm = (own.lowest_mm + min(others_mm)) / 2
                lowest = min(lowest[0], own.lowest_mm), min(max(lowest[1], own.lowest_mm), between_mm - 0.1)
        elif hand.fingers < least:
            fingers = min(low, hand.fingers), min(max(high, hand.fingers), least - 1)
        else:
            between_mm = (own.lowest_mm + hand.lowest_mm) / 2
            fingers = min(low, least), least
            lowest = max(min(lowest[0], hand.lowest_mm), between_mm + 0.1), max(lowest[1], hand.lowest_mm)
        readings.append(replace(hand.reading, fingers=fingers, lowest_mm=lowest))
    return readings


def left_open(ranked: Sequence[Held]) -> list[HandReading]:
    """The readings as those that leave open which of the two best hands takes it."""
    at_us = min(hand.t_us for hand in ranked)
    printed = [Printed(at_us, hand.reading.fingers, hand.reading.lowest_mm) for hand in ranked]
    takers = may_take(printed)
    if len(takers) == 1:
        printed = opened(printed, takers[0], 1 if takers[0] == 0 else 0)
    return [
        replace(hand.reading, fingers=own.fingers, lowest_mm=own.lowest_mm)
        for hand, own in zip(ranked, printed, strict=True)
    ]
