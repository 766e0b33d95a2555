"""The decision record of a ruling, checked against judging the changed game from the start."""

from __future__ import annotations

from typing import Any

import pytest

from referee.adjudication import Game, adjudicate
from referee.decision import Decisions, decisions
from referee.ledger import Given, Ledger
from referee.sim.games import play
from referee.words import Event, Header

HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": ["Ana", "Bo", "Cy"]}


def flip(t_us: int, player: str, card: str, **more: Any) -> Event:
    return {"t_us": t_us, "event": "flip", "player": player, "card": card, "confidence": 0.99, **more}


def hand(player: str | None, t_us: int, fingers: Any = 3, lowest_mm: Any = 40, **more: Any) -> dict[str, Any]:
    return {"player": player, "t_us": t_us, "fingers": fingers, "lowest_mm": lowest_mm, **more}


def grab(*hands: dict[str, Any], **more: Any) -> Event:
    return {"t_us": min(one["t_us"] for one in hands), "event": "grab", "hands": list(hands), **more}


def told(events: list[Event], touches: str = "totem") -> list[dict[str, Any]]:
    """The decision records of all rulings of a game."""
    ledger, known, words = Ledger(HEADER), Decisions(HEADER, touches), []
    for event in events:
        given = ledger.add(event)
        new = known.of(ledger.events, given)
        assert new == decisions(HEADER, ledger.events, given, touches)
        words += new
    return words


DUEL = [
    flip(1_000_000, "Ana", "knot/red", evidence=["p1"]),
    flip(2_000_000, "Bo", "star/blue"),
    flip(3_000_000, "Cy", "knot/green", evidence=["p2"], confidence=0.97),
]


def last(events: list[Event], kind: str, touches: str = "totem") -> dict[str, Any]:
    return [word for word in told(events, touches) if word["ruling"] == kind][-1]


def test_a_duel_rests_on_the_two_cards_that_are_alike() -> None:
    word = last(DUEL, "duel")
    assert [(one["player"], one["card"], one["source"]) for one in word["inputs"]] == [
        ("Cy", "knot/green", "camera"),
        ("Ana", "knot/red", "camera"),
    ]
    assert word["weakest"] == 0.97
    assert sorted(word["evidence"]) == ["p1", "p2"]
    assert (word["place"], word["event"]) == (0, 2)


def test_the_other_hand_first_is_judged_and_why_it_was_not() -> None:
    word = last([*DUEL, grab(hand("Ana", 3_500_000), hand("Cy", 3_560_000))], "won")
    (other,) = word["alternatives"]
    assert (other["what"], other["player"], other["instead_of"]) == ("other-hand-first", "Cy", "Ana")
    assert other["why_not"] == {"by": "time", "us": 60_000}
    assert [ruling["winner"] for ruling in other["gives"]] == ["Cy"]
    assert not other["same"]
    assert [one["player"] for one in word["inputs"] if one["what"] == "hand"] == ["Ana", "Cy"]


@pytest.mark.parametrize(
    ("first", "second", "by"),
    [
        (hand("Ana", 3_500_000, 5), hand("Cy", 3_510_000, 2), "fingers"),
        (hand("Ana", 3_500_000, 3, 10), hand("Cy", 3_510_000, 3, 70), "height"),
    ],
)
def test_what_decided_is_what_is_exchanged(first: dict[str, Any], second: dict[str, Any], by: str) -> None:
    word = last([*DUEL, grab(first, second)], "won")
    (other,) = word["alternatives"]
    assert other["why_not"]["by"] == by
    assert [ruling["winner"] for ruling in other["gives"]] == ["Cy"]


def test_an_entitled_hand_wins_whoever_came_first() -> None:
    word = last([*DUEL, grab(hand("Ana", 3_500_000), hand("Bo", 3_510_000))], "won")
    (other,) = word["alternatives"]
    assert other["why_not"] == {"by": "entitled"}
    assert other["same"]


def test_a_touch_inside_a_cards_arrival_is_judged_before_the_card_too() -> None:
    events = [*DUEL[:2], flip(3_000_000, "Cy", "knot/green", between=[2_980_000, 3_020_000])]
    word = last([*events, grab(hand("Ana", 3_010_000))], "won")
    (other,) = word["alternatives"]
    assert (other["what"], other["player"], other["card"]) == ("touch-before-card", "Cy", "knot/green")
    assert other["why_not"] == {"by": "arrival", "us": [-30_000, 10_000]}
    assert [(ruling["ruling"], ruling["player"]) for ruling in other["gives"]] == [("fault", "Ana")]


def test_every_card_that_an_unread_one_may_be_is_judged() -> None:
    events = [*DUEL[:2], {**flip(3_000_000, "Cy", "?", may_be=["knot/green", "moon/green"])}]
    events = [{key: value for key, value in event.items() if key != "confidence"} for event in events]
    word = last([*events, grab(hand("Ana", 3_500_000))], "undecided")
    cards = {other["card"]: other for other in word["alternatives"] if other["what"] == "other-card"}
    assert [ruling["ruling"] for ruling in cards["knot/green"]["gives"]] == ["won"]
    assert [ruling["ruling"] for ruling in cards["moon/green"]["gives"]] == ["fault"]
    assert cards["knot/green"]["why_not"] == {"by": "reading"}
    assert "weakest" not in word


def test_the_runner_up_of_a_card_that_was_read_is_judged_too() -> None:
    events = [*DUEL[:2], flip(3_000_000, "Cy", "knot/green", runner_up="moon/green")]
    word = last([*events, grab(hand("Ana", 3_500_000))], "won")
    (other,) = word["alternatives"]
    assert (other["what"], other["player"], other["card"]) == ("other-card", "Cy", "moon/green")
    assert other["why_not"] == {"by": "reading", "confidence": 0.99}
    assert [(ruling["ruling"], ruling["player"]) for ruling in other["gives"]] == [("fault", "Ana")]


def test_each_candidate_for_a_hand_nobody_could_name_is_judged() -> None:
    hands = [hand(None, 3_500_000), hand("Ana", 3_500_000, [1, 5], [0, 90], perhaps=True)]
    word = last([*DUEL, grab(*hands, hand("Cy", 3_500_000, [1, 5], [0, 90], perhaps=True))], "undecided")
    given = {other["player"]: other["gives"] for other in word["alternatives"]}
    assert {player: [ruling.get("winner") for ruling in gives] for player, gives in given.items()} == {
        "Ana": ["Ana"],
        "Cy": ["Cy"],
    }
    assert word["alternatives"][0]["why_not"]["by"] == "evidence"


def test_who_said_so_is_the_source() -> None:
    by_hand = {"t_us": 4_000_000, "event": "correct", "ref": 3, "by": "operator", "reason": "seen"}
    first = {**grab(hand("Cy", 3_500_000)), "settled_by": "players"}
    events = [*DUEL, grab(hand("Ana", 3_500_000))]
    assert {one["source"] for one in last(events, "won", "camera")["inputs"]} == {"camera"}
    words = told([*events, {**by_hand, "with": first}])
    assert [word["ruling"] for word in words] == ["duel", "won", "overturned", "won"]
    assert words[2]["inputs"][0]["reason"] == "seen"
    assert words[2]["event"] == 4
    assert [one["source"] for one in words[3]["inputs"] if one["what"] == "hand"] == ["players"]
    assert words[3]["event"] == 3
    words = told([*events, {**by_hand, "with": grab(hand("Cy", 3_500_000))}])
    assert [one["source"] for one in words[3]["inputs"] if one["what"] == "hand"] == ["operator"]


def test_a_ruling_whose_event_is_not_known_has_a_record_all_the_same() -> None:
    ruling = {"t_us": 9, "ruling": "over", "clauses": ["JS-1"], "public": True}
    (word,) = decisions(HEADER, DUEL, [Given(4, ruling)])
    assert word == {
        "place": 4,
        "event": -1,
        "ruling": "over",
        "clauses": ["JS-1"],
        "inputs": [],
        "alternatives": [],
        "evidence": [],
    }


@pytest.mark.parametrize("seed", range(4))
def test_in_whole_games_each_alternative_is_what_the_changed_game_gives(seed: int) -> None:
    record = play(seed, ["Ana", "Bo", "Cy", "Di"], most_events=120, clumsy=0.15)
    ledger, known, looked = Ledger(record.header), Decisions(record.header), 0
    for event in record.events:
        given = ledger.add(event)
        words = known.of(ledger.events, given)
        assert [word["place"] for word in words] == [one.place for one in given]
        for word in words:
            for other in word["alternatives"]:
                looked += 1
                assert other["what"] == "other-hand-first"
                hands = {one["player"]: one for one in event["hands"]}
                key = {"fingers": "fingers", "height": "lowest_mm"}.get(other["why_not"]["by"], "t_us")
                mine, theirs = hands[other["instead_of"]], hands[other["player"]]
                changed = [
                    {**mine, key: theirs[key]} if one is mine else {**theirs, key: mine[key]} if one is theirs else one
                    for one in event["hands"]
                ]
                events = [*ledger.events[:-1], {**event, "hands": changed}]
                *_, (_, rulings) = adjudicate(Game(record.header), events)
                assert other["gives"] == rulings
    assert looked
