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
from referee.totem.hand_net import Answer, Grid, ask, channels, make_grid
from referee.totem.seats import SeatAnswers, SeatView, answers, loudest_seat, match_hands, unheard_seat
from referee.totem.touch import Touch

Floats = NDArray[np.float32]

BRUSH_US = 80_000
MOST_HANDS = 5
# Electrodes that belong to no hand yet lead to another one only above this share of the strongest.
REST_SHARE = 0.12
MOST_QUESTIONS = 9
GRIP_CHANCE = 0.35
# A totem that stays on the table was taken only if at least one hand is this sure: hands hover there for long.
UNLIFTED_CHANCE = 0.93
FIRM_CHANCE, FIRM_COUNTS = 0.8, 130.0
# One finger count is printed when it is this likely; otherwise the shortest run of counts that is.
FINGERS_SURE = 0.80
FINGERS_INSIDE = 0.97
LOWEST_INSIDE = 0.92
PLAYER_SURE = 0.95
# A hand's landings lie within this time, and its first one is followed by this share of it within that time.
ONE_HAND_US = 90_000
FOLLOWED_US = 2_000
FOLLOWED_SHARE = 0.08
LONE_SHARE = 0.12
# A palm may hit the totem this long before the fingers close; its step stands out by this (sum of squares).
SLAP_US = 60_000
SLAP_POWER = 300.0
SLAP_SIGMAS = 4.5
SLAP_SHARE = 0.04
# A hand that came from a place nobody sits at is as likely as this (somebody leant over).
STRAY = 0.02
# Against a seat pad's word, a side speaks only if it is this many times likelier.
SIDE_VETO = 30.0
SIDE_LEAD = 30.0


@dataclass(frozen=True)
class HandReading:
    """One hand: first contact, fingers and lowest contact (mm) as (low, high), `grip` false for a brush.

    `chances` are each seat's by the side the hand came from; empty where the side is not known.
    """

    player: str | None
    t_us: int
    fingers: tuple[int, int]
    lowest_mm: tuple[float, float]
    grip: bool
    electrodes: tuple[int, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class TouchReading:
    """All hands of a touch, in order of first contact."""

    hands: tuple[HandReading, ...]
    lifted_us: int | None
    settled_us: int


@dataclass(frozen=True)
class Found:
    """A hand found in a touch: the network's answer about it, asked at electrode `query` (and for a seat)."""

    query: int
    seat: int | None
    answer: Answer


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


def find_hands(touch: Touch, felt: Feel, seats: SeatAnswers | None, grid: Grid) -> list[Found]:
    """Ask for one hand after the other until nothing is left."""
    questions = Questions(felt, touch.segment.noise, seats)
    found: list[Found] = []
    for _ in range(MOST_QUESTIONS):
        asked = questions.next()
        if asked is None or len(found) == MOST_HANDS:
            break
        query, view, _ = asked
        answer = ask(channels(grid, felt, query, questions.assigned, view), grid)
        if answer.grip >= GRIP_CHANCE:
            seat = None if view is None else view.seat
            found.append(Found(query, seat, answer))
            questions.found(answer.share, seat)
    return [look_again(felt, seats, grid, found, k) for k in range(len(found))] if len(found) > 1 else found


def look_again(felt: Feel, seats: SeatAnswers | None, grid: Grid, found: list[Found], which: int) -> Found:
    """Ask once more for a hand, now that the others are known; the mean of both answers."""
    one = found[which]
    others = np.max([other.answer.share for k, other in enumerate(found) if k != which], axis=0)
    view = None if seats is None or one.seat is None else seats.view(one.seat, felt)
    again = ask(channels(grid, felt, one.query, others, view), grid)
    if again.grip < GRIP_CHANCE:
        return one
    first = one.answer
    both = [
        np.asarray((a + b) / 2, np.float32)
        for a, b in (
            (first.share, again.share),
            (first.fingers, again.fingers),
            (first.lowest, again.lowest),
            (first.seat, again.seat),
        )
    ]
    return replace(one, answer=Answer(both[0], (first.grip + again.grip) / 2, both[1], both[2], both[3]))


def read_touch(touch: Touch, seats_deg: Mapping[str, float], angle0_deg: float) -> TouchReading | None:
    """The hands of a touch; None when it was nothing (a hover, a feint, a sleeve, a spill)."""
    felt = feel(touch)
    if touch.held_us < BRUSH_US and felt.lifted_us is None:
        return read_brush(touch, felt)
    grid = make_grid(touch.segment.layout)
    seats = answers(touch, felt)
    # A hand that owns no electrode clearly is drift, and no hand.
    found = [
        one for one in find_hands(touch, felt, seats, grid) if bool((felt.active & (one.answer.share > 0.5)).any())
    ]
    surest = max((one.answer.grip for one in found), default=0.0)
    enough = FIRM_CHANCE if felt.scale >= FIRM_COUNTS else UNLIFTED_CHANCE
    if not found or (felt.lifted_us is None and surest < enough):
        return None
    owned = own_electrodes(felt, found)
    times = first_contacts(touch, felt, owned)
    angle0_deg += turned_deg(touch)
    names = name_hands(felt, found, owned, seats, seats_deg, angle0_deg)
    scale = touch.segment.layout.height_mm / 120.0
    hands = [
        HandReading(
            name,
            time,
            fingers_interval(one.answer.fingers),
            lowest_interval(one.answer.lowest, scale),
            True,
            tuple(int(e) for e in np.nonzero(own > 0.5)[0]),
            seat_chances(one.answer, seats_deg, angle0_deg) if seats_deg else {},
        )
        for one, own, time, name in zip(found, owned, times, names, strict=True)
    ]
    hands.sort(key=lambda hand: hand.t_us)
    return TouchReading(tuple(hands), felt.lifted_us, felt.settle_us)


def read_brush(touch: Touch, felt: Feel) -> TouchReading | None:
    """A touch under 80 ms: a brush if skin landed (a step), nothing if a hand only came near."""
    rows = touch.segment.above[: touch.stop]
    electrode = int(np.argmax(rows[touch.start :].max(axis=0)))
    noise = float(step_noise(touch)[electrode])
    contact = contact_us(touch.t_us, rows[:, electrode], noise, max(touch.start - 5, 1), touch.start + 40)
    top = float(rows[touch.start :, electrode].max())
    if contact is None or contact[1] < max(0.2 * top, 8.0 * noise):
        return None
    layout = touch.segment.layout
    height = float(layout.ring_mm[electrode // layout.sectors])
    reach = layout.pitch_mm
    hand = HandReading(
        None, contact[0], (1, 1), (max(0.0, height - reach - 5.0), height + reach / 2), False, (electrode,)
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


def first_contacts(touch: Touch, felt: Feel, owned: list[Floats]) -> list[int]:
    """The time of each hand's first contact, dated back to the skin."""
    landings = [landings_of(touch, felt, own) for own in owned]
    times = []
    for k, own in enumerate(owned):
        landed = landing_us(touch, felt, own, landings[k])
        others = np.array([at for j, all_of in enumerate(landings) if j != k for at, _, _ in all_of], np.int64)
        times.append(slap(touch, felt, owned, k, landed, others))
    return times


def own_strong(felt: Feel, own: Floats) -> NDArray[np.int64]:
    """The electrodes a hand clearly owns and presses on."""
    size = felt.final * own
    mine = np.nonzero((own > 0.5) & (size > 0.2 * size.max(initial=1.0)))[0]
    return mine if len(mine) else np.array([int(np.argmax(size))])


def landings_of(touch: Touch, felt: Feel, own: Floats) -> list[tuple[int, int, float]]:
    """(time, electrode, counts) of the landing on each of a hand's electrodes that shows a clear step."""
    segment = touch.segment
    t, noise_of = segment.t_us, step_noise(touch)
    landings = []
    for electrode in own_strong(felt, own):
        half = int(np.searchsorted(t, felt.t0_us + int(felt.half_us[electrode])))
        begin = max(int(np.searchsorted(t, t[min(half, len(t) - 1)] - 40_000)), 1)
        contact = contact_us(t, segment.above[:, electrode], float(noise_of[electrode]), begin, half + 2)
        if contact is not None:
            landings.append((contact[0], int(electrode), float(felt.final[electrode] * own[electrode])))
    return landings


def landing_us(touch: Touch, felt: Feel, own: Floats, landings: list[tuple[int, int, float]]) -> int:
    """When the first of a hand's fingers landed."""
    segment = touch.segment
    t = segment.t_us
    if not landings:
        # No clear step anywhere (noise, a dry hand): where its skin together gains most.
        signal = segment.above[touch.start : felt.settle + 1, own_strong(felt, own)].sum(axis=1)
        lag = min(5, max(len(signal) - 1, 1))
        gain = signal[lag:] - signal[:-lag]
        return int(t[touch.start + int(np.argmax(gain))]) if len(gain) else int(t[touch.start])
    earliest = agreed_start(landings)
    period = float(np.median(np.diff(t)))
    together = [e for at, e, _ in landings if 0 <= at - earliest <= 2.5 * period]
    signal = segment.above[:, together].sum(axis=1)
    noise = float(np.sqrt((step_noise(touch)[together] ** 2).sum()))
    at = int(np.searchsorted(t, earliest))
    refined = contact_us(t, signal, noise, max(at - round(20_000 / period), 1), at + 3)
    return earliest if refined is None else min(refined[0], earliest + 3000)


def agreed_start(landings: list[tuple[int, int, float]]) -> int:
    """The earliest landing that is not alone: (time, electrode, weight) each.

    A hand's skin lands within a tenth of a second; what lies before that belongs to somebody else, and so
    does a
    first landing that nothing follows.
    """
    landings = sorted(landings)
    times = np.array([at for at, _, _ in landings])
    weights = np.array([weight for _, _, weight in landings])
    total = float(weights.sum())
    middle = int(times[int(np.searchsorted(np.cumsum(weights), total / 2))])
    for at in times[times >= middle - ONE_HAND_US]:
        near = (times >= at) & (times <= at + FOLLOWED_US)
        if weights[near].sum() >= (FOLLOWED_SHARE if near.sum() > 1 else LONE_SHARE) * total:
            return int(at)
    return middle


def slap(
    touch: Touch,
    felt: Feel,
    owned: list[Floats],
    which: int,
    landed_us: int,
    others_us: NDArray[np.int64],
) -> int:
    """An earlier step of the same hand: a palm that hit the totem and sprang back before the fingers closed.

    Looked for at the hand's own heights, on any side, where no other hand lies, and not within 2.5 ms of a
    landing of another hand (`others_us`), which is felt through cross-talk.
    """
    segment = touch.segment
    t, layout = segment.t_us, segment.layout
    rows = (felt.final * owned[which]).reshape(layout.rings, layout.sectors).max(axis=1)
    band = np.repeat(rows > 0.25 * rows.max(initial=1.0), layout.sectors)
    for k, own in enumerate(owned):
        if k != which:
            band &= own < 0.2
    electrodes = np.nonzero(band)[0]
    begin = max(int(np.searchsorted(t, landed_us - SLAP_US)), 2)
    end = int(np.searchsorted(t, landed_us - 2_500))
    if not len(electrodes) or end - begin < 2:
        return landed_us
    steps = np.diff(segment.above[begin - 2 : end][:, electrodes], axis=0)
    sharp = steps / step_noise(touch)[electrodes]
    rising = sharp[1:] > SLAP_SIGMAS
    power = np.where(rising, np.minimum(sharp[1:], 40.0) ** 2, 0.0).sum(axis=1)
    now = np.where(rising, steps[1:], 0.0).sum(axis=1)
    before = np.where(rising, steps[:-1], 0.0).sum(axis=1)
    # Nearing skin gains about a third from scan to scan; landing skin gains more, and is not a trifle.
    clear = (power > SLAP_POWER) & (now > 1.6 * before) & (now > SLAP_SHARE * float(felt.final[electrodes].sum()))
    times = t[begin:end]
    for at in np.nonzero(clear)[0]:
        if not len(others_us) or int(np.abs(others_us - times[at]).min()) > 2_500:
            return int(times[at]) - int(min(times[at] - t[begin + at - 1], 8000)) // 2
    return landed_us


def fingers_interval(chances: Floats) -> tuple[int, int]:
    """The count if one is likely enough, otherwise the shortest run of counts that is."""
    best = int(np.argmax(chances))
    if chances[best] >= FINGERS_SURE:
        return best, best
    runs = [
        (high - low, -float(chances[low : high + 1].sum()), low, high)
        for low in range(len(chances))
        for high in range(low, len(chances))
        if chances[low : high + 1].sum() >= FINGERS_INSIDE and high > low
    ]
    _, _, low, high = min(runs)
    return low, high


def lowest_interval(chances: Floats, scale: float) -> tuple[float, float]:
    """The run of heights (mm) that holds the lowest contact."""
    tail = (1.0 - LOWEST_INSIDE) / 2
    total = np.cumsum(chances)
    step = 120.0 / len(chances)
    low = int(np.searchsorted(total, tail))
    high = int(np.searchsorted(total, 1.0 - tail))
    return round(low * step * scale, 1), round(min(high + 1, len(chances)) * step * scale, 1)


def seat_chances(answer: Answer, seats_deg: Mapping[str, float], angle0_deg: float) -> dict[str, float]:
    """How likely each seat is, from the side the hand came from; what is missing to 1 is nobody at
    the table.
    """
    bins = answer.seat
    centres = (np.arange(len(bins)) // 2) * 30.0 + np.where(np.arange(len(bins)) % 2, 7.5, -7.5)
    raw = {}
    for name, seat in seats_deg.items():
        away = (centres - (seat - angle0_deg) + 180.0) % 360.0 - 180.0
        # People sit where they sit within some 10 degrees, and lean.
        kernel = np.exp(-0.5 * (away / 11.0) ** 2)
        raw[name] = float((bins * kernel).sum() / kernel.sum()) + STRAY / len(bins)
    total = sum(raw.values())
    return {name: value / total for name, value in raw.items()}


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
        if name is None and not claims[k] and joint[k] is not None and joint[k] not in taken:
            names[k] = joint[k]
    return names


def seat_name(claim: list[str], chances: Mapping[str, float] | None, heard: set[str]) -> str | None:
    """The player of a hand that `claim`s' seats answer for; direction, if known, may settle it or forbid it.

    `heard` are all whose seats answer for some hand: a hand that came from somebody else's side, whose seat is
    silent, is not named after a neighbour who merely touches that person.
    """
    if not claim:
        return None
    if chances is None:
        return claim[0] if len(claim) == 1 else None
    silent = max((chance for name, chance in chances.items() if name not in heard), default=0.0)
    by_side = sorted(claim, key=lambda name: -chances.get(name, 0.0))
    best = by_side[0]
    if chances.get(best, 0.0) * SIDE_VETO < silent:
        return None
    if len(claim) > 1 and chances.get(best, 0.0) < SIDE_LEAD * chances.get(by_side[1], 0.0):
        return None
    return best


def joint_names(chances: list[dict[str, float]], known: list[str | None]) -> list[str | None]:
    """Names by direction when every player has one hand; None below `PLAYER_SURE`."""
    out: list[str | None] = []
    for k, own in enumerate(chances):
        if known[k] is not None:
            out.append(None)
            continue
        weight = {}
        for name, chance in own.items():
            factor = 1.0
            for j, other in enumerate(chances):
                if j == k:
                    continue
                # If I am `name`, then nobody else is.
                factor *= (0.0 if known[j] == name else 1.0) if known[j] else 1.0 - other[name]
            weight[name] = chance * factor
        total = sum(weight.values())
        best = max(weight, key=lambda name: weight[name])
        sure = total > 0 and weight[best] / total >= PLAYER_SURE
        out.append(best if sure else None)
    return out


def forget_player(hand: HandReading) -> HandReading:
    """The same hand with its player withheld."""
    return replace(hand, player=None)
