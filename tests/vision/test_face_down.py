"""A zone in which a card lies face down: it is told that one lies there and that it was moved, and never which."""

from __future__ import annotations

import numpy as np
import pytest

from referee.vision.camera import Frame
from referee.vision.face_down import FaceDown
from referee.vision.reader import Reader
from referee.vision.sightings import BackGone, BackLaid, BackMoved, CardSeen, Sighting
from referee.vision.watcher import Watcher
from tests.vision.tabletop import SEATS, SIZE, ZONES, Card, Tabletop, reach

PLACE = (145.0, 105.0)
ZONE = "face_up/Ana"


@pytest.fixture
def top(rush: Reader) -> Tabletop:
    made = Tabletop(rush.prints.deck, totem=False)
    back = np.full((400, 400, 3), (150, 60, 30), np.uint8)
    back[40:-40:40] = (230, 220, 210)
    made.faces["back"] = back
    return made


@pytest.fixture
def watcher(rush: Reader) -> Watcher:
    return Watcher(rush, ZONES, SEATS, None, frozenset(), frozenset({ZONE}))


def feed(watcher: Watcher, frame: Frame) -> list[Sighting]:
    assert frame.picture.shape[:2] == SIZE[::-1]
    return watcher.feed(frame)


def still(watcher: Watcher, top: Tabletop, cards: tuple[Card, ...] = (), frames: int = 14) -> list[Sighting]:
    return [said for _ in range(frames) for said in feed(watcher, top.film(cards))]


def lay(watcher: Watcher, top: Tabletop, card: Card, below: tuple[Card, ...] = ()) -> list[Sighting]:
    """A hand comes, lays a card and goes."""
    x, y = card.centre
    said: list[Sighting] = []
    for step in range(6):
        said += feed(watcher, top.film(below, [reach(top, "Ana", (x + 200 - 34 * step, y + 150 - 26 * step))]))
    for step in range(8):
        said += feed(watcher, top.film((card,), [reach(top, "Ana", (x + 8 + 34 * step, y + 6 + 26 * step))]))
    return said + still(watcher, top, (card,))


def words(said: list[Sighting]) -> list[Sighting]:
    return [one for one in said if isinstance(one, BackLaid | BackMoved | BackGone | CardSeen)]


def test_a_card_that_is_laid_face_down_is_told_once_with_its_owners_hand(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    begin_us = top.number * 33_333
    (laid,) = words(lay(watcher, top, Card("back", PLACE)))
    assert isinstance(laid, BackLaid)
    assert laid.zone == ZONE
    assert begin_us - 40_000 <= laid.between_us[0] < laid.between_us[1] <= top.number * 33_333
    assert laid.by == "Ana"


def test_a_card_that_is_shown_there_by_mistake_is_never_read(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    said = words(lay(watcher, top, Card("wave-thin/green", PLACE)))
    assert [type(one) for one in said] == [BackLaid]
    assert "green" not in repr(said)


def test_a_card_that_lies_on_says_nothing_and_a_nudge_is_no_move(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    lay(watcher, top, Card("back", PLACE))
    assert words(still(watcher, top, (Card("back", PLACE),), 30)) == []
    near = Card("back", (PLACE[0] + 3, PLACE[1] - 2), 22.0)
    assert words(lay(watcher, top, near, (Card("back", PLACE),))) == []


def test_a_card_that_is_moved_or_turned_is_told(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    lay(watcher, top, Card("back", PLACE))
    (moved,) = words(lay(watcher, top, Card("back", (PLACE[0] + 20, PLACE[1] - 14), 20.0), (Card("back", PLACE),)))
    assert isinstance(moved, BackMoved)
    assert moved.by_share == pytest.approx(np.hypot(20, 14) / 60, abs=0.12)


def test_a_card_that_is_taken_up_is_told_and_another_may_come(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    lay(watcher, top, Card("back", PLACE))
    (gone,) = words(still(watcher, top, (), 20))
    assert isinstance(gone, BackGone)
    (again,) = words(lay(watcher, top, Card("back", PLACE, 70.0)))
    assert isinstance(again, BackLaid)


def test_an_arm_that_rests_there_is_no_card(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    limb = reach(top, "Ana", (PLACE[0] - 20, PLACE[1]))
    said = [one for _ in range(25) for one in feed(watcher, top.film((), [limb]))]
    assert words(said + still(watcher, top)) == []


def test_what_has_not_a_cards_size_is_no_card(watcher: Watcher, top: Tabletop) -> None:
    still(watcher, top)
    assert words(still(watcher, top, (Card("back", PLACE, 20.0, 0.3),), 30)) == []


def test_a_card_that_lay_there_at_the_first_look_is_no_bare_zone(watcher: Watcher, top: Tabletop) -> None:
    card = Card("back", PLACE)
    assert words(still(watcher, top, (card,))) == []
    assert words(still(watcher, top, (), 30)) == []
    (laid,) = words(lay(watcher, top, card))
    assert isinstance(laid, BackLaid)


def test_a_back_that_stands_out_little_from_a_dark_table_in_dim_light_is_seen(rush: Reader) -> None:
    dim = Tabletop(rush.prints.deck, light=0.45, noise=4.0, totem=False)
    dim.faces["back"] = np.full((400, 400, 3), (100, 95, 60), np.uint8)
    watcher = Watcher(rush, ZONES, SEATS, None, frozenset(), frozenset({ZONE}))
    still(watcher, dim)
    (laid,) = words(lay(watcher, dim, Card("back", PLACE)))
    assert isinstance(laid, BackLaid)


def test_a_back_that_little_tells_from_the_table_lies_on_though_single_cells_tell_it_no_more(
    rush: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    dim = Tabletop(rush.prints.deck, light=0.45, noise=4.0, totem=False)
    card = Card("back", PLACE)
    dim.faces["back"] = np.full((400, 400, 3), (100, 95, 60), np.uint8)
    watcher = Watcher(rush, ZONES, SEATS, None, frozenset(), frozenset({ZONE}))
    still(watcher, dim)
    lay(watcher, dim, card)
    monkeypatch.setattr(FaceDown, "_noise_of", lambda *_: 6.0)  # so much that no cell of a back exceeds it
    assert words(lay(watcher, dim, card, (card,))) == []
    (gone,) = words(still(watcher, dim, (), 20))
    assert isinstance(gone, BackGone)


def test_a_back_is_seen_by_the_mean_of_neighbouring_cells_where_one_alone_says_too_little(
    rush: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    dim = Tabletop(rush.prints.deck, light=0.45, noise=4.0, totem=False)
    dim.faces["back"] = np.full((400, 400, 3), (100, 95, 60), np.uint8)
    watcher = Watcher(rush, ZONES, SEATS, None, frozenset(), frozenset({ZONE}))
    monkeypatch.setattr(FaceDown, "_noise_of", lambda *_: 1.9)
    still(watcher, dim)
    (laid,) = words(lay(watcher, dim, Card("back", PLACE)))
    assert isinstance(laid, BackLaid)
