"""From one touch to its hands: who, since when, how many fingers, how low.

Belongs here: taking the touch apart hand by hand, the time of each hand's first contact, intervals where the
electrodes cannot tell, and the player where direction or seat pads can. Does not belong here: the stream.

Rules: what is printed as one number is meant as one number; everything else is an interval that holds the
truth in about 19 of 20 cases. A player is named only when all others together are unlikely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel, contact_us, feel, step_noise
from referee.totem.doubt import decided, division, fingers_interval, honest, lowest_interval
from referee.totem.features import query_us
from referee.totem.finding import Found, find_hands
from referee.totem.first_contact import Contact, candidates, known_earlier, moment_chances, parted
from referee.totem.grid import make_grid
from referee.totem.moments import Moments, moments_of, moved
from referee.totem.motion import fall_index
from referee.totem.naming import joint_names, seat_chances, seat_name
from referee.totem.overlooked import chance_overlooked
from referee.totem.seats import SeatAnswers, answers, match_hands, seat_felt
from referee.totem.taking import OVERLOOKED, TAKER_SURE, TAKER_SURE_PADS, Printed, Weighed, told
from referee.totem.touch import Touch

Floats = NDArray[np.float32]

BRUSH_US = 80_000
# A brush is told where the step of its landing is this share of its peak and stands this far out of the noise of steps
# (skin spreads over some 10 ms), and it lasts: a spike does not. Just before it landed, a finger was felt at most as
# this share of its peak; what only comes near is felt as more before it makes such a step.
BRUSH_STEP_SHARE, BRUSH_STEP_SIGMAS, LEAST_BRUSH_US = 0.08, 6.0, 9_000
BRUSH_NEAR_SHARE = 0.2
# A hand whose likeliest number of fingers is less likely than this is too blurred to be named by its side.
CLEAR_HAND = 0.4
# A totem that stays on the table was taken only if at least one hand is this sure: hands hover there for long.
UNLIFTED_CHANCE = 0.985
# So few electrodes never make it so sure of a hand.
FEW_ELECTRODES, UNLIFTED_FEW_CHANCE = 16, 0.93
FIRM_CHANCE, FIRM_COUNTS = 0.95, 130.0
# A totem that wobbles on its foot leans, and reads a few counts more: so little is a hand only if it is this sure.
WEAK_CHANCE, WEAK_COUNTS = 0.8, 40.0


@dataclass(frozen=True)
class HandReading:
    """One hand: first contact, fingers and lowest contact (mm) as (low, high), `grip` false for a brush.

    `chances` are each seat's by the side the hand came from; empty where the side is not known. `moments`: when it may
    really have come, from `t_us` on; empty where nothing but `t_us` is known.
    """

    player: str | None
    t_us: int
    fingers: tuple[int, int]
    lowest_mm: tuple[float, float]
    grip: bool
    electrodes: tuple[int, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)
    moments: Moments = ()


@dataclass(frozen=True)
class TouchReading:
    """All hands of a touch, in order of first contact; `doubt`: why its taker is left open (taking.py)."""

    hands: tuple[HandReading, ...]
    lifted_us: int | None
    settled_us: int
    doubt: str = ""


def read_touch(touch: Touch, seats_deg: Mapping[str, float], angle0_deg: float) -> TouchReading | None:
    """The hands of a touch; None when it was nothing (a hover, a feint, a sleeve, a spill)."""
    felt = feel(touch)
    # Nobody lifts a totem in so short a time: what tilts it then is a knock.
    if touch.held_us < BRUSH_US and (felt.lifted_us is None or fall_index(touch.segment.tilt_deg) is not None):
        return read_brush(touch, felt)
    grid = make_grid(touch.segment.layout)
    seats = answers(touch, felt)
    # A hand that owns no electrode clearly is drift, and no hand.
    found = [
        one for one in find_hands(touch, felt, seats, grid) if bool((felt.active & (one.answer.share > 0.5)).any())
    ]
    surest = max((one.answer.grip for one in found), default=0.0)
    if felt.lifted_us is not None:
        enough = WEAK_CHANCE if felt.scale < WEAK_COUNTS else 0.0
    else:
        usual = UNLIFTED_CHANCE if len(felt.active) > FEW_ELECTRODES else UNLIFTED_FEW_CHANCE
        enough = FIRM_CHANCE if felt.scale >= FIRM_COUNTS else usual
    if not found or surest < enough:
        return None
    owned = own_electrodes(felt, found)
    contacts = first_contacts(touch, felt, found, owned)
    angle0_deg += turned_deg(touch)
    names = name_hands(felt, found, owned, seats, seats_deg, angle0_deg)
    known = evidence(touch, felt, found, contacts, seats)
    sure = TAKER_SURE if seats is None else TAKER_SURE_PADS
    said = told(known.weighed, known.alone, known.overlooked, sure)
    if said.doubt == OVERLOOKED:
        names = [None] * len(found)
    hands = [
        HandReading(
            name,
            printed.t_us,
            printed.fingers,
            printed.lowest_mm,
            True,
            tuple(int(e) for e in np.nonzero(own > 0.5)[0]),
            seat_chances(one.answer, seats_deg, angle0_deg) if seats_deg else {},
            moved(moments_of(own_known.contact, own_known.divided), printed.t_us - own_known.contact.t_us),
        )
        for one, own, printed, own_known, name in zip(found, owned, said.hands, known.weighed, names, strict=True)
    ]
    hands.sort(key=lambda hand: hand.t_us)
    return TouchReading(tuple(hands), felt.lifted_us, felt.settle_us, said.doubt)


@dataclass(frozen=True)
class Evidence:
    """What is known of all hands of a touch, in one order: `weighed` for the taker, and as each is printed `alone`.

    `overlooked`: the chance that there was another hand.
    """

    weighed: list[Weighed]
    alone: list[Printed]
    overlooked: float


def evidence(
    touch: Touch, felt: Feel, found: list[Found], contacts: list[Contact], seats: SeatAnswers | None
) -> Evidence:
    """What is likely of each of the hands found, and of all together."""
    layout = touch.segment.layout
    pressed = np.asarray(felt.final * felt.active, np.float32)
    answered = [one.answer for one in found]
    divided = [division(pressed, [answer.share for answer in answered], k) for k in range(len(found))]
    chances = [honest(answer.fingers, parts) for answer, parts in zip(answered, divided, strict=True)]
    counts = decided(chances, [fingers_interval(own) for own in chances])
    scale = layout.height_mm / 120.0
    return Evidence(
        [
            Weighed(contact, own, answer.lowest, parts)
            for contact, own, answer, parts in zip(contacts, chances, answered, divided, strict=True)
        ],
        [
            Printed(contact.t_us, count, lowest_interval(answer.lowest, scale))
            for contact, count, answer in zip(contacts, counts, answered, strict=True)
        ],
        chance_overlooked(felt, layout, answered, seats),
    )


def read_brush(touch: Touch, felt: Feel) -> TouchReading | None:
    """A touch under 80 ms: a brush if skin landed (a step), nothing if a hand only came near."""
    rows = touch.segment.above[: touch.stop]
    electrode = int(np.argmax(rows[touch.start :].max(axis=0)))
    noise = float(step_noise(touch)[electrode])
    contact = contact_us(touch.t_us, rows[:, electrode], noise, max(touch.start - 5, 1), touch.start + 40)
    top = float(rows[touch.start :, electrode].max())
    if contact is None or touch.held_us < LEAST_BRUSH_US:
        return None
    if contact[1] < max(BRUSH_STEP_SHARE * top, BRUSH_STEP_SIGMAS * noise):
        return None
    before = max(int(np.searchsorted(touch.t_us, contact[0])) - 1, 0)
    if float(rows[before, electrode]) > BRUSH_NEAR_SHARE * top:
        return None
    layout = touch.segment.layout
    height = float(layout.ring_mm[electrode // layout.sectors])
    reach = layout.pitch_mm
    name = seat_felt(touch.segment, touch.start, touch.stop)
    hand = HandReading(
        name, contact[0], (1, 1), (max(0.0, height - reach - 5.0), height + reach / 2), False, (electrode,)
    )
    return TouchReading((hand,), None, felt.settle_us)


def turned_deg(touch: Touch) -> float:
    """How far the totem is turned about its axis, where that is measured."""
    yaw = touch.segment.yaw_deg
    return 0.0 if yaw is None else float(np.median(yaw[max(touch.start - 5, 0) : touch.start + 1]))


def own_electrodes(felt: Feel, found: list[Found]) -> list[Floats]:
    """Share of each electrode that belongs to each hand, (E), adding up to at most 1."""
    shares = np.stack([one.answer.share for one in found]) * felt.active
    total = np.maximum(shares.sum(axis=0), 1.0)
    return [np.asarray(row / total, np.float32) for row in shares]


def first_contacts(touch: Touch, felt: Feel, found: list[Found], owned: list[Floats]) -> list[Contact]:
    """Each hand's first contact, dated back to the skin, and what else it may have been."""
    moments = [candidates(touch, felt, owned, k) for k in range(len(found))]
    asked = [query_us(felt, one.query) for one in found]
    chances = [moment_chances(moments[k], one.answer.first, asked[k]) for k, one in enumerate(found)]
    times = [int(own.at_us[int(np.argmax(chance))]) for own, chance in zip(moments, chances, strict=True)]
    first_us = min(times)
    contacts = []
    for k, one in enumerate(found):
        # Whose skin is not sure is not said to be the first.
        others = [at for j, other in enumerate(moments) if j != k for at in other.at_us if at > first_us]
        at_us = known_earlier(times[k], moments[k], np.array(others, np.int64), one.answer.first, asked[k])
        contacts.append(Contact(at_us, moments[k].at_us, chances[k]))
    return parted(contacts)


def name_hands(
    felt: Feel,
    found: list[Found],
    owned: list[Floats],
    seats: SeatAnswers | None,
    seats_deg: Mapping[str, float],
    angle0_deg: float,
) -> list[str | None]:
    """The player of each hand from seat pads, else from direction; None where neither can tell."""
    chances = [seat_chances(one.answer, seats_deg, angle0_deg) for one in found] if seats_deg else []
    names: list[str | None] = [None] * len(found)
    claims: list[list[str]] = [[] for _ in found]
    if seats is not None:
        claims = match_hands(seats, [np.asarray((own > 0.5) * own, np.float32) for own in owned])
        names = [
            seat_name(claim, chances[k] if chances else None, {c for other in claims for c in other})
            for k, claim in enumerate(claims)
        ]
    if not chances:
        return names
    taken = {n for n in names if n is not None}
    joint = joint_names(chances, names)
    for k, name in enumerate(names):
        # Two hands taken for one come from a side of their own: what is no clear hand is not named by its side.
        if found[k].answer.fingers.max() < CLEAR_HAND:
            continue
        if name is None and not claims[k] and joint[k] is not None and joint[k] not in taken:
            names[k] = joint[k]
    return names


def forget_player(hand: HandReading) -> HandReading:
    """The same hand with its player withheld."""
    return replace(hand, player=None)
