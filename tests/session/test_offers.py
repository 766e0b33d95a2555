"""What may be said at a table: offers, the words they become, and what seat buttons mean."""

from __future__ import annotations

from typing import Any

import pytest

from referee.offers import Buttons, call_of_say, centre_now, offers
from referee.table.calls import Accept, Blocked, Challenge, ForgotToDraw, JokerValue, Lay, Pass, Take
from referee.web.board import Offer
from referee.web.desk import Say

NAMES = ("Ana", "Bilal", "Chloé")


def expected(waiting_for: str, asked: str | None = None, **more: Any) -> Any:
    return {"waiting_for": waiting_for, "may_flip": [], "may_take": [], "asked": asked, **more}


def test_in_speed_both_may_say_that_they_are_stuck() -> None:
    found = offers("speed", NAMES[:2], expected("play"), {"over": False}, [])
    assert found == (Offer("Ana", "blocked"), Offer("Bilal", "blocked"))


def test_in_dobro_the_player_in_turn_may_pass_and_anybody_may_remind() -> None:
    found = offers("dobro", NAMES, expected("play", may_play=["Ana"], may_pass=["Ana"]), {"over": False}, [])
    assert Offer("Ana", "pass") in found
    assert Offer("Bilal", "forgot", ("Ana", "Chloé")) in found
    assert not [one for one in found if one.call == "pass-specials"]
    opener = offers("dobro", NAMES, expected("play", may_play=["Ana"], may_pass=[]), {"over": False}, [])
    assert [one.player for one in opener if one.call == "pass-specials"] == ["Ana"]


def test_in_jungle_bluff_who_is_asked_may_take_what_lies_in_the_centre_or_challenge_a_holder() -> None:
    events: list[Any] = [{"t_us": 0, "event": "centre", "cards": ["3", "9", "9"]}]
    counts = {"over": False, "holds": {"Ana": "9"}}
    found = offers("jungle-bluff", NAMES, expected("choice", "Bilal"), counts, events)
    assert found == (Offer("Bilal", "challenge", ("Ana",), sure=True), Offer("Bilal", "take", ("3", "9")))


def test_the_first_player_is_offered_no_challenge_jb_11() -> None:
    events: list[Any] = [{"t_us": 0, "event": "centre", "cards": ["3", "9", "10"]}]
    found = offers("jungle-bluff", NAMES, expected("choice", "Ana"), {"over": False, "holds": {}}, events)
    assert [one.call for one in found] == ["take"]


def test_what_lies_in_the_centre_follows_corrections() -> None:
    events: list[Any] = [
        {"t_us": 0, "event": "centre", "cards": ["3", "?", "9"]},
        {"t_us": 5, "event": "correct", "ref": 0, "with": {"event": "centre", "cards": ["3", "7", "9"]}},
    ]
    assert centre_now({}, events) == ("3", "7", "9")


def test_after_the_game_nobody_is_offered_anything() -> None:
    assert offers("speed", NAMES[:2], expected("nothing"), {"over": True}, []) == ()


@pytest.mark.parametrize(
    ("say", "call"),
    [
        (Say("Ana", "blocked"), Blocked(5, "Ana")),
        (Say("Ana", "pass"), Pass(5, "Ana")),
        (Say("Ana", "pass-specials"), Pass(5, "Ana", only_specials=True)),
        (Say("Ana", "joker", "7"), JokerValue(5, "Ana", 7)),
        (Say("Ana", "forgot", "Bilal"), ForgotToDraw(5, "Ana", "Bilal")),
        (Say("Ana", "lay"), Lay(5, "Ana")),
        (Say("Ana", "take", "10"), Take(5, "Ana", "10")),
        (Say("Ana", "challenge", "Bilal"), Challenge(5, "Ana", "Bilal")),
        (Say("", "accept"), Accept(5)),
    ],
)
def test_every_word_of_a_page_is_a_word_of_the_table(say: Say, call: Any) -> None:
    assert call_of_say(say, 5) == call


def test_where_a_hooded_camera_hangs_one_shows_the_force_before_one_lays_it() -> None:
    waiting = expected("commit", may_play=["Ana", "Chloé"])
    found = offers("jungle-bluff", NAMES, waiting, {"over": False}, [], hooded=True)
    assert [(one.player, one.call) for one in found] == [
        ("Ana", "show"), ("Ana", "lay"), ("Chloé", "show"), ("Chloé", "lay")
    ]  # fmt: skip
    assert Buttons().pressed("Chloé", found, 0) == Say("Chloé", "show")
    assert call_of_say(Say("Chloé", "show"), 0) is None


def test_a_button_challenges_the_only_holder_at_once() -> None:
    offered = (Offer("Bilal", "challenge", ("Ana",), sure=True),)
    assert Buttons().pressed("Bilal", offered, 0) == Say("Bilal", "challenge", "Ana")
    assert Buttons().pressed("Chloé", offered, 0) is None


def test_with_several_holders_the_challenger_presses_first_and_then_the_button_of_whom_they_mean() -> None:
    offered = (Offer("Chloé", "challenge", ("Ana", "Bilal"), sure=True), Offer("Chloé", "take", ("3",)))
    buttons = Buttons()
    assert buttons.pressed("Chloé", offered, 0) is None
    assert buttons.pressed("Bilal", offered, 2_000_000) == Say("Chloé", "challenge", "Bilal")
    assert buttons.pressed("Chloé", offered, 3_000_000) is None
    assert buttons.pressed("Bilal", offered, 9_000_000) is None


def test_a_button_says_the_one_thing_there_is_to_say() -> None:
    assert Buttons().pressed("Ana", (Offer("Ana", "blocked"),), 0) == Say("Ana", "blocked")
    assert Buttons().pressed("Ana", (Offer("Ana", "pass"), Offer("Ana", "forgot", ("Bilal",))), 0) == Say("Ana", "pass")
