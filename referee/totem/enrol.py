"""Before the game everybody takes the totem once: which wire is whose, how well each seat couples, how broad a hand is.

Belongs here: what one grip of each player says about seats and hands. Does not belong here: asking the players,
keeping the findings, naming hands in a game (naming.py, which the detector tells of the findings).

Rules: a wire is called dead or swapped only by what was felt; with anything else than one grip a player in the order
of the seats nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from referee.errors import TraceError
from referee.totem.contacts import feel
from referee.totem.finding import find_hands
from referee.totem.grid import make_grid
from referee.totem.hand_net import LEAST_PITCH_MM
from referee.totem.hands import TouchReading, read_touch
from referee.totem.scrambles import Detector, Grab
from referee.totem.seats import LEAST_COUPLING, NEXT_SHARE, SeatAnswers, answers
from referee.totem.stream import Scans
from referee.totem.touch import Known, Touch
from referee.totem.trace import Layout


@dataclass(frozen=True)
class Enrolled:
    """One player: `pad` the place of the seat pad that answered (None: none did), its `coupling` as share of a touch.

    `pitch_mm` is the distance from finger to finger (None: one finger, or it cannot be told).
    """

    player: str
    pad: int | None
    coupling: float
    pitch_mm: float | None


@dataclass(frozen=True)
class Findings:
    """What everybody's grip showed.

    `players` in the order of the seats; `seat_names` whose pad is driven first, second, … as it really is;
    `swapped` the players whose wires go elsewhere than was said; `silent` those whom no pad answered for.
    """

    players: tuple[Enrolled, ...]
    seat_names: tuple[str, ...]
    swapped: tuple[str, ...]
    silent: tuple[str, ...]

    @property
    def known(self) -> dict[str, Known]:
        """What the detector is told of each player."""
        return {one.player: Known(one.coupling, one.pitch_mm or 0.0) for one in self.players}


def enrol(
    scans: Scans,
    seats_deg: Mapping[str, float],
    layout: Layout,
    seat_names: tuple[str, ...] = (),
    angle0_deg: float = 0.0,
) -> Findings:
    """Learn from `scans` in which every player took the totem once and let it go, in the order of `seats_deg`.

    `seat_names` names the seat pads in the order in which the totem drives them, as they were wired to be (empty:
    there are none). Raises `TraceError` when another number of grips was felt, or two hands at once.
    """
    takes: list[tuple[Touch, TouchReading]] = []

    def reader(touch: Touch, seats: Mapping[str, float], angle0: float) -> TouchReading | None:
        reading = read_touch(touch, seats, angle0)
        if reading is not None and any(hand.grip for hand in reading.hands):
            takes.append((touch, reading))
        return reading

    detector = Detector(layout, seats_deg, angle0_deg, seat_names=seat_names or None, reader=reader)
    events = detector.feed(scans) + detector.finish()
    grabs = [event for event in events if isinstance(event, Grab) and any(hand.grip for hand in event.hands)]
    # A touch that was read but left out (a totem that lay, or was just put back) is no grip.
    counted = {grab.t_us for grab in grabs}
    takes = [(touch, reading) for touch, reading in takes if min(h.t_us for h in reading.hands) in counted]
    if len(takes) != len(seats_deg):
        raise TraceError(
            f"enrolling: {len(seats_deg)} players were to take the totem once each, {len(takes)} grips were felt"
        )
    players = [_enrolled(name, touch) for name, (touch, _) in zip(seats_deg, takes, strict=True)]
    return _findings(_one_pad_each(players), seat_names)


def _enrolled(player: str, touch: Touch) -> Enrolled:
    felt = feel(touch)
    seats = answers(touch, felt)
    found = find_hands(touch, felt, seats, make_grid(touch.segment.layout))
    pitch = None
    if found:
        surest = max(found, key=lambda one: one.answer.grip).answer
        if float(surest.fingers[2:].sum()) > 0.9:
            bins = LEAST_PITCH_MM + np.arange(len(surest.pitch))
            pitch = round(float((surest.pitch * bins).sum()), 1)
    pad, coupling = (None, 0.0) if seats is None else _pad(seats, felt.active.astype(np.float32))
    return Enrolled(player, pad, coupling, pitch)


def _pad(seats: SeatAnswers, touched: np.ndarray[tuple[int], np.dtype[np.float32]]) -> tuple[int | None, float]:
    """The pad that answers to the one hand there is, and its coupling; no pad when none or two answer clearly."""
    heard, error = seats.coupling(touched), seats.error(touched)
    order = np.argsort(-heard)
    best = int(order[0])
    next_best = float(heard[order[1]]) if len(order) > 1 else 0.0
    clear = heard[best] >= LEAST_COUPLING + 1.5 * error[best] and next_best <= NEXT_SHARE * float(heard[best])
    return (best, round(float(heard[best]), 3)) if clear else (None, 0.0)


def _one_pad_each(players: list[Enrolled]) -> tuple[Enrolled, ...]:
    """The same players; where one pad answered for two of them it is nobody's."""
    pads = [one.pad for one in players]
    return tuple(
        one if one.pad is None or pads.count(one.pad) == 1 else Enrolled(one.player, None, 0.0, one.pitch_mm)
        for one in players
    )


def _findings(players: tuple[Enrolled, ...], seat_names: tuple[str, ...]) -> Findings:
    if not seat_names:
        return Findings(players, (), (), ())
    by_pad = {one.pad: one.player for one in players if one.pad is not None}
    left = [name for name in seat_names if name not in by_pad.values()]
    names = []
    for pad, said in enumerate(seat_names):
        # A pad that nobody woke keeps its name if it can; otherwise it is one of those still without a pad.
        name = by_pad.get(pad) or (said if said in left else left[0])
        if name in left:
            left.remove(name)
        names.append(name)
    swapped = tuple(one.player for one in players if one.pad is not None and seat_names[one.pad] != one.player)
    silent = tuple(one.player for one in players if one.pad is None)
    return Findings(players, tuple(names), swapped, silent)
