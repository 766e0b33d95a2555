"""Which hand to ask for next.

Belongs here: the order of questions about a touch, and what has been answered. Does not belong here: the answers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.seats import SeatAnswers, SeatView, loudest_seat, unheard_seat

Floats = NDArray[np.float32]

# Electrodes that belong to no hand yet lead to another one only above this share of the strongest.
REST_SHARE = 0.07


class Questions:
    """Which hand to ask for next: first by what was touched first, then by seats nobody was found for."""

    def __init__(self, felt: Feel, noise: Floats, seats: SeatAnswers | None) -> None:
        self.felt, self.noise, self.seats = felt, noise, seats
        self.assigned = np.zeros(len(felt.final), np.float32)
        self._asked = np.zeros(len(felt.final), bool)
        self._seats_asked: set[int] = set()

    def next(self) -> tuple[int, SeatView | None, bool] | None:
        """(electrode, what the hand's seat answers, whether a seat and no electrode led here); None: done."""
        felt, seats = self.felt, self.seats
        rest = np.where(felt.active & ~self._asked, felt.final * (1.0 - self.assigned), 0.0)
        top = float(rest.max(initial=0.0))
        if top >= max(8.0 * float(np.median(self.noise)), REST_SHARE * felt.scale):
            candidates = np.nonzero(rest > np.maximum(0.3 * top, 5.0 * self.noise))[0]
            if not len(candidates):
                # What is left is all on electrodes that scatter more than the rest.
                candidates = np.array([int(np.argmax(rest))])
            query = int(candidates[np.argmin(felt.half_us[candidates])])
            self._asked[query] = True
            seat = None if seats is None else loudest_seat(seats, query, felt)
            return query, None if seats is None or seat is None else seats.view(seat, felt), False
        if seats is None:
            return None
        unheard = unheard_seat(seats, felt, self._seats_asked)
        if unheard is None:
            return None
        self._seats_asked.add(unheard[0])
        return unheard[1], seats.view(unheard[0], felt), True

    def found(self, share: Floats, seat: int | None) -> None:
        """A hand was found: `share` (E) of the electrodes is its own."""
        self.assigned = np.maximum(self.assigned, share)
        if seat is not None:
            self._seats_asked.add(seat)
