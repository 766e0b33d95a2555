"""The hooded camera: real pictures of our printed cards, one after another, and what comes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from referee.deck.folder import resolve_deck
from referee.private.hood import SHOW_US, Hood
from referee.private.vault import Vault
from referee.sim.tables import Conditions, Table
from referee.vision.camera import Frame
from referee.vision.reader import Reader
from tests.private.test_vault import HEADER, opened

STEP_US = 100_000
CLOSE = Conditions(
    size=(640, 480), side_px=200.0, tilt_deg=4.0, distortion=0.0, surface="felt", warmth=1.0, exposure=0.9, shadow=0.0,
    glare=0.0, arms=0, blur_px=0.6, motion_px=0.0, noise=3.0, jpeg=90, markers=False, pile=1,
)  # fmt: skip


class Said:
    """Whoever is told."""

    def __init__(self) -> None:
        self.words: list[tuple[str, bool, int]] = []

    def __call__(self, player: str, was_read: bool, t_us: int) -> None:
        self.words.append((player, was_read, t_us))


def hooded(cards: list[list[tuple[str, float]]]) -> tuple[Vault, Hood, Said]:
    """A hood whose pictures show what the test says."""
    vault, said, waiting = opened(Vault(HEADER)), Said(), list(cards)
    return vault, Hood(vault, lambda frame: waiting.pop(0), said), said


def frame(number: int, t_us: int, picture: Any) -> Frame:
    return Frame(t_us, None, number, picture)


def look(hood: Hood, count: int, start_us: int = 0) -> None:
    for number in range(count):
        hood.frame(frame(number, start_us + number * STEP_US, np.zeros((4, 4, 3), np.uint8)))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(resolve_deck("builtin:jungle-bluff"))


@pytest.mark.parametrize("card", ["1", "6", "9", "10"])
def test_a_printed_card_held_under_the_hood_is_read(reader: Reader, card: str) -> None:
    table, vault, said = Table(resolve_deck("builtin:jungle-bluff")), opened(Vault(HEADER)), Said()

    def read(frame: Frame) -> Any:
        return [(seen.card, seen.confidence) for seen in reader.read(frame.picture)]

    hood = Hood(vault, read, said)
    assert hood.show("Ana", 0)
    for number in range(5):
        picture = table.single(number, CLOSE, [card]).image
        hood.frame(frame(number, number * STEP_US + STEP_US, picture))
        if said.words:
            break
    assert [word[:2] for word in said.words] == [("Ana", True)]
    assert vault._forces == {(1, "Ana"): card}


def test_one_picture_proves_nothing() -> None:
    vault, hood, said = hooded([[("6", 0.999)], [("?", 0.5)], [("9", 0.999)], [("9", 0.999)], [("6", 0.999)]])
    hood.show("Ana", 0)
    look(hood, 5, STEP_US)
    assert said.words == []
    assert not vault.hand("Ana").chosen


def test_two_cards_in_a_picture_begin_anew_and_nothing_unsure_counts() -> None:
    vault, hood, said = hooded([[("6", 0.999)]] * 2 + [[("6", 0.999), ("9", 0.999)]] + [[("6", 0.98)]] * 4)
    hood.show("Ana", 0)
    look(hood, 7, STEP_US)
    assert (said.words, vault.hand("Ana").chosen) == ([], False)


def test_nothing_is_read_while_nobody_shows_a_card() -> None:
    vault, hood, said = hooded([])
    look(hood, 3, STEP_US)
    hood.show("Ana", 0)
    hood.now(SHOW_US + 1)
    look(hood, 3, SHOW_US * 2)
    assert said.words[0][:2] == ("Ana", False)
    assert not vault.hand("Ana").chosen


def test_one_shows_after_the_other_and_only_who_may_choose() -> None:
    vault, hood, said = hooded([[("6", 0.999)]] * 9)
    assert hood.show("Ana", 0)
    assert not hood.show("Bilal", 1)
    look(hood, 4, STEP_US)
    assert hood.show("Bilal", 500_000)
    look(hood, 4, 600_000)
    assert [word[:2] for word in said.words] == [("Ana", True), ("Bilal", True)]
    vault.happened({"t_us": 9, "event": "commit", "player": "Ana"})
    assert not hood.show("Ana", 2_000_000)


def test_a_card_that_cannot_be_a_force_is_told_as_not_read() -> None:
    _, hood, said = hooded([[("1*", 0.999)]] * 6)
    hood.show("Ana", 0)
    look(hood, 5, STEP_US)
    assert said.words[0][:2] == ("Ana", False)
