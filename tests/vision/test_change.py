"""Whether a frame changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.sim.tables import Conditions, Table
from referee.vision.change import changed, has_changed, still


def noisy(level: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 6, (240, 320, 3))
    return np.clip(level + noise, 0, 255).astype(np.uint8)


def test_noise_is_no_change() -> None:
    assert not any(has_changed(still(noisy(120, 0)), still(noisy(120, seed))) for seed in range(1, 20))


def test_automatic_exposure_is_no_change() -> None:
    assert not has_changed(still(noisy(120, 0)), still(noisy(135, 1)))


def test_a_card_laid_down_is_a_change_where_it_lies(rush_table: Table, easy: Conditions) -> None:
    empty = rush_table.single(41, replace(easy, noise=0.0), [])
    laid = rush_table.single(41, replace(easy, noise=0.0), ["moon-wide/red"])
    centre = laid.cards[0].quad.mean(0)
    x, y = np.round(centre).astype(int)
    after = empty.image.copy()
    after[y - 40 : y + 40, x - 40 : x + 40] = laid.image[y - 40 : y + 40, x - 40 : x + 40]
    cells = changed(still(empty.image), still(after))
    assert has_changed(still(empty.image), still(after))
    rows, columns = np.nonzero(cells)
    assert abs(columns.mean() * 8 - centre[0]) < 30
    assert abs(rows.mean() * 8 - centre[1]) < 30


def test_frames_of_different_size_are_always_a_change() -> None:
    assert has_changed(still(noisy(120, 0)), still(np.zeros((100, 100), np.uint8)))
