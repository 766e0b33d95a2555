"""Dobro on its pages: what a person is asked, and what a tap becomes; and the simulated person who answers."""

from __future__ import annotations

from typing import Any

import pytest

from referee.ledger import Ledger
from referee.pages import Pages, calls_of
from referee.session import Snapshot
from referee.sim.operator import REACTION_US, Operator
from referee.table.calls import NO_CARD, Call, Correct, Recount, Settle
from referee.web import desk
from referee.words import Event, Header

PLAYERS = ["Ana", "Bilal", "Chloé"]
HEADER: Header = {"record": "referee/1", "game": "dobro", "players": PLAYERS, "options": {}}
CARDS = ("7", "8", "joker")


def play(t_us: int, player: str | None, *cards: str, **more: Any) -> Event:
    return {"t_us": t_us, "event": "play", "player": player, "cards": list(cards), **more}


def draw(t_us: int, player: str, count: int | list[int]) -> Event:
    return {"t_us": t_us, "event": "draw", "player": player, "count": count}


DOUBTFUL = (
    play(0, "Ana", "7"),
    draw(1_000_000, "Ana", [0, 1]),
    play(5_000_000, "Bilal", "8"),
    draw(6_000_000, "Bilal", 1),
    {"t_us": 7_000_000, "event": "call", "player": "Chloé", "on": "Ana"},
)


def table(*events: Event) -> tuple[Ledger, Pages]:
    ledger = Ledger(HEADER)
    for event in events:
        ledger.add(event)
    return ledger, Pages("dobro", PLAYERS, CARDS, ledger)


def snapshot(ledger: Ledger) -> Snapshot:
    return Snapshot(9_000_000, ledger.expected(), ledger.summary(), tuple(ledger.standing), len(ledger.events), {})


def tapped(answer: str | None, *events: Event) -> list[Call]:
    _, pages = table(*events)
    question = pages.question()
    assert question is not None
    return calls_of(desk.Settle(question.id, answer), pages, 9_000_000)


def test_the_value_to_beat_and_the_counts_are_shown() -> None:
    ledger, pages = table(play(0, "Ana", "7"))
    shown = pages.shown(snapshot(ledger))
    assert shown.turn == "Bilal"
    assert shown.facts is not None
    assert (shown.facts["value"], shown.facts["table"], shown.facts["direction"]) == (7, 1, "clockwise")
    assert [seat.counts["hand"] for seat in shown.seats] == [5, 6, 6]


def test_a_card_that_was_not_read_is_asked_for_among_those_it_may_be() -> None:
    unread = play(0, "Ana", "7", "?", may_be=[["7"], ["7", "8"]])
    _, pages = table(unread)
    question = pages.question()
    assert question is not None
    assert (question.cards, question.ruling["place"]) == (("7", "8"), 1)
    assert tapped("8", unread) == [Settle(9_000_000, 0, card="8")]
    assert tapped(None, unread) == [Settle(9_000_000, 0, card=NO_CARD)]  # the other card was laid all the same
    alone = play(0, "Ana", "?")
    assert tapped(None, alone) == [Correct(9_000_000, "nothing happened", None, ref=0)]


def test_of_a_card_nobody_saw_every_card_of_the_deck_is_offered() -> None:
    _, pages = table(play(0, "Ana", "?", may_be=[[]]))
    question = pages.question()
    assert question is not None
    assert question.cards == CARDS


def test_a_play_of_nobody_known_asks_who_it_was() -> None:
    assert tapped("Ana", play(0, None, "7")) == [Settle(9_000_000, 0, player="Ana")]


@pytest.mark.parametrize("answer", ["Ana", None])
def test_whether_somebody_had_drawn_is_answered_by_a_name_or_by_nobody(answer: str | None) -> None:
    assert tapped(answer, *DOUBTFUL) == [Settle(9_000_000, 4, player=answer)]


def test_hands_can_be_counted_anew() -> None:
    _, pages = table(play(0, "Ana", "7"))
    call = calls_of(desk.Recount("hand", (("Ana", 5), ("Bilal", 6))), pages, 9_000_000)
    assert call == [Recount(9_000_000, hand={"Ana": 5, "Bilal": 6})]


@pytest.mark.parametrize(
    ("asked", "true", "answer"),
    [
        ((play(0, None, "7"),), (play(30_000, "Ana", "7"),), "Ana"),
        ((play(0, "Ana", "7", "?", may_be=[["7"], []]),), (play(30_000, "Ana", "7", "joker"),), "joker"),
        ((play(0, "Ana", "?", may_be=[[]]),), (play(9_000_000, "Ana", "7"),), None),
        (DOUBTFUL, (play(0, "Ana", "7"), play(5_000_000, "Bilal", "8")), "Ana"),
        (DOUBTFUL, (play(0, "Ana", "7"), draw(900_000, "Ana", 1), play(5_000_000, "Bilal", "8")), None),
    ],
)
def test_the_simulated_operator_answers_what_was_true(
    asked: tuple[Event, ...], true: tuple[Event, ...], answer: str | None
) -> None:
    ledger, pages = table(*asked)
    pages.stands(snapshot(ledger))
    taps = desk.Desk()
    operator = Operator(pages.board, taps, true, [])
    operator.turn(0)
    operator.turn(REACTION_US)
    question = pages.question()
    assert question is not None
    assert taps.take() == desk.Settle(question.id, answer)
