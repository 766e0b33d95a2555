"""Everybody takes the totem once: what is learnt of wires, seats and hands, and what the detector does with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.errors import TraceError
from referee.sim.enrolment import simulate_enrolment
from referee.totem.enrol import enrol
from referee.totem.scrambles import Detector, detect, scans_of
from referee.totem.seats import SeatAnswers, match_hands
from referee.totem.trace import Trace, trace_of


def enrolment(seed: int = 3, **more: Any) -> tuple[Trace, dict[str, Any]]:
    made = simulate_enrolment(seed, **more)
    return trace_of(Path("enrolment"), made.arrays), made.truth


def names_of(trace: Trace) -> tuple[str, ...]:
    assert trace.seats is not None
    return trace.seats.names


def test_wires_as_they_should_be_are_found_so_with_their_coupling() -> None:
    trace, truth = enrolment()
    findings = enrol(scans_of(trace), truth["seats"], trace.layout, names_of(trace))
    assert findings.swapped == ()
    assert findings.silent == ()
    assert findings.seat_names == names_of(trace)
    for one in findings.players:
        assert one.coupling == pytest.approx(truth["pads"]["coupling"][one.player][1], rel=0.25)


def test_swapped_wires_are_found_and_put_right() -> None:
    trace, truth = enrolment()
    said = list(names_of(trace))
    said[0], said[1] = said[1], said[0]
    findings = enrol(scans_of(trace), truth["seats"], trace.layout, tuple(said))
    assert set(findings.swapped) == set(said[:2])
    assert findings.silent == ()
    assert findings.seat_names == names_of(trace)


def test_a_dead_wire_is_found() -> None:
    trace, truth = enrolment(dead=1)
    dead = names_of(trace)[1]
    findings = enrol(scans_of(trace), truth["seats"], trace.layout, names_of(trace))
    assert findings.silent == (dead,)
    assert findings.swapped == ()
    assert findings.seat_names == names_of(trace)


def test_the_distance_between_fingers_is_learnt_about() -> None:
    wrong = []
    for seed in range(4):
        trace, truth = enrolment(seed)
        findings = enrol(scans_of(trace), truth["seats"], trace.layout, names_of(trace))
        wrong += [abs(one.pitch_mm - truth["pitch_mm"][one.player]) for one in findings.players if one.pitch_mm]
    assert len(wrong) >= 8
    assert np.median(wrong) < 2.5


def test_a_totem_without_seat_pads_can_be_enrolled_too() -> None:
    trace, truth = enrolment(seat_pads=False)
    findings = enrol(scans_of(trace), truth["seats"], trace.layout)
    assert findings.seat_names == ()
    assert findings.silent == ()
    assert len(findings.players) == len(truth["seats"])


def test_somebody_who_did_not_take_the_totem_is_missed() -> None:
    trace, truth = enrolment()
    more = {**truth["seats"], "Zoé": 10.0}
    with pytest.raises(TraceError, match="4 players were to take the totem once each, 3 grips were felt"):
        enrol(scans_of(trace), more, trace.layout, names_of(trace))


def test_the_detector_takes_what_was_found() -> None:
    trace, truth = enrolment()
    findings = enrol(scans_of(trace), truth["seats"], trace.layout, names_of(trace))
    detector = Detector(trace.layout, truth["seats"], seat_names=findings.seat_names, known=findings.known)
    told = detector.feed(scans_of(trace)) + detector.finish()
    named = [hand.player for event in told for hand in getattr(event, "hands", ())]
    assert named == list(truth["seats"])
    assert len(detect(trace, truth["seats"])) == len(named)


def test_an_enrolled_seat_heard_through_somebody_elses_skin_names_nobody() -> None:
    moved = np.array([[0.2, 0.2], [0.0, 0.0]], np.float32) * 200
    touched = np.full((2, 2), 200.0, np.float32)
    plain = SeatAnswers(("Ana", "Bilal"), moved, touched, np.full(2, 0.5, np.float32))
    hand = np.ones(2, np.float32)
    assert match_hands(plain, [hand]) == [["Ana"]]
    enrolled = SeatAnswers(
        ("Ana", "Bilal"), moved, touched, np.full(2, 0.5, np.float32), np.array([0.5, 0.3], np.float32)
    )
    assert match_hands(enrolled, [hand]) == [[]]
