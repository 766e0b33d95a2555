"""Taking a touch apart, one hand after the other.

Belongs here: which questions are asked of the network about a touch, and what the answers together say about its hands.
Does not belong here: the order of the first questions (questions.py), what is concluded about each hand (hands.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.features import channels
from referee.totem.grid import Grid
from referee.totem.hand_net import Answer, ask
from referee.totem.overlooked import chance_overlooked
from referee.totem.questions import Questions
from referee.totem.seats import SeatAnswers, SeatView, loudest_seat
from referee.totem.touch import Touch

Floats = NDArray[np.float32]

# Told of each question: the electrode, what belongs to hands already found (E), what the hand's seat answers.
Watch = Callable[[int, Floats, SeatView | None], None]

MOST_HANDS = 5
MOST_QUESTIONS = 9
GRIP_CHANCE = 0.35
OWN_SEAT_GRIP = 0.2
# A hand of which more than this share is claimed by a surer one is that one.
SAME_SKIN = 0.6
# A hand is asked for again at so many electrodes of its own.
MORE_LOOKS = 2
# Asked for at its own electrode, a hand that is one answers with the electrode where it was asked for first.
ONE_HAND = 0.4
OTHER_HAND, OTHER_GRIP = 0.2, 0.9
# The answers say that another hand is there, with this chance; it presses somewhere with this share of the strongest.
HIDDEN_CHANCE, HIDDEN_SURE, HIDDEN_GRIP, HIDDEN_SHARE = 0.3, 0.7, 0.2, 0.2
# On fewer electrodes a hand covers half of them, and lone hands would be parted as often as two.
HIDDEN_ELECTRODES = 20
MOST_HIDDEN = 2
# Without seat pads it is asked for at so many electrodes, each with at least this share of what the first has left.
HIDDEN_LOOKS, HIDDEN_LEFT = 8, 0.25


@dataclass(frozen=True)
class Found:
    """A hand found in a touch: the network's answer about it, asked at electrode `query` (and for a seat)."""

    query: int
    seat: int | None
    answer: Answer


@dataclass(frozen=True)
class Asking:
    """Asks the network about one touch; `watch` is told of each question (lessons are made of them)."""

    felt: Feel
    grid: Grid
    watch: Watch | None = None

    def __call__(self, query: int, assigned: Floats, view: SeatView | None) -> Answer:
        if self.watch is not None:
            self.watch(query, assigned, view)
        return ask(channels(self.grid, self.felt, query, assigned, view), self.grid)


def find_hands(
    touch: Touch, felt: Feel, seats: SeatAnswers | None, grid: Grid, watch: Watch | None = None
) -> list[Found]:
    """All hands of a touch: those that lie apart, then those that hide in them."""
    asking = Asking(felt, grid, watch)
    found = hands_apart(asking, touch, seats)
    for _ in range(MOST_HIDDEN):
        hidden = hidden_hand(asking, touch, seats, found)
        if hidden is None:
            break
        before = [*found, hidden]
        found = [look_again(asking, seats, before, k) for k in range(len(before))]
        # That somebody else is there too makes no hand less of a hand.
        found = [as_sure(now, then.answer.grip) for now, then in zip(found, before, strict=True)]
    return found


def as_sure(one: Found, grip: float) -> Found:
    """The same hand, at least as likely to be one as `grip` says."""
    return replace(one, answer=replace(one.answer, grip=max(one.answer.grip, grip)))


def hands_apart(asking: Asking, touch: Touch, seats: SeatAnswers | None) -> list[Found]:
    """Ask for one hand after the other until nothing is left, then for each again, now that the others are known."""
    felt = asking.felt
    questions = Questions(felt, touch.segment.noise, seats)
    found: list[Found] = []
    for _ in range(MOST_QUESTIONS):
        asked = questions.next()
        if asked is None or len(found) == MOST_HANDS:
            break
        query, view, _ = asked
        answer = asking(query, questions.assigned.copy(), view)
        seat = None if view is None else view.seat
        if answer.grip >= least_grip(felt, seats, found, seat):
            found.append(Found(query, seat, answer))
            questions.found(answer.share, seat)
    found = split_hands(asking, seats, found)
    looked = [look_again(asking, seats, found, k) for k in range(len(found))]
    kept = without_doubles(felt, seats, looked)
    if len(kept) < len(found):
        # What was claimed twice had been kept from its hand: that one is looked at once more.
        found = [one for one, again in zip(found, looked, strict=True) if any(again is own for own in kept)]
        looked = [look_again(asking, seats, found, k) for k in range(len(found))]
    return looked


def hidden_hand(asking: Asking, touch: Touch, seats: SeatAnswers | None, found: list[Found]) -> Found | None:
    """One more hand, where the answers about those found say that there is one; None: there is none.

    Hands that lie close answer as one. That there are more is clearer than which skin is whose.
    """
    if not found or len(found) >= MOST_HANDS or len(asking.felt.active) < HIDDEN_ELECTRODES:
        return None
    chance = chance_overlooked(asking.felt, touch.segment.layout, [one.answer for one in found], seats)
    if chance < HIDDEN_CHANCE:
        return None
    hidden = ask_hidden(asking, seats, found)
    return hidden if hidden is not None and (chance >= HIDDEN_SURE or hidden.answer.grip >= HIDDEN_GRIP) else None


def ask_hidden(asking: Asking, seats: SeatAnswers | None, found: list[Found]) -> Found | None:
    """The answer about a hand beside those `found`; None: there is nowhere to ask for it.

    It is asked for where the found ones claim least; without seat pads at several such electrodes, and the surest
    answer counts.
    """
    felt = asking.felt
    claimed = np.max([one.answer.share for one in found], axis=0)
    left = np.where(felt.active & (felt.final > HIDDEN_SHARE * felt.scale), felt.final * (1.0 - claimed), 0.0)
    if float(left.max()) <= 0.0:
        return None
    if seats is None:
        likely = [int(query) for query in np.argsort(-left)[:HIDDEN_LOOKS] if left[query] > HIDDEN_LEFT * left.max()]
        return max(
            (Found(query, None, asking(query, claimed, None)) for query in likely), key=lambda one: one.answer.grip
        )
    query = int(np.argmax(left))
    seat = loudest_seat(seats, query, felt)
    if seat is not None and any(one.seat == seat for one in found):
        return None  # one player, one hand
    view = None if seat is None else seats.view(seat, felt)
    return Found(query, seat, asking(query, claimed, view))


def least_grip(felt: Feel, seats: SeatAnswers | None, found: list[Found], seat: int | None) -> float:
    """How likely a hand must be one: less where its seat answers for skin that no found hand's seat answers for."""
    if seats is None or seat is None or not found or any(one.seat is None for one in found):
        return GRIP_CHANCE
    own = all(one.seat is not None and seats.two_skins(seat, one.seat, felt) for one in found if one.seat != seat)
    return OWN_SEAT_GRIP if own and all(one.seat != seat for one in found) else GRIP_CHANCE


def others_of(found: list[Found], which: int) -> Floats:
    """Share of each electrode (E) that belongs to the hands other than `which`."""
    others = [other.answer.share for k, other in enumerate(found) if k != which]
    return np.max(others, axis=0) if others else np.zeros_like(found[which].answer.share)


def other_queries(felt: Feel, one: Found) -> list[int]:
    """Electrodes of a hand to ask for it again: where it landed last, and farthest from where it was asked for."""
    own = np.nonzero(felt.active & (one.answer.share > 0.5) & (felt.final > 0.25 * felt.scale))[0]
    own = own[own != one.query]
    if not len(own):
        return []
    last = int(own[np.argmax(felt.landed_us[own])])
    farthest = int(own[np.argmax(np.abs(own - one.query))])
    return list(dict.fromkeys([last, farthest]))[:MORE_LOOKS]


def split_hands(asking: Asking, seats: SeatAnswers | None, found: list[Found]) -> list[Found]:
    """The same hands, and those that had been taken for a part of another one.

    Asked for at another of its electrodes, one hand answers with the same skin. An answer that leaves out the skin
    asked for first is another hand.
    """
    felt, more = asking.felt, list[Found]()
    for which, one in enumerate(found):
        for query in other_queries(felt, one):
            if len(found) + len(more) == MOST_HANDS:
                break
            seat = None if seats is None else loudest_seat(seats, query, felt)
            if seat is not None and seat == one.seat:
                continue  # one player, one hand
            view = None if seats is None or seat is None else seats.view(seat, felt)
            answer = asking(query, others_of(found, which), view)
            if answer.grip >= OTHER_GRIP and answer.share[one.query] < OTHER_HAND:
                more.append(Found(query, seat, answer))
                break
    return found + more


def look_again(asking: Asking, seats: SeatAnswers | None, found: list[Found], which: int) -> Found:
    """The mean of all answers about one hand, now that the others are known."""
    felt, one = asking.felt, found[which]
    others, view = others_of(found, which), _view(felt, seats, one)
    answers, at_once = [one.answer], [one.answer]
    for query in (one.query, *other_queries(felt, one)):
        again = asking(query, others, view)
        if again.grip < GRIP_CHANCE or (query != one.query and again.share[one.query] < ONE_HAND):
            continue
        answers.append(again)
        if query == one.query:
            # Times are told from the moment asked about: only these two answers speak of the same one.
            at_once.append(again)

    def mean(values: list[Floats]) -> Floats:
        return np.asarray(np.mean(values, axis=0), np.float32)

    return replace(
        one,
        answer=Answer(
            mean([answer.share for answer in answers]),
            float(np.mean([answer.grip for answer in at_once])),
            mean([answer.fingers for answer in answers]),
            mean([answer.lowest for answer in answers]),
            mean([answer.seat for answer in at_once]),
            mean([answer.first for answer in at_once]),
            mean([answer.pitch for answer in answers]),
            at_once[-1].more,
        ),
    )


def _view(felt: Feel, seats: SeatAnswers | None, one: Found) -> SeatView | None:
    return None if seats is None or one.seat is None else seats.view(one.seat, felt)


def without_doubles(felt: Feel, seats: SeatAnswers | None, found: list[Found]) -> list[Found]:
    """The same hands, but one only where two answers claim the same skin: the surer of them.

    Where hands lie on one another two players' skins share their electrodes: both stay if each has a seat that answers
    for skin of its own.
    """
    kept: list[Found] = []
    pressed = felt.final * felt.active
    for one in sorted(found, key=lambda one: -one.answer.grip):
        own = pressed * one.answer.share
        doubles = [
            other
            for other in kept
            if float(np.minimum(own, pressed * other.answer.share).sum()) > SAME_SKIN * float(own.sum())
        ]
        lone_seat = all(one.seat != other.seat for other in kept)
        if all(lone_seat and _two_skins(felt, seats, one, other) for other in doubles):
            kept.append(one)
    return [one for one in found if any(one is other for other in kept)]


def _two_skins(felt: Feel, seats: SeatAnswers | None, one: Found, other: Found) -> bool:
    return (
        seats is not None
        and one.seat is not None
        and other.seat is not None
        and seats.two_skins(one.seat, other.seat, felt)
    )
