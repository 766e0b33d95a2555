"""The stream of scans as scrambles: what is found, and what does not depend on how the scans come."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.sim.totem import simulate
from referee.totem.scrambles import Detector, Fall, Grab, detect, scans_of
from referee.totem.trace import Trace, load_trace, trace_of

DATA = Path(__file__).parent / "data"


def sample(name: str) -> tuple[Trace, dict[str, Any]]:
    truth = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return load_trace(DATA / f"{name}.npz"), truth


def simulated(seed: int, kind: str, layout: tuple[int, int] = (8, 6), **more: Any) -> tuple[Trace, dict[str, Any]]:
    made = simulate(seed, kind, layout, **more)
    return trace_of(Path(kind), made.arrays), made.truth


def grips(events: list[Grab | Fall]) -> list[Grab]:
    return [e for e in events if isinstance(e, Grab) and any(h.grip for h in e.hands)]


def in_batches(trace: Trace, seats: dict[str, float], cuts: list[int]) -> list[Grab | Fall]:
    pads = trace.seats
    detector = Detector(trace.layout, seats, seat_names=None if pads is None else pads.names)
    events: list[Grab | Fall] = []
    whole = scans_of(trace)
    edges = [0, *sorted(c % len(trace.t_us) for c in cuts), len(trace.t_us)]
    for begin, end in pairwise(edges):
        events += detector.feed(whole.rows(begin, end))
    return events + detector.finish()


def test_two_stacked_hands_are_found_in_their_order_with_their_players() -> None:
    trace, truth = sample("seats-stacked")
    (grab,) = grips(detect(trace, truth["seats"]))
    hands = truth["scrambles"][0]["hands"]
    assert [h.player for h in grab.hands] == [h["player"] for h in hands]
    assert all(abs(h.t_us - t["t_us"]) < 3000 for h, t in zip(grab.hands, hands, strict=True))
    assert all(h.fingers[0] <= t["fingers"] <= h.fingers[1] for h, t in zip(grab.hands, hands, strict=True))
    assert all(
        h.lowest_mm[0] - 2 <= t["lowest_mm"] <= h.lowest_mm[1] + 2 for h, t in zip(grab.hands, hands, strict=True)
    )


def test_a_coarse_totem_still_tells_the_first_of_two_hands() -> None:
    trace, truth = sample("stacked")
    (grab,) = grips(detect(trace, truth["seats"]))
    assert abs(grab.t_us - truth["scrambles"][0]["t_us"]) < 2000
    assert len(grab.hands) == 2


def test_a_fall_in_a_scramble_is_told_with_it_and_standing_it_up_is_no_scramble() -> None:
    trace, truth = sample("scramble-and-fall")
    events = detect(trace, truth["seats"])
    (grab,) = grips(events)
    assert grab.fell is not None
    assert abs(grab.fell.t_us - truth["falls"][0]["t_us"]) < 100_000
    assert not [e for e in events if isinstance(e, Fall)]


def test_a_totem_that_reads_otherwise_since_it_was_stood_up_feels_the_next_scramble_all_the_same() -> None:
    trace, truth = sample("scramble-and-fall")
    stood = int(np.searchsorted(trace.t_us, 5_000_000))
    rest = slice(int(np.searchsorted(trace.t_us, 5_500_000)), len(trace.t_us))
    rows = np.concatenate(
        [np.arange(len(trace.t_us)), *[np.arange(rest.start, rest.stop)] * 6, np.arange(len(trace.t_us))]
    )
    counts = trace.counts[rows].astype(np.float64)
    since = np.arange(len(rows)) >= stood
    drift = 14.0 + 2.5 * np.arange(len(rows) - stood) / 1000.0  # damp, or a hand's warmth, that goes on growing
    counts[since] += drift[:, None]
    t_us = trace.t_us[0] + 1000 * np.arange(len(rows), dtype=np.int64)
    whole = replace(trace, t_us=t_us, counts=counts.astype(np.int32), tilt_deg=trace.tilt_deg[rows])
    later_us = int(t_us[len(rows) - len(trace.t_us)] - trace.t_us[0])
    first_us = truth["scrambles"][0]["t_us"]
    found = [grab.t_us for grab in grips(detect(whole, truth["seats"]))]
    assert found == [pytest.approx(us, abs=20_000) for us in (first_us, first_us + later_us)]


def test_hovering_and_feinting_hands_and_brushes_are_no_scrambles() -> None:
    trace, truth = sample("no-grab")
    events = detect(trace, truth["seats"])
    assert not grips(events)
    assert any(isinstance(e, Grab) and abs(e.t_us - truth["brushes"][0]["t_us"]) < 2000 for e in events)


def test_fingers_that_graze_the_totem_are_told_as_brushes_and_near_hands_are_not() -> None:
    told = real = 0
    for seed in (913019, 913020, 913023):
        trace, truth = simulated(seed, "brush", (12, 4))
        events = detect(trace, truth["seats"])
        assert all(isinstance(e, Grab) and not any(h.grip for h in e.hands) for e in events)
        starts = [brush["t_us"] for brush in truth["brushes"]]
        assert all(min(abs(e.t_us - start) for start in starts) < 10_000 for e in events)
        told, real = told + len(events), real + len(starts)
    assert told > real / 2
    for seed in (913000, 913001):
        trace, truth = simulated(seed, "hover", (12, 4))
        assert detect(trace, truth["seats"]) == []


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 5000), max_size=30))
def test_cutting_the_stream_into_batches_changes_nothing(cuts: list[int]) -> None:
    trace, truth = sample("stacked")
    assert in_batches(trace, truth["seats"], cuts) == detect(trace, truth["seats"])


def test_one_scan_at_a_time_changes_nothing_either_with_seat_pads() -> None:
    trace, truth = sample("seats-stacked")
    assert in_batches(trace, truth["seats"], list(range(len(trace.t_us)))) == detect(trace, truth["seats"])


@settings(max_examples=8, deadline=None)
@given(st.integers(-(2**40), 2**40))
def test_a_shift_of_the_clock_shifts_the_answers_and_nothing_else(shift: int) -> None:
    trace, truth = sample("stacked")
    plain = grips(detect(trace, truth["seats"]))
    moved = grips(detect(replace(trace, t_us=trace.t_us + shift), truth["seats"]))
    assert [g.t_us + shift for g in plain] == [g.t_us for g in moved]
    assert [[(h.player, h.fingers, h.lowest_mm, h.t_us + shift) for h in g.hands] for g in plain] == [
        [(h.player, h.fingers, h.lowest_mm, h.t_us) for h in g.hands] for g in moved
    ]


@pytest.mark.parametrize(("layout", "turns"), [((8, 6), 2), ((12, 4), 1), ((6, 4), 3)])
def test_a_totem_that_stands_turned_with_angle0_told_gives_the_same_answers(
    layout: tuple[int, int], turns: int
) -> None:
    trace, truth = simulated(4, "near", layout)
    sectors = layout[1]
    square = trace.counts.reshape(-1, *layout)
    turned = replace(trace, counts=np.roll(square, turns, axis=2).reshape(trace.counts.shape))
    plain = detect(trace, truth["seats"])
    again = detect(turned, truth["seats"], angle0_deg=-turns * 360.0 / sectors)
    assert [[(h.player, h.fingers, h.lowest_mm, h.t_us) for h in g.hands] for g in grips(plain)] == [
        [(h.player, h.fingers, h.lowest_mm, h.t_us) for h in g.hands] for g in grips(again)
    ]


def test_direction_names_nobody_after_the_totem_was_carried() -> None:
    for seed in range(40):
        trace, truth = simulated(seed, "sequence")
        if truth["scrambles"][0]["lift_us"] is None:
            continue
        found = grips(detect(trace, truth["seats"]))
        assert all(hand.player is None for grab in found[1:] for hand in grab.hands)
        assert len(found) > 1
        return
    pytest.fail("no recording with a lift")


def test_a_base_that_feels_the_totem_in_its_place_makes_direction_count_again() -> None:
    for seed in range(40):
        trace, truth = simulated(seed, "sequence")
        if truth["scrambles"][0]["lift_us"] is None or truth["scrambles"][1]["yaw_changed"]:
            continue
        told = replace(trace, seated=np.ones(len(trace.t_us), bool))
        names = [h.player for g in grips(detect(told, truth["seats"]))[1:] for h in g.hands]
        if any(names):
            return
    pytest.fail("no hand was named")


def test_a_wobble_and_a_fall_without_a_hand_are_a_fall_and_nothing_else() -> None:
    trace, truth = simulated(1, "wobble")
    assert detect(trace, truth["seats"]) == []
    trace, truth = simulated(1, "fall_free")
    events = detect(trace, truth["seats"])
    assert [type(e) for e in events] == [Fall]
    assert events[0].t_us == pytest.approx(truth["falls"][0]["t_us"], abs=100_000)


def test_a_running_game_hears_of_a_scramble_before_it_is_over() -> None:
    trace, truth = sample("stacked")
    detector = Detector(trace.layout, truth["seats"], provisional=True)
    heard: list[tuple[int, Grab]] = []
    for begin in range(0, len(trace.t_us), 10):
        batch = scans_of(trace).rows(begin, begin + 10)
        for event in detector.feed(batch):
            if isinstance(event, Grab):
                heard.append((int(batch.t_us[-1]), event))
    heard += [(int(trace.t_us[-1]), e) for e in detector.finish() if isinstance(e, Grab)]
    scramble = truth["scrambles"][0]
    early = [(at, g) for at, g in heard if not g.final]
    assert early
    assert scramble["settle_us"] - 60_000 < early[0][0] < scramble["end_us"] - 100_000
    assert [g.final for _, g in heard][-1]


def test_a_single_spike_is_no_touch() -> None:
    trace, truth = simulated(2, "quiet")
    counts = trace.counts.copy()
    counts[len(counts) // 2, 5] += 3000
    assert detect(replace(trace, counts=counts), truth["seats"]) == []


def test_water_that_stays_is_no_scramble() -> None:
    for seed in range(4):
        trace, truth = simulated(seed, "spill")
        assert not grips(detect(trace, truth["seats"]))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.sampled_from([(1, 1), (4, 3), (12, 4), (2, 7)]))
def test_no_readings_at_all_make_it_fail(seed: int, scans: int, layout: tuple[int, int]) -> None:
    random = np.random.default_rng(seed)
    electrodes = layout[0] * layout[1]
    size = 10.0 ** random.integers(0, 8)
    steps = random.integers(1, 10 ** int(random.integers(1, 7)), scans)
    arrays = {
        "t_us": np.cumsum(steps).astype(np.int64) - 10**5,
        "counts": (random.normal(0, size, (scans, electrodes))).astype(np.int32),
        "tilt_deg": random.uniform(0, 180, scans).astype(np.float32),
        "rings": np.array(layout[0]),
        "sectors": np.array(layout[1]),
        "ring_mm": (np.arange(layout[0]) + 0.5) * 10.0,
        "boot_id": np.array(1),
    }
    for event in detect(trace_of(Path("noise"), arrays), {"Ana": 0.0, "Bo": 180.0}):
        assert isinstance(event, Grab | Fall)


def test_wandering_readings_with_uneven_noise_make_nothing_fail() -> None:
    for seed in (3048, 3094, 3192, *range(60)):
        random = np.random.default_rng([seed, 5])
        rings, sectors = [(1, 1), (4, 3), (12, 4), (2, 7), (1, 8)][seed % 5]
        scans, electrodes = int(random.integers(1, 700)), rings * sectors
        walk = np.cumsum(random.normal(0, 10.0 ** random.integers(0, 3), (scans, electrodes)), axis=0)
        noise = random.normal(0, 10.0 ** random.integers(0, 4), (scans, electrodes))
        steps = random.integers(1, 10 ** int(random.integers(2, 6)), scans)
        arrays = {
            "t_us": np.cumsum(steps).astype(np.int64),
            "counts": (walk + noise).astype(np.int32),
            "tilt_deg": np.abs(np.cumsum(random.normal(0, 3, scans))).astype(np.float32) % 180,
            "rings": np.array(rings),
            "sectors": np.array(sectors),
            "ring_mm": (np.arange(rings) + 0.5) * 10.0,
            "boot_id": np.array(1),
        }
        events = detect(trace_of(Path("wandering"), arrays), {"Ana": 0.0, "Bo": 180.0})
        assert all(isinstance(event, Grab | Fall) for event in events)
