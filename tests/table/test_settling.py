"""A person's word, and what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from referee.table.calls import Settle
from referee.table.fusion import Fusion
from referee.table.hands_said import speaks_against
from referee.table.settings import FusionSettings
from referee.table.settling import settled
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import PileTaken, TotemSeen
from referee.words import Event, was_felt
from tests.table.desk import FRAME_US, arm, card, duel, grab, hand, kinds, layout, names, past, rule

SETTINGS = FusionSettings()


def settle(event: Event, **said: Any) -> Event | None:
    """What the event becomes."""
    return settled(event, Settle(9_000_000, 0, **said), SETTINGS)


def test_what_never_happened_is_taken_back() -> None:
    assert settle({"t_us": 0, "event": "flip", "player": "Ana", "card": "?"}) is None
    assert settle({"t_us": 0, "event": "grab", "hands": []}) is None
    assert settle({"t_us": 0, "event": "pick_up", "player": "Ana"}, player="Bilal") is None


@pytest.mark.parametrize("player", ["Ana", None])
def test_a_fall_is_by_whom_the_person_says_or_by_nobody(player: str | None) -> None:
    right = settle({"t_us": 5, "event": "fall", "player": "Bilal"}, player=player)
    assert right is not None
    assert right["player"] == player


def test_the_one_who_was_first_keeps_what_was_felt_and_the_others_come_later() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    fusion.touch(grab(hand(None, 2_500_000, (4, 4)), hand(None, 2_520_000, (2, 2))))
    for t_us in range(2_370_000, 2_900_000, FRAME_US):
        arm(fusion, "Bilal", t_us, t_us + 1)
        arm(fusion, "Ana", t_us, t_us + 1)
    past(fusion, 3_500_000)
    events = fusion.release()
    fusion.call(Settle(4_000_000, 2, player="Bilal"))
    events += fusion.release()
    first, second = events[-1]["with"]["hands"]
    assert (first["player"], first["t_us"]) == ("Bilal", 2_500_000)
    assert second["t_us"] > 2_540_000
    assert rule(events)[-1]["winner"] == "Bilal"


def test_what_was_felt_stays_with_a_player_only_where_it_is_known_whose_hand_it_was() -> None:
    def written(player: str, fingers: list[int], **more: Any) -> dict[str, Any]:
        felt = {"t_us": 5, "fingers": fingers, "lowest_mm": [65.0, 75.0]}
        return {"player": player, "t_us": 5, "fingers": [1, 5], "lowest_mm": [0.0, 75.0], "felt": felt, **more}

    hands = [written("Ana", [4, 5]), written("Bilal", [1, 4], confidence=0.99)]
    right = settle({"t_us": 5, "event": "grab", "hands": hands}, player="Bilal")
    assert right is not None
    said = {one["player"]: (one["fingers"], one["lowest_mm"]) for one in right["hands"]}
    assert said == {"Bilal": ([1, 4], [65.0, 75.0]), "Ana": ([1, 5], [0.0, 75.0])}


def test_of_several_hands_without_a_name_none_is_the_first_players() -> None:
    hands = [{"player": None, "t_us": 5 + k, "fingers": 2 + k, "lowest_mm": 9 * k} for k in range(2)]
    right = settle({"t_us": 5, "event": "grab", "hands": hands}, player="Bilal")
    assert right is not None
    assert not was_felt(right["hands"][0])


def test_a_hand_of_which_nothing_was_felt_may_be_said_to_be_first() -> None:
    event: Event = {"t_us": 5, "event": "grab", "hands": [{"player": "Ana", "t_us": 5, "fingers": 3, "lowest_mm": 9}]}
    right = settle(event, player="Bilal")
    assert right is not None
    assert [one["player"] for one in right["hands"]] == ["Bilal", "Ana"]


@pytest.mark.parametrize(("names", "who"), [(("Ana",), "Ana"), (("Ana", "Bilal"), None)])
def test_who_felled_the_totem_in_a_scramble_is_said_where_only_one_hand_was_on_it(
    names: tuple[str, ...], who: str | None
) -> None:
    fusion = Fusion(layout())
    duel(fusion)
    hands = tuple(hand(name, 2_500_000 + 60_000 * place) for place, name in enumerate(names))
    fusion.touch(Grab(2_500_000, hands, Fall(2_900_000, None), None, 2_800_000, True))
    past(fusion, 4_000_000)
    assert fusion.release()[-1]["fell"] == {"t_us": 2_900_000, "player": who}


def test_two_trips_of_one_player_are_one_pick_up() -> None:
    fusion = Fusion(layout())
    for place, player in enumerate(("Ana", "Bilal")):
        t_us = 4_000_000 + 800_000 * place
        fusion.sighting(PileTaken(f"face_up/{player}", (t_us, t_us + FRAME_US), "Chloé", 0.98))
        arm(fusion, "Chloé", t_us + 300_000, t_us + 500_000, "reserve/Chloé")
    past(fusion, 6_000_000)
    assert kinds(fusion.finish()) == ["pick_up"]


def test_a_pile_of_which_nobody_saw_the_taker_is_no_pick_up() -> None:
    fusion = Fusion(layout())
    fusion.sighting(PileTaken("face_up/Ana", (4_000_000, 4_033_000)))
    fusion.sighting(PileTaken("pot", (4_000_000, 4_033_000), "Chloé", 0.99))
    arm(fusion, "Chloé", 4_300_000, 4_500_000, "reserve/Chloé")
    past(fusion, 6_000_000)
    assert fusion.finish() == []


def open_duel(fusion: Fusion, rights: list[str]) -> list[Event]:
    """Ana and Bilal at the totem, and nobody can say who was first; `rights`: who might take it."""
    duel(fusion)
    past(fusion, 2_200_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "take", "may_flip": [], "may_take": rights, "asked": None})
    fusion.touch(grab(hand("Bilal", 2_500_000, (3, 4)), hand("Ana", 2_510_000, (3, 4))))
    past(fusion, 3_000_000)
    events += fusion.release()
    assert rule(events)[-1]["ruling"] == "undecided"
    return events


def sweep(fusion: Fusion, player: str, *piles: str) -> list[Event]:
    """A player takes piles to the own reserve."""
    for place, pile in enumerate(piles):
        t_us = 4_000_000 + 500_000 * place
        fusion.sighting(PileTaken(f"face_up/{pile}", (t_us, t_us + FRAME_US), player, 0.98))
    arm(fusion, player, 5_200_000, 5_400_000, f"reserve/{player}")
    past(fusion, 6_000_000)
    return fusion.release()


@pytest.mark.parametrize(("unfelt", "after_us"), [(True, 1_000_000), (False, 100_000)])
def test_who_picks_up_after_hands_that_were_only_seen_or_at_once_had_another_reason(
    unfelt: bool, after_us: int
) -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Bilal", "knot/green", 1_000_000))
    past(fusion, 1_500_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "flip", "may_flip": ["Ana"], "may_take": [], "asked": None})
    arm(fusion, "Ana", 2_300_000, 2_700_000)
    if unfelt:
        fusion.sighting(TotemSeen(2_500_000, False))
    else:
        fusion.touch(grab(hand(None, 2_500_000), hand(None, 2_510_000)))
    t_us = 2_500_000 + after_us
    fusion.sighting(PileTaken("face_up/Bilal", (t_us, t_us + FRAME_US), "Ana", 0.98))
    arm(fusion, "Ana", t_us + 400_000, t_us + 600_000, "reserve/Ana")
    for later_us in (3_150_000, 3_300_000, 4_600_000, 6_500_000):
        past(fusion, later_us)
        events += fusion.release()
    assert "grab" in kinds(events)
    assert not [event for event in events if event["event"] == "correct" and event["by"] == "camera"]
    assert rule(events)[-1]["ruling"] == "undecided"


def test_one_of_two_who_takes_the_others_pile_has_lost() -> None:
    fusion = Fusion(layout())
    events = open_duel(fusion, ["Ana", "Bilal"])
    events += sweep(fusion, "Ana", "Ana", "Bilal")
    assert kinds(events)[-2:] == ["correct", "pick_up"]
    assert events[-2]["with"]["settled_by"] == "players"
    (_, won) = rule(events)
    assert (won["ruling"], won["winner"]) == ("won", "Bilal")


@pytest.mark.parametrize(("ana", "bilal", "against"), [(0.91, 0.06, True), (0.6, 0.35, False), (0.2, 0.78, False)])
def test_who_picks_up_settles_nothing_against_what_was_seen_of_the_first_hand(
    ana: float, bilal: float, *, against: bool
) -> None:
    """Ana picks up, so Bilal was first: but the first hand looked like hers."""
    hands = [
        {"player": None, "t_us": 5, "fingers": 5, "lowest_mm": 3, "may_be": {"Ana": ana, "Bilal": bilal}},
        {"player": "Ana", "t_us": 5, "fingers": [1, 5], "lowest_mm": [0, 120], "perhaps": True},
        {"player": None, "t_us": 90, "fingers": 2, "lowest_mm": 90, "may_be": {"Bilal": 0.92}},
    ]
    assert speaks_against({"t_us": 5, "event": "grab", "hands": hands}, "Bilal", "Ana") is against


@pytest.mark.parametrize(("bilal_us", "against"), [(176_000, True), (60_000, False), (-176_000, False)])
def test_who_picks_up_settles_nothing_against_the_likelier_way_round_of_two_hands(
    bilal_us: int, *, against: bool
) -> None:
    felt = {"Ana": 1_000_000, "Bilal": 1_000_000 + bilal_us}
    hands = [
        {"player": name, "t_us": 1_000_000, "fingers": [3, 5], "lowest_mm": [0, 85], "felt": {"t_us": t_us}}
        for name, t_us in felt.items()
    ]
    assert speaks_against({"t_us": 1_000_000, "event": "grab", "hands": hands}, "Bilal", "Ana") is against


@pytest.mark.parametrize(
    ("rights", "player", "piles"),
    [
        (["Ana", "Bilal"], "Chloé", ("Ana", "Bilal")),  # somebody else
        (["Ana", "Bilal", "Chloé"], "Ana", ("Bilal",)),  # everybody had the right
        (["Ana", "Bilal"], "Ana", ("Chloé",)),  # a third one's pile
    ],
)
def test_a_pick_up_that_does_not_say_who_was_first_settles_nothing(
    rights: list[str], player: str, piles: tuple[str, ...]
) -> None:
    fusion = Fusion(layout())
    events = open_duel(fusion, rights)
    events += sweep(fusion, player, *piles)
    assert kinds(events)[-1] == "grab"


def test_one_of_two_who_takes_the_own_pile_to_the_reserve_has_lost() -> None:
    fusion = Fusion(layout())
    events = open_duel(fusion, ["Ana", "Bilal"])
    events += sweep(fusion, "Ana", "Ana")
    assert kinds(events)[-1] == "correct"
    assert rule(events)[-1]["winner"] == "Bilal"


def test_where_all_had_the_right_the_one_whose_pile_goes_to_the_pot_took_it() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "arrow/in", 1_000_000))
    past(fusion, 2_200_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "take", "may_flip": [], "may_take": ["Ana", "Bilal", "Chloé"], "asked": None})
    fusion.touch(grab(hand("Bilal", 2_500_000, (3, 4)), hand("Ana", 2_510_000, (3, 4))))
    past(fusion, 3_000_000)
    events += fusion.release()
    fusion.sighting(PileTaken("face_up/Ana", (4_000_000, 4_033_000), "Ana", 0.98))
    arm(fusion, "Ana", 4_300_000, 4_500_000, "pot")
    past(fusion, 6_000_000)
    events += fusion.release()
    assert (rule(events)[-1]["ruling"], rule(events)[-1]["player"]) == ("to-pot", "Ana")


def test_where_nobody_had_the_right_the_one_who_picks_up_was_at_fault() -> None:
    fusion = Fusion(layout())
    fusion.sighting(card(1, "Ana", "knot/green", 1_000_000))
    past(fusion, 2_200_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "flip", "may_flip": ["Bilal"], "may_take": [], "asked": None})
    fusion.touch(grab(hand(None, 2_500_000)))
    past(fusion, 3_900_000)
    events += fusion.release()
    assert rule(events)[-1]["why"] == "who"
    events += sweep(fusion, "Chloé", "Ana")
    assert rule(events)[-1]["player"] == "Chloé"


def test_pick_ups_are_not_followed_where_that_is_not_wanted() -> None:
    fusion = Fusion(layout(), FusionSettings(follow_pick_ups=False))
    events = open_duel(fusion, ["Ana", "Bilal"])
    events += sweep(fusion, "Ana", "Ana", "Bilal")
    assert kinds(events)[-1] == "grab"


def test_a_pile_that_is_told_late_is_followed_to_where_the_hand_had_gone_by_then() -> None:
    fusion = Fusion(layout())
    events = open_duel(fusion, ["Ana", "Bilal"])
    arm(fusion, "Ana", 4_400_000, 4_600_000, "reserve/Ana")
    fusion.sighting(PileTaken("face_up/Bilal", (4_000_000, 4_033_000), "Ana", 0.98))
    past(fusion, 6_000_000)
    events += fusion.release()
    assert rule(events)[-1]["winner"] == "Bilal"


def test_somebody_without_the_right_who_picks_up_too_came_to_the_totem_later() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_200_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "take", "may_flip": [], "may_take": ["Ana", "Bilal"], "asked": None})
    fusion.touch(grab(hand(None, 2_500_000), hand(None, 2_530_000), hand(None, 2_600_000)))
    past(fusion, 3_900_000)
    events += fusion.release()
    fusion.sighting(PileTaken("face_up/Bilal", (4_000_000, 4_033_000), "Chloé", 0.98))
    arm(fusion, "Chloé", 4_200_000, 4_400_000, "reserve/Chloé")
    fusion.sighting(PileTaken("face_up/Ana", (4_900_000, 4_933_000), "Ana", 0.98))
    arm(fusion, "Ana", 5_200_000, 5_400_000, "reserve/Ana")
    past(fusion, 6_000_000)
    events += fusion.release()
    assert names(rule(events))[-2:] == ["won", "fault"]
    assert rule(events)[-1]["player"] == "Chloé"


def test_a_pick_up_after_play_went_on_says_nothing_about_the_scramble_before() -> None:
    fusion = Fusion(layout())
    events = open_duel(fusion, ["Ana", "Bilal"])
    fusion.sighting(card(3, "Chloé", "moon/red", 3_500_000))
    past(fusion, 3_700_000)
    events += fusion.release()
    events += sweep(fusion, "Ana", "Ana", "Bilal")
    assert kinds(events)[-1] == "flip"


def test_a_person_may_say_who_gripped_too() -> None:
    hands = [
        {"player": None, "t_us": 5, "fingers": [1, 5], "lowest_mm": 9},
        {"player": "Ana", "t_us": 5, "fingers": [1, 5], "lowest_mm": 9, "perhaps": True},
        {"player": "Chloé", "t_us": 90_000, "fingers": 2, "lowest_mm": 9},
    ]
    event: Event = {"t_us": 5, "event": "grab", "hands": hands}
    said = {others: settle(event, player="Ana", others=others) for others in ((), ("Bilal",), ("Bilal", "Chloé"))}
    who = {others: [hand["player"] for hand in right["hands"]] for others, right in said.items() if right is not None}
    assert who == {
        (): ["Ana", "Chloé"],
        ("Bilal",): ["Ana", "Bilal"],
        ("Bilal", "Chloé"): ["Ana", "Chloé", "Bilal"],
    }


def test_the_players_do_not_settle_a_scramble_in_which_somebody_without_the_right_may_have_been() -> None:
    fusion = Fusion(layout())
    duel(fusion)
    past(fusion, 2_400_000)
    events = fusion.release()
    fusion.expected({"waiting_for": "take", "may_flip": [], "may_take": ["Ana", "Bilal"], "asked": None})
    fusion.touch(grab(hand(None, 2_500_000, chances={"Ana": 0.4, "Bilal": 0.3, "Chloé": 0.3})))
    past(fusion, 3_600_000)
    events += fusion.release()
    fusion.sighting(PileTaken("face_up/Bilal", (4_000_000, 4_033_333), "Bilal", 0.99))
    arm(fusion, "Bilal", 4_100_000, 4_300_000, "reserve/Bilal", 0.99)
    past(fusion, 5_000_000)
    assert fusion.release() == []
