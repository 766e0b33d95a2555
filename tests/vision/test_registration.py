"""Laying a print on a picture where the equations lead nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from referee.vision import registration
from referee.vision.geometry import placed
from referee.vision.reader import Reader


@pytest.mark.parametrize("spread", [1.0, 0.0])
def test_a_step_that_is_no_number_leaves_the_print_where_it_was(
    rush: Reader, monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    """With much that misfits and with nothing: the first step is found otherwise then."""
    monkeypatch.setattr(registration, "_small", lambda step, terms: np.full((3, 3), np.nan))
    monkeypatch.setattr(registration, "inverse", lambda pose: pose)
    field = np.float32(spread) * np.random.default_rng(3).random((200, 200), np.float32)
    start = placed(np.eye(2), np.array([100.0, 100.0]), 10.0)
    fit = registration.register(field, rush.prints, 0, start, 32, 2)
    assert np.array_equal(fit.pose, start)
    assert np.isfinite(fit.energy)
