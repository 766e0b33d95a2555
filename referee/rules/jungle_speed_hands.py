"""Jungle Speed: which of several hands on the totem counts first.

Belongs here: step 1 of "A grab": who is together, fingers, height, time, and what intervals leave open.
Does not belong here: what follows for the chosen hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from referee.words import Interval


class Grip(NamedTuple):
    """One hand on the totem: its seat (-1 unknown), first contact, fingers and height as `(low, high)`.

    `closed` is false for a brush. `fingers_said` and `lowest_said` are the values as the event gave them.
    """

    seat: int
    t_us: int
    fingers: tuple[float, float]
    lowest_mm: tuple[float, float]
    closed: bool
    fingers_said: float | Interval
    lowest_said: float | Interval

    @property
    def height_is_exact(self) -> bool:
        """Whether the height is one number."""
        return self.lowest_mm[0] == self.lowest_mm[1]


new_grip: Callable[[tuple[Any, ...]], Grip] = partial(tuple.__new__, Grip)
"""A grip from all its fields in order, in half the time of calling `Grip`."""

_TIME = attrgetter("t_us")


class Chosen(NamedTuple):
    """The hand that counts first; None with `why` and `candidates` where the evidence does not say."""

    grip: Grip | None
    why: str
    candidates: tuple[int, ...]


def bounds(value: float | Interval) -> tuple[float, float]:
    """A number or `[low, high]` as `(low, high)`."""
    return (value[0], value[1]) if isinstance(value, list) else (value, value)


def choose(together: Sequence[Grip]) -> Chosen:
    """Most fingers, then the lowest, then the earliest (JS-39, JS-40, grab-1).

    A hand can win if, for some finger count inside its interval, no hand that must have as many is surely lower.
    """
    floor = max([grip.fingers[0] for grip in together])  # the winner has at least so many
    able = [grip for grip in together if grip.fingers[1] >= floor]
    if len(able) == 1:
        return Chosen(able[0], "", (able[0].seat,))
    unbeaten = _height_judge([grip for grip in able if grip.fingers[0] == floor])
    possible = [grip for grip in able if grip.fingers[1] > floor or unbeaten(grip)]
    seats = tuple(dict.fromkeys([grip.seat for grip in possible]))
    if len(seats) == 1:
        return Chosen(possible[0] if len(possible) == 1 else min(possible, key=_TIME), "", seats)
    if any(grip.fingers != (floor, floor) for grip in possible):
        why = "fingers"
    elif all(grip.height_is_exact for grip in possible):
        why = "equal"
    else:
        why = "height"
    return Chosen(None, why, seats)


def _height_judge(rivals: Sequence[Grip]) -> Callable[[Grip], bool]:
    """Whether none of the rivals is surely lower than a hand, whatever the true values are (grab-1).

    Exact and equal heights go to the earlier contact; heights that meet with an interval among them are open.
    """
    surely_reached_mm = min(grip.lowest_mm[1] for grip in rivals)
    first_us: dict[float, int] = {}  # exact height -> the earliest contact there
    for grip in rivals:
        if grip.height_is_exact:
            height_mm = grip.lowest_mm[0]
            first_us[height_mm] = min(grip.t_us, first_us.get(height_mm, grip.t_us))

    def unbeaten(grip: Grip) -> bool:
        low_mm = grip.lowest_mm[0]
        if grip.height_is_exact and first_us.get(low_mm, grip.t_us) < grip.t_us:
            return False
        return low_mm <= surely_reached_mm

    return unbeaten


def _strength(grip: Grip) -> tuple[float, float, int]:
    """What makes a hand the best of the others: fingers, then height, then time."""
    return grip.fingers[1], -grip.lowest_mm[0], -grip.t_us


def margin_of(chosen: Grip, rivals: Sequence[Grip], together: Sequence[Grip], grips: Sequence[Grip]) -> Any:
    """How close the decision was: the deciding step, the chosen hand first, the best other second.

    `rivals` are the hands of which `chosen` was chosen, `together` all that came together, `grips` all that
    gripped, in time order. None when one hand was alone.
    """
    others = [grip for grip in rivals if grip.seat != chosen.seat]
    if others:
        second = others[0] if len(others) == 1 else max(others, key=_strength)
        if chosen.fingers[0] > second.fingers[1]:
            return {"by": "fingers", "count": [chosen.fingers_said, second.fingers_said]}
        if chosen.lowest_mm[1] < second.lowest_mm[0]:
            return {"by": "height", "mm": [chosen.lowest_said, second.lowest_said]}
        return {"by": "time", "us": second.t_us - chosen.t_us}
    seat = chosen.seat
    if len(together) > 1 and any(grip.seat != seat for grip in together):
        return {"by": "entitled"}
    later = [grip for grip in grips if grip.seat != seat]
    return {"by": "time", "us": later[0].t_us - chosen.t_us} if later else None
