"""A touch in the very moment in which a card is turned: who it was is settled, and the order stays open until it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee.adjudication import adjudicate
from referee.ledger import Ledger, find_difference
from referee.pages import Pages, calls_of, pressed
from referee.races import Race
from referee.session import Snapshot
from referee.sim.operator import Operator
from referee.table.calls import Call, Settle
from referee.table.fusion import Fusion
from referee.totem.moments import Moments, spread
from referee.web import desk
from referee.web.view import operator as operator_view
from referee.words import Event, Header, Ruling
from referee.worlds import OPEN, Worlds
from tests.table.desk import PLAYERS, card, grab, hand, layout, past

HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": list(PLAYERS), "options": {}}
CARD_US = 3_000_000
CARDS = ("knot/green", "star/red", "moon/blue", "wave/green")
TOUCHES = (CARD_US - 7_000, CARD_US + 7_000)  # before the card as far as the camera can tell, and after it


class Table:
    """Three cards are turned in turn, and Bilal, who has no right to, touches the totem as the third one comes."""

    def __init__(self, touch_us: int, third: str = "moon/blue", toucher: str = "Bilal", moments: Moments = ()) -> None:
        self.fusion, self.ledger = Fusion(layout()), Ledger(HEADER)
        self.pages = Pages("jungle-speed", PLAYERS, CARDS, self.ledger)
        for place, (player, face) in enumerate(zip(PLAYERS, (*CARDS[:2], third), strict=True)):
            self.fusion.sighting(card(place + 1, player, face, 1_000_000 * (place + 1)))
        self.fusion.touch(grab(hand(toucher, touch_us, moments=moments)))
        self.past(CARD_US + 500_000)

    def past(self, t_us: int) -> None:
        past(self.fusion, t_us)
        self.judge()

    def judge(self) -> None:
        while events := self.fusion.release():
            for event in events:
                self.ledger.add(event)
            self.fusion.expected(self.ledger.expected())

    def answer(self, answer: str | None, t_us: int = 5_000_000) -> list[Call]:
        """A tap on the operator's page."""
        question = self.pages.question()
        assert question is not None
        calls = calls_of(desk.Settle(question.id, answer), self.pages, t_us)
        for call in calls:
            self.fusion.call(call)
        self.judge()
        return calls

    def standing(self) -> list[Ruling]:
        return [one.ruling for one in self.ledger.standing if one.ruling["ruling"] != "warning"]


def is_the_same_again(table: Table) -> bool:
    """Whether the game as it was kept comes out the same when it is judged anew."""
    return not find_difference(table.ledger.given, HEADER, table.ledger.events)


@pytest.mark.parametrize("touch_us", TOUCHES)
def test_grab_2_how_many_cards_a_wrong_grab_costs_stays_open_until_a_person_has_said_the_order_too(
    touch_us: int,
) -> None:
    table = Table(touch_us)
    assert [(one["ruling"], one["why"]) for one in table.standing()] == [("undecided", "who")]
    table.answer("Bilal")
    (ruling,) = table.standing()
    assert (ruling["ruling"], ruling["why"], ruling["candidates"]) == ("undecided", OPEN, ["Bilal"])
    assert (ruling["known"]["ruling"], ruling["known"]["player"]) == ("fault", "Bilal")
    assert "picks_up" not in ruling["known"]
    assert table.ledger.summary()["face_up"]["Chloé"] is None
    assert is_the_same_again(table)


@pytest.mark.parametrize("touch_us", TOUCHES)
@pytest.mark.parametrize(("lay", "picks_up", "left"), [(True, 3, 0), (False, 2, 1)])
def test_grab_2_the_order_a_person_says_is_ruled_whichever_way_it_was_estimated(
    touch_us: int, lay: bool, picks_up: int, left: int
) -> None:
    table = Table(touch_us)
    table.answer("Bilal")
    given = table.ledger.count
    table.answer("moon/blue" if lay else None)
    (ruling,) = table.standing()
    assert (ruling["ruling"], ruling["player"], ruling["picks_up"]) == ("fault", "Bilal", {"Bilal": picks_up})
    assert table.ledger.summary()["face_up"]["Chloé"] == left
    assert table.pages.question() is None
    assert is_the_same_again(table)
    said = [one for one in table.ledger.given[given:] if one["ruling"] == "fault"]
    assert [one["picks_up"] for one in said] == [{"Bilal": picks_up}]  # and never the other count in between


def test_grab_2_a_touch_that_may_have_come_before_a_card_is_asked_about_though_no_frame_holds_both() -> None:
    table = Table(CARD_US + 30_000, moments=spread(0.3, 0.1))
    table.answer("Bilal")
    (ruling,) = table.standing()
    assert (ruling["ruling"], ruling["why"], ruling["known"]["player"]) == ("undecided", OPEN, "Bilal")
    table.answer(None)
    assert [one["picks_up"] for one in table.standing()] == [{"Bilal": 2}]
    assert table.ledger.summary()["face_up"]["Chloé"] == 1
    assert is_the_same_again(table)


def test_a_game_that_went_on_in_between_is_put_in_order_too() -> None:
    table = Table(TOUCHES[0])
    table.answer("Bilal")
    table.fusion.sighting(card(4, "Ana", "wave/green", 6_000_000))
    table.past(6_500_000)
    table.answer("moon/blue", 7_000_000)
    assert [one["picks_up"] for one in table.standing()] == [{"Bilal": 3}]
    assert table.ledger.summary()["face_up"] == {"Ana": 1, "Bilal": 0, "Chloé": 0}
    assert is_the_same_again(table)


@pytest.mark.parametrize("touch_us", TOUCHES)
def test_grab_5_a_duel_that_is_won_or_a_fault_by_the_order_alone_is_neither_while_it_is_open(touch_us: int) -> None:
    table = Table(touch_us, third="knot/blue", toucher="Chloé")
    table.answer("Chloé")
    assert [one["ruling"] for one in table.standing() if one["ruling"] in ("won", "fault")] == []
    table.answer("knot/blue")
    (won,) = [one for one in table.standing() if one["ruling"] == "won"]
    assert (won["winner"], won["losers"]) == ("Chloé", ["Ana"])


def test_a_touch_whose_order_changes_nothing_is_ruled_at_once() -> None:
    table = Table(TOUCHES[0])
    event = table.ledger.events[-1] if table.ledger.events[-1]["event"] == "grab" else table.ledger.events[-2]
    brush = [{**one, "grip": False} for one in event["hands"] if one["player"] is not None]
    right: Event = {**event, "hands": brush, "settled_by": "operator", "doubt": ["arrival"]}
    index = table.ledger.events.index(event)
    table.ledger.add({"t_us": 5_000_000, "event": "correct", "ref": index, "by": "operator", "with": right})
    assert table.standing() == []
    assert table.ledger.summary()["face_up"] == dict.fromkeys(PLAYERS, 1)


def test_a_card_that_is_read_after_a_person_has_answered_opens_the_order_again() -> None:
    table = Table(2_500_000)  # a touch in a calm moment, as it seems
    (index,) = [place for place, event in enumerate(table.ledger.events) if event["event"] == "grab"]
    table.fusion.call(Settle(4_000_000, index, player="Bilal"))
    table.judge()
    assert [one["picks_up"] for one in table.standing()] == [{"Bilal": 2}]
    table.fusion.sighting(card(4, "Ana", "wave/green", 2_502_000, between=(2_480_000, 2_530_000)))
    table.past(4_500_000)
    assert [one["why"] for one in table.standing()] == [OPEN]
    assert table.pages.question() is not None


def test_the_touch_whose_order_is_asked_for_is_named_however_late_something_follows_from_it() -> None:
    table = Table(TOUCHES[0])
    table.answer("Bilal")
    table.fusion.sighting(card(4, "Bilal", "wave/green", 6_000_000))
    table.past(6_500_000)
    table.past(8_500_000)
    table.fusion.touch(grab(hand("Chloé", 9_000_000)))
    table.past(10_500_000)
    assert [one["t_us"] for one in table.standing() if one["ruling"] == "undecided"] == [TOUCHES[0], 9_000_000]
    question = table.pages.question()
    assert question is not None
    assert question.ruling["t_us"] == TOUCHES[0]


def test_a_seat_button_does_not_answer_whether_a_card_lay_there() -> None:
    table = Table(TOUCHES[0])
    table.answer("Bilal")
    assert pressed("Bilal", table.pages, 6_000_000) == []


@pytest.mark.parametrize("card_asked_for", ["moon/blue", "?"])
@pytest.mark.parametrize("lay", [True, False])
def test_a_simulated_operator_says_whether_the_card_lay_there(lay: bool, card_asked_for: str) -> None:
    table = Table(TOUCHES[0])
    table.answer("Bilal")
    question = table.pages.question()
    assert question is not None
    touch = grab_at(CARD_US - 7_000 + (1_000 if lay else -1_000))
    turned: Event = {"t_us": CARD_US - 7_000, "event": "flip", "player": "Chloé", "card": "moon/blue"}
    truth = [turned, touch] if lay else [touch, turned]
    question = replace(question, card=card_asked_for)
    assert Operator(table.pages.board, desk.Desk(), truth, []).answer(question)[0] == (card_asked_for if lay else None)


def grab_at(t_us: int) -> Event:
    hands = [{"player": "Bilal", "t_us": t_us, "fingers": 2, "lowest_mm": 9}]
    return {"t_us": t_us, "event": "grab", "hands": hands}


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_operators_page_asks_it_in_words(language: str) -> None:
    table = Table(TOUCHES[0])
    table.answer("Bilal")
    stands = tuple(table.ledger.standing)
    shown = Snapshot(9, table.ledger.expected(), table.ledger.summary(), stands, 9, {})
    view: dict[str, Any] = operator_view(table.pages.shown(shown), language)
    assert "Chloé" in view["question"]["text"]
    assert [choice["value"] for choice in view["question"]["choices"]] == ["moon/blue"]
    assert view["question"]["never"]


def test_a_touch_may_have_come_before_or_after_each_card_of_a_row() -> None:
    assert Race(5, (4, 6)).others() == [(5, 4, 6), (4, 6, 5)]
    assert Race(3, (4, 6)).others() == [(4, 3, 5, 6), (4, 5, 6, 3)]


def racing(t_us: int, **more: Any) -> Event:
    return {**grab_at(t_us), "settled_by": "operator", "doubt": ["arrival"], **more}


def flip(t_us: int, player: str, face: str, half_us: int = 30_000) -> Event:
    between = [t_us - half_us, t_us + half_us]
    return {"t_us": t_us, "event": "flip", "player": player, "card": face, "between": between}


def judged(events: list[Event]) -> list[list[Ruling]]:
    return [rulings for _, rulings in adjudicate(Worlds(HEADER), events)]


def test_beside_a_card_that_is_not_read_nothing_is_asserted_of_a_touch_whose_order_is_open() -> None:
    events = [flip(0, "Ana", "knot/red"), racing(1_000_000), flip(1_005_000, "Bilal", "?")]
    assert {one["ruling"] for rulings in judged(events) for one in rulings} == {"undecided"}


def test_two_touches_in_the_arrival_of_one_card_are_asked_about_one_after_the_other() -> None:
    events = [flip(0, "Ana", "knot/red"), racing(1_000_000), flip(1_005_000, "Bilal", "star/red"), racing(1_010_000)]
    assert [one["why"] for rulings in judged(events) for one in rulings if one["ruling"] == "undecided"] == [OPEN] * 2
    events[1] = racing(1_000_000, in_order=["Bilal"])
    first, last = (judged(events)[place] for place in (1, 3))
    assert [one["picks_up"] for one in first if one["ruling"] == "fault"] == [{"Bilal": 1}]
    assert [one["why"] for one in last if one["ruling"] == "undecided"] == [OPEN]


def test_a_taker_with_a_choice_in_either_order_is_followed_both_ways() -> None:
    events = [flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "knot/blue"), racing(2_000_000)]
    events.append(flip(2_004_000, "Chloé", "arrow/in"))
    told = [
        one["ruling"] for rulings in judged(events)[2:] for one in rulings if one["ruling"] in ("won", "choice-needed")
    ]
    assert told == []
    events.append({"t_us": 3_000_000, "event": "choose", "player": "Bilal", "choice": "duel"})
    assert judged(events)[2][0]["ruling"] == "undecided"
