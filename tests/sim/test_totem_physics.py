"""The simulated totem: physics that can be checked without a referee."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.sim.hands import FINGER, Hand, Touch
from referee.sim.scenes import KINDS
from referee.sim.skin import Cylinder, Patch, electrode_weights
from referee.sim.skin_signal import feel, shares_in_time
from referee.sim.totem import simulate
from referee.totem.trace import load_trace, trace_of

TOTEM = Cylinder(12, 4)
TIMES = np.arange(0, 400_000, 1000)


def finger(height_mm: float, land_us: int = 100_000, leave_us: int = 300_000, angle_deg: float = 90.0) -> Touch:
    return Touch(
        Patch(angle_deg, height_mm, 100.0, 16.0), FINGER, land_us, leave_us, 5000.0, 5000.0, 1.0
    )  # fmt: skip


def test_the_whole_mantle_covered_gives_every_electrode_one() -> None:
    weights = electrode_weights(TOTEM, 0.8)
    inner = weights.sum(axis=1).reshape(12, 4)[1:-1]
    assert np.allclose(inner, 1.0, atol=0.05)


def test_a_patch_is_felt_most_where_it_lies() -> None:
    signals, _ = feel(TOTEM, [Hand("Ana", 0.0, (finger(65.0),))], TIMES, 0.8, 3.0)
    ring, sector = divmod(int(np.argmax(signals[0][250])), 4)
    assert sector == 1
    assert abs(TOTEM.ring_mm[ring] - 65.0) <= 5.0


def test_a_patch_steps_up_when_it_lands_and_only_nears_before() -> None:
    contact, hover = shares_in_time(finger(60.0), TIMES)
    assert contact[:100].max() == 0.0
    assert contact[102] > 0.2
    assert (np.diff(hover[:100]) > 0).all()
    assert contact[399] < 0.01


def test_a_patch_that_never_lands_never_touches() -> None:
    contact, hover = shares_in_time(replace(finger(60.0), lands=False, near_mm=2.0), TIMES)
    assert contact.max() == 0.0
    assert 0.0 < hover.max() < 0.5


def test_a_finger_on_another_hand_does_not_count() -> None:
    below = Hand("Ana", 0.0, (finger(40.0), finger(60.0)))
    above = Hand("Bilal", 180.0, (finger(40.0, 150_000), finger(80.0, 150_000)))
    _, truths = feel(TOTEM, [below, above], TIMES, 0.8, 3.0)
    first, second = truths
    assert first is not None
    assert second is not None
    assert first.fingers == 2
    assert second.fingers == 1
    assert second.lowest_mm > 60.0


def test_a_hand_that_left_shields_nothing() -> None:
    gone = Hand("Ana", 0.0, (finger(40.0, 10_000, 60_000),))
    comes = Hand("Bilal", 180.0, (finger(40.0, 150_000),))
    _, truths = feel(TOTEM, [gone, comes], TIMES, 0.8, 3.0)
    assert truths[1] is not None
    assert truths[1].fingers == 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scene_makes_a_sound_trace(kind: str) -> None:
    made = simulate(3, kind, (6, 4), 250.0, seat_pads=True, noisy=True, wet=True)
    trace = trace_of(Path(kind), made.arrays)
    assert trace.counts.shape[1] == 24
    assert trace.seats is not None
    grips = {"single", "far", "near", "verynear", "ties", "stacked", "handonhand", "multi", "sequence"}
    assert bool(made.truth["scrambles"]) == (kind in grips | {"fall_scramble"})
    assert bool(made.truth["falls"]) == kind.startswith("fall")


def test_the_same_seed_gives_the_same_recording_and_another_one_does_not() -> None:
    one, two, other = simulate(5, "near"), simulate(5, "near"), simulate(6, "near")
    assert np.array_equal(one.arrays["counts"], two.arrays["counts"])
    assert one.truth == two.truth
    assert one.truth != other.truth


def test_the_truth_of_a_scramble_agrees_with_itself() -> None:
    for seed in range(20):
        for scramble in simulate(seed, "multi", (8, 6), 250.0).truth["scrambles"]:
            times = [hand["t_us"] for hand in scramble["hands"]]
            assert times == sorted(times)
            assert scramble["t_us"] == times[0] <= scramble["settle_us"] <= times[-1] + 150_000
            assert all(0 <= hand["fingers"] <= 5 for hand in scramble["hands"])


def test_a_carried_totem_leans_and_a_fallen_one_lies() -> None:
    carried = next(made for seed in range(9) if (made := simulate(seed, "single")).truth["scrambles"][0]["lift_us"])
    assert carried.arrays["tilt_deg"].max() > 5.0
    fallen = simulate(0, "fall_free")
    fall = fallen.truth["falls"][0]
    lies = fallen.arrays["t_us"] > fall["end_us"] + 200_000
    assert fallen.arrays["tilt_deg"][lies][0] > 70.0


def test_a_seat_answers_for_its_own_player(tmp_path: Path) -> None:
    for seed in range(6):
        made = simulate(seed, "single", (12, 4), seat_pads=True)
        hand = made.truth["scrambles"][0]["hands"][0]
        kind, share = made.truth["pads"]["coupling"][hand["player"]]
        if share < 0.2 or made.truth["pads"]["lifted"]:
            continue
        seat = list(made.arrays["seat_names"]).index(hand["player"])
        t = made.arrays["t_us"]
        rows = (t > hand["t_us"] + 90_000) & (t < hand["t_us"] + 140_000)
        rows &= made.arrays["seat_index"] == seat
        touch = made.arrays["counts"][rows].mean(0) - made.arrays["counts"][t < hand["t_us"] - 200_000].mean(0)
        moved = made.arrays["seat_delta"][rows].mean(0)
        strong = touch > 0.5 * touch.max()
        assert moved[strong].sum() / touch[strong].sum() == pytest.approx(share, abs=0.09), kind


def test_a_recording_is_saved_with_its_truth_beside_it(tmp_path: Path) -> None:
    made = simulate(1, "brush", (6, 4), 250.0)
    made.save(tmp_path / "one.npz")
    assert len(load_trace(tmp_path / "one.npz").t_us) == len(made.arrays["t_us"])
    truth = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    assert truth["kind"] == "brush"
