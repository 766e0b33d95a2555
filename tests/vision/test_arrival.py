from __future__ import annotations

import numpy as np
import pytest

from referee.vision.arrival import Snap, arrival, began, like_paper, paper_of

FRAME_US = 33_333
QUAD = np.zeros((40, 40), bool)
QUAD[10:30, 10:30] = True
CLOTH, PAPER, HAND, PRINT = (60, 90, 60), (220, 225, 230), (100, 130, 180), (30, 30, 200)


def scene(turned: float = 0.0, hand: float = 0.0) -> np.ndarray:
    """A card turned by that share of its place, from the left; a hand over a share of it, from the bottom."""
    picture = np.full((40, 40, 3), CLOTH, np.uint8)
    picture[10:30, 10 : 10 + round(20 * turned)] = PAPER
    if hand:
        picture[40 - round(30 * hand) :, 5:35] = HAND
    return picture


def came(frames: list[np.ndarray], clear_us: int = 0) -> tuple[tuple[int, int], int]:
    history = [Snap((i + 1) * FRAME_US, frame, 0.0) for i, frame in enumerate(frames)]
    found = arrival(history, scene().astype(np.float32), scene(1.0).astype(np.float32), QUAD, clear_us)
    return found.between_us, found.edge_us


def test_a_card_seen_all_the_way_stood_on_its_edge_when_it_began_to_be_seen() -> None:
    shares = [float(np.sin(np.pi / 2 * i / 7)) for i in range(8)]
    between, edge = came([scene()] * 10 + [scene(s) for s in shares] + [scene(1.0)] * 5)
    # Frame 11 shows the card on its edge.
    assert abs(edge - 11 * FRAME_US) <= FRAME_US
    assert between[0] <= 11 * FRAME_US <= between[1] <= 13 * FRAME_US


def test_under_a_hand_the_time_comes_from_the_hand_and_the_interval_says_that_nobody_saw_it() -> None:
    covering = [scene(0.0, h) for h in (0.3, 0.6, 0.9, 1.0)]
    hidden = [scene(1.0, 1.0)] * 12
    between, edge = came([scene()] * 6 + covering + hidden + [scene(1.0)] * 5)
    assert between[0] <= 7 * FRAME_US
    assert between[1] == 23 * FRAME_US
    assert between[0] <= edge <= 12 * FRAME_US


def printed(card: float = 1.0) -> np.ndarray:
    """The card with its print, over a share of its place."""
    picture = scene(card)
    picture[14:26, 14 : min(26, 10 + round(20 * card))] = PRINT
    return picture


def came_printed(frames: list[np.ndarray], covered: list[float]) -> tuple[tuple[int, int], int]:
    history = [Snap((i + 1) * FRAME_US, frame, c) for i, (frame, c) in enumerate(zip(frames, covered, strict=True))]
    found = arrival(history, scene().astype(np.float32), printed().astype(np.float32), QUAD, 0)
    return found.between_us, found.edge_us


def test_a_sleeve_that_looks_like_paper_is_not_the_card_that_lies_under_it_later() -> None:
    sleeve = scene(1.0)
    frames = [scene()] * 5 + [sleeve] * 60 + [printed()] * 5
    between, edge = came_printed(frames, [0.0] * 5 + [0.8] * 60 + [0.0] * 5)
    assert between[0] <= 5 * FRAME_US
    assert between[1] == 66 * FRAME_US
    assert between[0] <= edge <= between[1]


def test_a_card_of_which_some_shows_under_a_hand_that_stays_came_when_it_began_to_show() -> None:
    held = printed()
    held[22:, 5:35] = HAND
    frames = [scene()] * 5 + [scene(0.0, 0.6)] * 2 + [held] * 60 + [printed()] * 5
    between, _ = came_printed(frames, [0.0] * 5 + [0.5] * 62 + [0.0] * 5)
    assert between[1] == 8 * FRAME_US


@pytest.mark.parametrize("frames", [3, 6, 9])
def test_a_little_light_of_a_coming_hand_that_looks_like_paper_is_no_face_of_the_card_it_turns_later(
    frames: int,
) -> None:
    light = scene()
    light[10:13, 10:26] = PAPER  # a tenth of the place
    shares = [float(np.sin(np.pi / 2 * i / 7)) for i in range(1, 8)]
    turned = [printed(s) for s in shares]
    between, edge = came_printed([scene()] * 5 + [light] * frames + turned + [printed()] * 5, [0.1] * (17 + frames))
    edge_us = (5 + frames) * FRAME_US
    assert abs(edge - edge_us) <= FRAME_US
    assert between[0] <= edge_us <= between[1] <= edge_us + 2 * FRAME_US


def test_what_changed_on_a_pile_that_can_be_seen_hides_no_face() -> None:
    bare = np.full((40, 40, 3), (20, 30, 140), np.uint8)  # the pile was taken: the table below looks otherwise
    between, edge = came_printed([scene()] * 5 + [bare] * 60 + [printed()] * 5, [0.0] * 70)
    assert between[0] >= 63 * FRAME_US
    assert between[1] == 66 * FRAME_US
    assert between[0] <= edge <= between[1]


def test_a_hand_that_was_not_found_hides_a_face_that_showed_before_it() -> None:
    dark = printed()
    dark[8:32, 5:35] = (40, 50, 45)  # a dark hand on dark cloth: no arm is told
    frames = [scene()] * 5 + [printed()] * 4 + [dark] * 30 + [printed()] * 5
    between, edge = came_printed(frames, [0.0] * len(frames))
    assert between[1] == 6 * FRAME_US
    assert between[0] >= 4 * FRAME_US
    assert between[0] <= edge <= between[1]


def test_what_could_not_be_read_began_when_it_began_to_cover_its_place() -> None:
    frames = [scene()] * 5 + [scene(0.0, h) for h in (0.3, 0.6, 1.0)] + [scene(0.0, 1.0)] * 20
    history = [Snap((i + 1) * FRAME_US, frame, 0.0) for i, frame in enumerate(frames)]
    assert 4 * FRAME_US <= began(history, scene().astype(np.float32), QUAD, 0) <= 8 * FRAME_US


def test_where_nobody_knows_how_the_place_looked_before_a_card_is_dated_to_when_its_face_came() -> None:
    other = np.full((40, 40, 3), (20, 30, 140), np.uint8)  # it looks so from the first frame on
    between, edge = came_printed([other] * 60 + [printed()] * 5, [0.5] * 60 + [0.0] * 5)
    assert between == (0, 61 * FRAME_US)
    assert edge >= 55 * FRAME_US


def test_a_card_that_was_there_in_the_first_frame_since_came_in_the_gap() -> None:
    between, edge = came([scene(1.0)] * 5, clear_us=-400_000)
    assert between == (-400_000, FRAME_US)
    assert between[0] <= edge <= between[1]


@pytest.mark.parametrize("light", [0.7, 1.0, 1.2])
def test_paper_is_known_in_more_or_less_light_and_skin_is_not_taken_for_it(light: float) -> None:
    paper = paper_of(scene(1.0).astype(np.float32), QUAD)
    assert paper is not None
    assert like_paper(scene(1.0).astype(np.float32) * np.float32(light), paper)[QUAD].all()
    assert not like_paper(scene(0.0, 1.0).astype(np.float32), paper).any()


def test_where_cards_follow_one_another_a_card_came_after_the_last_sight_of_another_ones_face() -> None:
    other = scene(1.0)  # another card in the same place: its paper, and no print where the later one has it
    other[10:13, 10:30] = PRINT
    frames = [scene()] * 5 + [other] * 20 + [scene(1.0, 1.0)] * 4 + [printed()] * 6
    history = [Snap((i + 1) * FRAME_US, frame, 0.8) for i, frame in enumerate(frames)]
    found = arrival(history, scene().astype(np.float32), printed().astype(np.float32), QUAD, 0, busy=True)
    assert found.between_us[0] <= 5 * FRAME_US  # nobody saw the place without any card since
    assert found.between_us[1] == 30 * FRAME_US
    assert 25 * FRAME_US <= found.edge_us <= 30 * FRAME_US


def test_a_hand_that_hid_its_place_while_it_passed_for_seen_brought_the_card_when_it_came() -> None:
    came_over = [scene(0.0, h) for h in (0.35, 0.58, 0.68, 0.78, 0.88, 0.95)]  # under half of the place, then the rest
    frames = [scene()] * 10 + came_over + [scene(0.0, 0.95)] * 40 + [printed()] * 5
    covered = [0.0] * 10 + [0.3] * 6 + [0.8] * 40 + [0.0] * 5
    between, edge = came_printed(frames, covered)
    assert between[0] <= 13 * FRAME_US
    assert between[1] == 57 * FRAME_US
    assert edge <= 16 * FRAME_US
