"""Dobro on a table: what the camera sees and people say becomes events, and what is not known is not ruled."""

from __future__ import annotations

import pytest

from referee.record import resolve
from referee.table.calls import NO_CARD, Correct, ForgotToDraw, JokerValue, Pass, Recount, Settle
from referee.vision.sightings import CameraPast, CardSeen, PileShifted, PileTaken
from tests.table.dobro_desk import FRAME_US, Desk, S


def test_a_card_a_draw_and_an_answer_are_ruled_by_the_value_in_play() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.turn("Bilal", "8", at_us=4 * S)
    assert desk.plays() == [("Ana", ["8"]), ("Bilal", ["8"])]
    assert [(one["value"], one["doubled"]) for one in desk.rulings()] == [(8, False), (16, True)]
    assert [event["count"] for event in desk.events if event["event"] == "draw"] == [1, 1]


def test_do_18_two_cards_of_one_gesture_are_a_pair() -> None:
    desk = Desk()
    desk.turn("Ana", "5", "5", at_us=1 * S)
    assert desk.plays() == [("Ana", ["5", "5"])]
    assert desk.rulings()[0]["value"] == 10


def test_do_16_a_second_card_after_the_hand_was_away_is_a_play_of_its_own() -> None:
    desk = Desk()
    desk.lay("Ana", "5", at_us=1 * S)
    desk.hand("Ana", "pair", 3 * S - 100_000, 3 * S + 100_000)
    desk.table.sighting(CardSeen(9, "pair", "skip", (3 * S - 9, 3 * S + 9), 3 * S, 0.999, by="Ana", by_chance=0.99))
    desk.watch(5 * S)
    assert desk.plays() == [("Ana", ["5"]), ("Ana", ["skip"])]
    assert desk.kinds() == ["value", "out-of-turn"]


@pytest.mark.parametrize(
    ("answer", "plays"), [("5", [("Ana", ["5", "5"])]), (NO_CARD, [("Ana", ["5"]), ("Ana", ["5"])])]
)
def test_two_cards_of_which_it_cannot_be_told_whether_they_are_one_play_are_asked_about_once(
    answer: str, plays: list[tuple[str, list[str]]]
) -> None:
    desk = Desk()
    for number, zone, t_us in ((1, "table", 1 * S), (2, "pair", 1 * S + 900_000)):
        desk.watch(t_us)
        desk.table.sighting(CardSeen(number, zone, "5", (t_us - 9, t_us + 9), t_us, 0.999, by="Ana", by_chance=0.99))
    desk.watch(4 * S)
    assert desk.plays() == [("Ana", ["5", "?"])]  # the first one was laid, whatever the second is
    assert desk.kinds() == ["undecided"]
    desk.say(Settle(5 * S, 0, card=answer))
    told = [step.event for step in resolve(desk.events) if step.event["event"] == "play"]
    assert [(event["player"], event["cards"]) for event in told] == plays


def test_of_two_cards_the_one_that_nobody_saw_may_not_have_been_there() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Bilal", "table", 5 * S, 5 * S + 250_000)
    desk.hand("Bilal", "pair", 5 * S + 300_000, 5 * S + 500_000)
    between = (5 * S + 380_000, 5 * S + 420_000)
    desk.table.sighting(CardSeen(7, "pair", "9", between, 5 * S + 400_000, 0.999, by="Bilal", by_chance=0.99))
    desk.watch(8 * S)
    index = next(k for k, event in enumerate(desk.events) if event["event"] == "play" and "?" in event["cards"])
    desk.say(Settle(9 * S, index, card=NO_CARD))
    assert [ruling.get("value") for ruling in desk.rulings()] == [8, 9]


def test_a_second_card_that_a_hand_still_hides_is_waited_for() -> None:
    desk = Desk()
    desk.hand("Ana", "table", S - 100_000, S + 200_000)
    desk.table.sighting(CardSeen(1, "table", "5", (S - 9, S + 9), S, 0.999, by="Ana", by_chance=0.99))
    desk.hand("Ana", "pair", S + 230_000, S + 500_000)
    for _ in range(20):  # frames go on, what lies under the hand holds back the rest
        desk.table.sighting(CameraPast(S + 210_000, (), desk._t_us + FRAME_US))
        desk._t_us += FRAME_US
        desk._work()
    assert desk.plays() == []
    between = (S + 210_000, desk._t_us)
    desk.table.sighting(CardSeen(2, "pair", "5", between, S + 350_000, 0.999, by="Ana", by_chance=0.99))
    desk.watch(desk._t_us + S)
    assert desk.plays() == [("Ana", ["5", "5"])]


def test_do_18_a_card_seen_late_belongs_to_the_one_its_hand_laid_with_it_though_that_was_told() -> None:
    desk = Desk()
    desk.lay("Ana", "5", at_us=1 * S)
    desk.watch(3 * S)
    assert desk.plays() == [("Ana", ["5"])]
    between = (S + 100_000, S + 200_000)
    desk.table.sighting(CardSeen(9, "pair", "5", between, S + 150_000, 0.999, by="Ana", by_chance=0.99))
    desk.watch(5 * S)
    told = [step.event for step in resolve(desk.events) if step.event["event"] == "play"]
    assert [(event["player"], event["cards"]) for event in told] == [("Ana", ["5", "5"])]
    assert [ruling.get("value") for ruling in desk.rulings()] == [10]


def test_who_is_not_in_turn_is_named_only_by_a_sure_arm() -> None:
    for chance, said, kind in ((0.99, "Chloé", "out-of-turn"), (0.9, None, "undecided")):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.lay("Chloé", "9", at_us=5 * S, by=("Chloé", chance))
        assert desk.plays()[-1] == (said, ["9"])
        assert desk.kinds()[-1] == kind


def second_card(desk: Desk, by: str | None, by_chance: float) -> None:
    """A card comes to the table at 5 s while the camera sees no fingers there."""
    between = (5 * S - 9, 5 * S + 9)
    desk.table.sighting(CardSeen(7, "table", "9", between, 5 * S, 0.999, by=by, by_chance=by_chance))


def test_fingers_that_stay_at_the_auction_say_whose_card_it_is_where_two_arms_were_one_outline() -> None:
    for chance, said in ((0.99, "Bilal"), (0.5, None)):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.lay("Bilal", "9", at_us=5 * S, by=("Ana", 0.53), fingers=chance)
        assert desk.plays()[-1] == (said, ["9"])


@pytest.mark.parametrize(("arm", "fingers", "said"), [(0.58, 0.99, None), (0.98, 0.99, "Bilal"), (0.58, 0.8, "Bilal")])
def test_do_16_a_near_thing_is_not_settled_by_the_turn_against_fingers_that_are_surely_anothers(
    arm: float, fingers: float, said: str | None
) -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Bilal", "draw", 4 * S + 500_000, 4 * S + 800_000)
    desk.lay("Chloé", "9", at_us=5 * S, by=("Bilal", arm), fingers=fingers)
    assert desk.plays()[-1] == (said, ["9"])


def test_fingers_of_two_players_name_nobody_where_the_arm_is_not_sure() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Chloé", "table", 4 * S + 600_000, 4 * S + 900_000)
    desk.lay("Bilal", "9", at_us=5 * S, by=("Chloé", 0.53))
    assert desk.plays()[-1] == (None, ["9"])


def test_fingers_of_who_is_in_turn_that_are_seen_just_after_the_arms_parted_name_their_player() -> None:
    for after_us, said in ((250_000, "Bilal"), (500_000, None)):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.watch(5 * S)
        second_card(desk, None, 0.0)
        desk.hand("Bilal", "table", 5 * S + after_us, 5 * S + after_us + 200_000)
        desk.watch(8 * S)
        assert desk.plays()[-1] == (said, ["9"])


def test_without_fingers_the_only_arm_over_the_table_names_who_is_in_turn() -> None:
    for arms, said in ((["Bilal"], "Bilal"), (["Chloé"], None), (["Bilal", "Ana"], None), ([], None)):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.watch(4 * S + 900_000)
        for player in arms:
            desk.hand(player, "draw", desk._t_us, desk._t_us + 70_000)
        desk.watch(5 * S)
        second_card(desk, None, 0.0)
        desk.watch(8 * S)
        assert desk.plays()[-1] == (said, ["9"])


def test_do_18_a_pair_is_one_play_though_an_arm_that_leaves_is_taken_for_that_of_the_first_card() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Bilal", "table", 5 * S - 100_000, 5 * S + 100_000)
    second_card(desk, "Ana", 0.55)
    desk.hand("Bilal", "pair", desk._t_us, 5 * S + 500_000)
    between = (5 * S + 400_000, 5 * S + 430_000)
    desk.table.sighting(CardSeen(8, "pair", "9", between, 5 * S + 410_000, 0.999, by="Bilal", by_chance=0.99))
    desk.watch(8 * S)
    assert desk.plays()[-1] == ("Bilal", ["9", "9"])


def test_a_near_thing_is_settled_by_whose_turn_it_is() -> None:
    desk = Desk()
    desk.lay("Ana", "8", at_us=1 * S, by=("Ana", 0.7))
    assert desk.plays() == [("Ana", ["8"])]


def test_after_a_play_that_is_undecided_nothing_is_ruled_until_a_person_settles_it() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.lay("Bilal", "9", at_us=5 * S, by=("Chloé", 0.8), fingers=0.5)
    desk.turn("Chloé", "10", at_us=9 * S)
    assert desk.kinds() == ["value", "undecided"]
    index = next(k for k, event in enumerate(desk.events) if event["event"] == "play" and event["player"] is None)
    desk.say(Settle(12 * S, index, player="Bilal"))
    assert [ruling.get("value") for ruling in desk.rulings()] == [8, 9, 10]


def test_a_card_that_is_read_late_is_told_again() -> None:
    desk = Desk()
    (number,) = desk.lay("Ana", "?", at_us=1 * S)
    desk.watch(5 * S, (number,))
    assert desk.kinds() == ["undecided"]
    desk.table.sighting(CardSeen(number, "table", "7", (S - 9, S + 9), S, 0.999, by="Ana", by_chance=0.99))
    desk.watch(6 * S)
    assert desk.kinds() == ["value"]
    assert desk.rulings()[0]["value"] == 7


def test_of_two_sure_readings_neither_is_believed() -> None:
    desk = Desk()
    (number,) = desk.lay("Ana", "6", at_us=1 * S)
    desk.watch(3 * S)
    desk.table.sighting(CardSeen(number, "table", "9", (S - 9, S + 9), S, 0.999, by="Ana", by_chance=0.99))
    desk.watch(4 * S)
    assert desk.kinds() == ["undecided"]
    assert "two-readings" in desk.notices
    index = 0
    desk.say(Settle(5 * S, index, card="9"))
    assert desk.rulings()[0]["value"] == 9


def test_do_29_a_lone_joker_waits_for_its_value_and_asks_for_it() -> None:
    desk = Desk()
    desk.lay("Ana", "joker", at_us=1 * S)
    desk.watch(4 * S)
    assert desk.kinds() == []
    assert desk.notices == ["joker-value"]
    desk.say(JokerValue(5 * S, "Ana", 11))
    assert [(event["cards"], event["value"]) for event in desk.events] == [(["joker"], 11)]


def test_do_29_the_value_may_be_said_before_the_joker_lies() -> None:
    desk = Desk()
    desk.say(JokerValue(1 * S, "Ana", 6))
    desk.lay("Ana", "joker", "joker", at_us=2 * S)
    assert desk.rulings()[0]["value"] == 12


def test_do_g18_a_value_that_another_says_or_nobody_says_is_none() -> None:
    desk = Desk()
    desk.lay("Ana", "joker", at_us=1 * S)
    desk.say(JokerValue(2 * S, "Bilal", 11))
    desk.lay("Bilal", "8", at_us=4 * S)
    assert desk.kinds()[0] == "illegal-play"
    assert desk.rulings()[0]["why"] == "joker-value"


def test_do_20_a_pass_is_said_and_counts_once_though_it_is_seen_too() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.say(Pass(5 * S, "Bilal"))
    desk.take("Bilal", 6 * S)
    assert desk.kinds() == ["value", "picks-up"]


def test_do_20_who_takes_the_auction_in_turn_has_passed_though_it_was_not_said() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.take("Bilal", 5 * S)
    desk.say(Pass(8 * S, "Bilal"))
    assert desk.kinds() == ["value", "picks-up"]


def test_an_auction_taken_by_somebody_else_or_by_an_arm_that_is_not_sure_is_no_pass() -> None:
    for player, chance in (("Chloé", 0.99), ("Bilal", 0.6), (None, 0.0)):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.take(player, 5 * S, chance)
        assert desk.kinds() == ["value"]


def test_do_g31_cards_taken_back_after_an_illegal_play_are_no_play_and_no_pass() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.lay("Bilal", "3", at_us=5 * S)
    desk.table.sighting(PileShifted("table", "8", (7 * S, 7 * S + FRAME_US)))
    desk.watch(8 * S)
    assert desk.kinds() == ["value", "illegal-play"]
    desk.take("Bilal", 9 * S)
    assert desk.kinds() == ["value", "illegal-play"]
    assert "passed?" in desk.notices


def test_do_33_a_forgotten_draw_that_is_called_gives_the_oubli() -> None:
    desk = Desk()
    desk.lay("Ana", "8", at_us=1 * S)
    desk.turn("Bilal", "9", at_us=5 * S)
    desk.say(ForgotToDraw(9 * S, "Chloé", "Ana"))
    assert desk.kinds() == ["value", "value", "oubli"]
    assert desk.ledger.summary()["oubli"] == "Ana"


def test_do_g37_a_call_on_one_who_was_seen_to_draw_is_false() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.turn("Bilal", "9", at_us=5 * S)
    desk.say(ForgotToDraw(9 * S, "Chloé", "Ana"))
    assert desk.kinds() == ["value", "value", "false-call"]


def test_a_call_while_a_hand_is_at_the_draw_pile_is_undecided_until_a_person_says() -> None:
    for answer, kind in ((None, "false-call"), ("Ana", "oubli")):
        desk = Desk()
        desk.lay("Ana", "8", at_us=1 * S)
        desk.turn("Bilal", "9", at_us=5 * S)
        desk.hand("Ana", "draw", 9 * S, 9 * S + 300_000)
        desk.table.call(ForgotToDraw(9 * S + 150_000, "Chloé", "Ana"))
        desk.watch(11 * S)
        assert desk.kinds() == ["value", "value", "undecided"]
        index = next(k for k, event in enumerate(desk.events) if event["event"] == "call")
        desk.say(Settle(12 * S, index, player=answer))
        assert desk.kinds() == ["value", "value", kind]


def test_of_two_cards_to_be_drawn_one_visit_leaves_open_how_many() -> None:
    desk = Desk()
    desk.turn("Ana", "5", "5", at_us=1 * S)
    assert desk.events[-1]["count"] == [1, 2]
    desk.draw("Ana", 4 * S)
    assert desk.events[-1]["count"] == 1
    desk.turn("Bilal", "12", at_us=6 * S)
    desk.say(ForgotToDraw(10 * S, "Chloé", "Ana"))
    assert desk.kinds()[-1] == "false-call"


def test_a_hand_that_passes_over_the_draw_pile_has_not_drawn() -> None:
    desk = Desk()
    desk.lay("Ana", "8", at_us=1 * S)
    desk.draw("Ana", 2 * S, stay_us=67_000)
    assert [event["event"] for event in desk.events] == ["play"]


def test_while_the_camera_is_blind_whoever_lacks_cards_may_have_drawn() -> None:
    desk = Desk()
    desk.lay("Ana", "8", at_us=1 * S)
    desk._t_us += 500_000
    desk.watch(4 * S)
    assert [event.get("count") for event in desk.events] == [None, [0, 1]]
    desk.turn("Bilal", "9", at_us=6 * S)
    desk.say(ForgotToDraw(9 * S, "Chloé", "Ana"))
    assert desk.kinds()[-1] == "undecided"


def test_a_hand_that_came_back_and_was_not_seen_to_draw_may_have_drawn() -> None:
    desk = Desk()
    desk.lay("Ana", "8", at_us=1 * S)
    desk.hand("Ana", "pile/Ana", 3 * S, 3 * S + 100_000)
    desk.turn("Bilal", "9", at_us=6 * S)
    desk.say(ForgotToDraw(9 * S, "Chloé", "Ana"))
    assert desk.kinds()[-1] == "undecided"


def test_a_recount_and_a_correction_go_into_the_record() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.say(Recount(4 * S, hand={"Bilal": 5}, pile=30))
    assert desk.kinds() == ["value", "miscount"]
    assert desk.ledger.summary()["pile"] == 30
    right = {**desk.events[0], "cards": ["9"]}
    desk.say(Correct(5 * S, "it was a nine", right, ref=0))
    assert desk.ledger.summary()["value"] == 9


def test_do_g40_players_are_reminded_of_the_direction_card_once() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.turn("Bilal", "reverse", at_us=4 * S)
    desk.watch(25 * S)
    assert desk.notices == ["turn-direction"]


def test_what_comes_after_a_play_that_nobody_settled_is_kept_in_doubt_when_the_camera_ends() -> None:
    desk = Desk()
    desk.lay("Ana", "?", at_us=1 * S)
    desk.watch(5 * S)
    desk.turn("Bilal", "9", at_us=6 * S)
    desk.say(Pass(9 * S, "Chloé"))
    desk.finish()
    assert desk.plays() == [("Ana", ["?"]), (None, ["?"])]
    assert desk.kinds() == ["undecided", "undecided"]
    assert [notice.kind for notice in desk.table.notices()] == ["left-open"]


def test_a_game_that_goes_on_is_ruled_on_from_where_it_stood() -> None:
    first = Desk()
    first.turn("Ana", "8", at_us=1 * S)
    second = Desk(events=first.events)
    second.turn("Bilal", "9", at_us=5 * S)
    assert [(one["player"], one["value"]) for one in second.rulings()] == [("Bilal", 9)]


def test_without_the_camera_calls_are_followed_after_a_wait() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.table.call(Pass(5 * S, "Bilal"))
    desk.table.now(8 * S)
    assert desk.table.release() == []
    desk.table.now(10 * S)
    assert [event["event"] for event in desk.table.release()] == ["pass"]


def test_a_hand_of_who_is_next_that_stayed_may_have_laid_a_card_that_nobody_saw() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Bilal", "table", 5 * S, 5 * S + 350_000)
    desk.watch(8 * S)
    assert desk.plays() == [("Ana", ["8"]), ("Bilal", ["?"])]
    assert desk.kinds() == ["value", "undecided"]
    seen = CardSeen(7, "table", "8", (5 * S, 8 * S), 5 * S + 100_000, 0.999, by="Bilal", by_chance=0.99)
    desk.table.sighting(seen)
    desk.watch(9 * S)
    assert [(one["value"], one["doubled"]) for one in desk.rulings()] == [(8, False), (16, True)]


def test_a_hand_that_passes_or_that_is_not_next_has_laid_nothing() -> None:
    for player, stay_us in (("Bilal", 130_000), ("Chloé", 400_000)):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.hand(player, "table", 5 * S, 5 * S + stay_us)
        desk.watch(8 * S)
        assert desk.plays() == [("Ana", ["8"])]


def test_of_a_lone_card_on_the_place_of_the_second_the_first_was_not_seen() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.hand("Bilal", "table", 5 * S, 5 * S + 250_000)
    desk.hand("Bilal", "pair", 5 * S + 300_000, 5 * S + 500_000)
    between = (5 * S + 380_000, 5 * S + 420_000)
    desk.table.sighting(CardSeen(7, "pair", "joker", between, 5 * S + 400_000, 0.999, by="Bilal", by_chance=0.99))
    desk.watch(8 * S)
    assert desk.plays()[-1] == ("Bilal", ["?", "joker"])
    assert desk.kinds()[-1] == "undecided"


def test_do_g18_a_joker_that_is_taken_back_has_no_value_and_one_laid_anew_may_have() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.lay("Bilal", "joker", at_us=5 * S)
    desk.table.sighting(PileShifted("table", "8", (7 * S, 7 * S + FRAME_US)))
    desk.watch(8 * S)
    assert desk.kinds() == ["value", "illegal-play"]
    desk.say(JokerValue(9 * S, "Bilal", 12))
    desk.lay("Bilal", "joker", at_us=10 * S)
    assert [one.get("value") for one in desk.rulings()] == [8, None, 12]


def test_a_pass_after_a_time_without_pictures_is_not_said_to_be_out_of_turn() -> None:
    for blind_us, kinds, notices in ((0, ["value", "out-of-turn"], []), (1_500_000, ["value"], ["passed?"])):
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk._t_us += blind_us
        desk.watch(6 * S)
        desk.say(Pass(7 * S, "Chloé"))
        assert (desk.kinds(), desk.notices) == (kinds, notices)


def test_a_card_that_is_told_anew_under_another_number_is_the_same_card() -> None:
    desk = Desk()
    (number,) = desk.lay("Ana", "?", at_us=1 * S)
    desk.watch(5 * S, (number,))
    desk.table.sighting(CardSeen(99, "table", "7", (S - 9, S + 9), S, 0.999, by="Ana", by_chance=0.99))
    desk.watch(7 * S)
    assert desk.plays() == [("Ana", ["?"])]
    assert [one.get("value") for one in desk.rulings()] == [7]


def test_do_29_a_joker_of_whom_it_was_not_known_has_the_value_its_player_said() -> None:
    for said_us in (4 * S, 6 * S):  # before it was laid, and after
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.watch(4 * S)
        desk.table.call(JokerValue(said_us, "Bilal", 9))
        desk.lay("Bilal", "joker", at_us=5 * S, by=("Chloé", 0.8), fingers=0.5)
        desk.lay("Chloé", "10", at_us=8 * S)
        index = next(k for k, event in enumerate(desk.events) if event["event"] == "play" and not event["player"])
        desk.say(Settle(12 * S, index, player="Bilal"))
        assert [one.get("value") for one in desk.rulings()] == [8, 9, 10]


@pytest.mark.parametrize(("read", "taken", "told"), [("?", True, False), ("9", True, True), ("?", False, True)])
def test_do_20_hands_that_take_the_cards_after_a_pass_are_no_card(read: str, taken: bool, told: bool) -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.say(Pass(5 * S, "Bilal"))
    desk.hand("Bilal", "table", 5 * S + 500_000, 6 * S + 500_000)
    between = (6 * S, 6 * S + 200_000)
    desk.table.sighting(CardSeen(7, "table", read, between, 6 * S + 100_000, 0.0, by="Bilal", by_chance=0.99))
    desk.watch(6 * S + 800_000, (7,) if read == "?" else ())
    if taken:
        desk.table.sighting(PileTaken("table", (desk._t_us - FRAME_US, desk._t_us), "Bilal", 0.99))
    desk.watch(12 * S)
    assert (len(desk.plays()) == 2) == told


def test_do_g31_who_comes_back_for_cards_that_did_not_stand_has_laid_nothing() -> None:
    desk = Desk()
    desk.turn("Ana", "8", at_us=1 * S)
    desk.lay("Bilal", "7", at_us=5 * S)  # too low
    desk.hand("Bilal", "table", 7 * S, 7 * S + 400_000)  # and a 7 lies there before and after
    desk.watch(12 * S)
    assert desk.kinds() == ["value", "illegal-play"]


@pytest.mark.parametrize("after_us", [1 * S, 5 * S])
def test_who_passed_or_was_called_upon_comes_to_the_table_for_something_else_than_to_lay(after_us: int) -> None:
    calls = (Pass(5 * S, "Bilal"), ForgotToDraw(5 * S, "Chloé", "Bilal"))
    for call in calls:
        desk = Desk()
        desk.turn("Ana", "8", at_us=1 * S)
        desk.say(call)
        desk.hand("Bilal", "table", 5 * S + after_us, 5 * S + after_us + 400_000)
        desk.watch(14 * S)
        assert ("undecided" in desk.kinds()) == (after_us > 4 * S)
