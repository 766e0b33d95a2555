"""Who felled the totem: named by a seat pad, skin without a name, or no skin at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.sim.totem import simulate
from referee.totem.scrambles import Fall, Grab, detect
from referee.totem.seats import clear_seat
from referee.totem.trace import trace_of

NAMES = ("Ana", "Bilal", "Chloé")
SPEAKS = 0.2  # of a touch: a hand that lies on its foil


def falls(seed: int, kind: str, layout: tuple[int, int] = (8, 6), rate_hz: float = 1000.0, **more: Any) -> Any:
    """The falls that are told of a simulated recording, and its truth."""
    made = simulate(seed, kind, layout, rate_hz, **more)
    events = detect(trace_of(Path(kind), made.arrays), made.truth["seats"])
    return [event for event in events if isinstance(event, Fall)], made.truth


def seat_shares(*shares: float) -> Any:
    return np.array(shares)


@pytest.mark.parametrize("rate_hz", [250.0, 1000.0])
def test_a_fingertip_that_fells_it_is_named_by_its_seat_pad_or_not_at_all(rate_hz: float) -> None:
    named = speaking = 0
    for seed in range(40, 60):
        told, truth = falls(seed, "fall_brush", rate_hz=rate_hz, seat_pads=True)
        (fall,) = told
        who = truth["falls"][0]["player"]
        assert fall.player in (who, None)
        assert fall.skin
        if truth["pads"]["coupling"][who][1] > SPEAKS and not truth["pads"]["lifted"]:
            speaking += 1
            named += fall.player == who
    assert named >= (0.8 if rate_hz > 500 else 0.5) * speaking > 0


def test_without_seat_pads_skin_is_felt_and_has_no_name() -> None:
    for seed in range(40, 50):
        (fall,), _ = falls(seed, "fall_brush")
        assert fall.player is None
        assert fall.skin


def test_a_totem_that_falls_by_itself_felt_no_skin_mostly_and_names_nobody() -> None:
    told = [falls(seed, "fall_free", seat_pads=True)[0] for seed in range(40, 60)]
    assert all(len(one) == 1 and one[0].player is None for one in told)
    assert sum(one[0].skin is False for one in told) >= 16


def test_a_fall_is_dated_to_when_it_passed_45_degrees_whether_it_was_touched_or_not() -> None:
    for kind in ("fall_brush", "fall_free"):
        for seed in range(40, 50):
            (fall,), truth = falls(seed, kind, rate_hz=250.0)
            assert truth["falls"][0]["start_us"] < fall.t_us < truth["falls"][0]["end_us"]


@pytest.mark.parametrize(("seed", "layout"), [(7_650_121, (8, 6)), (7_670_161, (6, 4))])
def test_a_totem_that_drifted_before_it_fell_is_told_as_fallen_and_standing_it_up_is_no_scramble(
    seed: int, layout: tuple[int, int]
) -> None:
    random = np.random.default_rng([seed, 12])
    random.integers(2)
    noisy, wet = bool(random.random() < 0.2), bool(random.random() < 0.15)
    rate_hz = 1000.0 if layout == (8, 6) else 500.0
    made = simulate(seed, "fall_free", layout, rate_hz, seat_pads=True, noisy=noisy, wet=wet)
    events = detect(trace_of(Path("drift"), made.arrays), made.truth["seats"])
    assert [type(event) for event in events] == [Fall]
    assert not any(isinstance(event, Grab) for event in events)


def test_the_seat_that_answers_alone_is_the_one() -> None:
    assert clear_seat(NAMES, seat_shares(0.01, 0.45, -0.02), seat_shares(0.02, 0.02, 0.02)) == "Bilal"


def test_a_seat_that_answers_half_as_much_makes_nobody_known() -> None:
    assert clear_seat(NAMES, seat_shares(0.25, 0.45, 0.0), seat_shares(0.01, 0.01, 0.01)) is None


def test_an_answer_under_a_tenth_of_a_touch_names_nobody() -> None:
    assert clear_seat(NAMES, seat_shares(0.0, 0.08, 0.0), seat_shares(0.005, 0.005, 0.005)) is None


def test_an_answer_that_does_not_stand_out_of_its_noise_names_nobody() -> None:
    assert clear_seat(NAMES, seat_shares(0.0, 0.4, 0.0), seat_shares(0.12, 0.12, 0.12)) is None


def test_a_seat_that_was_not_driven_meanwhile_may_be_the_one() -> None:
    assert clear_seat(NAMES, seat_shares(0.0, 0.45, 0.0), seat_shares(0.02, 0.02, np.inf)) is None


def test_a_lone_seat_needs_no_other_to_be_compared_with() -> None:
    assert clear_seat(("Ana",), seat_shares(0.3), seat_shares(0.02)) == "Ana"
