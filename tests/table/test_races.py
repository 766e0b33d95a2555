"""Card against hand, and sources that fail in the middle of a duel: the right ruling, or an honest undecided."""

from __future__ import annotations

import pytest

from referee.table.fusion import Fusion
from referee.table.settings import FusionSettings
from referee.totem.moments import Moments, spread
from referee.vision.sightings import TOTEM, CameraPast, HandSeen, PileTaken, TotemSeen, ZoneCovered
from referee.words import Event
from tests.table.desk import FRAME_US, arm, card, duel, grab, hand, kinds, layout, names, past, rule

READ_US = 3_000_000


def drain(fusion: Fusion) -> list[Event]:
    """Everything that is ready."""
    events: list[Event] = []
    while more := fusion.release():
        events += more
    return events


# ---- touches while a card arrives


@pytest.mark.parametrize(("after_us", "ruling"), [(-12_000, "fault"), (12_000, "won")])
def test_a_touch_inside_an_arrival_interval_is_ruled_by_the_estimated_order(after_us: int, ruling: str) -> None:
    fusion = Fusion(layout())
    fusion.touch(grab(hand("Bilal", 2_000_000 + after_us)))
    duel(fusion)
    past(fusion, 2_500_000)
    last = [one for one in rule(drain(fusion)) if one["ruling"] == ruling]
    assert len(last) == 1
    earliest, latest = last[0]["margin"]["us"]
    assert earliest < 0 < latest


@pytest.mark.parametrize("after_us", [-7_000, 7_000])
def test_a_touch_in_the_moment_in_which_a_card_stands_on_its_edge_is_undecided(after_us: int) -> None:
    fusion = Fusion(layout())
    fusion.touch(grab(hand("Bilal", 2_000_000 + after_us)))
    duel(fusion)
    past(fusion, 2_500_000)
    (touch,) = [event for event in drain(fusion) if event["event"] == "grab"]
    assert touch["doubt"] == ["arrival"]


@pytest.mark.parametrize(("moments", "doubt"), [(spread(0.012, 0.004), None), (spread(0.3, 0.1), ["arrival"])])
def test_a_touch_that_may_really_have_come_before_a_card_that_lay_there_as_it_was_told_is_undecided(
    moments: Moments, doubt: list[str] | None
) -> None:
    fusion = Fusion(layout())
    fusion.touch(grab(hand("Bilal", 2_030_000, moments=moments)))
    duel(fusion)
    past(fusion, 2_500_000)
    (touch,) = [event for event in drain(fusion) if event["event"] == "grab"]
    assert touch.get("doubt") == doubt
    if doubt:
        from_us, to_us = touch["between"]
        assert from_us < 2_000_000 < touch["t_us"] < to_us


def test_a_touch_inside_an_arrival_that_no_frame_narrows_down_is_undecided() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000, between=(1_700_000, 2_600_000)))
    fusion.touch(grab(hand("Bilal", 2_300_000)))
    past(fusion, 3_000_000)
    events = drain(fusion)
    assert events[-1]["doubt"] == ["arrival"]
    assert rule(events)[-1]["candidates"] == ["Bilal"]


# ---- hands that hide a card


def hidden_card(fusion: Fusion) -> list[Event]:
    """Bilal lays a card and keeps the hand on it while Ana takes the totem; returns what is ready by then."""
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_850_000)
    fusion.sighting(ZoneCovered("face_up/Bilal", 1_900_000, False))
    arm(fusion, "Bilal", 1_900_000, 2_300_000, "face_up/Bilal")
    fusion.touch(grab(hand("Ana", 2_200_000)))
    past(fusion, 2_900_000)
    return drain(fusion)


def test_a_touch_waits_for_the_pile_under_its_owners_hand() -> None:
    fusion = Fusion(layout())
    assert kinds(hidden_card(fusion)) == ["flip"]
    fusion.sighting(ZoneCovered("face_up/Bilal", 3_000_000, True))
    fusion.sighting(card(2, "Bilal", "knot/red", 1_980_000, between=(1_960_000, 2_020_000)))
    past(fusion, 3_100_000)
    events = drain(fusion)
    assert kinds(events) == ["flip", "grab"]
    assert "doubt" not in events[1]


def test_a_pile_that_stays_hidden_for_three_seconds_leaves_the_touch_undecided() -> None:
    fusion = Fusion(layout())
    events = hidden_card(fusion)
    past(fusion, 2_200_000 + READ_US + 100_000)
    events += drain(fusion)
    assert events[-1]["doubt"] == ["hidden"]
    assert rule(events)[-1]["ruling"] == "undecided"


def test_a_place_that_shows_bare_long_after_the_touch_leaves_open_what_was_swept_under_the_arm() -> None:
    fusion = Fusion(layout())
    events = hidden_card(fusion)
    fusion.expected(TURN)
    fusion.sighting(ZoneCovered("face_up/Bilal", 4_200_000, True))
    past(fusion, 4_300_000)
    events += drain(fusion)
    assert [event.get("card") for event in events] == ["knot/green", "?", None]
    assert rule(events)[-1]["ruling"] == "undecided"


def test_a_card_of_the_next_player_says_that_one_lies_under_the_hand_of_whose_turn_it_was_js_12() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_850_000)
    events = drain(fusion)
    fusion.expected(TURN)
    fusion.sighting(ZoneCovered("face_up/Bilal", 1_900_000, False))
    arm(fusion, "Bilal", 1_900_000, 6_200_000, "face_up/Bilal")
    fusion.sighting(card(2, "Chloé", "wheel/red", 2_900_000))
    past(fusion, 6_200_000)
    events += drain(fusion)
    assert [(event["player"], event["card"]) for event in events] == [
        ("Ana", "knot/green"),
        ("Bilal", "?"),
        ("Chloé", "wheel/red"),
    ]
    # Nobody was out of turn, and what follows waits for the card that nobody has seen.
    assert not [ruling for ruling in rule(events) if ruling["ruling"] == "warning"]


def test_what_lay_hidden_is_put_right_when_it_is_seen_after_all() -> None:
    fusion = Fusion(layout())
    events = hidden_card(fusion)
    past(fusion, 2_200_000 + READ_US + 100_000)
    events += drain(fusion)
    fusion.sighting(ZoneCovered("face_up/Bilal", 6_000_000, True))
    fusion.sighting(card(2, "Bilal", "knot/red", 1_980_000, between=(1_960_000, 2_020_000)))
    past(fusion, 6_200_000)
    events += drain(fusion)
    assert kinds(events)[-2:] == ["correct", "correct"]
    assert rule(events)[-1]["winner"] == "Ana"


def test_an_arm_that_passes_over_a_pile_holds_nothing_up() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_300_000)
    fusion.sighting(ZoneCovered("face_up/Chloé", 2_350_000, False))
    fusion.touch(grab(hand("Ana", 2_500_000)))
    past(fusion, 2_700_000)
    assert rule(drain(fusion))[-1]["ruling"] == "won"


# ---- a card read late


def test_a_card_that_is_read_within_three_seconds_only_delays_the_ruling() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(card(2, "Bilal", "?", 2_000_000))
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    past(fusion, 4_000_000, open_numbers=[2])
    assert kinds(drain(fusion)) == ["flip"]
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))
    assert kinds(drain(fusion)) == ["flip", "grab"]


def test_a_card_read_later_still_is_corrected_and_the_rulings_follow() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(card(2, "Bilal", "?", 2_000_000, nats={"knot/red": 0.0, "knot2/red": -1.0}))
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    past(fusion, 2_000_000 + READ_US + 50_000, open_numbers=[2])
    events = drain(fusion)
    assert events[1]["card"] == "?"
    assert events[1]["may_be"] == ["knot/red", "knot2/red"]
    assert [one["ruling"] for one in rule(events)] == ["undecided", "undecided"]
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))
    events += drain(fusion)
    assert names(rule(events)) == ["duel", "won"]


def test_a_card_whose_pile_is_swept_unread_waits_no_longer() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "?", 1_000_000))
    past(fusion, 1_500_000, open_numbers=[1])
    assert drain(fusion) == []
    fusion.sighting(PileTaken("face_up/Ana", (1_600_000, 1_633_000)))
    past(fusion, 1_700_000, open_numbers=[1])
    assert drain(fusion)[0]["card"] == "?"


# ---- sources that fail


def test_a_camera_that_stalls_for_three_seconds_in_a_duel_delays_the_right_ruling() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    events = drain(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    fusion.source("camera", "stale", 2_900_000)
    for now_us in range(2_600_000, 5_400_000, 100_000):
        fusion.totem_past(now_us)
        fusion.now(now_us)
        assert drain(fusion) == []
    fusion.source("camera", "fresh", 5_400_000)
    fusion.sighting(CameraPast(5_400_000))
    events += drain(fusion)
    assert names(rule(events)) == ["duel", "won"]


def test_a_card_turned_while_the_camera_stalled_leaves_a_touch_of_that_time_undecided() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_500_000)
    events = drain(fusion)
    fusion.touch(grab(hand("Ana", 2_500_000)))
    fusion.totem_past(4_600_000)
    fusion.sighting(card(2, "Bilal", "knot/red", 3_000_000, between=(1_500_000, 4_500_000)))
    fusion.sighting(CameraPast(4_600_000))
    events += drain(fusion)
    assert rule(events)[-1]["ruling"] in ("duel", "undecided")
    assert [one["ruling"] for one in rule(events) if one["ruling"] in ("won", "fault")] == []


def test_a_camera_that_is_lost_leaves_touches_undecided_and_they_are_put_right_when_it_comes_back_soon() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    events = drain(fusion)
    fusion.source("camera", "lost", 2_600_000)
    fusion.touch(grab(hand("Bilal", 2_500_000)))
    fusion.totem_past(7_000_000)
    fusion.now(7_000_000)
    events += drain(fusion)
    assert events[-1]["doubt"] == ["camera"]
    assert rule(events)[-1]["ruling"] == "undecided"
    fusion.sighting(CameraPast(6_300_000))
    events += drain(fusion)
    assert rule(events)[-1]["winner"] == "Bilal"


def test_a_camera_that_was_away_for_long_says_nothing_about_what_lay_there_meanwhile() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    events = drain(fusion)
    fusion.touch(grab(hand("Bilal", 4_500_000)))
    fusion.totem_past(30_000_000)
    fusion.now(30_000_000)
    fusion.sighting(CameraPast(29_000_000))
    events += drain(fusion)
    assert rule(events)[-1]["ruling"] == "undecided"


def test_a_totem_that_is_unplugged_in_a_duel_leaves_that_scramble_undecided_and_the_game_goes_on() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    events = drain(fusion)
    for t_us in range(2_300_000, 2_900_000, FRAME_US):
        fusion.sighting(HandSeen(TOTEM, t_us, {"Bilal": 0.99}))
    fusion.totem_silent(2_510_000, 4_000_000, touched_us=2_500_000)
    past(fusion, 5_000_000)
    events += drain(fusion)
    ruling = rule(events)[-1]
    assert (ruling["ruling"], ruling["candidates"]) == ("undecided", ["Bilal"])
    fusion.sighting(card(3, "Chloé", "moon/red", 6_000_000))
    past(fusion, 6_500_000)
    assert kinds(drain(fusion)) == ["flip"]


def test_a_scramble_told_before_the_totem_went_silent_is_doubted_afterwards() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand("Bilal", 2_500_000), final=False))
    past(fusion, 2_700_000)
    events = drain(fusion)
    assert rule(events)[-1]["ruling"] == "won"
    fusion.totem_silent(2_710_000, 4_000_000, touched_us=2_500_000)
    past(fusion, 5_000_000)
    events += drain(fusion)
    assert rule(events)[-1]["ruling"] == "undecided"


def test_with_the_totem_lost_cards_go_on_at_once_and_the_camera_sees_who_takes_it() -> None:
    fusion = Fusion(layout())
    fusion.source("totem", "lost", 500_000)
    fusion.now(600_000)
    duel(fusion)
    fusion.sighting(CameraPast(2_300_000))
    events = drain(fusion)
    assert kinds(events) == ["flip", "flip"]
    arm(fusion, "Bilal", 2_400_000, 3_200_000)
    fusion.sighting(TotemSeen(2_700_000, False))
    for t_us in range(2_300_000, 3_500_001, FRAME_US):
        fusion.sighting(CameraPast(t_us))
    events += drain(fusion)
    assert rule(events)[-1]["winner"] == "Bilal"


# ---- clocks


def one_game(camera_late_us: int, order_us: int, wide: bool = False) -> list[Event]:
    """A duel whose second card passes its edge `order_us` before Bilal's hand, seen by a camera whose clock is off."""
    fusion = Fusion(layout(), FusionSettings())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000 + camera_late_us))
    edge_us = 2_000_000 + camera_late_us
    half_us = 60_000 if wide else FRAME_US // 2
    fusion.sighting(card(2, "Bilal", "knot/red", edge_us, between=(edge_us - half_us, edge_us + half_us)))
    fusion.touch(grab(hand("Bilal", 2_000_000 + order_us)))
    past(fusion, 3_500_000)
    return drain(fusion)


@pytest.mark.parametrize("camera_late_us", [-50_000, 0, 50_000])
def test_clocks_fifty_milliseconds_apart_change_nothing_at_the_pace_of_people(camera_late_us: int) -> None:
    rulings = rule(one_game(camera_late_us, order_us=250_000))
    assert rulings[-1]["winner"] == "Bilal"


def test_a_clock_that_is_off_by_more_than_the_race_leaves_a_touch_near_the_cards_edge_open() -> None:
    events = one_game(50_000, order_us=20_000, wide=True)
    assert events[1]["doubt"] == ["arrival"]
    assert [one["ruling"] for one in rule(events) if one["ruling"] in ("won", "fault")] == []


def passing_hand(fusion: Fusion, until_us: int) -> None:
    """Ana reaches for the totem over her own pile; her arm stays over it."""
    duel(fusion)
    past(fusion, 2_250_000)
    fusion.sighting(ZoneCovered("face_up/Ana", 2_300_000, False))
    arm(fusion, "Ana", 2_280_000, until_us, "face_up/Ana")
    fusion.touch(grab(hand("Ana", 2_500_000)))
    past(fusion, 2_800_000)


def test_a_hand_on_its_way_to_the_totem_over_its_own_pile_has_turned_no_card() -> None:
    fusion = Fusion(layout())
    passing_hand(fusion, 2_340_000)
    assert rule(drain(fusion))[-1]["ruling"] == "won"


def test_a_hand_that_stayed_at_its_own_pile_may_have() -> None:
    fusion = Fusion(layout())
    passing_hand(fusion, 2_490_000)
    assert kinds(drain(fusion)) == ["flip", "flip"]


def test_the_hand_that_laid_a_card_which_was_seen_hides_no_other() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_900_000)
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))
    fusion.sighting(ZoneCovered("face_up/Bilal", 2_060_000, False))
    arm(fusion, "Bilal", 1_980_000, 2_700_000, "face_up/Bilal")
    fusion.touch(grab(hand("Ana", 2_400_000)))
    past(fusion, 2_700_000)
    assert rule(drain(fusion))[-1]["ruling"] == "won"


def test_a_hand_that_hides_its_card_again_half_a_second_later_has_turned_no_second_one() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_900_000)
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))
    arm(fusion, "Bilal", 1_980_000, 2_700_000, "face_up/Bilal")
    fusion.sighting(ZoneCovered("face_up/Bilal", 2_500_000, False))
    fusion.touch(grab(hand("Ana", 2_650_000)))
    past(fusion, 2_900_000)
    assert rule(drain(fusion))[-1]["ruling"] == "won"


# ---- cards that no frame has shown


TURN = {"waiting_for": "flip", "may_flip": ["Bilal"], "may_take": [], "asked": None}


def under_the_hand(fusion: Fusion) -> list[Event]:
    """It is Bilal's turn: a hand stays on Bilal's pile, Bilal takes the totem, Ana's hand comes to the pile."""
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_850_000)
    events = drain(fusion)
    fusion.expected(TURN)  # type: ignore[arg-type]
    fusion.sighting(ZoneCovered("face_up/Bilal", 1_900_000, False))
    arm(fusion, "Bilal", 1_900_000, 2_200_000, "face_up/Bilal")
    fusion.touch(grab(hand("Bilal", 2_400_000)))
    arm(fusion, "Ana", 2_600_000, 2_700_000, "face_up/Bilal")
    fusion.sighting(ZoneCovered("face_up/Bilal", 3_000_000, True))
    past(fusion, 3_500_000)
    return events + drain(fusion)


def test_a_pile_that_was_swept_before_anybody_saw_it_may_have_had_a_card() -> None:
    events = under_the_hand(Fusion(layout()))
    assert kinds(events) == ["flip", "flip", "grab"]
    unseen = events[1]
    assert (unseen["player"], unseen["card"]) == ("Bilal", "?")
    assert unseen["between"][0] < 1_900_000 < unseen["between"][1] == 2_400_000
    assert "doubt" not in events[2]
    assert [one["ruling"] for one in rule(events)] == ["undecided", "undecided"]


def test_the_card_under_the_hand_is_no_second_one_when_it_is_seen_after_all() -> None:
    fusion = Fusion(layout())
    events = under_the_hand(fusion)
    fusion.sighting(card(2, "Bilal", "knot/red", 1_950_000, between=(1_880_000, 3_100_000)))
    past(fusion, 4_000_000)
    events += drain(fusion)
    assert kinds(events) == ["flip", "flip", "grab", "correct"]
    assert events[3]["with"]["card"] == "knot/red"
    assert rule(events)[-1]["winner"] == "Bilal"


def test_a_pile_that_nobody_came_to_is_seen_to_have_had_no_card() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 1_850_000)
    events = drain(fusion)
    fusion.expected(TURN)  # type: ignore[arg-type]
    fusion.sighting(ZoneCovered("face_up/Bilal", 1_900_000, False))
    arm(fusion, "Bilal", 1_900_000, 2_200_000, "face_up/Bilal")
    fusion.touch(grab(hand("Bilal", 2_400_000)))
    fusion.sighting(ZoneCovered("face_up/Bilal", 3_000_000, True))
    past(fusion, 3_500_000)
    events += drain(fusion)
    assert kinds(events) == ["flip", "grab"]
    assert rule(events)[-1]["ruling"] == "fault"


# ---- what only one source noticed


@pytest.mark.parametrize("felt", [False, True])
def test_a_totem_seen_in_hands_of_which_nothing_was_felt_is_asked_about(felt: bool) -> None:
    fusion = Fusion(layout())
    duel(fusion)
    arm(fusion, "Ana", 2_800_000, 3_400_000)
    if felt:
        fusion.touch(grab(hand("Ana", 2_950_000)))
    fusion.sighting(TotemSeen(3_200_000, False))
    for t_us in range(2_100_000, 4_600_001, FRAME_US):
        past(fusion, t_us)
    events = drain(fusion)
    assert kinds(events) == ["flip", "flip", "grab"]
    ruling = rule(events)[-1]
    assert ruling["ruling"] == ("won" if felt else "undecided")
    assert felt or ruling["candidates"] == ["Ana"]
