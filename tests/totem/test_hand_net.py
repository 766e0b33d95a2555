"""The small network as the package runs it."""

from __future__ import annotations

import numpy as np
import pytest

from referee.totem.features import CHANNELS
from referee.totem.grid import DIRECTIONS, HEIGHTS, make_grid
from referee.totem.hand_net import TIME_BINS, run, time_bin, time_of_bins, weights
from referee.totem.trace import Layout


def layout(rings: int, sectors: int) -> Layout:
    pitch = 120.0 / rings
    return Layout(rings, sectors, (np.arange(rings) + 0.5) * pitch, 120.0)


@pytest.mark.parametrize("shape", [(12, 4), (8, 6), (6, 4), (6, 2), (4, 3), (1, 1), (10, 5), (24, 8)])
def test_every_layout_lies_on_the_grid_without_loss(shape: tuple[int, int]) -> None:
    grid = make_grid(layout(*shape))
    even = np.ones(shape[0] * shape[1], np.float32)
    assert np.allclose(grid.lay(even), 1.0, atol=1e-5)
    assert np.allclose(grid.gather(grid.lay(even)), 1.0, atol=1e-5)


def test_an_electrode_lies_where_it_is() -> None:
    grid = make_grid(layout(12, 4))
    values = np.zeros(48, np.float32)
    values[3 * 4 + 1] = 1.0
    laid = grid.lay(values)
    height, direction = divmod(int(np.argmax(laid)), DIRECTIONS)
    assert height in (6, 7)
    assert direction in (2, 3, 4)
    assert int(np.argmax(grid.gather(laid))) == 13


def test_a_turned_touch_gives_a_turned_answer() -> None:
    x = np.random.default_rng(3).normal(0, 0.4, (CHANNELS, HEIGHTS, DIRECTIONS)).astype(np.float32)
    plain, turned = run(x, weights()), run(np.roll(x, 3, axis=2), weights())
    assert np.allclose(np.roll(plain["share"], 3, axis=1), turned["share"], atol=1e-3)
    assert np.allclose(np.roll(plain["seat"], 6), turned["seat"], atol=1e-3)
    for name in ("fingers", "low", "grip", "first", "pitch"):
        assert np.allclose(plain[name], turned[name], atol=1e-3)


def test_the_weights_that_ship_fit_the_network() -> None:
    w = weights()
    assert w["in"].shape[1] == CHANNELS
    assert all(np.isfinite(value).all() for value in w.values())


def test_a_time_lies_in_the_bin_that_says_so() -> None:
    middles = time_of_bins()
    assert [round(time_bin(float(ms))) for ms in middles] == list(range(TIME_BINS))
    assert time_bin(-1e6) == 0
    assert time_bin(1e6) == TIME_BINS - 1
