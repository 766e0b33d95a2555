"""A running game on its pages, and what the operator's taps become."""

from __future__ import annotations

from typing import Any

import pytest

from referee.health import Freshness
from referee.ledger import Ledger
from referee.pages import Pages, calls_of, pressed
from referee.session import Snapshot, Source
from referee.sim.operator import REACTION_US, Operator
from referee.table.calls import Choose, Correct, Recount, Settle, Share
from referee.web import desk
from referee.words import Event, Header

PLAYERS = ["Ana", "Bilal", "Chloé"]
HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": PLAYERS, "options": {}}
CARDS = ("knot/red", "knot/blue", "star/red")
SOURCES = {"camera": Source(Freshness.FRESH, 20_000), "totem": Source(Freshness.LOST, None, "unplugged")}


def flip(t_us: int, player: str, card: str, **more: Any) -> Event:
    return {"t_us": t_us, "event": "flip", "player": player, "card": card, **more}


def grab(t_us: int, *players: str | None) -> Event:
    hands = [{"player": who, "t_us": t_us, "fingers": [1, 5], "lowest_mm": [0, 90]} for who in players]
    return {"t_us": t_us, "event": "grab", "hands": hands}


def table(*events: Event) -> tuple[Ledger, Pages]:
    ledger = Ledger(HEADER)
    for event in events:
        ledger.add(event)
    return ledger, Pages("jungle-speed", PLAYERS, CARDS, ledger)


def snapshot(ledger: Ledger, t_us: int = 9_000_000) -> Snapshot:
    return Snapshot(t_us, ledger.expected(), ledger.summary(), tuple(ledger.standing), len(ledger.events), SOURCES)


DUEL = (flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "star/red"), flip(2_000_000, "Chloé", "knot/blue"))


def test_counts_turn_and_health_are_shown_and_a_duel_is_not() -> None:
    ledger, pages = table(*DUEL)
    shown = pages.shown(snapshot(ledger))
    assert [seat.counts["face_up"] for seat in shown.seats] == [1, 1, 1]
    assert shown.turn == "Ana"
    assert shown.phase == "playing"
    assert shown.rulings == ()
    assert shown.totem is not None
    assert shown.totem.problem == "unplugged"


def test_an_undecided_grab_asks_who_it_was_and_a_tap_settles_it() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana", "Chloé"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.ruling["candidates"] == ["Ana", "Chloé"]
    (call,) = calls_of(desk.Settle(question.id, "Chloé"), pages, 5_000_000)
    assert call == Settle(5_000_000, 3, player="Chloé")


def test_nobodys_hand_may_have_been_anybodys() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, None))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.ruling["candidates"] == PLAYERS


def test_a_card_that_was_not_read_asks_which_it_is() -> None:
    ledger, pages = table(flip(0, "Ana", "?", may_be=["knot/red", "star/red"]))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.cards == ("knot/red", "star/red")
    assert calls_of(desk.Settle(question.id, "star/red"), pages, 1) == [Settle(1, 0, card="star/red")]
    (call,) = calls_of(desk.Settle(question.id, None), pages, 1)
    assert isinstance(call, Correct)
    assert call.event is None


def test_a_scramble_that_hangs_on_an_unread_card_asks_for_the_card_first() -> None:
    ledger, pages = table(*DUEL[:2], flip(2_000_000, "Chloé", "?", may_be=["knot/blue"]), grab(2_500_000, "Ana"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.cards == ("knot/blue",)
    right = flip(2_000_000, "Chloé", "knot/blue")
    ledger.add({"t_us": 3_000_000, "event": "correct", "ref": 2, "by": "operator", "reason": "", "with": right})
    assert pages.shown(snapshot(ledger)).question is None
    assert ledger.standing[-1].ruling["ruling"] == "won"


def test_a_card_that_was_not_read_is_asked_for_as_long_as_it_lies_there_and_no_other_card_is() -> None:
    unread = flip(2_000_000, "Chloé", "?", may_be=["knot/blue"])
    ledger, pages = table(flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "knot/blue"), unread)
    ledger.add(grab(2_500_000, "Bilal"))  # Bilal's duel with Ana is clear, whatever Chloé's card is
    ledger.add(flip(5_000_000, "Ana", "moon/green"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    (call,) = calls_of(desk.Settle(question.id, "knot/blue"), pages, 6_000_000)
    assert call == Settle(6_000_000, 2, card="knot/blue")


def test_a_totem_that_fell_may_have_fallen_by_itself() -> None:
    hands = [{"player": None, "t_us": 2_500_000, "fingers": [1, 5], "lowest_mm": [0, 90]}]
    fell = {"t_us": 2_500_000, "player": None}
    event = {"t_us": 2_500_000, "event": "grab", "hands": hands, "fell": fell, "doubt": ["toppler"]}
    ledger, pages = table(*DUEL, event)
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.fell
    assert calls_of(desk.Settle(question.id, None), pages, 9) == [Settle(9, 3, player=None)]


def test_a_tap_says_who_gripped_too() -> None:
    _, pages = table(*DUEL, grab(2_500_000, "Ana", "Chloé"))
    question = pages.question()
    assert question is not None
    (call,) = calls_of(desk.Settle(question.id, "Chloé", ("Bilal",)), pages, 9)
    assert call == Settle(9, 3, player="Chloé", others=("Bilal",))


def test_a_simulated_operator_says_who_was_first_and_who_came_after() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana", None))
    truth = [*DUEL, grab(2_480_000, "Chloé", "Bilal")]
    operator = Operator(pages.board, desk.Desk(), truth, [{"t_us": 2_480_000, "ruling": "won", "winner": "Chloé"}])
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert operator.answer(question) == ("Chloé", ("Bilal",))


def test_a_simulated_operator_names_no_card_that_was_turned_at_another_time() -> None:
    unseen = flip(5_000_000, "Ana", "?", between=[4_800_000, 5_200_000])
    ledger, pages = table(*DUEL, unseen)
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    for true_us, named in ((4_500_000, None), (5_100_000, "moon/green")):
        truth = [*DUEL, flip(true_us, "Ana", "moon/green")]
        assert Operator(pages.board, desk.Desk(), truth, []).answer(question) == (named, ())


def test_what_waits_for_something_open_asks_nobody_but_the_open_thing_does() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana", None))
    first = pages.question()
    withheld = ledger.add(flip(5_000_000, "Bilal", "knot/green"))[-1]
    assert (withheld.ruling["ruling"], withheld.ruling["why"]) == ("undecided", "open")
    assert first is not None
    assert pages.question() == first


def test_a_tap_that_answers_what_is_no_longer_asked_does_nothing() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana", "Chloé"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    right = grab(2_500_000, "Ana")
    ledger.add({"t_us": 3_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "", "with": right})
    assert pages.shown(snapshot(ledger)).question is None
    assert calls_of(desk.Settle(question.id, "Chloé"), pages, 5_000_000) == []


def test_a_choice_and_a_share_are_asked_of_the_taker_and_become_calls() -> None:
    arrow = (flip(0, "Ana", "knot/red"), flip(1, "Bilal", "knot/blue"), flip(2, "Chloé", "arrow/in"))
    ledger, pages = table(*arrow, grab(3, "Ana"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.ruling["ruling"] == "choice-needed"
    assert calls_of(desk.Choose(question.id, "arrow"), pages, 9) == [Choose(9, "Ana", "arrow")]
    trio = (flip(0, "Ana", "knot/red"), flip(1, "Bilal", "knot/blue"), flip(2, "Chloé", "knot/green"))
    ledger, pages = table(*trio, grab(3, "Ana"))
    question = pages.shown(snapshot(ledger)).question
    assert question is not None
    assert question.ruling["ruling"] == "share-needed"
    said = calls_of(desk.Share(question.id, (("Bilal", 1), ("Chloé", 0))), pages, 9)
    assert said == [Share(9, "Ana", {"Bilal": 1, "Chloé": 0})]


def test_the_last_event_that_was_ruled_can_be_corrected() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana"))
    last = pages.shown(snapshot(ledger)).correctable
    assert last is not None
    assert (last.ref, last.asks, last.choices) == (3, "who", tuple(PLAYERS))
    assert calls_of(desk.Correct(3, "Bilal"), pages, 7) == [Settle(7, 3, player="Bilal")]
    (call,) = calls_of(desk.Correct(3, None), pages, 7)
    assert isinstance(call, Correct)
    assert calls_of(desk.Correct(99, None), pages, 7) == []


def test_what_stands_after_a_correction_is_what_is_corrected_next() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana"))
    right = grab(2_500_000, "Chloé")
    ledger.add({"t_us": 3_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "", "with": right})
    last = pages.shown(snapshot(ledger)).correctable
    assert last is not None
    assert last.event == right


def test_an_overturned_ruling_is_shown_as_such_and_what_came_out_the_same_once() -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Bilal"), flip(4_000_000, "Bilal", "arrow/in"))
    right = grab(2_500_000, "Ana")
    ledger.add({"t_us": 5_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "", "with": right})
    shown = pages.shown(snapshot(ledger)).rulings
    assert [
        (one.ruling["ruling"], one.overturned) for one in shown if one.ruling["ruling"] in ("fault", "won", "arrow")
    ] == [
        ("fault", True),
        ("won", False),
        ("arrow", False),
    ]


def test_an_inserted_event_is_corrected_by_the_correction_that_inserted_it() -> None:
    ledger, pages = table(*DUEL, flip(4_000_000, "Ana", "moon/red"))
    missed = grab(2_500_000, "Chloé")
    ledger.add({"t_us": 5_000_000, "event": "correct", "before": 3, "by": "totem", "reason": "late", "with": missed})
    last = pages.shown(snapshot(ledger)).correctable
    assert last is not None
    assert (last.ref, last.event) == (4, missed)


def test_a_recount_becomes_a_call() -> None:
    _, pages = table(*DUEL)
    assert calls_of(desk.Recount("reserve", (("Ana", 9),)), pages, 7) == [Recount(7, {"Ana": 9})]
    assert calls_of(desk.Pause(), pages, 7) == []


def test_a_seat_button_answers_who_it_was_only_when_that_is_asked_of_this_player() -> None:
    _, pages = table(*DUEL)
    assert pressed("Ana", pages, 9) == []
    _, pages = table(*DUEL, grab(2_500_000, "Ana", "Chloé"))
    assert pressed("Ana", pages, 9) == [Settle(9, 3, player="Ana")]
    assert pressed("Bilal", pages, 9) == []


@pytest.mark.parametrize("asked_again", [False, True])
def test_a_simulated_operator_answers_once_and_only_after_a_moment(asked_again: bool) -> None:
    ledger, pages = table(*DUEL, grab(2_500_000, "Ana", "Chloé"))
    taps = desk.Desk()
    truth = [*DUEL, grab(2_480_000, "Chloé")]
    won = {"t_us": 2_480_000, "ruling": "won", "winner": "Chloé"}
    operator = Operator(pages.board, taps, truth, [won])
    pages.stands(snapshot(ledger))
    operator.turn(3_000_000)
    assert taps.take() is None
    operator.turn(3_000_000 + REACTION_US)
    said = taps.take()
    assert isinstance(said, desk.Settle)
    assert said.answer == "Chloé"
    operator.turn(4_500_000)
    assert taps.take() is None
    if asked_again:
        right = grab(2_500_000, "Chloé")
        ledger.add({"t_us": 3_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "", "with": right})
        ledger.add(flip(4_000_000, "Ana", "?"))
        pages.stands(snapshot(ledger))
        operator.turn(10_000_000)
        operator.turn(10_000_000 + REACTION_US)
        said = taps.take()
        assert isinstance(said, desk.Settle)
        assert said.answer is None  # nothing of the kind is in the truth
