"""The reorder buffer: what leaves when, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.table.calls import Choose, Correct, Recount, Settle, Share
from referee.table.fusion import Fusion
from referee.totem.scrambles import Fall
from referee.vision.sightings import (
    CameraPast,
    PileShifted,
    PileTaken,
    TableMoved,
)
from tests.table.desk import PLAYERS, arm, card, duel, grab, hand, kinds, layout, names, past, resolved, rule, watch


def test_a_duel_and_its_grab_leave_in_the_order_in_which_they_happened() -> None:
    fusion = Fusion(layout())
    fusion.touch(grab(hand("Bilal", 2_500_000), hand("Ana", 2_600_000)))
    duel(fusion)
    past(fusion, 3_000_000)
    events = fusion.release()
    assert kinds(events) == ["flip", "flip", "grab"]
    rulings = rule(events)
    assert names(rulings) == ["duel", "won"]
    assert rulings[1]["winner"] == "Bilal"


def test_a_touch_waits_until_the_camera_has_seen_past_it() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    assert len(fusion.release()) == 2
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    fusion.totem_past(3_500_000)
    assert fusion.release() == []
    fusion.sighting(CameraPast(2_700_000))
    assert kinds(fusion.release()) == ["grab"]


def test_a_card_waits_until_the_totem_has_spoken_about_the_time_before_it() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(CameraPast(2_000_000))
    fusion.totem_past(900_000)
    assert fusion.release() == []
    fusion.touch(grab(hand("Chloé", 800_000)))
    fusion.totem_past(2_000_000)
    assert kinds(fusion.release()) == ["grab", "flip"]


def test_a_flip_says_when_its_card_passed_its_edge_and_between_which_frames() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000, between=(990_000, 1_023_000), evidence=("30", "31")))
    past(fusion, 1_500_000)
    (flip,) = fusion.release()
    assert flip == {
        "t_us": 1_000_000,
        "event": "flip",
        "player": "Ana",
        "card": "knot/green",
        "between": [990_000, 1_023_000],
        "confidence": 0.999,
        "evidence": ["30", "31"],
    }


@pytest.mark.parametrize(("since_us", "first"), [(1_500_000, "Ana"), (2_100_000, "Bilal")])
def test_a_card_in_turn_that_may_have_come_before_one_out_of_turn_came_before_it(since_us: int, first: str) -> None:
    fusion = Fusion(layout())
    fusion.expected({"waiting_for": "flip", "may_flip": ["Ana"], "may_take": []})
    # Ana's card lay under her hand, nobody saw it come; Bilal turned his in between.
    fusion.sighting(card(1, "Ana", "knot/green", 2_600_000, between=(since_us, 2_650_000)))
    fusion.sighting(card(2, "Bilal", "moon/red", 2_000_000))
    past(fusion, 3_000_000)
    flips = fusion.release()
    assert flips[0]["player"] == first
    assert [flip["t_us"] for flip in flips] == sorted(flip["t_us"] for flip in flips)


TURN_OF_ANA = {"waiting_for": "flip", "may_flip": ["Ana"], "may_take": []}


def test_a_hand_that_was_at_its_pile_in_its_turn_may_have_laid_a_card_when_somebody_else_goes_on() -> None:
    fusion = Fusion(layout())
    fusion.expected(TURN_OF_ANA)
    arm(fusion, "Ana", 1_000_000, 1_400_000, "face_up/Ana")  # nothing was ever told of it, and the pile is free since
    fusion.sighting(card(1, "Bilal", "moon/red", 3_000_000))
    past(fusion, 4_000_000)
    events = [*fusion.release(), *fusion.release()]
    assert [(flip["player"], flip["card"]) for flip in events] == [("Ana", "?"), ("Bilal", "moon/red")]
    assert events[0]["between"][0] <= 1_000_000 <= events[0]["t_us"] <= events[0]["between"][1] < 1_500_000
    assert "undecided" in names(rule(events))


@pytest.mark.parametrize("why", ["only passed", "took the pile", "not their turn yet", "a card came of it", "in turn"])
def test_a_hand_at_its_pile_has_laid_no_card_when_it(why: str) -> None:
    fusion = Fusion(layout())
    fusion.expected({**TURN_OF_ANA, "may_flip": ["Chloé"] if why == "not their turn yet" else ["Ana"]})
    until_us = 1_100_000 if why == "only passed" else 1_400_000
    arm(fusion, "Ana", 1_000_000, until_us, "face_up/Ana")
    if why == "took the pile":
        fusion.sighting(PileTaken("face_up/Ana", (1_100_000, 1_133_000), "Ana", 0.99))
    if why == "a card came of it":
        fusion.sighting(card(2, "Ana", "knot/green", 1_050_000))
    who = "Ana" if why == "in turn" else "Bilal"
    fusion.sighting(card(1, who, "moon/red", 3_000_000))
    past(fusion, 4_000_000)
    events = [*fusion.release(), *fusion.release(), *fusion.release()]
    assert "?" not in [event.get("card") for event in events]


def test_a_card_that_was_read_says_which_other_one_was_likeliest() -> None:
    fusion = Fusion(layout(), plain_totem=True)
    nats = {"knot/green": 0.0, "moon/green": -31.0, "star/green": -19.5, "?": -5.0}
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000, nats=nats))
    watch(fusion, 1_100_000, 2_000_000)
    fusion.now(2_000_000)
    (flip,) = fusion.release()
    assert (flip["card"], flip["runner_up"]) == ("knot/green", "star/green")


def test_a_touch_while_a_card_arrives_keeps_the_estimated_order_and_gets_its_margin() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_010_000)))
    past(fusion, 2_800_000)
    events = fusion.release()
    assert kinds(events) == ["flip", "flip", "grab"]
    assert rule(events)[-1]["margin"] == {"by": "arrival", "us": [-26_666, 6_666]}


def test_a_card_on_a_pile_of_the_table_or_in_no_zone_is_no_flip() -> None:
    fusion = Fusion(layout())
    fusion.sighting(replace(card(1, "Ana", "knot/green", 1_000_000), zone="pot"))
    fusion.sighting(replace(card(2, "Ana", "knot/green", 1_000_000), zone="elsewhere"))
    fusion.sighting(card(3, "Ana", "back", 1_000_000))
    past(fusion, 2_000_000)
    assert fusion.finish() == []
    assert [notice.kind for notice in fusion.notices()] == ["face-down"]
    assert fusion.notices() == []


def test_a_shifted_pile_and_a_bumped_table_are_told_to_people_and_are_no_events() -> None:
    fusion = Fusion(layout())
    fusion.sighting(PileShifted("face_up/Ana", "knot/green", (1_000_000, 1_033_000)))
    fusion.sighting(TableMoved(2_000_000, 4.5))
    assert fusion.finish() == []
    assert [notice.kind for notice in fusion.notices()] == ["pile-shifted", "table-moved"]


def test_a_hand_that_came_after_the_scramble_was_told_is_added_by_a_correction() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000), final=False))
    past(fusion, 3_000_000)
    assert len(fusion.release()) == 3
    fusion.touch(grab(hand("Bilal", 2_500_300), hand("Chloé", 2_900_000)))
    past(fusion, 4_000_000)
    (correction,) = fusion.release()
    assert correction["event"] == "correct"
    assert correction["by"] == "totem"
    assert correction["ref"] == 2
    assert [one["player"] for one in correction["with"]["hands"]] == ["Bilal", "Chloé"]


def test_a_scramble_that_is_told_again_with_nothing_new_is_not_corrected() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000), final=False))
    past(fusion, 3_000_000)
    fusion.release()
    fusion.touch(grab(hand("Bilal", 2_500_400)))
    past(fusion, 5_000_000)
    assert fusion.finish() == []


def test_a_later_reading_that_contradicts_the_first_leaves_both_open() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000, (4, 4)), hand("Ana", 2_510_000, (3, 3)), final=False))
    past(fusion, 3_000_000)
    assert rule(fusion.release())[-1]["winner"] == "Bilal"
    fusion.touch(grab(hand("Bilal", 2_500_000, (2, 2)), hand("Ana", 2_510_000, (3, 3))))
    past(fusion, 5_000_000)
    (correction,) = fusion.release()
    assert correction["with"]["hands"][0]["fingers"] == [2, 4]


def test_the_index_of_a_correction_counts_in_what_is_corrected_later() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "?", 1_000_000))
    past(fusion, 5_000_000)
    first = fusion.release()
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    second = fusion.release()
    assert kinds(first) == ["flip"]
    assert second[0]["ref"] == 0
    fusion.sighting(card(2, "Bilal", "?", 6_000_000))
    past(fusion, 10_000_000)
    third = fusion.release()
    fusion.sighting(card(2, "Bilal", "knot/red", 6_000_000))
    fourth = fusion.release()
    assert fourth[0]["ref"] == 2
    assert names(rule([*first, *second, *third, *fourth])) == ["duel"]


def test_a_card_that_is_noticed_after_later_events_were_told_is_put_in_its_place() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))
    past(fusion, 3_000_000)
    events = fusion.release()
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 4_000_000)
    events += fusion.release()
    assert events[1]["event"] == "correct"
    assert events[1]["before"] == 0
    assert [event["card"] for event in resolved(events)] == ["knot/green", "knot/red"]


def test_two_sure_readings_of_one_card_that_differ_are_both_withheld() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 2_000_000)
    fusion.release()
    fusion.sighting(card(1, "Ana", "knot2/green", 1_000_000))
    (correction,) = fusion.release()
    assert correction["with"]["card"] == "?"
    assert correction["with"]["may_be"] == ["knot/green", "knot2/green"]
    assert [notice.kind for notice in fusion.notices()] == ["two-readings"]


def test_calls_become_events_at_the_time_they_were_made() -> None:
    fusion = Fusion(layout())
    fusion.call(Share(3_000_000, "Ana", {"Bilal": 2}))
    fusion.call(Choose(2_000_000, "Ana", "arrow"))
    fusion.call(Recount(4_000_000, {"Ana": 7}))
    past(fusion, 5_000_000)
    assert kinds(fusion.release()) == ["choose", "share", "recount"]


def test_a_person_settles_who_was_first() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000, (3, 4)), hand("Ana", 2_510_000, (3, 4))))
    past(fusion, 3_000_000)
    events = fusion.release()
    assert rule(events)[-1]["why"] == "fingers"
    fusion.call(Settle(4_000_000, 2, player="Ana"))
    events += fusion.release()
    assert rule(events)[-1]["winner"] == "Ana"


def test_a_person_settles_a_card_and_the_camera_speaks_of_it_no_more() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "?", 1_000_000))
    past(fusion, 5_000_000)
    events = fusion.release()
    fusion.call(Settle(5_500_000, 0, card="knot/green"))
    events += fusion.release()
    fusion.sighting(card(1, "Ana", "moon/green", 1_000_000))
    assert fusion.release() == []
    assert resolved(events)[0]["card"] == "knot/green"


def test_settling_what_is_not_there_is_told_and_does_nothing() -> None:
    fusion = Fusion(layout())
    fusion.call(Settle(1_000_000, 7, player="Ana"))
    assert fusion.release() == []
    assert [notice.kind for notice in fusion.notices()] == ["nothing-to-settle"]


def test_a_person_corrects_and_inserts() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 2_000_000)
    events = fusion.release()
    missed = {"t_us": 900_000, "event": "flip", "player": "Chloé", "card": "moon/red"}
    fusion.call(Correct(3_000_000, "was not seen", missed, before=0))
    fusion.call(Correct(3_100_000, "never happened", None, ref=0))
    events += fusion.release()
    assert [event["card"] for event in resolved(events)] == ["moon/red"]


@pytest.mark.parametrize(("from_us", "to_us"), [(1_900_000, 2_200_000), (1_500_000, 1_900_000)])
def test_an_arm_beside_a_totem_that_fell_need_not_have_felled_it(from_us: int, to_us: int) -> None:
    fusion = Fusion(layout())
    arm(fusion, "Chloé", from_us, to_us)
    watch(fusion, to_us, 3_000_000)
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 3_000_000)
    (ruling,) = rule(fusion.release())
    assert (ruling["ruling"], ruling["candidates"]) == ("undecided", ["Chloé"])


def test_a_hand_that_was_seen_elsewhere_may_have_felled_the_totem() -> None:
    fusion = Fusion(layout())
    arm(fusion, "Bilal", 1_800_000, 1_950_000, "face_up/Bilal")
    watch(fusion, 1_950_000, 3_000_000)
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 3_000_000)
    (ruling,) = rule(fusion.release())
    assert (ruling["ruling"], ruling["candidates"]) == ("undecided", ["Bilal"])


def test_a_totem_that_falls_after_a_touch_was_not_felled_by_nobody() -> None:
    fusion = Fusion(layout())
    watch(fusion, 1_500_000, 3_000_000)
    fusion.touch(grab(hand(None, 1_850_000, chances={})))
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 4_000_000)
    events = fusion.release()
    assert events[-1]["doubt"] == ["toppler"]


def test_a_fall_with_nobody_near_is_nobodys() -> None:
    fusion = Fusion(layout())
    watch(fusion, 1_900_000, 3_000_000)
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 3_000_000)
    assert fusion.release() == [{"t_us": 2_000_000, "event": "fall", "player": None}]


def test_a_fall_before_which_no_skin_was_felt_is_nobodys_whoever_reached_across_grab_9() -> None:
    fusion = Fusion(layout())
    arm(fusion, "Ana", 1_700_000, 2_100_000)
    fusion.touch(Fall(2_000_000, None, False))
    past(fusion, 8_000_000)
    assert fusion.release() == [{"t_us": 2_000_000, "event": "fall", "player": None}]


def test_a_fall_that_the_camera_could_not_see_is_asked_about() -> None:
    fusion = Fusion(layout())
    fusion.sighting(CameraPast(1_500_000))
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 3_000_000)
    (ruling,) = rule(fusion.release())
    assert (ruling["ruling"], ruling["candidates"]) == ("undecided", ["Ana", "Bilal", "Chloé"])


def test_a_fall_with_two_arms_near_is_asked_about() -> None:
    fusion = Fusion(layout())
    for t_us in range(1_900_000, 2_200_000, 33_333):
        arm(fusion, "Chloé", t_us, t_us + 1)
        arm(fusion, "Ana", t_us, t_us + 1)
    fusion.touch(Fall(2_000_000, None))
    past(fusion, 3_000_000)
    events = fusion.release()
    (ruling,) = rule(events)
    assert ruling["ruling"] == "undecided"
    assert ruling["candidates"] == ["Ana", "Chloé"]
    fusion.call(Settle(4_000_000, 0, player="Chloé"))
    events += fusion.release()
    assert rule(events)[0]["kind"] == "wrong-fall"


def test_a_wrong_pick_up_is_noticed() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    past(fusion, 3_000_000)
    events = fusion.release()
    fusion.sighting(PileTaken("face_up/Ana", (4_000_000, 4_033_000), "Chloé", 0.98))
    fusion.sighting(PileTaken("face_up/Bilal", (4_300_000, 4_333_000), "Chloé", 0.98))
    arm(fusion, "Chloé", 4_600_000, 4_800_000, "reserve/Chloé")
    past(fusion, 5_000_000)
    events += fusion.release()
    assert events[-1]["event"] == "pick_up"
    assert rule(events)[-1]["kind"] == "wrong-pick-up"


def test_an_own_pile_that_goes_to_the_pot_is_no_pick_up() -> None:
    fusion = Fusion(layout())
    fusion.sighting(PileTaken("face_up/Ana", (4_000_000, 4_033_000), "Ana", 0.98))
    arm(fusion, "Ana", 4_300_000, 4_500_000, "pot")
    arm(fusion, "Ana", 4_600_000, 4_800_000, "reserve/Ana")
    past(fusion, 5_000_000)
    assert fusion.finish() == []


def test_nobody_is_said_to_pick_up_wrongly_while_it_is_open_who_has_to() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000, (3, 4)), hand("Ana", 2_510_000, (3, 4))))
    past(fusion, 3_000_000)
    fusion.release()
    fusion.sighting(PileTaken("face_up/Bilal", (4_000_000, 4_033_000), "Ana", 0.98))
    arm(fusion, "Ana", 4_600_000, 4_800_000, "reserve/Ana")
    past(fusion, 5_000_000)
    assert fusion.finish() == []


def test_a_game_goes_on_after_a_power_cut_with_the_right_indices() -> None:
    before = Fusion(layout())
    before.sighting(card(1, "Ana", "?", 1_000_000))
    past(before, 5_000_000)
    events = before.release()
    after = Fusion.resume(layout(), events, lying={"Ana": "?"})
    after.sighting(card(1, "Ana", "knot/green", 6_000_000))  # it lies there, and is read now
    after.sighting(card(2, "Bilal", "knot/red", 7_000_000))
    past(after, 9_000_000)
    events += after.release()
    assert kinds(events) == ["flip", "correct", "flip"]
    assert names(rule(events)) == ["duel"]


def test_a_game_goes_on_and_an_undecided_scramble_can_still_be_settled() -> None:
    before = Fusion(layout())
    duel(before)
    before.touch(grab(hand(None, 2_500_000)))
    past(before, 4_000_000)
    events = before.release()
    after = Fusion.resume(layout(), events)
    after.call(Settle(5_000_000, 2, player=PLAYERS[1]))
    events += after.release()
    assert rule(events)[-1]["winner"] == "Bilal"
