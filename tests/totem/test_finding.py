"""Taking a touch apart: a hand that was taken for a part of another is found, and one hand stays one."""

from __future__ import annotations

import numpy as np
import pytest

from referee.totem.contacts import Feel, feel
from referee.totem.finding import (
    GRIP_CHANCE,
    OWN_SEAT_GRIP,
    Asking,
    Found,
    find_hands,
    hidden_hand,
    least_grip,
    without_doubles,
)
from referee.totem.grid import Grid, make_grid
from referee.totem.hand_net import PITCH_BINS, TIME_BINS, Answer
from referee.totem.motion import Rest
from referee.totem.seats import SeatAnswers
from referee.totem.touch import Segment, Touch
from referee.totem.trace import Layout

LAYOUT = Layout(4, 2, np.array([15.0, 45.0, 75.0, 105.0]), 120.0)
BELOW, ABOVE = (0, 1, 2), (4, 5, 6)
# Which of the network's channels marks the electrode that is asked about (features.py).
MARK = 12


def touched() -> Touch:
    """Two hands that lie still, the lower one a little earlier and stronger."""
    t_us = np.arange(1, 501, dtype=np.int64) * 1000
    above = np.random.default_rng(2).normal(0, 1.0, (500, 8)).astype(np.float32)
    above[150:, list(BELOW)] += 200.0
    above[152:, list(ABOVE)] += 150.0
    segment = Segment(t_us, above, np.zeros(500, np.float32), np.ones(8, np.float32), Rest(), LAYOUT)
    return Touch(segment, 150, 500, 200.0, 350_000)


def answer(electrodes: tuple[int, ...], grip: float, more: float = 0.0) -> Answer:
    share = np.zeros(8, np.float32)
    share[list(electrodes)] = 1.0
    none = np.zeros
    return Answer(
        share, grip, none(6, np.float32), none(48, np.float32), none(24, np.float32),
        none(TIME_BINS, np.float32), none(PITCH_BINS, np.float32), more,
    )  # fmt: skip


@pytest.mark.parametrize("apart", [True, False])
def test_a_hand_taken_for_a_part_of_another_is_found(apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    first = True

    def ask(shown: np.ndarray, grid: Grid) -> Answer:
        """The first answer takes everything for one hand; the later ones know better if they are two."""
        nonlocal first
        query = int(np.argmax(grid.gather(shown[MARK])))
        whole, first = first or not apart, False
        if whole:
            return answer(BELOW + ABOVE, 0.99)
        return answer(BELOW if query in BELOW else ABOVE, 0.99)

    monkeypatch.setattr("referee.totem.finding.ask", ask)
    touch = touched()
    hands = find_hands(touch, feel(touch), None, make_grid(LAYOUT))
    assert len(hands) == (2 if apart else 1)
    assert hands[0].query in BELOW
    if apart:
        assert hands[1].query in ABOVE


@pytest.mark.parametrize(
    ("chance", "grip", "hidden"), [(0.1, 0.9, False), (0.6, 0.1, False), (0.6, 0.3, True), (0.9, 0.1, True)]
)
def test_a_hidden_hand_counts_where_it_is_likely_and_may_be_one_or_is_surely_there(
    chance: float, grip: float, hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(shown: np.ndarray, grid: Grid) -> Answer:
        """The lower hand answers for all but half of one electrode above; who is above is never sure to be a hand."""
        query = int(np.argmax(grid.gather(shown[MARK])))
        if query in BELOW:
            whole = answer(BELOW + ABOVE, 0.99)
            whole.share[6] = 0.5
            return whole
        return answer(ABOVE, grip)

    def overlooked(felt: Feel, layout: Layout, found: list[Answer], seats: object) -> float:
        return chance if len(found) == 1 else 0.0

    monkeypatch.setattr("referee.totem.finding.HIDDEN_ELECTRODES", 8)
    monkeypatch.setattr("referee.totem.finding.ask", ask)
    monkeypatch.setattr("referee.totem.finding.chance_overlooked", overlooked)
    touch = touched()
    asked: list[int] = []
    hands = find_hands(touch, feel(touch), None, make_grid(LAYOUT), lambda query, *_: asked.append(query))
    assert asked[0] in BELOW
    assert [one.query in BELOW for one in hands] == ([True, False] if hidden else [True])
    if hidden:
        assert hands[1].query == 6


def test_a_hand_is_looked_at_once_more_without_what_claimed_it_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(shown: np.ndarray, grid: Grid) -> Answer:
        """One hand alone, of which a second answer claims nearly everything too."""
        query = int(np.argmax(grid.gather(shown[MARK])))
        return answer(BELOW + ABOVE[:2], 0.99) if query in BELOW else answer(BELOW + ABOVE, 0.9)

    monkeypatch.setattr("referee.totem.finding.ask", ask)
    touch = touched()
    seen: list[tuple[int, bool]] = []
    hands = find_hands(
        touch, feel(touch), None, make_grid(LAYOUT), lambda query, seen_of, _: seen.append((query, bool(seen_of.any())))
    )
    assert [one.query in BELOW for one in hands] == [True]
    assert seen[-1][1] is False


def test_a_hidden_hand_is_asked_for_at_several_electrodes_and_the_surest_answer_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ask(shown: np.ndarray, grid: Grid) -> Answer:
        query = int(np.argmax(grid.gather(shown[MARK])))
        return answer((query,), 0.9 if query == ABOVE[-1] else 0.1)

    monkeypatch.setattr("referee.totem.finding.ask", ask)
    monkeypatch.setattr("referee.totem.finding.chance_overlooked", lambda *_: 0.99)
    touch = touched()
    felt = feel(touch)
    first = answer(BELOW, 0.99)
    found = [Found(0, None, first)]
    assert hidden_hand(Asking(felt, make_grid(LAYOUT)), touch, None, found) is None  # so few electrodes do not tell
    monkeypatch.setattr("referee.totem.finding.HIDDEN_ELECTRODES", 8)
    hidden = hidden_hand(Asking(felt, make_grid(LAYOUT)), touch, None, found)
    assert hidden is not None
    assert hidden.query == ABOVE[-1]
    monkeypatch.setattr("referee.totem.finding.chance_overlooked", lambda *_: 0.1)
    assert hidden_hand(Asking(felt, make_grid(LAYOUT)), touch, None, found) is None


def doubled(seats: tuple[int | None, int | None]) -> list[Found]:
    """Two answers that claim nearly the same skin."""
    return [Found(0, seats[0], answer(BELOW + ABOVE, 0.99)), Found(4, seats[1], answer(ABOVE, 0.9))]


def heard(lower: float, upper: float) -> SeatAnswers:
    """Ana's seat answers on all electrodes; Bilal's with `lower` and `upper` below and above."""
    moved = np.zeros((2, 8), np.float32)
    moved[0] = 60.0
    moved[1, list(BELOW)], moved[1, list(ABOVE)] = 200.0 * lower, 200.0 * upper
    return SeatAnswers(("Ana", "Bilal"), moved, np.full((2, 8), 200.0, np.float32), np.full(2, 0.5, np.float32))


def test_a_hidden_hand_makes_no_other_hand_less_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    first, hidden = Found(0, None, answer(BELOW, 0.99)), Found(6, None, answer(ABOVE, 0.3))

    def hidden_once(*told: object) -> Found | None:
        return hidden if told[-1] == [first] else None

    monkeypatch.setattr("referee.totem.finding.hands_apart", lambda *_: [first])
    monkeypatch.setattr("referee.totem.finding.hidden_hand", hidden_once)
    monkeypatch.setattr("referee.totem.finding.ask", lambda *_: answer(BELOW + ABOVE, 0.6))
    touch = touched()
    hands = find_hands(touch, feel(touch), None, make_grid(LAYOUT))
    assert [one.answer.grip for one in hands] == pytest.approx([0.99, 0.45])


def test_of_two_answers_that_claim_the_same_skin_the_surer_stays() -> None:
    felt = feel(touched())
    assert [one.query for one in without_doubles(felt, None, doubled((None, None)))] == [0]
    assert [one.query for one in without_doubles(felt, heard(0.05, 0.05), doubled((0, 1)))] == [0]


def test_hands_on_one_another_both_stay_where_each_seat_answers_for_its_own_skin() -> None:
    felt = feel(touched())
    assert [one.query for one in without_doubles(felt, heard(0.0, 0.3), doubled((0, 1)))] == [0, 4]
    # One player has one hand, and where no seat answers nothing tells two hands.
    assert [one.query for one in without_doubles(felt, heard(0.0, 0.3), doubled((1, 1)))] == [0]
    assert [one.query for one in without_doubles(felt, heard(0.0, 0.3), doubled((0, None)))] == [0]


def test_a_hand_may_be_less_likely_where_its_seat_answers_for_skin_of_its_own() -> None:
    felt, first = feel(touched()), [Found(0, 0, answer(BELOW, 0.99))]
    assert least_grip(felt, heard(0.0, 0.3), first, 1) == OWN_SEAT_GRIP
    assert least_grip(felt, heard(0.05, 0.05), first, 1) == GRIP_CHANCE
    assert least_grip(felt, heard(0.0, 0.3), first, 0) == GRIP_CHANCE
    assert least_grip(felt, None, first, None) == GRIP_CHANCE
    assert least_grip(felt, heard(0.0, 0.3), [], 1) == GRIP_CHANCE
