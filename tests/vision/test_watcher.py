from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.errors import PictureError
from referee.vision.glance import Face
from referee.vision.laid import Moment
from referee.vision.places import Box, TotemPlace
from referee.vision.reader import Reader
from referee.vision.sightings import (
    TOTEM,
    CameraPast,
    CardSeen,
    HandSeen,
    PileShifted,
    PileTaken,
    Sighting,
    TableMoved,
    TotemSeen,
    ZoneCovered,
)
from referee.vision.watcher import Watcher
from tests.vision.tabletop import SEATS, SKIN, ZONES, Card, Limb, Tabletop, reach

AWAY = (420.0, 320.0)
PILE = (145.0, 105.0)


@pytest.fixture
def top(rush: Reader) -> Tabletop:
    return Tabletop(rush.prints.deck)


def make_watcher(rush: Reader, totem: bool = True) -> Watcher:
    # Seen from straight above, so the totem's top lies over its foot.
    return Watcher(rush, ZONES, SEATS, TotemPlace(height_mm=1.0) if totem else None)


def still(watcher: Watcher, top: Tabletop, cards: Iterable[Card] = (), frames: int = 12) -> list[Sighting]:
    return [said for _ in range(frames) for said in watcher.feed(top.film(tuple(cards)))]


def turn_a_card(
    watcher: Watcher, top: Tabletop, card: Card, below: tuple[Card, ...] = (), who: str = "Ana", skin: str = "light"
) -> tuple[list[Sighting], int]:
    """A hand comes, turns a card within 7 frames, lies on it and goes; what was said, and when it stood on its edge."""
    said: list[Sighting] = []
    x, y = card.centre
    way = np.array(reach(top, who, (0.0, 0.0)).start) - np.array([x, y])
    way = way / np.linalg.norm(way)

    def tip(back_mm: float) -> tuple[float, float]:
        point = np.array([x, y]) + way * back_mm
        return float(point[0]), float(point[1])

    for i in range(5):
        said += watcher.feed(top.film(below, [reach(top, who, tip(260 - 40 * i), skin)]))
    edge_us = top.number * 33_333
    for i in range(8):
        over = np.sin(np.pi / 2 * i / 7)
        turning = (dataclasses.replace(card, over=max(0.02, float(over))),) if i else ()
        said += watcher.feed(top.film((*below, *turning), [reach(top, who, tip(60 - 6 * i), skin)]))
    for i in range(8):
        said += watcher.feed(top.film((*below, card), [reach(top, who, tip(10 + 40 * i), skin)]))
    return said + still(watcher, top, (*below, card)), edge_us


def cards_of(said: Iterable[Sighting]) -> list[CardSeen]:
    """What was last said of each card."""
    last = {s.number: s for s in said if isinstance(s, CardSeen)}
    return list(last.values())


def test_a_table_at_rest_says_nothing_but_how_far_it_has_come(rush: Reader, top: Tabletop) -> None:
    said = still(make_watcher(rush), top, frames=20)
    assert {type(s) for s in said} == {CameraPast}
    last_us = 19 * 33_333
    assert said[-1] == CameraPast(last_us, (), last_us, {"face_up/Ana": last_us, "face_up/Bilal": last_us})


@pytest.mark.parametrize("skin", sorted(SKIN))
def test_a_card_that_is_turned_is_said_once_with_its_id_its_time_and_whose_hand_it_was(
    rush: Reader, top: Tabletop, skin: str
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said, edge_us = turn_a_card(watcher, top, Card("wave-thin/green", PILE), skin=skin)
    (card,) = cards_of(said)
    assert (card.zone, card.card) == ("face_up/Ana", "wave-thin/green")
    assert abs(card.edge_us - edge_us) <= 66_000
    assert card.between_us[0] <= edge_us + 33_333
    assert card.between_us[0] <= card.edge_us <= card.between_us[1] <= (card.sure_us or 0)
    assert card.by == "Ana"


def test_a_card_on_a_pile_is_a_new_card_and_the_one_below_comes_back_when_it_is_taken(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    first, second = Card("wave-thin/green", PILE), Card("loops-5/red", (150.0, 100.0), 65.0)
    said, _ = turn_a_card(watcher, top, first)
    more, _ = turn_a_card(watcher, top, second, (first,))
    assert [c.card for c in cards_of([*said, *more])] == ["wave-thin/green", "loops-5/red"]
    for i in range(6):
        watcher.feed(top.film((first, second), [reach(top, "Ana", (300.0 - 30 * i, 220.0 - 25 * i))]))
    back = still(watcher, top, (first,), 20)
    assert [s.card for s in back if isinstance(s, PileShifted)] == ["wave-thin/green"]
    assert cards_of(back) == []


def test_a_card_laid_exactly_as_the_last_one_lay_is_another_card(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    first = Card("wave-thin/green", PILE)
    turn_a_card(watcher, top, first)
    said, _ = turn_a_card(watcher, top, Card("seeds/red", PILE), (first,))
    assert [c.card for c in cards_of(said)] == ["seeds/red"]


def test_a_pushed_card_is_no_new_card(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    turn_a_card(watcher, top, card)
    said: list[Sighting] = []
    for i in range(6):
        said += watcher.feed(top.film((card,), [reach(top, "Ana", (300.0 - 20 * i, 220.0 - 15 * i))]))
    said += still(watcher, top, (Card("wave-thin/green", (135.0, 112.0), 45.0),), 15)
    assert cards_of(said) == []
    assert not [s for s in said if isinstance(s, PileTaken)]


def test_a_card_half_of_which_was_taken_in_under_something_is_read_whole_and_dated_to_when_that_came(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card, came_us = Card("wave-thin/green", PILE, 0.0), top.number * 33_333
    said: list[Sighting] = []
    for _ in range(75):  # something that is no arm lies over most of the card until nobody looks there any more
        frame = top.film((card,))
        x, y = (round(v * 0.9 + size / 2) for v, size in zip(PILE, (960, 540), strict=True))
        frame.picture[y - 8 : y + 32, x - 30 : x + 30] = (60, 70, 90)
        said += watcher.feed(frame)
    assert cards_of(said) == []
    (seen,) = cards_of(still(watcher, top, (card,)))
    assert seen.card == "wave-thin/green"
    assert seen.between_us[0] <= came_us
    assert abs(seen.edge_us - came_us) <= 66_000


def test_a_card_that_came_under_something_large_that_is_nobodys_is_not_the_neighbours(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    beside = reach(top, "Bilal", (PILE[0] - 80.0, PILE[1] - 10.0))
    said: list[Sighting] = []
    for step in range(10):  # an arm of which only the part over the mat can be told from the table
        frame = top.film((card,) if step > 3 else (), [beside])
        x, y = (round(v * 0.9 + size / 2) for v, size in zip(PILE, (960, 540), strict=True))
        frame.picture[y - 30 : y + 100, x - 20 : x + 110] = (60, 70, 90)
        said += watcher.feed(frame)
    (seen,) = cards_of(said + still(watcher, top, (card,)))
    assert (seen.card, seen.by) == ("wave-thin/green", None)


def test_a_hand_that_is_not_all_told_from_the_table_is_not_learned_where_a_card_is_read_beside_it(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    card = Card("wave-thin/green", PILE)
    still(watcher, top)
    turn_a_card(watcher, top, card)
    scene = watcher._scene
    assert scene is not None
    pile = scene.piles["face_up/Ana"]
    assert pile.settled is not None
    before = pile.settled.copy()
    looks = []
    for _ in range(12):
        frame = top.film((card,), [reach(top, "Ana", (185.0, 140.0))])
        told = np.zeros_like(pile.body)
        told[np.argwhere(pile.core)[0][0], np.argwhere(pile.core)[0][1]] = True  # a finger of it

        def read(box: Box, most: int, picture: NDArray[np.uint8] = frame.picture) -> list[Face]:
            looks.append(most)
            return scene._read(picture, box, most)

        thumb = pile.thumb(frame)
        assert pile.feed(Moment(frame.t_us, str(frame.number), thumb, told, 0.3, {}, 1.0), read) == []
    assert looks
    assert np.array_equal(pile.settled, before)


def test_a_card_that_is_read_for_sure_while_its_hand_lays_it_down_and_moved_on_is_one_card(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    below = Card("wave-thin/green", (143.0, 106.0), 70.0)
    still(watcher, top, (below,))
    # There are several of it in the deck: another one might lie there.
    held, laid = Card("arrow/out", (162.0, 98.0), 30.0), Card("arrow/out", (146.0, 107.0), 12.0)
    said: list[Sighting] = []
    for i in range(4):
        said += watcher.feed(top.film((below,), [reach(top, "Ana", (290.0 - 30 * i, 205.0 - 22 * i))]))
    for _ in range(5):  # held still above the pile for a sixth of a second
        said += watcher.feed(top.film((below, held), [reach(top, "Ana", (200.0, 126.0))]))
    assert [card.card for card in cards_of(said)] == ["arrow/out"]
    for i in range(8):
        said += watcher.feed(top.film((below, laid), [reach(top, "Ana", (190.0 + 30 * i, 130.0 + 22 * i))]))
    said += still(watcher, top, (below, laid), 40)
    assert [card.card for card in cards_of(said)] == ["arrow/out"]


def test_another_card_like_the_top_is_another_card_once_somebody_can_have_turned_it(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    first, second = Card("arrow/out", PILE), Card("arrow/out", (146.0, 107.0), 80.0)
    said, _ = turn_a_card(watcher, top, first)
    more, _ = turn_a_card(watcher, top, second, (first,))
    assert [card.card for card in cards_of([*said, *more])] == ["arrow/out", "arrow/out"]


@pytest.mark.parametrize(("shift_mm", "turned_deg", "said"), [(1.6, 2.5, ["?"]), (0.0, 0.0, [])])
def test_a_card_of_which_there_are_several_laid_almost_as_the_top_lies_may_be_another_one(
    rush: Reader, top: Tabletop, shift_mm: float, turned_deg: float, said: list[str]
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    first = Card("arrow/out", PILE)
    turn_a_card(watcher, top, first)
    still(watcher, top, (first,), 20)
    came_us = top.number * 33_333
    again = Card("arrow/out", (PILE[0] + shift_mm, PILE[1]), first.angle_deg + turned_deg)
    more, _ = turn_a_card(watcher, top, again, (first,))
    seen = cards_of(more)
    assert [card.card for card in seen] == said
    assert all(card.between_us[0] <= card.edge_us <= card.between_us[1] for card in seen)
    assert all(abs(card.edge_us - came_us) < 400_000 for card in seen)


def test_a_card_that_the_hand_which_laid_it_straightens_is_no_second_one(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    held, laid = Card("arrow/out", (147.0, 105.0), 23.0), Card("arrow/out", PILE)
    said: list[Sighting] = []
    for i in range(4):
        said += watcher.feed(top.film((), [reach(top, "Ana", (290.0 - 30 * i, 205.0 - 22 * i))]))
    for _ in range(13):
        said += watcher.feed(top.film((held,), [reach(top, "Ana", (200.0, 126.0))]))
    assert [card.card for card in cards_of(said)] == ["arrow/out"]
    for i in range(6):
        said += watcher.feed(top.film((laid,), [reach(top, "Ana", (195.0 + 40 * i, 130.0 + 30 * i))]))
    said += still(watcher, top, (laid,), 20)
    assert [card.card for card in cards_of(said)] == ["arrow/out"]


def in_glare(watcher: Watcher, top: Tabletop, card: Card, limbs: Iterable[Limb] = ()) -> list[Sighting]:
    """One frame in which a card's print is burnt out."""
    frame = top.film((card,), tuple(limbs))
    x, y = (round(v * 0.9 + size / 2) for v, size in zip(card.centre, (960, 540), strict=True))
    cv2.circle(frame.picture, (x, y), 22, (243, 244, 246), -1)
    return watcher.feed(frame)


def burnt_out(watcher: Watcher, top: Tabletop, card: Card, frames: int) -> list[Sighting]:
    """A card is turned whose print nobody can see, and lies free for some frames; what was said."""
    said: list[Sighting] = []
    for i in range(5):
        said += watcher.feed(top.film((), [reach(top, "Ana", (290.0 - 25 * i, 205.0 - 18 * i))]))
    for i in range(5):
        said += in_glare(watcher, top, card, [reach(top, "Ana", (190.0 + 50 * i, 130.0 + 37 * i))])
    for _ in range(frames):
        said += in_glare(watcher, top, card)
    return said


def test_a_card_that_nobody_can_read_is_said_when_a_hand_comes_over_it_before_the_last_look(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    said = burnt_out(watcher, top, card, 15)
    assert cards_of(said) == []
    for i in range(6):
        said += in_glare(watcher, top, card, [reach(top, "Ana", (300.0 - 25 * i, 212.0 - 18 * i))])
    (seen,) = cards_of(said)
    assert (seen.zone, seen.card, seen.by) == ("face_up/Ana", "?", "Ana")
    assert seen.between_us[1] - seen.between_us[0] < 700_000


def test_a_card_turned_onto_one_that_nobody_could_read_is_another_card_with_its_own_time(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said = burnt_out(watcher, top, Card("wave-thin/green", PILE), 50)
    (first,) = cards_of(said)
    assert first.card == "?"
    came_us = top.number * 33_333
    second = Card("seeds/red", (147.0, 106.0), 40.0)
    for i in range(8):
        said += watcher.feed(top.film((second,), [reach(top, "Ana", (190.0 + 30 * i, 130.0 + 22 * i))]))
    both = cards_of(said + still(watcher, top, (second,), 40))
    assert [card.card for card in both] == ["?", "seeds/red"]
    assert both[0].between_us[1] < came_us - 1_000_000 < both[1].between_us[0]


def test_a_card_that_could_not_be_read_at_first_and_can_be_once_the_light_is_off_it_is_that_card(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    said = burnt_out(watcher, top, card, 50)
    (seen,) = cards_of(said + still(watcher, top, (card,), 60))
    assert seen.card == "wave-thin/green"
    assert seen.between_us[1] - seen.between_us[0] < 700_000


def test_a_pile_that_is_swept_away_is_said_with_whose_hand_it_was(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    turn_a_card(watcher, top, card)
    said: list[Sighting] = []
    for i in range(8):
        said += watcher.feed(top.film((card,), [reach(top, "Bilal", (-150.0 + 42 * i, 200.0 - 14 * i))]))
    gone_us = top.number * 33_333
    for i in range(8):
        said += watcher.feed(top.film((), [reach(top, "Bilal", (150.0 - 60 * i, 100.0 + 20 * i))]))
    said += still(watcher, top)
    (taken,) = [s for s in said if isinstance(s, PileTaken)]
    assert (taken.zone, taken.by) == ("face_up/Ana", "Bilal")
    assert taken.between_us[0] <= gone_us
    assert cards_of(said) == []


def test_what_lies_there_at_the_first_look_is_no_card_that_was_turned(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    card = Card("wave-thin/green", PILE)
    assert cards_of(still(watcher, top, (card,), 20)) == []
    said: list[Sighting] = []
    for i in range(8):
        said += watcher.feed(top.film((card,), [reach(top, "Ana", (340.0 - 20 * i, 250.0 - 15 * i))]))
    said += still(watcher, top, (card,))
    assert cards_of(said) == []


def test_an_arm_that_passes_over_a_zone_covers_it_and_no_more(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said: list[Sighting] = []
    for i in range(12):
        said += watcher.feed(top.film((), [reach(top, "Ana", (300.0 - 25 * i, 230.0 - 18 * i))]))
    said += still(watcher, top)
    assert [s.clear for s in said if isinstance(s, ZoneCovered) and s.zone == "face_up/Ana"] == [False, True]
    assert not [s for s in said if isinstance(s, CardSeen | PileTaken | TableMoved)]


def test_while_a_zone_is_hidden_nothing_is_claimed_of_it_and_the_claim_never_goes_back(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said: list[Sighting] = []
    hidden_us = top.number * 33_333
    for _ in range(15):
        said += watcher.feed(top.film((), [reach(top, "Ana", (110.0, 70.0))]))
    held = [s for s in said if isinstance(s, CameraPast)][-1]
    assert held.t_us <= hidden_us
    assert held.frame_us == 33_333 * (top.number - 1)
    said += still(watcher, top, frames=20)
    past = [s.t_us for s in said if isinstance(s, CameraPast)]
    assert past == sorted(past)
    assert past[-1] == 33_333 * (top.number - 1)


@pytest.mark.parametrize("who", sorted(SEATS))
def test_a_hand_at_the_totem_is_the_hand_of_the_seat_it_comes_from(rush: Reader, top: Tabletop, who: str) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said: list[Sighting] = []
    start = np.array(reach(top, who, (0.0, 0.0)).start)
    for i in range(2, 10):
        x, y = start * (1 - i / 9) - start / np.linalg.norm(start) * 20 * i / 9
        said += watcher.feed(top.film((), [reach(top, who, (float(x), float(y)))]))
    at_totem = [s for s in said if isinstance(s, HandSeen) and s.place == TOTEM]
    assert at_totem
    assert all(max(s.chances, key=lambda seat: s.chances[seat]) == who for s in at_totem)
    assert all(sum(s.chances.values()) <= 1.0 for s in at_totem)


def test_two_hands_that_meet_at_the_totem_are_both_seen(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said: list[Sighting] = []
    for i in range(2, 14):
        step = min(i, 9) / 9
        arms = [
            Limb((430.0, 330.0), (430 - 440 * step, 330 - 335 * step), "light"),
            Limb((-430.0, 330.0), (-430 + 440 * step, 330 - 335 * step), "dark"),
        ]
        said += watcher.feed(top.film((), arms))
    last = [s for s in said if isinstance(s, HandSeen) and s.place == TOTEM and s.t_us > 33_333 * (top.number - 4)]
    assert {max(s.chances, key=lambda seat: s.chances[seat]) for s in last} == {"Ana", "Bilal"}


def test_an_arm_whose_sleeve_has_left_the_edge_is_that_arm_yet_and_hides_the_totem(rush: Reader, top: Tabletop) -> None:
    far = {**ZONES, "far": (-230.0, -190.0, -130.0, -90.0)}
    watcher = Watcher(rush, far, SEATS, TotemPlace(height_mm=1.0))
    still(watcher, top)
    said: list[Sighting] = []
    for tip in (0.5, 0.25, 0.0, -0.2, -0.3, -0.4, -0.42):
        said += watcher.feed(top.film((), [Limb((430.0, 330.0), (430 * tip, 330 * tip))]))
    # The sleeve lies over the totem; from now on its end can be seen in the picture.
    for start in (0.85, 0.75, 0.65, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6):
        said += watcher.feed(top.film((), [Limb((430 * start, 330 * start), (-180.0, -138.0))]))
    last = [s for s in said if isinstance(s, HandSeen) and s.t_us > 33_333 * (top.number - 4)]
    assert {s.place for s in last} == {"far"}
    assert all(max(s.chances, key=lambda seat: s.chances[seat]) == "Ana" for s in last)
    assert not [s for s in said if isinstance(s, TotemSeen)]


def test_cards_that_are_turned_at_once_are_read_in_one_frame_where_frames_are_far_apart(
    rush: Reader, top: Tabletop
) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    said: list[Sighting] = []
    for _ in range(8):
        frame = top.film((Card("wave-thin/green", PILE), Card("wave-thin/red", (-145.0, 105.0))))
        said += watcher.feed(dataclasses.replace(frame, t_us=2 * frame.t_us))
    one, other = cards_of(said)
    assert one.sure_us == other.sure_us is not None


def test_a_step_of_the_exposure_is_no_event(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    card = Card("wave-thin/green", PILE)
    still(watcher, top, (card,), 15)
    top.light = 1.2
    said = still(watcher, top, (card,), 15)
    top.light = 0.8
    said += still(watcher, top, (card,), 15)
    assert {type(s) for s in said} == {CameraPast}


def test_a_totem_that_is_carried_away_is_said_to_be_out_of_its_place(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    top.totem = False
    assert [s.in_place for s in still(watcher, top, frames=15) if isinstance(s, TotemSeen)] == [False]
    top.totem = True
    assert [s.in_place for s in still(watcher, top, frames=15) if isinstance(s, TotemSeen)] == [True]


def test_a_camera_that_was_bumped_is_said(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    top.shift_mm = (8.0, 0.0)
    top.number += 150
    said: list[Sighting] = []
    for _ in range(3):
        said += still(watcher, top, frames=4)
        top.number += 450
    moved = [s for s in said if isinstance(s, TableMoved)]
    assert len(moved) == 1
    assert moved[0].by_mm == pytest.approx(8.0, abs=1.5)


def test_frames_may_be_missing(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    still(watcher, top)
    top.number += 60
    said = still(watcher, top, (Card("wave-thin/green", PILE),))
    (card,) = cards_of(said)
    assert card.card == "wave-thin/green"
    # Nobody saw it come: all that is known is the gap.
    assert card.between_us[1] - card.between_us[0] >= 60 * 33_333


def test_frames_of_another_size_are_refused(rush: Reader, top: Tabletop) -> None:
    watcher = make_watcher(rush)
    frame = top.film()
    watcher.feed(frame)
    small = dataclasses.replace(frame, number=1, picture=frame.picture[:270, :480])
    with pytest.raises(PictureError, match="frame 1: 480x270, expected 960x540 as before"):
        watcher.feed(small)


def test_what_was_read_in_a_kept_frame_leaves_no_trace_of_the_hand_that_came_over_it(
    rush: Reader, top: Tabletop
) -> None:
    name = "face_up/Ana"
    watcher = Watcher(rush, ZONES, SEATS, None, frozenset({name}), busy=frozenset({name}))
    top.totem = False
    still(watcher, top)
    card = Card("wave-thin/green", PILE)
    still(watcher, top, (card,), 1)  # free for one frame only
    assert watcher._ground is not None
    before = watcher._ground.calm.copy()
    said: list[Sighting] = []
    for back in (60.0, 30.0, 0.0):
        said += watcher.feed(top.film((card,), [reach(top, "Ana", (PILE[0] + back, PILE[1] + back))]))
    assert [c.card for c in cards_of(said)] == ["wave-thin/green"]
    assert np.abs(watcher._ground.calm - before).max() < 20
