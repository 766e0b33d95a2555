"""The settings of simulated hands: lessons and reports never share one."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from referee.sim.manner import HELD_OUT, LESSONS, RANGES, Manner, random_manner
from referee.sim.totem import simulate


def share_of_range(name: str, value: float) -> float:
    least, most = RANGES[name]
    return float(np.log(value / least) / np.log(most / least))


@given(st.integers(0, 2**31))
def test_a_held_out_setting_lies_where_no_lesson_is(seed: int) -> None:
    held = random_manner(np.random.default_rng(seed), HELD_OUT)
    for field in fields(Manner):
        share = share_of_range(field.name, getattr(held, field.name))
        assert not any(low + 1e-9 < share < high - 1e-9 for low, high in LESSONS)
        assert 0.0 <= share <= 1.0


def test_every_setting_has_a_range_around_the_default() -> None:
    assert set(RANGES) == {field.name for field in fields(Manner)}
    assert all(low < 1.0 < high for low, high in RANGES.values())


def test_another_manner_gives_another_recording_of_the_same_script() -> None:
    plain = simulate(4, "near")
    other = simulate(4, "near", manner=Manner(slaps=0.05, gain=0.5))
    assert plain.truth["seats"] == other.truth["seats"]
    assert not np.array_equal(plain.arrays["counts"], other.arrays["counts"])
