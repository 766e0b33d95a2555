"""A plain wooden totem: grabs seen by the camera alone, with the margin that frames allow."""

from __future__ import annotations

import pytest

from referee.table.fusion import Fusion
from referee.table.settings import FusionSettings
from referee.vision.sightings import TOTEM, CameraPast, HandSeen, TotemSeen
from referee.words import Event
from tests.table.desk import FRAME_US, duel, kinds, layout, names, rule


def scramble(
    arms: dict[str, int],
    left_us: int | None = 2_900_000,
    chance: float = 0.99,
    settings: FusionSettings = FusionSettings(),  # noqa: B008 - it cannot be changed
    lost: tuple[int, int] = (0, 0),
) -> list[Event]:
    """Ana's and Bilal's duel; each arm comes to the totem at its time; the totem leaves its place, or not.

    The camera's frames between the moments `lost` never come.
    """
    fusion = Fusion(layout(), settings, plain_totem=True)
    duel(fusion)
    for t_us in range(0, 4_500_000, FRAME_US):
        if lost[0] < t_us < lost[1]:
            continue
        for player, from_us in arms.items():
            if from_us <= t_us <= from_us + 800_000:
                fusion.sighting(HandSeen(TOTEM, t_us, {player: chance}))
        if left_us is not None and left_us <= t_us < left_us + FRAME_US:
            fusion.sighting(TotemSeen(t_us, False))
        fusion.sighting(CameraPast(t_us))
    events: list[Event] = []
    while more := fusion.release():
        events += more
    return events


def test_a_lone_arm_takes_the_totem() -> None:
    events = scramble({"Bilal": 2_500_000})
    assert names(rule(events)) == ["duel", "won"]
    (hand,) = events[-1]["hands"]
    assert hand["fingers"] == [1, 5]
    assert 0 <= hand["t_us"] - 2_500_000 <= 200_000


def test_the_first_of_two_arms_well_apart_takes_it() -> None:
    assert rule(scramble({"Bilal": 2_500_000, "Ana": 3_350_000}))[-1]["winner"] == "Bilal"


def test_two_arms_too_close_to_tell_are_undecided_with_both_as_candidates() -> None:
    ruling = rule(scramble({"Bilal": 2_500_000, "Ana": 2_700_000}))[-1]
    assert (ruling["ruling"], sorted(ruling["candidates"])) == ("undecided", ["Ana", "Bilal"])


def test_a_player_without_the_right_just_before_one_with_it_is_undecided_too() -> None:
    ruling = rule(scramble({"Chloé": 2_500_000, "Ana": 2_540_000}))[-1]
    assert ruling["ruling"] == "undecided"


def test_an_arm_that_hovers_and_takes_nothing_is_nothing() -> None:
    assert kinds(scramble({"Chloé": 2_500_000}, left_us=None)) == ["flip", "flip"]


def test_an_arm_of_which_nobody_knows_whose_it_is_is_not_named() -> None:
    ruling = rule(scramble({"Bilal": 2_500_000}, chance=0.7))[-1]
    assert ruling["ruling"] == "undecided"


def test_a_totem_that_leaves_its_place_with_nobody_near_is_for_a_person_to_say() -> None:
    ruling = rule(scramble({}))[-1]
    assert (ruling["ruling"], ruling["why"]) == ("undecided", "who")


def test_an_arm_that_stays_for_long_holds_cards_up_for_a_second_at_most() -> None:
    fusion = Fusion(layout(), plain_totem=True)
    duel(fusion)
    released = 0
    for t_us in range(0, 3_200_000, FRAME_US):
        fusion.sighting(HandSeen(TOTEM, t_us, {"Chloé": 0.99}))
        fusion.sighting(CameraPast(t_us))
        released += len(fusion.release())
    assert released == 2


@pytest.mark.parametrize(("error_us", "ruling"), [(0, "won"), (150_000, "undecided")])
def test_a_camera_that_is_off_in_time_cannot_tell_arms_apart_that_others_can(error_us: int, ruling: str) -> None:
    arms = {"Bilal": 2_500_000, "Ana": 3_350_000}
    assert rule(scramble(arms, settings=FusionSettings(camera_error_us=error_us)))[-1]["ruling"] == ruling


def test_where_frames_were_lost_about_a_scramble_nobody_is_named_for_the_arm_that_was_seen() -> None:
    assert names(rule(scramble({"Bilal": 2_500_000}, lost=(1_200_000, 1_600_000)))) == ["duel", "won"]
    ruling = rule(scramble({"Bilal": 2_700_000}, lost=(2_300_000, 2_600_000)))[-1]
    assert (ruling["ruling"], ruling["why"], len(ruling["candidates"])) == ("undecided", "who", 3)
