"""How simulated people play: reaction times, speeds and mistakes, as distributions.

Belongs here: every number that says how people are. Does not belong here: what they do with it (`people`).

Sources and assumptions. The SHAPES are the usual ones: reaction times are log-normal (Luce 1986, *Response
Times*), a reach takes a + b·log2(2D/W) (Fitts 1954) along a minimum-jerk path (Flash and Hogan 1985). The VALUES are
assumptions about a lively table of adults and are not measured on anybody; every mistake is made more often
than good players make it, so that a few minutes hold some of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log2

import numpy as np

Range = tuple[float, float]


@dataclass(frozen=True)
class Habits:
    """Times in milliseconds as (median, log-normal sigma) or (least, most); mistakes as chances per occasion."""

    pace_ms: Range = (900, 0.35)  # from a card lying to the next hand setting out
    pace_scale: float = 1.0
    lift_ms: Range = (230, 340)  # from leaving the reserve to standing on its edge
    lay_ms: Range = (190, 300)  # from its edge to lying
    notice_ms: Range = (470, 0.28)  # from a face first seen to the hand setting out, when entitled
    inhibit_ms: Range = (160, 260)  # to stop a reach that has come too late
    fitts_ms: Range = (60, 85)  # a and b of Fitts' law
    count_in_ms: Range = (1000, 1500)  # before a volley
    volley_spread_ms: float = 70  # standard deviation of the turns of one volley
    tidy_ms: Range = (450, 1100)  # from the totem being free to the first pile being taken
    linger_ms: Range = (700, 2600)  # an arm left over its card
    miss: float = 0.12  # an entitled player does not see it until the next card
    look_alike: float = 0.10  # a grab for a card that only looks the same
    wild: float = 0.006  # a grab for nothing, per player and card
    intrude: float = 0.04  # a grab into somebody else's situation, per player
    brush: float = 0.02
    feint: float = 0.06
    topple: float = 0.012  # the totem falls with nobody's hand closed on it
    topple_in_scramble: float = 0.05
    wobble: float = 0.012
    out_of_turn: float = 0.015
    stopped_turn: float = 0.025  # a card lifted and put back
    inward: float = 0.05  # a card turned towards its owner
    linger: float = 0.06
    crooked: float = 0.12
    wrong_pick_up: float = 0.05
    sweep: float = 0.4  # several piles pushed together instead of fetched one by one
    hand_on_hand: float = 0.15


@dataclass(frozen=True)
class Person:
    """One player: how quick, and whether the free hand's sleeve, skin or glove is which is chosen by looks."""

    name: str
    speed: float  # multiplies every time

    def draw_ms(self, random: np.random.Generator, spread: Range) -> float:
        """A log-normal time of (median, sigma), at this person's speed."""
        return self.speed * exp(random.normal(log(spread[0]), spread[1]))

    def reach_ms(self, fitts_ms: Range, distance_mm: float, width_mm: float = 40.0) -> float:
        """How long a hand takes over a distance, by the a and b of Fitts' law."""
        a, b = fitts_ms
        return self.speed * (a + b * log2(2 * max(distance_mm, width_mm) / width_mm))


def draw_people(players: tuple[str, ...], random: np.random.Generator) -> dict[str, Person]:
    """People of different speeds."""
    return {name: Person(name, float(exp(random.normal(0.0, 0.13)))) for name in players}
