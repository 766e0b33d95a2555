"""The reorder buffer: what leaves when, and in which order."""

from __future__ import annotations

from referee.table.fusion import Fusion
from referee.vision.sightings import CameraPast
from tests.table.desk import arm, card, grab, hand, layout, names, past, rule


def duel(fusion: Fusion) -> None:
    """Ana and Bilal show the same shape; the second card passes its edge at 2 s."""
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(card(2, "Bilal", "knot/red", 2_000_000))


def test_a_duel_and_its_grab_leave_in_the_order_in_which_they_happened() -> None:
    fusion = Fusion(layout())
    fusion.touch(grab(hand("Bilal", 2_500_000), hand("Ana", 2_600_000)))
    duel(fusion)
    past(fusion, 3_000_000)
    events = fusion.release()
    assert [event["event"] for event in events] == ["flip", "flip", "grab"]
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
    assert [event["event"] for event in fusion.release()] == ["grab"]


def test_a_card_waits_until_the_totem_has_spoken_about_the_time_before_it() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    fusion.sighting(CameraPast(2_000_000))
    fusion.totem_past(900_000)
    assert fusion.release() == []
    fusion.touch(grab(hand("Chloé", 800_000)))
    fusion.totem_past(2_000_000)
    assert [event["event"] for event in fusion.release()] == ["grab", "flip"]


def test_a_hand_that_the_totem_cannot_name_is_named_by_its_arm() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand(None, 2_500_000)))
    arm(fusion, "Bilal", 2_370_000, 2_800_000)
    past(fusion, 3_000_000)
    assert rule(fusion.release())[-1]["winner"] == "Bilal"


def test_a_hand_that_nobody_can_name_is_not_guessed() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand(None, 2_500_000)))
    past(fusion, 3_500_000)
    events = fusion.release()
    assert events[-1]["hands"][0]["player"] is None
    assert rule(events)[-1]["ruling"] == "undecided"
