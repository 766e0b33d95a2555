"""The untouched level: what moves it and what must not."""

from __future__ import annotations

import numpy as np

from referee.totem.baseline import Baseline, without_spikes

RANDOM = np.random.default_rng(5)


def quiet(scans: int, level: float = 1000.0) -> np.ndarray:
    return RANDOM.normal(level, 1.5, (scans, 4)).astype(np.float32)


def started() -> Baseline:
    baseline = Baseline(4)
    baseline.start(quiet(200), 200_000)
    return baseline


def test_the_level_and_the_noise_are_learnt_from_the_first_readings() -> None:
    baseline = started()
    assert np.allclose(baseline.level, 1000.0, atol=1.0)
    assert np.allclose(baseline.noise, 1.5, atol=0.6)


def test_slow_drift_is_followed() -> None:
    baseline = started()
    for block in range(600):
        baseline.learn(quiet(16, 1000.0 + block * 0.05), block * 16_000, 16_000)
    assert np.allclose(baseline.level, 1029.0, atol=4.0)


def test_a_hand_that_nears_within_a_quarter_of_a_second_does_not_become_the_level() -> None:
    baseline = started()
    for block in range(15):
        baseline.learn(quiet(16, 1000.0 + 3.0 * block), block * 16_000, 16_000)
    assert np.abs(baseline.level - 1000.0).max() < 1.5


def test_readings_below_the_level_are_believed_quickly() -> None:
    baseline = started()
    for block in range(6):
        baseline.learn(quiet(16, 900.0), block * 16_000, 16_000)
    assert np.allclose(baseline.level, 900.0, atol=2.0)


def test_single_spikes_are_removed_and_steps_are_kept() -> None:
    rows = np.zeros((40, 2), np.float32)
    rows[10, 0] = 500.0
    rows[20:, 1] = 100.0
    clean = without_spikes(rows)
    assert clean[:, 0].max() == 0.0
    assert (clean[19:, 1] == 100.0).all()
    assert (clean[:19, 1] == 0.0).all()


def test_an_electrode_that_never_moves_is_not_noiseless() -> None:
    baseline = Baseline(2)
    baseline.start(np.full((50, 2), 700.0, np.float32), 50_000)
    assert baseline.noise.min() > 0.5
