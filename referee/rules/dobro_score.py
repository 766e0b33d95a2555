"""Dobro: points of a round, who opens the next one, the final ranking.

Belongs here: arithmetic on counts by seat. Does not belong here: states, names, rulings.
"""

from __future__ import annotations

from collections.abc import Sequence


def places(counts: Sequence[int]) -> tuple[int, ...]:
    """Each seat's place, 1 for the fewest cards; equals share one, and those after them are skipped (DO-48, DO-50)."""
    return tuple(1 + sum(other < count for other in counts) for count in counts)


def points(counts: Sequence[int], scoring: Sequence[int] | None, oubli: int) -> tuple[int, ...]:
    """Each seat's points: those of its place, and one more for the holder of the Oubli card (DO-49, DO-51)."""
    by_place = [place if scoring is None else scoring[place - 1] for place in places(counts)]
    return tuple(value + (seat == oubli) for seat, value in enumerate(by_place))


def openers(scored: Sequence[int], ender: int, *, clockwise: bool) -> tuple[int, ...]:
    """The seats with most points, nearest first in the direction of play.

    Counting starts with the seat after the one that ended the round, which comes last (DO-53, DO-54, DO-G25).
    """
    count, most = len(scored), max(scored)
    step = 1 if clockwise else -1
    seats = ((ender + step * distance) % count for distance in range(1, count + 1))
    return tuple(seat for seat in seats if scored[seat] == most)


def ranking(totals: Sequence[int], last: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Seats by place: lowest total first, equals by the cards of the last round; what is still equal shares.

    DO-56, DO-57, DO-58, dobro-decisions-6.
    """
    keys = list(zip(totals, last, strict=True))
    return tuple(tuple(seat for seat, key in enumerate(keys) if key == found) for found in sorted(set(keys)))
