"""Card-like quads without a known scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.sim.tables import Conditions, Table
from referee.vision.geometry import overlap
from referee.vision.quads import find_quads


def test_every_whole_card_on_a_dark_table_is_among_the_quads(fifty_two_table: Table, easy: Conditions) -> None:
    scene = fifty_two_table.scene(51, replace(easy, markers=False, surface="black", tilt_deg=12.0), cards=4)
    quads = find_quads(scene.image, 63 / 88)
    for card in scene.cards:
        near = max(quads, key=lambda q: overlap(q, card.quad))
        rolled = [np.linalg.norm(np.roll(near, k, 0) - card.quad, axis=1).mean() for k in range(4)]
        assert min(rolled) < 2.0


def test_a_plain_picture_holds_no_quad() -> None:
    assert find_quads(np.full((200, 300, 3), 140, np.uint8), 1.0) == []
    assert find_quads(np.zeros((1, 1, 3), np.uint8), 1.0) == []
