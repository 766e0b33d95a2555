"""How simulated people play Speed: reaction times, speeds and mistakes, as distributions.

Belongs here: every number that says how people are in this game. Does not belong here: what they do with it
(`speed_people`).

Sources and assumptions: as in `habits`. The shapes are the usual ones (log-normal reaction times, Fitts' law); the
values are assumptions about two quick adults, at most three cards a second each, and measured on nobody. Every mistake
is made more often than good players make it, so that a minute holds some of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.sim.habits import Range


@dataclass(frozen=True)
class SpeedHabits:
    """Times in milliseconds as (median, log-normal sigma) or (least, most); mistakes as chances per occasion."""

    pace_scale: float = 1.0  # multiplies the time for finding a card
    notice_ms: Range = (330, 0.22)  # from a card lying to knowing it
    find_ms: Range = (210, 0.5)  # from a look at the middle to choosing a card, when one fits
    next_ms: Range = (30, 0.5)  # the same for the next card of a run that was planned
    fitts_ms: Range = (45, 42)  # a and b of Fitts' law: hands that slam
    slowest_reach_ms: float = 150.0  # even the shortest way takes so long with a card in the fingers
    dwell_ms: Range = (15, 70)  # the hand on the card it has just laid
    own_notice_ms: Range = (420, 0.3)  # from laying a wrong card to setting out to take it back
    stuck_ms: Range = (1100, 0.3)  # how long one looks before saying one is stuck
    count_in_ms: Range = (1400, 2200)  # from a turn-up that is due to the cards being lifted
    turn_spread_ms: float = 35.0  # standard deviation of two people turning at a count
    lift_ms: Range = (200, 290)  # a side card from leaving its pile to standing on its edge
    lay_ms: Range = (150, 240)
    deal_ms: Range = (4500, 6500)  # between two games, and for a shuffle of the middle
    refill: float = 0.72  # drawing at once after a card, else a run is played first
    wrong_card: float = 0.02  # a card that does not fit
    late: float = 0.25  # one turns up later than the other
    late_ms: Range = (700, 1700)
    early: float = 0.5  # and then the other one plays before both cards are up
    give_way: float = 0.93  # not laying where the other's hand is seen coming
    linger: float = 0.03  # the hand stays on its card
    linger_ms: Range = (300, 900)
    hover: float = 0.02  # a hand goes over a pile and back without a card
    hasty_claim: float = 0.06  # says stuck with a card still to draw
    crooked: float = 0.15
    off_mm: float = 6.0  # spread of where a card lands
